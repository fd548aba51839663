"""Random programs that end, and a run of them that notes what happened in which order.

A program reads and binds a few names. What it calls - ``c``, ``v`` … - answers at random, raises
at random, and says no when the fuel is used up. The run is Python's own: at module level a mapping
sees every name that is read, bound or deleted; in a function the names are made attributes of an
object that sees it. Calls between the statements say which one begins and which one is done.
"""

from __future__ import annotations

import ast
import builtins
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "b", "d")
FUEL = 60
_PAIRS = [(x, y) for x in NAMES for y in NAMES]


@dataclass(frozen=True)
class Event:
    """``kind`` is begin, enter, done, read, missing (read, but unbound), write, delete or end."""

    kind: str
    line: int
    name: str = ""
    column: int = 0


# ---------------------------------------------------------------- programs

_SIMPLE = [
    "{x} = v()", "{x} = {y}", "{x} += 1", "{x}, {y} = v(), v()", "{x}, {y} = w()",
    "{x} = {y} = v()", "del {x}", "pass", "u({x})", "u({x}, {y})", "raise E", "raise G", "raise",
    "assert c()",
    "u({x}) if c() else u({y})", "{x} = c() and {y}", "u([{x} for z in it() if c()])",
    "if c(): {x} = v()", "u({x}); {y} = v()", "o.p = {x}", "o.p, {x} = w()", "{x} = o[{y}] = v()",
    "u(f'{{{x}}} {{{y} + 1}}')",
]  # fmt: skip
# The attributes that stand for names in a function cannot be bound by these.
_AT_MODULE_LEVEL = [
    "u({x} := v())", "c() and ({x} := v())", "u(({x} := v()), {x})",
    "u({y} if ({x} := c()) else {x})", "import sys as {x}", "def {x}(k=u({y})): pass",
    "from sys import path as {x}, nothing as {y}",
    "class {x}(b_({y})): pass", "class {x}: u({y})",
]  # fmt: skip
_IN_FUNCTIONS = [
    "return",
    "return {x}",
    "f = lambda: u({x}, {y})",
    "f()",
    "u(z + {x} for z in it())",
]
_HANDLERS = ["except E:", "except (E, NameError):", "except Exception as {x}:", "except u({x}):"]
_CASES = [
    "case 0:",
    "case [{x}, {y}]:",
    "case {x} if c():",
    "case int({x}):",
    "case [*{x}] if c():",
]
_WITH = ["with m():", "with m() as {x}:", "with m() as {x}, m() as {y}:", "with m() as ({x}, {y}):"]
_LAST_CASES = ["case _:", "case {x}:", "case [{x}]:"]


