"""Hypothesis strategies: programs in which a rule's pattern occurs anywhere and its metavariables
stand for anything, laid out as no formatter would."""

from __future__ import annotations

import ast
import io
import keyword
import random
import tokenize
from collections.abc import Callable, Sequence

from hypothesis import strategies as st
from law_rules import LawRule
from oracle import Bound, Impossible, built, called, equal, parsed

Expressions = st.SearchStrategy[ast.expr]
_LOAD, _STORE = ast.Load(), ast.Store()
_NAMES = ("a", "b", "c")
_OPERATORS = (
    ast.Add, ast.Sub, ast.Mult, ast.MatMult, ast.Div, ast.Mod, ast.LShift, ast.BitOr, ast.BitXor,
    ast.BitAnd, ast.FloorDiv, ast.Pow,
)  # fmt: skip
_COMPARED = (ast.Eq, ast.Lt, ast.Is, ast.IsNot, ast.In, ast.NotIn)
_UNARY = (ast.Not, ast.USub, ast.Invert, ast.UAdd)
_ATOMS = (
    "a", "b", "c", "a.b", "1", "2.5", "3j", "-1", "'s'", "b'b'", "None", "...", "()", "[]", "{}",
    "f'{a}'", "f'{a!r:>{b}}'", "'s' 't'",
)  # fmt: skip


def _name(text: str) -> ast.Name:
    return ast.Name(text, _LOAD)


def _atoms() -> Expressions:
    return st.sampled_from(_ATOMS).map(lambda code: ast.parse(code, mode="eval").body)


def _some(inner: Expressions, least: int = 0) -> st.SearchStrategy[list[ast.expr]]:
    return st.lists(inner, min_size=least, max_size=3)


def _argument(inner: Expressions) -> st.SearchStrategy[ast.AST]:
    return st.one_of(
        inner,
        inner,
        st.builds(lambda e: ast.Starred(e, _LOAD), inner),
        st.builds(lambda n, e: ast.keyword(n, e), st.sampled_from(["k", "end", "file"]), inner),
        st.builds(lambda e: ast.keyword(None, e), inner),
    )


def _run(inner: Expressions) -> st.SearchStrategy[list[ast.AST]]:
    """Arguments in an order that Python takes."""

    def ordered(items: list[ast.AST]) -> list[ast.AST]:
        names: set[str | None] = set()
        positional = [i for i in items if not isinstance(i, ast.keyword)]
        keywords = []
        for item in items:
            if isinstance(item, ast.keyword) and (item.arg is None or item.arg not in names):
                names.add(item.arg)
                keywords.append(item)
        return [*positional, *keywords]

    return st.lists(_argument(inner), max_size=3).map(ordered)


def _items(inner: Expressions, least: int = 0) -> st.SearchStrategy[list[ast.expr]]:
    starred = st.builds(lambda e: ast.Starred(e, _LOAD), inner)
    return st.lists(st.one_of(inner, inner, starred), min_size=least, max_size=3)


def _comprehended(inner: Expressions) -> st.SearchStrategy[ast.comprehension]:
    return st.builds(
        lambda e, tests: ast.comprehension(ast.Name("i", _STORE), e, tests, 0),
        inner, st.lists(inner, max_size=1),
    )  # fmt: skip


def _generator(inner: Expressions) -> Expressions:
    return st.builds(lambda e, c: ast.GeneratorExp(e, [c]), inner, _comprehended(inner))


def _arguments(names: Sequence[str] = ()) -> ast.arguments:
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


