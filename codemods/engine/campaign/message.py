"""message: what the commit of a shard says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ..git.side_repository import Identity
from ..hunks.hunk import Hunk
from ..records.recorded import Campaign, ShardRow

CAMPAIGN, SHARD = "Pinsetter-Campaign", "Pinsetter-Shard"
_TRAILER = re.compile(r"^([A-Za-z][A-Za-z-]*): (.+)$")
_IDENTITY = re.compile(r"[^<>\n]+ <[^<>\s]+>")
# What a commit's message shows of many.
_MOST = 30


def message(
    campaign: Campaign,
    shard: ShardRow,
    accepted: Sequence[Hunk],
    reviewers: Sequence[str],
    by: Identity,
) -> str:
    """Which rules changed what, and why; with who reviewed it as git's trailers have it."""
    files = len({hunk.module for hunk in accepted})
    lines = [f"{campaign.name}: {_number(len(accepted), 'change')} in {_number(files, 'file')}", ""]
    rules = Counter((hunk.rule, hunk.title, hunk.why) for hunk in accepted)
    for (rule, title, why), count in rules.most_common(_MOST):
        lines.append(f"{rule} ({count}): {' '.join(title.split())}")
        lines += (f"  {line}" for line in [" ".join(why.split())] if line)
    if len(rules) > _MOST:
        lines.append(f"and {len(rules) - _MOST} rules more")
    warned = [f"  {hunk.rule}: {' '.join(text.split())}" for hunk in accepted
              for text in hunk.warnings]  # fmt: skip
    if warned:
        shown = list(dict.fromkeys(warned))
        lines += ["", "To be looked at:", *shown[:_MOST]]
        if len(shown) > _MOST:
            lines.append(f"  and {len(shown) - _MOST} more")
    lines += ["", f"{CAMPAIGN}: {campaign.name}", f"{SHARD}: {shard.name}"]
    lines += (
        f"Co-authored-by: {name}"
        for name in reviewers
        if name != str(by) and _IDENTITY.fullmatch(name)
    )
    return "\n".join(lines) + "\n"


def trailers(text: str) -> dict[str, str]:
    """The trailers of a commit's message."""
    last = text.strip().split("\n\n")[-1]
    found = (_TRAILER.match(line) for line in last.splitlines())
    return {one[1]: one[2] for one in found if one is not None}


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
