"""Sayings: what a file says with a word, told from its text without knowing any other file.

Which file may hold what another one concludes from its own code alone: who says a function's name
may call it, who binds an attribute may set another module's variable, and what is never handed on
has no second name.
"""

from __future__ import annotations

import ast
import builtins
import re
import warnings
from collections.abc import Collection, Iterable, Iterator
from enum import Enum
from functools import cached_property
from typing import ClassVar, NamedTuple

from .subset_bytes import SomeOf


class Saying(Enum):
    """How a file may say a word."""

    ANYHOW = "anyhow"
    STORED = "stored"
    """As an attribute that is bound, and not of a method's own `self`."""
    RENAMED = "renamed"
    """As what is imported under another name: ``library.name``, from there or from a file of the
    repository that has it from there."""
    IMPORTED = "imported"
    """As what is imported from there: ``library.name``, by its name or among all names."""
    DERIVED = "derived from"
    """In what a class derives from."""
    COMPUTED = "derived from what is computed"
    """A class derives from what no import, class or builtin of its file is called. No word."""
    ASSIGNED = "assigned"
    """As a value that is assigned to another name."""
    CALLED = "called"
    """As an attribute, but of `super()`, or as a string."""
    BY_INSTANCE = "by instance"
    """That it makes instances of the classes of others. No word."""
    PASSED = "passed"
    """As an import, or an attribute, that gets another name; by `getattr` too."""
    HANDED_ON = "handed on"
    """As a value that gets another name: assigned, passed, returned, imported `as`, asked for by
    `getattr`."""


# Of these it is enough to know that a file says so, whichever it is.
ENOUGH_TO_KNOW = {
    Saying.RENAMED,
    Saying.IMPORTED,
    Saying.HANDED_ON,
    Saying.BY_INSTANCE,
    Saying.PASSED,
}


class Assumed(NamedTuple):
    """That no other file says a word."""

    word: str
    how: Saying


_BLANK = rb"(?:[ \t\f]|\\\r?\n)*"
# An attribute, and a name, that are only called, or asked for a part of them.
_ATTRIBUTE = rb"\.[\s\\]*%%b\b(?!%b[(.\[])" % _BLANK
_RENAMED = rb"\b%b[\s\\]+as\b"
_ASKED = rb"\.[\s\\]*%b\b|[\"']%b[\"']"
_IMPORT = re.compile(rb"\bimport\b")
_STAR = re.compile(rb"\bimport[\s\\(]*\*")
# What an import of all names may be of.
_ALL = b"*"
_VALUE = rb"\b%%b\b(?!%b(?:[(.\[]|=[^=]))" % _BLANK
_WHOLE = rb"\b%b\b"
_RUN = re.compile(rb"\w+")
_NEAR = 100
# Below so many, each is looked for by itself.
_FEW = 100
BY_TYPE = re.compile(rb"\btype\([^()]*\)\(")
_CLASS_OF = re.compile(rb"\bclass\b[ \t\\\r\n]*[^\s(:]+[ \t\\\r\n]*\(")
_BASES = re.compile(rb"\bclass[ \t]+\w+[ \t]*\(((?:[^()]|\([^()]*\))*)\)")
_AS = re.compile(rb"([\w\x80-\xff]+)[\s\\]+as[\s\\]+([\w\x80-\xff]+)")
_KNOWN = rb"(?m)^[ \t]*(?:class[ \t]+%b\b|(?:from|import)\b[^\r\n]*\b%b\b)"
_ROOT = re.compile(rb"(?<![\w.=])([A-Za-z_]\w*)(?![\w]*[ \t]*=)")
_ESCAPE = re.compile(rb"\\[xuUN0-7]")
# What nobody calls a module of their own; others of Python's libraries some do.
_OF_PYTHON = {"typing", "collections", "abc"}
_FAILURES = (SyntaxError, ValueError, RecursionError, MemoryError)


