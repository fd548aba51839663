"""c_code: a staged program as C, in which numbers are doubles.

Functions inside others get what they use of these as further parameters, variables by address.
"""

from __future__ import annotations

from .c_names import HEAD, OPERATORS, RUN, kinds_of, number, spelled
from .errors import StagingError
from .sexpr import Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .sexpr import Form

NUMBER, VARIABLE, ARRAY = "number", "variable", "array"
_TYPES = {NUMBER: "double ", VARIABLE: "double *", ARRAY: "struct array *"}


def c_code(program: Form) -> str:
    """The text of a program, ``(def name (parameter …) block)``, with a function ``run`` that takes
    arrays of numbers, of arrays, and of results. Raises StagingError for what C does not get."""
    return _Writer(program).text()


class _Function:
    """One function of C: its lines, and the names that it has."""

    def __init__(self, names: dict[Any, str]) -> None:
        self.names = names
        self.lines: list[str] = []
        self.depth = 1

    def add(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)


class _Writer:
    def __init__(self, program: Form) -> None:
        self.program = program
        self.arrays = kinds_of(program)
        # Of each function: what it uses of those around, and what its parameters are.
        self.free: dict[Any, list[tuple[Any, str]]] = {}
        self.parameters: dict[Any, list[tuple[Any, str]]] = {}
        self.done: list[str] = []
        self.heads: list[str] = []
        self.count = 0

    def text(self) -> str:
        _, name, given, body = self.program
        self._function(name, given, body, {})
        results = _results(body)
        run = [
            *self.heads, *self.done,
            RUN,
            "{",
            "    stack_base = base; stack_size = size; failed = 0;",
        ]  # fmt: skip
        arguments, counts = [], {NUMBER: 0, ARRAY: 0}
        for _, kind in self.parameters[name]:
            at = counts[kind]
            counts[kind] += 1
            arguments.append(f"numbers[{at}]" if kind == NUMBER else f"&arrays[{at}]")
        if results is None:
            run.append(f"    results[0] = {spelled(name)}({', '.join(arguments)});")
        else:
            arguments.append("results")
            run.append(f"    {spelled(name)}({', '.join(arguments)});")
        return "\n".join(["typedef double real;", HEAD, *run, "    return failed;", "}", ""])

    def _function(
        self, name: Any, given: tuple[Form, ...], body: Form, around: dict[Any, str]
    ) -> None:
        kinds = [ARRAY if one else NUMBER for one in self.arrays[name]]
        self.parameters[name] = list(zip(given, kinds, strict=True))
        used = _used(body, {name, *given}, self.free)
        self.free[name] = [(one, kind) for one, kind in around.items() if one in used]
        inside = dict([*self.free[name], *self.parameters[name]])
        whole = name == self.program[1] and _results(body) is not None
        function = _Function(inside)
        parts = [f"{_TYPES[kind]}{spelled(one)}" for one, kind in
                 [*self.parameters[name], *self.free[name]]]  # fmt: skip
        if whole:
            parts.append("double *results")
        kind = "void" if whole else "double"
        head = f"static {kind} {spelled(name)}({', '.join(parts) or 'void'})"
        self.heads.append(f"{head};")
        function.add("CHECK_STACK()" if whole else "CHECK_STACK(0)")
        if whole:
            *before, last = body[1:]
            self._statements(before, function)
            for at, part in enumerate(last[1:]):
                function.add(f"results[{at}] = {self._value(part, function)};")
        else:
            function.add(f"return {self._value(body, function)};")
        self.done.append("\n".join([head, "{", *function.lines, "}"]))

    # ------------------------------------------------------------ forms

    def _statements(self, forms: list[Form] | tuple[Form, ...], function: _Function) -> None:
        for form in forms:
            self._value(form, function)

    def _value(self, form: Form, function: _Function) -> str:
        """An expression of C for a form, behind the lines that it needs."""
        if isinstance(form, Symbol):
            return self._name(form, function)
        if form is None:
            return "0.0"
        if not isinstance(form, tuple):
            return number(form)
        head, *parts = form
        special = getattr(self, f"_{str(head).replace('-', '_')}_form", None)
        if special is not None:
            return str(special(parts, function))
        if head in self.parameters:
            return self._call(head, parts, function)
        if head not in OPERATORS:
            raise StagingError(f"'{head}' cannot be compiled to C")
        values = [self._value(part, function) for part in parts]
        return f"({OPERATORS[head].format(*values)})"

    def _name(self, name: Any, function: _Function) -> str:
        kind = function.names.get(name)
        if kind is None:
            raise StagingError(f"{name} cannot be compiled to C: it is no number there")
        return spelled(name)

    def _call(self, name: Any, parts: list[Form], function: _Function) -> str:
        wanted = self.parameters[name]
        if len(parts) != len(wanted):
            raise StagingError(f"{name} gets {len(parts)} arguments instead of {len(wanted)}")
        given = [self._value(part, function) for part in parts]
        for one, _ in self.free[name]:
            given.append(spelled(one))
        return self._kept(f"{spelled(name)}({', '.join(given)})", function)

    def _kept(self, code: str, function: _Function) -> str:
        """The name of a value that is computed now."""
        self.count += 1
        function.add(f"double t{self.count} = {code};")
        return f"t{self.count}"

    def _begin_form(self, parts: list[Form], function: _Function) -> str:
        *before, last = parts
        self._statements(before, function)
        return self._value(last, function)

    def _let_form(self, parts: list[Form], function: _Function) -> str:
        name, form = parts
        if isinstance(form, tuple) and form[:1] == ("lambda",):
            self._function(name, form[1], form[2], dict(function.names))
            return "0.0"
        if form == (Symbol("new"),):
            self.count += 1
            function.add(f"double v{self.count} = 0, *{spelled(name)} = &v{self.count};")
            function.names[name] = VARIABLE
            return "0.0"
        value = self._value(form, function)
        function.add(f"double {spelled(name)} = {value};")
        function.names[name] = NUMBER
        return spelled(name)

    def _def_form(self, parts: list[Form], function: _Function) -> str:
        self._function(parts[0], parts[1], parts[2], dict(function.names))
        return "0.0"

    def _set_form(self, parts: list[Form], function: _Function) -> str:
        function.add(f"*{self._name(parts[0], function)} = {self._value(parts[1], function)};")
        return "0.0"

    def _get_form(self, parts: list[Form], function: _Function) -> str:
        return self._kept(f"*{self._name(parts[0], function)}", function)

    def _if_form(self, parts: list[Form], function: _Function) -> str:
        self.count += 1
        result = f"t{self.count}"
        test = self._value(parts[0], function)
        function.add(f"double {result};")
        for head, block in ((f"if ({test}) {{", parts[1]), ("} else {", parts[2])):
            function.add(head)
            self._block(block, function, result)
        function.add("}")
        return result

    def _block(self, form: Form, function: _Function, result: str = "") -> None:
        names = dict(function.names)
        function.depth += 1
        value = self._value(form, function)
        if result:
            function.add(f"{result} = {value};")
        function.depth -= 1
        function.names = names

    def _while_form(self, parts: list[Form], function: _Function) -> str:
        names = dict(function.names)
        function.add("for (;;) {")
        function.depth += 1
        function.add(f"if (!{self._value(parts[0], function)} || failed) break;")
        function.depth -= 1
        self._block(parts[1], function)
        function.add("}")
        function.names = names
        return "0.0"

    def _idx_form(self, parts: list[Form], function: _Function) -> str:
        array, place = (self._value(part, function) for part in parts)
        return self._kept(f"{array}->v[py_at({array}, {place})]", function)

    def _array_set_form(self, parts: list[Form], function: _Function) -> str:
        array, place, value = (self._value(part, function) for part in parts)
        function.add(f"{array}->v[py_at({array}, {place})] = {value};")
        return "0.0"

    def _len_form(self, parts: list[Form], function: _Function) -> str:
        return f"((double) {self._value(parts[0], function)}->n)"

    def _print_form(self, parts: list[Form], function: _Function) -> str:
        forms, values = [], []
        for part in parts:
            if isinstance(part, str) and not isinstance(part, Symbol):
                forms.append(part.replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"'))
            else:
                forms.append("%.17g")
                values.append(self._value(part, function))
        text = " ".join(forms).replace("\n", "\\n")
        function.add(f"printf({', '.join([chr(34) + text + chr(92) + 'n' + chr(34), *values])});")
        function.add("fflush(stdout);")
        return "0.0"


def _results(body: Form) -> int | None:
    """Of how many parts the result of a program is a tuple; None if it is no tuple."""
    last = body[-1] if isinstance(body, tuple) and body[:1] == ("begin",) else None
    return len(last) - 1 if isinstance(last, tuple) and last[:1] == ("tuple",) else None


def _used(form: Form, own: set[Any], free: dict[Any, list[tuple[Any, str]]]) -> set[Any]:
    """The names that a form uses, and those that the functions use which it calls."""
    found: set[Any] = set()
    waiting = [form]
    while waiting:
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend(one)
        elif isinstance(one, Symbol):
            found.add(one)
            found.update(name for name, _ in free.get(one, ()))
    return found - own
