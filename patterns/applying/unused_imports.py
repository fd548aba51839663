"""unused_imports: the imports of a module that nothing uses any more once applications are made."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.scopes import Binding
from pinsetter.analyzer.references.variables import variable_leaves
from pinsetter.analyzer.syntax.tree import LN

from ..edits.edit import Edit
from ..edits.rendering import Misfit
from .application import Application
from .items import removed_items
from .module_rules import ModuleRules
from .renames import is_written

Rank = tuple[int, ...]
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Unused:
    """An import that can go: ``name`` is what it binds, ``code`` it as it stands; ``after`` are the
    indices of the applications without which it is still used."""

    name: str
    code: str
    edits: tuple[Edit, ...]
    line: int
    after: frozenset[int]


def unused_imports(rules: ModuleRules, made: Sequence[Application]) -> Iterator[Unused]:
    """Those of the module itself that only code which is replaced reads. What another file may
    import from it, what a text may mean, and what is bound more than once stays."""
    module = rules.module
    if module.is_package or not made:
        return
    spoken = _spoken(made)
    for name, bindings in module.scopes.module.bindings.items():
        if len(bindings) != 1 or name in spoken or name == "__future__":
            continue
        (binding,) = bindings
        after = _readers(module, name, made) if _can_go(binding) else None
        if not after or is_written(name, module) or _is_imported_from(module, name, rules):
            continue
        item = _item(binding)
        try:
            edits = removed_items([(item,)], rules.layout, (len(rules.pack.rules), 1))
        except Misfit:
            continue
        line = module.tree.line_of(item)
        yield Unused(name, module.tree.source((item,)), tuple(edits), line, frozenset(after))


def _can_go(binding: Binding) -> bool:
    """Whether an import stands in the module itself, and not under a condition. One of a module
    inside another is also made for what it does there."""
    target = binding.target
    statement = binding.statement
    if binding.kind != "import" or target is None or target.module == "__future__":
        return False
    line = statement.parent
    in_module = line is not None and line.parent is not None and (
        line.type == symbols.simple_stmt and line.parent.type == symbols.file_input
    )  # fmt: skip
    return in_module and _item(binding).type != symbols.dotted_name


def _item(binding: Binding) -> LN:
    parent = binding.node.parent
    named = {symbols.import_as_name, symbols.dotted_as_name, symbols.dotted_name}
    return parent if parent is not None and parent.type in named else binding.node


def _readers(module: Module, name: str, made: Sequence[Application]) -> set[int] | None:
    """The applications that replace what reads a name; None if something else reads it."""
    found: set[int] = set()
    for leaf in variable_leaves(module, module.scopes.module, name):
        replacing = {n for n, one in enumerate(made) if _replaces(one, leaf, module)}
        if len(replacing) != 1:
            return None
        found |= replacing
    return found


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
            found.update(_WORD.findall(edit.text[at : slot.start]))
            at = max(at, slot.end)
        found.update(_WORD.findall(edit.text[at:]))
    return found


def _is_imported_from(module: Module, name: str, rules: ModuleRules) -> bool:
    project = rules.facts.project
    for other in project.given:
        for _, target in other.imports:
            if other is not module and target.name in (name, "*"):
                if project.find(other, target) is module:
                    return True
    return False
