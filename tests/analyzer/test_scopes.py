"""Scopes: which names are bound where, and what a name means at a place, as Python has it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pinsetter.analyzer.files.import_path import ImportTarget
from pinsetter.analyzer.names.scope_tree import Scopes
from pinsetter.analyzer.names.scopes import Binding
from pinsetter.analyzer.syntax import parse
from pinsetter.analyzer.syntax.tree import LN, Tree, leaves


def scopes_of(text: str) -> Scopes:
    return Scopes(parse(text))


def names(text: str, scope: str = "") -> set[str]:
    """The names bound in the scope with this qualified name."""
    found = next(s for s in scopes_of(text) if s.qualified_name == scope)
    return set(found.bindings)


def reads(scopes: Scopes, name: str) -> Iterator[LN]:
    for leaf in leaves(scopes.module.node):
        if leaf.value == name:
            yield leaf


def meant(text: str, name: str = "x", nth: int = -1) -> list[Binding]:
    """The bindings that the ``nth`` occurrence of ``name`` may mean; the last by default."""
    scopes = scopes_of(text)
    leaf = list(reads(scopes, name))[nth]
    return scopes.of(leaf).lookup(name)


def places(text: str, name: str = "x", nth: int = -1) -> set[str]:
    """Where the bindings that a name may mean stand: qualified names of scopes."""
    return {b.scope.qualified_name or "<module>" for b in meant(text, name, nth)}


def kinds(text: str, name: str = "x") -> list[str]:
    return [b.kind for b in scopes_of(text).module.bindings.get(name, [])]


# ---------------------------------------------------------------- what binds nothing


@pytest.mark.parametrize(
    "text",
    [
        "x\n",
        "x.y = 1\n",
        "x[0] = 1\n",
        "x[0], y = 1, 2\n",
        "f(x=1)\n",
        "x == 1\n",
        "y: x = 1\n",
        "for x.y in z: pass\n",
        "for x[0] in z: pass\n",
        "with y as x.z: pass\n",
        "del x.y\n",
        "del x[0]\n",
        "x.y += 1\n",
        "import y.x\n",
        "import x as y\n",
        "from x import y\n",
        "from y import x as z\n",
        "from x import *\n",
        "[x for x in y]\n",
        "{x: 1 for x in y}\n",
        "f(x for x in y)\n",
        "lambda x: 1\n",
        "def f(x): pass\n",
        "def f():\n    x = 1\n",
        "class A:\n    x = 1\n",
        "class A:\n    def x(self): pass\n",
        "f'{x}'\n",
        "global x\n",
        "{x: 1}\n",
        "@x\ndef f(): pass\n",
        "@x[0].y\ndef f(): pass\n",
        "match x:\n    case 1: pass\n",
        "match y:\n    case x.z: pass\n",
        "match y:\n    case z.x: pass\n",
        "match y:\n    case x(): pass\n",
        "match y:\n    case x.z(): pass\n",
        "match y:\n    case A(x=1): pass\n",
        "match y:\n    case A(x=z): pass\n",
        "match y:\n    case {x.a: z}: pass\n",
        "match y:\n    case {'x': z}: pass\n",
        "match y:\n    case z if x: pass\n",
        "match y:\n    case 1: x\n",
        "def f():\n    match y:\n        case x: pass\n",
        "try: pass\nexcept* x: pass\n",
        "try: pass\nexcept* (A, x): pass\n",
        "try: pass\nexcept* A, x: pass\n",
        "try: pass\nexcept A, x, B: pass\n",
        "try: pass\nexcept A, x,: pass\n",
        "def f(x, /): pass\n",
        "def f[x](a): pass\n",
        "class A[x]: pass\n",
        "type A[x] = x\n",
        "type A = x\n",
        "def f[A: x]() -> x: pass\n",
        "with (x, y as z): pass\n",
        "with (x): pass\n",
        "lambda: (x := 1)\n",
        "def f(): return {x := 1}\n",
    ],
)
def test_the_module_does_not_bind_x(text: str) -> None:
    assert "x" not in names(text)


def test_an_unknown_name_means_nothing() -> None:
    assert meant("x\n") == []
    assert meant("def f():\n    x = 1\nx\n") == []


# ---------------------------------------------------------------- what binds


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x = 1\n", "assign"),
        ("y = x = 1\n", "assign"),
        ("x: int = 1\n", "assign"),
        ("x, = y\n", "assign"),
        ("(x) = 1\n", "assign"),
        ("[x, y] = z\n", "assign"),
        ("a, (b, *x) = z\n", "assign"),
        ("x += 1\n", "augment"),
        ("for x in y: pass\n", "for"),
        ("for a, (x, b) in y: pass\n", "for"),
        ("async def f():\n    global x\n    async for x in y: pass\n", "for"),
        ("with y as x: pass\n", "with"),
        ("with y as (a, x): pass\n", "with"),
        ("with a, b as x: pass\n", "with"),
        ("with a as x, b: pass\n", "with"),
        ("try: pass\nexcept A as x: pass\n", "except"),
        ("try: pass\nexcept (A, B), x: pass\n", "except"),
        ("def x(): pass\n", "function"),
        ("async def x(): pass\n", "function"),
        ("@a\ndef x(): pass\n", "function"),
        ("class x: pass\n", "class"),
        ("class x(A, metaclass=B): pass\n", "class"),
        ("with (y as x): pass\n", "with"),
        ("with (y as x,): pass\n", "with"),
        ("with (a, b as x): pass\n", "with"),
        ("with (a as (b, x), c): pass\n", "with"),
        ("async def f():\n    global x\n    async with (a as x): pass\n", "with"),
        ("try: pass\nexcept* A as x: pass\n", "except"),
        ("try: pass\nexcept* (A, B) as x:\n    pass\nelse: pass\n", "except"),
        ("match y:\n    case x: pass\n", "match"),
        ("match y:\n    case x if z: pass\n", "match"),
        ("match y:\n    case (x): pass\n", "match"),
        ("match y:\n    case 1 as x: pass\n", "match"),
        ("match y:\n    case A() | (B() as x): pass\n", "match"),
        ("match y:\n    case x, z: pass\n", "match"),
        ("match y:\n    case z, *x: pass\n", "match"),
        ("match y:\n    case [a, [b, x]]: pass\n", "match"),
        ("match y:\n    case (x,): pass\n", "match"),
        ("match y:\n    case {'a': x}: pass\n", "match"),
        ("match y:\n    case {a.b: 1 as x}: pass\n", "match"),
        ("match y:\n    case {'a': 1, **x}: pass\n", "match"),
        ("match y:\n    case A(x): pass\n", "match"),
        ("match y:\n    case A.B(1, a=x): pass\n", "match"),
        ("match y:\n    case A(a=B(b=x)): pass\n", "match"),
        ("match y:\n    case 1:\n        x = 1\n", "assign"),
        ("match (x := y):\n    case 1: pass\n", "walrus"),
        ("match y:\n    case 1 if (x := z): pass\n", "walrus"),
        ("type x = int\n", "type"),
        ("type x[T] = list[T]\n", "type"),
        ("def x[T](): pass\n", "function"),
        ("class x[T](A): pass\n", "class"),
        ("a[x := 1]\n", "walrus"),
        ("a[b, x := 1]\n", "walrus"),
        ("{x := 1}\n", "walrus"),
        ("{a, x := 1}\n", "walrus"),
        ("{(x := 1): 2}\n", "walrus"),
        ("f(x := y for y in z)\n", "walrus"),
        ("@(x := f)\ndef g(): pass\n", "walrus"),
        ("for a in *(x := b), c: pass\n", "walrus"),
        ("del x\n", "delete"),
        ("del (x, y)\n", "delete"),
        ("if (x := 1): pass\n", "walrus"),
        ("f(x := 1)\n", "walrus"),
        ("f(a, x := 1, b=2)\n", "walrus"),
        ("[(x := y) for y in z]\n", "walrus"),
        ("[a for a in b if (x := a)]\n", "walrus"),
        ("import x\n", "import"),
        ("import x.y.z\n", "import"),
        ("import y as x\n", "import"),
        ("import a, y.z as x\n", "import"),
        ("from y import x\n", "import"),
        ("from y import (a, z as x,)\n", "import"),
        ("try:\n    import x\nexcept ImportError:\n    pass\n", "import"),
        ("if a:\n    x = 1\n", "assign"),
        ("def f():\n    global x\n    x = 1\n", "assign"),
        ("def f():\n    global x\n    import x\n", "import"),
        ("def f():\n    global x\n    def g(): pass\n    x = g\n", "assign"),
    ],
)
def test_the_module_binds_x(text: str, kind: str) -> None:
    assert kinds(text) == [kind]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("import x", ImportTarget("x")),
        ("import x.y.z", ImportTarget("x")),
        ("import a.b as x", ImportTarget("a.b")),
        ("from a.b import x", ImportTarget("a.b", 0, "x")),
        ("from a import b as x", ImportTarget("a", 0, "b")),
        ("from . import x", ImportTarget("", 1, "x")),
        ("from .a import x", ImportTarget("a", 1, "x")),
        ("from ..a.b import c as x", ImportTarget("a.b", 2, "c")),
        ("from ... import x", ImportTarget("", 3, "x")),
        ("from .... a import x", ImportTarget("a", 4, "x")),
    ],
)
def test_what_an_import_binds(text: str, target: ImportTarget) -> None:
    [binding] = scopes_of(text).module.bindings["x"]
    assert binding.target == target


def test_star_imports_are_kept_in_order() -> None:
    scopes = scopes_of("from a import *\nfrom ..b import *\n")
    assert scopes.module.star_imports == (ImportTarget("a"), ImportTarget("b", 2))


# ---------------------------------------------------------------- unpacking


@pytest.mark.parametrize(
    ("target", "element"),
    [
        ("x", ()),
        ("(x)", ()),
        ("x, y", (0,)),
        ("y, x", (1,)),
        ("(y, x)", (1,)),
        ("[y, x]", (1,)),
        ("[x]", (0,)),
        ("x,", (0,)),
        ("a, (b, x)", (1, 1)),
        ("a, [b, [x]]", (1, 1, 0)),
        ("*x, y", (-1,)),
        ("*a, x", (-1,)),
        ("a, *x", (-1,)),
        ("(a, *b), x", (1,)),
        ("a, (*b, x)", (1, -1)),
    ],
)
def test_which_item_of_the_value_is_meant(target: str, element: tuple[int, ...]) -> None:
    [binding] = scopes_of(f"{target} = v\n").module.bindings["x"]
    assert binding.element == element
    assert "".join(str(node) for node in binding.value).strip() == "v"


def test_every_target_of_a_chain_has_the_value() -> None:
    bindings = scopes_of("a = b, x = c = v\n").module.bindings
    assert {name: found[0].element for name, found in bindings.items()} == {
        "a": (), "b": (0,), "x": (1,), "c": ()
    }  # fmt: skip


# ---------------------------------------------------------------- shadowing


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("x = 1\ndef f(x):\n    return x\n", "f"),
        ("x = 1\ndef f(*x):\n    return x\n", "f"),
        ("x = 1\ndef f(**x):\n    return x\n", "f"),
        ("x = 1\ndef f(a, *, x=2):\n    return x\n", "f"),
        ("x = 1\ndef f(a: int, x: int = 3):\n    return x\n", "f"),
        ("x = 1\ndef f():\n    x\n    x = 2\n    return x\n", "f"),
        ("x = 1\ndef f():\n    return x\n    for x in y: pass\n", "f"),
        ("x = 1\ndef f():\n    import x\n    return x\n", "f"),
        ("x = 1\ndef f():\n    with y as x: pass\n    return x\n", "f"),
        ("x = 1\ndef f():\n    def g():\n        return x\n    x = 2\n", "f"),
        ("x = 1\ndef f(x):\n    return lambda: x\n", "f"),
        ("x = 1\nf = lambda x: x\n", "<lambda>"),
        ("x = 1\nf = lambda a, *x, b=1: x\n", "<lambda>"),
        ("x = 1\nclass A:\n    x = 2\n    x\n", "A"),
        ("x = 1\nclass A:\n    x = 2\n    y = x\n", "A"),
    ],
)
def test_an_inner_binding_hides_the_module(text: str, where: str) -> None:
    assert places(text, nth=1 if text.endswith("= 2\n") else -1) == {where}


@pytest.mark.parametrize(
    ("text", "nth"),
    [
        ("x = 1\n[x for x in y]\nx\n", -1),
        ("x = 1\n[y for y in x]\n", -1),
        ("x = 1\n[x for x in x]\n", -1),
        ("x = 1\nf(x for x in x)\n", -1),
        ("x = 1\n{x: x for x in x}\n", -1),
        ("x = 1\n[a for x in x for a in y]\n", -1),
        ("x = 1\nlambda x: 1\nx\n", -1),
        ("x = 1\nlambda y=x: 1\n", -1),
        ("x = 1\ndef f(x=x): pass\n", -1),
        ("x = 1\ndef f(x: x): pass\n", -1),
        ("x = 1\n@x\ndef f(x): pass\n", 1),
        ("x = 1\nclass A(x):\n    x = 2\n", 1),
        ("x = 1\nclass A:\n    x = 2\n    def f(self):\n        return x\n", -1),
        ("x = 1\nclass A:\n    x = 2\n    f = lambda self: x\n", -1),
        ("x = 1\nclass A:\n    x = 2\n    y = [x for _ in z]\n", -1),
        ("x = 1\nclass A:\n    x = 2\n    class B:\n        y = x\n", -1),
        ("x = 1\ndef f():\n    global x\n    x = 2\n    return x\n", -1),
        ("x = 1\ndef f():\n    global x\n    return [x for _ in y]\n", -1),
        ("x = 1\ndef f(x):\n    def g():\n        global x\n        return x\n", -1),
        ("x = 1\nclass A:\n    global x\n    y = x\n", -1),
        ("def f():\n    if (x := 1): pass\n[(x := y) for y in z]\nx\n", -1),
        ("x = [a for a in [x for x in y]]\nx\n", -1),
    ],
)
def test_an_inner_binding_is_not_seen_outside(text: str, nth: int) -> None:
    assert places(text, nth=nth) == {"<module>"}


def test_the_iterable_of_a_comprehension_in_a_class_sees_the_class() -> None:
    assert places("x = 1\nclass A:\n    x = 2\n    y = [a for a in x]\n") == {"A"}


def test_later_iterables_of_a_comprehension_see_its_targets() -> None:
    found = places("x = 1\n[a for x in y for a in x]\n")
    assert found == {"<comprehension>"}


def test_nonlocal_reads_and_binds_outside() -> None:
    text = "def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n    return x\n"
    assert places(text) == {"f"}
    assert len(meant(text)) == 2
    assert "x" not in names(text, "f.g")


def test_nonlocal_goes_past_functions_that_do_not_bind() -> None:
    text = (
        "def f():\n    def g():\n        def h():\n            nonlocal x\n            x = 2\n"
        "    x = 1\n"
    )
    assert "x" in names(text, "f")
    assert "x" not in names(text, "f.g")
    assert len(meant(text)) == 2


def test_global_in_a_nested_function_is_the_modules() -> None:
    text = "def f():\n    x = 1\n    def g():\n        global x\n        x = 2\n    return x\n"
    assert len(meant(text)) == 1
    assert kinds(text) == ["assign"]


def test_a_walrus_in_a_comprehension_binds_in_the_function() -> None:
    assert "x" in names("def f():\n    [(x := y) for y in z]\n", "f")


def test_a_walrus_in_a_lambda_binds_in_the_lambda() -> None:
    assert "x" not in names("f = lambda: (x := 1)\n")


def test_conditional_bindings_are_all_kept() -> None:
    text = "try:\n    import a as x\nexcept ImportError:\n    x = None\nif y:\n    x += 1\nx\n"
    assert [b.kind for b in meant(text)] == ["import", "assign", "augment"]


# ---------------------------------------------------------------- parameters and classes


@pytest.mark.parametrize(
    ("signature", "positions"),
    [
        ("", {}),
        ("a", {"a": 0}),
        ("a, b=1, c: int = 2", {"a": 0, "b": 1, "c": 2}),
        ("a, *b", {"a": 0, "b": -1}),
        ("a, *b, c", {"a": 0, "b": -1, "c": -1}),
        ("a, *, c=1, **d", {"a": 0, "c": -1, "d": -1}),
        ("**d", {"d": -1}),
    ],
)
def test_positions_of_parameters(signature: str, positions: dict[str, int]) -> None:
    scopes = scopes_of(f"def f({signature}): pass\n")
    scope = next(s for s in scopes if s.name == "f")
    assert {name: b[0].element[0] for name, b in scope.bindings.items()} == positions


def test_a_default_is_the_parameters_value() -> None:
    scope = next(s for s in scopes_of("def f(a, b=g(1)): pass\n") if s.name == "f")
    assert scope.bindings["a"][0].value == ()
    assert str(scope.bindings["b"][0].value[0]) == "g(1)"


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("x\n", None),
        ("def f():\n    x\n", None),
        ("class A:\n    x\n", None),
        ("class A:\n    def f(self):\n        def g():\n            x\n", None),
        ("class A:\n    def f(self):\n        x\n", "A"),
        ("class A:\n    def f(self):\n        [x for y in z]\n", "A"),
        ("class A:\n    class B:\n        def f(self):\n            x\n", "A.B"),
    ],
)
def test_the_class_that_a_method_belongs_to(text: str, owner: str | None) -> None:
    scopes = scopes_of(text)
    found = scopes.of(next(reads(scopes, "x"))).enclosing_class
    assert (found.qualified_name if found else None) == owner


# ---------------------------------------------------------------- patterns, parameters, types


@pytest.mark.parametrize("name", ["_", "None", "True", "False"])
@pytest.mark.parametrize("pattern", ["{}", "[{}, 1]", "A({})", "A(a={})", "1 | {}", "{{'a': {}}}"])
def test_what_a_pattern_never_binds(pattern: str, name: str) -> None:
    assert names(f"match y:\n    case {pattern.format(name)}: pass\n") == set()


def test_all_names_of_a_pattern() -> None:
    pattern = "A(a, b=[c, *_, d], e={'f': g, h.i: j, **k}) | [1 as l, (m)] as n"
    assert names(f"match y:\n    case {pattern}: pass\n") == set("acdgjklmn")


def test_a_capture_is_the_function_s_own() -> None:
    text = "x = 1\ndef f(y):\n    match y:\n        case x: pass\n    return x\n"
    assert places(text) == {"f"}
    assert places(text.replace("case x", "case x.y")) == {"<module>"}


@pytest.mark.parametrize(
    ("parameters", "takes"),
    [
        ("x", "any"),
        ("x, /", "position"),
        ("x=1, /, b=2", "position"),
        ("a, /, x", "any"),
        ("a, /, *, x: int = 1", "keyword"),
        ("*, x", "keyword"),
        ("*a, x=1", "keyword"),
        ("*x", "places"),
        ("a, /, *x: *Ts", "places"),
        ("**x", "names"),
        ("*, a, **x", "names"),
        ("(a, x)", "item"),
        ("(a, (b, x))=c, d=1", "item"),
    ],
)
def test_which_arguments_a_parameter_takes(parameters: str, takes: str) -> None:
    scopes = scopes_of(f"def f({parameters}): pass\n")
    (binding,) = next(s for s in scopes if s.name == "f").bindings["x"]
    assert (binding.kind, binding.takes) == ("parameter", takes)


@pytest.mark.parametrize(
    ("parameters", "element"),
    [("x, /", 0), ("a, x, /, b", 1), ("a, /, x", 1), ("(a, b), x", 1), ("a, /, *, x", -1)],
)
def test_positions_count_without_the_slash(parameters: str, element: int) -> None:
    scopes = scopes_of(f"def f({parameters}): pass\n")
    (binding,) = next(s for s in scopes if s.name == "f").bindings["x"]
    assert binding.element == (element,)


@pytest.mark.parametrize(
    "text",
    [
        "def f[T](a=x): pass\n",
        "def f[x](a=x): pass\n",
        "def f[x](a: int = x, *, b=x): pass\n",
        "def f[x](): pass\nx\n",
        "type A[x] = int\nx\n",
        "class A[x]: pass\nx\n",
    ],
)
def test_where_type_parameters_are_not_seen(text: str) -> None:
    assert {b.kind for b in meant("x = 1\n" + text)} == {"assign"}


@pytest.mark.parametrize("text", ["def f[x](): pass\n", "class A[x]: pass\n"])
def test_decorators_do_not_see_type_parameters(text: str) -> None:
    assert {b.kind for b in meant("x = 1\n@x\n" + text, nth=1)} == {"assign"}


@pytest.mark.parametrize(
    "text",
    [
        "def f[x](a: x): pass\n",
        "def f[x](*a: *x): pass\n",
        "def f[*x](*a: *x): pass\n",
        "def f[x]() -> x: pass\n",
        "def f[x]():\n    return x\n",
        "def f[x]():\n    def g():\n        return x\n",
        "def f[x, T: x](): pass\n",
        "async def f[x]() -> x: pass\n",
        "class A[x](B[x]): pass\n",
        "class A[**x](B, metaclass=x): pass\n",
        "class A[x]:\n    y: x\n",
        "class A[x]:\n    def f(self) -> x: pass\n",
        "class A[x]:\n    def f(self):\n        return x\n",
        "type A[x] = list[x]\n",
        "type A[x: int = 1] = x\n",
    ],
)
def test_where_type_parameters_are_seen(text: str) -> None:
    assert {b.kind for b in meant("x = 1\n" + text)} == {"type"}


def test_type_parameters_in_a_class_see_its_names() -> None:
    text = "class A:\n    x = 1\n    def f[T: x](self, a: x): {}\n"
    assert places(text.format("pass")) == {"A"}
    assert places(text.format("return x")) == set()


def test_generic_definitions_keep_their_names_and_classes() -> None:
    scopes = scopes_of("class A[T]:\n    def f[U](self): pass\n    class B[V]: pass\n")
    named = {s.qualified_name: s for s in scopes if s.kind != "type"}
    assert named.keys() == {"", "A", "A.f", "A.B"}
    assert named["A.f"].enclosing_class is named["A"]
    assert named["A"].bindings.keys() == {"f", "B"}


def test_scopes_inside_strings_are_opened_while_others_are_gone_through() -> None:
    text = "def f(x):\n    return f'{[y for y in x]}'\n"
    tree = Tree(parse(text), text)
    scopes = Scopes(tree.root)
    _, inside = tree.roots
    read = next(leaf for leaf in leaves(inside) if leaf.value == "y")
    kinds = [(scope.kind, scopes.of(read).kind) for scope in scopes]
    assert kinds == [("module", "comprehension"), ("function", "comprehension")]
    assert [scope.kind for scope in scopes] == ["module", "function", "comprehension"]
