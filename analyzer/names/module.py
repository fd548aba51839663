"""Module: one parsed file with its scopes; depends on that file's bytes alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols
from fissix.pytree import Leaf

from .. import syntax
from ..files import source as sources
from ..files.bounds import USUAL, Bounds
from ..files.import_path import ImportTarget, real_path
from ..files.source import Source
from ..messages.problem import Problem
from ..messages.spare_memory import keep_reserve, use_reserve
from ..messages.unforeseen import HINT, said
from ..syntax.tree import (
    LN,
    Expression,
    Tree,
    ancestors,
    is_member,
    is_name,
    is_variable,
    leaves,
    main_guards,
    walk,
)
from .bound_names import imported_from, imported_items
from .imports import Import, imports_of
from .scope_tree import Scopes
from .scopes import BUILTINS, Binding, Scope


@dataclass(eq=False)
class Module:
    """A file that parses. ``name`` is its dotted path below the project's root; ``nesting`` is how
    many levels its tree may have."""

    path: Path
    name: str
    source: Source
    nesting: int = USUAL.nesting

    def __repr__(self) -> str:
        return f"<Module {self.name}>"

    @cached_property
    def tree(self) -> Tree:
        return Tree(syntax.parse(self.source.text, nesting=self.nesting), self.source.text)

    @cached_property
    def scopes(self) -> Scopes:
        return Scopes(self.tree.root)

    def forget(self) -> None:
        """Drop what follows from the source: a tree takes a hundred times the file's size. It is
        made again, with other nodes, when it is asked for."""
        kept = {field.name for field in fields(self)}
        for name in vars(self).keys() - kept:
            del self.__dict__[name]

    @cached_property
    def real(self) -> Path:
        """The resolved path."""
        return real_path(self.path)

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @cached_property
    def imports(self) -> tuple[tuple[LN, ImportTarget], ...]:
        """Every import with its node; ``from a import b`` may mean the module ``a.b`` too."""
        found: list[tuple[LN, ImportTarget]] = []
        for node in walk(self.tree.root):
            if node.type == symbols.import_name:
                for item in _dotted_names(node.children[1]):
                    found.append((node, ImportTarget(item)))
            elif node.type == symbols.import_from:
                module, level = imported_from(node)
                found.append((node, ImportTarget(module, level)))
                for item in imported_items(node):
                    name = next(leaves(item)).value
                    if name != "*":
                        found.append((node, ImportTarget(module, level, name)))
        return tuple(found)

    @cached_property
    def packages(self) -> frozenset[str]:
        """The packages that it imports from, those of the repository by their first name."""
        return frozenset(t.module.split(".")[0] for _, t in self.imports if not t.level)

    @cached_property
    def loads(self) -> tuple[Import, ...]:
        """What the file imports and when, imports by a call included."""
        return imports_of(self.tree.root, self.source.text)

    @cached_property
    def main_guards(self) -> tuple[LN, ...]:
        """The statements ``if __name__ == "__main__":`` of the module."""
        return main_guards(self.tree.root)

    def is_guarded(self, node: LN) -> bool:
        """Whether ``node`` stands under the ``__main__`` guard: it runs only in the script."""
        child = node
        for parent in ancestors(node) if self.main_guards else ():
            if any(parent is guard for guard in self.main_guards) and child is parent.children[3]:
                return True
            child = parent
        return False

    def leaves_of(self, name: str) -> Sequence[Leaf]:
        """The places of an identifier, those inside f- and t-strings last."""
        return self._leaves.get(name, ())

    @cached_property
    def _leaves(self) -> dict[str, tuple[Leaf, ...]]:
        found: dict[str, list[Leaf]] = {}
        for node in self.tree.nodes():
            if is_name(node):
                found.setdefault(node.value, []).append(node)
        return {name: tuple(places) for name, places in found.items()}

    @property
    def names(self) -> Set[str]:
        """Every identifier that occurs in the file."""
        return self._leaves.keys()

    @cached_property
    def _variables(self) -> frozenset[str]:
        """Those that are not only names of attributes and arguments, which clash with none."""
        return frozenset(
            leaf.value for leaf in self.tree.nodes()
            if leaf.type == token.NAME and not is_member(leaf)
        )  # fmt: skip

    @cached_property
    def indentation(self) -> str:
        """What most blocks of the file are indented by, four spaces where it has none."""
        units: Counter[str] = Counter()
        around = [""]
        for leaf in leaves(self.tree.root):
            if leaf.type == token.INDENT:
                units[leaf.value.removeprefix(around[-1])] += 1
                around.append(leaf.value)
            elif leaf.type == token.DEDENT:
                around.pop()
        return max(units, key=units.__getitem__, default="    ")

    def fresh(self, name: str, taken: frozenset[str] = frozenset()) -> str:
        """``name``, or ``name_2``, ``name_3`` … if the file or ``taken`` has it already."""
        candidate, number = name, 1
        while candidate in self._variables or candidate in taken:
            number += 1
            candidate = f"{name}_{number}"
        return candidate

    @cached_property
    def memo(self) -> dict[Hashable, Any]:
        """What is worked out about the tree once, by whoever asks; it goes when the tree does."""
        return {}

    def scope_of(self, node: LN) -> Scope:
        return self.scopes.of(node)

    def reads(self, expression: Expression) -> bool:
        """Whether code is looked up here: no name that is bound or declared, no attribute's,
        argument's or import's own name."""
        node = expression[-1]
        if len(expression) > 1 and len(expression) == len(node.parent.children):
            node = node.parent  # as the target of an assignment
        if id(node) in self._bound:
            return False
        return len(expression) > 1 or not is_name(node) or is_variable(node)

    def builtin(self, expression: Expression) -> str:
        """The qualified name of the builtin that an expression is; empty if it is none, or if
        something here, or what is imported as ``*``, may be called so."""
        node = expression[0]
        if len(expression) > 1 or not is_name(node) or node.value not in BUILTINS:
            return ""
        bound = self.scopes.module.star_imports or self.scope_of(node).lookup(node.value)
        return "" if bound else f"builtins.{node.value}"

    @cached_property
    def _bound(self) -> frozenset[int]:
        """The nodes that bind a name or an attribute, by identity."""
        found = set()
        for scope in self.scopes:
            for bindings in scope.bindings.values():
                for binding in bindings:
                    found.add(id(binding.node))
                    if binding.kind in ("function", "class"):
                        found.update(map(id, binding.node.children[:2]))
        found.update(id(binding.node) for binding in self.scopes.attributes)
        for node in walk(self.tree.root):
            if node.type == symbols.global_stmt:  # `nonlocal`, too
                found.update(map(id, walk(node)))
        return frozenset(found)

    def binding(self, name: str) -> list[Binding]:
        """Module-level bindings of ``name``."""
        return self.scopes.module.bindings.get(name, [])


def load(path: Path, name: str, bounds: Bounds = USUAL) -> Module | Problem:
    """Read and parse a file; a Problem says where and why it cannot be understood."""
    source = sources.read(path, bounds)
    if isinstance(source, Problem):
        return source
    return analyse(source, name, bounds)


def analyse(source: Source, name: str, bounds: Bounds = USUAL) -> Module | Problem:
    module = Module(source.path, name, source, bounds.nesting)
    try:
        keep_reserve()
        _ = module.tree
    except syntax.SyntaxProblem as problem:
        line, column = problem.line, problem.column
        text = sources.line_of(source.text, line)
        inside = "" if source.notebook is None else f" ({source.where(line)})"
        return Problem(source.path, f"{problem.reason}{inside}", line, column, text=text)
    except Exception as error:
        use_reserve(error)
        return Problem(source.path, f"not understood: internal error, {said(error)}", hint=HINT)
    return module


def _dotted_names(node: LN) -> list[str]:
    if isinstance(node, Leaf):
        return [str(node.value)]
    if node.type == symbols.dotted_as_names:
        return [name for child in node.children for name in _dotted_names(child) if name != ","]
    if node.type == symbols.dotted_as_name:
        return _dotted_names(node.children[0])
    return ["".join(leaf.value for leaf in leaves(node))]
