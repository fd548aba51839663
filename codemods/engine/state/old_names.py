"""names: what older versions called the folder with a tree's runs and reviews, which lay in the
tree, and the variable that names a folder for them."""

from __future__ import annotations

IN_TREE = ".pinsetter"
VARIABLE = "PINSETTER_STATE"
DATABASE = "state.sqlite3"
