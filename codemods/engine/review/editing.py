"""editing: the lines that a hunk writes, as text for an editor, and back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pinsetter.analyzer.files.source import LINE_END
from pinsetter.analyzer.messages.visible import visible
from pinsetter.patterns.edits.edit import Edit, apply
from pinsetter.patterns.edits.guards import shared

from ..hunks.hunk import Hunk
from ..hunks.line_diff import Region, changed_lines
from ..hunks.plan import Plan
from ..hunks.validity import why_invalid

_WORD = re.compile(r"\w+|\r\n|\s|.", re.DOTALL)


@dataclass(frozen=True)
class Form:
    """What the editor gets: ``heads`` are the lines above the regions, by which these are told
    apart; lines that begin with ``mark`` are no code."""

    hunk: Hunk
    regions: tuple[Region, ...]
    mark: str
    heads: tuple[str, ...]

    @property
    def text(self) -> str:
        path = visible(str(self.hunk.module.path))
        lines = [
            f"{self.mark} {self.hunk.rule} in {path}",
            f"{self.mark} The lines below are what this hunk writes; change them, save, and close.",
            f"{self.mark} Nothing changes if nothing is changed, or if all lines are removed.",
            f"{self.mark} Leave the lines that begin with {self.mark} as they are.",
        ]
        for head, region in zip(self.heads, self.regions, strict=True):
            lines.append(head)
            lines.extend(_lines(region.text))
        return "\n".join(lines) + "\n"


def form_of(hunk: Hunk) -> Form:
    """What an editor is to show of a hunk."""
    text = hunk.module.source.text
    # What a person writes is not shared with neighbours: it is what was seen of the hunk alone.
    hunk = replace(hunk, edits=tuple(shared(text, hunk.edits)))
    regions = changed_lines(text, hunk.edits)
    mark = "#|"
    while any(line.startswith(mark) for region in regions for line in _lines(region.text)):
        mark += "|"
    heads = [f"{mark} line {hunk.module.tree.line(region.start)}" for region in regions]
    return Form(hunk, tuple(regions), mark, tuple(f"{h}:" for h in heads))


def edited(form: Form, text: str, plan: Plan) -> Hunk | str | None:
    """The hunk with the text from the editor; None if it stays as it is; else what is wrong."""
    written = _read(form, text)
    if isinstance(written, str):
        return written
    if not any(line.strip() for lines in written for line in lines):
        return None
    shown = [_lines(region.text) for region in form.regions]
    if written == shown:
        return None
    hunk, module = form.hunk, form.hunk.module
    edits = _edits(form, written)
    required = [h for h in plan.required_by(hunk) if h.module is module]
    try:
        together = [*(edit for other in required for edit in other.edits), *edits]
        module.source.encode(apply(module.source.text, together))
    except UnicodeEncodeError:
        return f"the text does not fit the encoding of the file, {module.source.encoding}"
    wrong = why_invalid(module, together)
    if wrong:
        return f"the file would not parse: {wrong}"
    changed = replace(hunk, edits=edits, edited=True)
    for other in required:
        if changed.contradicts(other):
            return f"it changes what {other.rule} ({other.where}) changes, which it requires"
    return replace(changed, alternatives=_alternatives(changed, required, plan))


def _alternatives(changed: Hunk, required: Sequence[Hunk], plan: Plan) -> frozenset[str]:
    """The hunks that cannot be accepted together with an edited one."""
    near = {id(other) for other in required} | {id(plan.get(changed.id))}
    found = set()
    for other in plan.hunks:
        if other.module is not changed.module or id(other) in near:
            continue
        touching = any(
            a.start <= b.end and b.start <= a.end for a in changed.edits for b in other.edits
        )
        if touching and (
            changed.contradicts(other)
            or why_invalid(changed.module, [*changed.edits, *other.edits])
        ):
            found.add(other.id)
    # Those that a person was told of are alternatives still, whatever the text is now.
    old = plan.get(changed.id)
    return frozenset(found | (old.alternatives if old is not None else set()))


def _read(form: Form, text: str) -> list[list[str]] | str:
    """The lines of each region; or what is wrong with the text."""
    lines, found = _lines(text), list[list[str]]()
    if not text.strip():
        return [[]]
    written = {line.rstrip() for line in lines}
    for head in form.heads:
        if head not in written:
            return f"the line `{head}` is missing, which tells what the code replaces"
    for line in lines:
        if len(found) < len(form.heads) and line.rstrip() == form.heads[len(found)]:
            found.append([])
        elif line.startswith(form.mark):
            continue
        elif found:
            found[-1].append(line)
        elif line.strip():
            return f"there is code above the line `{form.heads[0]}`"
    if len(found) < len(form.heads):
        return f"the line `{form.heads[len(found)]}` is not in its place"
    return found


def _edits(form: Form, written: Sequence[list[str]]) -> tuple[Edit, ...]:
    """The edits that write the lines; regions that stayed keep theirs."""
    inside = [
        [e for e in form.hunk.edits if region.start <= e.start and e.end <= region.end]
        for region in form.regions
    ]
    # How the lines differ need not tell which edit made them so.
    clear = sorted(map(id, (e for edits in inside for e in edits))) == sorted(
        map(id, form.hunk.edits)
    )
    found: list[Edit] = []
    for region, lines, edits in zip(form.regions, written, inside, strict=True):
        if clear and lines == _lines(region.text):
            found.extend(edits)
            continue
        newline = form.hunk.module.source.newline
        text = newline.join(lines) + (newline if lines and _ended(region.text) else "")
        if clear and len(edits) == 1 and edits[0].start == edits[0].end == region.start and (
            region.start == region.end and edits[0].text == region.text
        ):  # fmt: skip
            found.append(replace(edits[0], text=text))
        else:
            found.append(_smallest(form.hunk, region, text, edits))
    return tuple(found)


def _smallest(hunk: Hunk, region: Region, text: str, edits: Sequence[Edit]) -> Edit:
    """One edit from the first word to the last that differ, so that it leaves the others room."""
    original = hunk.module.source.text[region.start : region.end]
    old, new = _WORD.findall(original), _WORD.findall(text)
    first = 0
    while first < min(len(old), len(new)) and _is_alike(old[first], new[first]):
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and _is_alike(old[-1 - last], new[-1 - last]):
        last += 1
    start = region.start + len("".join(old[:first]))
    end = region.end - len("".join(old[len(old) - last :]))
    like = edits[0] if edits else hunk.edits[0]
    return Edit(
        start,
        end,
        "".join(new[first : len(new) - last]),
        like.side,
        (min([start, *(e.outer[0] for e in edits)]), max([end, *(e.outer[1] for e in edits)])),
        like.rank,
    )


def _is_alike(old: str, new: str) -> bool:
    """Whether two words are the same: an editor does not tell one end of a line from another."""
    return old == new or bool(LINE_END.fullmatch(old) and LINE_END.fullmatch(new))


def _ended(text: str) -> bool:
    return not text or text.endswith(("\n", "\r"))


def _lines(text: str) -> list[str]:
    """The lines of a text without their ends."""
    lines = LINE_END.split(text)
    return lines[:-1] if lines[-1] == "" else lines
