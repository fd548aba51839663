"""Write what follows from packs, predicates and the folders of the code: docs/rules/*.md,
docs/predicates.md, patterns/pack.schema.json, and parts of docs/architecture.md and
docs/autograph.md.

python docs/generate.py            writes them
python docs/generate.py --check    exits 1 if one is out of date
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import yaml
from house import described
from predicate_pages import SCHEMA, predicates, schema

from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack, Rule

DOCS = Path(__file__).parent
_SYNTAX = re.compile(r"(<!-- syntax: (.*) -->\n)[\s\S]*?(<!-- end -->)")
_ROOM = re.compile(r"(<!-- tree: (.*) -->\n)[\s\S]*?(<!-- end -->)")


def pages() -> dict[Path, str]:
    """The generated pages and their content."""
    found = {DOCS / "predicates.md": predicates(), SCHEMA: schema()}
    page = DOCS / "architecture.md"
    found[page] = _ROOM.sub(
        lambda room: f"{room[1]}{described(room[2])}\n{room[3]}", page.read_text("utf-8")
    )
    page = DOCS / "autograph.md"
    found[page] = _SYNTAX.sub(
        lambda table: f"{table[1]}{_syntax(DOCS.parent / table[2])}\n{table[3]}",
        page.read_text("utf-8"),
    )
    for path in [*pack_files.bundled(), *pack_files.parts()]:
        pack = packs.load(path)
        if not isinstance(pack, Pack):
            raise SystemExit("\n".join(map(str, pack)))
        found[DOCS / "rules" / f"{pack.name}.md"] = _pack(pack)
    return found


def _syntax(path: Path) -> str:
    """A table of kinds of syntax, and what becomes of each."""
    lines = ["## What becomes of Python's syntax", "", "| syntax | outcome |", "|---|---|"]
    for row in yaml.safe_load(path.read_text("utf-8")):
        said = f"{row['outcome']}: {row['note']}" if "note" in row else row["outcome"]
        if "says" in row:
            said = f"refused: “{row['says'].replace('.* ', ' ')}”"
        lines.append(f"| {row['syntax']} | {said} |")
    return "\n".join(lines)


def _pack(pack: Pack) -> str:
    parts = [f"# {pack.name}\n", "Generated from the pack.\n", f"{pack.summary}\n"]
    for api, why in pack.refuses.items():
        parts.append(f"Refused ({api}): {why}.\n")
    homes = _homes(pack)
    if pack.includes:
        pages = sorted({home.partition("#")[0] for home in homes.values()} - {""})
        listed = ", ".join(f"[{page.removesuffix('.md')}]({page})" for page in pages)
        if listed:
            parts.append(f"Includes {listed}.\n")
    first: dict[int, Rule] = {}
    for rule in pack.own_rules:
        # Rules of one table are written once.
        shown = first.setdefault(rule.line, rule)
        parts.append(_rule(rule, homes) if shown is rule else _like(rule, shown))
    return "\n".join(parts)


def _like(rule: Rule, shown: Rule) -> str:
    return f"## {rule.id}\n\n**{rule.title}.** As [{shown.id}](#{_anchor(shown.id)}).\n"


def _homes(pack: Pack) -> dict[str, str]:
    """Where what rules may require is described: the name of the page, nothing for the pack's own,
    and the place in it."""
    names = {path: packs.load(path) for path in pack.includes}
    found: dict[str, str] = {}
    for rule in pack.rules:
        home = names.get(rule.path)
        place = (f"{home.name}.md" if isinstance(home, Pack) else "") + f"#{_anchor(rule.id)}"
        found[rule.id] = place
        found.setdefault(rule.provides, place)
    return found


def _anchor(heading: str) -> str:
    """What sites call the place of a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _rule(rule: Rule, homes: dict[str, str]) -> str:
    parts = [f"## {rule.id}\n", f"**{rule.title}.** {rule.why}\n"]
    if rule.report:
        kind = "Refuses the program" if rule.refuse else "Reports"
        parts.append(f"{kind}: {rule.report}\n")
    if rule.requires:
        links = (f"[{r}]({homes[r]})" if r in homes else r for r in rule.requires)
        parts.append(f"Requires: {', '.join(links)}.\n")
    for example in rule.examples:
        if example.after is not None:
            parts.append(f"Before:\n\n```python\n{example.before}```\n")
            parts.append(f"After:\n\n```python\n{example.after}```\n")
        else:
            title = "Reported" if example.reported else "Left alone"
            parts.append(f"{title}:\n\n```python\n{example.before}```\n")
    return "\n".join(parts)


def main() -> int:
    check = "--check" in sys.argv[1:]
    if not check:
        SCHEMA.write_text(schema(), "utf-8")  # which the packs are read with
    stale = [p for p, text in pages().items() if not p.is_file() or p.read_text("utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(DOCS.parent)}: {'out of date' if check else 'written'}")
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(pages()[path], "utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
