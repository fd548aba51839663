"""c_gradient: a staged program as C that computes derivatives, too, by continuations.

Each operation computes its value, lets everything that follows run, and then adds to the
derivatives of what it was made of: the rest of the program is called, not returned to. Where two
ways meet, behind an ``if``, and behind a call, the rest is a function, which gets what it uses by
address: all of that lives as long as it is needed, for nothing returns before the program's end.
(Wang and others, "Demystifying Differentiable Programming", as Lantern does it; document 003,
section 7.)
"""

from __future__ import annotations

from .c_names import HEAD, OPERATORS, RUN, kinds_of, number, spelled
from .errors import StagingError
from .sexpr import Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from .sexpr import Form

    Rest: TypeAlias = Callable[["_Function", str], None]

# What is added to the derivatives of the first and second operand: {0}, {1} and {2} are the values
# of these and of the result, {d} the derivative of that.
_SLOPES: dict[str, tuple[str, ...]] = {
    "+": ("{d}", "{d}"), "-": ("{d}", "-{d}"), "*": ("{d} * {1}", "{d} * {0}"),
    "/": ("{d} / {1}", "-{d} * {0} / ({1} * {1})"),
    "**": ("{d} * {1} * pow({0}, {1} - 1)", "({0} > 0 ? {d} * {2} * log({0}) : 0)"),
    "neg": ("-{d}",), "pos": ("{d}",), "abs": ("({0} < 0 ? -{d} : {d})",),
    "exp": ("{d} * {2}",), "log": ("{d} / {0}",), "sqrt": ("{d} / (2 * {2})",),
    "tanh": ("{d} * (1 - {2} * {2})",), "sin": ("{d} * cos({0})",), "cos": ("-{d} * sin({0})",),
    "relu": ("({0} > 0 ? {d} : 0)",), "sigmoid": ("{d} * {2} * (1 - {2})",),
    "%": ("{d}", "-{d} * floor({0} / {1})"),
}  # fmt: skip

_TYPES = """\
typedef struct { double v, d; } num;
typedef struct { void (*run)(void **env, num *value); void **env; } rest;
"""


def gradient_code(program: Form) -> str:
    """The text of a program that has one number as its result. Raises StagingError."""
    return _Writer(program).text()


