"""What typeshed's stubs say of Python's own library: ``returned``, the class of what a function or
a method gives, and ``position``, where it takes a parameter. Nothing of it is imported, or run."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typeshed_client import NameInfo

# What they give is a value of a kind that many functions give, and nobody asks for by its class.
_LEFT_OUT = {"builtins", "typing", "typing_extensions", "__future__"}
# How far names are followed through imports, and classes to their bases.
_FAR = 8


@cache
def returned(name: str) -> str | None:
    """The qualified name of a class; None where there is none, or several."""
    head, _, _ = name.partition(".")
    if head not in sys.stdlib_module_names or head in _LEFT_OUT:
        return None
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:end])
        known = _names(module)
        if known:
            return _given(module, known, parts[end:])
    return None


def is_defined(name: str) -> bool:
    """Whether a qualified name is that of a class or function of Python's own library."""
    module, _, last = name.rpartition(".")
    if not module or module.partition(".")[0] not in sys.stdlib_module_names:
        return False
    info = _names(module).get(last)
    node = getattr(info, "ast", None)
    first = (getattr(node, "definitions", None) or [node])[0]
    return isinstance(first, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)


@cache
def is_class(name: str) -> bool:
    """Whether a qualified name is that of a class of Python's own library, which makes an instance
    of itself where it is called. One whose instances can be called, as those of ``partial``, stands
    for what they call."""
    module, _, last = name.rpartition(".")
    if not module or module.partition(".")[0] not in sys.stdlib_module_names:
        return False
    found = _class_called(module, last, _FAR)
    if found is None:
        return False
    home, _, cls = found.rpartition(".")
    return "__call__" not in (_names(home)[cls].child_nodes or {})


@cache
def is_exported(module: str, name: str) -> bool:
    """Whether a module of Python's own library has a name, according to typeshed."""
    return name in _names(module)


def position(name: str, parameter: str) -> int | None:
    """Where a function, class or method of Python's own library takes a parameter, without the
    `self` of a method; None where that is not known, or taken by name only."""
    parts = name.split(".")
    if parts[0] not in sys.stdlib_module_names:
        return None
    for end in range(len(parts) - 1, 0, -1):
        known = _names(".".join(parts[:end]))
        if known:
            found = {
                _place(node, is_method, parameter)
                for node, is_method in _definitions(".".join(parts[:end]), parts[end:], _FAR)
            }
            return found.pop() if len(found) == 1 else None
    return None


def _place(node: ast.FunctionDef | ast.AsyncFunctionDef, method: bool, name: str) -> int | None:
    decorators = {one.id for one in node.decorator_list if isinstance(one, ast.Name)}
    taken = [one.arg for one in node.args.args]
    before = len(node.args.posonlyargs) - (method and "staticmethod" not in decorators)
    return before + taken.index(name) if name in taken else None


def _definitions(
    module: str, parts: list[str], far: int
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, bool]]:
    """The definitions of a function, of a class's constructor, or of ``Class.method``, in a module
    or where that has them from; whether each is a method."""
    info = _names(module).get(parts[0])
    if info is None or far == 0 or len(parts) > 2:
        return
    home, original = (getattr(info.ast, key, None) for key in ("module_name", "name"))
    if home and original:
        yield from _definitions(".".join(home), [str(original), *parts[1:]], far - 1)
        return
    if not isinstance(info.ast, ast.ClassDef):
        yield from ((node, False) for node in _functions(info.ast) if len(parts) == 1)
        return
    for method in parts[1:] or ("__init__", "__new__"):
        own = (info.child_nodes or {}).get(method)
        if own is not None:
            yield from ((node, True) for node in _functions(own.ast))
            return
    for base in info.ast.bases:
        home, _, cls = (_class(module, base, far) or "").rpartition(".")
        inherited = [*_definitions(home, [cls, *parts[1:]], far - 1)] if home else []
        if inherited:
            yield from inherited
            return


def _functions(node: object) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for one in getattr(node, "definitions", None) or [node]:
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            yield one


@cache
def _names(module: str) -> Mapping[str, NameInfo]:
    # Most programs are analysed without anybody asking for it.
    import typeshed_client

    try:
        context = typeshed_client.get_search_context(search_path=[])
        return typeshed_client.get_stub_names(module, search_context=context) or {}
    except (OSError, SyntaxError, ValueError, RecursionError):
        return {}


def _given(module: str, known: Mapping[str, NameInfo], parts: list[str]) -> str | None:
    """What a function, or ``Class.method``, of a module gives."""
    if len(parts) == 1:
        info = known.get(parts[0])
        return None if info is None else _of_function(module, info.ast, None)
    if len(parts) == 2 and parts[0] in known:
        owner = f"{module}.{parts[0]}"
        return _of_method(module, parts[0], parts[1], owner, _FAR)
    return None


def _of_method(module: str, cls: str, method: str, owner: str, far: int) -> str | None:
    """What a method that ``owner`` has from a class gives."""
    info = _names(module).get(cls)
    if info is None or far == 0 or not isinstance(info.ast, ast.ClassDef):
        return None
    own = (info.child_nodes or {}).get(method)
    if own is not None:
        return _of_function(module, own.ast, owner)
    for base in info.ast.bases:
        name = _class(module, base, far)
        if name is not None:
            home, _, base_name = name.rpartition(".")
            found = _of_method(home, base_name, method, owner, far - 1)
            if found is not None:
                return found
    return None


def _of_function(module: str, node: object, owner: str | None) -> str | None:
    definitions = getattr(node, "definitions", None) or [node]
    found = {_of_definition(module, one, owner) for one in definitions}
    return found.pop() if len(found) == 1 else None


def _of_definition(module: str, node: object, owner: str | None) -> str | None:
    if not isinstance(node, ast.FunctionDef) or node.returns is None or _is_property(node):
        return None
    if isinstance(node.returns, ast.Name) and node.returns.id in ("Self", "_Self"):
        return owner
    return _class(module, node.returns, _FAR)


def _is_property(node: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)


def _class(module: str, annotation: ast.expr, far: int) -> str | None:
    """The class that an annotation names, without what it is subscripted with."""
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    if isinstance(annotation, ast.Attribute):
        home, _, name = ast.unparse(annotation).rpartition(".")
        return _class_called(home, name, far)
    if isinstance(annotation, ast.Name):
        return _class_called(module, annotation.id, far)
    return None


def _class_called(module: str, name: str, far: int) -> str | None:
    info = _names(module).get(name)
    if info is None or far == 0 or module.partition(".")[0] in _LEFT_OUT:
        return None
    if isinstance(info.ast, ast.ClassDef):
        return f"{module}.{name}"
    other, original = (getattr(info.ast, key, None) for key in ("module_name", "name"))
    if other and original:
        return _class_called(".".join(other), str(original), far - 1)
    return None
