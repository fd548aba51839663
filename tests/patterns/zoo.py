"""The expression zoo: every rule of the bundled packs, with anything in the place of its captures.

Rewriting commutes with putting an expression in: what a rule makes of an example with a
placeholder, with the expression's tree put in the placeholder's place, is the tree of what it makes
of the example with the expression. A rule's conditions may take one expression and not another, or
choose other edits for it; so several kinds of placeholder are tried, and one that the rule treats
alike has to agree.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from oracle import Span, built, equal
from rewriting import File
from rule_laws import comments, is_compiled, tree_of

from pinsetter.analyzer.syntax.tree import arguments_of
from pinsetter.patterns.packs.pack import Example, Pack, Rule

# By kind, what stands in the place of a capture; `X` is the capture's own code.
ZOO = {
    "name": "zoo_a", "attribute": "zoo_a.b", "call": "zoo_f()", "chained-call": "zoo_f(1).g(k=2)",
    "number": "3", "negative": "-3", "float": "2.5", "complex": "3j", "hexadecimal": "0x1F",
    "string": "'zoo'", "concatenation": "'zoo' 'logical'", "raw": "r'zoo\\d'", "bytes": "b'zoo'",
    "string-with-comment": "('zoo'  # first\n    'logical')", "lines-of-strings": "'zoo'\n    'b'",
    "triple-quoted": "'''zoo\nlogical'''", "f-string": "f'{zoo_a}: {zoo_b!r:>{zoo_c}}'",
    "tuple": "zoo_a, zoo_b", "tuple-in-parentheses": "(zoo_a, zoo_b)", "tuple-of-one": "zoo_a,",
    "empty-tuple": "()", "list": "[zoo_a, zoo_b]", "empty-list": "[]", "set": "{zoo_a, zoo_b}",
    "dict": "{zoo_a: zoo_b, **zoo_c}", "empty-dict": "{}", "starred-display": "[*zoo_a, zoo_b]",
    "list-comprehension": "[i for i in zoo_a if i]", "set-comprehension": "{i for i in zoo_a}",
    "dict-comprehension": "{i: j for i, j in zoo_a}", "generator": "(i for i in zoo_a)",
    "bare-generator": "i for i in zoo_a", "lambda": "lambda i: i + zoo_a",
    "lambda-without-arguments": "lambda: zoo_a", "conditional": "zoo_a if zoo_b else zoo_c",
    "or": "zoo_a or None", "or-dict": "zoo_a or {}", "and": "zoo_a and zoo_b", "not": "not zoo_a",
    "comparison": "zoo_a == zoo_b", "less": "zoo_a < 3", "chained-comparison": "0 < zoo_a <= zoo_b",
    "in": "zoo_a in zoo_b", "not-in": "zoo_a not in zoo_b", "is": "zoo_a is None",
    "is-not": "zoo_a is not None", "add": "zoo_a + zoo_b", "subtract": "zoo_a - zoo_b",
    "multiply": "zoo_a * 2", "divide": "zoo_a / zoo_b", "floor": "zoo_a // zoo_b",
    "modulo": "zoo_a % zoo_b", "matrix": "zoo_a @ zoo_b", "left-shift": "zoo_a << zoo_b",
    "right-shift": "zoo_a >> zoo_b", "bits-or": "zoo_a | zoo_b", "bits-xor": "zoo_a ^ zoo_b",
    "bits-and": "zoo_a & zoo_b", "minus": "-zoo_a", "plus": "+zoo_a", "invert": "~zoo_a",
    "power": "zoo_a ** zoo_b", "power-of-negative": "-zoo_a ** -zoo_b", "await": "await zoo_a()",
    "yield": "(yield zoo_a)", "empty-yield": "(yield)", "yield-from": "(yield from zoo_a)",
    "walrus": "(zoo_w := zoo_a)", "subscript": "zoo_a[0]", "slice": "zoo_a[1:zoo_b]",
    "slice-of-several": "zoo_a[1:2, ::3, ...]", "subscript-of-call": "zoo_f()[zoo_a]",
    "call-over-lines": "zoo_f(\n    zoo_a,\n    zoo_b\n)",
    "call-with-comments": "zoo_f(  # first\n    zoo_a,  # second\n    # third\n)",
    "trailing-comma": "zoo_f(zoo_a, zoo_g(zoo_b,), [1, 2,],)",
    "nested-brackets": "zoo_f([{zoo_a: (1, [2])}], *zoo_b, **zoo_c)",
    "continuation": "zoo_a + \\\n    zoo_b", "chain-over-lines": "(zoo_f()\n    .g()\n    .h())",
    "operator-over-lines": "(zoo_a  # first\n    + zoo_b)", "ellipsis": "...", "none": "None",
    "true": "True", "in-parentheses": "(zoo_a)", "in-two-parentheses": "((zoo_a + zoo_b))",
    "starred": "*zoo_a", "call-of-generator": "sum(i for i in zoo_a)", "set-in-call": "zoo_f({1})",
    "as-number": "int(zoo_a)", "as-list": "list(zoo_a)", "as-dict": "dict(zoo_a)",
    "own-in-parentheses": "(X)", "own-or-own": "X or X", "own-conditional": "X if zoo_a else X",
    "own-with-comment": "(X  # first\n)", "own-on-a-line": "(\n    # first\n    X\n)",
    "own-walrus": "(zoo_w := X)", "own-in-list": "[X][0]",
    "own-continued": "(X if zoo_a\n  else X)",
}  # fmt: skip
# What an expression is compared with; each may be taken otherwise by a rule's conditions.
PLACEHOLDERS = (
    "zoo_placeholder", "zoo_placeholder()", "zoo_placeholder.b", "8765.25", "-8765", "'zoo 8765'",
    "[zoo_placeholder]", "{'zoo': zoo_placeholder}", "(zoo_placeholder, 8765)",
    "(zoo_placeholder if zoo_b else 8765)", "(zoo_placeholder or None)", "zoo_placeholder + 8765",
    "(lambda: zoo_placeholder)", "(lambda i: zoo_placeholder)", "(yield zoo_placeholder)",
    "(X if zoo_placeholder else X)", "(zoo_placeholder := X)", "[X, zoo_placeholder][0]",
    "(zoo_placeholder for i in zoo_placeholder)", "[zoo_placeholder for i in i]",
)  # fmt: skip
_MARK = "one__zoo"
_OTHER = "zoo_placeholder_"


@dataclass(frozen=True)
class Wrong:
    """What does not hold: ``code`` is the example with the expression, ``result`` what it became,
    ``wanted`` the nearest of what it should have."""

    law: str
    rule: str
    kind: str
    code: str
    result: str
    wanted: str


@dataclass
class Shown:
    """Figures of one rule, or of many put together."""

    spots: int = 0
    tried: int = 0
    applied: int = 0
    alone: int = 0
    wrong: list[Wrong] = field(default_factory=list)

    def add(self, other: Shown) -> None:
        self.spots += other.spots
        self.tried += other.tried
        self.applied += other.applied
        self.alone += other.alone
        self.wrong += other.wrong


@dataclass(frozen=True)
class Rewritten:
    """What a rule made of some code: nothing, if it has no ``edits``."""

    code: str
    result: str
    edits: int
    said: str

    @cached_property
    def tree(self) -> ast.Module | None:
        return tree_of(self.result)


@dataclass(frozen=True, eq=False)
class Spot:
    """A capture in an example of a rule."""

    pack: Pack
    rule: Rule
    example: Example
    span: Span

    @property
    def own(self) -> str:
        return self.example.before[slice(*self.span)]

    def code(self, text: str) -> str:
        start, end = self.span
        return self.example.before[:start] + text + self.example.before[end:]

    @cached_property
    def marked(self) -> ast.Module | None:
        return tree_of(self.code(_MARK))

    @property
    def is_expression(self) -> bool:
        """Whether the capture is one, not a part of a chain such as ``.train``."""
        tree = self.marked
        return tree is not None and any(
            isinstance(node, ast.Name) and node.id == _MARK for node in ast.walk(tree)
        )

    def placed(self, text: str) -> tuple[str, ast.expr] | None:
        """The example with an expression in the spot, in parentheses only if it needs them there,
        and the expression's tree; None where it cannot stand."""
        node = expression(text)
        if node is None or self.marked is None:
            return None
        for written in (text, f"({text})"):
            code = self.code(written)
            tree = tree_of(code)
            if tree is not None and equal(tree, _filled(self.marked, node)):
                return (code, node) if _is_starred_rightly(code) else None
        return None

    def rewritten(self, code: str) -> Rewritten:
        """What the rule makes of some code."""
        outcomes = File(self.pack, code).outcomes(self.rule)
        together = outcomes.together()
        result = outcomes.text(together)
        return Rewritten(code, result, len(together), "\n".join(outcomes.warnings(together)))

    def compared(self, kind: str) -> Iterator[tuple[ast.expr, Rewritten]]:
        """The placeholders that the rule takes, with what it makes of them; the last are the kind
        itself, of other names, in parentheses and as it is."""
        same = ZOO[kind].replace("zoo_", _OTHER)
        own = (same,) if same.startswith("*") else (f"({same}\n)", same)
        for text in (*PLACEHOLDERS, *own):
            if text not in self._compared:
                placed = self.placed(text.replace("X", self.own))
                made = None
                if placed is not None and (text not in PLACEHOLDERS or self.is_alone(placed[1])):
                    made = self.rewritten(placed[0])
                kept = made is not None and made.edits and made.tree is not None
                self._compared[text] = (placed[1], made) if kept and placed and made else None
            found = self._compared[text]
            if found is not None:
                yield found

    @cached_property
    def _compared(self) -> dict[str, tuple[ast.expr, Rewritten] | None]:
        return {}

    def is_alone(self, node: ast.expr) -> bool:
        """Whether a placeholder's tree is nowhere else in the example."""
        tree = self.marked
        return tree is not None and not any(
            equal(other, node) for other in ast.walk(tree) if type(other) is type(node)
        )

    def show(self, kind: str, again: bool = True) -> Shown:
        """One kind of the zoo in this spot."""
        shown = Shown()
        placed = self.placed(ZOO[kind].replace("X", self.own))
        if placed is None:
            return shown
        shown.tried += 1
        code, node = placed
        try:
            made = self.rewritten(code)
        except Exception as error:
            shown.wrong.append(self.wrong("crash", kind, code, repr(error), "no exception"))
            return shown
        if not made.edits:
            return shown
        shown.applied += 1
        shown.wrong += self.checked(kind, node, made, shown)
        if not shown.wrong and again:
            second = self.rewritten(made.result)
            if second.edits:
                shown.wrong.append(self.wrong("again", kind, code, second.result, made.result))
        return shown

    def wrong(self, law: str, kind: str, code: str, result: str, wanted: str) -> Wrong:
        name = f"{self.pack.name}/{self.rule.id}"
        return Wrong(law, name, kind, code, result, wanted)

    def checked(self, kind: str, node: ast.expr, made: Rewritten, shown: Shown) -> Iterator[Wrong]:
        if made.tree is None or (is_compiled(made.code) and not is_compiled(made.result)):
            yield self.wrong("compiles", kind, made.code, made.result, "")
            return
        for comment in comments(made.code) - comments(made.result):
            if comment.lstrip("# ") not in made.said:
                yield self.wrong("comments", kind, made.code, made.result, f"{comment} named")
        first: ast.AST | None = None
        for mark, other in self.compared(kind):
            if other.edits != made.edits:
                continue  # the rule takes one and not the other here
            wanted = _replaced(other.tree, mark, node)
            if equal(wanted, made.tree) or equal(_renamed(other.tree), made.tree):
                return
            first = first or wanted
        if first is None:
            shown.alone += 1
        else:
            nearest = ast.unparse(ast.fix_missing_locations(first))
            yield self.wrong("tree", kind, made.code, made.result, nearest)


