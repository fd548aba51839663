"""installed: the packs that other installed packages bring.

Such a package names them as entry points of the group `pinsetter.packs`: the name is the pack's,
the value the package that has the file, as in `django-six = our_packs`, for
`our_packs/django-six.yaml`. The package is not imported.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

GROUP = "pinsetter.packs"


def installed() -> dict[str, Path]:
    """The files of packs by their names; those that are not there are left out."""
    found: dict[str, Path] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        path = _file(point)
        if path is not None and path.is_file():
            found.setdefault(point.name, path)
    return found


def _file(point: EntryPoint) -> Path | None:
    if point.dist is None:
        return None
    folder = point.value.partition(":")[0].strip().replace(".", "/")
    return Path(str(point.dist.locate_file(f"{folder}/{point.name}.yaml")))
