"""The laws that hold for any rule on any file, and what breaks them.

tree       the result's tree is the original's but for the intended change, nested matches included
compiles   what Python compiled before is compiled after
subsets    the file parses with any choice of the applications
comments   every comment is still there, or named in a warning of an application
again      a second run proposes nothing
rejected   with nothing accepted the file is what it was, and bytes outside of the edits stay
found      what the pattern fits is rewritten, or reported
"""

from __future__ import annotations

import ast
import io
import itertools
import random
import tokenize
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from law_rules import LawRule, pack
from oracle import Change, Impossible, Lines, Original, difference
from rewriting import File, Outcomes

from pinsetter.patterns.edits.edit import replacements
from pinsetter.patterns.packs.pack import Rule

LAWS = ("crash", "tree", "compiles", "subsets", "comments", "again", "rejected", "found")
SUBSETS = 2
# So many applications are looked at one by one where all together are wrong.
CLOSELY = 12


@dataclass(frozen=True)
class Broken:
    """A law that does not hold: ``code`` is a statement of the file, ``result`` what became of it,
    ``wanted`` what should have."""

    law: str
    rule: str
    path: str
    line: int
    code: str
    result: str
    wanted: str


@dataclass
class Tried:
    """Figures of one rule on one file, or of many put together."""

    files: int = 0
    matches: int = 0
    captures: int = 0
    declined: int = 0
    unclear: int = 0
    broken: list[Broken] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tried) -> None:
        self.files += other.files
        self.matches += other.matches
        self.captures += other.captures
        self.declined += other.declined
        self.unclear += other.unclear
        self.broken += other.broken
        self.said += other.said


