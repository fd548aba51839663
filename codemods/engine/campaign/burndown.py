"""burndown: how what is left of a campaign became less, as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader

from .counting import left

_WIDTH, _HEIGHT, _EDGE = 640, 180, 28


def burndown(scans: Sequence[tuple[int, dict[str, int]]]) -> str:
    """The picture of what scans counted; times are microseconds since 1970."""
    first, last = (scans[0][0], scans[-1][0]) if scans else (0, 1)
    most = max((left(numbers) for _, numbers in scans), default=0) or 1
    span = max(last - first, 1)
    points = [
        (
            _EDGE + (at - first) / span * (_WIDTH - 2 * _EDGE),
            _HEIGHT - _EDGE - left(numbers) / most * (_HEIGHT - 2 * _EDGE),
        )
        for at, numbers in scans
    ]
    if len(points) == 1:
        points.append((_WIDTH - _EDGE, points[0][1]))
    environment = Environment(loader=PackageLoader(__package__, "templates"), autoescape=True)
    return environment.get_template("burndown.svg").render(
        points=points, scans=scans, width=_WIDTH, height=_HEIGHT, edge=_EDGE, most=most,
        left=left,
    )  # fmt: skip