def expression(text: str) -> ast.expr | None:
    """The tree of an expression, or of a starred argument or a generator without parentheses."""
    for form in ("({}\n)", "f({}\n)"):
        try:
            node = ast.parse(form.format(textwrap.dedent(text)), mode="eval").body
        except SyntaxError:
            continue
        if form.startswith("("):
            return node
        assert isinstance(node, ast.Call)
        return node.args[0] if len(node.args) == 1 else None
    return None


def _filled(tree: ast.Module, node: ast.expr) -> ast.AST:
    return built(tree, {"zoo": node})


def _replaced(tree: ast.Module | None, mark: ast.expr, node: ast.expr) -> ast.AST:
    class Replacing(ast.NodeTransformer):
        def visit(self, one: ast.AST) -> ast.AST:
            if type(one) is type(mark) and equal(one, mark):
                return node
            if isinstance(one, ast.Constant) and one.value == getattr(mark, "id", one):
                # In a string of a template a capture stands for what it is called.
                return ast.Constant(node.id) if isinstance(node, ast.Name) else one
            return self.generic_visit(one)

    assert tree is not None
    copied = tree_of(ast.unparse(tree))
    assert copied is not None
    return Replacing().visit(copied)


def _renamed(tree: ast.Module | None) -> ast.AST:
    """With the names of the kind that stood for another of it: a rule may have taken it apart."""

    class Renaming(ast.NodeTransformer):
        def visit_Name(self, one: ast.Name) -> ast.AST:
            return ast.Name(one.id.replace(_OTHER, "zoo_"), one.ctx)

        def visit_arg(self, one: ast.arg) -> ast.AST:
            return ast.arg(one.arg.replace(_OTHER, "zoo_"), one.annotation)

    assert tree is not None
    return Renaming().visit(tree_of(ast.unparse(tree)))


