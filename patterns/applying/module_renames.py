"""module_renames: what `rename:` makes of a file that imports the module which gets another name.

Its imports and what is reached through them are one change: either is nothing without the other.
Items of `from package import module` are renamed as those of any other name are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.import_path import ImportTarget
from pinsetter.analyzer.names.bound_names import imported_from, imported_items
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.syntax.fstring import is_fstring
from pinsetter.analyzer.syntax.tree import (
    LN,
    ancestors,
    attribute_name,
    is_variable,
    leaves,
    plain_string,
)

from ..edits.edit import Edit
from ..edits.indentation import Layout
from ..edits.rendering import Misfit
from ..matching.imported_name import package_of
from ..packs.pack import Rule
from .application import Application, Report
from .items import removed_items
from .renames import FAILED_IMPORTS, can_rename_local, check_no_attempt, has_moved, local_reads

_TYPE_COMMENT = re.compile(r"#\s*type:[^\r\n]*")


@dataclass(frozen=True)
class _Import:
    """A place where a module, or one below it, is imported by its name: ``item`` is that of the
    statement, ``names`` the leaves of its name, ``below`` how many of them are not the old one's.
    """

    statement: LN
    item: LN
    names: tuple[LN, ...]
    below: int
    is_from: bool
    level: int

    @property
    def alias(self) -> str:
        is_named = self.item.type == symbols.dotted_as_name
        return str(self.item.children[2].value) if is_named else ""

    @property
    def binds_head(self) -> bool:
        return not self.is_from and not self.alias


def imports_module(name: str, module: Module) -> bool:
    """Whether a file imports a module, or one below it, by its name."""
    return any(True for _ in _imports_of(name, module))


def module_renames(
    rule: Rule, module: Module, facts: Facts, layout: Layout, new: str, rank: tuple[int, ...]
) -> Iterator[Application | Report]:
    """The one application of a rule to a file that imports the module, lists it, or says its name
    in strings while another imports it, and what is reported there. Raises AskedBeyondError where
    other files decide."""
    old = rule.renamed
    if old.rpartition(".")[2] not in module.source.text:
        return
    imports = list(_imports_of(old, module))
    listed = list(_listed(old, module))
    texts = list(texts_of(old, module)) if old in module.source.text else []
    tree = module.tree
    uses = list(_uses(old, module))
    if not imports:  # as far as it is known what they mean they are matches by themselves
        uses = [use for use in uses if "." in old and old not in facts.names(use, module)]
    moved = has_moved(new, module, facts)
    relative = list(_relative_texts(old, module))
    if not imports and not (
        # Files that only say it need not be joined to those that import it.
        (texts and moved and "." in old)
        or ((listed or texts or uses or relative) and _is_imported(old, moved, facts))
    ):
        return
    places = [tree.start(one.statement) for one in imports] or [
        *listed,
        *texts,
        *relative,
        *(tree.start(use[0]) for use in uses),
    ]
    line = tree.line(min(places))
    if rule.where:
        text = "Not renamed: conditions cannot be asked of a module's imports."
        yield Report(rule, module, line, text)
        return
    try:
        edits = _edits(imports, uses, old, new, module, facts, layout, rank)
    except Misfit as misfit:
        yield Report(rule, module, line, f"Not renamed: {old} cannot be edited here: {misfit}.")
        return
    (home, _, last), (new_home, _, name) = old.rpartition("."), new.rpartition(".")
    for start in listed:
        if home == new_home:
            edits.append(_put((start, start + len(last)), name, rank))
        else:
            text = f"{last} is listed in `__all__`, and will be in {new_home or new}."
            yield Report(rule, module, tree.line(start), text)
    said = [*_in_type_comments(old, module)] if imports else []
    if any(edit.get("strings") for edit in rule.edits):
        said += texts
    else:
        yield from _untold(rule, module, texts)
    for start in relative:
        text = f"It may mean {old}, beside the package that says so, and is not renamed."
        yield Report(rule, module, tree.line(start), text)
    edits += [_put((start, start + len(old)), new, rank) for start in said]
    if edits:
        start = tree.start(imports[0].statement) if imports else min(edit.start for edit in edits)
        yield Application(rule, module, start, old, tuple(edits), of_repository=moved)


def _is_imported(old: str, is_moved: bool, facts: Facts) -> bool:
    """Whether it is a module as far as anybody says, or was one of the repository: one that
    ``is_moved`` may be an item of what its package is imported with."""

    def asked() -> bool:
        return any(
            imports_module(old, module) or (is_moved and _brings(old, module))
            for module in facts.evaluator.modules
        )

    return facts.remembered(("module", old, is_moved), asked)


def is_of_repository(old: str, module: Module, facts: Facts) -> bool:
    """Whether what a name begins with is a module of the repository."""
    homes = accumulate(old.split(".")[:-1], "{}.{}".format)
    return any(has_moved(home, module, facts) for home in homes)


def _brings(old: str, module: Module) -> bool:
    """Whether a file has it from its package, by `from package import module`."""
    home, _, last = old.rpartition(".")
    if not module.leaves_of(last):
        return False
    for node, _ in module.imports:
        if node.type == symbols.import_from:
            names = (next(leaves(item)).value for item in imported_items(node))
            dotted, level = imported_from(node)
            package = package_of(module, level) if level else []
            if last in names and ".".join([*package, *filter(None, [dotted])]) == home:
                return True
    return False


def _listed(old: str, module: Module) -> Iterator[int]:
    """Where the package that has the module lists it in ``__all__``."""
    home, _, last = old.rpartition(".")
    if not module.is_package or module.name != home or "__all__" not in module.source.text:
        return
    for leaf in leaves(module.tree.root):
        if leaf.type == token.STRING and plain_string(leaf) == last and _is_in_all(leaf):
            yield module.tree.start(leaf) + leaf.value.index(last)


def _is_in_all(leaf: LN) -> bool:
    for parent in ancestors(leaf):
        if parent.type in (symbols.expr_stmt, symbols.power):
            if next(leaves(parent)).value == "__all__":
                return True
        elif parent.type == symbols.simple_stmt:
            return False
    return False


def _untold(rule: Rule, module: Module, texts: list[int]) -> Iterator[Report]:
    """What is said of strings that stay."""
    for start in texts:
        text = f"{rule.renamed} is not renamed in this string; `strings: true` would do it."
        yield Report(rule, module, module.tree.line(start), text)


def texts_of(old: str, module: Module) -> Iterator[int]:
    """Where strings say a module's name, by itself or before what is in it."""
    word = re.compile(rf"(?<![\w.]){re.escape(old)}(?![\w-])")
    for leaf in leaves(module.tree.root):
        if leaf.type != token.STRING or old not in leaf.value or is_fstring(leaf):
            continue
        if " " in plain_string(leaf).strip() or "\n" in leaf.value:
            continue  # prose, or code: whoever reads it will know
        start = module.tree.start(leaf)
        yield from (start + found.start() for found in word.finditer(leaf.value))