def _compound(inner: Expressions) -> Expressions:
    slices = st.builds(lambda a, b: ast.Slice(a, b, None), st.none() | inner, st.none() | inner)
    return st.one_of(
        st.builds(lambda a, o, b: ast.BinOp(a, o(), b), inner, st.sampled_from(_OPERATORS), inner),
        st.builds(lambda a, o, b: ast.BoolOp(o(), [a, b]), inner,
                  st.sampled_from([ast.And, ast.Or]), inner),
        st.builds(lambda o, a: ast.UnaryOp(o(), a), st.sampled_from(_UNARY), inner),
        st.builds(lambda a, o, b: ast.Compare(a, [x() for x in o], b[: len(o)]), inner,
                  st.lists(st.sampled_from(_COMPARED), min_size=1, max_size=2),
                  st.lists(inner, min_size=2, max_size=2)),
        st.builds(lambda a, b, c: ast.IfExp(a, b, c), inner, inner, inner),
        st.builds(lambda names, a: ast.Lambda(_arguments(names), a),
                  st.sampled_from([(), ("i",)]), inner),
        st.builds(lambda f, run: called(f, run), inner, _run(inner)),
        st.builds(lambda f, g: ast.Call(f, [g], []), inner, _generator(inner)),
        st.builds(lambda a: ast.Attribute(a, "d", _LOAD), inner),
        st.builds(lambda a, i: ast.Subscript(a, i, _LOAD), inner, inner | slices),
        st.builds(lambda a, i: ast.Subscript(a, ast.Tuple(i, _LOAD), _LOAD), inner,
                  st.lists(inner | slices, min_size=1, max_size=2)),
        st.builds(lambda i: ast.Tuple(i, _LOAD), _items(inner)),
        st.builds(lambda i: ast.List(i, _LOAD), _items(inner)),
        st.builds(lambda i: ast.Set(i), _items(inner, 1)),
        st.builds(lambda k, v: ast.Dict([k, None], [v, v]), inner, inner),
        st.builds(lambda e, c: ast.ListComp(e, [c]), inner, _comprehended(inner)),
        st.builds(lambda e, c: ast.DictComp(e, e, [c]), inner, _comprehended(inner)),
        _generator(inner),
        st.builds(lambda a: ast.Await(a), inner),
        st.builds(lambda a: ast.Yield(a), st.none() | inner),
        st.builds(lambda a: ast.NamedExpr(ast.Name("n", _STORE), a), inner),
    )  # fmt: skip


def _matched(rule: LawRule, inner: Expressions) -> Expressions:
    """The rule's pattern with anything in the place of its metavariables."""
    pattern = parsed(rule.match)
    used = [node.id for node in ast.walk(pattern) if isinstance(node, ast.Name)]
    ones = sorted({name[5:] for name in used if name.startswith("one__")})
    runs = sorted({name[6:] for name in used if name.startswith("many__")})

    def filled(found: list[ast.expr], spread: list[list[ast.AST]]) -> ast.expr | None:
        bound: dict[str, Bound] = dict(zip(ones, found, strict=True))
        bound.update(zip(runs, spread, strict=True))
        try:
            return built(pattern, bound)
        except Impossible:
            return None

    made = st.builds(
        filled, st.tuples(*[inner for _ in ones]).map(list),
        st.tuples(*[_run(inner) for _ in runs]).map(list),
    )  # fmt: skip
    return made.filter(lambda node: node is not None)


_STATEMENTS = (
    "{0}", "x = {0}", "x = y = {0}", "x += {0}", "x: {0} = {1}", "x[{0}] = {1}", "del x[{0}]",
    "({0}).d = {1}", "assert {0}, {1}", "if {0}:\n    pass\nelif {1}:\n    pass",
    "while {0}: break", "for i in {0}: pass", "async with {0} as y, {1}: pass",
    "raise {0} from {1}", "def g(p={0}): pass", "class C({0}): pass", "@{0}\ndef g(): pass",
    "match {0}:\n    case 1 if {1}: pass", "return", "x = {0}; y = {1}", "global_call({0}, {1})",
    "try: pass\nexcept {0}: pass", "x = {0},", "x = *{0}, {1}", "print(f\"{{{0}}}\")",
)  # fmt: skip


def programs(rule: LawRule, most: int = 10) -> st.SearchStrategy[str]:
    """Programs, most of which Python compiles, with at least one match of the rule's pattern."""
    inner = st.recursive(
        _atoms(), lambda e: st.one_of(_compound(e), _matched(rule, e)), max_leaves=most
    )
    hit = st.one_of(_matched(rule, inner), st.builds(_replacing_name, inner, _matched(rule, inner)))
    return st.builds(_laid_out, st.sampled_from(_STATEMENTS), hit, inner,
                     st.randoms(use_true_random=False))  # fmt: skip


