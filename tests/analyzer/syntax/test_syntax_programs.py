"""Programs made of random statements parse, and their leaves know where they stand."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from syntax_trees import check_places, fissix_tree, flat, tree_of

NAMES = st.sampled_from(["x", "self.y", "tf.z", "print", "exec", "async_", "match", "type", "case"])
SPACE = st.sampled_from(["", " ", "  ", "\t", " \\\n "])
ATOMS = NAMES | st.sampled_from(["1", "1.5e3", "'s'", '"""a\nb"""', "None", "[]", "{}", "()"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: (
        st.tuples(inner, SPACE, st.sampled_from(["+", "*", "==", " and "]), SPACE, inner).map(
            lambda parts: f"({''.join(parts)})"
        )
        | st.tuples(NAMES, SPACE, inner).map(lambda parts: f"{parts[0]}({parts[1]}{parts[2]})")
        | st.tuples(inner, inner).map(lambda parts: f"[{parts[0]},\n # c\n{parts[1]}]")
        | inner.map(lambda value: f"(lambda x: {value})")
        | inner.map(lambda value: f"[x for x in {value}]")
    ),
    max_leaves=6,
)
SIMPLE = (
    st.tuples(st.sampled_from(["x", "x.y", "x[0]", "x, y"]), SPACE, EXPRESSIONS).map(
        lambda parts: f"{parts[0]} ={parts[1]}{parts[2]}"
    )
    | EXPRESSIONS
    | st.sampled_from(["pass", "import a.b as c", "from . import d", "del x", "global x", "# c"])
)


def indented(lines: list[str], unit: str) -> str:
    return "".join(f"{unit}{line}\n" for line in lines)


# fissix parses no program that has one of these.
NEW = ["match x:\n case _:", "with (a as b, c):", "def f[T](a, /):", "async def f():"]
BLOCKS = st.tuples(
    st.sampled_from(
        ["if x:", "for x in y:", "def f(a, *b, c=1, **d):", "with a as b:", "class A:", *NEW]
    ),
    st.sampled_from(["    ", "\t", "  "]),
    st.lists(SIMPLE, max_size=3),
).map(lambda parts: f"{parts[0]}\n" + indented([*parts[2], "pass"], parts[1]))
PROGRAMS = st.tuples(
    st.lists(BLOCKS | SIMPLE.map("{}\n".format) | st.just("\n")).map("".join),
    st.sampled_from(["", "# end", "\f\n", "x = 1", "  \n"]),
    st.sampled_from(["\n", "\r\n"]),
).map(lambda parts: (parts[0] + parts[1]).replace("\n", parts[2]))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PROGRAMS)
def test_generated_programs_round_trip(text: str) -> None:
    check_places(text)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PROGRAMS)
def test_generated_programs_have_fissix_own_tree(text: str) -> None:
    theirs = fissix_tree(text)
    if theirs is not None and theirs.children and text.endswith("\n"):
        assert list(flat(tree_of(text))) == list(flat(theirs))
