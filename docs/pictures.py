"""Make the pictures of a review, docs/review-*.svg, from a real one in a pseudo-terminal.

python docs/pictures.py
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import pexpect
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
ROWS, COLUMNS = 34, 100
PROMPT = r"(?:(?:Apply th[^?]*|Write )\[[^\]]*\]|Go to which [^?]*)\? "
# The keys, and what the picture after the last of them shows.
PICTURES = {
    "start": ([], "What is ahead, and the first hunk"),
    "hunk": (["y", "y", "g", "save\r"], "A hunk in the file as it is decided so far"),
    "end": (["P", "L"], "What will be written"),
}


def shown(folder: Path, keys: list[str]) -> str:
    """What the terminal has got when it asks after the last key, from the answer before on."""
    child = pexpect.spawn(
        str(Path(sys.executable).parent / "pinsetter"),
        ["run", "distribute", "repo", "--by", "rule", "--no-cache", "--no-config"],
        cwd=str(folder), encoding="utf-8", timeout=60, dimensions=(ROWS, COLUMNS),
        env={**os.environ, "TERM": "xterm-256color", "XDG_STATE_HOME": str(folder / "state")},
    )  # fmt: skip
    child.expect(PROMPT)
    text = child.before + child.after
    for key in keys:
        child.send(key)
        child.expect(PROMPT)
        text = child.before + child.after
    child.close(force=True)
    # The bar and the sign that it reads on were drawn over.
    return re.split(r"\x1b\[\?25h", text)[-1].replace("\r\n", "\n").lstrip("\r")


def main() -> None:
    for name, (keys, title) in PICTURES.items():
        with tempfile.TemporaryDirectory() as made:
            shutil.copytree(ROOT / "fixtures" / "demo", Path(made, "repo"))
            text = shown(Path(made), keys)
        console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
        console.print(Text.from_ansi(re.sub(r"\r|\x1b\[(?:2K|1A|\?25[lh])", "", text)))
        picture = console.export_svg(title=title, unique_id=f"review-{name}")
        # The fonts would be fetched from elsewhere.
        picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)
        (ROOT / "docs" / f"review-{name}.svg").write_text(picture)


if __name__ == "__main__":
    main()
