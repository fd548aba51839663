"""The table of docs/autograph.md: each kind of syntax is converted, left alone, or refused."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

import pytest

tf = pytest.importorskip("tensorflow")
np = pytest.importorskip("numpy")
yaml = pytest.importorskip("yaml")

from pinsetter.staging import convert, to_code  # noqa: E402

ROWS = yaml.safe_load(
    (Path(__file__).parents[2] / "fixtures" / "converted" / "syntax.yaml").read_text()
)


def plain(value: Any) -> Any:
    return tf.nest.map_structure(lambda one: np.asarray(one).tolist(), value)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["syntax"])
def test_syntax(row: dict[str, str]) -> None:
    filename = f"<{row['syntax']}>"
    text = row["code"] + "\n"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    names: dict[str, Any] = {"tf": tf, "t": tf.constant, "__name__": "row"}
    exec(compile(text, filename, "exec"), names)
    given = eval(row["given"], names)
    if row["outcome"] == "refused":
        with pytest.raises(Exception, match=row["says"]):
            tf.function(convert(names["f"], recursive=True), autograph=False)(given)
        return
    made = convert(names["f"], recursive=True)
    wanted = plain(names["f"](given))
    assert plain(made(given)) == wanted
    assert plain(tf.function(made, autograph=False)(given)) == wanted
    if row["outcome"] == "converted" and "note" not in row:
        assert "_staging." in to_code(names["f"], recursive=True)
