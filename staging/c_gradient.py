"""c_gradient: a staged program as C that computes derivatives, too, by continuations.

Each operation computes its value, lets everything that follows run, and then adds to the
derivatives of what it was made of: the rest of the program is called, not returned to. Where two
ways meet, behind an ``if``, and behind a call, the rest is a function, which gets what it uses by
address: all of that lives as long as it is needed, for nothing returns before the program's end.
(Wang and others, "Demystifying Differentiable Programming", as Lantern does it; document 003,
section 7.)
"""

from __future__ import annotations

from . import c_arrays
from .c_kinds import NUMBER, VECTOR, Kinds, told
from .c_names import HEAD, OPERATORS, RUN, number, spelled
from .errors import StagingError
from .sexpr import Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from .c_kinds import Kind
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

_HEAD = """\
typedef struct { double v, d; } num;
typedef struct { void (*run)(void **env, void *value); void **env; } rest;
"""
_ARRAY = "struct array *"


def gradient_code(program: Form, kinds: Sequence[int] | None = None, single: bool = False) -> str:
    """The text of a program that has one number as its result; ``kinds`` are those of its
    parameters, and items of arrays are ``single`` floats, or doubles. Raises StagingError."""
    return _Writer(program, Kinds(program, kinds)).text(single)


def _type(kind: Kind) -> str:
    """A type of C."""
    if isinstance(kind, tuple):
        return "void **"
    return _ARRAY if kind else "num *"


