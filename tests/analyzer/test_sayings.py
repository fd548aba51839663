"""What a file says with a word, from its text alone: where in doubt, it says it."""

from __future__ import annotations

import pytest

from pinsetter.analyzer.files.word_uses import (
    Assumed,
    Saying,
    SayingSearch,
    Told,
    called_too,
    words_in,
)

SILENT: dict[Saying, list[str]] = {
    Saying.ANYHOW: ["", "x = 1", "words", "a_word", "word_", "wordy = 'sword'"],
    Saying.STORED: [
        "word = 1", "x.word", "x.word()", "print(x.word)", "x.word.a = 1", "x.word[0] = 1",
        "class A:\n    def f(self):\n        self.word = 1",
        "class A:\n    def f(self):\n        def g():\n            self.word = 1",
        "class A:\n    def f(me, x):\n        me.word, x.other = 1, 2", "x = {'a': y.word, 'b': 1}",
        "# x.word = 1", "'x.word = 1'", "f(word=1)", "x.words = 1",
    ],
    Saying.RENAMED: [
        "from lib import word", "import lib.word", "from lib import word, a as b",
        "with a.word as b: pass", "try: pass\nexcept lib.word as e: pass", "word = lib.word",
        "from typing import word as w", "# from lib import word as w", "import word",
        "import typing.word as w", "from collections import (word\n as w)",
    ],
    Saying.DERIVED: [
        "class word: pass", "class A: pass", "class A(B): word = 1", "word()", "x = word",
        "class A(B, metaclass=word): pass", "class A:\n    def word(self): pass", "# class A(word)",
    ],
    Saying.COMPUTED: [
        "", "class A: pass", "class A(object): pass", "class A(Exception, B): pass\nclass B: pass",
        "import a\nclass A(a.b.C): pass", "from a import B\nclass A(B): pass",
        "from a import (\n    B,\n)\nclass A(B): pass",
        "from a import C as B\nclass A(B[int]): pass",
        "from a import *\nclass A(B): pass", "x = f(B)", "class A(\n    Exception,\n): pass",
        "class A(Exception, metaclass=made()): pass", "'class A(b): pass'",
    ],
    Saying.ASSIGNED: [
        "word()", "x = word()", "x = word.a", "x = word[0]", "f(word)", "return_(word)",
        "word = a.word", "a.word = word", "x = word + 1", "class A(word): pass", "del word",
        "x: word = 1", "x = f(word)", "for x in word: pass", "# x = word",
    ],
    Saying.CALLED: [
        "word()", "def word(self): pass", "super().word()", "super(A, self).word()", "word = 1",
        "# a.word()", "'a.word'", "a.words()",
    ],
    Saying.BY_INSTANCE: [
        "", "type(x)", "type(x) is int", "x.__class", "'__class__'", "# x.__class__",
        "mytype(x)(1)",
    ],
    Saying.PASSED: [
        "x = word", "f(word)", "import word", "import word\nword.f(1)", "import word as w\nf(w)",
        "import word\nx = word.f", "import word\ngetattr(word, 'f')", "f(x, 'word')",
        "def f(word):\n    return word", "from a import b\nf(word)", "import word\nword = None",
        ],
    Saying.IMPORTED: [
        "import lib", "import lib\nlib.word", "from other import word", "from .lib import word",
        "from lib import other", "from other import *\nlib.word", "# from lib import word",
    ],
    Saying.HANDED_ON: [
        "word()", "lib.word(1)", "x = word()", "x = lib.word(1) + 2", "word.a", "word[0]",
        "from lib import word", "import lib.word", "import lib.word as word", "class word: pass",
        "def word(): pass", "word = lib.word", "lib.word = word", "f(word=1)",
        "@word\ndef f(): pass",
        "@lib.word\nclass A: pass", "x: word = 1", "def f(x: lib.word) -> word: pass", "raise word",
        "try: pass\nexcept (lib.word, A) as e: pass", "isinstance(x, (word, int))", "x == word",
        "class A(lib.word): pass", "if word: pass", "while x in (word, 1): pass", "word",
        "x: dict[str, word] = {}", "for x in word: pass", "del word", "assert word", "not word",
        "# x = word", "'x = word'", "f'{word}'", "word == 1", "word: int", "f('word')",
        "x = {'word': 1}", "match x:\n    case lib.word: pass", "word += 1", "x = -word",
        "x = not word", "x = not (a or b and word)", "x = a if word else b",
        "[a for b in c if word]",
    ],
}  # fmt: skip
SPOKEN: dict[Saying, list[str]] = {
    Saying.ANYHOW: ["word", "x.word", "# word", "'word'", "word()", "f(word=1)", "print word"],
    Saying.STORED: [
        "x.word = 1", "x . word = 1", "x.\\\nword = 1", "(x.word, y) = 1, 2", "x.word, y = 1, 2",
        "[y, x.word] = 1, 2", "for x.word in y: pass", "with y as x.word: pass", "del x.word",
        "x.word += 1", "x.word: int = 1", "self.word = 1", "def f(self):\n    self.word = 1",
        "class A:\n    def f(self, x):\n        x.word = 1", "print 1\nx.word = 1", "x().word = 1",
        "class A:\n    def f(self):\n        def g(self):\n            self.word = 1",
        "[1 for x.word in y]", "(x.\nword) = 1",
    ],
    Saying.RENAMED: [
        "from lib import word as w", "from .a import word as w", "from a import (\n  b, word as w)",
        "import lib.word as w", "print 1\nfrom lib import word as w", "import a.word as w",
        "from other import word\\\n as w", "def f():\n    from lib.a import word as w",
        "from lib import (word\n    as w)", "from code import word as w", "import sys.word as w",
    ],
    Saying.DERIVED: [
        "class A(word): pass", "class A(lib.word): pass", "class A(B, word[int]): pass",
        "class A(with_metaclass(M, word)): pass", "class A(\n    word,\n): pass",
        "print 1\nclass A(B): x = word",
    ],
    Saying.COMPUTED: [
        "class A(f()): pass", "def f(x):\n    class A(x): pass", "class A(self.b): pass",
        "b = c\nclass A(b): pass", "import a\nclass A(a.B, made): pass",
        "print 1\nclass A(b): pass",
        "class A(*bases): pass", "class A(\n    b,\n): pass", "class A(B[f(1)], (b)): pass",
        "class A(B or b): pass", "class \\\n A(b): pass", "class A(f(g(h(1))), b): pass",
    ],
    Saying.ASSIGNED: [
        "x = word", "x = lib.word", "x = y = word", "x, y = word, 1", "x: type = word",
        "x = [word]",
        "if x := word: pass", "x.y = word", "x = word or 1", "x = a if b else word",
        "print 1\nx = word",
        "word = x = word",
    ],
    Saying.CALLED: [
        "a.word()", "x = a.word", "a . word()", "'word'", '"word"', "print 1\na.word()",
    ],
    Saying.BY_INSTANCE: ["type(x)(1)", "x.__class__(1)", "x.__class__", "print 1\nx.__class__"],
    Saying.PASSED: [
        "import word\nf(word)", "import a as word\nx = word", "from a import word\nx = [word]",
        "from a import (\n    b,\n    word,\n)\nf(word)", "from a import *\nf(word)", "x = a.word",
        "word = a.word\nf(word)", "getattr(a, 'word')", "import word\ndef f(x=word): pass",
        "from a import b, \\\n    word\nf(word)", "import word\nfor x in (word, 1): pass",
        "import word\ngetattr(x, word)", "print 1\nfrom a import word\nx = word",
    ],
    Saying.IMPORTED: [
        "from lib import word", "from lib.a import word", "from lib import word as w",
        "from lib import *", "from lib.a import *", "print 1\nfrom lib import word",
        "from lib import (\n    other,\n    word,\n)", "print 1\nfrom lib import *",
    ],
    Saying.HANDED_ON: [
        "x = word", "x = lib.word", "f(word)", "f(1, x=lib.word)", "def f(x=word): pass",
        "def f(*, x=lib.word): pass", "def f():\n    return word", "def f():\n    yield lib.word",
        "x = [word]", "x = (1, word)", "f([word])", "x = {'a': word}", "x = {word: 1}",
        "x = {word}",
        "lambda: word", "[word for x in y]", "from lib import word as w", "import lib.word as w",
        "getattr(lib, 'word')", "g(lib, 'word', 1)", "getattr(lib, 'w\\x6frd')", "x = word or 1",
        "x = a if b else word", "x = *word,", "with word as x: pass",
        "match word:\n    case x: pass",
        "if x := word: pass", "for x in (word, 1): pass", "f(*word)", "x = await_ = word",
        "print 1\nprint word", "x, y = word, 1", "(word, 1)[0](2)", "[word][0]()", "f(*[word])",
        "async def f():\n    await word", "isinstance(word(1), f(word))", "x = not f(word)",
        "[word for a in b if word]",
    ],
}  # fmt: skip


