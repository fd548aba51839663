"""flow: what happens in which order inside one scope, and what that means for its names.

- cfg, builder: the control-flow graph
- accesses, activity, free: what a statement reads, binds, modifies, nested scopes included
- reaching: which definitions may reach a read, whether a name may be unbound
- liveness: which names may be read later

All of it is for one scope: calls are not followed. What other scopes bind (``global``,
``nonlocal``) may be bound at any time, what they read is live from where they are made. Names that
``exec(...)``, ``globals()`` or ``locals()`` bind or read are not known. Scopes are those of Python
3: a list comprehension binds nothing around it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from ..names.module import Module
from ..names.scope_tree import Scopes
from ..names.scopes import Binding, Scope
from ..syntax.tree import LN, Expression
from .accesses import Accesses, Free, Reader, Written
from .activity import Activity
from .activity import activity as activity_of
from .builder import Suppresses, build
from .cfg import CFG, Edge, Node
from .free import free, is_deferred
from .liveness import Liveness
from .reaching import Definitions, Reaching

__all__ = ["CFG", "Activity", "Edge", "Flow", "Flows", "Node", "flow_of"]


def flow_of(scope: Scope, module: Module) -> Flow:
    """The flow inside a scope of a module; each is made once."""
    flows = module.memo.get(Flows)
    if flows is None:
        flows = module.memo[Flows] = Flows(module.scopes)
    assert isinstance(flows, Flows)
    return flows.of(scope)


def always(item: LN) -> bool:
    return True


class Flows:
    """The flows of all scopes of a file; each is computed when it is asked for.

    ``suppresses`` says whether the context manager of an item of a ``with`` may swallow exceptions.
    """

    def __init__(self, scopes: Scopes, suppresses: Suppresses = always) -> None:
        self.scopes = scopes
        self.suppresses = suppresses
        self._flows: dict[int, Flow] = {}

    def of(self, scope: Scope) -> Flow:
        """The flow inside ``scope``, which is one of ``scopes``."""
        flow = self._flows.get(id(scope))
        if flow is None:
            flow = self._flows[id(scope)] = Flow(scope, self)
        return flow

    def nested(self, node: LN) -> Free:
        """What the scope that ``node`` opens takes from around."""
        scope = self.scopes.opened_by(node)
        assert scope is not None
        return self.of(scope).free

    @cached_property
    def redirected(self) -> frozenset[str]:
        """The names that some scope declares ``global`` or ``nonlocal``."""
        return frozenset().union(*(s.global_names | s.nonlocal_names for s in self.scopes))


class Flow:
    """The flow inside one scope. Statements and leaves are nodes of the file's tree.

    What is asked of a statement inside a ``finally`` block holds for all ways that lead there.
    """

    def __init__(self, scope: Scope, flows: Flows) -> None:
        self.scope = scope
        self.flows = flows
        self._followed: dict[tuple[int, ...], frozenset[int]] = {}

    @cached_property
    def cfg(self) -> CFG:
        return build(self.scope.node, self.flows.suppresses)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names that the scope binds or declares ``global`` or ``nonlocal``."""
        scope = self.scope
        return (*dict.fromkeys([*scope.bindings, *sorted(self._outside - set(scope.bindings))]),)

    def activity(self, statement: LN) -> Activity:
        """What a statement, or the head of a compound one, does with names; KeyError if it is
        none of this scope."""
        accesses = self._accesses
        return activity_of(
            accesses[index]
            for start, _, head in self._spans(statement)[:1]
            for index in range(start, start + head)
        )

    def evaluating(self, expression: Expression) -> Activity:
        """What the evaluation of an expression does with names, wherever it stands."""
        return activity_of([Reader(self.flows.nested).evaluated(expression)])

    def definitions_of(self, leaf: LN) -> tuple[Binding, ...]:
        """The bindings whose value a name may have where it is read, in the order of the source.

        Empty for a name that the scope does not bind. For a read in a nested function every
        binding is given. KeyError if the read is not part of this scope, or means another's name.
        """
        return self._bindings(leaf.value, self._read(leaf))

    def maybe_unbound(self, leaf: LN) -> bool:
        """Whether the scope's name may have no value where it is read; KeyError as above."""
        return any(found.unbound for found in self._read(leaf))

    def bound_elsewhere(self, leaf: LN) -> bool:
        """Whether a name may have a value that none of ``definitions_of`` gave it: it is not this
        scope's, or ``global``, ``nonlocal``, or follows ``from a import *``; KeyError as above."""
        return leaf.value not in self._tracked or any(f.elsewhere for f in self._read(leaf))

    def definitions_at(self, statement: LN, name: str) -> tuple[Binding, ...]:
        """The bindings of ``name`` that may reach the start of a statement; KeyError if the
        statement or the name is none of this scope."""
        reaching = self._reaching
        return self._bindings(
            name, [reaching.before(start, name) for start, _, _ in self._spans(statement)]
        )

    def maybe_unbound_at(self, statement: LN, name: str) -> bool:
        """Whether the scope's name may have no value at the start of a statement; KeyError if the
        statement is none of this scope."""
        reaching = self._reaching
        return any(reaching.may_be_unbound(start, name) for start, _, _ in self._spans(statement))

    def live_before(self, statement: LN) -> frozenset[str]:
        """The names of the scope that may be read from the statement on before they are bound."""
        liveness, bits = self._liveness, 0
        for start, _, _ in self._spans(statement):
            bits |= liveness.before(start)
        return liveness.decode(bits)

    def live_after(
        self, statement: LN, when_left: bool = True, last: LN | None = None
    ) -> frozenset[str]:
        """The names of the scope that may be read after the whole statement before they are bound,
        whichever way it is left; an exception counts where it is the statement's own ``raise``.

        ``when_left``: all names of a module or class may be read when it has come to its end.
        ``last``: after all from ``statement`` to that one, which stands in the same block.
        """
        liveness, bits = (self._liveness if when_left else self._liveness_inside), 0
        firsts, lasts = self._spans(statement), self._spans(last or statement)
        for (start, _, _), (_, end, _) in zip(firsts, lasts, strict=True):
            bits |= liveness.leaving(start, end)
        return liveness.decode(bits)

    @cached_property
    def free(self) -> Free:
        """What this scope takes from those around it."""
        return free(self.scope, self._accesses, self._may_be_unbound)

    def may_follow(self, leaf: LN, other: LN) -> bool:
        """Whether what is read at a leaf may be used when another one was come to: in the same node
        of the graph, or in one that follows; also if one of them is none of this scope."""
        mine, starts = self._at(leaf), self._at(other)
        if not mine or not starts:
            return True
        return not self._following(starts).union(starts).isdisjoint(mine)

    def _following(self, starts: tuple[int, ...]) -> frozenset[int]:
        if starts not in self._followed:
            following, raises = self.cfg.following, self.cfg.raises
            found: set[int] = set()
            waiting = [*starts]
            while waiting:
                index = waiting.pop()
                new = {target for target, _ in following[index]}
                new |= {raises[index]} if raises[index] >= 0 else set()
                waiting += new - found
                found |= new
            self._followed[starts] = frozenset(found)
        return self._followed[starts]

    def _at(self, leaf: LN) -> tuple[int, ...]:
        node: LN | None = leaf
        while node is not None and not self.cfg.spans(node):
            node = node.parent
        if node is None:
            return ()
        return tuple(
            index for start, _, head in self.cfg.spans(node) for index in range(start, start + head)
        )

    def _may_be_unbound(self, index: int, name: str) -> bool:
        return self._reaching.may_be_unbound(index, name)

    def _spans(self, statement: LN) -> list[tuple[int, int, int]]:
        found = self.cfg.spans(statement)
        if not found:
            raise KeyError(f"not a statement of {self.scope!r}: {str(statement).strip()}")
        return found

    @cached_property
    def _tracked(self) -> frozenset[str]:
        return frozenset(self.names)

    @cached_property
    def _outside(self) -> set[str]:
        scope = self.scope
        if scope.kind == "module":
            return set()
        return {*scope.global_names, *scope.nonlocal_names}

    @cached_property
    def _accesses(self) -> list[Accesses]:
        read = Reader(self.flows.nested).read
        cfg = self.cfg
        return [read(kind, tree) for kind, tree in zip(cfg.kinds, cfg.trees, strict=True)]

    @cached_property
    def _parameters(self) -> list[Written]:
        scope = self.scope
        if scope.kind != "function":
            return []
        return [
            (name, binding.node)
            for name, bindings in scope.bindings.items()
            for binding in bindings
            if binding.kind == "parameter"
        ]

    @cached_property
    def _foreign(self) -> list[Binding]:
        """The bindings that nested scopes make by ``global`` or ``nonlocal``."""
        scope = self.scope
        names = self.flows.redirected.intersection(scope.bindings)
        if not names:
            return []
        own = {id(node) for _, node in self._parameters}
        for part in self._accesses:
            own.update(id(node) for _, node in (*part.written, *part.maybe_written))
        return [
            binding
            for name in sorted(names)
            for binding in scope.bindings[name]
            if id(binding.node) not in own and self.flows.scopes.of(binding.node) is not scope
        ]

    @cached_property
    def _reaching(self) -> Reaching:
        foreign = self._foreign
        return Reaching(
            self.cfg,
            self._accesses,
            self.names,
            self._outside,
            self._parameters,
            [(b.name, b.node) for b in foreign if b.kind != "delete"],
            {b.name for b in foreign if b.kind == "delete"},
        )

    @cached_property
    def _liveness(self) -> Liveness:
        everything = self.scope.kind in ("module", "class")
        return self._live(self.names if everything else ())

    @cached_property
    def _liveness_inside(self) -> Liveness:
        return self._live(())

    def _live(self, at_exit: Collection[str]) -> Liveness:
        is_class = self.scope.kind == "class"
        return Liveness(self.cfg, self._accesses, self.names, self._outside, at_exit, is_class)

    def _bindings(self, name: str, found: list[Definitions]) -> tuple[Binding, ...]:
        nodes = {id(node) for definitions in found for node in definitions.nodes}
        return tuple(binding for binding in self.scope.lookup(name) if id(binding.node) in nodes)

    def _read(self, leaf: LN) -> list[Definitions]:
        name = leaf.value
        deferred = False
        for scope in self._scopes_between(leaf):
            if name in scope.bindings or name in scope.global_names:
                raise KeyError(f"{name!r} is not a name of {self.scope!r} there")
            deferred = deferred or is_deferred(scope)
        indices = self._at(leaf)
        if not indices:
            raise KeyError(f"{name!r} is not read in {self.scope!r}")
        if name not in self._tracked:
            return []
        reaching = self._reaching
        if deferred:
            return [reaching.anywhere(name)]
        return [reaching.at(index, name) for index in indices]

    def _scopes_between(self, leaf: LN) -> Iterator[Scope]:
        scope: Scope | None = self.flows.scopes.of(leaf)
        while scope is not self.scope:
            if scope is None:
                raise KeyError(f"{leaf.value!r} is not read in {self.scope!r}")
            if scope.kind != "class" or scope is self.flows.scopes.of(leaf):
                yield scope
            scope = scope.parent
