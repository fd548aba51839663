"""R02 and R03: other names for the tensorflow module, and for what is in it."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ....messages.finding import Finding
from ....names.scopes import Binding
from ....syntax.tree import LN, Call, Expression, dotted, flat, leaves, unwrap, walk
from ....values.value import Value, Values
from .checked_code import TENSORFLOW, Code, alternatives, is_attribute, shortened, value_of
from .holders import call_with
from .sites import ROLES

# Classes whose constructors the rules rewrite.
_CONSTRUCTED = (
    *ROLES["optimizer"].isa,
    "tensorflow.GradientTape",
    "tensorflow.keras.optimizers.schedules.LearningRateSchedule",
)
_IMPORTERS = {"importlib.import_module", "builtins.__import__"}
_PARTIAL = "functools.partial"


def check_module(code: Code) -> Iterator[Finding]:
    """R02: names of the tensorflow module that no import binds."""
    for binding in code.bindings:
        if binding.kind not in ("assign", "walrus") or not binding.value:
            continue
        values = code.facts.evaluator.binding(binding, code.module)
        name = code.named(binding)
        if _is_module(values):
            held = code.held_by(binding)
            if held == Values(frozenset({Value(TENSORFLOW)}), complete=True):
                yield code.finding("R02", binding.node,
                                   f"{name} is another name of the tensorflow module, and always "
                                   "means it")  # fmt: skip
            else:
                yield code.finding(
                    "R02", binding.node,
                    f"{name} is another name of the tensorflow module, but may hold something "
                    "else too, so that the rules only assume it",
                    f"Use the name that is imported instead of {name}",
                )  # fmt: skip
        elif not is_attribute(binding):
            imported = _import_of(code, binding)
            if imported is not None:
                yield code.finding(
                    "R02", binding.node,
                    f"{name} is imported as {TENSORFLOW} on line {code.line(imported.node)}, but "
                    f"holds `{code.text(binding.value)}` from here on, so that the rules only "
                    "assume what it is",
                    f"Give `{code.text(binding.value)}` another name, or let the import fail",
                )  # fmt: skip
    for call in code.module.tree.calls:
        yield from _loaded(code, call)
        yield from _handed_over(code, call)


def _is_module(values: Values) -> bool:
    return any(v.name == TENSORFLOW and not v.instance for v in values.items)


def _import_of(code: Code, binding: Binding) -> Binding | None:
    """The import of tensorflow by the same name, if there is one."""
    for other in binding.scope.bindings.get(binding.name, []):
        if other.kind == "import" and _is_module(code.facts.evaluator.binding(other, code.module)):
            return other
    return None


def _loaded(code: Code, call: Call) -> Iterator[Finding]:
    """Calls such as ``importlib.import_module("tensorflow")``."""
    if not code.values(call.callee).names & _IMPORTERS:
        return
    first = next(iter(call.arguments), None)
    if first is None or first.value.type != token.STRING:
        return
    name = first.value.value.strip("rRuUbB\"'")
    if name.split(".")[0] == TENSORFLOW:
        yield code.finding(
            "R02", call.expression[0],
            f"`{code.text(call.expression)}` loads {name} where the analysis does not see it; "
            "nothing that is used of it is known",
            f"Write `import {name}`",
        )  # fmt: skip


def _handed_over(code: Code, call: Call) -> Iterator[Finding]:
    definition = code.function(code.values(call.callee))
    if definition is None:
        return
    for argument in call.arguments:
        if _is_module(code.values((argument.value,))):
            yield code.finding(
                "R02", argument.value,
                f"`{code.text((argument.value,))}` is handed to {definition.scope.name}(), where "
                "a parameter then means the tensorflow module; the rules only assume it there",
                f"Import tensorflow in the module of {definition.scope.name}()",
            )  # fmt: skip


def check_members(code: Code) -> Iterator[Finding]:
    """R03: names for members of the tensorflow module that no import binds."""
    for binding in code.bindings:
        if binding.kind in ("assign", "walrus") and binding.value:
            yield from _alias(code, binding)
        elif binding.kind == "parameter" and _constructed(code, code.values(binding.value or ())):
            yield code.finding(
                "R03", binding.value[0],
                f"the parameter {binding.name} stands for `{code.text(binding.value)}` unless "
                "another class is given; what it makes is only assumed",
                f"Call `{code.text(binding.value)}` by its own name",
            )  # fmt: skip
    for node in walk(code.module.tree.root):
        yield from _kept(code, node)
    for call in code.module.tree.calls:
        yield from _chosen(code, call)


def _alias(code: Code, binding: Binding) -> Iterator[Finding]:
    members = sorted({
        name
        for value in alternatives(value_of(binding))
        if not _is_call(value) and not _of_instance(code, value)
        for name in code.values(value).names
        if _is_member(name) and (dotted(value)[1:] or code.is_known(Value(name)))
    })  # fmt: skip
    if not members:
        return
    name, held = code.named(binding), code.held_by(binding)
    what = f"{name} is another name of {' or '.join(members)}"
    pure = held.complete and all(not v.instance and _is_member(v.name) for v in held.items)
    undecided = _undecided(code, held)
    if not _matters(code, members):
        yield code.finding("R03", binding.node, f"{what}, which no rule asks for")
    elif pure and undecided is None:
        yield code.finding("R03", binding.node, f"{what}, and always means it")
    elif undecided is not None:
        call = code.text(undecided.expression)
        yield code.finding(
            "R03", binding.node,
            f"{name} means one of several optimizers with different rates, so that `{call}` "
            f"on line {code.line(undecided.trailer)} keeps its learning rate",
            "Give the rate there, learning_rate=…",
        )  # fmt: skip
    else:
        yield code.finding("R03", binding.node,
                           f"{what}, but may hold something else too, so that the rules only "
                           "assume it", f"Use {members[0]} by its own name")  # fmt: skip


def _is_member(name: str) -> bool:
    """Whether a name is that of a member of tensorflow, not of one of its objects' attributes, such
    as ``tf.flags.FLAGS.batch_size``."""
    owners = name.split(".")[1:-1]
    return name.startswith(f"{TENSORFLOW}.") and not any(owner.isupper() for owner in owners)


def _is_call(value: Expression) -> bool:
    last = flat(value)[-1]
    return bool(last.type == symbols.trailer and last.children[0].type == token.LPAR)


def _of_instance(code: Code, value: Expression) -> bool:
    """Whether the value is an attribute of an object, such as ``optimizer.iterations``."""
    nodes = flat(value)
    return any(
        any(v.instance for v in code.values(nodes[:length]).items)
        for length in range(1, len(nodes))
    )


def _matters(code: Code, names: list[str]) -> bool:
    """Whether the rules ask for one of the names, or for something below it."""
    library = code.facts.library
    wanted = {
        library.canonical(cls)
        for classes in (_CONSTRUCTED, *(role.isa for role in ROLES.values()))
        for cls in classes
    }
    hierarchy = code.facts.evaluator.hierarchy
    return any(
        any(cls.startswith(f"{name}.") for cls in wanted)
        or (name in hierarchy and any(hierarchy.isa(name, cls) for cls in wanted))
        for name in names
    )


def _constructed(code: Code, values: Values) -> bool:
    """Whether the values are classes whose constructors the rules rewrite."""
    hierarchy = code.facts.evaluator.hierarchy
    return any(
        not v.instance
        and _is_member(v.name)
        and any(hierarchy.isa(v.name, c) for c in _CONSTRUCTED)
        for v in values.items
    )


def _undecided(code: Code, held: Values) -> Call | None:
    """A call of one of several optimizers whose rate cannot be scaled: it is not given, and their
    defaults differ, or it may stand at several positions."""
    if len(held.names) < 2 or not _constructed(code, held):
        return None
    rates = {_rate(code, name) for name in held.names}
    positions, defaults = {position for position, _ in rates}, {default for _, default in rates}
    position = next(iter(positions)) if len(positions) == 1 else None
    for call in code.module.tree.calls:
        if code.values(call.callee).names == held.names:
            if call.argument("learning_rate", position) or call.argument("lr"):
                continue
            unplaced = position is None and any(a.name is None for a in call.arguments)
            if len(defaults) > 1 or unplaced:
                return call
    return None


def _rate(code: Code, name: str) -> tuple[int | None, str | None]:
    """Position and default of the learning rate in a constructor."""
    known = code.facts.library.classes.get(name)
    for index, parameter in enumerate(known.parameters if known is not None else ()):
        if parameter.name == "learning_rate":
            return (index if parameter.kind == "positional" else None), parameter.default
    return None, None


def _kept(code: Code, node: LN) -> Iterator[Finding]:
    """Classes in a dict, list or tuple that is assigned to a name."""
    if not _is_display(node) or not _is_stored(node):
        return
    for child in node.children:
        if child.type != token.COMMA and _constructed(code, code.values((child,))):
            name = code.text((child,))
            yield code.finding(
                "R03", child,
                f"`{name}` is kept in a container, and what is made from there is not known: "
                "an optimizer keeps its learning rate, a tape is not wrapped",
                f"Call `{name}` by its name, for example in an if for each choice",
            )  # fmt: skip


def _is_display(node: LN) -> bool:
    """Whether the node's children are the items of a list, tuple, set or dict; a list of one item
    has no node of its own in its brackets."""
    if node.type == symbols.atom:
        return bool(node.children[0].type in (token.LSQB, token.LBRACE))
    return node.type in (symbols.dictsetmaker, symbols.listmaker, symbols.testlist_gexp)


def _is_stored(display: LN) -> bool:
    """Whether a display is the right side of an assignment to one name, attribute or item."""
    outer = display if display.type == symbols.atom else display.parent
    statement = outer.parent
    while statement is not None and (statement.type == symbols.atom or _is_display(statement)):
        statement = statement.parent
    return (
        statement is not None
        and statement.type in (symbols.expr_stmt, symbols.annassign, symbols.return_stmt)
        and not any(n.type == symbols.comp_for for n in display.children)
        and unwrap((statement.children[0],))[0].type
        not in (symbols.testlist_star_expr, symbols.testlist_gexp)
    )


def _chosen(code: Code, call: Call) -> Iterator[Finding]:
    """Members that are looked up by a computed name, or handed to a function to be called there."""
    names = code.values(call.callee).names
    first = next(iter(call.arguments), None)
    if "builtins.getattr" in names and first is not None:
        owners = sorted(n for n in code.values((first.value,)).names if n.startswith(TENSORFLOW))
        if owners and _matters(code, owners):
            yield code.finding(
                "R03", call.expression[0],
                f"`{code.text(call.expression)}` is a member of {owners[0]} that is not known; "
                "if it is an optimizer, it keeps its learning rate",
                "Name the class, for example in an if for each choice",
            )  # fmt: skip
    definition = code.function(code.values(call.callee))
    if definition is None and _PARTIAL not in names:
        return
    taker = definition.scope.name if definition is not None else "functools.partial"
    for argument in call.arguments:
        if call_with(argument.node) is None or not _constructed(
            code, code.values((argument.value,))
        ):
            continue
        name = shortened("".join(leaf.value for leaf in leaves(argument.value)))
        yield code.finding(
            "R03", argument.value,
            f"`{name}` is handed to {taker}() to be called there; what it makes is "
            f"{'not seen' if definition is None else 'only assumed'}",
            f"Call `{name}` here, and hand over what it makes",
        )  # fmt: skip
