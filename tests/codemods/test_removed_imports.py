"""Imports that nothing uses any more, with the options of a run, comments and reports."""

from __future__ import annotations

from pathlib import Path

import pytest
from prepared import invoke

PACK = """\
pack: paths
summary: For a test.
removes_imports: true
imports: {os: os, Path: from pathlib import Path}
rules:
  - id: join
    title: Path
    why: Because.
    match: os.path.join($a, $b)
    edit: {replace: $match, with: Path($a) / $b}
    examples:
      - unchanged: x
"""


def test_it_is_a_rule_as_others_are(tmp_path: Path) -> None:
    """It can be left out, asked for with those that it comes after, and suppressed."""
    (tmp_path / "pack.yaml").write_text(PACK)
    code = tmp_path / "code"
    code.mkdir()
    text = "import os\nos.path.join(a, b)\n"
    kept = "import os\nfrom pathlib import Path\nPath(a) / b\n"

    def made(*options: str, text: str = text) -> str:
        (code / "a.py").write_text(text)
        found = invoke("run", tmp_path / "pack.yaml", code, "--write", *options)
        assert found.code == 0, found
        return (code / "a.py").read_text()

    assert made() == "from pathlib import Path\nPath(a) / b\n"
    assert made("--skip", "unused-import") == kept
    assert made("--only", "join") == kept
    assert made("--skip", "join") == text
    assert made("--only", "unused-import") == text
    ignored = text.replace("os\n", "os  # pinsetter: ignore[unused-import] for others\n", 1)
    assert made(text=ignored) == ignored.replace("os.path.join(a, b)", "Path(a) / b").replace(
        "others\n", "others\nfrom pathlib import Path\n"
    )
    suppressed = text.replace("b)\n", "b)  # pinsetter: ignore[join] why\n")
    assert made(text=suppressed) == suppressed


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "html", "gitlab", "text"])
def test_reports_have_it(form: str, tmp_path: Path) -> None:
    (tmp_path / "pack.yaml").write_text(PACK)
    (tmp_path / "a.py").write_text("import os\nos.path.join(a, b)\n")
    found = invoke("run", tmp_path / "pack.yaml", tmp_path / "a.py", "--check", "--format", form)
    assert found.code == 1, found
