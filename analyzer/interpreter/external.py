"""external: what calling something that is not of the project does and gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fissix.pygram import python_symbols as symbols

from ..library.declared import declared
from ..names.scopes import Binding
from ..syntax.tree import LN, is_name
from . import calls, expressions
from .objects import (
    NOTHING,
    UNKNOWN,
    Class,
    Constant,
    Container,
    External,
    Function,
    Instance,
    Method,
    Object,
    Objects,
    Partial,
    Result,
    Unknown,
    Unseen,
)
from .run import ITEMS, Frame, Run

if TYPE_CHECKING:
    from .calls import Arguments

# They give back what they are given, or what does the same.
_TRANSPARENT = {
    "copy.copy", "copy.deepcopy", "functools.lru_cache", "functools.cache",
    "typing.cast", "contextlib.contextmanager", "abc.abstractmethod",
}  # fmt: skip
# Decorators after which a function or class is still what it was; a dot at the end: all in there.
_KEEPING = (
    "abc.", "atexit.", "click.", "contextlib.", "dataclasses.dataclass", "flax.", "functools.",
    "gin.configurable", "hydra.main", "numba.", "pytest.", "six.", "typing.",
    "typing_extensions.", "unittest.",
)  # fmt: skip
# They look at a function and do not call it.
_LOOKING = {"functools.wraps", "functools.update_wrapper", "inspect.signature"}
_RUNNING = {"asyncio.run", "asyncio.create_task", "asyncio.ensure_future"}
_PARTIAL = "functools.partial"
_NAMESPACES = {"types.SimpleNamespace", "argparse.Namespace", "easydict.EasyDict"}
_NAMED_TUPLE = "collections.namedtuple"
_FIELDS = "<fields>"
_LONGEST = 10
# Of these the index is the class that is meant.
_OPTIONAL = {"typing.Optional", "typing.Final", "typing.ClassVar"}


def call(
    run: Run, frame: Frame, callee: External | Result | Unseen, given: Arguments, node: LN
) -> Objects:
    """The result, with what is known of it; functions among the arguments may be called later."""
    name = _name(run, callee)
    first = given.positional[0] if given.positional else NOTHING
    if name in _TRANSPARENT | declared().transparent and given.positional:
        return given.positional[-1]
    if name in _RUNNING:
        return expressions.items_of(run, frame, first, node)
    if name == _PARTIAL and first:
        return _partial(run, frame, first, given, node)
    if name in _NAMESPACES or (isinstance(callee, Result) and name == _NAMED_TUPLE):
        return _namespace(run, frame, callee, given, node)
    if name not in _LOOKING:
        _hand_over(run, frame, name, given, node)
    if isinstance(callee, Unseen):
        made: Objects = expressions.longer(callee, "()")
        if "." in callee.path:
            owner, _, method = callee.path.rpartition(".")
            for found in made:
                run.made_by[found].add((Unseen(owner), method))
        return made
    if isinstance(callee, External):
        made_by = callee.name
    else:
        made_by = f"{run.type_of(callee) or callee.callee}.__call__"
    if made_by.count(".") > _LONGEST:
        return UNKNOWN
    result = Result(made_by, run.site(frame, node))
    if isinstance(callee, External) and callee.owner is not None:
        run.made_by[result].add((callee.owner, callee.name.rpartition(".")[2]))
    if name == _NAMED_TUPLE and len(given.positional) > 1:
        run.state.set(result, _FIELDS, given.positional[1])
    return frozenset({result})


def keeps(run: Run, decorator: Object) -> bool:
    """Whether what a decorator that is not of the project decorates is still what it was."""
    if not isinstance(decorator, External | Result):
        return False
    name = _name(run, decorator)
    keeping = (*_KEEPING, *declared().keeping)
    return any(name == kept or (kept[-1] == "." and name.startswith(kept)) for kept in keeping)


def _name(run: Run, callee: External | Result | Unseen) -> str:
    if isinstance(callee, Unseen):
        return callee.path
    return run.library.canonical(callee.name if isinstance(callee, External) else callee.callee)


def _hand_over(run: Run, frame: Frame, name: str, given: Arguments, node: LN) -> None:
    """Note what is given to what is not of the project, and call the functions among it."""
    keyed = [*enumerate(given.positional), *given.keywords.items()]
    for key, objects in keyed:
        for found in run.in_order(objects):
            if isinstance(found, Function | Method | Partial):
                _call_back(run, frame, found, given, node)
            elif not isinstance(found, Constant | Unknown):
                place = frame.module, node
                run.handed[found].setdefault((name, str(key)), place)


def _call_back(run: Run, frame: Frame, found: Object, given: Arguments, node: LN) -> None:
    """Call a function with ``args=`` as ``Strategy.run`` and threads do, or at the end."""
    arguments = given.keywords.get("args")
    fixed = expressions.fixed_items(run, arguments) if arguments else None
    if fixed is not None:
        frame.reads += [(owner, ITEMS) for owner in arguments or ()]
        again = calls.Arguments(fixed)
        calls.call(run, frame, frozenset({found}), again, node, recorded=False)
    else:
        run.escaped[found] = None


def _partial(run: Run, frame: Frame, functions: Objects, given: Arguments, node: LN) -> Objects:
    site = run.site(frame, node)
    made = [Partial(function, site) for function in run.in_order(functions)
            if not isinstance(function, Partial)]  # fmt: skip
    for partial in made:
        for key, objects in [*enumerate(given.positional[1:]), *given.keywords.items()]:
            run.state.set(partial, key, objects)
            run.put(frame, (partial, key), objects, node, "item")
    return frozenset(made)


def call_partial(run: Run, frame: Frame, partial: Partial, given: Arguments, node: LN) -> Objects:
    """What calling the function gives, with the arguments that the partial has before these."""
    stored = run.state.all(partial)
    frame.reads += [(partial, key) for key in stored]
    positional = [stored[key] for key in sorted(k for k in stored if isinstance(k, int))]
    keywords = {key: objects for key, objects in stored.items() if isinstance(key, str)}
    again = calls.Arguments(
        [*positional, *given.positional], {**keywords, **given.keywords}, given.rest
    )
    return calls.call(run, frame, frozenset({partial.function}), again, node)


def _namespace(
    run: Run, frame: Frame, callee: External | Result | Unseen, given: Arguments, node: LN
) -> Objects:
    """An object whose attributes are what it is made of."""
    made = Container("namespace", run.site(frame, node))
    values = dict(given.keywords)
    values.update(zip(_fields(run, callee), given.positional, strict=False))
    for name, objects in values.items():
        run.state.set(made, Constant("str", name), objects)
        run.fill(frame, made, objects, node)
    return frozenset({made})


def _fields(run: Run, callee: Object) -> list[str]:
    """The fields of a named tuple, where they are constants."""
    for found in run.in_order(run.state.get(callee, _FIELDS) or NOTHING):
        if isinstance(found, Constant) and isinstance(found.value, str):
            return found.value.replace(",", " ").split()
        items = expressions.fixed_items(run, frozenset({found})) or []
        return [str(x.value) for item in items for x in item if isinstance(x, Constant)]
    return []


def construct(run: Run, frame: Frame, made: Instance, given: Arguments, node: LN) -> None:
    """Make an instance of a class without an ``__init__`` in the project.

    Arguments go to the fields that the class bodies declare, as in dataclasses and named tuples.
    """
    fields: list[str] = []
    for cls in reversed(calls.ancestors(run, made.cls)):
        if isinstance(cls, Class):
            scope, _ = run.scopes[cls.node]
            fields += [
                name
                for name, bindings in scope.bindings.items()
                if name not in fields and any(_is_declared(b) for b in bindings)
            ]
        else:
            fields += _fields(run, cls)
    values = dict(zip(fields, given.positional, strict=False))
    values.update({name: objects for name, objects in given.keywords.items() if name in fields})
    for name, objects in values.items():
        run.state.set(made, name, objects)
        run.put(frame, (made, name), objects, node, "attribute")


def _is_declared(binding: Binding) -> bool:
    sibling = binding.node.next_sibling
    return sibling is not None and sibling.type == symbols.annassign


def annotated(run: Run, own: Frame, binding: Binding, held: Objects) -> Objects:
    """What a parameter holds: where nothing is seen of that, an instance of its annotation."""
    parent = binding.node.parent
    if parent is None or parent.type not in (symbols.tname, symbols.vname):
        return held
    if not any(isinstance(found, Unknown | Unseen) for found in held):
        return held
    declared = _instances(run, own, parent.children[2])
    if not declared:
        return held
    return frozenset(x for x in held if not isinstance(x, Unknown | Unseen)) | declared


def _instances(run: Run, own: Frame, annotation: LN) -> Objects:
    """An instance of the class that an annotation names, one for each; made at no site."""
    outer = own.outer or own
    reads, outer.reads = outer.reads, []
    if annotation.type == symbols.power and is_name(annotation.children[0]):
        meant = expressions.evaluate_chain(run, outer, annotation.children)
        if any(isinstance(found, Result) for found in meant):  # Optional[X] is an item of Optional
            names = {found.callee for found in meant if isinstance(found, Result)}
            index = annotation.children[-1].children[1]
            known = names <= {f"{name}[]" for name in _OPTIONAL}
            meant = expressions.evaluate(run, outer, index) if known else NOTHING
    else:
        meant = run.read(outer, annotation.value) if is_name(annotation) else NOTHING
    outer.reads = reads
    made: set[Object] = set()
    for found in run.in_order(meant):
        if isinstance(found, Class):
            made.add(calls.imagined(run, outer, found))
        elif isinstance(found, External):
            if run.library.canonical(found.name) in run.library.classes:
                made.add(Result(found.name, (0, 0)))
    return frozenset(made)
