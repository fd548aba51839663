"""renamed_import: what `from a import b` becomes where `a.b` gets another name, with all that reads
the name that it binds.

The name that the file uses is changed with it, unless somebody else may use that, or the new one
means something else here: then it stays, as `from a import c as b`. So no use is left behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.files.import_path import ImportTarget
from pinsetter.analyzer.names.bound_names import imported_items
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.scopes import BUILTINS, Binding
from pinsetter.analyzer.syntax.tree import LN, ancestors, is_variable, leaves

from ..edits.blocks import Block
from ..edits.edit import Edit
from ..edits.fragment import Fragment
from ..edits.indentation import Layout
from ..edits.rendering import Misfit
from ..matching.imported_name import import_around, imported_leaf
from ..matching.match import Match
from ..predicates import satisfies
from .items import removed_items

Rank = tuple[int, ...]


def renamed_import(match: Match, old: str, new: str, layout: Layout, rank: Rank) -> list[Edit]:
    """The edits that make an import of ``old``, which the match is, one of ``new``; without a dot
    that is a builtin, or else a module. Raises Misfit."""
    item, tree = match.node, match.module.tree
    statement = import_around(item)
    assert statement is not None
    is_named = item.type == symbols.import_as_name
    local = item.children[2].value if is_named else item.value
    parent, (home, _, name) = old.rpartition(".")[0], new.rpartition(".")
    if not has_moved(new, match.module, match.facts):
        check_no_attempt(statement, FAILED_IMPORTS, name)
    uses = _uses(match, local, new)
    others_of = uses if uses is not None else local_reads(item, local, match.module)
    for use in others_of if match.rule.where else ():
        if satisfies(match.with_captures({"match": (use,)}), match.rule.where) is None:
            number = tree.line_of(use)
            raise Misfit(f"the conditions do not hold of {local} in line {number}")
    is_builtin = not home and name in BUILTINS
    if is_builtin and uses is None:
        raise Misfit(f"{local} may be used elsewhere, or {name} is something else here")
    if is_named and not is_builtin:
        uses = None  # it was named on purpose
    bound = name if uses is not None or local == name else f"{name} as {local}"
    # Where another hunk replaces what is around a use, that is gone.
    edits = [
        replace(_put(tree.span((use,)), name, rank), loose=True, word=local) for use in uses or ()
    ]
    others = [other for other in imported_items(statement) if other is not item]
    there = any(imported_leaf(other).value == name and other.type == token.NAME for other in others)
    if home == parent and not (there and uses is not None):
        return [*edits, _put(tree.span((item,)), bound, rank)]
    line = f"from {home} import {bound}" if home else f"import {bound}"
    if others:
        edits += removed_items([(item,)], layout, rank)
        needs_line = home != parent and not is_builtin
        return [*edits, *(_line_after(statement, home, bound, layout, rank) if needs_line else ())]
    if is_builtin:
        return [*edits, *layout.delete(statement, rank)]
    if not home:
        return [*edits, _put(tree.span((statement,)), line, rank)]
    package = statement.children[1 : _at_import(statement)]
    return [*edits, _put(tree.span(tuple(package)), home, rank),
            _put(tree.span((item,)), bound, rank)]  # fmt: skip


def _line_after(
    statement: LN, home: str, bound: str, layout: Layout, rank: Rank
) -> Iterator[Edit]:  # fmt: skip
    """An import behind another; of what goes to one module from there one import has all names."""
    line = f"from {home} import {bound}" if home else f"import {bound}"
    for edit in layout.after(statement, [line], rank):
        before, found, behind = edit.text.partition(line)
        if found and home:
            head, tail = Fragment(before + line[: -len(bound)]), Fragment(behind)
            yield replace(edit, block=Block(head, Fragment(bound), tail, names=True))
        else:
            yield edit


def _at_import(statement: LN) -> int:
    return next(
        n for n, c in enumerate(statement.children) if c.type == token.NAME and c.value == "import"
    )


def has_moved(new: str, module: Module, facts: Facts) -> bool:
    """Whether the new name is that of a module of the repository, so that there is no old one to be
    tried."""
    return facts.project.layout.find(module.real, ImportTarget(new)) is not None


def check_no_attempt(node: LN, failures: frozenset[str], name: str) -> None:
    """Raise Misfit if a node is tried, with a `try` for those failures around it, or what is done
    where the new ``name`` was tried and failed."""
    child = node
    for parent in ancestors(node):
        if parent.type in (symbols.funcdef, symbols.classdef):
            return
        if parent.type == symbols.try_stmt:
            body = parent.children[2]
            clauses = [one for one in parent.children if one.type == symbols.except_clause]
            caught = {leaf.value for clause in clauses for leaf in leaves(clause)}
            tried = child is body or any(leaf.value == name for leaf in leaves(body))
            if tried and caught & failures:
                raise Misfit(f"it is tried, with an except for {min(caught & failures)}")
        child = parent


FAILED_IMPORTS = frozenset(["ImportError", "ModuleNotFoundError"])
FAILED_ATTRIBUTES = frozenset(["AttributeError"])


def _put(span: tuple[int, int], text: str, rank: Rank) -> Edit:
    return Edit(*span, text, outer=span, rank=rank)


def _uses(match: Match, local: str, new: str) -> list[LN] | None:
    """The places that read the name which an import binds, if it may be changed there."""
    if not can_rename_local(match.node, local, new, match.module, match.facts):
        return None
    return local_reads(match.node, local, match.module)


def can_rename_local(node: LN, local: str, new: str, module: Module, facts: Facts) -> bool:
    """Whether the name that an import binds may be changed: nobody else uses it, nothing else binds
    it, and the new name is free, or means the same."""
    name = new.rpartition(".")[2]
    bindings = module.scope_of(node).lookup(local)
    if len(bindings) != 1 or _is_taken(module, name, new):
        return False
    owner = bindings[0].scope
    if owner.kind == "class" or is_written(local, module):
        return False
    return owner is not module.scopes.module or not _is_used_elsewhere(local, module, facts)


def local_reads(node: LN, local: str, module: Module) -> list[LN]:
    """The places that read the name which an import binds."""
    owner = module.scope_of(node).owner(local)
    return [
        leaf for leaf in module.leaves_of(local)
        if is_variable(leaf) and module.reads((leaf,))
        and module.scope_of(leaf).owner(local) is owner
    ]  # fmt: skip


def _is_taken(module: Module, name: str, new: str) -> bool:
    """Whether a name means something else somewhere in a file."""
    if "." in new and name in BUILTINS:
        return True
    return any(
        not _imports(binding, new)
        for scope in module.scopes for binding in scope.bindings.get(name, ())
    )  # fmt: skip


def _imports(binding: Binding, name: str) -> bool:
    target = binding.target
    if target is None or target.level:
        return False
    return name == (target.module if target.name is None else f"{target.module}.{target.name}")


def _is_used_elsewhere(name: str, module: Module, facts: Facts) -> bool:
    """Whether a name of a module may be used from outside."""
    if module.is_package:
        return True
    project = facts.project
    for other in project.given:
        if other is module:
            continue
        for _, target in other.imports:
            if target.name in (name, "*") and project.find(other, target) is module:
                return True
    return False


# A name, or an annotation.
_ANNOTATION = re.compile(r"""['"]([\w.]+(?:\[.*\])?(?:\s*\|\s*[\w.]+(?:\[.*\])?)*)['"]""")


def is_written(name: str, module: Module) -> bool:
    """Whether a text may mean a name: that of an annotation, or one for `getattr`, and comments
    that say types."""
    word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    if any(word.search(line) for line in _TYPE_COMMENT.findall(module.source.text)):
        return True
    texts = (leaf.value for leaf in module.tree.nodes()
             if leaf.type == token.STRING and not leaf.children)  # fmt: skip
    found = (_ANNOTATION.fullmatch(text) for text in texts)
    return any(word.search(one[1]) for one in found if one is not None)


_TYPE_COMMENT = re.compile(r"#\s*type:[^\r\n]*")
