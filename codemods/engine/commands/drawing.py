"""Drawing: boxes and the lines between them in layers, as SVG.

A box stands to the right of all that it derives from. In each layer boxes are ordered by the
barycentres of their neighbours; lines over several layers get places of their own in those between.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias
from xml.sax import saxutils

import networkx as nx

from pinsetter.analyzer.messages.visible import visible

_CHARACTER = 6.7  # of the first line; the others are smaller
_SMALL = 5.6
_ROW = 15
_PADDING = 8
_GAP = 14  # between boxes of a layer
_BETWEEN_LAYERS = 80
_ARROW = 9
_MARGIN = 16
_SWEEPS = 12
_STYLES = {
    "repository": 'fill="#e3edfb" stroke="#3465a4"',
    "library": 'fill="#eeeeee" stroke="#777777" rx="9"',
    "unknown": 'fill="#ffffff" stroke="#a05a00" stroke-dasharray="4 3"',
}


@dataclass(frozen=True)
class Box:
    """A class; ``kind`` is repository, library or unknown."""

    name: str
    text: tuple[str, ...]
    kind: str

    @property
    def width(self) -> float:
        first, *others = map(_columns, self.text)
        longest = max([first * _CHARACTER, *(count * _SMALL for count in others)])
        return longest + 2 * _PADDING

    @property
    def height(self) -> float:
        return len(self.text) * _ROW + _PADDING


@dataclass(frozen=True)
class Line:
    """``derived`` has the base ``base``; not ``certain`` if it may have another instead."""

    derived: str
    base: str
    certain: bool


# A box, or the place in one layer of a line that crosses it.
Place: TypeAlias = "str | tuple[str, str, int]"


@dataclass
class _Layout:
    boxes: Mapping[str, Box]
    layers: list[list[Place]]
    graph: nx.Graph[Place]
    """Neighbours are in adjacent layers."""
    x: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)
    y: dict[Place, float] = field(default_factory=dict)
    """The middle of each place."""

    def height(self, place: Place) -> float:
        return self.boxes[place].height if isinstance(place, str) else 0


def drawn(boxes: Iterable[Box], lines: Iterable[Line]) -> str:
    """An SVG document; the same input gives the same text."""
    by_name = {box.name: box for box in boxes}
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(by_name)
    certain = {(ln.derived, ln.base): ln.certain for ln in lines if ln.derived != ln.base}
    graph.add_edges_from(certain)
    body: list[str] = []
    width, top = 0.0, float(_MARGIN)
    alone = [by_name[name] for name in graph if not graph.degree(name)]
    for component in _components(graph):
        layout = _layout(by_name, graph.subgraph(component), component)
        right, bottom = _extent(layout)
        body += [_line(layout, names, top, sure) for names, sure in certain.items()
                 if names[0] in component]  # fmt: skip
        for x, layer in zip(layout.x, layout.layers, strict=True):
            for place in layer:
                if isinstance(place, str):
                    box = by_name[place]
                    body.append(_box(box, x, top + layout.y[place] - box.height / 2))
        width, top = max(width, right), top + bottom + 2 * _GAP
    width = max([width, *(box.width + _MARGIN for box in alone)])
    if alone:
        limit = max(width, 900.0)
        right, top, more = _rows(alone, limit, top)
        width = max(width, right)
        body += more
    return _document(body, width + _MARGIN, top + _MARGIN - _GAP)


def _components(graph: nx.DiGraph[str]) -> list[list[str]]:
    """What hangs together, in the order of the first box of each, without single boxes."""
    order = {name: place for place, name in enumerate(graph)}
    found = [sorted(c, key=order.__getitem__) for c in nx.weakly_connected_components(graph)]
    return sorted((c for c in found if len(c) > 1), key=lambda c: order[c[0]])


def _layout(boxes: Mapping[str, Box], graph: nx.DiGraph[str], names: list[str]) -> _Layout:
    layer_of = _longest_paths(graph, names)
    layers: list[list[Place]] = [[] for _ in range(max(layer_of.values()) + 1)]
    for name in names:
        layers[layer_of[name]].append(name)
    near: nx.Graph[Place] = nx.Graph()
    near.add_nodes_from(names)
    for derived in names:
        for base in graph.successors(derived):
            path = _path(derived, base, layer_of)
            for place in path[1:-1]:
                if not isinstance(place, str):
                    layers[place[2]].append(place)
            near.add_edges_from(pairwise(path))
    layout = _Layout(boxes, layers, near)
    _order(layout)
    _place(layout)
    return layout


def _longest_paths(graph: nx.DiGraph[str], names: list[str]) -> dict[str, int]:
    """Each box's layer: to the right of all its bases; circles are cut."""
    acyclic: nx.DiGraph[str] = nx.DiGraph()
    acyclic.add_nodes_from(names)
    for derived in names:
        for base in graph.successors(derived):
            if derived != base and not nx.has_path(acyclic, base, derived):
                acyclic.add_edge(derived, base)
    layer_of: dict[str, int] = {}
    for name in reversed(list(nx.lexicographical_topological_sort(acyclic))):
        layer_of[name] = max((layer_of[base] + 1 for base in acyclic.successors(name)), default=0)
    for name in names:  # a root stands beside what derives from it
        others = [layer_of[other] for other in acyclic.predecessors(name)]
        if others and not acyclic.out_degree(name):
            layer_of[name] = min(others) - 1
    return layer_of


def _path(derived: str, base: str, layer_of: Mapping[str, int]) -> list[Place]:
    start, end = layer_of[derived], layer_of[base]
    between = range(start - 1, end, -1) if start > end else range(start + 1, end)
    return [derived, *((derived, base, layer) for layer in between), base]


