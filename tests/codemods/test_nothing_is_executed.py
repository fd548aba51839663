"""Nothing of a tree is executed: no module, no script, no settings. Real processes inside it."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from commands import BIN, REPOSITORY, SCRIPT, TRAIN, run

# What we, or what we use, import; what Python itself looks for when it starts; what tools for tests
# and packages look for.
NAMES = (
    "yaml", "click", "rich", "fissix", "bowler", "pinsetter", "jinja2", "networkx", "jsonschema",
    "pathspec", "platformdirs", "filelock", "packaging", "appdirs", "sqlite3", "tokenize",
    "sitecustomize", "usercustomize", "conftest", "setup", "noxfile",
)  # fmt: skip
TRAINING = [str(BIN / "pinsetter"), "run", "distribute"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A program between modules that would tell, were one of them executed."""
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in NAMES:
        telling = f"open({str(tmp_path / 'ran')!r}, 'a').write({name + ' '!r})\n"
        (tree / f"{name}.py").write_text(telling)
        (tree / name).mkdir()
        (tree / name / "__init__.py").write_text(telling)
    (tree / "train.py").write_text(f"import yaml, setup\n{TRAIN}")
    (tree / "evil.pth").write_text("import sitecustomize\n")
    (tree / "pyproject.toml").write_text(
        "[build-system]\nrequires = []\nbuild-backend = 'setup'\nbackend-path = ['.']\n"
        "[tool.pytest.ini_options]\naddopts = '-p conftest'\n"
    )
    (tree / "setup.cfg").write_text("[options.entry_points]\npinsetter =\n    x = conftest:main\n")
    (tree / "pack.yaml").write_text("!!python/object/apply:os.system ['echo ran > ../ran']\n")
    return tree


def ran(tree: Path) -> str:
    path = tree.parent / "ran"
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ([*TRAINING, ".", "--write"], 0),
        ([str(BIN / "bowler"), "run", str(SCRIPT), "--", ".", "--check"], 1),
        ([str(BIN / "pinsetter"), "facts", "."], 0),
        ([str(BIN / "pinsetter"), "run", "pack.yaml", ".", "--check"], 2),
    ],
    ids=["run", "bowler", "facts", "pack"],
)
def test_no_module_of_the_tree_takes_the_place_of_ours(
    tree: Path, command: list[str], code: int
) -> None:
    result = run(command=command, cwd=tree)
    assert result.code == code, result.said
    assert ran(tree) == ""


def test_nor_where_a_run_is_repeated(tree: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    arguments = ["run", "distribute", ".", "--check", "--watch"]
    child = pexpect.spawn(str(BIN / "pinsetter"), arguments, cwd=str(tree), timeout=60)
    child.expect("proposed")
    (tree / "train.py").write_text(TRAIN)
    child.expect("proposed")
    child.sendintr()
    child.expect(pexpect.EOF)
    assert ran(tree) == ""


def test_an_editor_s_arguments_are_no_shell_s(tree: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    program = tree.parent / "editor.py"
    program.write_text(
        f"import sys\nopen({str(tree.parent / 'got')!r}, 'w').write(repr(sys.argv[1:]))\n"
    )
    words = f"{shlex.quote(sys.executable)} {shlex.quote(str(program))} '$(touch ../ran)' ; touch"
    child = pexpect.spawn(
        TRAINING[0], [*TRAINING[1:], "train.py"], cwd=str(tree), encoding="utf-8", timeout=60,
        env={**os.environ, "VISUAL": words}, dimensions=(50, 200),
    )  # fmt: skip
    for answer in ("e", "q"):
        child.expect(r"\?\]\? ")
        child.send(answer)
    child.expect(pexpect.EOF)
    assert ran(tree) == ""
    first, *rest = eval((tree.parent / "got").read_text())
    assert [first, *rest[:-1]] == ["$(touch ../ran)", ";", "touch"]
    assert rest[-1].endswith(".py")


# Where processes are started and modules imported by name, and what they are.
_STARTING = re.compile(
    r"\bsubprocess\.\w+\(|\bcreate_subprocess_\w+\(|\bos\.(?:system|popen|exec\w*|spawn\w*|startfile)\(|(?<![\w.\"'])eval\(|"
    r"(?<![\w.\"'])exec\(|\bimport_module\(|__import__\(|\brunpy\.|webbrowser|click\.launch|"
    r"yaml\.(?:load|unsafe_load|full_load)\b|\bmarshal\.|\bpickle\.loads?\(|shell=True"
)
_STARTED = {
    "codemods/engine/git/git_process.py": {"subprocess.run(", "subprocess.Popen("},
    # This program itself.
    "codemods/engine/commands/watching.py": {"subprocess.run("},
    "codemods/engine/authoring/live_matches.py": {"create_subprocess_exec("},
    "codemods/engine/review/editor.py": {"subprocess.run("},
    # black, ruff or yapf, where a repository is formatted with it; none that lies in it.
    "codemods/engine/formatting/formatter.py": {"subprocess.run("},
    # This program itself, for a page.
    "codemods/engine/web/own_answers.py": {"subprocess.run("},
    # What a person has a campaign run for each shard; gh or glab, if a request is asked for.
    "codemods/engine/campaign/checking.py": {"subprocess.Popen("},
    "codemods/engine/campaign/publishing.py": {"subprocess.run("},
    # Modules of this package, and of Python's library.
    "analyzer/programs/domain.py": {"import_module("},
    "codemods/engine/cli.py": {"import_module("},
    "patterns/predicates/registry.py": {"import_module("},
    "codemods/engine/bowler/hook.py": {"import_module("},
    "codemods/engine/hunks/validity.py": {"import_module("},
    # Data of this package, by the safe loader.
    "analyzer/library/declared.py": {"yaml.load"},
    # On a worker of a cluster: this program's own, and what its scheduler hands on.
    "codemods/engine/workers/served.py": {"subprocess.Popen(", "pickle.loads("},
    "codemods/engine/propose/sent_run.py": {"pickle.loads("},
}


def test_every_place_that_could_execute_something_is_known() -> None:
    found: dict[str, set[str]] = {}
    for room in ("analyzer", "patterns", "codemods"):
        for path in (REPOSITORY / room).rglob("*.py"):
            name = path.relative_to(REPOSITORY).as_posix()
            if "/data/gen" in name:
                continue  # run by developers, on libraries
            code = "\n".join(line.partition("#")[0] for line in path.read_text().split("\n"))
            code = re.sub(r'"""[\s\S]*?"""|``[^`]*``', "", code)
            if words := set(_STARTING.findall(code)):
                found[name] = words
    assert found == _STARTED