def _relative_texts(old: str, module: Module) -> Iterator[int]:
    """Where strings say a module as `import_module(".name", package)` has it."""
    dotted = f".{old.rpartition('.')[2]}"
    for leaf in leaves(module.tree.root) if dotted in module.source.text else ():
        text = plain_string(leaf) if leaf.type == token.STRING else ""
        if text.startswith(".") and f".{old}".endswith(f".{text.lstrip('.')}"):
            yield module.tree.start(leaf)


def _in_type_comments(old: str, module: Module) -> Iterator[int]:
    if old in module.source.text:
        word = re.compile(rf"(?<![\w.]){re.escape(old)}(?!\w)")
        for leaf in leaves(module.tree.root):
            start = module.tree.leaf_start(leaf) - len(leaf.prefix)
            for comment in _TYPE_COMMENT.finditer(leaf.prefix):
                found = word.finditer(comment[0])
                yield from (start + comment.start() + one.start() for one in found)


def _imports_of(old: str, module: Module) -> Iterator[_Import]:
    parts = old.split(".")
    nodes = {id(node): node for node, _ in module.imports} if module.leaves_of(parts[-1]) else {}
    for node in nodes.values():
        if node.type == symbols.import_name:
            names = node.children[1]
            many = names.type == symbols.dotted_as_names
            for item in names.children if many else [names]:
                path = item.children[0] if item.type == symbols.dotted_as_name else item
                found = _names_in(path)
                if item.type != token.COMMA and _texts(found)[: len(parts)] == parts:
                    yield _Import(node, item, found, len(found) - len(parts), False, 0)
        elif node.type == symbols.import_from:
            _, level = imported_from(node)
            path = next(child for child in node.children[1:] if {*str(child).strip()} != {"."})
            if path.type == token.NAME and path.value == "import":
                continue  # `from . import a`
            found = _names_in(path)
            home = package_of(module, level) if level else []
            if level and not home:
                continue
            whole = [*home, *_texts(found)]
            below = len(whole) - len(parts)
            if whole[: len(parts)] == parts and below < len(found):
                yield _Import(node, node, found, below, True, level)


