"""What the site has beside the pages of this folder: the README as its first page, and the files of
the repository that pages link to. mkdocs calls it, as mkdocs.yml says."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
_FIRST, _FILES = "index.md", "source/"
_LINK = re.compile(r"(?<!!)\[([^\[\]]+)\]\(([\w./-]+)(#[^()\s]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the README, and what is linked to; pages of these may link to more."""
    files.append(_file(config, _FIRST, ROOT / "README.md"))
    waiting = [file.src_uri for file in files.documentation_pages()]
    for page in waiting:
        for path in _targets(page):
            place = _place(path)
            if place is not None and files.get_file_from_path(place) is None:
                files.append(_file(config, place, path))
                if place.endswith(".md"):
                    waiting.append(place)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The text of a page, with links that lead to places of the site; those to folders, which it
    does not have, are plain text."""
    uri = page.file.src_uri

    def placed(link: re.Match[str]) -> str:
        path = _path(uri, link[2])
        place = _place(path) if path.exists() else None
        if place is None:
            return link[1] if path.is_dir() else link[0]
        return f"[{link[1]}]({os.path.relpath(place, os.path.dirname(uri) or '.')}{link[3] or ''})"

    return _LINK.sub(placed, markdown)


def _file(config: Any, place: str, path: Path) -> File:
    return File.generated(config, place, content=path.read_text("utf-8"))


def _origin(uri: str) -> Path:
    """The file that a page of the site is."""
    if uri == _FIRST:
        return ROOT / "README.md"
    return ROOT / (uri.removeprefix(_FILES) if uri.startswith(_FILES) else f"docs/{uri}")


def _targets(uri: str) -> Iterator[Path]:
    text = _origin(uri).read_text("utf-8")
    yield from (path for link in _LINK.finditer(text) if (path := _path(uri, link[2])).is_file())


def _path(uri: str, link: str) -> Path:
    return Path(os.path.normpath(_origin(uri).parent / link))


def _place(path: Path) -> str | None:
    """Where the site has a file of the repository; None for folders, and what is elsewhere."""
    if not path.is_relative_to(ROOT) or path.is_dir():
        return None
    inside = path.relative_to(ROOT).as_posix()
    if inside == "README.md":
        return _FIRST
    if inside.startswith("docs/"):
        return inside.removeprefix("docs/")
    inside = inside.removeprefix(".")  # what begins with a dot is no part of a site
    return f"{_FILES}{inside}" if inside.endswith(".md") else f"{_FILES}{inside}.txt"
