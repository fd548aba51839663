"""pinsetter.Query: Bowler's, with facts and edits of spans."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import BIN, REPOSITORY, run

import pinsetter

CODE = "import lib\nc = lib.make()\nc.send(1, 2)  # why\nc.send(None)\nd.send(1)\nold(1)\n"
SCRIPT = """\
from pinsetter import Query, isa, matches, not_


def main():
    (
        Query(PATH, imports={"lib": "lib"}, types={"lib.make()": "lib.C"})
        .match("$c.send($x, $...rest)")
        .where(isa("$c", "lib.C"), not_(matches(**{"$x": "None"})))
        .edit("$c.post($x, $...rest)")
        .warn("Two of them.", matches(**{"$x": "2"}))
        .named("post", "Post it", "lib 2 has no send.")
        .select_function("old")
        .report("old is gone")
        .HOW
    )


if __name__ == "__main__":
    main()
"""
ENDS = {
    "bowler": [str(BIN / "bowler"), "run"],
    "python": [str(BIN / "python")],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "src" / "a.py"
    path.parent.mkdir()
    path.write_bytes(CODE.replace("\n", "\r\n").encode())
    return path


def script(file: Path, how: str, text: str = SCRIPT) -> Path:
    made = file.parents[1] / "post_it.py"
    made.write_text(text.replace("PATH", repr(str(file.parent))).replace("HOW", how))
    return made


@pytest.mark.parametrize("command", ENDS.values(), ids=ENDS)
def test_a_patch(file: Path, command: list[str]) -> None:
    found = run(script(file, "diff()"), command=command)
    assert found.code == 0, found.said
    text = found.out.decode()
    assert "a.py:3: post: lib 2 has no send." in text
    assert "-c.send(1, 2)  # why\r\n+c.post(1, 2)  # why" in text
    assert text.count("\n+") == 2
    assert "old is gone" in found.err


@pytest.mark.parametrize("command", ENDS.values(), ids=ENDS)
def test_it_is_written(file: Path, command: list[str]) -> None:
    found = run(script(file, "write()"), command=command)
    assert found.code == 0, found.said
    assert file.read_bytes() == CODE.replace("c.send(1", "c.post(1").replace("\n", "\r\n").encode()
    undone = run("undo", file.parent, command=[str(BIN / "pinsetter")])
    assert undone.code == 0, undone.said
    listed = run("undo", "--list", file.parent, command=[str(BIN / "pinsetter")])
    assert "post_it" in listed.said
    assert file.read_bytes() == CODE.replace("\n", "\r\n").encode()


@pytest.mark.parametrize(("edit", "made"), [
    ('edit(argument="k", with_="f($it)")', "c.send(1, k=f(2))"),
    ('edit(append="t=1")', "c.send(1, k=2, t=1)"), ("edit('$c.post($...r)')", "c.post(1, k=2)"),
    ('edit(wrap="$match", with_="g($it)")', "g(c.send(1, k=2))"),
    ('edit(insert="h()", place="before")', "h()\nc.send(1, k=2)"), ('edit(delete="$match")', ""),
    ('edit(with_="x", if_=[matches(**{"$c": "d"})])', "c.send(1, k=2)"),
])  # fmt: skip
def test_every_edit(file: Path, edit: str, made: str) -> None:
    file.write_text("c.send(1, k=2)\n")
    text = f"""\
from pinsetter import Query, matches
Query({str(file)!r}).match("$c.send($...r)").{edit}.write()
"""
    found = run(script(file, "", text), command=ENDS["python"])
    assert found.code == 0, found.said
    assert file.read_text().strip("\n") == made, found.said


def test_hooks_reject(file: Path) -> None:
    found = run(script(file, "process(lambda name, hunk: False).write()"), command=ENDS["python"])
    assert file.read_bytes() == CODE.replace("\n", "\r\n").encode(), found.said


@pytest.mark.parametrize(("old", "new", "said"), [
    ('isa("$c", "lib.C")', 'isa("$c", "lib.C", "nope")', "post: there is no role 'nope'"),
    (".edit(", ".edit(nope=1).edit(", "post.edit.0: the key 'insert' or"),
    ("$c.post($x", "$c.post($y", "$y"),
    ("$c.send(", "$c.send((", "not Python"),
    ('.report("old is gone")', ".modify(print)", "give where and edit"),
    ('.match("$c.send($x, $...rest)")', "", "match or select comes first"),
])  # fmt: skip
def test_what_is_wrong_is_told(file: Path, old: str, new: str, said: str) -> None:
    assert old in SCRIPT
    found = run(script(file, "diff()", SCRIPT.replace(old, new, 1)), command=ENDS["bowler"])
    assert found.code == 2, found.said
    assert said in " ".join(found.said.split())
    assert not found.out


def test_conditions_are_those_of_a_pack() -> None:
    assert pinsetter.isa("$x", "lib.C") == {"isa": ["$x", "lib.C"]}
    assert pinsetter.argument(name="x", position=1) == {"argument": {"name": "x", "position": 1}}
    one, two = pinsetter.means("$f", "a.b"), pinsetter.plain_arguments(True)
    assert pinsetter.any_(one, two) == {"any": [one, two]}
    assert pinsetter.any_(one) == {"any": [one]}
    assert pinsetter.not_(one) == {"not": one}
    with pytest.raises(AttributeError):
        _ = pinsetter.nothing


def test_the_documented_script_runs(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "writing-rules.md").read_text("utf-8")
    code = next(block for block in page.split("```python\n") if block.startswith("from pinsetter"))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("import lib\nlib.make().send(1)\nold()\n")
    (tmp_path / "script.py").write_text(code.partition("```")[0])
    found = run("script.py", command=ENDS["bowler"], cwd=tmp_path)
    assert found.code == 0, found.said
    assert b"+lib.make().post(1)" in found.out
    assert "There is no old any more." in found.err
