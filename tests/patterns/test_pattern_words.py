"""The words that are derived from patterns: none that a match can do without."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinsetter.analyzer.files.import_text import import_text
from pinsetter.analyzer.files.needed_text import End, NeededText, WordSearch
from pinsetter.analyzer.files.word_uses import Assumed, Saying
from pinsetter.analyzer.library.declared import declared
from pinsetter.patterns.matching.pattern_words import needed_by
from pinsetter.patterns.packs.pack import Pack, load

NUMPY = frozenset([b"numpy"])
B = frozenset([b"b"])
DOMAIN = frozenset(name.encode() for name in declared().packages | declared().helpers)

HEAD = """
pack: words
summary: Words.
imports: {np: numpy, tf: [tensorflow.compat.v1, tensorflow], one: builtins, six: six}
functions: {floats: [numpy.float, jax.float]}
rules:
  - id: rule
    title: Rule
    why: Because.
    examples: [{unchanged: f(1)}]
"""


def needed(tmp_path: Path, rule: str) -> list[NeededText]:
    path = tmp_path / "words.yaml"
    path.write_text(HEAD + "".join(f"    {line}\n" for line in rule.splitlines()))
    pack = load(path)
    assert isinstance(pack, Pack), pack
    return [need for rule in pack.rules for need in needed_by(rule, pack)]


@pytest.mark.parametrize(("rule", "own"), [
    ("match: f($x)\nreport: No.", {"f"}),
    ("match: $x.fit($...a)\nreport: No.", {"fit"}),
    ("match: $x.fit($...a, steps=$n)\nreport: No.", {"fit", "steps"}),
    ("match: $x.fit(verbose=2, steps=$n)\nreport: No.", {"fit", "steps", "verbose"}),
    ("match: $x == 'text'\nreport: No.", set()),
    ("match: async_fit($x)\nreport: No.", {"async_fit"}),
    ("match: await f($x)\nreport: No.", {"await", "f"}),
    ("match: print(é)\nreport: No.", {"print"}),
    ("match: 'with $a as $b: $...body'\nreport: No.", {"with", "as"}),
    ("query: \"power< x='one' t=trailer< '.' ('a' | 'b') > any* >\"\nreport: No.", {"one"}),
    ("query: \"power< x='one' t=trailer< '.' ('a' | 'a') > any* >\"\nreport: No.", {"one", "a"}),
    ("query: \"power< x='one' [trailer< '.' 'a' >] >\"\nreport: No.", {"one"}),
    ("query: \"power< x='one' trailer< '.' 'a' >* >\"\nreport: No.", {"one"}),
    ("query: \"power< x='one' trailer< '.' 'a' >+ >\"\nreport: No.", {"one", "a"}),
    ("query: \"power< x=any not trailer< '.' 'a' > >\"\nreport: No.", set()),
    ("query: 'file_input< any* >'\nreport: No.", set()),
])  # fmt: skip
def test_words_of_the_file_itself(tmp_path: Path, rule: str, own: set[str]) -> None:
    found = needed(tmp_path, rule)
    assert found == [NeededText(frozenset(word.encode() for word in own))]


@pytest.mark.parametrize(("rule", "shared"), [
    ("match: np.float($x)\nreport: No.", [NUMPY]),
    ("match: np.float\nreport: No.", [NUMPY]),
    ("match: tf.function($x)\nreport: No.", [DOMAIN]),
    ("match: one.print($x)\nreport: No.", []),  # a name of Python's own needs no import
    ("match: $f($x)\nwhere:\n  - means: [$f, numpy.float]\nreport: No.", [NUMPY]),
    ("match: $f($x)\nwhere:\n  - means: [$f, floats]\nreport: No.", [NUMPY | {b"jax"}]),
    ("match: $f($x)\nwhere:\n  - not: {means: [$f, numpy.float]}\nreport: No.", []),
    ("match: $f($x)\nwhere:\n  - isa: [$x, b.C]\nreport: No.", [frozenset([b"b"])]),
    ("match: $f($x)\nwhere:\n  - made_by: [$x, b.f]\nreport: No.", [frozenset([b"b"])]),
    ("match: $f($x)\nwhere:\n  - isa: [$x, datetime.datetime]\nreport: No.", []),
    ("match: $f($x)\nwhere:\n  - isa: [$x, builtins.str]\nreport: No.", []),
    ("match: $f($x)\nwhere:\n  - means: [$f, datetime.datetime.now]\nreport: No.", []),
    ("match: $f($x)\nwhere:\n  - means: [$f, subprocess.call]\nreport: No.",
     [frozenset([b"subprocess"])]),
    ("match: np.float(six.text($x))\nreport: No.", [NUMPY, frozenset([b"six"])]),
])  # fmt: skip
def test_words_of_the_files_around(
    tmp_path: Path, rule: str, shared: list[frozenset[bytes]]
) -> None:
    (found,) = needed(tmp_path, rule)
    assert found.shared == {*shared}


def test_a_string_needs_no_import(tmp_path: Path) -> None:
    rule = "match: np.float\nedit: {rename: $match, to: np.float64%s}"
    (found,) = needed(tmp_path, rule % "")
    assert found.shared == {NUMPY}
    for said in (", strings: true", ", strings: false"):
        assert needed(tmp_path, rule % said) == [NeededText(frozenset([b"float"]))]


def test_a_method_is_said_where_it_is_called(tmp_path: Path) -> None:
    rule = "match: $f($x)\nwhere:\n  - method: [$f, a, b]\nreport: No."
    (found,) = needed(tmp_path, rule)
    assert found.ends == {End(frozenset([b"a", b"b"]), frozenset())}
    assert found.may_be_in({b"b"})
    assert not found.may_be_in({b"c"})
    other = rule.replace("method: [$f", "argument: {name: k, as: g}\n  - method: [$g")
    (found,) = needed(tmp_path, other)
    assert found.may_be_in({b"b"})
    assert not found.may_be_in({b"c"})


@pytest.mark.parametrize(("words", "may"), [
    ({b"a", b"b"}, True), ({b"a", b"c"}, True), ({b"a"}, False), ({b"b"}, False), (set(), False),
])  # fmt: skip
def test_a_file_may_have_what_needs_some_words(words: set[bytes], may: bool) -> None:
    need = NeededText(
        frozenset([b"a"]), ends=frozenset([End(frozenset([b"b", b"c"]), frozenset())])
    )
    assert need.may_be_in(words) is may
    # It may have another name, which other files say.
    assumed = frozenset([Assumed("b", Saying.HANDED_ON)])
    other = NeededText(frozenset([b"a"]), ends=frozenset([End(frozenset([b"b"]), assumed)]))
    assert other.may_be_in(words) is (b"a" in words)


WAYS = "match: $f($x)\nwhere:\n  - any:\n{ways}report: No."


@pytest.mark.parametrize(("conditions", "ways"), [
    (["means: [$f, numpy.a]", "isa: [$x, b.C]"], [(set(), {NUMPY}), (set(), {B})]),
    (["means: [$f, numpy.a]", "plain_arguments: true"], [(set(), {NUMPY}), (set(), set())]),
    (["matches: {$x: $y.a($z)}", "isa: [$x, b.C]"], [({b"a"}, set()), (set(), {B})]),
    (["matches: {$x: $y.a(k=$z)}"], [({b"a", b"k"}, set())]),
    (["matches: {$x: $y == 'a'}"], [(set(), set())]),
    (["not: {matches: {$x: $y.a($z)}}"], [(set(), set())]),
    (["all: [{matches: {$x: $y.a($z)}}, {isa: [$x, b.C]}]"], [({b"a"}, {B})]),
    (["all: [{any: [{isa: [$x, b.C]}, {matches: {$x: $y.a()}}]}, {matches: {$f: $y.d}}]"],
     [({b"d"}, {B}), ({b"a", b"d"}, set())]),
    (["proved: {isa: [$x, b.C]}"], [(set(), {B})]),
    ([f"matches: {{$x: $y.a{n}()}}" for n in range(17)], [(set(), set())]),
])  # fmt: skip
def test_each_way_needs_its_own(
    tmp_path: Path, conditions: list[str], ways: list[tuple[set[bytes], set[frozenset[bytes]]]]
) -> None:
    rule = WAYS.format(ways="".join(f"      - {condition}\n" for condition in conditions))
    found = needed(tmp_path, rule)
    assert [(need.own, need.shared) for need in found] == ways


@pytest.mark.parametrize(("rule", "ends", "owners"), [
    ("match: np.float", [{b"float"}], ["numpy"]), ("match: np.float($x)", [{b"float"}], []),
    ("match: np.linalg.norm", [{b"norm"}], []), ("match: one.print", [{b"print"}], []),
    ("match: $f($x)\nwhere:\n  - means: [$f, floats]", [{b"float"}], []),
    ("match: $f($x)\nwhere:\n  - calls: [$x, numpy.a, jax.b]", [{b"a", b"b"}], []),
    ("match: $f(a, $x)\nwhere:\n  - means: [$f, numpy.a]", [], []),  # the word is there anyway
    ("match: $f($x)\nwhere:\n  - argument: {name: k, as: v}\n  - means: [$v, numpy.a]", [{b"a"}],
     []),
    ("match: $f($x)\nwhere:\n  - not: {means: [$f, numpy.a]}", [], []),
    ("match: $f($x)\nwhere:\n  - made_by: [$x, numpy.a]", [], []),
])  # fmt: skip
def test_what_code_ends_with(
    tmp_path: Path, rule: str, ends: list[set[bytes]], owners: list[str]
) -> None:
    (found,) = needed(tmp_path, f"{rule}\nreport: No.")
    assert [end.words for end in found.ends] == ends
    assert [owner.package for owner in found.owners] == owners


@pytest.mark.parametrize(("data", "found"), [
    (b"print(1)", True), (b"# print", True), (b"x.print", True), (b"(print)", True),
    (b"print", True), (b"\xef\xbb\xbfprint", True), (b"blueprint", False), (b"printer", False),
    (b"print_", False), (b"\xc2\xa0print", True), (b"blueprint\rprint", True), (b"", False),
])  # fmt: skip
def test_words_are_whole(data: bytes, found: bool) -> None:
    search = WordSearch([NeededText(frozenset([b"print"]))])
    assert (b"print" in search.found_in(data)) == found


@pytest.mark.parametrize(("data", "path", "found"), [
    (b"import lib", "", True), (b"import a, lib.b as c", "", True), (b"", "lib.py", True),
    (b"from lib import x", "", True), (b"\timport lib", "", True), (b"", "src/lib/a.py", True),
    (b"from .a import lib", "", True), (b"import a, \\\n    lib", "", True),
    (b"import a, \\\r\n    lib", "", True), (b"x = import_module('lib.a')", "", True),
    (b"x = __import__('lib')", "", True), (b'["import lib\\n",', "", True),
    (b"if a: import lib", "", True), (b"from a import (\n    b,\n    lib,\n)", "", True),
    (b"from a \\\n    import lib", "", True), (b"x = import_module(\n    'lib')", "", True),
    (b"lib.x", "", False), (b"# lib", "", False), (b"import a\nlib.x", "", False),
    (b"import liberty", "", False), (b"x.from_lib", "", False),
    (b"import a\\\n\nlib", "", False), (b"", "library.py", False), (b"import a\rlib", "", False),
])  # fmt: skip
def test_packages_are_imported(data: bytes, path: str, found: bool) -> None:
    """That a file, or one that is joined to it, says a package's name is not enough."""
    packages = frozenset([b"lib"])
    search = WordSearch([NeededText(shared=frozenset([packages]))])
    assert search.imported_in(import_text(data), path) == (packages if found else set())


def test_one_need_of_several_is_enough() -> None:
    one, two = NeededText(frozenset([b"a", b"b"])), NeededText(frozenset([b"c"]))
    search = WordSearch([one, two, one])
    assert search.fitting(search.found_in(b"a c")) == [two]
    assert search.fitting(search.found_in(b"a")) == []
    assert search.fitting(search.found_in(b"b, a")) == [one]


def test_nothing_is_asked_for_what_needs_a_package_that_is_not_there() -> None:
    there, not_there = frozenset([b"lib"]), frozenset([b"other"])
    asked = Assumed("other.word", Saying.RENAMED)
    search = WordSearch([
        NeededText(frozenset([b"a"]), frozenset([there])), NeededText(frozenset([b"b"])),
        NeededText(shared=frozenset([there, not_there]),
                   ends=frozenset([End(frozenset([b"word"]), frozenset([asked]))])),
    ])  # fmt: skip
    assert search.others.wanted == {asked}
    left = search.where([there])
    assert [need.own for need in left.needs] == [{b"a"}, {b"b"}]
    assert left.others.wanted == set()