class _Function:
    """One function of C. What it uses of those around it gets from an array of addresses."""

    def __init__(self, around: _Function | None, own: dict[str, str]) -> None:
        self.around = around
        self.types = own
        self.environment: dict[str, str] = {}
        self.lines: list[str] = []
        self.depth = 1

    def add(self, *lines: str) -> None:
        self.lines += ["    " * self.depth + line for line in lines]

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
    def __init__(self, program: Form, kinds: Kinds) -> None:
        self.program = program
        self.kinds = kinds
        # Of names in C.
        self.kind_of: dict[str, Kind] = {}
        self.names: dict[Any, str] = {}
        self.functions: dict[Any, str] = {}
        self.parameters: dict[Any, tuple[Any, ...]] = {}
        self.done: list[str] = []
        self.heads: list[str] = []
        self.count = 0

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def text(self, single: bool) -> str:
        _, name, given, body = self.program
        function = _Function(None, {})
        counts = {True: 0, False: 0}
        numbers = []
        for one in given:
            kind = self.kinds.of[one]
            local, at = spelled(one), counts[bool(kind)]
            counts[bool(kind)] += 1
            if kind:
                function.add(f"struct array *{local} = &arrays[{at}];")
            else:
                function.add(f"num {local}_ = {{numbers[{at}], 0}}, *{local} = &{local}_;")
                numbers.append(local)
            self._know(function, one, local, kind)

        def finish(where: _Function, value: str) -> None:
            where.add(f"*{where.use('results')} = {value}->v;")
            where.add(f"{value}->d += 1;")

        if self.kinds.results[name]:
            what = told(self.kinds.results[name]).replace("several values", "several results")
            raise StagingError(f"a program with {what} has no gradient")
        function.types["results"] = "double *"
        self._form(body, function, finish)
        for at, local in enumerate(numbers):
            function.add(f"results[{at + 1}] = {local}->d;")
        return "\n".join([
            f"typedef {'float' if single else 'double'} real;",
            HEAD, _HEAD, *([c_arrays.HEAD] if self._has_arrays() else []), *self.heads, *self.done,
            RUN,
            "{", "    stack_base = base; stack_size = size; failed = 0;",
            *(["    forget();"] if self._has_arrays() else []),
            *function.lines, "    return failed;", "}", "",
        ])  # fmt: skip

    def _has_arrays(self) -> bool:
        return any(self.kind_of.values())

    def _know(self, function: _Function, name: Any, local: str, kind: Kind) -> None:
        self.names[name] = local
        self._new(function, local, kind)

    def _new(self, function: _Function, local: str, kind: Kind) -> str:
        """A name in C of a value."""
        function.types[local] = _type(kind)
        self.kind_of[local] = kind
        return local

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

    def _rest_of(self, function: _Function, rest: Rest, kind: Kind) -> str:
        """What follows as a function, with its environment, in a variable."""
        name, local, value = self.fresh("k"), self.fresh("r"), self.fresh("a")
        inner = _Function(function, {})
        self._new(inner, value, kind)
        inner.add(f"{_type(kind)}{value} = given;")
        rest(inner, value)
        self._finish(f"static void {name}(void **env, void *given)", inner)
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
        word = "product" if head == "@" else str(head).replace("-", "_")
        special = getattr(self, f"_{word}_form", None)
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
        return self._new(function, local, NUMBER)

    def _operation(self, head: Any, given: list[str], function: _Function, rest: Rest) -> None:
        parts = [(function.use(one), self.kind_of[one]) for one in given]
        slopes = _SLOPES.get(head, ())
        array = next((kind for _, kind in parts if kind != NUMBER), NUMBER)
        if array:
            if not slopes or head == "%":
                raise StagingError(f"'{head}' is for numbers")
            result = self._new(function, self.fresh("n"), array)
            function.add(*c_arrays.each(head, result, parts))
            rest(function, result)
            function.add(*c_arrays.each_slope(slopes, result, parts))
            return
        values = [f"{one}->v" for one in given]
        result = self._new_number(OPERATORS[head].format(*values), function)
        rest(function, result)
        for one, slope in zip(given, slopes, strict=False):
            places = [*values, *[""] * (2 - len(values)), f"{result}->v"]
            function.add(f"{one}->d += {slope.format(*places, d=f'{result}->d')};")

    def _call(self, name: Any, given: list[str], function: _Function, rest: Rest) -> None:
        if len(given) != len(self.parameters[name]):
            wanted = f"{len(given)} arguments instead of {len(self.parameters[name])}"
            raise StagingError(f"{name} gets {wanted}")
        following = self._rest_of(function, rest, self.kinds.results[name])
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

        if form == (Symbol("new"),):
            self.names[name] = self._variable(name, function)
            rest(function, "")
            return

        def following(where: _Function, value: str) -> None:
            self.names[name] = value
            rest(where, value)

        self._form(form, function, following)

    def _def_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        name, given, body = parts
        local = self.fresh("f")
        self.functions[name] = local
        self.parameters[name] = given
        inner = _Function(function, {local: "void **"})
        for one in given:
            self._know(inner, one, spelled(one), self.kinds.of[one])
        inner.types["k"] = "rest *"

        def finish(where: _Function, value: str) -> None:
            back = where.use("k")
            where.add(f"{back}->run({back}->env, {where.use(value)});")

        self._form(body, inner, finish)
        given_ = [f"{_type(self.kinds.of[one])}{spelled(one)}" for one in given]
        head = f"static void {local}_({', '.join(['void **env', *given_, 'rest *k'])})"
        inner.lines.insert(0, f"    void **{local} = env;")
        self._finish(head, inner)
        environment = self._environment(function, inner)
        function.add(f"void **{local} = {environment};")
        function.types[local] = "void **"
        rest(function, "")

    def _variable(self, name: Any, function: _Function) -> str:
        local, kind = self.fresh("v"), _type(self.kinds.of.get(name))
        function.add(f"{kind}{local}_ = 0, *{'*' * kind.count('*')}{local} = &{local}_;")
        function.types[local] = f"{kind}*"
        return local

    def _set_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        def following(where: _Function, value: str) -> None:
            # Nothing reads it on the way back.
            where.add(f"*{self._use(parts[0], where)} = {where.use(value)};")
            rest(where, value)

        self._form(parts[1], function, following)

    def _get_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        local, kind = self.fresh("n"), self.kinds.of.get(parts[0])
        function.add(f"{_type(kind)}{local} = *{self._use(parts[0], function)};")
        rest(function, self._new(function, local, kind))

    def _if_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        def following(where: _Function, test: str) -> None:
            behind = self._rest_of(where, rest, self.kinds.kind(("if", *parts)))

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
            owner, place = (where.use(one) for one in given)
            kind = self.kinds.kind((Symbol("idx"), *parts))
            if isinstance(self.kind_of[owner], tuple):
                local = self.fresh("n")
                where.add(f"{_type(kind)}{local} = {owner}[{parts[1]}];")
                rest(where, self._new(where, local, kind))
            elif kind == VECTOR:
                local = self.fresh("n")
                where.add(
                    f"struct array {local}_ = row({owner}, {place}->v), *{local} = &{local}_;"
                )
                rest(where, self._new(where, local, kind))
            else:
                at = self.fresh("i")
                where.add(f"long {at} = py_at({owner}, {place}->v);")
                value = self._new_number(f"{owner}->v[{at}]", where)
                rest(where, value)
                where.add(f"{owner}->d[{at}] += {value}->d;")

        self._forms(parts, function, [], following)

    def _len_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        def following(where: _Function, array: str) -> None:
            rest(where, self._new_number(f"(double) {where.use(array)}->n", where))

        self._form(parts[0], function, following)

    def _sum_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        def following(where: _Function, array: str) -> None:
            if self.kind_of[where.use(array)] == NUMBER:
                raise StagingError("'sum' is for vectors and matrices")
            total = self._new_number("0", where)
            where.add(c_arrays.loop(array, f"{total}->v += {array}->v[j];"))
            rest(where, total)
            where.add(c_arrays.loop(array, f"{array}->d[j] += {total}->d;"))

        self._form(parts[0], function, following)

    def _product_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        def following(where: _Function, given: list[str]) -> None:
            left, right = (where.use(one) for one in given)
            if self.kind_of[left] == VECTOR:
                result = self._new_number(f"vectors({left}, {right})", where)
                slopes = f"vectors_slopes({result}->d, {left}, {right});"
            else:
                result = self._new(where, self.fresh("n"), self.kind_of[right])
                code = f"product({left}, {right})"
                where.add(f"struct array {result}_ = {code}, *{result} = &{result}_;")
                slopes = f"product_slopes({result}, {left}, {right});"
            rest(where, result)
            where.add(slopes)

        self._forms(parts, function, [], following)

    def _tuple_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        def following(where: _Function, given: list[str]) -> None:
            local = self.fresh("n")
            names = ", ".join(f"(void *) {where.use(one)}" for one in given)
            where.add(f"void *{local}[] = {{{names or 0}}};")
            kind = tuple(self.kind_of[one] for one in given)
            rest(where, self._new(where, local, kind))

        self._forms(parts, function, [], following)

    def _print_form(self, parts: list[Form], function: _Function, rest: Rest) -> None:
        raise StagingError("what prints has no derivative")