def _order(layout: _Layout) -> None:
    """Order each layer by the barycentres of the neighbours in the one before, to and fro."""
    layers = layout.layers
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        numbers = range(1, len(layers)) if forward else range(len(layers) - 2, -1, -1)
        for number in numbers:
            before = layers[number - 1 if forward else number + 1]
            at = {place: position for position, place in enumerate(before)}
            centre = {}
            for position, place in enumerate(layers[number]):
                near = [at[n] for n in layout.graph.neighbors(place) if n in at]
                centre[place] = sum(near) / len(near) if near else position
            layers[number].sort(key=centre.__getitem__)


def _place(layout: _Layout) -> None:
    x = float(_MARGIN)
    for layer in layout.layers:
        layout.x.append(x)
        widths = [layout.boxes[p].width for p in layer if isinstance(p, str)]
        layout.right.append(x + max(widths, default=0) + 1.5 * _ARROW)
        x = layout.right[-1] + _BETWEEN_LAYERS
        wanted = 0.0
        for place in layer:
            layout.y[place] = wanted + layout.height(place) / 2
            wanted += layout.height(place) + _GAP
    for _ in range(_SWEEPS):
        for layer in (*layout.layers, *reversed(layout.layers)):
            centres = []
            for place in layer:
                near = [layout.y[n] for n in layout.graph.neighbors(place)]
                centres.append(sum(near) / len(near) if near else layout.y[place])
            for place, y in zip(layer, _apart(layout, layer, centres), strict=True):
                layout.y[place] = y
    highest = min(y - layout.height(place) / 2 for place, y in layout.y.items())
    for place in layout.y:
        layout.y[place] -= highest


def _apart(layout: _Layout, layer: Sequence[Place], wanted: Sequence[float]) -> list[float]:
    """The places nearest to the wanted ones that keep order and distance (least squares)."""
    offsets = [0.0]
    for upper, lower in pairwise(layer):
        distance = (layout.height(upper) + layout.height(lower)) / 2 + _GAP
        offsets.append(offsets[-1] + distance)
    groups: list[tuple[float, int]] = []
    for target, offset in zip(wanted, offsets, strict=True):
        mean, count = target - offset, 1
        while groups and groups[-1][0] >= mean:
            other, more = groups.pop()
            mean, count = (mean * count + other * more) / (count + more), count + more
        groups.append((mean, count))
    means = [mean for mean, count in groups for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def _extent(layout: _Layout) -> tuple[float, float]:
    bottom = max(y + layout.height(place) / 2 for place, y in layout.y.items())
    return layout.right[-1], bottom


def _line(layout: _Layout, names: tuple[str, str], top: float, certain: bool) -> str:
    """A curve from the left side of the derived class to the right side of its base."""
    derived, base = names
    layer_of = {place: n for n, layer in enumerate(layout.layers) for place in layer}
    path = _path(derived, base, {name: layer_of[name] for name in names})
    x, y = layout.x[layer_of[derived]], top + layout.y[derived]
    parts = [f"M {x:.1f} {y:.1f}"]
    for place in path[1:]:
        # A curve to the right side of the layer, and straight on through it.
        left, right = layout.x[layer_of[place]], layout.right[layer_of[place]]
        level = top + layout.y[place]
        middle = (x + right) / 2
        parts.append(f"C {middle:.1f} {y:.1f} {middle:.1f} {level:.1f} {right:.1f} {level:.1f}")
        x, y = left, level
        if place == base:
            x += layout.boxes[base].width + _ARROW
        parts.append(f"H {x:.1f}")
    dashes = "" if certain else ' stroke-dasharray="5 3"'
    return f'<path d="{" ".join(parts)}" marker-end="url(#base)"{dashes}/>'


def _box(box: Box, x: float, y: float) -> str:
    rows = [
        f'<g><title>{_escape(box.name)}</title><rect x="{x:.1f}" y="{y:.1f}" '
        f'width="{box.width:.1f}" height="{box.height:.1f}" {_STYLES[box.kind]}/>'
    ]
    for number, text in enumerate(box.text):
        small = ' class="small"' if number else ""
        height = y + _ROW * (number + 1) - 1
        rows.append(f'<text x="{x + _PADDING:.1f}" y="{height:.1f}"{small}>{_escape(text)}</text>')
    return "".join([*rows, "</g>"])


def _rows(boxes: Sequence[Box], limit: float, top: float) -> tuple[float, float, list[str]]:
    """Boxes without lines, side by side."""
    body, x, right, tallest = [], float(_MARGIN), 0.0, 0.0
    for box in boxes:
        if x > _MARGIN and x + box.width > limit:
            x, top, tallest = float(_MARGIN), top + tallest + _GAP, 0.0
        body.append(_box(box, x, top))
        x, tallest = x + box.width + _GAP, max(tallest, box.height)
        right = max(right, x - _GAP)
    return right, top + tallest + _GAP, body


def _document(body: Sequence[str], width: float, height: float) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="monospace" font-size="11">',
        "<style>.small { font-size: 9px; fill: #555555 } "
        "path { fill: none; stroke: #555555 }</style>",
        '<defs><marker id="base" viewBox="0 0 10 10" refX="1" refY="5" markerWidth="9" '
        'markerHeight="9" orient="auto"><path d="M 1 1 L 9 5 L 1 9 z" '
        'style="fill: #ffffff"/></marker></defs>',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
    )
    return "\n".join([*head, *body, "</svg>", ""])


def _escape(text: str) -> str:
    return saxutils.escape(visible(text))


def _columns(text: str) -> int:
    """How many columns a text takes in a font of fixed width."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
