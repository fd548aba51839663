"""LastWords: whether code may mean one of some names at all, by the word that it ends with.

Whatever leads to ``numpy.in1d`` ends with that word, unless the function gets another name
somewhere: where it is assigned, passed, returned, imported `as`. Where nobody hands it on, the many
other names of a file need not be followed to where they come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..files.import_text import import_text
from ..files.word_uses import Assumed, Saying, Told, called_too
from ..library import Library
from ..library.spellings import last_words, second_names, spellings
from ..names.module import Module
from ..names.project import Project
from ..syntax.tree import LN, Expression, flat, is_name, leaves

_BUILTINS = "builtins"


class LastWords:
    """Of one project and library."""

    def __init__(self, project: Project, library: Library) -> None:
        self._project, self._library = project, library
        self._words: dict[frozenset[str], frozenset[str]] = {}
        self._any_others: dict[tuple[frozenset[str], Saying], bool] = {}
        self._others: dict[Assumed, bool] = {}
        self._homes: dict[tuple[str, frozenset[str]], frozenset[str]] = {}
        self._packages: dict[str, frozenset[str] | None] = {}

    def may_mean(
        self, expression: Expression, names: frozenset[str], how: Saying = Saying.HANDED_ON
    ) -> bool:
        """Whether code may mean one of some qualified names, where these get other names so; False
        only if that is proved, or assumed of other files, for a file alone."""
        return self.is_called(expression, names) or self.have_others(names, how)

    def is_called(self, expression: Expression, names: frozenset[str]) -> bool:
        """Whether code ends as one of some qualified names does."""
        said = self.words_of(names).intersection(_ends(expression))
        return bool(said) and self._may_be_had(expression, said, names)

    def words_of(self, names: frozenset[str]) -> frozenset[str]:
        """What code that means one of some qualified names ends with."""
        if names not in self._words:
            self._words[names] = last_words(names, self._library)
        return self._words[names]

    def _may_be_had(
        self, expression: Expression, said: frozenset[str], names: frozenset[str]
    ) -> bool:
        """Whether an attribute that is called as one of some names is one of what may be the
        package that has that. Packages are not computed; classes that have it are not looked at."""
        nodes = flat(expression)
        if len(nodes) < _CHAIN or not _is_attribute(nodes[-1]):
            return True
        (word,) = said
        if (word, names) not in self._homes:
            spelled = spellings(names, self._library)
            self._homes[word, names] = frozenset(
                home for name in spelled
                for home, _, last in [name.rpartition(".")] if last == word
            )  # fmt: skip
        return any(
            self._may_be(nodes[:-1], home, word) for home in sorted(self._homes[word, names])
        )

    def _may_be(self, owner: Expression, package: str, word: str) -> bool:
        called = self._called(package)
        if called is None or self._is_said(Assumed(f"{package}.{word}", Saying.IMPORTED)):
            return True
        if not called.isdisjoint(_ends(owner)):
            return True
        return any(self._is_said(Assumed(name, Saying.PASSED)) for name in sorted(called))

    def _called(self, package: str) -> frozenset[str] | None:
        """What a package is called in the project; None if it is none, or that is not known."""
        if "." in package or package in ("", _BUILTINS):
            return None
        if package not in self._packages:
            alone = self._project.alone
            if alone is not None:
                self._packages[package] = alone.called.get(package)
            else:
                _ = self._project.linked
                if any(package in m.name.split(".") for m in self._project.read):
                    self._packages[package] = None  # nobody has to say its name
                    return None
                texts = (
                    import_text(m.source.text.encode("utf-8", "replace"))
                    for m in self._project.read
                )
                self._packages[package] = called_too(package, texts)
        return self._packages[package]

    def have_others(self, names: frozenset[str], how: Saying) -> bool:
        """Whether what some qualified names mean gets another name so."""
        key = names, how
        if key not in self._any_others:
            asked = sorted(second_names(names, self._library, how))
            self._any_others[key] = any(map(self._is_said, asked))
        return self._any_others[key]

    def _is_said(self, one: Assumed) -> bool:
        if one not in self._others:
            self._others[one] = is_said(one, self._project)
        return self._others[one]


def is_said(one: Assumed, project: Project) -> bool:
    """Whether a file of the project says a word so."""
    if not project.alone:
        _ = project.linked  # reads every module that the given ones import
    return not project.assume(one) or any(
        told_by(module).says(one.word, one.how) for module in project.read
    )


def assigned_names(words: Iterable[str], project: Project) -> frozenset[str] | None:
    """What else in a project, if only by assignments, is called that has some names, these among
    them; None if that cannot be told."""
    found = {*words}
    waiting = [*found]
    while waiting:
        word = waiting.pop()
        if is_said(Assumed(f".{word}", Saying.RENAMED), project):
            return None
        project.assume(Assumed(word, Saying.ASSIGNED))
        for module in project.read:
            for target in told_by(module).targets(word) - found:
                if not target:
                    return None
                found.add(target)
                waiting.append(target)
    return frozenset(found)


def _is_attribute(node: LN) -> bool:
    return bool(node.type == symbols.trailer and node.children[0].type == token.DOT)


# Something, and its attribute.
_CHAIN = 2


def ends_of(expression: Expression) -> frozenset[str]:
    """What code ends with; of what is no name all names in it."""
    return frozenset(_ends(expression))


def _ends(expression: Expression) -> Iterator[str]:
    nodes = flat(expression)
    last = nodes[-1]
    if len(nodes) == 1 and is_name(last):
        return iter((last.value,))
    if _is_attribute(last):
        return iter((last.children[1].value,))
    return (leaf.value for node in nodes for leaf in leaves(node) if leaf.type == token.NAME)


def told_by(module: Module) -> Told:
    """What a module says, worked out once."""
    if Told not in module.memo:
        module.memo[Told] = Told(module.source.text.encode("utf-8", "replace"))
    found: Told = module.memo[Told]
    return found
