"""σ, the bindings: which expressions hold an optimizer, a dataset, a model …, and why.

A binding is a place in the source where a name, an attribute path or an item comes to hold
something that has a role. Its chain are the stores that this follows from, down to where it was
made.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ..interpreter import Run
from ..interpreter.objects import Constant, Container, Object
from ..interpreter.run import ITEMS
from ..interpreter.stores import Store
from ..library.hierarchy import ClassHierarchy
from ..names.definition import class_of_method
from ..names.module import Module
from ..syntax.tree import LN, ancestors, leaves, statement_of
from ..values.value import Certainty
from .judge import RoleJudge
from .role import Role, Verdict, default_roles

# Of what may be several things, that many are followed back.
_CHAINS = 3
_SHOWN = {"name", "parameter", "attribute", "import", "item"}


@dataclass(frozen=True)
class Step:
    """A line of a chain, with its text."""

    path: Path
    line: int
    text: str


@dataclass(frozen=True)
class RoleBinding:
    """From ``line`` on, ``expression`` holds something that has a role.

    ``chain`` begins with that line and ends where the thing was made or nothing more is known;
    ``because`` says what an assumption follows from.
    """

    role: str
    expression: str
    scope: str
    path: Path
    line: int
    column: int
    certainty: Certainty
    because: str
    chain: tuple[Step, ...]


class Sigma:
    """σ of one run of the interpreter."""

    def __init__(
        self, run: Run, roles: Sequence[Role] = (), hierarchy: ClassHierarchy | None = None
    ) -> None:
        self.run = run
        self.roles = tuple(roles) or default_roles()
        self.judge = RoleJudge(run, self.roles, hierarchy or ClassHierarchy(run.library))

    def bindings(self, module: Module) -> list[RoleBinding]:
        """All bindings of a module in the order of the source."""
        found = [b for store in self._stores.get(module.name, ()) for b in self._of_store(store)]
        return sorted(set(found), key=_in_source)

    @cached_property
    def _stores(self) -> dict[str, list[Store]]:
        found: dict[str, list[Store]] = {}
        for store in self.run.stores.by_node.values():
            if store.kind in _SHOWN:
                found.setdefault(store.module.name, []).append(store)
        return found

    def at(self, store_of: Mapping[str, Mapping[Object, Store | None]]) -> list[RoleBinding]:
        """What the expressions that are visible at a place hold, by the stores that put it there.

        ``store_of`` is the ``visible`` of a run that watched the place.
        """
        found: list[RoleBinding] = []
        for expression, held in sorted(store_of.items()):
            for role in self.judge.roles_of(set(held)):
                verdict = self.judge.judge(set(held), role)
                stores = [s for o, s in held.items() if s and self.judge.of(o, role).certainty]
                if stores:
                    last = max(stores, key=lambda store: store.line)
                    found.append(self._binding(last, expression, role, verdict, set(held)))
        return found

    def _of_store(self, store: Store) -> Iterator[RoleBinding]:
        expression = _target_text(store)
        if expression is None or _is_receiver(store):
            return
        for role in self.judge.roles_of(store.objects):
            yield self._binding(store, expression, role, self._verdict(store, role), store.objects)
        for name, objects, node in self._items(store, expression):
            for role in self.judge.roles_of(objects):
                verdict = self.judge.judge(objects, role)
                inner = self._binding(store, name, role, verdict, objects)
                yield replace(inner, line=store.module.tree.line_of(node))

    def _verdict(self, store: Store, role: Role) -> Verdict:
        verdict = self.judge.judge(store.objects, role)
        function = store.scope.node
        if store.kind == "parameter" and id(function) in self.run.not_followed:
            return Verdict(Certainty.POSSIBLE, "not every call of the function was followed")
        return verdict

    def _binding(
        self,
        store: Store,
        expression: str,
        role: Role,
        verdict: Verdict,
        objects: set[Object] | frozenset[Object],
    ) -> RoleBinding:
        tree = store.module.tree
        having = [o for o in self.run.in_order(frozenset(objects))
                  if self.judge.of(o, role).certainty]  # fmt: skip
        steps: dict[Step, None] = {}
        for found in having[:_CHAINS]:
            for link in self._chain(store, found):
                steps[_step(link)] = None
        return RoleBinding(
            role=role.name,
            expression=expression,
            scope=store.scope.qualified_name,
            path=store.module.path,
            line=store.line,
            column=tree.column_of(store.node) + 1,
            certainty=verdict.certainty,
            because=verdict.because,
            chain=tuple(steps),
        )

    def _chain(self, store: Store, found: Object) -> list[Store]:
        """The shortest way from a store back to one that no other store leads to."""
        by_node = self.run.stores.by_node
        ways: dict[int, Store | None] = {id(store.node): None}
        waiting = deque([store])
        while waiting:
            current = waiting.popleft()
            sources = current.sources.get(found, {})
            if not sources:
                chain = [current]
                while (after := ways[id(chain[-1].node)]) is not None:
                    chain.append(after)
                return chain[::-1]
            for source in sources:
                if source not in ways:
                    ways[source] = current
                    waiting.append(by_node[source])
        return [store]  # a circle: it holds what it held

    def _items(self, store: Store, expression: str) -> Iterator[tuple[str, frozenset[Object], LN]]:
        """The items of a container that was made in this statement."""
        for found in self.run.in_order(frozenset(store.objects)):
            if not isinstance(found, Container) or self._is_named(store, found):
                continue
            for key, objects in self.run.state.all(found).items():
                if isinstance(key, Constant) and objects:
                    named = found.kind == "namespace"
                    name = f"{expression}.{key.value}" if named else f"{expression}[{key.value!r}]"
                    put = self._put(found, objects)
                    if put is None or _target_text(put) is None:
                        here = put is not None and _is_inside(put.node, store.node)
                        yield name, objects, put.node if here and put else store.node

    def _is_named(self, store: Store, found: Container) -> bool:
        """Whether a container was in another name, attribute or item before."""
        sources = (self.run.stores.by_node[n] for n in store.sources.get(found, ()))
        return any(_target_text(source) is not None for source in sources)

    def _put(self, found: Container, objects: frozenset[Object]) -> Store | None:
        """The store that put one of the objects among a container's items."""
        stores = (self.run.stores.last((found, ITEMS), o) for o in self.run.in_order(objects))
        return next((store for store in stores if store is not None), None)