def is_compiled(code: str | bytes) -> bool:
    """Whether this Python compiles it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(code, "main.py", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def is_parsed(code: str) -> bool:
    return tree_of(code) is not None


def tree_of(code: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(code.removeprefix("\ufeff"))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def comments(code: str) -> Counter[str]:
    """The comments of a text and how often each is there."""
    reader = io.StringIO(code.removeprefix("\ufeff"), newline=None).readline
    tokens = tokenize.generate_tokens(reader)
    return Counter(t.string.strip() for t in tokens if t.type == tokenize.COMMENT)


class Given:
    """A file of the corpus, with what all rules need of it."""

    def __init__(self, file: File, tree: ast.Module) -> None:
        self.file = file
        self.original = Original(file.text, tree)
        self.comments = comments(file.text)


def opened(code: str | bytes) -> Given | None:
    """A file for the laws; None for one that Python does not compile, or whose text does not begin
    where its tree does."""
    if not is_compiled(code):
        return None
    try:
        file = File(pack(), code)
    except ValueError:
        return None
    tree = tree_of(file.text)
    return None if tree is None or file.text.startswith("\ufeff") else Given(file, tree)


def tried(given: Given, rule: LawRule, path: str, seed: int = 0) -> Tried:
    """All laws of one rule on one file."""
    found = Tried(files=1)
    whole = given.file.pack.rule(rule.id)
    assert whole is not None
    try:
        _Trial(given, rule, whole, path, found, random.Random(seed)).run()
    except RecursionError:
        found.unclear += 1
    except Exception:
        text = traceback.format_exc(limit=-6)
        found.broken.append(Broken("crash", rule.id, path, 1, "", text, "no exception"))
    return found


class _Trial:
    def __init__(
        self, given: Given, rule: LawRule, whole: Rule, path: str, found: Tried,
        chance: random.Random,
    ) -> None:  # fmt: skip
        self.given, self.file = given, given.file
        self.rule, self.whole, self.path = rule, whole, path
        self.found, self.chance = found, chance

    def run(self) -> None:
        outcomes = self.file.outcomes(self.whole)
        change = Change(self.rule, self.given.original)
        self.found.matches += len(outcomes.applied)
        self.found.captures += sum(len(a.application.rule.pattern.names) for a in outcomes.applied)
        self.found.declined += len(outcomes.reports)
        self.found.said.update(report.text.partition(":")[0] for report, _ in outcomes.reports)
        self.recall(outcomes, change)
        if not outcomes.applied:
            return
        together = outcomes.together()
        result = outcomes.text(together)
        self.rejected(outcomes, together, result)
        made = tree_of(result)
        if made is None or not is_compiled(result):
            self.alone(outcomes, together, change, "compiles")
        elif change.is_of_expressions:
            self.tree(outcomes, together, change, made)
        else:
            self.statements(outcomes, together, made)
        if made is not None:
            self.comments(outcomes, together, result)
            if self.rule.ends:
                self.again(result)
        self.subsets(outcomes)

    def broken(self, law: str, line: int, code: str, result: str, wanted: str = "") -> None:
        self.found.broken.append(Broken(law, self.rule.id, self.path, line, code, result, wanted))

    def recall(self, outcomes: Outcomes, change: Change) -> None:
        """What the pattern fits and is neither rewritten nor reported."""
        seen = {a.span for a in outcomes.applied} | {span for _, span in outcomes.reports}
        lines = self.given.original.lines
        for span, key in change.spans.items():
            if span in seen or self.is_flat(change, key):
                continue
            code = self.file.text[slice(*span)]
            kind = "decorator" if key in self.given.original.decorators else "no match"
            if "argument" in self.rule.edit:
                continue
            self.broken("found", lines.line(span[0]), code, kind, "rewritten or reported")

    def is_flat(self, change: Change, key: int) -> bool:
        """Whether an operation is part of a longer one, as ``a + b`` in ``a + b + c``, of which the
        tool's patterns take all or nothing."""
        return isinstance(change.nodes[key][0], ast.BinOp | ast.BoolOp)

    def rejected(self, outcomes: Outcomes, together: Sequence[int], result: str) -> None:
        text = self.file.text
        if outcomes.text([]) != text:
            self.broken("rejected", 1, "", outcomes.text([])[:200], "the file as it was")
        edits = [e for n in together for e in outcomes.applied[n].application.edits]
        at, behind = 0, 0
        if outcomes.applied[0].application.imports:
            return
        for start, end, new in replacements(text, edits):
            gap = text[at:start]
            if result[behind : behind + len(gap) + len(new)] != gap + new:
                self.broken("rejected", 1, gap[-80:], result[behind : behind + 80], "bytes stay")
                return
            at, behind = end, behind + len(gap) + len(new)
        if result[behind:] != text[at:]:
            self.broken("rejected", 1, text[at:][:80], result[behind:][:80], "bytes stay")

    def expected(
        self, outcomes: Outcomes, numbers: Sequence[int], change: Change
    ) -> ast.Module | str:
        """The tree that the applications should give, or why there is none."""
        chosen, unknown = change.chosen([outcomes.applied[n].span for n in numbers])
        if unknown:
            code = self.file.text[slice(*unknown[0])]
            return f"left alone: the pattern does not fit {code!r}"
        if "argument" in self.rule.edit:
            given = {
                key for key in chosen
                if any(k.arg == self.rule.edit["argument"] for k in _keywords(change, key))
            }  # fmt: skip
            if given != chosen:
                return "unclear"
        try:
            return change.made(chosen)
        except Impossible as reason:
            return f"declined: {reason}"

    def tree(
        self, outcomes: Outcomes, together: Sequence[int], change: Change, made: ast.Module
    ) -> None:
        wanted = self.expected(outcomes, together, change)
        if wanted == "unclear":
            self.found.unclear += 1
        elif isinstance(wanted, str) or difference(wanted, made) is not None:
            self.alone(outcomes, together, change, "tree")

    def alone(self, outcomes: Outcomes, together: Sequence[int], change: Change, law: str) -> None:
        """Which single applications are wrong, or which statement is, if none is alone."""
        lines = self.given.original.lines
        some = False
        for number in together[:CLOSELY]:
            result = outcomes.text([number])
            wanted = self.expected(outcomes, [number], change) if change.is_of_expressions else ""
            made = tree_of(result) if is_compiled(result) else None
            if isinstance(wanted, str) and made is not None and wanted in ("", "unclear"):
                continue
            if made is not None and not isinstance(wanted, str):
                pair = difference(wanted, made)
                if pair is None:
                    continue
                shown = _unparsed(pair[0])
            else:
                shown = (
                    wanted if isinstance(wanted, str) else self.wanted_at(change, outcomes, number)
                )
            some = True
            start, end = outcomes.applied[number].span
            self.broken(
                "compiles" if made is None else "tree", lines.line(start),
                self.statement(start, end), self.after(outcomes, [number], start, end), shown,
            )  # fmt: skip
        if not some:
            result = outcomes.text(together)
            made = tree_of(result)
            wanted = self.expected(outcomes, together, change) if change.is_of_expressions else ""
            if made is None or isinstance(wanted, str):
                start, end = outcomes.applied[together[0]].span
                self.broken(law, 1, "", "several together do not parse", str(wanted))
                return
            pair = difference(wanted, made)
            if pair is None:
                self.broken("compiles", 1, "several together", "what is parsed is not compiled")
                return
            line = getattr(pair[0], "lineno", 1)
            self.broken(law, line, "several together", _unparsed(pair[1]), _unparsed(pair[0]))

    def wanted_at(self, change: Change, outcomes: Outcomes, number: int) -> str:
        """The statement that an application should give."""
        chosen, _ = change.chosen([outcomes.applied[number].span])
        parents = self.given.original.parents
        for key in chosen:
            node: ast.AST = change.nodes[key][0]
            while not isinstance(node, ast.stmt):
                node = parents[id(node)]
            if hasattr(node, "body"):
                node = change.nodes[key][0]
            try:
                copied = ast.walk(change.made(chosen))
            except Impossible as reason:
                return f"declined: {reason}"
            same = [n for n in copied if isinstance(n, type(node)) and _place(n) == _place(node)]
            return _unparsed(same[0]) if same else ""
        return ""

    def statement(self, start: int, end: int) -> str:
        """The lines around a span."""
        text = self.file.text
        begin = text.rfind("\n", 0, start) + 1
        stop = text.find("\n", end)
        return text[begin : stop if stop >= 0 else len(text)]

    def after(self, outcomes: Outcomes, numbers: Sequence[int], start: int, end: int) -> str:
        """What became of the lines around a span."""
        text, result = self.file.text, outcomes.text(numbers)
        begin = text.rfind("\n", 0, start) + 1
        stop = text.find("\n", end)
        rest = len(text) - stop if stop >= 0 else 0
        return result[begin : len(result) - rest]

    def statements(self, outcomes: Outcomes, together: Sequence[int], made: ast.Module) -> None:
        """Without what guards and insertions put in, the tree is the original's."""
        marks = _Unmarked()
        bare = marks.visit(made)
        pair = difference(self.given.original.tree, bare)
        if pair is not None:
            line = getattr(pair[0], "lineno", 1)
            self.broken("tree", line, _unparsed(pair[0]), _unparsed(pair[1]), "no other change")
        elif marks.count != len(together):
            self.broken("tree", 1, "", f"{marks.count} marks for {len(together)} matches")

    def comments(self, outcomes: Outcomes, together: Sequence[int], result: str) -> None:
        said = "\n".join(outcomes.warnings(together))
        gone = self.given.comments - comments(result)
        for comment in gone:
            if comment.lstrip("# ").strip() in said and comment.lstrip("# "):
                continue
            line = next(
                (n for n, text in enumerate(self.file.text.splitlines(), 1) if comment in text), 1
            )
            within = [
                n for n in together
                if comment in self.file.text[slice(*outcomes.applied[n].span)]
            ]  # fmt: skip
            code = result_of = ""
            if within:
                start, end = outcomes.applied[within[-1]].span
                code = self.statement(start, end)
                result_of = self.after(outcomes, within[-1:], start, end)
            self.broken("comments", line, code or comment, result_of, f"{comment} kept or named")

    def again(self, result: str) -> None:
        file = File(self.file.pack, result)
        outcomes = file.outcomes(self.whole)
        lines = Lines(result)
        for one in outcomes.applied[:3]:
            code = result[slice(*one.span)]
            self.broken("again", lines.line(one.span[0]), code, "rewritten by a second run")

    def subsets(self, outcomes: Outcomes) -> None:
        """Some choices of applications, with those that contradict others in their turn."""
        count = len(outcomes.applied)
        if count < 2:
            return
        for _ in range(SUBSETS):
            order = [n for n in range(count) if self.chance.random() < 0.5]
            self.chance.shuffle(order)
            chosen: list[int] = []
            for n in order:
                against = outcomes.applied[n].against
                if not against & set(chosen) and not any(
                    n in outcomes.applied[other].against for other in chosen
                ):
                    chosen.append(n)
            result = outcomes.text(chosen)
            if not is_parsed(result) and all(is_parsed(outcomes.text([n])) for n in chosen):
                for pair in itertools.combinations(chosen, 2):
                    if not is_parsed(outcomes.text(pair)):
                        start, end = (
                            min(outcomes.applied[n].span[0] for n in pair),
                            max(outcomes.applied[n].span[1] for n in pair),
                        )
                        code = self.statement(start, end)
                        after = self.after(outcomes, pair, start, end)
                        self.broken("subsets", 1, code[:400], after[:400], "parses")
                        return
                self.broken("subsets", 1, "", "a choice does not parse", "parses")
                return


