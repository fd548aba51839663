"""Kinds: the training APIs for which a program is rewritten, together with those that share its
training steps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import reduce
from typing import TYPE_CHECKING

import networkx as nx

if TYPE_CHECKING:
    from .programs import Program


class Kinds:
    """Programs that run the same training steps, of which some have further ways to train, are all
    rewritten for what they use together: by two packs, each would leave what they share alone for
    the sake of the other."""

    def __init__(
        self, programs: Iterable[Program], together: Collection[frozenset[str]] = ()
    ) -> None:
        """``together``: the training APIs that can be rewritten as one."""
        self._found = _together(list(programs), together) if together else {}

    def of(self, program: Program) -> frozenset[str]:
        return self._found.get(id(program), program.apis)


def _together(
    programs: list[Program], together: Collection[frozenset[str]]
) -> Mapping[int, frozenset[str]]:
    by_id = {id(program): program for program in programs}
    sharing: nx.Graph[object] = nx.Graph()
    for program in programs:
        for site in program.sites:
            sharing.add_edge(id(program), (id(site.module), id(site.node)))
    found = {}
    for group in nx.connected_components(sharing):
        ones = [by_id[one] for one in group if one in by_id]
        apis = reduce(frozenset.union, (one.apis for one in ones), frozenset[str]())
        if apis in together:
            found.update({id(one): apis for one in ones})
    return found