def _names_in(path: LN) -> tuple[LN, ...]:
    return tuple(leaf for leaf in leaves(path) if leaf.type == token.NAME)


def _texts(names: tuple[LN, ...]) -> list[str]:
    return [name.value for name in names]


def _edits(
    imports: list[_Import],
    uses: list[tuple[LN, ...]],
    old: str,
    new: str,
    module: Module,
    facts: Facts,
    layout: Layout,
    rank: tuple[int, ...],
) -> list[Edit]:
    """Raises Misfit."""
    for one in imports if not has_moved(new, module, facts) else ():
        check_no_attempt(one.statement, FAILED_IMPORTS, new.rpartition(".")[2])
    edits: list[Edit] = []
    plain = [one for one in imports if one.binds_head]
    bare = "." not in old and not any(one.below for one in plain)
    for one in imports:
        if bare and one.binds_head:
            edits += _of_bare(one, new, module, facts, layout, rank)
        else:
            edits.append(_of_path(one, old, new, module, rank))
    if bare:
        return edits
    (head, _, _), (home, _, _) = new.partition("."), new.rpartition(".")
    if plain and head != old.partition(".")[0]:
        _check_heads(old, head, uses, plain, module)
    if uses and not plain and home != old.rpartition(".")[0]:
        line = module.tree.line_of(uses[0][0])
        raise Misfit(f"it is reached through {uses[0][0].value} in line {line}")
    edits += [_put(module.tree.span(use), new, rank) for use in uses]
    if not imports:
        return edits
    taken = {id(use[-1]) for use in uses}
    is_imported = any(one.statement.parent.parent is module.tree.root for one in plain)
    return edits + _through_aliases(old, new, module, facts, rank, taken, is_imported)


def _of_path(one: _Import, old: str, new: str, module: Module, rank: tuple[int, ...]) -> Edit:
    """The edit of the name in an import, of which what lies below the module stays."""
    told = one.names[: len(one.names) - one.below]
    if one.level:
        home = old.split(".")[: len(old.split(".")) - len(told)]
        wanted = new.split(".")
        if wanted[: len(home)] == home:
            return _put(module.tree.span(told), ".".join(wanted[len(home) :]), rank)
        first = next(c for c in one.statement.children if c.type == token.DOT)
        return _put((module.tree.start(first), module.tree.end(told[-1])), new, rank)
    if one.alias and not one.below and one.alias == new:
        return _put(module.tree.span((one.item,)), new, rank)
    return _put(module.tree.span(told), new, rank)


