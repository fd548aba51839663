"""``pinsetter facts --graph`` and ``--classes``: the real command on real files."""

from __future__ import annotations

import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from commands import BIN, Result, run

from pinsetter.codemods.engine.commands.drawing import Box, Line, drawn

FACTS = [str(BIN / "pinsetter"), "facts"]
SVG = "{http://www.w3.org/2000/svg}"
NETS = """\
import tensorflow as tf

class Saving:
    pass

class Net(Saving, tf.keras.Model):
    class Block(tf.keras.layers.Layer):
        pass

def make(base):
    class Made(base):
        pass
    return Made

make(Net)
"""
MAIN = """\
import torch
from collections import namedtuple
from nets import Net

Base = Net if input() else object

class Big(Base):
    pass

class Odd(wrap("<&>"), torch.nn.Module):
    pass

class Point(namedtuple("Point", "x y")):
    pass

try:
    class Twice(Net):
        pass
except ImportError:
    class Twice(object):
        pass

class Alone(object):
    pass
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "nets.py").write_text(NETS)
    (folder / "main.py").write_text(MAIN)
    return tmp_path


def facts(*arguments: str, cwd: Path) -> Result:
    return run(*arguments, command=FACTS, cwd=cwd)


def classes(*arguments: str, cwd: Path) -> list[dict[str, Any]]:
    result = facts(*arguments, "--classes", "--json", cwd=cwd)
    assert (result.code, result.err) == (0, "")
    found: list[dict[str, Any]] = json.loads(result.out)["classes"]
    return found


# ---------------------------------------------------------------- nothing to show, and wrong usage


def test_code_without_classes(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("x = 1\n")
    assert classes("plain.py", cwd=tmp_path) == []
    assert b"->" not in facts("plain.py", "--graph", cwd=tmp_path).out
    assert facts("plain.py", "--graph", "empty.svg", cwd=tmp_path).code == 0
    ElementTree.fromstring((tmp_path / "empty.svg").read_text())


def test_the_library_alone_is_not_drawn(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("import tensorflow as tf\nclass A(object): pass\n")
    out = facts("--graph", "-", "plain.py", cwd=tmp_path).out.decode()
    assert out.count("label=") == 1
    assert "object" not in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--graph"], "Missing argument"),
        (["--classes"], "Missing argument"),
        (["repo", "--graph", "picture.png"], "ends in .svg"),
        (["--graph", "nowhere"], "no file or folder 'nowhere'"),
        (["repo", "--graph", "--json"], "nothing else beside it"),
        (["repo", "--graph", "--classes"], "nothing else beside it"),
        (["repo", "--calls", "--classes"], "--calls shows no classes"),
    ],
)
def test_wrong_usage(repository: Path, arguments: list[str], said: str) -> None:
    result = facts(*arguments, cwd=repository)
    assert (result.code, result.out) == (3, b"")
    assert said in result.err
    assert sorted(p.name for p in repository.iterdir()) == ["repo"]


def test_a_file_that_cannot_be_written(repository: Path) -> None:
    result = facts("repo", "--graph", "no/such/folder.svg", "--classes", cwd=repository)
    assert result.code == 2
    assert "folder.svg: cannot be written: No such file or directory" in result.err
    assert b"nets.Net" in result.out


def test_what_is_not_understood_is_said(repository: Path) -> None:
    (repository / "repo" / "broken.py").write_text("x = (\n")
    result = facts("repo", "--graph", "classes.svg", cwd=repository)
    assert result.code == 2
    assert "broken.py:1:5: cannot be parsed" in result.err
    assert (repository / "classes.svg").exists()


# ---------------------------------------------------------------- data and table


def test_classes_as_data(repository: Path) -> None:
    found = {(c["name"], c["line"]): c for c in classes("repo", cwd=repository)}
    assert list(found) == [
        ("main.Big", 7), ("main.Odd", 10), ("main.Point", 13), ("main.Twice", 17),
        ("main.Twice", 20), ("main.Alone", 23), ("nets.Saving", 3), ("nets.Net", 6),
        ("nets.Net.Block", 7), ("nets.make.Made", 11),
    ]  # fmt: skip
    net = found["nets.Net", 6]
    assert net["path"] == str(Path("repo/nets.py"))
    assert net["bases"] == ["nets.Saving", "tensorflow.keras.Model"]
    assert net["ancestors"][:2] == net["bases"]
    assert (net["role"], net["role_from"]) == ("model", "tensorflow.keras.Model")
    assert found["main.Odd", 10]["bases"] == ['wrap("<&>")', "torch.nn.Module"]
    assert found["main.Point", 13]["bases"] == ["builtins.tuple"]
    assert "tensorflow.keras.Model" in found["main.Big", 7]["ancestors"]
    assert found["main.Alone", 23]["role"] is None


def test_the_table_says_the_same(repository: Path) -> None:
    result = facts("repo", "--classes", cwd=repository)
    (row,) = [line for line in result.out.decode().splitlines() if line.startswith(" nets.Net ")]
    assert row.split()[1:] == [
        "nets.Saving,", "tensorflow.keras.Model", "repo/nets.py:6", "model",
        "(tensorflow.keras.Model)",
    ]  # fmt: skip


def test_only_the_given_files(repository: Path) -> None:
    names = [found["name"] for found in classes("repo/main.py", cwd=repository)]
    assert "main.Big" in names
    assert "nets.Net" not in names
    out = facts("repo/main.py", "--graph", cwd=repository).out.decode()
    assert re.search(r'"nets.Net" \[label="Net\\n\S*repo/nets.py:6", shape=box, style=filled', out)
    assert "nets.make.Made" not in out


# ---------------------------------------------------------------- pictures


def test_dot(repository: Path) -> None:
    result = facts("repo", "--graph", cwd=repository)
    assert (result.code, result.err) == (0, "")
    text = result.out.decode()
    assert facts("--graph", "repo", cwd=repository).out == result.out
    facts("repo", "--graph", "x.dot", cwd=repository)
    assert (repository / "x.dot").read_text() == text
    for line in (
        '"nets.Net" -> "nets.Saving";',
        '"nets.Net" -> "tensorflow.keras.Model";',
        '"tensorflow.keras.Model" -> "tensorflow.keras.layers.Layer";',
        '"tensorflow.keras.layers.Layer" -> "tensorflow.Module";',
        '"nets.make.Made" -> "nets.Net";',
        '"main.Big" -> "nets.Net" [style=dashed];',
        '"main.Twice" -> "nets.Net" [style=dashed];',
        '"main.Odd" -> "? wrap(\\"<&>\\")" [style=dashed];',
        '"main.Odd" -> "torch.nn.Module";',
        '"? wrap(\\"<&>\\")" [label="wrap(\\"<&>\\")", shape=box, style=dashed];',
        '"main.Twice" [label="Twice\\nrepo/main.py:17\\nrepo/main.py:20"',
        '"nets.Net.Block" [label="Net.Block\\nrepo/nets.py:7"',
    ):
        assert line in text
    assert "tensorflow.keras.optimizers" not in text


def test_svg(repository: Path) -> None:
    for name in ("a.svg", "b.svg"):
        result = facts("repo", "--graph", name, cwd=repository)
        assert (result.code, result.out, result.err) == (0, b"", "")
    text = (repository / "a.svg").read_text(encoding="utf-8")
    assert (repository / "b.svg").read_text(encoding="utf-8") == text
    root = ElementTree.fromstring(text)
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    rects = root.findall(f"{SVG}g/{SVG}rect")
    dot = facts("repo", "--graph", cwd=repository).out.decode()
    assert len(rects) == dot.count("label=")
    assert len(root.findall(f"{SVG}path")) == dot.count(" -> ")
    places = [{k: float(r.attrib[k]) for k in ("x", "y", "width", "height")} for r in rects]
    for place in places:
        assert 0 <= place["x"] <= place["x"] + place["width"] <= width
        assert 0 <= place["y"] <= place["y"] + place["height"] <= height
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert '? wrap("<&>")' in titles
    x = {title: place["x"] for title, place in zip(titles, places, strict=True)}
    assert x["tensorflow.keras.Model"] < x["nets.Net"] < x["main.Big"]


def boxes_of(text: str) -> list[tuple[float, float, float, float]]:
    found = re.findall(r'<g>.*?<rect x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', text)
    return [(float(x), float(y), float(w), float(h)) for x, y, w, h in found]


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        [("b", "a")],
        [("b", "a"), ("c", "a"), ("d", "b"), ("d", "c"), ("d", "a")],
        [(f"n{n}", f"n{n // 3}") for n in range(1, 60)],
        [(f"n{n}", f"n{n * 7 % 11}") for n in range(11, 50)],
        [("a", "b"), ("b", "a")],
        [("a", "a")],
        [("a", "b"), ("b", "c"), ("c", "a"), ("d", "c")],
    ],
)
def test_boxes_do_not_overlap(pairs: list[tuple[str, str]]) -> None:
    names = sorted({name for pair in pairs for name in pair} | {"alone", "alone too"})
    boxes = [Box(name, (name, "somewhere/else.py:1"), "repository") for name in names]
    text = drawn(boxes, [Line(derived, base, True) for derived, base in pairs])
    ElementTree.fromstring(text)
    found = boxes_of(text)
    assert len(found) == len(names)
    for number, (x, y, width, height) in enumerate(found):
        for x2, y2, width2, height2 in found[:number]:
            apart = x >= x2 + width2 or x2 >= x + width or y >= y2 + height2 or y2 >= y + height
            assert apart


def test_any_text_makes_xml() -> None:
    text = drawn([Box("a", ("<&\"'>\x00\x1b\udcff", "中文"), "library")], [])
    ElementTree.fromstring(text)


def test_a_graph_that_cannot_be_written_whole_leaves_the_old_one(repository: Path) -> None:
    target = repository / "old.dot"
    target.write_text("digraph {}\n")
    limited = f"ulimit -f 1; trap '' XFSZ; exec {BIN}/pinsetter facts repo --graph old.dot"
    result = subprocess.run(
        ["bash", "-c", limited], cwd=repository, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "old.dot: cannot be written: File too large" in result.stderr
    assert target.read_text() == "digraph {}\n"
    assert sorted(p.name for p in repository.iterdir() if "old.dot" in p.name) == ["old.dot"]
