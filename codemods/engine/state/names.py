"""names: what the folder with a tree's runs and reviews is called, and the variable for another."""

from __future__ import annotations

NAME = ".pinsetter"
VARIABLE = "PINSETTER_STATE"