def asked(how: Saying) -> Assumed:
    word = "" if how in (Saying.COMPUTED, Saying.BY_INSTANCE) else "word"
    of_library = how in (Saying.RENAMED, Saying.IMPORTED)
    return Assumed("lib.word" if of_library else word, how)


@pytest.mark.parametrize(
    ("how", "code"), [(how, code) for how, codes in SILENT.items() for code in codes]
)
def test_what_is_not_said(how: Saying, code: str) -> None:
    one = asked(how)
    assert not Told(code.encode()).says(one.word, how)
    assert SayingSearch([one]).found_in(code.encode()) == set()


@pytest.mark.parametrize(
    ("how", "code"), [(how, code) for how, codes in SPOKEN.items() for code in codes]
)
def test_what_is_said_or_may_be(how: Saying, code: str) -> None:
    one = asked(how)
    assert Told(code.encode()).says(one.word, how)
    assert SayingSearch([one]).found_in(code.encode()) == {one}
    assert SayingSearch([one]).found_in(code.replace("\n", "\r\n").encode()) == {one}


@pytest.mark.parametrize(("code", "names"), [
    ("f(word)", set()), ("x = word", {"x"}), ("a.x = word", {"x"}), ("x = y = word", {""}),
    ("x, y = word, 1", {""}), ("x: type = lib.word", {"x"}), ("(x := word)", {"x"}),
    ("x = word\ny = a or word", {"x", "y"}), ("x = [word]", {"x"}), ("word = lib.word", set()),
    ("print 1\nx = word", {""}), ("x[0] = word", {""}),
])  # fmt: skip
def test_names_of_what_is_assigned(code: str, names: set[str]) -> None:
    assert Told(code.encode()).targets("word") == names


