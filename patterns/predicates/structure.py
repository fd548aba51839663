"""Where a match stands in the classes and functions around it."""

from __future__ import annotations

from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.files.linear_regex import regular
from pinsetter.analyzer.syntax.tree import (
    COMPOUND,
    LN,
    Expression,
    ancestors,
    attribute_name,
    between_commas,
    flat,
    is_name,
    leaves,
    same_code,
    unwrap,
)

from ..matching.match import Match
from ..packs.code_in import pattern_in
from .arguments import (
    CAPTURE,
    CAPTURE_AND_REGEXES,
    CODE,
    FLAG,
    GIVEN,
    INDEX,
    REGEX,
    by_capture,
    keys,
    list_of,
    one_of,
    pair,
)
from .conditions import captures_of, fits, whole
from .registry import predicate


@predicate(CAPTURE)
def captured(match: Match, capture: Any) -> Match | None:
    r"""$x stands for some code.

    ::

        match: f($...given)
        where: [{captured: $...given}]
        holds: [f(a), "f(a, b)"]
        fails: [f(), "f(\n)"]
    """
    return match if match.capture(capture) else None


@predicate(keys({"class": GIVEN, "first": GIVEN}))
def in_method(match: Match, argument: Any) -> Match | None:
    """``{class, first}``: the match stands in a method, or in a lambda that a class has as one, and
    in no function, lambda or comprehension inside it; the name of the class, and that of the first
    parameter, are captured.

    ::

        match: super($...given)
        where: [{in_method: {class: own, first: first}}]
        holds:
          - |
            class A(B):
                def f(self):
                    super(A, self).f()
        captures: {own: A, first: self}
        fails:
          - |
            def f(self):
                super(A, self).f()
          - |
            class A(B):
                def f(self):
                    return lambda: super(A, self).f()
          - |
            class A(B):
                def f():
                    super(A).f()
    """
    scope = match.module.scope_of(match.node)
    around = scope.parent
    if scope.kind != "function" or around is None or around.kind != "class":
        return None
    first, name = _first_parameter(scope.node), _name_of(around.node)
    if first is None or name is None:
        return None
    return match.with_captures({argument["class"]: (name,), argument["first"]: (first,)})


@predicate(CAPTURE)
def own_class(match: Match, capture: Any) -> Match | None:
    """$x names the class in whose method, or lambda, the match stands, and nothing else.

    ::

        match: super($class, $self)
        where: [{own_class: $class}]
        holds:
          - |
            class A(B):
                def f(self):
                    super(A, self).f()
        fails:
          - |
            class A(B):
                def f(self):
                    super(B, self).f()
          - |
            class A(B):
                def f(self):
                    super(type(self), self).f()
    """
    around = match.module.scope_of(match.node).parent
    if around is None or around.kind != "class":
        return None
    values = match.facts.evaluator.evaluate(match.capture(capture), match.module)
    own = {f"{match.module.name}.{around.qualified_name}"}
    return match if values.complete and values.names == own else None


_KINDS = {
    "class": {symbols.classdef}, "function": {symbols.funcdef, symbols.lambdef},
    "if": {symbols.if_stmt}, "for": {symbols.for_stmt}, "while": {symbols.while_stmt},
    "with": {symbols.with_stmt}, "try": {symbols.try_stmt},
    "async": {symbols.async_stmt, symbols.async_funcdef},
}  # fmt: skip


@predicate(list_of(one_of(*_KINDS)), of_place=True)
def inside(match: Match, kinds: Any) -> Match | None:
    """The match stands inside one of these, or in its head: a class, function, if, for, while,
    with, try, or something that is async, with no function in between that is not.

    ::

        match: f()
        where: [{inside: [try, async]}]
        holds:
          - |
            try:
                f()
            except OSError:
                pass
          - |
            async def g():
                f()
        fails:
          - |
            if a:
                f()
          - |
            async def g():
                def h():
                    f()
          - |
            for x in a:
                f()
    """
    wanted = set[int]().union(*(_KINDS[kind] for kind in kinds if kind != "async"))
    around = [*ancestors(match.node)]
    if any(node.type in wanted for node in around):
        return match
    function = next((at for at, n in enumerate(around) if n.type in _KINDS["function"]), None)
    # An `async def` is around its `def`.
    own = around if function is None else around[: function + 2]
    return match if "async" in kinds and any(n.type in _KINDS["async"] for n in own) else None


