"""unused_imports: the imports of a module that nothing uses any more once applications are made."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.scopes import Binding, Scope
from pinsetter.analyzer.references.variables import variable_leaves
from pinsetter.analyzer.syntax.tree import LN

from ..edits.rendering import Misfit
from ..packs.pack import Rule
from .application import Application
from .items import removed_items
from .module_rules import ModuleRules
from .renames import is_written

# A word that is no attribute.
_WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")


def unused_imports(
    rules: ModuleRules, rule: Rule, made: Sequence[Application]
) -> Iterator[Application]:
    """An application of the rule for each import of the module itself, or of a function, that only
    code which is replaced reads. What another file may import from it, what a text may mean, and
    what is bound more than once stays."""
    module = rules.module
    if not made:
        return
    spoken = _spoken(made)
    rank = (rules.pack.rules.index(rule), 0)
    for scope, name in _bound(module):
        bindings = scope.bindings[name]
        if len(bindings) != 1 or name in spoken or not _can_go(bindings[0]):
            continue
        if not _is_meant(bindings[0], rules.pack.removes):
            continue
        after = _readers(module, scope, name, made)
        if not after or is_written(name, module):
            continue
        if scope is module.scopes.module and _is_imported_from(module, name, rules):
            continue
        item = _item(bindings[0])
        with suppress(Misfit):
            edits = removed_items([(item,)], rules.layout, rank)
            code = module.tree.source((item,))
            yield Application(rule, module, module.tree.start(item), code, tuple(edits),
                              after=tuple(after))  # fmt: skip


def _bound(module: Module) -> Iterator[tuple[Scope, str]]:
    """The names that the module itself and its functions bind; of a package, which is there to be
    imported from, the private ones."""
    for scope in module.scopes:
        if scope.kind not in ("module", "function"):
            continue
        for name in scope.bindings:
            is_public = not name.startswith("_") or name.endswith("__")
            if not (module.is_package and is_public and scope is module.scopes.module):
                yield scope, name


def _can_go(binding: Binding) -> bool:
    """Whether an import stands in the module itself, or a function, and not under a condition. One
    of a module inside another is also made for what it does there."""
    target = binding.target
    statement = binding.statement
    if binding.kind != "import" or target is None or target.module == "__future__":
        return False
    line = statement.parent
    block = line.parent if line is not None and line.type == symbols.simple_stmt else None
    around = block.parent if block is not None and block.type == symbols.suite else block
    unconditional = around is not None and around is binding.scope.node
    return unconditional and _item(binding).type != symbols.dotted_name


def _is_meant(binding: Binding, names: frozenset[str]) -> bool:
    """Whether an import is of one of the modules or names that a pack speaks of, if it does."""
    target = binding.target
    if not names or target is None or target.level:
        return not names
    return ".".join(filter(None, (target.module, target.name))) in names


def _item(binding: Binding) -> LN:
    parent = binding.node.parent
    named = {symbols.import_as_name, symbols.dotted_as_name, symbols.dotted_name}
    return parent if parent is not None and parent.type in named else binding.node


def _readers(
    module: Module, scope: Scope, name: str, made: Sequence[Application]
) -> list[Application]:
    """The applications that replace what reads a name; none if something else reads it."""
    found: dict[int, Application] = {}
    for leaf in variable_leaves(module, scope, name):
        replacing = [one for one in made if _replaces(one, leaf, module)]
        if len(replacing) != 1:
            return []
        found[id(replacing[0])] = replacing[0]
    return list(found.values())


def _replaces(application: Application, leaf: Leaf, module: Module) -> bool:
    start, end = module.tree.span((leaf,))
    for edit in application.edits:
        if edit.start <= start and end <= edit.end:
            if not any(kept[0] <= start and end <= kept[1] for kept in edit.kept):
                return True
    return False


def _spoken(made: Sequence[Application]) -> set[str]:
    """What new code says itself, and not only has from the file."""
    found = set[str]().union(*(one.imports for one in made))
    for edit in (edit for one in made for edit in one.edits):
        at = 0
        for slot in sorted(edit.slots, key=lambda slot: slot.start):
            found.update(_WORD.findall(edit.text[: slot.start], at))
            at = max(at, slot.end)
        found.update(_WORD.findall(edit.text, at))
    return found


def _is_imported_from(module: Module, name: str, rules: ModuleRules) -> bool:
    project = rules.facts.project
    for other in project.given:
        for _, target in other.imports:
            if other is not module and target.name in (name, "*"):
                if project.find(other, target) is module:
                    return True
    return False
