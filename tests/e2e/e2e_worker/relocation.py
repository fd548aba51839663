"""Gives each worker a /tmp of its own, for the paths that programs spell out.

Workers that share a folder by accident hide, or invent, a mistake; and a checkpoint left there by
one run would be restored by the next.
"""

from __future__ import annotations

import ast
import importlib.machinery
import os
import re
from pathlib import Path
from typing import Any

_IN_TMP = re.compile(r"/tmp(?=/|$)")


def install(program: Path, folder: Path) -> None:
    """For the modules that lie beside the program, as they are imported."""
    original = importlib.machinery.SourceFileLoader.source_to_code

    def source_to_code(loader: Any, data: Any, path: Any, **options: Any) -> Any:
        if _inside(path, program):
            return compiled(data, os.fsdecode(path), folder)
        return original(loader, data, path, **options)

    importlib.machinery.SourceFileLoader.source_to_code = source_to_code


def compiled(source: Any, path: str, folder: Path) -> Any:
    tree = _Relocated(str(folder)).visit(ast.parse(source, path))
    return compile(tree, path, "exec", dont_inherit=True)


def _inside(path: Any, folder: Path) -> bool:
    return folder in Path(os.fsdecode(path)).parents


def _moved(text: str, folder: str) -> str:
    return folder + text[len("/tmp") :] if _IN_TMP.match(text) else text


class _Relocated(ast.NodeTransformer):
    def __init__(self, folder: str) -> None:
        self._folder = folder

    def visit_Constant(self, node: Any) -> Any:
        if isinstance(node.value, str):
            node.value = _moved(node.value, self._folder)
        return node

    def visit_JoinedStr(self, node: Any) -> Any:
        for index, value in enumerate(node.values):
            if index == 0 or isinstance(value, ast.FormattedValue):  # no path begins in between
                self.visit(value)
        return node

    def visit_Str(self, node: Any) -> Any:  # what it is up to Python 3.7
        node.s = _moved(node.s, self._folder)
        return node
