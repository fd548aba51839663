"""What a rule's edit must mean, worked out on Python's own trees, with nothing of the tool's.

Patterns and templates are parsed by ``ast`` with names in the place of metavariables. ``Change``
finds the nodes that a pattern fits, and makes the tree that the edits must give: matches inside
matches are changed as well, for they are made in one run.
"""

from __future__ import annotations

import ast
import copy
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from law_rules import LawRule

_METAVARIABLE = re.compile(r"\$(\.\.\.)?(?:\{(\w+)\}|(\w+))")
_ONE, _MANY = "one__", "many__"
# What a metavariable stands for: an expression, or a run of arguments or items.
Bound: TypeAlias = "ast.AST | list[ast.AST]"
Span: TypeAlias = tuple[int, int]


class Impossible(ValueError):
    """The rewrite would be no Python: the tool has to decline."""


def parsed(code: str) -> ast.expr:
    """Code with metavariables as one expression."""
    plain = _METAVARIABLE.sub(lambda m: (_MANY if m[1] else _ONE) + (m[2] or m[3]), code)
    return ast.parse(f"({plain}\n)", mode="eval").body


def _metavariable(node: object, mark: str) -> str:
    if isinstance(node, ast.Name) and node.id.startswith(mark):
        return node.id[len(mark) :]
    return ""


def arguments(call: ast.Call) -> list[ast.AST]:
    """Positional and keyword arguments as they are written."""
    return sorted([*call.args, *call.keywords], key=lambda n: (n.lineno, n.col_offset))


def called(func: ast.expr, items: Sequence[ast.AST]) -> ast.Call:
    """A call with arguments in an order; raises Impossible for one that Python refuses."""
    named, doubled, names = False, False, set()
    for item in items:
        if isinstance(item, ast.keyword):
            if item.arg is not None and item.arg in names:
                raise Impossible(f"{item.arg}= twice")
            names.add(item.arg)
            named, doubled = True, doubled or item.arg is None
        elif doubled if isinstance(item, ast.Starred) else named:
            raise Impossible("a positional argument behind a keyword")
    args = [item for item in items if not isinstance(item, ast.keyword)]
    return ast.Call(func, args, [item for item in items if isinstance(item, ast.keyword)])


def matching(pattern: ast.AST, node: ast.AST) -> dict[str, Bound] | None:
    """What the metavariables stand for where the pattern fits a node; None where it does not."""
    bound: dict[str, Bound] = {}
    return bound if _fits(pattern, node, bound) else None


def _fits(pattern: object, node: object, bound: dict[str, Bound]) -> bool:
    one = _metavariable(pattern, _ONE)
    if one:
        return isinstance(node, ast.expr) and _is_one(node) and _bind(one, node, bound)
    if isinstance(pattern, ast.Call) and isinstance(node, ast.Call):
        return _fits(pattern.func, node.func, bound) and _fits_all(
            arguments(pattern), arguments(node), bound
        )
    if isinstance(pattern, list):
        return isinstance(node, list) and _fits_all(pattern, node, bound)
    if isinstance(pattern, ast.AST):
        return type(pattern) is type(node) and all(
            _fits(getattr(pattern, name), getattr(node, name), bound)
            for name in pattern._fields
            if name != "kind"
        )
    return type(pattern) is type(node) and pattern == node