def _in_source(binding: RoleBinding) -> tuple[object, ...]:
    """Bindings are shown in this order; of one place those with other chains are apart as well."""
    chain = [(str(step.path), step.line, step.text) for step in binding.chain]
    return (binding.line, binding.column, binding.expression, binding.role,
            binding.certainty.value, binding.because, binding.scope, chain)  # fmt: skip


def _is_inside(node: LN, target: LN) -> bool:
    """Whether a node belongs to the statement that a target belongs to."""
    statement = statement_of(target)
    return node is statement or any(parent is statement for parent in ancestors(node))


def _step(store: Store) -> Step:
    tree = store.module.tree
    line = store.line
    return Step(store.module.path, line, tree.text_of_line(line).strip())


def _target_text(store: Store) -> str | None:
    """The text of what is stored into; None if it is not written as such."""
    node = store.node
    if node.type == token.NAME:
        return str(next(leaves(node)).value)
    if node.type == symbols.power and store.kind in ("attribute", "item"):
        last = node.children[-1]
        opening = last.children[0].type if last.children else None
        wanted = token.DOT if store.kind == "attribute" else token.LSQB
        if opening == wanted:
            return store.module.tree.source((node,))
    return None


def _is_receiver(store: Store) -> bool:
    """Whether a store is that of ``self``, or of ``cls``."""
    if store.kind != "parameter" or class_of_method(store.scope) is None:
        return False
    name = store.node.value
    return any(
        binding.kind == "parameter" and binding.element == (0,)
        for binding in store.scope.bindings.get(name, [])
    )