def spots(pack: Pack, rule: Rule) -> list[Spot]:
    """The captures of a rule in its examples that are rewritten."""
    found = []
    for example in rule.examples:
        if example.after is None:
            continue
        file = File(pack, example.before)
        spans: set[Span] = set()
        for match in file.matches(rule):
            for name, code in match.captures.items():
                if name != "match" and name not in rule.pattern.means and code:
                    spans.update(_spans(file, code))
        found += [
            Spot(pack, rule, example, span)
            for span in sorted(spans)
            if span[0] < span[1]
        ]  # fmt: skip
    return [spot for spot in found if spot.is_expression]


def _spans(file: File, code: Sequence[object]) -> Iterator[Span]:
    """Where a capture stands, or of a run of arguments each one's value."""
    tree = file.module.tree
    try:
        given = list(arguments_of(list(code)))  # type: ignore[call-overload]
    except (AttributeError, IndexError):
        given = []
    if len(given) > 1 or any(argument.name or argument.star for argument in given):
        for argument in given:
            yield tree.span((argument.value,))
    else:
        yield tree.span(tuple(code))  # type: ignore[arg-type]


def _is_starred_rightly(code: str) -> bool:
    """Whether CPython's compiler takes what its parser takes: `with x as *y` is no Python."""
    try:
        compile(code, "example", "exec")
    except SyntaxError as error:
        return "starred" not in str(error)
    return True
