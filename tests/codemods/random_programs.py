"""Programs that nobody would write: nested control flow, every way to leave it, every way to bind a
name, and a trace of what they do, by which two of them can be compared."""

from __future__ import annotations

import builtins
import random
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

_NAMES = ("a", "b", "c", "d", "e")
_MOST_TICKS = 300


class Writer:
    """Writes one program; what it writes follows from the seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.unit = self.random.choice(["    ", "    ", "  ", "\t"])
        self.lines: list[str] = []
        self.marks = 0

    def program(self, functions: int = 3) -> str:
        for number in range(functions):
            self.function(f"f{number}", "")
            self.lines.append(f"run(f{number})")
        self.block("", depth=0, loop=False, function="", least=3)
        return "\n".join(self.lines) + self.random.choice(["\n", ""])

    def function(self, name: str, indent: str) -> None:
        kind = self.random.choice(["def"] * 4 + ["generator", "method"])
        if kind == "method":
            self.lines.append(f"{indent}class C_{name}:")
            indent += self.unit
            self.lines.append(f"{indent}@staticmethod")
        more = self.random.choice(["c=3", "d=4", "c=3, d=4"])
        self.lines.append(f"{indent}def {name}(a, b=2, {more}, *args):")
        inner = indent + self.unit
        if self.chance(0.3):
            self.lines.append(f'{inner}"""A docstring."""')
        if self.chance(0.2):
            self.lines.append(f"{inner}global e")
        if kind == "generator" and self.chance(0.6):
            self.lines.append(f"{inner}yield {self.mark()}")
        self.block(inner, 0, loop=False, function=kind, least=2)
        if kind == "generator":
            self.lines.append(f"{inner}yield {self.mark()}")
        if kind == "method":
            self.lines.append(f"{indent[: -len(self.unit)]}{name} = C_{name}.{name}")
        if self.chance(0.5):
            self.lines.append("")

    # ------------------------------------------------------------ statements

    def block(self, indent: str, depth: int, loop: bool, function: str, least: int = 1) -> None:
        for _ in range(self.random.randint(least, 3 if depth < 2 else 2)):
            if self.chance(0.15):
                self.lines.append(f"{indent}# {self.mark()}")
            self.statement(indent, depth, loop, function)
        if self.chance(0.1):
            self.lines.append(f"{indent}# at the end")

    def statement(self, indent: str, depth: int, loop: bool, function: str) -> None:
        simple = depth > 3 or self.chance(0.35)
        if simple:
            self.lines.append(indent + self.simple(loop, function))
            return
        kinds = ["if", "if", "if", "while", "for", "for", "try", "with", "match", "def", "class"]
        getattr(self, f"_{self.random.choice(kinds)}")(indent, depth + 1, loop, function)

    def simple(self, loop: bool, function: str) -> str:
        name = self.random.choice(_NAMES)
        ways = [
            f"{name} = {self.value()}", f"{name} = {self.value()}", f"{name} += 1",
            f"log({self.mark()}, {name})", f"a, b = {self.value()}, {self.value()}",
            *([f"del {name}"] if self.chance(0.3) else []),
            f"log('''{self.mark()}\n  still''')", f"import os.path as {name}",
            f"log([{name} for {name} in range(2)], lambda: {name})",
            f"hold.{name} = {self.value()}",
        ]  # fmt: skip
        if function != "class":
            ways.append(f"[{name} := {self.value()} for _ in range(2)]")
        if loop:
            ways += ["break", "continue"] * 2
        if function not in ("", "class"):
            ways += [
                f"return {self.value()}", f"return {self.value()}, {name}", "return",
                f"return({self.value()})", f"return ({self.value()}, 1)", "raise Own(1)",
            ]  # fmt: skip
        if function == "generator":
            ways += [f"{name} = yield {self.value()}", f"yield {self.mark()}"]
        return self.random.choice(ways)

    def suite(self, head: str, indent: str, depth: int, loop: bool, function: str) -> None:
        if self.chance(0.15):
            parts = [self.simple(loop, function) for _ in range(self.random.randint(1, 2))]
            self.lines.append(f"{indent}{head}{' ' * self.random.randint(0, 2)}{'; '.join(parts)}")
            return
        comment = "  # why" if self.chance(0.1) else ""
        self.lines.append(f"{indent}{head}{comment}")
        if self.chance(0.1):
            self.lines.append("")
        self.block(indent + self.unit, depth, loop, function)

    def _if(self, indent: str, depth: int, loop: bool, function: str) -> None:
        gap = self.random.choice([" ", " ", "  "])
        self.suite(f"if{gap}{self.test()}:", indent, depth, loop, function)
        for _ in range(self.random.choice([0, 0, 1, 2])):
            self.suite(f"elif {self.test()}:", indent, depth, loop, function)
        if self.chance(0.4):
            self.suite(self.random.choice(["else:", "else :"]), indent, depth, loop, function)

    def _while(self, indent: str, depth: int, loop: bool, function: str) -> None:
        self.suite(f"while tick() and {self.test(bare=False)}:", indent, depth, True, function)
        if self.chance(0.3):
            self.suite("else:", indent, depth, loop, function)

    def _for(self, indent: str, depth: int, loop: bool, function: str) -> None:
        target, items = self.random.choice([
            (self.random.choice(_NAMES), "range(3)"), ("a, (b, c)", "[(1, (2, 3)), (4, (5, 6))]"),
            ("*a, b", "[(1, 2, 3)]"), ("hold.x", "range(2)"), ("(a)", "(1, 2)"),
            (self.random.choice(_NAMES), "1, 2"), (self.random.choice(_NAMES), "((1, 2))"),
            (self.random.choice(_NAMES), "several(\n  3)"), ("a,", "[(1,), (2,)]"),
        ])  # fmt: skip
        self.suite(f"for {target} in {items}:", indent, depth, True, function)
        if self.chance(0.3):
            self.suite("else:", indent, depth, loop, function)

    def _try(self, indent: str, depth: int, loop: bool, function: str) -> None:
        self.suite("try:", indent, depth, loop, function)
        ways = self.random.choice(["except", "finally", "both", "else"])
        if ways != "finally":
            caught = self.random.choice(["Own", "Exception as e", "(NameError, TypeError) as d"])
            self.suite(f"except {caught}:", indent, depth, loop, function)
        if ways == "else":
            self.suite("else:", indent, depth, loop, function)
        if ways in ("finally", "both"):
            self.suite("finally:", indent, depth, loop, function)

    def _with(self, indent: str, depth: int, loop: bool, function: str) -> None:
        bound = self.random.choice(["", " as c", " as (a, b)"])
        self.suite(f"with seen({self.mark()}){bound}:", indent, depth, loop, function)

    def _match(self, indent: str, depth: int, loop: bool, function: str) -> None:
        self.lines.append(f"{indent}match {self.value()}:")
        inner = indent + self.unit
        cases = ["case 1:", "case [a, *b]:", f"case int(c) if {self.test(bare=False)}:", "case d:"]
        for case in sorted(self.random.sample(cases, 2), key=cases.index):
            self.suite(case, inner, depth, loop, function)

    def _def(self, indent: str, depth: int, loop: bool, function: str) -> None:
        name = self.random.choice(_NAMES)
        self.lines.append(f"{indent}def {name}(c, d=0):")
        inner = indent + self.unit
        outer = [one for one in _NAMES[:2] if self.chance(0.3)]
        if outer and function:
            self.lines.append(f"{inner}log({self.mark()})")
        self.block(inner, depth + 1, False, "def")
        self.lines.append(f"{indent}run({name})")

    def _class(self, indent: str, depth: int, loop: bool, function: str) -> None:
        name = self.random.choice(_NAMES)
        self.lines.append(f"{indent}class {name}:")
        self.block(indent + self.unit, depth + 2, False, "class")
        self.lines.append(f"{indent}log(type({name}), {name}.__name__)")

    # ------------------------------------------------------------ expressions

    def test(self, bare: bool = True) -> str:
        """``bare``: what binds a name needs no parentheses there."""
        name = self.random.choice(_NAMES)
        ways = [
            f"chance({self.mark()})", f"chance({self.mark()})", f"not chance({self.mark()})",
            f"{name}", f"(chance({self.mark()}) and\n{self.unit}chance({self.mark()}))",
            f"({name} := chance({self.mark()}))", f"chance({self.mark()}) or {name}", "True",
            "(a if b else chance(0))",
        ]  # fmt: skip
        if bare:
            ways.append(f"{name} := chance({self.mark()})")
        return self.random.choice(ways)

    def value(self) -> str:
        name = self.random.choice(_NAMES)
        return self.random.choice(
            [str(self.mark()), str(self.mark()), name, f"({name}, 1)", f"[{name}, 2]",
             f"log({self.mark()})", "(1, 2)", "lambda: a"]
        )  # fmt: skip

    def mark(self) -> int:
        self.marks += 1
        return self.marks

    def chance(self, likely: float) -> bool:
        return self.random.random() < likely


class _Enough(BaseException):
    """A program that goes on for too long ends."""


class Own(Exception):
    """What programs raise."""


def trace(text: str) -> list[str]:
    """What a program does: its calls, in order, with what they are given, and how it ends."""
    seen: list[str] = []
    luck = random.Random(7)
    ticks = [0]

    def log(*given: Any) -> int:
        tick()
        seen.append(" ".join(_said(one) for one in given))
        return len(seen) % 3

    def tick() -> bool:
        ticks[0] += 1
        if ticks[0] > _MOST_TICKS:
            raise _Enough
        return True

    def chance(mark: int) -> bool:
        tick()
        found = luck.random() < 0.5
        seen.append(f"{mark}: {found}")
        return found

    @contextmanager
    def within(mark: int) -> Any:
        seen.append(f"in {mark}")
        try:
            yield (mark, mark)
        except BaseException as error:
            seen.append(f"raised in {mark}: {_said(error)}")
            raise
        finally:
            seen.append(f"out of {mark}")

    def several(count: int) -> Any:
        for number in range(count):
            tick()
            yield number
        seen.append("no more")

    def run(function: Callable[..., Any]) -> None:
        tick()
        try:
            found = function(1)
            if hasattr(found, "__next__"):
                found = [*zip(found, range(9), strict=False)]
            seen.append(f"returned {_said(found)}")
        except Exception as error:
            seen.append(f"raised {_said(error)}")

    class Hold:
        pass

    names: dict[str, Any] = {
        "log": log, "tick": tick, "chance": chance, "seen": within, "several": several,
        "run": run, "hold": Hold(), "Own": Own, "__builtins__": builtins, "__name__": "program",
        "a": 1, "b": 2, "c": 3, "d": 4, "e": 5,
    }  # fmt: skip
    try:
        exec(compile(text, "program", "exec", dont_inherit=True), names)
    except (Exception, _Enough) as error:
        seen.append(f"ended: {_said(error)}")
    bound = (name for name in _NAMES if name in names)
    seen.extend(f"{name} is {_said(names[name])}" for name in bound)
    seen.append(" ".join(sorted(n for n in names if n[0] != "_")))
    return seen


def _said(value: Any, depth: int = 0) -> str:
    if isinstance(value, NameError):
        # A cell that is not bound is told of in other words than a local variable.
        return "NameError"
    if isinstance(value, tuple | list):
        inside = (_said(one, depth + 1) for one in value) if depth < 4 else ("...",)
        return f"{type(value).__name__}({', '.join(inside)})"
    if isinstance(value, int | str | bool | None | BaseException):
        return repr(value).replace("UnboundLocalError", "NameError")
    return getattr(value, "__name__", type(value).__name__)