class _Function:
    """One function of C. What it uses of those around it gets from an array of addresses."""

    def __init__(self, around: _Function | None, own: dict[str, str]) -> None:
        self.around = around
        self.types = own
        self.environment: dict[str, str] = {}
        self.lines: list[str] = []
        self.depth = 1

    def add(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def use(self, name: str) -> str:
        """A name, which is of this function, or taken along from those around. Raises KeyError."""
        if name not in self.types:
            if self.around is None:
                raise KeyError(name)
            kind = self.around.types_of(name)
            self.types[name] = self.environment[name] = kind
        return name

    def types_of(self, name: str) -> str:
        self.use(name)
        return self.types[name]


class _Writer:
    def __init__(self, program: Form) -> None:
        self.program = program
        self.arrays = kinds_of(program)
        self.names: dict[Any, str] = {}
        self.functions: dict[Any, str] = {}
        self.done: list[str] = []
        self.heads: list[str] = []
        self.count = 0

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def text(self) -> str:
        _, name, given, body = self.program
        function = _Function(None, {})
        counts = {True: 0, False: 0}
        for one, is_array in zip(given, self.arrays[name], strict=True):
            local, at = spelled(one), counts[is_array]
            counts[is_array] += 1
            if is_array:
                function.add(f"struct array *{local} = &arrays[{at}];")
            else:
                function.add(f"num {local}_ = {{numbers[{at}], 0}}, *{local} = &{local}_;")
            self._know(function, one, local, "struct array *" if is_array else "num *")

        def finish(where: _Function, value: str) -> None:
            where.add(f"*{where.use('results')} = {value}->v;")
            where.add(f"{value}->d += 1;")

        function.types["results"] = "double *"
        self._form(body, function, finish)
        for at, one in enumerate(
            one for one, is_array in zip(given, self.arrays[name], strict=True) if not is_array
        ):
            function.add(f"results[{at + 1}] = {spelled(one)}->d;")
        return "\n".join([
            HEAD, _TYPES, *self.heads, *self.done,
            RUN,
            "{", "    stack_base = base; stack_size = size; failed = 0;",
            *function.lines, "    return failed;", "}", "",
        ])  # fmt: skip

    def _know(self, function: _Function, name: Any, local: str, kind: str) -> None:
        self.names[name] = local
        function.types[local] = kind

    # ------------------------------------------------------------ functions of C

    def _finish(self, head: str, function: _Function) -> None:
        kinds = function.environment.items()
        taken = [f"    {kind}{name} = env[{at}];" for at, (name, kind) in enumerate(kinds)]
        self.heads.append(f"{head};")
        self.done.append("\n".join([head, "{", "    CHECK_STACK()", *taken, *function.lines, "}"]))

    def _environment(self, function: _Function, inner: _Function) -> str:
        """An array with what another function uses of this one; in this one's lines."""
        names = [function.use(name) for name in inner.environment]
        local = self.fresh("e")
        given = ", ".join(f"(void *) {name}" for name in names) or "0"
        function.add(f"void *{local}[] = {{{given}}};")
        return local

    def _rest_of(self, function: _Function, rest: Rest) -> str:
        """What follows as a function, with its environment, in a variable."""
        name, local, value = self.fresh("k"), self.fresh("r"), self.fresh("a")
        inner = _Function(function, {value: "num *"})
        rest(inner, value)
        self._finish(f"static void {name}(void **env, num *{value})", inner)
        environment = self._environment(function, inner)
        function.add(f"rest {local}_ = {{{name}, {environment}}}, *{local} = &{local}_;")
        function.types[local] = "rest *"
        return local

    # ------------------------------------------------------------ forms

    def _form(self, form: Form, function: _Function, rest: Rest) -> None:
        """Compute a form, let the rest go on with its value, and come back over it."""
        if isinstance(form, Symbol):
            rest(function, self._use(form, function))
            return
        if not isinstance(form, tuple):
            rest(function, self._new_number("0.0" if form is None else number(form), function))
            return
        head, *parts = form
        if head in self.functions:
            self._forms(parts, function, [], lambda w, given: self._call(head, given, w, rest))
            return
        special = getattr(self, f"_{str(head).replace('-', '_')}_form", None)
        if special is not None:
            special(parts, function, rest)
        elif head in OPERATORS:
            self._forms(parts, function, [], lambda w, given: self._operation(head, given, w, rest))
        else:
            raise StagingError(f"'{head}' has no derivative")

    def _forms(
        self, forms: Sequence[Form], function: _Function, before: list[str],
        rest: Callable[[_Function, list[str]], None],
    ) -> None:  # fmt: skip
        if not forms:
            rest(function, before)
            return

        def following(where: _Function, value: str) -> None:
            self._forms(forms[1:], where, [*before, value], rest)

        self._form(forms[0], function, following)

    def _use(self, name: Any, function: _Function) -> str:
        try:
            return function.use(self.names[name])
        except KeyError:
            raise StagingError(f"{name} has no derivative: it is no number there") from None

    def _new_number(self, code: str, function: _Function) -> str:
        local = self.fresh("n")
        function.add(f"num {local}_ = {{{code}, 0}}, *{local} = &{local}_;")
        function.types[local] = "num *"
        return local

    def _operation(self, head: Any, given: list[str], function: _Function, rest: Rest) -> None:
        values = [f"{function.use(one)}->v" for one in given]
        result = self._new_number(OPERATORS[head].format(*values), function)
        rest(function, result)
        slopes = _SLOPES.get(head, ())
        for one, slope in zip(given, slopes, strict=False):
            places = [*values, *[""] * (2 - len(values)), f"{result}->v"]
            function.add(f"{one}->d += {slope.format(*places, d=f'{result}->d')};")

    def _call(self, name: Any, given: list[str], function: _Function, rest: Rest) -> None:
        if len(given) != len(self.arrays[name]):
            wanted = f"{len(given)} arguments instead of {len(self.arrays[name])}"
            raise StagingError(f"{name} gets {wanted}")
        following = self._rest_of(function, rest)
        arguments = [function.use(one) for one in given]
        environment = function.use(self.functions[name])
        code = ", ".join([environment, *arguments, following])
        function.add(f"{self.functions[name]}_({code});")

    def _begin_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        *before, last = parts
        if not before:
            self._form(last, function, rest)
            return

        def following(where: _Function, value: str) -> None:
            self._begin_form(parts[1:], where, rest)

        self._form(before[0], function, following)

    def _let_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        name, form = parts
        if isinstance(form, tuple) and form[:1] == ("lambda",):
            self._def_form([name, form[1], form[2]], function, rest)
            return

        def following(where: _Function, value: str) -> None:
            self.names[name] = value
            rest(where, value)

        self._form(form, function, following)

    def _def_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        name, given, body = parts
        local = self.fresh("f")
        self.functions[name] = local
        kinds = ["struct array *" if one else "num *" for one in self.arrays[name]]
        own = {local: "void **"}
        inner = _Function(function, own)
        for one, kind in zip(given, kinds, strict=True):
            self._know(inner, one, spelled(one), kind)
        inner.types["k"] = "rest *"

        def finish(where: _Function, value: str) -> None:
            back = where.use("k")
            where.add(f"{back}->run({back}->env, {where.use(value)});")

        self._form(body, inner, finish)
        given_ = [f"{kind}{spelled(one)}" for one, kind in zip(given, kinds, strict=True)]
        head = f"static void {local}_({', '.join(['void **env', *given_, 'rest *k'])})"
        inner.lines.insert(0, f"    void **{local} = env;")
        self._finish(head, inner)
        environment = self._environment(function, inner)
        function.add(f"void **{local} = {environment};")
        function.types[local] = "void **"
        rest(function, "")

    def _new_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        local = self.fresh("v")
        function.add(f"num *{local}_ = 0, **{local} = &{local}_;")
        function.types[local] = "num **"
        rest(function, local)

    def _set_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        def following(where: _Function, value: str) -> None:
            variable = self._use(parts[0], where)
            # Where the rest comes back, what was there before is there again.
            before = self.fresh("b")
            where.add(f"num *{before} = *{variable};")
            where.add(f"*{variable} = {where.use(value)};")
            rest(where, value)
            where.add(f"*{variable} = {before};")

        self._form(parts[1], function, following)

    def _get_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        local = self.fresh("n")
        function.add(f"num *{local} = *{self._use(parts[0], function)};")
        function.types[local] = "num *"
        rest(function, local)

    def _if_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        def following(where: _Function, test: str) -> None:
            behind = self._rest_of(where, rest)

            def go_on(there: _Function, value: str) -> None:
                back = there.use(behind)
                there.add(f"{back}->run({back}->env, {there.use(value) if value else '0'});")

            for head, block in ((f"if ({where.use(test)}->v) {{", parts[1]),
                                ("} else {", parts[2])):  # fmt: skip
                where.add(head)
                where.depth += 1
                known = dict(where.types)
                self._form(block, where, go_on)
                where.types = known | where.environment
                where.depth -= 1
            where.add("}")

        self._form(parts[0], function, following)

    def _while_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        local = self.fresh("w")
        inner = _Function(function, {local: "void **"})

        def decide(where: _Function, test: str) -> None:
            where.add(f"if ({where.use(test)}->v) {{")
            for block, last in ((parts[1], True), (None, False)):
                where.depth += 1
                known = dict(where.types)
                if last:
                    self._form(block, where,
                               lambda w, _: w.add(f"{local}_({w.use(local)});"))  # fmt: skip
                else:
                    rest(where, self._new_number("0.0", where))
                where.types = known | where.environment
                where.depth -= 1
                where.add("} else {" if last else "}")

        self._form(parts[0], inner, decide)
        inner.lines.insert(0, f"    void **{local} = env;")
        self._finish(f"static void {local}_(void **env)", inner)
        function.add(f"{local}_({self._environment(function, inner)});")

    def _idx_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        def following(where: _Function, given: list[str]) -> None:
            array, place = (where.use(one) for one in given)
            at = self.fresh("i")
            where.add(f"long {at} = py_at({array}, {place}->v);")
            value = self._new_number(f"{array}->v[{at}]", where)
            rest(where, value)
            where.add(f"{array}->d[{at}] += {value}->d;")

        self._forms(parts, function, [], following)

    def _len_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        array = self._use(parts[0], function)
        rest(function, self._new_number(f"(double) {array}->n", function))

    def _tuple_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        raise StagingError("a program with several results has no gradient")

    def _print_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        raise StagingError("what prints has no derivative")