class _Maker:
    """Makes a program by what ``choose`` chooses among several things."""

    def __init__(self, choose: Callable[[Sequence[Any]], Any], function: bool) -> None:
        self.choose = choose
        self.function = function
        self.lines: list[str] = []
        self.simple = [*_SIMPLE, *(_IN_FUNCTIONS if function else _AT_MODULE_LEVEL)]

    def pick(self, choices: list[str]) -> str:
        return str(self.choose(choices))

    def chance(self) -> bool:
        return bool(self.choose((False, True)))

    def add(self, level: int, text: str) -> None:
        x, y = self.choose(_PAIRS)
        self.lines.append("    " * level + text.format(x=x, y=y))

    def block(self, level: int, depth: int, loop: bool, jumps: bool = True) -> None:
        for _ in range(self.choose((1, 1, 2, 3))):
            self.statement(level, depth, loop, jumps)

    def statement(self, level: int, depth: int, loop: bool, jumps: bool) -> None:
        kinds = ["simple"] * 4
        if loop:
            kinds += ["break", "continue"]
        if depth:
            kinds += ["if", "while", "forever", "for", "try", "try", "finally", "with"]
            kinds += ["star"] if sys.version_info >= (3, 11) else []
            kinds += ["match"] if not self.function else []
        kind = self.pick(kinds)
        if kind == "simple":
            self.add(level, self.pick([s for s in self.simple if jumps or "return" not in s]))
        elif kind in ("break", "continue"):
            self.add(level, kind)
        else:
            getattr(self, f"_{kind}")(level, depth - 1, loop, jumps)

    def head(self, level: int, text: str, depth: int, loop: bool, jumps: bool) -> None:
        self.add(level, text)
        self.block(level + 1, depth, loop, jumps)

    def _if(self, level: int, depth: int, loop: bool, jumps: bool) -> None:
        self.head(level, self.pick(["if c():", "if {x}:"]), depth, loop, jumps)
        if self.chance():
            self.head(level, "elif {x} or c():", depth, loop, jumps)
        if self.chance():
            self.head(level, "else:", depth, loop, jumps)

    def _loop(self, level: int, text: str, depth: int, loop: bool, jumps: bool) -> None:
        self.head(level, text, depth, True, jumps)
        if self.chance():
            self.head(level, "else:", depth, loop, jumps)

    def _while(self, level: int, depth: int, loop: bool, jumps: bool) -> None:
        self._loop(level, "while c():", depth, loop, jumps)

    def _for(self, level: int, depth: int, loop: bool, jumps: bool) -> None:
        text = self.pick(["for {x} in it():", "for {x}, {y} in its():", "for o[{x}] in it():"])
        self._loop(level, text, depth, loop, jumps)

    def _forever(self, level: int, depth: int, loop: bool, jumps: bool) -> None:
        self.add(level, "while True:")
        self.add(level + 1, "if out():")
        self.add(level + 2, "break")
        self.block(level + 1, depth, True, jumps)

    def _try(self, level: int, depth: int, loop: bool, jumps: bool) -> None:
        self.head(level, "try:", depth, loop, jumps)
        for _ in range(self.choose((1, 2))):
            self.head(level, self.pick(_HANDLERS), depth, loop, jumps)
        if self.chance():
            self.head(level, "except:", depth, loop, jumps)
        if self.chance():
            self.head(level, "else:", depth, loop, jumps)
        if self.chance():
            self.head(level, "finally:", depth, loop, jumps)

    def _finally(self, level: int, depth: int, loop: bool, jumps: bool) -> None:
        self.head(level, "try:", depth, loop, jumps)
        self.head(level, "finally:", depth, loop, jumps)

    def _star(self, level: int, depth: int, loop: bool, jumps: bool) -> None:
        self.head(level, "try:", depth, loop, jumps)
        for _ in range(self.choose((1, 2))):
            text = self.pick(["except* E:", "except* Exception as {x}:", "except* u({x}):"])
            self.head(level, text, depth, False, False)
        if self.chance():
            self.head(level, "else:", depth, loop, jumps)
        if self.chance():
            self.head(level, "finally:", depth, loop, jumps)

    def _with(self, level: int, depth: int, loop: bool, jumps: bool) -> None:
        self.head(level, self.pick(_WITH), depth, loop, jumps)

    def _match(self, level: int, depth: int, loop: bool, jumps: bool) -> None:
        self.add(level, self.pick(["match w():", "match {x}:"]))
        for _ in range(self.choose((1, 2))):
            self.head(level + 1, self.pick(_CASES), depth, loop, jumps)
        if self.chance():
            self.head(level + 1, self.pick(_LAST_CASES), depth, loop, jumps)


def program(choose: Callable[[Sequence[Any]], Any], function: bool) -> str:
    """A module's text, or that of one function ``run``."""
    maker = _Maker(choose, function)
    if function:
        maker.add(0, "def run(a, b):")
    for _ in range(choose((1, 2, 3, 4))):
        maker.statement(1 if function else 0, choose((1, 2, 2, 3)), False, True)
    text = "\n".join(maker.lines) + "\n"
    try:
        compile(text, "<program>", "exec")
    except SyntaxError:
        # A pattern with the same name twice, and the like.
        return "def run(a, b):\n    pass\n" if function else "pass\n"
    return text


