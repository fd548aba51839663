"""R01: imports that do not stand at the top of their module."""

from __future__ import annotations

from collections.abc import Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from ....files.import_path import ImportTarget
from ....messages.finding import Finding
from ....syntax.tree import (
    LN,
    ancestors,
    is_name,
    leaves,
    only_for_type_checkers,
    statement_of,
    walk,
)
from .checked_code import Code, shortened

_IMPORTS = {symbols.import_name, symbols.import_from}
_BLOCKS = {
    symbols.try_stmt: "a try statement",
    symbols.if_stmt: "an if statement",
    symbols.with_stmt: "a with statement",
    symbols.for_stmt: "a loop",
    symbols.while_stmt: "a loop",
    symbols.match_stmt: "a match statement",
}


def check(code: Code) -> Iterator[Finding]:
    """Imports inside functions, classes and other statements, and those after other code."""
    if not any(code.imports_tensorflow(target) for _, target in code.module.imports):
        return
    targets: dict[int, list[ImportTarget]] = {}
    for node, target in code.module.imports:
        targets.setdefault(id(node), []).append(target)
    top, first = _head(code.module.tree.root)
    early = _prints_before(code)
    for node in walk(code.module.tree.root):
        if node.type not in _IMPORTS or id(node) in top:
            continue
        what, where = code.text((node,)), _where(code, node, first)
        is_tensorflow = any(code.imports_tensorflow(target) for target in targets.get(id(node), []))
        doubt = _doubt(code, node) if is_tensorflow else None
        if doubt is not None:
            yield code.finding("R01", node, f"`{what}` stands {where}, and {doubt}",
                               "Import one of them only, at the top of the module")  # fmt: skip
        elif early is not None and node is early[0]:
            line = code.line(early[1])
            yield code.finding(
                "R01", node,
                f"`{what}` stands after `{code.text((early[1],))}` on line {line}; no worker has a "
                "number before TensorFlow is imported, so every worker does that",
                f"Move the import above line {line}",
            )  # fmt: skip
        else:
            why = "its names are known wherever it stands"
            if only_for_type_checkers(node):
                why = "it never runs"
            yield code.finding("R01", node, f"`{what}` stands {where}; {why}")


def _head(root: LN) -> tuple[set[int], LN | None]:
    """The imports at the top of a module, and the first statement that is not part of it."""
    top: set[int] = set()
    for statement in root.children:
        if statement.type in (token.NEWLINE, token.ENDMARKER):
            continue
        if statement.type == symbols.simple_stmt:
            for small in statement.children:
                if small.type in _IMPORTS:
                    top.add(id(small))
                elif not _is_prologue(small):
                    return top, small
        elif not _only_imports(statement):
            return top, statement
    return top, None


def _is_prologue(small: LN) -> bool:
    """Strings, and names such as ``__author__``, may stand between the imports."""
    if small.type in (token.NEWLINE, token.SEMI, token.STRING):
        return True
    target = small.children[0] if small.type == symbols.expr_stmt else None
    return target is not None and is_name(target) and target.value.startswith("__")


def _only_imports(statement: LN) -> bool:
    """Whether a try or if statement does nothing but import, perhaps with a fallback."""
    if statement.type not in (symbols.try_stmt, symbols.if_stmt):
        return False
    simple = [node for node in walk(statement) if node.type == symbols.simple_stmt]
    smalls = [small for node in simple for small in node.children]
    allowed = {*_IMPORTS, symbols.raise_stmt, token.NEWLINE, token.SEMI}
    return any(small.type in _IMPORTS for small in smalls) and all(
        small.type in allowed
        or (is_name(small) and small.value in ("pass", "raise"))
        or _is_flag(small)
        for small in smalls
    )


def _is_flag(small: LN) -> bool:
    """``name = constant``."""
    return small.type == symbols.expr_stmt and not any(
        node.type in (symbols.power, symbols.lambdef) for node in walk(small)
    )


def _where(code: Code, node: LN, first: LN | None) -> str:
    scope = code.module.scope_of(node)
    if scope.kind in ("function", "class"):
        return f"in the {scope.kind} {scope.name}"
    if only_for_type_checkers(node):
        return "under TYPE_CHECKING"
    for parent in ancestors(node):
        if parent.type in _BLOCKS:
            return f"in {_BLOCKS[parent.type]}"
    if first is None:
        return "below the top of the module"
    start = code.module.tree.source((first,)).splitlines()[0]
    return f"after `{shortened(start)}` on line {code.line(first)}"


def _doubt(code: Code, node: LN) -> str | None:
    """Other imports that give the same name another meaning: the analysis knows not which."""
    inside = {id(leaf) for leaf in leaves(node)}
    for scope in code.module.scopes:
        for name, bindings in scope.bindings.items():
            imported = [b for b in bindings if b.kind == "import"]
            if len(imported) < 2 or not any(id(b.node) in inside for b in imported):
                continue
            values = [code.facts.evaluator.binding(b, code.module) for b in imported]
            meanings = sorted({n for value in values for n in value.names})
            modules = [n for n in meanings if n not in code.facts.evaluator.hierarchy]
            if len(meanings) > 1 and modules:
                return f"{name} may mean {' or '.join(meanings)}, so that the rules only assume it"
    return None


def _prints_before(code: Code) -> tuple[LN, LN] | None:
    """The first import of TensorFlow that the module itself makes, and a print or a writing call
    that runs before it."""
    nodes = [
        node
        for node, target in code.module.imports
        if code.imports_tensorflow(target)
        and code.module.scope_of(node).function is None
        and not only_for_type_checkers(node)
    ]
    if not nodes:
        return None
    limit = code.module.tree.start(nodes[0])
    for call in code.module.tree.calls:
        if code.module.tree.start(call.trailer) > limit:
            continue
        runs = code.module.scope_of(call.trailer).function is None
        if runs and statement_of(call.power) is call.power and not code.function(
            code.values(call.callee)
        ):  # fmt: skip
            if code.facts.effects.of(call.power, code.module).kinds & {"prints", "writes"}:
                return nodes[0], call.power
    return None