def _replacing_name(outer: ast.expr, inner: ast.expr) -> ast.expr:
    """``outer`` with ``inner`` in the place of its first name."""

    class Replacing(ast.NodeTransformer):
        done = False

        def visit_Name(self, node: ast.Name) -> ast.AST:
            if self.done or not isinstance(node.ctx, ast.Load):
                return node
            self.done = True
            return inner

    made = Replacing().visit(ast.parse(_text(outer), mode="eval").body)
    assert isinstance(made, ast.expr)
    return made


def _text(node: ast.expr) -> str:
    return ast.unparse(ast.fix_missing_locations(node))


def _laid_out(statement: str, first: ast.expr, second: ast.expr, chance: random.Random) -> str:
    lines = statement.format(_held(first), _held(second)).split("\n")
    body = "\n".join("    " + line for line in lines)
    plain = f"async def function():\n{body}\n"
    try:
        tree = ast.parse(plain)
    except (SyntaxError, ValueError):
        return ""
    code = plain
    for change in chance.sample(_LAYOUTS, chance.randrange(len(_LAYOUTS) + 1)):
        made = change(code, chance)
        try:
            if equal(ast.parse(made), tree):
                code = made
        except (SyntaxError, ValueError):
            continue
    return code


def _held(node: ast.expr) -> str:
    text = _text(node)
    return text if not isinstance(node, ast.Yield | ast.NamedExpr) else f"({text.strip('()')})"


def _tokens(code: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(code).readline))


def _between(code: str, choose: Callable[[tokenize.TokenInfo, int], tuple[str, str]]) -> str:
    """The code with something put before and behind each token; ``choose`` is told how many
    brackets are open."""
    starts = [0]
    for line in code.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    made, at, depth = [], 0, 0
    for one in _tokens(code):
        start = starts[one.start[0] - 1] + one.start[1]
        end = starts[one.end[0] - 1] + one.end[1]
        if one.string in (")", "]", "}") and one.type == tokenize.OP:
            depth -= 1
        before, after = choose(one, depth)
        made += [code[at:start], before, code[start:end], after]
        at = end
        if one.string in ("(", "[", "{") and one.type == tokenize.OP:
            depth += 1
    return "".join([*made, code[at:]])


def _broken(code: str, chance: random.Random) -> str:
    """Lines end where brackets are open."""
    return _between(
        code, lambda one, depth: ("\n  " if depth and chance.random() < 0.25 else "", "")
    )


def _commented(code: str, chance: random.Random) -> str:
    number = iter(range(1000))
    return _between(
        code,
        lambda one, depth: (
            f" # why {next(number)}\n " if depth and chance.random() < 0.15 else "", ""
        ),
    )  # fmt: skip


def _continued(code: str, chance: random.Random) -> str:
    """Lines end with a backslash."""
    return _between(
        code, lambda one, depth: ("\\\n " if one.type == tokenize.OP and chance.random() < 0.1
                                  else "", ""))  # fmt: skip


def _spaced(code: str, chance: random.Random) -> str:
    return _between(code, lambda one, depth: ("  " if one.type == tokenize.OP and depth
                                              and chance.random() < 0.3 else "", ""))  # fmt: skip


def _tight(code: str, chance: random.Random) -> str:
    for spaced in (" + ", " - ", " * ", ", ", " == ", " ** ", " if ", " else "):
        if chance.random() < 0.5:
            code = code.replace(spaced, spaced.strip() if not spaced.strip().isalpha() else spaced)
    return code


def _parenthesised(code: str, chance: random.Random) -> str:
    """Names in parentheses that they do not need."""

    def choose(one: tokenize.TokenInfo, depth: int) -> tuple[str, str]:
        plain = one.type in (tokenize.NAME, tokenize.NUMBER) and not keyword.iskeyword(one.string)
        return ("(", ")") if plain and one.string in _NAMES and chance.random() < 0.3 else ("", "")

    return _between(code, choose)


def _with_commas(code: str, chance: random.Random) -> str:
    """A comma before some closing brackets."""
    return _between(code, lambda one, depth: (
        ", " if one.string in (")", "]", "}") and chance.random() < 0.3 else "", ""))  # fmt: skip


_LAYOUTS = (_broken, _commented, _continued, _spaced, _tight, _parenthesised, _with_commas)