def _keywords(change: Change, key: int) -> list[ast.keyword]:
    node = change.nodes[key][0]
    return node.keywords if isinstance(node, ast.Call) else []


def _place(node: ast.AST) -> tuple[int | None, int | None]:
    return getattr(node, "lineno", None), getattr(node, "col_offset", None)


def _unparsed(node: ast.AST) -> str:
    try:
        text = ast.unparse(ast.fix_missing_locations(node))
    except Exception:  # a tree that no code gives
        text = ast.dump(node)
    return text if len(text) < 400 else text[:400] + " …"


class _Unmarked(ast.NodeTransformer):
    """Takes out what the rules that guard and insert put in."""

    def __init__(self) -> None:
        self.count = 0

    def generic_visit(self, node: ast.AST) -> ast.AST:
        node = super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                setattr(node, name, list(self._kept(block)))
        return node

    def _kept(self, block: list[ast.stmt]) -> Iterator[ast.stmt]:
        at = 0
        while at < len(block):
            one = block[at]
            at += 1
            if self._is_mark(one):
                self.count += 1
            elif isinstance(one, ast.If) and _calls(one.test, "first") and not one.orelse:
                self.count += len(one.body)
                yield from one.body
            elif self._is_kept_result(block[at - 1 :]):
                returned = block[at - 1]
                assert isinstance(returned, ast.Assign)
                while not isinstance(block[at], ast.Return):
                    self.count += 1
                    at += 1
                at += 1
                yield ast.Return(returned.value)
            else:
                yield one

    def _is_mark(self, node: ast.stmt) -> bool:
        return isinstance(node, ast.Expr) and (
            _calls(node.value, "begin_mark") or _calls(node.value, "end_mark")
        )

    def _is_kept_result(self, block: list[ast.stmt]) -> bool:
        one = block[0]
        if not isinstance(one, ast.Assign) or not isinstance(one.targets[0], ast.Name):
            return False
        rest = list(itertools.dropwhile(self._is_mark, block[1:]))
        return (
            len(rest) < len(block) - 1 and bool(rest) and isinstance(rest[0], ast.Return)
            and isinstance(rest[0].value, ast.Name) and rest[0].value.id == one.targets[0].id
        )  # fmt: skip

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        test = node.test
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and not node.orelse:
            *before, last = test.values
            if _calls(last, "first"):
                self.count += len(node.body)
                node.test = before[0] if len(before) == 1 else ast.BoolOp(ast.And(), before)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if _calls(node.test, "first") and isinstance(node.orelse, ast.Constant):
            self.count += 1
            return node.body
        return node


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