def words_in(data: bytes, words: Collection[bytes]) -> set[bytes]:
    """Those of some ASCII words that are in the bytes of a file."""
    if len(words) <= _FEW:
        return {
            word for word in words if word in data and re.search(_WHOLE % re.escape(word), data)
        }
    return {*words}.intersection(_RUN.findall(data))


def called_too(word: str, imports: Iterable[bytes]) -> frozenset[str]:
    """What a name, or what is imported as that, is imported as in the import texts of files; that
    name among it."""
    pairs = {pair for text in imports if b" as" in text for pair in _AS.findall(text)}
    found = {word.encode()}
    while more := {other for one, other in pairs if one in found} - found:
        found |= more
    return frozenset(one.decode("utf-8", "replace") for one in found)


def hides_words(data: bytes) -> bool:
    """Whether what a file asks for by `getattr` may be written by escapes."""
    return b"getattr" in data and _ESCAPE.search(data) is not None


class SayingSearch:
    """Which of some assumptions are wrong, by the bytes of files."""

    def __init__(self, wanted: Iterable[Assumed]) -> None:
        self.wanted = frozenset(wanted)
        self._by_word: dict[bytes, list[Assumed]] = {}
        for one in self.wanted:
            self._by_word.setdefault(one.word.rpartition(".")[2].encode(), []).append(one)
            if one.how is Saying.IMPORTED:
                self._by_word.setdefault(_ALL, []).append(one)
        self._ascii = frozenset(
            code for code in self._by_word if code.isascii() and code not in (b"", _ALL)
        )
        self._others = self._by_word.keys() - self._ascii - {_ALL}

    def found_in(self, data: bytes) -> set[Assumed]:
        """Those of the assumptions that a file contradicts, or may."""
        told: Told | None = None
        found: set[Assumed] = set()
        for code in self._said_in(data):
            for one in self._by_word[code]:
                told = told or Told(data)
                if told.says(one.word, one.how):
                    found.add(one)
        return found

    def _said_in(self, data: bytes) -> Iterable[bytes]:
        if hides_words(data):
            return self._by_word
        found = words_in(data, self._ascii) | {code for code in self._others if code in data}
        if _ALL in self._by_word and _STAR.search(data):
            found.add(_ALL)
        return found

    @cached_property
    def some(self) -> SomeOf[Assumed]:
        """Of the assumptions."""
        return SomeOf(self.wanted, lambda one: f"{one.how.value} {one.word}")


