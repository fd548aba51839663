"""Query: Bowler's, with rules that ask for facts and edit spans of the text.

What its methods are told is a pack without a file; so it is checked, reviewed and written as one
is. ``isa("$x", "lib.Client")`` makes a condition of any predicate of the rule language.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import bowler
import yaml
from bowler.query import SELECTORS

from pinsetter.patterns.packs.pack import Pack, load
from pinsetter.patterns.predicates import PREDICATES
from pinsetter.patterns.predicates.documented import said_of

from ..commands.delivery import Delivery
from ..commands.summary import Detail, print_remarks
from ..console.exit_code import ExitCode
from ..console.terminal import echo
from ..journal.destination import Kept
from ..running.mode import Mode
from ..running.pack_query import PackQuery, mode_of
from ..running.run import RunRequest, run
from .script import leave_with, origin_of

Condition = Mapping[str, Any]
_IN_RULE = re.compile(r"^rules\.(\d+)")
_WITH_TEMPLATES = {"replace", "wrap", "argument", "decorate"}
_EXAMPLES = [{"unchanged": "pass\n"}]


def condition(name: str) -> Callable[..., Condition]:
    """What makes conditions of the predicate of that name (``not_`` for `not`): of one argument, a
    list of several, or a mapping. Raises AttributeError if there is none."""
    known = name.strip("_")
    if known not in PREDICATES:
        raise AttributeError(f"there is no predicate {known!r}")

    def make(*arguments: Any, **named: Any) -> Condition:
        given = named or (arguments[0] if len(arguments) == 1 else list(arguments))
        is_list = known in ("any", "all") and not isinstance(given, list)
        return {known: [given] if is_list else given}

    make.__name__, make.__doc__ = name, said_of(PREDICATES[known])
    return make


class Query(bowler.Query):  # type: ignore[misc]
    """``Query("src", imports={"lib": "lib"}).match("lib.f($x)").where(isa("$x", "lib.C"))
    .edit(with_="$x.f()").diff()``.

    ``match``, Bowler's ``select`` and its own selectors begin a rule, which the methods behind
    change. ``options`` are keys of a pack's head: ``imports``, ``types``, ``functions``…
    """

    def __init__(self, *paths: Any, **options: Any) -> None:
        super().__init__(*paths)
        self._head = options
        self._rules: list[dict[str, Any]] = []
        self._selected = 0

    def match(self, code: str) -> Query:
        """Begin a rule for code as it is written, with $names for what may stand there."""
        return self._begin({"match": code})

    def where(self, *conditions: Condition) -> Query:
        """All of these have to hold."""
        self._rule.setdefault("where", []).extend(conditions)
        return self

    def edit(self, template: str | None = None, **edit: Any) -> Query:
        """What is done to a match: the keys of an edit, ``with_``, ``as_`` and ``if_`` for what are
        keywords of Python; a template alone takes the place of the match."""
        made = {key.rstrip("_"): value for key, value in edit.items()}
        if template is not None:
            made["with"] = template
        if "with" in made and not made.keys() & _WITH_TEMPLATES:
            made = {"replace": "$match", **made}
        self._rule.setdefault("edit", []).append(made)
        return self

    def warn(self, text: str, *conditions: Condition) -> Query:
        """Have hunks say this, if the conditions hold."""
        told = {"say": text, **({"if": list(conditions)} if conditions else {})}
        self._rule.setdefault("warn", []).append(told)
        return self

    def report(self, text: str) -> Query:
        """Say this of a match, which stays."""
        self._rule["report"] = text
        return self

    def named(self, id: str, title: str = "", why: str = "") -> Query:
        """Call the rule so, in hunks and in comments that suppress it."""
        told = {"id": id, "title": title, "why": why}
        self._rule.update({key: value for key, value in told.items() if value})
        return self

    def execute(
        self, *, write: bool = False, interactive: bool = True, silent: bool = False, **_: Any
    ) -> Query:
        """What ``diff()``, ``idiff()``, ``write()`` and ``silent()`` call; the exit code is left in
        ``retcode``, and `bowler run` ends with it."""
        with tempfile.TemporaryDirectory(prefix="pinsetter-") as folder:
            pack = self._pack(Path(folder))
            if pack is None:
                self.retcode = int(ExitCode.FAILED)
            else:
                self.retcode = self._run(pack, mode_of(write, interactive, silent))
        leave_with(ExitCode(self.retcode))
        return self

    def _run(self, pack: Pack, mode: Mode) -> int:
        query = PackQuery(pack, self.paths)
        for hook in self.processors:
            query.process(hook)
        delivery = Delivery(None, None, Detail.USUAL)
        paths = [Path(path) for path in self.paths]
        kept = Kept(origin_of([]).name)
        outcome = run(RunRequest([query], paths, mode, show=delivery.show, kept=kept))
        return delivery.of(outcome, [pack])

    def _pack(self, folder: Path) -> Pack | None:
        """Raises ValueError for what is only Bowler's; None, having said why, if it is wrong."""
        self._take_selected()
        if any(one.callbacks or one.filters or one.fixer for one in self.transforms):
            raise ValueError(
                "filter, modify and what changes trees are of bowler.Query; give where and edit"
            )
        rules = [
            {"id": f"rule-{at}", "title": "As the script says", "why": "The script asks for it.",
             "examples": _EXAMPLES, **rule}
            for at, rule in enumerate(self._rules, 1)
        ]  # fmt: skip
        told = {"pack": "query", "summary": "Rules of a script.", **self._head, "rules": rules}
        path = folder / "query.yaml"
        path.write_text(yaml.safe_dump(told, sort_keys=False, width=1_000_000), "utf-8")
        pack = load(path)
        if isinstance(pack, Pack):
            print_remarks(pack.remarks, placed=False)
            return pack
        for problem in pack:
            hint = f" ({problem.hint})" if problem.hint else ""
            reason = _IN_RULE.sub(lambda found: str(rules[int(found[1])]["id"]), problem.reason)
            echo(f"error: {reason}{hint}", err=True)
            echo(f"    {problem.text.strip()}", err=True)
        return None

    def _begin(self, rule: dict[str, Any]) -> Query:
        self._take_selected()
        self._rules.append(rule)
        return self

    @property
    def _rule(self) -> dict[str, Any]:
        self._take_selected()
        if not self._rules:
            raise ValueError("match or select comes first")
        return self._rules[-1]

    def _take_selected(self) -> None:
        """Begin rules for what Bowler's own selectors were told."""
        for transform in self.transforms[self._selected :]:
            pattern = SELECTORS[transform.selector].format(**transform.kwargs)
            self._rules.append({"query": pattern})
        self._selected = len(self.transforms)