@predicate(CODE)
def within(match: Match, code: Any) -> Match | None:
    """A code pattern fits an expression or statement around the match; the nearest adds its
    captures.

    ::

        match: fetch($url)
        where: [{within: "$fetched.json($...given)"}]
        holds:
          - x = fetch(url).json()
          - x = fetch(fetch(url)).json()
        captures: {fetched: fetch(url)}
        fails:
          - x = fetch(url)
          - |
            x = fetch(url)
            x.json()
    """
    pattern = pattern_in(match.pack, code)
    for node in ancestors(match.node):
        found = captures_of(fits(pattern, node, match))
        if found is not None:
            return match.with_captures(found)
    return None


@predicate(by_capture(CODE))
def has(match: Match, patterns: Any) -> Match | None:
    """``{$x: code}``: the code pattern fits something in $x, which adds its captures.

    ::

        match: |
          if $test:
              $...body
        where: [{has: {$...body: $log.warn($...given)}}]
        holds:
          - |
            if a:
                for x in b:
                    log.warn(x)
        captures: {log: log, given: x}
        fails:
          - |
            if log.warn(a):
                g()
          - |
            if a:
                log.warning(b)
    """
    current = match
    for capture, code in patterns.items():
        pattern = pattern_in(match.pack, code)
        tree = match.module.tree
        captured = match.capture(capture)
        nodes = (part for node in captured for part in tree.nodes_of(pattern.kinds, node))
        found = captures_of(way for part in nodes for way in fits(pattern, part, current))
        if found is None:
            return None
        current = current.with_captures(found)
    return current


@predicate(keys({"of": CAPTURE}, {"least": INDEX, "most": INDEX}))
def items(match: Match, argument: Any) -> Match | None:
    """``{of, least?, most?}``: the run $of has at least, and at most, so many items, arguments or
    statements.

    ::

        match: f($...given)
        where: [{items: {of: $...given, least: 1, most: 2}}]
        holds: [f(1), "f(1, n=2)", f(*a)]
        fails: [f(), "f(1, 2, 3)", "f(1, 2, *a)"]
    """
    count = len(separated(match.capture(argument["of"])))
    least, most = argument.get("least", 0), argument.get("most", count)
    return match if least <= count <= most else None


@predicate(CAPTURE_AND_REGEXES)
def named(match: Match, argument: Any) -> Match | None:
    """``[$x, pattern, …]``: $x is a name, or an attribute, that fits one of the regular expressions
    as a whole.

    ::

        match: f($x)
        where: [{named: [$x, "_.*", "[A-Z_]+"]}]
        holds: [f(_a), f(self._a), f(LIMIT)]
        fails: [f(a), f(_a()), f(a._b.c), "f('_a')"]
    """
    capture, *patterns = argument
    nodes = flat(unwrap(match.capture(capture)))
    if len(nodes) == 1 and is_name(nodes[0]):
        name: str | None = nodes[0].value
    else:
        name = attribute_name(nodes) if nodes else None
    fits = name is not None and any(regular(pattern).fits(name) for pattern in patterns)
    return match if fits else None


@predicate(list_of(REGEX))
def in_file(match: Match, patterns: Any) -> Match | None:
    """The file's path in its repository, with slashes, fits one of the regular expressions as a
    whole: `in_file: ["(.*/)?migrations/.*"]`.

    ::

        match: f()
        where: [{in_file: ["(.*/)?migrations/.*"]}]
        holds:
          - |
            # file: app/migrations/first.py
            f()
        fails:
          - |
            # file: app/models.py
            f()
          - |
            # file: migrations.py
            f()
    """
    root = match.facts.project.layout.root(match.module.real)
    path = match.module.real.relative_to(root).as_posix()
    return match if any(regular(pattern).fits(path) for pattern in patterns) else None


@predicate(pair(CAPTURE, CAPTURE))
def same(match: Match, argument: Any) -> Match | None:
    """``[$x, $y]``: $x and $y are the same code.

    ::

        match: f($x, $y)
        where: [{same: [$x, $y]}]
        holds:
          - f(a.b, a.b)
          - f(a[ 1 ], a[1])
        fails:
          - f(a, b)
          - |
            b = a
            f(a, b)
          - f('a', "a")
    """
    one, other = map(match.capture, argument)
    return match if one and other and same_code(one, other) else None