class Told:
    """What one file says."""

    _latest: ClassVar[tuple[Told, ast.Module] | None] = None
    """The tree that was made last: one question is often followed by another."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def says(self, word: str, how: Saying) -> bool:
        """Whether the file says a word so, or may."""
        library, _, last = word.rpartition(".")
        if how is Saying.IMPORTED and b"*" in self._data and library.encode() in self._data:
            if not self._parses or (library, "*") in self._imported:
                return True
        if last.encode() not in self._data:
            return (
                how is Saying.HANDED_ON and hides_words(self._data)
                and (not self._parses or last in self._asked_for)
            )  # fmt: skip
        if not last.isascii():
            return True
        code = re.escape(last.encode())
        if how is Saying.ANYHOW:
            return re.search(rb"\b%b\b" % code, self._data) is not None
        if how is Saying.STORED:
            if re.search(_ATTRIBUTE % code, self._data) is None:
                return False
            return not self._parses or word in self._stored
        if how is Saying.RENAMED:
            if re.search(_RENAMED % code, self._data) is None:
                return False
            return not self._parses or any(
                home == library or home not in _OF_PYTHON
                for home, name in self._renamed if name == last
            )  # fmt: skip
        if how is Saying.IMPORTED:
            said = library.encode() in self._data and b"import" in self._data
            return said and (not self._parses or (library, last) in self._imported)
        if how is Saying.COMPUTED:
            return _may_compute_bases(self._data) and (not self._parses or self._computes_bases)
        if how is Saying.BY_INSTANCE:
            return BY_TYPE.search(self._data) is not None or (
                b"__class__" in self._data and (not self._parses or self._says_class)
            )
        if how is Saying.CALLED:
            return re.search(rb"[\"']%b[\"']" % code, self._data) is not None or (
                re.search(rb"\.[\s\\]*%b\b" % code, self._data) is not None
                and (not self._parses or last in self._attributes)
            )
        if how is Saying.DERIVED:
            if b"class" not in self._data or code not in self._data:
                return False
            return not self._parses or word in self._derived
        if how is Saying.ASSIGNED:
            if re.search(_VALUE % code, self._data) is None:
                return False
            return not self._parses or any(name == last for name, _ in self._assigned)
        if how is Saying.PASSED:
            if re.search(_VALUE % code, self._data) is None or (
                re.search(_ASKED % (code, code), self._data) is None
                and not any(b"*" in one or last.encode() in one for one in _imports(self._data))
            ):
                return False
            return not self._parses or last in self._passed
        if re.search(_VALUE % code, self._data) is None and not (
            hides_words(self._data) and (not self._parses or last in self._asked_for)
        ):
            return False
        return not self._parses or word in self._handed_on

    @cached_property
    def _asked_for(self) -> frozenset[str]:
        calls = (node for node in ast.walk(self._tree) if isinstance(node, ast.Call))
        return frozenset(word for call in calls for word in _asked_for(call))

    @cached_property
    def _parses(self) -> bool:
        """Whether the code is some to this Python."""
        try:
            return self._tree is not None
        except _FAILURES:
            return False

    @property
    def _tree(self) -> ast.Module:
        """Made again for each question: a tree takes thirty times the file's size, and all files of
        a run are asked. Raises one of _FAILURES for code that is none."""
        latest = Told._latest
        if latest is None or latest[0] is not self:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                latest = Told._latest = self, ast.parse(self._data)
        return latest[1]

    @cached_property
    def _stored(self) -> frozenset[str]:
        return frozenset(_stored(self._tree, None))

    @cached_property
    def _passed(self) -> frozenset[str]:
        bound = {
            item.asname or item.name.partition(".")[0]
            for node in ast.walk(self._tree) if isinstance(node, (ast.Import, ast.ImportFrom))
            for item in node.names
        }  # fmt: skip
        attributes = {n.attr for n in ast.walk(self._tree) if isinstance(n, ast.Attribute)}
        asked_for = {
            word for node in ast.walk(self._tree)
            if isinstance(node, ast.Call) and _called(node) == "getattr"
            for word in _asked_for(node)
        }  # fmt: skip
        everything = "*" in bound
        passed = {
            word for word, _ in _handed_on(self._tree)
            if everything or word in bound or word in attributes
        }  # fmt: skip
        return frozenset(asked_for | passed)

    @cached_property
    def _imported(self) -> frozenset[tuple[str, str]]:
        """The packages, none for the file's own, and names of what is imported from them."""
        return frozenset(
            (_home(node, item), item.name)
            for node in ast.walk(self._tree) if isinstance(node, ast.ImportFrom)
            for item in node.names
        )  # fmt: skip

    @cached_property
    def _says_class(self) -> bool:
        return any(_named(node) == "__class__" for node in ast.walk(self._tree))

    @cached_property
    def _attributes(self) -> frozenset[str]:
        """Those that are asked for, but for what `super()` has."""
        return frozenset(
            node.attr for node in ast.walk(self._tree)
            if isinstance(node, ast.Attribute) and not (
                isinstance(node.value, ast.Call) and _word(node.value.func) == "super"
            )
        )  # fmt: skip

    def targets(self, word: str) -> set[str]:
        """What else something is called that is assigned, as far as that is one name; an empty one
        for all else."""
        if not self.says(word, Saying.ASSIGNED):
            return set()
        if not self._parses:
            return {""}
        return {target for name, target in self._assigned if name == word} or {""}

    @cached_property
    def _assigned(self) -> frozenset[tuple[str, str]]:
        return frozenset(
            (word, target)
            for word, statement in _handed_on(self._tree)
            if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.NamedExpr))
            for target in [_target(statement, "value") or ""]
        )

    @cached_property
    def _computes_bases(self) -> bool:
        """Whether a class derives from what no import, class or builtin is called."""
        known = set(dir(builtins))
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ClassDef):
                known.add(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                names = (item.asname or item.name.partition(".")[0] for item in node.names)
                known.update(names)
        classes = (node for node in ast.walk(self._tree) if isinstance(node, ast.ClassDef))
        roots = {_root(base) for cls in classes for base in cls.bases}
        return not roots <= known and "*" not in known

    @cached_property
    def _renamed(self) -> frozenset[tuple[str, str]]:
        """The packages, none for the file's own, and names of what is imported as another name."""
        return frozenset(
            (home, item.name.rpartition(".")[2])
            for node in ast.walk(self._tree) if isinstance(node, (ast.Import, ast.ImportFrom))
            for item in node.names if item.asname is not None
            for home in [_home(node, item)]
        )  # fmt: skip

    @cached_property
    def _derived(self) -> frozenset[str]:
        classes = (node for node in ast.walk(self._tree) if isinstance(node, ast.ClassDef))
        bases = (part for cls in classes for base in cls.bases for part in ast.walk(base))
        return frozenset(word for part in bases if (word := _word(part)) is not None)

    @cached_property
    def _handed_on(self) -> frozenset[str]:
        return frozenset(word for word, _ in _handed_on(self._tree))


def _imports(data: bytes) -> Iterator[bytes]:
    """What stands behind each `import`: the rest of its lines, or what is in its parentheses."""
    for found in _IMPORT.finditer(data):
        start = found.end()
        opening = data[start : start + _NEAR].lstrip(b" \t\\\r\n")[:1]
        end = data.find(b")" if opening == b"(" else b"\n", start)
        while end > 0 and data[:end].endswith((b"\\", b"\\\r")):
            end = data.find(b"\n", end + 1)
        yield data[start : end if end >= 0 else len(data)]


def _may_compute_bases(data: bytes) -> bool:
    """False only where all that classes derive from is called as an import or a class is."""
    heads = _BASES.findall(data)
    bases = {root for found in heads for root in _ROOT.findall(found)}
    return len(heads) < len(_CLASS_OF.findall(data)) or any(
        re.search(_KNOWN % (root, root), data) is None and not hasattr(builtins, root.decode())
        for root in bases
    )


def _root(base: ast.expr) -> str:
    """The name that a base begins with; none if it is no name, or an item of one."""
    while isinstance(base, (ast.Attribute, ast.Subscript)):
        base = base.value
    return base.id if isinstance(base, ast.Name) else ""


def _named(node: ast.AST) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _home(node: ast.Import | ast.ImportFrom, item: ast.alias) -> str:
    """The package that something is imported from; none where it is the file's own."""
    module = item.name if isinstance(node, ast.Import) else (node.module or "")
    return "" if isinstance(node, ast.ImportFrom) and node.level else module.partition(".")[0]


def _stored(node: ast.AST, own: str | None, in_class: bool = False) -> Iterator[str]:
    """The attributes that are bound in a node, but for those of ``own``, the `self` around it."""
    for child in ast.iter_child_nodes(node):
        inside = own
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            first = [*child.args.posonlyargs, *child.args.args][:1]
            if in_class and first:
                inside = first[0].arg
            elif own in _parameters(child.args):
                inside = None
        if isinstance(child, ast.Attribute) and not isinstance(child.ctx, ast.Load):
            if not (isinstance(child.value, ast.Name) and child.value.id == own):
                yield child.attr
        yield from _stored(child, inside, isinstance(child, ast.ClassDef))


def _parameters(arguments: ast.arguments) -> set[str | None]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return {one.arg for one in (*every, arguments.vararg, arguments.kwarg) if one is not None}


# Where a value stays what it is called: what is called, asked for a part, compared, caught, raised.
_KEPT = {
    (ast.Call, "func"), (ast.Attribute, "value"), (ast.Subscript, "value"),
    (ast.Subscript, "slice"), (ast.Compare, "left"), (ast.Compare, "comparators"),
    (ast.ExceptHandler, "type"), (ast.Raise, "exc"), (ast.Raise, "cause"), (ast.Expr, "value"),
    (ast.BinOp, "left"), (ast.BinOp, "right"), (ast.UnaryOp, "operand"), (ast.If, "test"),
    (ast.While, "test"), (ast.IfExp, "test"), (ast.Assert, "test"), (ast.For, "iter"),
    (ast.AsyncFor, "iter"), (ast.comprehension, "iter"), (ast.comprehension, "ifs"),
    (ast.FormattedValue, "value"), (ast.arg, "annotation"), (ast.AnnAssign, "annotation"),
    (ast.FunctionDef, "returns"), (ast.AsyncFunctionDef, "returns"), (ast.ClassDef, "bases"),
    (ast.FunctionDef, "decorator_list"), (ast.AsyncFunctionDef, "decorator_list"),
    (ast.ClassDef, "decorator_list"), (ast.Delete, "targets"), (ast.MatchClass, "cls"),
    (ast.MatchValue, "value"),
}  # fmt: skip
# Of these what is in a tuple or list is not given to anybody.
_UNGIVEN = {
    (ast.Compare, "left"), (ast.Compare, "comparators"), (ast.ExceptHandler, "type"),
    (ast.Subscript, "slice"), (ast.Raise, "exc"), (ast.Expr, "value"), (ast.arg, "annotation"),
    (ast.AnnAssign, "annotation"), (ast.FunctionDef, "returns"), (ast.If, "test"),
    (ast.AsyncFunctionDef, "returns"), (ast.While, "test"), (ast.Assert, "test"),
    (ast.UnaryOp, "operand"), (ast.IfExp, "test"), (ast.comprehension, "ifs"),
}  # fmt: skip
_ASKING = {"isinstance", "issubclass"}
_ASKING_FOR = {"getattr", "hasattr"}  # by a word that is looked at by itself
_DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Starred, ast.BoolOp, ast.IfExp)


