"""packs_digest: what packs say, in a few characters."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from .pack import Pack, load


def packs_digest(packs: Iterable[Pack]) -> str:
    """A digest of the files that packs, and those that they pass functions to, were read from, and
    of what they define in others."""
    packs = list(packs)
    passes = map(load, dict.fromkeys(one.path for pack in packs for one in pack.passes))
    packs += [pack for pack in passes if isinstance(pack, Pack)]
    files = sorted({path for pack in packs for path in (pack.path, *pack.includes)})
    files += sorted({r.python for pack in packs for r in pack.rules if r.python is not None})
    code = sorted({code for pack in packs for code in pack.definitions.values()})
    found = hashlib.sha256()
    for data in (*(path.read_bytes() for path in files), *(one.encode() for one in code)):
        found.update(b"%d\0" % len(data) + data)
    return found.hexdigest()[:16]
