"""The TorchScript back end: a staged program as a function of Python that TorchScript compiles
(document 003, section 7)."""

from __future__ import annotations

import linecache
from importlib import import_module

from .errors import StagingError
from .sexpr import Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .sexpr import Form

_INFIX = {"+", "-", "*", "/", "//", "%", "**", "@", "==", "!=", "<", "<=", ">", ">=", "&", "|", "^"}
_CALLED = {"exp", "log", "sqrt", "tanh", "sin", "cos", "relu", "sigmoid", "abs"}
_PREFIX = {"neg": "-", "pos": "+", "not": "not ", "invert": "~"}


def torch_code(program: Form, *types: str) -> str:
    """The text of a program as Python; ``types`` are those of its parameters, as TorchScript has
    them, ``Tensor`` where none is given. Raises StagingError for what TorchScript does not get."""
    return _Writer(program).text(types)


def torchscript(*types: str) -> Callable[[Form], Any]:
    """A back end for ``stage``: ``stage(f, backend=torchscript("Tensor", "int"))``."""
    return lambda program: compiled(program, *types)


def compiled(program: Form, *types: str) -> Any:
    """The program as a ScriptFunction, with its text as ``source``. Raises StagingError, also where
    there is no torch."""
    text = torch_code(program, *types)
    try:
        torch = import_module("torch")
    except ImportError:
        raise StagingError("there is no torch; install it for this back end") from None
    name = f"<staged {program[1]} {hash(text) & 0xFFFFFFFF:x}>"
    # TorchScript asks for the source of what it compiles.
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"torch": torch, "Tensor": torch.Tensor, "__name__": __name__}
    exec(compile(text, name, "exec", dont_inherit=True), names)
    function = names[str(program[1])]
    try:
        made = torch.jit.script(function)
    except Exception as error:
        raise StagingError(f"TorchScript does not compile it: {error}") from None
    made.source = text
    return made