def _handed_on(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The last words of what gets another name, each with what gives it to that: for what is
    in a tuple what is around it."""
    waiting: list[tuple[ast.AST, bool, ast.AST]] = [(tree, False, tree)]
    while waiting:
        node, given, giving = waiting.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name in node.names:
                last = name.name.rpartition(".")[2]
                if name.asname not in (None, last):
                    yield last, node
            continue
        if isinstance(node, ast.Call):
            for word in _asked_for(node):
                yield word, node
        called = _called(node)
        for field, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST):
                    continue
                around = node
                if isinstance(node, _DISPLAYS) and field != "test":
                    handed, around = given, giving
                elif isinstance(child, _DISPLAYS):
                    handed = (type(node), field) not in _UNGIVEN
                else:
                    handed = (type(node), field) not in _KEPT
                if field == "args" and called in _ASKING:
                    handed = False
                if field == "args" and called in _ASKING_FOR and child is value[0]:
                    handed = False
                said = _word(child)
                if said is not None and handed and said != _target(node, field):
                    yield said, around
                waiting.append((child, handed, around))


def _word(node: ast.AST) -> str | None:
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        return node.attr
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else None


def _called(node: ast.AST) -> str | None:
    return _word(node.func) if isinstance(node, ast.Call) else None


def _target(node: ast.AST, field: str) -> str | None:
    """What a value is called that is bound: ``product = numpy.product`` gives it no other name."""
    if field != "value":
        return None
    target: ast.expr
    if isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
        target = node.target
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    else:
        return None
    if isinstance(target, ast.Attribute):
        return target.attr
    return target.id if isinstance(target, ast.Name) else None


def _asked_for(call: ast.Call) -> Iterator[str]:
    """What ``getattr(owner, "name")`` gives, whatever getattr is called."""
    for name in call.args[1:2]:
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value