def _of_bare(
    one: _Import, new: str, module: Module, facts: Facts, layout: Layout, rank: tuple[int, ...]
) -> list[Edit]:
    """The edits of `import old`, where that has no dot: what it binds is called as before, or as
    the new one is where that can be."""
    local = one.names[0].value
    home, _, last = new.rpartition(".")
    uses: list[LN] = []
    name = last
    if last != local:
        reads = local_reads(one.item, local, module)
        if can_rename_local(one.item, local, new, module, facts):
            uses = reads
        else:
            name = f"{last} as {local}"
    edits = [_put(module.tree.span((use,)), last, rank) for use in uses]
    if not home:
        return [*edits, _put(module.tree.span((one.item,)), name, rank)]
    line = f"from {home} import {name}"
    if one.item.parent.type != symbols.dotted_as_names:
        return [*edits, _put(module.tree.span((one.statement,)), line, rank)]
    edits += removed_items([(one.item,)], layout, rank)
    return [*edits, *layout.after(one.statement, [line], rank)]


def _uses(old: str, module: Module) -> Iterator[tuple[LN, ...]]:
    """The dotted names that are reached through `import old`, as they are written: their parts."""
    head, *rest = old.split(".")
    for leaf in module.leaves_of(head):
        bound = module.scope_of(leaf).lookup(head)
        if not is_variable(leaf) or not any(
            b.target is not None and b.target == ImportTarget(head) for b in bound
        ):
            continue
        chain: list[LN] = [leaf]
        for part in rest:
            trailer = chain[-1].next_sibling
            if trailer is None or trailer.type != symbols.trailer:
                break
            if trailer.children[0].type != token.DOT or trailer.children[1].value != part:
                break
            chain.append(trailer)
        else:
            yield tuple(chain)


def _check_heads(
    old: str, head: str, uses: list[tuple[LN, ...]], plain: list[_Import], module: Module
) -> None:
    """Raise Misfit where the first part of the old name is needed otherwise, or that of the new one
    is something else."""
    tree, before = module.tree, old.partition(".")[0]
    for scope in module.scopes:
        for binding in scope.bindings.get(head, ()):
            if binding.target is None or binding.target != ImportTarget(head):
                line = tree.line_of(binding.node)
                raise Misfit(f"{head} is something else in line {line}")
    taken = {id(use[0]) for use in uses}
    renamed = {id(one.names[0]) for one in plain}
    bound = [b for scope in module.scopes for b in scope.bindings.get(before, ())]
    if any(b.kind == "import" and id(b.node) not in renamed for b in bound):
        return
    for leaf in module.leaves_of(before):
        if id(leaf) not in taken | renamed and is_variable(leaf):
            line = tree.line_of(leaf)
            raise Misfit(f"{before} is used otherwise in line {line}; import that by itself")


def _through_aliases(
    old: str,
    new: str,
    module: Module,
    facts: Facts,
    rank: tuple[int, ...],
    taken: set[int],
    is_imported: bool,
) -> list[Edit]:
    """The edits of `p.old`, where `p` is the package. Raises Misfit if the name is to be another
    package's, which is not imported by its name."""
    home, _, last = old.rpartition(".")
    edits = []
    for leaf in module.leaves_of(last) if home else ():
        trailer = leaf.parent
        if trailer is None or trailer.type != symbols.trailer or id(trailer) in taken:
            continue
        siblings = trailer.parent.children
        expression = tuple(siblings[: siblings.index(trailer) + 1])
        if attribute_name(expression) != last or old not in facts.names(expression, module):
            continue
        if new.rpartition(".")[0] == home:
            edits.append(_put(module.tree.span((leaf,)), new.rpartition(".")[2], rank))
        elif is_imported:
            edits.append(_put(module.tree.span(expression), new, rank))
        else:
            line = module.tree.line_of(leaf)
            owner = module.tree.source(expression[:-1])
            raise Misfit(f"it is reached through {owner} in line {line}")
    return edits


def _put(span: tuple[int, int], text: str, rank: tuple[int, ...]) -> Edit:
    return Edit(*span, text, outer=span, rank=rank)