class _Writer:
    def __init__(self, program: Form) -> None:
        self.program = program
        self.count = 0
        self.lines: list[str] = []
        self.values, self.truths = _uses(program[3])

    def text(self, types: tuple[str, ...]) -> str:
        _, name, given, body = self.program
        kinds = [*types, *["Tensor"] * (len(given) - len(types))]
        head = ", ".join(f"{one}: {kind}" for one, kind in zip(given, kinds, strict=True))
        self.lines.append(f"def {name}({head}):")
        self.lines.append(f"    return {self._value(body, 1)}")
        return "\n".join(self.lines) + "\n"

    def _add(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def _value(self, form: Form, depth: int) -> str:
        """An expression of Python for a form, behind the lines that it needs."""
        if isinstance(form, Symbol):
            return str(form)
        if not isinstance(form, tuple):
            return repr(form)
        head, *parts = form
        if head in ("def", "lambda"):
            raise StagingError("functions inside a program cannot be compiled to TorchScript")
        special = getattr(self, f"_{str(head).replace('-', '_')}_form", None)
        if special is not None:
            return str(special(parts, depth))
        values = [self._value(part, depth) for part in parts]
        if head in _INFIX:
            return f"({values[0]} {head} {values[1]})"
        if head in _PREFIX:
            return f"({_PREFIX[head]}{values[0]})"
        if head in _CALLED:
            return f"torch.{head}({values[0]})"
        if head == "len":
            return f"len({values[0]})"
        raise StagingError(f"'{head}' cannot be compiled to TorchScript")

    def _begin_form(self, parts: list[Form], depth: int) -> str:
        for part in parts[:-1]:
            self._value(part, depth)
        return self._value(parts[-1], depth)

    def _let_form(self, parts: list[Form], depth: int) -> str:
        name, form = parts
        if isinstance(form, tuple) and form[:1] == ("if",) and name not in self.values:
            # A number in one branch and a tensor in the other have one type as truths.
            self._add(depth, f"{name} = {self._branches(list(form[1:]), depth, 'bool({})')}")
        elif form != (Symbol("new"),):
            value = self._value(form, depth)
            if value != "None":
                self._add(depth, f"{name} = {value}")
        return str(name)

    def _set_form(self, parts: list[Form], depth: int) -> str:
        name, value = parts[0], self._value(parts[1], depth)
        is_truth = name in self.truths and name not in self.values
        self._add(depth, f"{name} = bool({value})" if is_truth else f"{name} = {value}")
        return "None"

    def _get_form(self, parts: list[Form], depth: int) -> str:
        return str(parts[0])

    def _if_form(self, parts: list[Form], depth: int) -> str:
        return self._branches(parts, depth, "{}")

    def _branches(self, parts: list[Form], depth: int, spelling: str) -> str:
        self.count += 1
        result = f"t{self.count}"
        is_value = any(_result(block) is not None for block in parts[1:])
        self._add(depth, f"if bool({self._value(parts[0], depth)}):")
        for block, head in ((parts[1], ""), (parts[2], "else:")):
            if head:
                self._add(depth, head)
            value = self._value(block, depth + 1)
            line = f"{result} = {spelling.format(value)}" if is_value else "pass"
            self._add(depth + 1, line)
        return result if is_value else "None"

    def _while_form(self, parts: list[Form], depth: int) -> str:
        self.count += 1
        test = f"t{self.count}"
        self._add(depth, f"{test} = bool({self._value(parts[0], depth)})")
        self._add(depth, f"while {test}:")
        self._value(parts[1], depth + 1)
        self._add(depth + 1, f"{test} = bool({self._value(parts[0], depth + 1)})")
        return "None"

    def _idx_form(self, parts: list[Form], depth: int) -> str:
        owner, place = (self._value(part, depth) for part in parts)
        return f"{owner}[{place}]"

    def _array_set_form(self, parts: list[Form], depth: int) -> str:
        owner, place, value = (self._value(part, depth) for part in parts)
        self._add(depth, f"{owner}[{place}] = {value}")
        return "None"

    def _getattr_form(self, parts: list[Form], depth: int) -> str:
        return f"{self._value(parts[0], depth)}.{parts[1]}"

    def _setattr_form(self, parts: list[Form], depth: int) -> str:
        owner, value = self._value(parts[0], depth), self._value(parts[2], depth)
        self._add(depth, f"{owner}.{parts[1]} = {value}")
        return "None"

    def _call_form(self, parts: list[Form], depth: int) -> str:
        owner, name, *given = parts
        arguments = ", ".join(self._value(one, depth) for one in given)
        return f"{self._value(owner, depth)}.{name}({arguments})"

    def _tuple_form(self, parts: list[Form], depth: int) -> str:
        return f"({', '.join(self._value(part, depth) for part in parts)},)"

    def _print_form(self, parts: list[Form], depth: int) -> str:
        self._add(depth, f"print({', '.join(self._value(part, depth) for part in parts)})")
        return "None"


def _uses(body: Form) -> tuple[set[Any], set[Any]]:
    """The names of which more is asked than whether they are true, and those of which that is."""
    values: set[Any] = set()
    truths: set[Any] = set()
    becomes: list[tuple[Any, Any]] = []

    def walk(form: Form, used_by: Any) -> None:
        """``used_by`` is the name that the value of a form becomes, True if it is a truth, False if
        it is nothing, and None if it is a value."""
        if isinstance(form, Symbol):
            if used_by is None:
                values.add(form)
            elif used_by is True:
                truths.add(form)
            elif used_by is not False:
                becomes.append((form, used_by))
            return
        if not isinstance(form, tuple) or not form:
            return
        head, *parts = form
        if head == "begin":
            for part in parts[:-1]:
                walk(part, False)
            walk(parts[-1], used_by)
        elif head == "let":
            is_handed_on = isinstance(parts[1], tuple) and parts[1][:1] in (("if",), ("get",))
            walk(parts[1], parts[0] if is_handed_on else None)
        elif head == "set":
            walk(parts[1], parts[0])
        elif head == "get":
            walk(parts[0], used_by)
        elif head == "if":
            walk(parts[0], True)
            walk(parts[1], used_by)
            walk(parts[2], used_by)
        elif head == "while":
            walk(parts[0], True)
            walk(parts[1], False)
        elif head == "not":
            walk(parts[0], True)
        else:
            for part in parts:
                walk(part, None)

    walk(body, None)
    for found in (values, truths):
        while more := {name for name, by in becomes if by in found} - found:
            found |= more
    return values, truths


def _result(block: Form) -> Form:
    return block[-1] if isinstance(block, tuple) and block[:1] == ("begin",) else block
