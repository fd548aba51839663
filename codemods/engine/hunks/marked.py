"""MARKED: what a file has in which comments may keep rules away (``suppression``)."""

from __future__ import annotations

from pinsetter.analyzer.files.needed_text import NeededText

MARKED = [NeededText(frozenset([word])) for word in (b"pinsetter", b"Pinsetter", b"PINSETTER")]
