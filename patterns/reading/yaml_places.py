"""Places: where in a YAML text the keys, values and items of its data stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import yaml

Path = tuple[Any, ...]

# What aliases stand for, written out. The largest pack that comes with Pinsetter has 2,000.
_MAX_NODES = 50_000

# libyaml where PyYAML has it: the packs of a choice are read in a fifth of the time.
SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Spot:
    """A place in a file: the line from 1, the column from 0."""

    line: int
    column: int = 0


@dataclass(frozen=True)
class Mistake:
    """What YAML allows and a pack does not."""

    spot: Spot
    reason: str
    hint: str


@dataclass(eq=False)
class Places:
    """``lines`` of the YAML nodes, by path of keys and indices, in a ``text``. ``origins``: the
    index of the rule in the text that each rule was written as, where a table makes several."""

    lines: dict[Path, int] = field(default_factory=dict)
    text: str = ""
    origins: tuple[int, ...] = ()

    def line(self, *path: Any) -> int:
        return self.lines.get(self._known(path), 1)

    def spot(self, *path: Any, word: str = "", at: tuple[int, int] | None = None) -> Spot:
        """Where the value at a path stands; in it a ``word``, or a line (from 1) and a column."""
        key, value = self._nodes.get(self._known(path), (None, None))
        if value is None:
            return Spot(self.line(*path))
        raw = self.text[value.start_mark.index : value.end_mark.index]
        if word:
            found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", raw) or re.search(
                re.escape(word), raw
            )
            if found is not None:
                return self._spot(value.start_mark.index + found.start())
        if at is not None and isinstance(value, yaml.ScalarNode):
            return self._inside(value, raw, *at)
        start = key if key is not None and not isinstance(value, yaml.ScalarNode) else value
        return self._spot(start.start_mark.index)

    def key(self, *path: Any) -> Spot:
        """Where the key at the end of a path stands; of an item of a list, the item."""
        key, value = self._nodes.get(self._known(path), (None, None))
        node = key if key is not None else value
        return Spot(self.line(*path)) if node is None else self._spot(node.start_mark.index)

    def source(self, line: int) -> str:
        lines = self.text.splitlines()
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def written(self, path: Path) -> Path:
        """The path of what is at a path of the data, in the text."""
        if not self.origins or len(path) < 2 or path[0] != "rules":
            return path
        return ("rules", self.origins[path[1]], *path[2:])

    def _known(self, path: Path) -> Path:
        path = self.written(path)
        while path and path not in self.lines:
            path = path[:-1]
        return path

    def _spot(self, index: int) -> Spot:
        return Spot(
            self.text.count("\n", 0, index) + 1, index - self.text.rfind("\n", 0, index) - 1
        )

    def _inside(self, node: yaml.ScalarNode, raw: str, line: int, column: int) -> Spot:
        """A place in a text, where the file has its lines as they are."""
        start = self._spot(node.start_mark.index)
        if node.style == "|":
            first = next((one for one in node.value.split("\n") if one.strip()), "")
            written = next((one for one in raw.split("\n")[1:] if one.strip()), "")
            indent = len(written) - len(written.lstrip()) - (len(first) - len(first.lstrip()))
            return Spot(start.line + line, indent + column)
        if line == 1 and raw.strip("\"'") == node.value:
            return Spot(start.line, start.column + column + (raw[:1] in ("'", '"')))
        return start

    @cached_property
    def _nodes(self) -> dict[Path, tuple[yaml.Node | None, yaml.Node | None]]:
        """The nodes of keys and values; only mistakes need to know them."""
        root = yaml.compose(self.text, Loader=SafeLoader)
        found = _walk(root, (), None) if root is not None else ()
        return {path: (key, value) for path, key, value in found}


def places_of(root: yaml.Node | None, text: str) -> tuple[Places, list[Mistake]]:
    """The places in a YAML document, and what is wrong with it as such."""
    places = Places(text=text)
    mistakes: list[Mistake] = []
    if root is None:
        return places, mistakes
    sizes: dict[int, int] = {}
    _measure(root, sizes, mistakes)
    if mistakes:
        return places, mistakes
    for path, key, value in _walk(root, (), None):
        if key is None:
            places.lines.setdefault(path, value.start_mark.line + 1)
            continue
        places.lines[path] = key.start_mark.line + 1
    return places, mistakes


def _walk(
    node: yaml.Node, path: Path, key: yaml.Node | None
) -> Iterator[tuple[Path, yaml.Node | None, yaml.Node]]:
    yield path, key, node
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            text = name.value if isinstance(name, yaml.ScalarNode) else str(name.value)
            yield from _walk(value, (*path, text), name)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _walk(item, (*path, index), None)


def _measure(node: yaml.Node, sizes: dict[int, int], mistakes: list[Mistake]) -> int:
    """How many nodes there are with all aliases written out."""
    known = sizes.get(id(node))
    spot = Spot(node.start_mark.line + 1, node.start_mark.column)
    if known == 0:
        mistakes.append(Mistake(spot, "an alias stands inside its own anchor", "write it out"))
    if known is not None:
        return known
    sizes[id(node)] = 0  # while it is open
    size = 1
    if isinstance(node, yaml.MappingNode):
        mistakes += _given_twice(node)
    if isinstance(node, yaml.CollectionNode):
        for part in node.value:
            for child in part if isinstance(part, tuple) else (part,):
                size += _measure(child, sizes, mistakes)
    if size > _MAX_NODES and not mistakes:
        reason = f"with its aliases written out this has more than {_MAX_NODES:,} parts"
        mistakes.append(Mistake(spot, reason, "name less by aliases"))
    sizes[id(node)] = size
    return size


def _given_twice(node: yaml.MappingNode) -> Iterator[Mistake]:
    seen: set[str] = set()
    for key, _ in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else str(key.value)
        if name in seen:
            spot = Spot(key.start_mark.line + 1, key.start_mark.column)
            yield Mistake(spot, f"the key {name!r} is given twice", "keep one")
        seen.add(name)