@predicate(FLAG, of_place=True)
def is_decorator(match: Match, wanted: Any) -> Match | None:
    """Whether the match is all of a decorator.

    ::

        match: cached($...given)
        where: [{is_decorator: true}]
        holds:
          - |
            @cached(5)
            def f(): pass
        fails:
          - cached(5)
          - |
            @log(cached(5))
            def f(): pass
          - |
            @cached(5).named
            def f(): pass
    """
    tree = match.module.tree
    around = (node for node in ancestors(match.node) if node.type == symbols.decorator)
    decorator = next(around, None)
    found = decorator is not None and tree.span(match.expression) == tree.span(
        tuple(child for child in decorator.children[1:] if child.type != token.NEWLINE)
    )
    return match if found is wanted else None


@predicate(FLAG, of_place=True)
def in_annotation(match: Match, wanted: Any) -> Match | None:
    """Whether the match stands in the annotation of a parameter, a result or a variable.

    ::

        match: List[$x]
        where: [{in_annotation: true}]
        holds:
          - "def f(x: List[int]): pass"
          - "def f() -> List[int]: pass"
          - "x: List[int] = []"
          - "x: Optional[List[int]]"
        fails:
          - Names = List[int]
          - "def f(x=List[int]): pass"
          - x = cast(List[int], y)
          - 'x: int = List[int]'
    """
    return match if _in_annotation(match.node) is wanted else None


def _in_annotation(node: LN) -> bool:
    child = node
    for outer in ancestors(node):
        before = child.prev_sibling
        sign = before.type if before is not None else None
        if outer.type in (symbols.tname, symbols.annassign) and sign == token.COLON:
            return True
        if outer.type == symbols.funcdef:
            return bool(sign == token.RARROW)
        if outer.type in (symbols.lambdef, symbols.suite, symbols.simple_stmt, symbols.classdef):
            return False
        child = outer
    return False


@predicate(FLAG, of_place=True)
def is_base(match: Match, wanted: Any) -> Match | None:
    """Whether the match is one of the bases of a class.

    ::

        match: NamedTuple($...given)
        where: [{is_base: true}]
        holds:
          - "class A(NamedTuple('A', fields)): pass"
          - "class A(B, NamedTuple('A', fields)): pass"
        fails:
          - A = NamedTuple('A', fields)
          - |
            class A(B):
                C = NamedTuple('C', fields)
          - "class A(f(NamedTuple('A', fields))): pass"
          - "class A(NamedTuple('A', fields).base): pass"
          - "class A(metaclass=NamedTuple('A', fields)): pass"
    """
    (node,) = whole(match.expression)[:1]
    while node.parent is not None and (
        node.parent.type == symbols.arglist
        or (node.parent.type == symbols.atom and node.parent.children[0].type == token.LPAR)
    ):
        node = node.parent
    parent = node.parent
    found = (
        parent is not None and parent.type == symbols.classdef and node is not parent.children[-1]
    )
    return match if found is wanted else None


def separated(run: Expression) -> list[Expression]:
    """The items of a run, without what stands between them."""
    nodes = [
        child for node in run
        for child in (node.children if node.type in _RUNS else (node,))
        if child.type not in _LAYOUT
    ]  # fmt: skip
    if any(node.type == symbols.simple_stmt or node.type in COMPOUND for node in nodes):
        return [(node,) for node in nodes]
    return between_commas(nodes)


_RUNS = {symbols.arglist, symbols.testlist_gexp, symbols.listmaker, symbols.dictsetmaker,
         symbols.testlist, symbols.typedargslist, symbols.suite}  # fmt: skip
_LAYOUT = {token.NEWLINE, token.INDENT, token.DEDENT}


def _first_parameter(function: LN) -> LN | None:
    """The name of the first parameter, if it takes the instance."""
    inside = function.children[1]
    if function.type == symbols.funcdef:
        parameters = next(c for c in function.children if c.type == symbols.parameters)
        if len(parameters.children) < 3:
            return None
        inside = parameters.children[1]
    first = inside.children[0] if inside.type == symbols.typedargslist else inside
    if first.type == symbols.tname:
        first = first.children[0]
    return first if is_name(first) else None


def _name_of(definition: LN) -> LN | None:
    found = (leaf for leaf in leaves(definition) if is_name(leaf) and leaf.value != "class")
    return next(found, None)