@st.composite
def programs(draw: Callable[[st.SearchStrategy[Any]], Any], function: bool) -> str:
    return program(lambda choices: draw(st.sampled_from(choices)), function)


# ---------------------------------------------------------------- a run


class E(Exception):
    pass


class _World:
    """What the programs call."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.fuel = FUEL

    def c(self) -> bool:
        self.fuel -= 1
        return self.fuel > 0 and self.random.random() < 0.5

    def out(self) -> bool:
        self.fuel -= 1
        return self.fuel <= 0 or self.random.random() < 0.3

    def perhaps_raise(self) -> None:
        self.fuel -= 1
        if self.random.random() < 0.15:
            raise E

    def v(self) -> int:
        self.perhaps_raise()
        return self.random.randrange(3)

    def w(self) -> object:
        return self.random.choice([0, 1, [1], [1, 2], (3, 4)])

    def u(self, *values: object) -> type[E]:
        self.perhaps_raise()
        for value in values:
            if hasattr(value, "__next__"):
                list(value)
        return E

    def b_(self, value: object) -> type:
        return object

    def it(self) -> range:
        return range(self.random.randrange(3) if self.fuel > 0 else 0)

    def its(self) -> Iterator[object]:
        for _ in self.it():
            yield self.random.choice([(1, 2), (1, 2), (1, 2), 3])

    def m(self) -> _Manager:
        self.perhaps_raise()
        return _Manager(self)

    def globals(self) -> dict[str, object]:
        group = getattr(builtins, "ExceptionGroup", lambda *_: E)("g", [E(), ValueError()])
        names = ("c", "out", "v", "w", "u", "b_", "it", "its", "m")
        found: dict[str, object] = {name: getattr(self, name) for name in names}
        return found | {"E": E, "G": group, "o": _Store(self), "__name__": "p"}


class _Store:
    def __init__(self, world: _World) -> None:
        self.__dict__["world"] = world

    def __setattr__(self, name: str, value: object) -> None:
        self.__dict__["world"].perhaps_raise()

    def __setitem__(self, key: object, value: object) -> None:
        self.__dict__["world"].perhaps_raise()


class _Manager:
    def __init__(self, world: _World) -> None:
        self.world = world

    def __enter__(self) -> object:
        self.world.perhaps_raise()
        return self.world.random.choice([(1, 2), 1]) if self.world.c() else (1, 2)

    def __exit__(self, *exception: object) -> bool:
        self.world.perhaps_raise()
        return self.world.random.random() < 0.5


class _Names(dict[str, Any]):
    """A namespace that notes what is done to it."""

    def __init__(self, note: Callable[[str, int, str], None]) -> None:
        super().__init__()
        self.note = note

    def __getitem__(self, name: str) -> Any:
        found = name in self
        if name in NAMES:
            self.note("read" if found else "missing", sys._getframe(1).f_lineno, name)
        return super().__getitem__(name)

    def __setitem__(self, name: str, value: object) -> None:
        if name in NAMES:
            self.note("write", sys._getframe(1).f_lineno, name)
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        if name in NAMES:
            kind = "delete" if name in self else "missing"
            self.note(kind, sys._getframe(1).f_lineno, name)
        super().__delitem__(name)


class _Attributes:
    """The names of a function as attributes of ``N``; unbound ones raise NameError."""

    def __init__(self, note: Callable[[str, int, str], None]) -> None:
        self.__dict__["_note"] = note

    def __getattr__(self, name: str) -> Any:
        self._note("missing", sys._getframe(1).f_lineno, name)
        raise NameError(name)

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name in NAMES:
            self._note("read", sys._getframe(1).f_lineno, name)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        self._note("write", sys._getframe(1).f_lineno, name)
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        kind = "delete" if name in self.__dict__ else "missing"
        self._note(kind, sys._getframe(1).f_lineno, name)
        if kind == "missing":
            raise NameError(name)
        del self.__dict__[name]


class _Marks(ast.NodeTransformer):
    """``_begin(line, column)`` before each statement, test and clause, ``_enter`` after a round, a
    case or a bare ``except`` has begun, ``_done`` behind each statement."""

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name != "run":
            return node
        self.generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                setattr(node, field, [part for s in block for part in self._around(s)])
        if isinstance(node, ast.While):
            node.test = self._begin_and(node, node.test)
        elif isinstance(node, ast.For | ast.match_case | ast.ExceptHandler):
            if isinstance(node, ast.ExceptHandler) and node.type is not None:
                node.type = self._begin_and(node, node.type)
            else:
                line = node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno
                node.body.insert(0, self._mark("_enter", line, node.body[0]))
        return node

    def _around(self, statement: ast.stmt) -> list[ast.stmt]:
        begin = self._mark("_begin", statement.lineno, statement)
        return [begin, statement, self._mark("_done", statement.lineno, statement)]

    def _mark(self, name: str, line: int, at: ast.AST) -> ast.stmt:
        column = getattr(at, "col_offset", 0)
        arguments: list[ast.expr] = [ast.Constant(line), ast.Constant(column)]
        call = ast.Call(ast.Name(name, ast.Load()), arguments, [])
        return ast.copy_location(ast.Expr(call), at)

    def _begin_and(self, node: ast.stmt | ast.ExceptHandler, value: ast.expr) -> ast.expr:
        mark = self._mark("_begin", node.lineno, value)
        assert isinstance(mark, ast.Expr)
        return ast.copy_location(ast.BoolOp(ast.And(), [mark.value, value]), value)


class _ToAttributes(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in NAMES:
            return node
        owner = ast.Name("N", ast.Load())
        return ast.copy_location(ast.Attribute(owner, node.id, node.ctx), node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        if node.name is not None:
            name, node.name = node.name, "_e"
            bind = self._statement(f"N.{name} = _e", node)
            # Python binds None before it deletes, so that the name may be deleted in the clause.
            delete = [
                self._statement(f"N.{name} = None", node),
                self._statement(f"del N.{name}", node),
            ]
            whole = ast.copy_location(ast.Try(node.body, [], [], delete), node)
            node.body = [bind, whole]
        return node

    def _statement(self, text: str, at: ast.AST) -> ast.stmt:
        (statement,) = ast.parse(text).body
        for node in ast.walk(statement):
            ast.copy_location(node, at)
            # An attribute's own line is where it ends.
            node.end_lineno = at.lineno  # type: ignore[attr-defined]
        return statement


def run(text: str, seed: int) -> list[Event]:
    """What happened in a run of the program, in order; the last event has the line 0 if it came to
    its end, -1 if an exception ended it."""
    events: list[Event] = []

    def note(kind: str, line: int, name: str) -> None:
        events.append(Event(kind, line, name))

    def begin(line: int, column: int) -> bool:
        events.append(Event("begin", line))
        return True

    def done(line: int, column: int) -> None:
        events.append(Event("done", line, column=column))

    def enter(line: int, column: int) -> None:
        events.append(Event("enter", line))

    marks = {"_begin": begin, "_enter": enter, "_done": done}
    names = _World(seed).globals() | marks
    tree: Any = ast.parse(text)
    function = isinstance(tree.body[0], ast.FunctionDef) and tree.body[0].name == "run"
    try:
        if function:
            _Marks().visit(tree.body[0])
            names["N"] = attributes = _Attributes(note)
            exec(_compiled(_ToAttributes().visit(tree)), names)
            for name in ("a", "b"):
                note("write", 1, name)
                attributes.__dict__[name] = 1
            names["run"](1, 1)  # type: ignore[operator]
        else:
            exec(_compiled(_Marks().visit(tree)), names, _Names(note))
        end = 0
    except Exception:
        end = -1
    events.append(Event("end", end))
    return events


def _compiled(tree: ast.AST) -> Any:
    return compile(ast.fix_missing_locations(tree), "<program>", "exec")
