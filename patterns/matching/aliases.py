"""Aliases: how one module speaks of the library modules that a pack's templates use."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.library.declared import declared
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.scopes import Binding, Scope
from pinsetter.analyzer.syntax.tree import (
    LN,
    ancestors,
    dotted,
    is_member,
    leaves,
    line_statement,
    only_for_type_checkers,
    statement_of,
    walk,
)

from ..packs.pack import Pack
from ..reading.pack_head import wanted_name


def _packages(module: Module) -> frozenset[str]:
    """The packages that a module imports. Beside a library that it has as a whole, what some
    function imports, perhaps in a branch that is never taken, does not tell what others use."""
    found = frozenset(
        target.module.partition(".")[0]
        for node, target in module.imports
        if not target.level and module.scope_of(node).function is None
    )
    return found if found & declared().packages else module.packages


class Aliases:
    """The local names of a pack's imports; ``missing`` are those that the module does not bind
    where its start code stands, with the name to import them under."""

    def __init__(
        self, pack: Pack, module: Module, facts: Facts, start: int, fresh: Callable[[str], str]
    ) -> None:
        self.missing: dict[str, str] = {}
        self._pack = pack
        self._module = module
        self._facts = facts
        self._start = start
        self._fresh = fresh
        self._there: dict[tuple[str, int], str | None] = {}
        self._names: dict[tuple[str, bool], Sequence[tuple[str, str]]] = {}
        self._used: dict[str, int] = {}
        self._members = {pack.imports[alias][0] for alias in pack.members}
        # Aliases of one module are one name in a file.
        self._same = {alias: _first(names, pack) for alias, names in pack.imports.items()}
        self._local = {
            alias: self._local_alias(alias, pack.imports[alias])
            for alias in dict.fromkeys(self._same.values())
        }

    def imported_for(self, alias: str) -> str:
        """The module that a file imports which uses none of those that the alias stands for."""
        names, beside = self._pack.imports[alias], self._pack.beside
        if len(names) == 1:
            return names[0]  # whatever the program imports
        imported = _packages(self._module)
        if not imported & {name.partition(".")[0] for name in (*names, *beside.values())}:
            # It has the library through others, as by `from model import *`.
            imported = frozenset().union(*map(_packages, self._program()))
        fitting = [name for name in names if beside.get(name) in imported]
        spoken = {target.module for _, target in self._module.imports if not target.level}
        used = [name for name in names if name in spoken]
        return [*fitting, *used, *(name for name in names if name not in beside)][0]

    def of_function(
        self, alias: str, node: LN, members: frozenset[str] = frozenset()
    ) -> str | None:
        """What a function around a node calls the module by an import of its own before it, or
        another that has the same ``members``."""
        names = {self._pack.imports[alias][0], *self._other_faces(alias, members)}
        wanted = {self._facts.library.canonical(name) for name in names}
        scope = self._module.scope_of(node)
        start = self._module.tree.start(node)
        around: Scope | None = scope.function
        while around is not None and around.kind == "function":
            for name, bindings in around.bindings.items():
                first = bindings[0]
                if len(bindings) > 1 or first.kind != "import" or scope.owner(name) is not around:
                    continue
                if self._module.tree.start(first.node) < start and not _is_conditional(first.node):
                    values = self._facts.evaluator.binding(first, self._module).names
                    if len(values) == 1 and values <= wanted:
                        return name
            around = around.parent.function if around.parent is not None else None
        return None

    def local(
        self, alias: str, used: set[str], place: int = 0, members: frozenset[str] = frozenset()
    ) -> str:
        """What is bound before ``place`` can be used there; within a function that is all that the
        module imports. If ``members`` are all that is used, it may be of another module that has
        the same."""
        alias = self._same[alias]
        if alias in self.missing:
            for face in self._other_faces(alias, members):
                spelled = self._spelled(face, place)
                if spelled is not None:
                    return spelled
        if place > self._start and alias in self.missing:
            key = (alias, place)
            if key not in self._there:
                self._there[key] = self._bound_alias(self._pack.imports[alias], place)
            found = self._there[key]
            if found is not None:
                return found
        used.add(alias)
        return self._local[alias]

    def _other_faces(self, alias: str, members: frozenset[str]) -> Sequence[str]:
        """Modules that have the same of what is used of one of the pack's."""
        said = declared()
        if not members or not members <= said.of_all_faces:
            return ()
        return sorted(said.faces) if self._pack.imports[alias][0] in said.faces else ()

    def _local_alias(self, alias: str, names: Sequence[str]) -> str:
        """What the module calls the first of the library modules that it uses; a fresh alias, to be
        imported, where it uses none."""
        found = self._bound_alias(names)
        if found is not None:
            return found
        wanted = wanted_name(alias)
        free = wanted not in self._module.names or self._is_only_imported_from(wanted)
        free = free or self._is_meant_in_functions(wanted, names)
        local = wanted if free else self._fresh(wanted)
        while self._is_bound_by_star(local):
            local = self._fresh(wanted)
        self.missing[alias] = local
        return local

    def _is_meant_in_functions(self, wanted: str, names: Sequence[str]) -> bool:
        """Whether functions import a module of the names under that name, and nothing else of the
        file is called so."""
        meant = {self._facts.library.canonical(name) for name in names}
        bound = [b for scope in self._module.scopes for b in scope.bindings.get(wanted, ())]
        reads = (leaf for leaf in self._module.leaves_of(wanted) if not is_member(leaf))
        return (
            bool(bound)
            and all(
                binding.kind == "import"
                and binding.scope.kind == "function"
                and {*self._facts.evaluator.binding(binding, self._module).names} <= meant
                for binding in bound
            )
            and all(self._module.scope_of(leaf).lookup(wanted) for leaf in reads)
        )

    def _bound_alias(self, names: Sequence[str], place: int = 0) -> str | None:
        for name in names:
            found = self._spelled(name, place)
            if found is not None:
                rest = names[0].removeprefix(f"{name}.")
                # A first release has names there that later ones have moved.
                later = rest != names[0] and not self._facts.is_first_release(self._program())
                return f"{found}.{rest}" if later else found
        return None

    def _program(self) -> tuple[Module, ...]:
        return self._facts.programs.around(self._module)

    def _is_bound_by_star(self, name: str) -> bool:
        """Whether a module of the repository whose names are all imported binds the name."""
        waiting, seen = [self._module], set()
        while waiting:
            module = waiting.pop()
            if id(module) in seen:
                continue
            seen.add(id(module))
            if module is not self._module and module.binding(name):
                return True
            for target in module.scopes.module.star_imports:
                waiting += self._facts.project.imported(module, target)
        return False

    def _is_only_imported_from(self, name: str) -> bool:
        """Whether a name occurs only as an attribute or in the name of a module that the file
        imports from, as `six` in `from six.moves import range`."""
        if any(name in scope.bindings for scope in self._module.scopes):
            return False
        for leaf in leaves(self._module.tree.root):
            if leaf.value == name and leaf.type == token.NAME:
                attribute = leaf.prev_sibling is not None and leaf.prev_sibling.type == token.DOT
                if not attribute and not any(n.type in _IMPORTS for n in ancestors(leaf)):
                    return False
        return True

    def _spelled(self, name: str, place: int) -> str | None:
        """How the module's own code speaks of the library module ``name``."""
        chains: list[str] = []
        whole: list[str] = []
        for bound, spelling in self._speaking(name, place > self._start):
            bindings = self._module.scopes.module.bindings[bound]
            if any(self._too_late(binding, place) for binding in bindings):
                continue
            (whole if spelling == bound else chains).append(spelling)
        if whole:
            # `import numpy.linalg` binds `numpy` besides the usual `np`.
            return max(whole, key=self._uses) if len(whole) > 1 else whole[0]
        parts = name.split(".")
        if len(parts) > 1 and self._module.binding(parts[0]):
            for node, target in self._module.imports:
                if target.module == name and target.name is None and self._is_plain(node, parts[0]):
                    return name
        if name in self._members:
            direct = [one for one in chains if one.count(".") == 1]
            return next(iter(direct), None)
        return next((chain for chain in chains if self._uses(chain)), None)

    def _speaking(self, name: str, late: bool) -> Sequence[tuple[str, str]]:
        """The names at module level by which a library module can be spoken of, and how, at the
        start or, if it is late, somewhere."""
        if (name, late) not in self._names:
            wanted = self._facts.library.canonical(name)
            found = []
            for bound, bindings in self._module.scopes.module.bindings.items():
                if not late and any(self._too_late(binding, 0) for binding in bindings):
                    continue
                values = [self._facts.evaluator.binding(b, self._module) for b in bindings]
                if all(v.names == {wanted} for v in values):
                    found.append((bound, bound))
                    continue
                parents = set().union(*(v.names for v in values))
                if len(parents) == 1 and wanted.startswith(f"{min(parents)}."):
                    found.append((bound, f"{bound}{wanted.removeprefix(min(parents))}"))
            self._names[name, late] = found
        return self._names[name, late]

    def _uses(self, chain: str) -> int:
        """How often a dotted name stands in front of others in the module's code."""
        if chain not in self._used:
            self._used[chain] = self._count(tuple(chain.split(".")))
        return self._used[chain]

    def _count(self, parts: tuple[str, ...]) -> int:
        return sum(
            node.type == symbols.power and dotted(tuple(node.children[: len(parts)])) == parts
            for node in walk(self._module.tree.root)
        )

    def _too_late(self, binding: Binding, place: int) -> bool:
        """Whether neither start code nor code at ``place`` can use the name that is bound here."""
        late = self._module.tree.start(binding.node) > max(self._start, place)
        return late or only_for_type_checkers(binding.node)

    def _is_plain(self, node: LN, bound: str) -> bool:
        return any(
            b.kind == "import" and b.target is not None and b.target.module == bound
            and any(part is b.node for part in walk(node))
            for b in self._module.binding(bound)
        )  # fmt: skip


def _is_conditional(node: LN) -> bool:
    """Whether what a function binds there need not be bound behind it."""
    block = line_statement(statement_of(node)).parent
    return block is None or block.parent is None or block.parent.type != symbols.funcdef


def _first(names: Sequence[str], pack: Pack) -> str:
    """The first alias of a pack that stands for the same modules."""
    return next(alias for alias, others in pack.imports.items() if others == names)


_IMPORTS = {symbols.import_name, symbols.import_from}
