"""Whatever files are called and hold, a command sends nothing of it raw to a terminal."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import BIN, REPOSITORY
from hostile import FAKE, ODD, complaint, hostile_tree, spoken

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.codemods.engine.files.json_text import json_text
from pinsetter.codemods.engine.journal.interruption import command
from pinsetter.codemods.engine.state.folder import StateFolder

pytest.importorskip("pexpect")
PINSETTER, BOWLER = str(BIN / "pinsetter"), str(BIN / "bowler")
RUN = (PINSETTER, "run", "../odd.yaml", ".")
NOWHERE = f"nowhere{ODD}{FAKE}"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_tree(tmp_path_factory.mktemp("hostile"))


LOOKING = {
    "check": (*RUN, "--check"),
    "diff": (*RUN, "--diff"),
    "training": (PINSETTER, "run", "distribute", ".", "--diff"),
    **{f"as-{form}": (*RUN, "--check", "--format", form)
       for form in ("text", "json", "junit", "html")},
    "facts": (PINSETTER, "facts", "."),
    "calls": (PINSETTER, "facts", "--calls", "."),
    "classes": (PINSETTER, "facts", "--classes", "."),
    "graph": (PINSETTER, "facts", "--graph", "-", "."),
    "restrictions": (PINSETTER, "restrictions", "."),
    "bowler": (BOWLER, "run", "../script.py", "--", "."),
}  # fmt: skip
USAGE = {
    "path": (PINSETTER, "run", "distribute", NOWHERE),
    "codemod": (PINSETTER, "run", NOWHERE, "."),
    "skip": (*RUN, "--skip", NOWHERE),
    "output": (*RUN, "--check", "--output", f"{NOWHERE}/x"),
    "option": (*RUN, f"--{NOWHERE}"),
    "facts": (PINSETTER, "facts", NOWHERE),
    "decisions": (PINSETTER, "decisions", "import", NOWHERE),
}


@pytest.mark.parametrize("command", LOOKING.values(), ids=LOOKING)
def test_looking_sends_nothing_raw(tree: Path, command: tuple[str, ...]) -> None:
    code, said = spoken(command, tree)
    assert code in (0, 1, 2), said
    assert "x1b" in said or "u001b" in said or "U+001B" in said  # and it is not left out either
    assert complaint(said) == ""


@pytest.mark.parametrize("command", USAGE.values(), ids=USAGE)
def test_what_was_typed_comes_back_visible(tree: Path, command: tuple[str, ...]) -> None:
    code, said = spoken(command, tree)
    assert code in (2, 3), said
    assert complaint(said) == ""


def test_writing_and_taking_back_send_nothing_raw(tmp_path: Path) -> None:
    tree = hostile_tree(tmp_path)
    settings = tmp_path / "settings"
    settings.write_text('[user]\n\tname = "me\x1b[5m\\nFAKE: x"\n')
    git = {"GIT_CONFIG_GLOBAL": str(settings), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q"], cwd=tree, check=True, env={**os.environ, **git})
    commands: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
        (RUN, ("r", "?", "y", "n", "J", "w", "q", "y")),
        ((PINSETTER, "decisions", "list"), ()),
        ((PINSETTER, "decisions", "export"), ()),
        ((*RUN, "--write", "--resume"), ()),
        ((PINSETTER, "undo", "--list"), ()),
        ((PINSETTER, "undo", "--list", "--run", "1"), ()),
        ((PINSETTER, "undo"), ()),
        ((PINSETTER, "recover"), ()),
    ]
    for words, answers in commands:
        code, said = spoken(words, tree, answers, **git)
        assert code in (0, 1, 2), said
        assert complaint(said) == "", words
    (tree / ".git" / "HEAD").write_text(f"ref: {ODD}\n")
    said = spoken((*RUN, "--write", "--require-clean"), tree, **git)[1]
    assert complaint(said) == ""


def test_a_problem_is_one_line_and_its_excerpt() -> None:
    problem = Problem(Path(f"a{FAKE}.py"), "odd", 3, 4, text="ab\x1b[5mcd")
    assert len(problem.lines) == 3
    assert problem.lines[1:] == ("    ab\\x1b[5mcd", f"{' ' * 11}^")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_command_can_be_typed(tmp_path: Path) -> None:
    folder = tmp_path / f"it's \\{ODD}{FAKE}\udcffé"
    folder.mkdir()
    told = command("undo", StateFolder(folder / ".pinsetter", folder))
    assert told.isprintable()
    typed = f"printf %s {told.removeprefix('pinsetter undo ')}"
    done = subprocess.run(["bash", "-c", typed], capture_output=True, check=True)
    assert done.stdout == os.fsencode(folder)


def test_json_is_escaped_as_json_does() -> None:
    assert json_text("é") == '"é"\n'
    text = json_text([f"{ODD}\n\U000e0041\udcff"])
    assert text.replace("\n", "").isprintable()
    assert json.loads(text) == [f"{ODD}\n\U000e0041\udcff"]


def test_junit_can_be_parsed_and_printed(tree: Path, tmp_path: Path) -> None:
    made = tmp_path / "out.xml"
    command = [*RUN, "--check", "--format", "junit", "--output", str(made)]
    subprocess.run(command, cwd=tree, check=False, capture_output=True)
    text = made.read_text("utf-8")
    assert all(char.isprintable() or char in "\n\t" for char in text)
    assert ElementTree.fromstring(text).find(".//failure") is not None


# What may print, and why: the door; what it is made of; what is said when nothing else can be
# relied on; the review's answers, which are a line of the terminal's own.
_DOORS = {
    "codemods/engine/console/terminal.py", "codemods/engine/console/streams.py",
    "codemods/engine/console/last_resort.py", "codemods/engine/review/screen.py",
    "analyzer/messages/unforeseen.py", "analyzer/files/user_cache.py",
}  # fmt: skip
_TEXTS = re.compile(r'(?s)""".*?"""')
_PRINTING = re.compile(
    r"click\.(?:echo|secho|style|echo_via_pager|progressbar|prompt|confirm|edit)\b|"
    r"(?<![\w.])print\(|sys\.(?:__)?(?:stdout|stderr)(?:__)?\.(?:write|buffer)|"
    r"\bConsole\(|\.console\.print|rich\.print|os\.write\(|_console\.print|warnings\.warn\("
)


def test_nothing_is_printed_past_the_door() -> None:
    found = {}
    for room in ("analyzer", "patterns", "codemods"):
        for path in (REPOSITORY / room).rglob("*.py"):
            name = path.relative_to(REPOSITORY).as_posix()
            if name in _DOORS or name.startswith("analyzer/domains/tensorflow/data/gen"):
                continue  # the generators are run by developers, on libraries
            code = _TEXTS.sub("", path.read_text("utf-8"))  # predicates have examples in there
            printing = _PRINTING.search(code)
            if printing:
                found[name] = printing[0]
    assert found == {}