@pytest.mark.parametrize("count", [1, 200])
def test_words_are_whole_however_many(count: int) -> None:
    words = {b"word", b"other", *(b"word%d" % n for n in range(count))}
    assert words_in(b"a word, swords; \xc2\xa0other\r", words) == {b"word", b"other"}
    assert words_in(b"", words) == set()


def test_many_are_looked_for_at_once() -> None:
    wanted = {Assumed(f"w{n}", Saying.STORED) for n in range(300)} | {Assumed("é", Saying.ANYHOW)}
    data = "x.w7 = 1\nw8 = x.w9\né = 1\n".encode()
    assert SayingSearch(wanted).found_in(data) == {
        Assumed("w7", Saying.STORED), Assumed("é", Saying.ANYHOW),
    }  # fmt: skip


@pytest.mark.parametrize(("imports", "names"), [
    ([], {"lib"}), (["import lib"], {"lib"}), (["import lib as l"], {"lib", "l"}),
    (["import other as l", "from a import libs as x"], {"lib"}),
    (["from a import l as m", "import x.lib as l"], {"lib", "l", "m"}),
    (["from a import (lib\n    as l)"], {"lib", "l"}), (["import lib \\\n as é"], {"lib", "é"}),
    (["import a as b, lib as l, c as d"], {"lib", "l"}),
])  # fmt: skip
def test_names_of_what_is_imported(imports: list[str], names: set[str]) -> None:
    assert called_too("lib", [text.encode() for text in imports]) == names


def test_what_is_no_python_is_looked_at_in_no_time() -> None:
    """A search that goes back and forth would not end."""
    code = b"import " + b"(" * 5000 + b"\nclass A(" + b"((" * 2000 + b"x = word" + b" \\" * 5000
    assert Told(code).says("word", Saying.PASSED)
    assert Told(code).says("word", Saying.HANDED_ON)
    assert Told(code).says("", Saying.COMPUTED)
    assert not Told(code).says("lib.word", Saying.RENAMED)


def test_no_tree_is_kept_but_the_last() -> None:
    files = [Told(f"a{number} = word\n".encode()) for number in range(3)]
    assert all(told.says("word", Saying.HANDED_ON) for told in files)
    assert all(isinstance(value, (bytes, bool, frozenset))
               for told in files for value in vars(told).values())  # fmt: skip
    assert [told.targets("word") for told in files] == [{"a0"}, {"a1"}, {"a2"}]


def test_what_does_not_parse_is_asked_once_and_says_all() -> None:
    told = Told(b"def (:\n    word\n")
    assert told.says("word", Saying.HANDED_ON)
    assert told.says("word", Saying.PASSED) is False  # it is no attribute, and not imported