def _is_one(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return not any(isinstance(part, ast.Slice) for part in node.elts)
    return not isinstance(node, ast.Starred | ast.Slice)


def _bind(name: str, found: Bound, bound: dict[str, Bound]) -> bool:
    if name in bound:
        return _dumped(bound[name]) == _dumped(found)
    bound[name] = found
    return True


def _dumped(found: Bound) -> str:
    return "\n".join(ast.dump(n) for n in (found if isinstance(found, list) else [found]))


def _fits_all(
    patterns: Sequence[object], nodes: Sequence[ast.AST], bound: dict[str, Bound]
) -> bool:
    if not patterns:
        return not nodes
    many = _metavariable(patterns[0], _MANY)
    if not many:
        return bool(nodes) and _fits(patterns[0], nodes[0], bound) and _fits_all(
            patterns[1:], nodes[1:], bound
        )  # fmt: skip
    for count in range(len(nodes) + 1):
        tried = dict(bound)
        if _bind(many, list(nodes[:count]), tried) and _fits_all(
            patterns[1:], nodes[count:], tried
        ):
            bound.update(tried)
            return True
    return False


def built(template: ast.AST, bound: Mapping[str, Bound]) -> ast.AST:
    """The template with what its metavariables stand for."""
    made = _Builder(bound).visit(copy.deepcopy(template))
    assert isinstance(made, ast.AST)
    return made


class _Builder(ast.NodeTransformer):
    def __init__(self, bound: Mapping[str, Bound]) -> None:
        self.bound = bound

    def visit_Name(self, node: ast.Name) -> ast.AST:
        one = _metavariable(node, _ONE)
        if not one:
            return node
        found = self.bound[one]
        assert isinstance(found, ast.AST)
        return copy.deepcopy(found)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return called(self.visit(node.func), self._spread(arguments(node)))

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        return ast.Tuple(self._items(node.elts), ast.Load())

    def visit_List(self, node: ast.List) -> ast.AST:
        return ast.List(self._items(node.elts), ast.Load())

    def visit_Set(self, node: ast.Set) -> ast.AST:
        items = self._items(node.elts)
        if not items:
            raise Impossible("no empty set can be written")
        return ast.Set(items)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if not _metavariable(node.slice, _MANY):
            return self.generic_visit(node)
        items = self._items([node.slice])
        if not items:
            raise Impossible("nothing between the brackets")
        alone = len(items) == 1 and not isinstance(items[0], ast.Starred)
        index = items[0] if alone else ast.Tuple(items, ast.Load())
        return ast.Subscript(self.visit(node.value), index, ast.Load())

    def _items(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        items = self._spread(nodes)
        if any(isinstance(item, ast.keyword) for item in items):
            raise Impossible("a keyword is no item")
        return [item for item in items if isinstance(item, ast.expr)]

    def _spread(self, nodes: Sequence[ast.AST]) -> list[ast.AST]:
        found: list[ast.AST] = []
        for node in nodes:
            many = _metavariable(node, _MANY)
            if not many:
                found.append(self.visit(node))
                continue
            run = self.bound[many]
            assert isinstance(run, list)
            found.extend(copy.deepcopy(run))
        return found


class Original:
    """A file's text and tree, with what is asked of them for every rule."""

    def __init__(self, text: str, tree: ast.Module) -> None:
        self.text, self.tree = text, tree
        self.lines = Lines(text)
        self.nodes = list(ast.walk(tree))

    @cached_property
    def strings(self) -> list[ast.JoinedStr]:
        """The f-strings, those inside another left out."""
        found = [node for node in self.nodes if isinstance(node, ast.JoinedStr)]
        inside = {id(n) for string in found for n in ast.walk(string) if n is not string}
        return [string for string in found if id(string) not in inside]

    @cached_property
    def in_strings(self) -> frozenset[int]:
        return frozenset(id(n) for string in self.strings for n in ast.walk(string))

    @cached_property
    def decorators(self) -> frozenset[int]:
        """The nodes that are decorators."""
        kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        return frozenset(
            id(decorator)
            for node in self.nodes if isinstance(node, kinds)
            for decorator in node.decorator_list
        )  # fmt: skip

    @cached_property
    def parents(self) -> dict[int, ast.AST]:
        return {id(c): node for node in self.nodes for c in ast.iter_child_nodes(node)}


@dataclass(frozen=True, eq=False)
class Change:
    """One rule's edit of one file."""

    rule: LawRule
    original: Original

    @cached_property
    def pattern(self) -> ast.expr:
        return parsed(self.rule.match)

    @cached_property
    def nodes(self) -> dict[int, tuple[ast.expr, dict[str, Bound]]]:
        """Every node that the pattern fits, by identity, with what its metavariables stand for."""
        found = {}
        kind = type(self.pattern)
        for node in self.original.nodes:
            if isinstance(node, kind):
                bound = matching(self.pattern, node)
                if bound is not None:
                    found[id(node)] = (node, bound)
        return found

    @cached_property
    def spans(self) -> dict[Span, int]:
        """Where those of the nodes stand, outside of f-strings; for their place in these is not
        told rightly by every Python."""
        if not self.nodes:
            return {}
        span, inside = self.original.lines.span, self.original.in_strings
        return {span(n): id(n) for n, _ in self.nodes.values() if id(n) not in inside}

    def chosen(self, spans: Sequence[Span]) -> tuple[frozenset[int], list[Span]]:
        """The nodes at the spans, and the spans at which no node fits."""
        found, unknown = set(), []
        for span in spans:
            if span in self.spans:
                found.add(self.spans[span])
            else:
                unknown.append(span)
        for string in self.original.strings if unknown else ():
            start, end = self.original.lines.span(string)
            inside = [span for span in unknown if start <= span[0] and span[1] <= end]
            nodes = [id(n) for n in ast.walk(string) if id(n) in self.nodes]
            if inside and len(inside) == len(nodes):
                found.update(nodes)
                unknown = [span for span in unknown if span not in inside]
        return frozenset(found), unknown

    def made(self, chosen: frozenset[int]) -> ast.Module:
        """The tree with the edit made at the chosen nodes; raises Impossible."""
        replaced: dict[int, tuple[ast.AST, Mapping[str, Bound]]] = {}
        edit = self.rule.edit
        for key in chosen:
            node, bound = self.nodes[key]
            whole: dict[str, Bound] = {**bound, "match": node}
            if "append" in edit:
                assert isinstance(node, ast.Call)
                made = parsed(f"f($...arguments, {edit['append']})")
                assert isinstance(made, ast.Call)
                made.func = ast.Name(_ONE + "func", ast.Load())
                run = {"func": node.func, "arguments": arguments(node)}
                replaced[id(node)] = (made, run)
                continue
            if "argument" in edit:
                value = next((k.value for k in node.keywords if k.arg == edit["argument"]), None)
                assert value is not None
                target: Bound = value
            else:
                target = whole[edit.get("replace", edit.get("wrap", "")).removeprefix("$")]
            assert isinstance(target, ast.AST)
            replaced[id(target)] = (parsed(edit["with"]), {**whole, "it": target})
        changed = _Changer(replaced, self.original.parents).visit(self.original.tree)
        assert isinstance(changed, ast.Module)
        return changed

    @property
    def is_of_expressions(self) -> bool:
        """Whether the edit changes expressions alone, so that ``made`` knows the result."""
        return bool({"replace", "wrap", "append", "argument"} & set(self.rule.edit))


class _Changer(ast.NodeTransformer):
    """A tree with nodes replaced, inside replaced ones, too; what does not change is shared."""

    def __init__(
        self,
        replaced: Mapping[int, tuple[ast.AST, Mapping[str, Bound]]],
        parents: Mapping[int, ast.AST],
    ) -> None:
        self.replaced = replaced
        self.within: list[int] = []
        self.changing: set[int] = set()
        for key in replaced:
            while key not in self.changing:
                self.changing.add(key)
                if key not in parents:
                    break
                key = id(parents[key])

    def visit(self, node: ast.AST) -> ast.AST:
        if id(node) not in self.changing:
            return node
        if id(node) not in self.replaced or id(node) in self.within:
            return self.generic_visit(node)
        template, bound = self.replaced[id(node)]
        self.within.append(id(node))
        inside: dict[str, Bound] = {
            name: [self.visit(n) for n in found] if isinstance(found, list) else self.visit(found)
            for name, found in bound.items()
            if name in _names(template)
        }
        self.within.pop()
        return built(template, inside)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        made = type(node)()
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                value = [self.visit(v) if isinstance(v, ast.AST) else v for v in value]
            elif isinstance(value, ast.AST):
                value = self.visit(value)
            setattr(made, name, value)
        return ast.copy_location(made, node)


def _names(template: ast.AST) -> set[str]:
    return {
        _metavariable(node, _ONE) or _metavariable(node, _MANY) for node in ast.walk(template)
    } - {""}


class Lines:
    """Offsets in a text of the places that Python's trees speak of."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(m.end() for m in re.finditer(r"\r\n|\r|\n", text))]

    def offset(self, line: int, column: int) -> int:
        start = self.starts[line - 1]
        head = self.text[start : start + column]
        if head.isascii():
            return start + column
        stop = self.starts[line] if line < len(self.starts) else len(self.text)
        encoded = self.text[start:stop].encode("utf-8", "surrogatepass")[:column]
        return start + len(encoded.decode("utf-8", "surrogatepass"))

    def span(self, node: ast.AST) -> Span:
        start = self.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return start, self.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def line(self, offset: int) -> int:
        return bisect_right(self.starts, offset)


def equal(one: object, other: object) -> bool:
    """Whether two trees say the same, wherever their parts stand."""
    waiting = [(one, other)]
    while waiting:
        a, b = waiting.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, list):
            assert isinstance(b, list)
            if len(a) != len(b):
                return False
            waiting.extend(zip(a, b, strict=True))
        elif isinstance(a, ast.BoolOp):
            assert isinstance(b, ast.BoolOp)
            if type(a.op) is not type(b.op):
                return False
            waiting.append((_flat(a), _flat(b)))
        elif isinstance(a, ast.AST):
            waiting.extend(
                (getattr(a, n, None), getattr(b, n, None)) for n in a._fields if n != "ctx"
            )
        elif a != b or repr(a) != repr(b):
            return False
    return True


def _flat(node: ast.BoolOp) -> list[ast.expr]:
    """The operands: `(a or b) or c` is `a or b or c`."""
    found: list[ast.expr] = []
    for value in node.values:
        same = isinstance(value, ast.BoolOp) and type(value.op) is type(node.op)
        found += _flat(value) if same and isinstance(value, ast.BoolOp) else [value]
    return found


def difference(wanted: ast.AST, made: ast.AST) -> tuple[ast.AST, ast.AST] | None:
    """The smallest statement or expression in which two trees differ; None if they are equal."""
    if equal(wanted, made):
        return None
    while type(wanted) is type(made):
        ours, theirs = list(ast.iter_child_nodes(wanted)), list(ast.iter_child_nodes(made))
        if len(ours) != len(theirs):
            break
        apart = [pair for pair in zip(ours, theirs, strict=True) if not equal(*pair)]
        if len(apart) != 1 or not isinstance(apart[0][0], ast.stmt | ast.expr | ast.mod):
            break
        wanted, made = apart[0]
    return wanted, made
