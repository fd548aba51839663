"""R05: datasets and optimizers that are made elsewhere than on the right of an assignment, made
more than once, or known by several names; R10 asks the same of checkpoints."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ....messages.finding import Finding
from ....names.definition import Definition, items_of
from ....names.module import Module
from ....names.scopes import Binding
from ....syntax.tree import LN, Argument, Call, Expression, attribute_name, flat, outer_call, walk
from ....values.questions import passed_at
from ....values.value import Certainty
from .checked_code import Code, alternatives, around_in_scope, outermost, value_of
from .holders import article, call_with, creations, in_holder, is_constructor, unheld
from .sites import DATASET, METHODS, OPTIMIZER, ROLES

_LOOPS = {symbols.for_stmt, symbols.while_stmt}
_DISPLAYS = {symbols.listmaker, symbols.dictsetmaker, symbols.testlist_gexp}
_CHOICES = {symbols.test, symbols.or_test, symbols.and_test}


def check(code: Code) -> Iterator[Finding]:
    """R05, for datasets and optimizers."""
    for role in (DATASET, OPTIMIZER):
        yield from check_role(code, role, "R05")
    for call in code.module.tree.calls:
        if call.method == "apply_gradients" and _is_computed(call.receiver):
            if not any(made.trailer is outer.trailer for made, _ in creations(code, OPTIMIZER)
                       if (outer := outer_call(call.receiver)) is not None):  # fmt: skip
                yield code.finding(
                    "R05", call.expression[0],
                    f"no name holds the optimizer `{code.text(call.receiver)}`, so that nothing "
                    "can be done with it after its step",
                    "Assign the optimizer to a name first",
                )  # fmt: skip


def _is_computed(expression: Expression) -> bool:
    """Whether evaluating the expression a second time may give something else."""
    return any(
        part.type == symbols.trailer and part.children[0].type == token.LPAR
        for node in expression
        for part in walk(node)
    )


def check_role(code: Code, role: str, restriction: str) -> Iterator[Finding]:
    """Where objects of a role are made and passed on otherwise than the restriction allows."""
    for call, chain in creations(code, role):
        yield from _made(code, role, restriction, call, chain)
    for binding in code.bindings:
        if binding.kind in ("assign", "walrus", "with", "for") and binding.value:
            yield from _alias(code, role, restriction, binding)
    for call in code.module.tree.calls:
        yield from _passed(code, role, restriction, call)
    for node in walk(code.module.tree.root):
        if node.type == symbols.power:
            yield from _method_taken(code, role, restriction, node)


def _made(
    code: Code, role: str, restriction: str, call: Call, chain: Expression
) -> Iterator[Finding]:
    what, start = code.text(call.expression), chain[0]
    if role == OPTIMIZER and not is_constructor(code, call):
        yield code.finding(
            restriction, start,
            f"`{what}` makes an optimizer of a class that is not known, and its learning rate is "
            "left as it is",
            "Call the constructor of the optimizer's class",
        )  # fmt: skip
        return
    loop = _loop(code, chain[0])
    if loop is not None:
        again = f"`{what}` makes {article(role)} in each turn of the loop on line {code.line(loop)}"
        yield code.finding(restriction, start, f"{again}; {_each(role)}")
        return
    yield from _placed(code, role, restriction, chain, what)


def _each(role: str) -> str:
    if role == OPTIMIZER:
        return "the rules treat each of them as an optimizer of its own"
    return "the rules treat all of them alike"


def _placed(
    code: Code, role: str, restriction: str, chain: Expression, what: str
) -> Iterator[Finding]:
    """Findings for an object that is not assigned where it is made."""
    node = outermost(chain)
    while node.parent is not None and node.parent.type in _CHOICES:
        node = outermost((node.parent,))  # a matter of R07
    parent = node.parent
    kind = parent.type if parent is not None else None
    start, made = chain[0], f"`{what}` makes {article(role)}"
    if chain[-1] is not node and chain[-1].parent is not None and (
        chain[-1].parent.children[-1] is not chain[-1]
    ):  # fmt: skip
        yield from _used_at_once(code, role, restriction, chain, what)
        return
    if kind in (symbols.expr_stmt, symbols.annassign) or parent is None:
        return
    if kind == symbols.return_stmt:
        yield from _returned(code, role, restriction, chain, made)
        return
    if kind in (symbols.testlist, symbols.testlist_star_expr, symbols.testlist_gexp) and (
        _is_unpacked(parent)
    ):  # fmt: skip
        yield code.finding(restriction, start, f"{made} that is unpacked into a name; the analysis "
                                               "follows it there")  # fmt: skip
        return
    taker = call_with(node)
    if taker is not None:
        yield from _given(code, role, restriction, taker, start, made)
    elif kind in (symbols.simple_stmt, symbols.file_input):
        yield code.finding(restriction, start, f"{made} that no name holds, and nothing uses it")
    else:
        where = "in a container" if kind in (*_DISPLAYS, symbols.atom) else "within a statement"
        yield _unheld(code, role, restriction, start, f"{made} {where}")


def _unheld(code: Code, role: str, restriction: str, start: LN, made: str) -> Finding:
    """A finding for an object that gets where the analysis does not follow it."""
    why, site = unheld(code, role)
    hint = f"Assign it to a name, and use the name on {site}" if site else None
    return _with(code, restriction, start, f"{made}; {why}", hint)


def _with(code: Code, restriction: str, node: LN, message: str, hint: str | None) -> Finding:
    if hint is None:
        return code.finding(restriction, node, message)
    return code.finding(restriction, node, message, hint)


def _used_at_once(
    code: Code, role: str, restriction: str, chain: Expression, what: str
) -> Iterator[Finding]:
    following = chain[-1].next_sibling
    method = following.children[1].value if len(following.children) > 1 else ""
    if role == OPTIMIZER and method in ("apply_gradients", "minimize"):
        yield code.finding(
            restriction, chain[0],
            f"`{what}` makes an optimizer for this {method}() alone; no name holds it, so that "
            "nothing can be done with it after the step",
            "Assign the optimizer to a name, once, and use the name",
        )  # fmt: skip
    elif method not in METHODS[role] or _is_called(following):
        yield code.finding(restriction, chain[0],
                           f"`{what}` makes {article(role)} for .{method} alone; the rules find "
                           "it there")  # fmt: skip


def _is_called(trailer: LN) -> bool:
    following = trailer.next_sibling
    return following is not None and following.type == symbols.trailer and (
        following.children[0].type == token.LPAR)  # fmt: skip


def _returned(
    code: Code, role: str, restriction: str, chain: Expression, made: str
) -> Iterator[Finding]:
    function = code.module.scope_of(chain[0]).function
    if function is None:
        return
    evaluator = code.facts.evaluator
    name = f"{code.module.name}.{function.qualified_name}"
    definition = evaluator.definitions.get(name)
    sites = list(evaluator.callers.sites(definition)) if definition is not None else []
    followed = all(code.holds(evaluator.evaluate(c.expression, m), role) for c, m in sites)
    if followed:
        yield code.finding(restriction, chain[0], f"{made} that {function.name}() returns; the "
                                                  "analysis follows it to its callers")  # fmt: skip
        return
    why, site = unheld(code, role)
    hint = f"Let {function.name}() be a plain function" if site else None
    yield _with(code, restriction, chain[0], f"{made} that {function.name}() returns; {why}", hint)


def _is_unpacked(items: LN) -> bool:
    """Whether a tuple is the right side of an assignment to as many names, or returned."""
    outer = outermost((items.parent,)) if items.type == symbols.testlist_gexp else items
    statement = outer.parent
    if statement is None:
        return False
    if statement.type == symbols.return_stmt:
        return True
    return statement.type == symbols.expr_stmt and bool(items_of((statement.children[0],)))


def _given(
    code: Code, role: str, restriction: str, taker: Call, start: LN, made: str
) -> Iterator[Finding]:
    """An object that is made among the arguments of a call."""
    callee = code.text(taker.callee)
    if code.function(code.values(taker.callee)) is not None:
        return  # a matter of the parameter: see _passed
    made = f"{made} for {callee}() that no name holds"
    if code.values(taker.callee).items:
        yield code.finding(restriction, start, f"{made}; the rules find it there")
    else:
        yield _unheld(code, role, restriction, start, made)


def _alias(code: Code, role: str, restriction: str, binding: Binding) -> Iterator[Finding]:
    """Names for an object that has another name already."""
    if binding.kind == "with" or not _bound_directly(binding):
        return
    values = code.facts.evaluator.binding(binding, code.module)
    if not code.holds(values, role):
        yield from _stored(code, role, restriction, binding)
        return
    first = _first_target(binding)
    source = _source(code, binding, role)
    if source is None and first is None:
        return
    name = code.named(binding)
    other = first if source is None else source
    held = code.held_by(binding)
    why, site = in_holder(code, binding, held, role)
    hint = f"Use {other} instead of {name}" if site is not None else None
    message = f"{name} is another name of the {role} `{other}`; {why}"
    yield _with(code, restriction, binding.node, message, hint)


def _bound_directly(binding: Binding) -> bool:
    return binding.kind != "for" or bool(items_of(binding.value))


def _first_target(binding: Binding) -> str | None:
    """``a`` for the ``b`` of ``a = b = …``."""
    statement = binding.statement
    if statement.type != symbols.expr_stmt or len(statement.children) < 5:
        return None
    first = statement.children[0]
    return None if any(n is binding.node for n in walk(first)) else str(first).strip()


def _source(code: Code, binding: Binding, role: str) -> str | None:
    """The name or attribute whose object gets another name."""
    items = [(item,) for item in items_of(binding.value)] if binding.kind == "for" else []
    for candidate in items or alternatives(value_of(binding)):
        nodes = flat(candidate)
        is_plain = nodes[-1].type == token.NAME or attribute_name(nodes) is not None
        if is_plain and code.holds(code.values(candidate), role):
            text = code.text(candidate)
            return None if text == code.named(binding) else text
    return None


def _stored(code: Code, role: str, restriction: str, binding: Binding) -> Iterator[Finding]:
    """Objects that are put into a list, tuple or dict which gets a name."""
    nodes = flat(binding.value)
    if binding.element or len(nodes) != 1 or nodes[0].type != symbols.atom:
        return
    inner = nodes[0].children[1]
    items = inner.children if inner.type in _DISPLAYS else [inner]
    for item in items:
        plain = flat((item,))
        if plain[-1].type != token.NAME and attribute_name(plain) is None:
            continue
        if code.holds(code.values((item,)), role):
            why, site = unheld(code, role)
            name, text = code.named(binding), code.text((item,))
            hint = f"Use {text} by its name on {site}" if site is not None else None
            yield _with(code, restriction, item,
                        f"the {role} `{text}` is kept in {name} as well; {why}", hint)  # fmt: skip


def _passed(code: Code, role: str, restriction: str, call: Call) -> Iterator[Finding]:
    """Objects that become parameters of functions of the repository."""
    definition = code.function(code.values(call.callee))
    if definition is None:
        return
    for argument in call.arguments:
        known = code.holds(code.values((argument.value,)), role)
        if known is not Certainty.PROVED or argument.star:
            continue
        parameter = _parameter(code, call, argument, definition)
        text, taker = code.text((argument.value,)), definition.scope.name
        if parameter is None:
            why, site = unheld(code, role)
            name, hint = f"a parameter of {taker}()", "Give it a parameter of its own"
        else:
            holder = Code(code.facts, parameter[1], code.sites)
            why, site = in_holder(holder, parameter[0], holder.held_by(parameter[0]), role)
            name = f"the parameter {parameter[0].name} of {taker}()"
            hint = f"Annotate the parameter: {parameter[0].name}: {ROLES[role].isa[0]}"
        yield _with(code, restriction, argument.value,
                    f"{name} is another name of the {role} `{text}`; {why}",
                    hint if site is not None else None)  # fmt: skip


def _parameter(
    code: Code, call: Call, argument: Argument, taker: Definition
) -> tuple[Binding, Module] | None:
    evaluator = code.facts.evaluator
    function: Definition | None = taker
    if taker.scope.kind == "class":
        function = evaluator.definitions.get(f"{taker.name}.__init__")
    if function is None:
        return None
    found = passed_at(function, call, code.module, evaluator).taker(argument)
    return (found, function.module) if found is not None else None


def _method_taken(code: Code, role: str, restriction: str, power: LN) -> Iterator[Finding]:
    """``save = checkpoint.save``: the calls of such a name are not recognised."""
    last = power.children[-1]
    method = attribute_name((power,))
    if method not in METHODS[role] or last.type != symbols.trailer:
        return
    if power.parent is not None and power.parent.type == symbols.expr_stmt and (
        power is not power.parent.children[-1]
    ):  # fmt: skip
        return
    owner = tuple(power.children[:-1])
    if code.holds(code.values(owner), role):
        text = code.text((power,))
        yield code.finding(
            restriction, power,
            f"`{text}` is taken without being called; where it is called, the rules do not see "
            f"that it is the {role}'s",
            f"Call `{text}()` itself, for example in a lambda or a def",
        )  # fmt: skip


def _loop(code: Code, node: LN) -> LN | None:
    """The loop in whose turns the code at ``node`` runs, within its function."""
    scope = code.module.scope_of(node)
    if scope.kind == "comprehension":
        return node if scope.node is None else scope.node
    for parent, child in around_in_scope(node, scope):
        if parent.type in _LOOPS and child.type in (symbols.suite, symbols.simple_stmt):
            return parent
    return None
