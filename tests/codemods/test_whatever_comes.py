"""Whatever is given to a command, and wherever it runs: no traceback, an honest exit code, and no
file that is changed. Real processes; warm ones where only the files are odd."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import BIN, SCRIPT, TRAIN, run
from wrong_rules import KEYWORD, pack_of

from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs.pack import Pack

Make = Callable[[Path], object]
CODECS = (
    "undefined", "idna", "punycode", "unicode_escape", "rot13", "hex", "zlib", "utf-7", "utf-16",
    "mbcs", "hz", "base64", "nothing",
)  # fmt: skip


def nothing(tree: Path) -> None: ...


def text(content: str | bytes, name: str = "odd.py") -> Make:
    data = content.encode() if isinstance(content, str) else content
    return lambda tree: (tree / name).write_bytes(data)


def link(to: str, name: str = "odd.py") -> Make:
    return lambda tree: (tree / name).symlink_to(to)


def folder(name: str) -> Make:
    return lambda tree: (tree / name).mkdir()


def several(*makes: Make) -> Make:
    def make(tree: Path) -> None:
        for each in makes:
            each(tree)

    return make


def program(content: str) -> Make:
    """Something odd beside a program that trains."""
    return several(text(f"import odd\n{TRAIN}", "train.py"), text(content))


def bound(tree: Path) -> None:
    before = os.getcwd()
    os.chdir(tree)  # the name of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("odd.py")
    finally:
        os.chdir(before)


def no_text(content: str) -> Make:
    """A file whose name is no text."""
    return lambda tree: Path(os.fsdecode(os.fsencode(tree) + b"/\xff.py")).write_text(content)


def codecs(tree: Path) -> None:
    for number, codec in enumerate(CODECS):
        (tree / f"odd{number}.py").write_bytes(f"# coding: {codec}\nx = 'é'\n".encode())
    (tree / "iso.py").write_bytes(b"# coding: iso2022_jp\nx = '\x1b$B\xff'\n")
    (tree / "cookie.py").write_bytes(b"# coding: \xff\xfe\nx = 1\n")
    (tree / "surrogate.py").write_bytes(b"x = '\xed\xa0\x80'\n")


def in_blocks(head: str) -> str:
    """A hundred blocks, each in the one before."""
    return "".join("  " * n + f"{head.format(n)}:\n" for n in range(99)) + "  " * 99 + "pass\n"


def in_a_row(first: str, following: str, count: int) -> str:
    return first + "".join(following.format(n, n - 1) for n in range(1, count))


RUN = "pinsetter run wrong.yaml tree"
CHECK = f"{RUN} --check"
DIFF = f"{RUN} --diff"
NAMED = "pinsetter run wrong.yaml tree/odd.py --check"
TRAINING = "pinsetter run distribute tree --check"
FACTS = "pinsetter facts tree"
RESTRICTIONS = "pinsetter restrictions tree"
DEEP = ".".join(["a"] * 1500)
STAR = f"from {DEEP} import *\nimport {DEEP} as z\n"
GONE = "mkdir gone && cd gone && rmdir ../gone"
ASCII = {
    "PYTHONIOENCODING": "ascii", "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
}  # fmt: skip
FULL = "standard output cannot be written: No space left on device"
QUERY = "import bowler\nbowler.Query('tree').select_function('f').rename('g').idiff()\n"
ODD_QUERY = (
    "import bowler\n\n\ndef t(*_):\n    raise ValueError('odd')\n\n\n"
    "bowler.Query('tree').select_function('f').modify(t).idiff()\n"
)


@dataclass(frozen=True)
class Case:
    """``make`` puts something beside ``good.py``, ``command`` is for a shell in the folder above,
    ``says`` is part of what it says, ``env`` its environment (None: not set)."""

    make: Make
    command: str
    code: int
    says: str = ""
    env: tuple[tuple[str, str | None], ...] = ()


def env(**given: str | None) -> tuple[tuple[str, str | None], ...]:
    return tuple(given.items())


LOOP = link("odd.py")
UNREAD = "odd.py: cannot be read"
TREES = {
    "loop-check": Case(LOOP, CHECK, 2, UNREAD),
    "loop-diff": Case(LOOP, DIFF, 2, UNREAD),
    "loop-json": Case(LOOP, f"{CHECK} --format json", 2, UNREAD),
    "loop-write": Case(LOOP, f"{RUN} --write --skip keyword", 2, UNREAD),
    "loop-review": Case(LOOP, f"{RUN} </dev/null", 2, UNREAD),
    "loop-facts": Case(LOOP, FACTS, 2, UNREAD),
    "loop-restrictions": Case(LOOP, RESTRICTIONS, 2, UNREAD),
    "loop-named": Case(LOOP, NAMED, 2, "odd.py: no such file"),
    "loop-facts-named": Case(LOOP, "pinsetter facts tree/odd.py", 3, "There is no file"),
    "loop-of-two": Case(several(link("b.py", "a.py"), link("a.py", "b.py")), CHECK, 2, "b.py"),
    "loops-of-folders": Case(several(link("odd", "odd"), link("..", "up")), CHECK, 1),
    "loop-of-a-package": Case(
        several(folder("p"), link("__init__.py", "p/__init__.py"), text("import p\n")),
        CHECK, 2, "__init__.py: cannot be read",
    ),
    "loops-of-settings": Case(
        several(*(link(name, name) for name in (".gitignore", ".pinsetterignore", "setup.cfg"))),
        CHECK, 1,
    ),
    "git-loop": Case(link(".git", ".git"), CHECK, 2, "exclude: cannot be read"),
    "link-to-nothing": Case(link("gone.py"), CHECK, 2, UNREAD),
    "no-files": Case(
        several(lambda t: os.mkfifo(t / "odd.py"), link("/dev/zero", "zero.py"),
                folder("folder.py")), CHECK, 1,
    ),
    "fifo-named": Case(lambda t: os.mkfifo(t / "odd.py"), NAMED, 2, "odd.py: cannot be read"),
    "socket": Case(bound, CHECK, 1),
    "device-named": Case(link("/dev/zero"), NAMED, 2, "odd.py: cannot be read"),
    "folder-named": Case(folder("odd.py"), NAMED, 0),
    "newline-in-name": Case(text("how(\n", "a\nb.py"), CHECK, 2, "b.py:1"),
    "no-text-in-name": Case(no_text("how(\n"), CHECK, 2, r"\xff.py:1"),
    "no-text-in-name-json": Case(no_text("how()\n"), f"{CHECK} --format json", 1, "%FF.py"),
    "name-too-long": Case(nothing, f"pinsetter run wrong.yaml {'a' * 5000} --check", 2, "no such"),
    "name-too-long-facts": Case(nothing, f"pinsetter facts {'a' * 5000}", 3, "There is no file"),
}  # fmt: skip
TEXTS = {
    "nul": Case(text("how()\0\n"), CHECK, 2, "odd.py:1:6: NUL"),
    "parentheses": Case(text(f"how = {'(' * 5000}{')' * 5000}\n"), CHECK, 2, "nested too deeply"),
    "parentheses-190": Case(text(f"x = {'(' * 190}how(){')' * 190}\n"), CHECK, 1),
    "operators": Case(
        several(text(f"how = {'-' * 5000}1\n"), text(f"x = {'not ' * 5000}1\n", "not.py"),
                text(f"x = {'+'.join(['1'] * 20000)}\n", "sum.py")), CHECK, 2, "odd.py",
    ),
    "chain": Case(text(f"how = a{'.b()' * 5000}\n"), CHECK, 2, "nested too deeply"),
    "long-line": Case(text("how = '" + "a" * 9_000_000 + "'\n"), CHECK, 1),
    "large-file": Case(text("how = '" + "a" * 10_000_000 + "'\n"), CHECK, 2, "--max-file-size 11"),
    "statements": Case(text("x(1)\n" * 20_000 + "# how\n"), CHECK, 1),
    "codecs": Case(codecs, CHECK, 2, f"failed     {len(CODECS) + 3}"),
    "separators": Case(text("how = 1\x0b\x0c\x1c\x1d\x85\u2028\n"), CHECK, 2, "odd.py:1"),
    "fields": Case(text("f'''{" * 60 + "}'''" * 60 + "\n"), CHECK, 1),
    "star": Case(text(STAR), CHECK, 1),
    "star-facts": Case(text(STAR), FACTS, 0),
    "star-restrictions": Case(text(STAR), RESTRICTIONS, 0),
    "star-training": Case(program(STAR), TRAINING, 1),
    "dots": Case(text(f"from {'.' * 3000} import *\nfrom {'.' * 3000}x import y\n"), CHECK, 1),
    "deep-training": Case(
        program(f"def w(f):\n    return f\n\n\nx = {'w(' * 150}1{')' * 150}\n"
                f"y = {'+'.join(['1'] * 5000)}\nz = {'9' * 10000}\n"
                "a = -z ** x\nb = '%s' % (1,)\nc = '{0[a].b}'.format(1)\nd = '{!z}'.format(1)\n"),
        TRAINING, 1,
    ),
    "blocks-training": Case(
        program(f"{in_blocks('if x{}')}{in_blocks('def f{}()')}"
                f"if x: pass\n{'elif x: pass' + chr(10)}{'elif x: pass' + chr(10)}"), TRAINING, 1,
    ),
    "calls-in-a-row": Case(
        program(in_a_row("def f0(): return 1\n", "def f{0}(): return f{1}()\n", 1500)
                + "x = f1499()\n"), TRAINING, 1,
    ),
    "names-in-a-row": Case(program(in_a_row("x0 = 1\n", "x{0} = x{1}\n", 3000)), TRAINING, 1),
    "bases-in-a-row": Case(
        program(in_a_row("class C0: pass\n", "class C{0}(C{1}): pass\n", 1500)
                + "class A(B): pass\nclass B(A): pass\nclass D(D): pass\n"), TRAINING, 1,
    ),
    "memory": Case(
        text(f"how = [{'1, ' * 1_500_000}]\n"), f"ulimit -v 500000; {CHECK} --timeout 300", 2,
        "not done with 384 MB of memory",
    ),
}  # fmt: skip
STREAMS = {
    "no-input-check": Case(nothing, f"{CHECK} <&-", 1),
    "no-input-diff": Case(nothing, f"{DIFF} <&-", 0),
    "no-input-review": Case(nothing, f"{RUN} --state state <&-", 1, "1 not decided"),
    "no-input-facts": Case(nothing, f"{FACTS} <&-", 0),
    "no-input-undo": Case(nothing, "pinsetter undo tree <&-", 2, "nothing was ever written"),
    "no-input-recover": Case(nothing, "pinsetter recover tree <&-", 2, "nothing was ever written"),
    "full-diff": Case(nothing, f"{DIFF} >/dev/full", 2, FULL),
    "full-review": Case(nothing, f"echo y | {RUN} --state state >/dev/full", 2, FULL),
    "full-json": Case(nothing, f"{CHECK} --format json >/dev/full", 2, FULL),
    "full-text": Case(nothing, f"{CHECK} --format text >/dev/full", 2, FULL),
    "full-facts": Case(nothing, f"{FACTS} --json >/dev/full", 2, FULL),
    "full-restrictions": Case(nothing, f"{RESTRICTIONS} >/dev/full", 2, FULL),
    "full-help": Case(nothing, "pinsetter --help >/dev/full", 2, FULL),
    "full-output": Case(nothing, f"{CHECK} --format json --output /dev/full", 2, "No space left"),
    "full-check": Case(nothing, f"{CHECK} >/dev/full", 1),
    "full-error": Case(nothing, f"{CHECK} 2>/dev/full", 1),
    "full-both": Case(nothing, f"{DIFF} >/dev/full 2>&1", 2),
    "full-error-broken": Case(text("how(\n"), f"{DIFF} 2>/dev/full", 2, "+how(x=1)"),
    "no-output-diff": Case(nothing, f"{DIFF} >&-", 2, "standard output cannot be written"),
    "no-output-check": Case(nothing, f"{CHECK} >&-", 1),
    "no-output-review": Case(nothing, f"echo y | {RUN} --state state >&-", 2, "cannot be written"),
    "no-error": Case(nothing, f"{CHECK} 2>&-", 1),
    "no-error-broken": Case(text("how(\n"), f"{DIFF} 2>&-", 2, "+how(x=1)"),
    "no-stream-at-all": Case(nothing, f"{CHECK} <&- >&- 2>&-", 1),
    "no-stream-for-usage": Case(nothing, "pinsetter run what tree >&- 2>&-", 3),
    "pipe": Case(text("how()\n" * 1500), f"set -o pipefail; {DIFF} | head -1", 2),
    "pipe-facts": Case(program(""), f"set -o pipefail; {FACTS} --json | true", 2),
    "pipe-error": Case(text("how(\n"), f"set -o pipefail; {CHECK} 2>&1 >/dev/null | true", 2),
}
SURROUNDINGS = {
    "ascii-diff": Case(text("how('é')\nf(\n", "é.py"), DIFF, 2, env=env(**ASCII)),
    "ascii-review": Case(
        text("how('é')\n", "é.py"), f"printf 'n\\nn\\n' | {RUN} --state state", 0, env=env(**ASCII)
    ),
    "ascii-html": Case(text("how('é')\n", "é.py"), f"{CHECK} --format html", 1, env=env(**ASCII)),
    "no-home": Case(nothing, CHECK, 1, env=env(HOME=None, XDG_CACHE_HOME=None)),
    "home-is-a-file": Case(nothing, CHECK, 1, env=env(HOME="/dev/null", XDG_CACHE_HOME=None)),
    "cache-is-a-file": Case(nothing, CHECK, 1, env=env(XDG_CACHE_HOME="/dev/full")),
    "cache-is-relative": Case(nothing, CHECK, 1, env=env(XDG_CACHE_HOME="somewhere")),
    "no-tmpdir": Case(nothing, CHECK, 1, env=env(TMPDIR="/nowhere/at/all")),
    "no-path": Case(
        nothing, f"{BIN}/{RUN} --write --require-clean --state state", 2, "git", env=env(PATH="")
    ),
    "odd-terminal": Case(nothing, DIFF, 0, env=env(TERM="what", COLUMNS="-3", LINES="x")),
    "odd-locale": Case(nothing, DIFF, 0, env=env(LC_ALL="xx_YY.utf99", LANG="nowhere")),
    "state-in-a-device": Case(nothing, f"{RUN} --write --state /dev/full/x", 2),
    "no-folder": Case(nothing, f"{GONE} && pinsetter run x.yaml . --check", 2, "current folder"),
    "no-folder-undo": Case(nothing, f"{GONE} && pinsetter undo", 2, "current folder"),
    "pack-is-a-loop": Case(link("p.yaml", "p.yaml"), "pinsetter run tree/p.yaml tree --check", 2),
    "pack-is-no-text": Case(text(b"\xff\0", "p.yaml"), "pinsetter run tree/p.yaml tree --diff", 2),
    "pack-is-deep": Case(
        text("pack: " + "[" * 3000, "p.yaml"), "pinsetter run tree/p.yaml tree --check", 2
    ),
    "decisions-are-deep": Case(
        text("[" * 100_000, "d.json"), f"{CHECK} --decisions tree/d.json", 2, "nested too deeply"
    ),
    "script-fails": Case(
        nothing, "echo 'raise ValueError(1)' > s.py; bowler run s.py", 2, "ValueError: 1"
    ),
    "script-fails-in-a-file": Case(
        text(f"{ODD_QUERY}f(1)\n"), "cp tree/odd.py s.py; bowler run s.py </dev/null", 2, "odd"
    ),
    "script-without-input": Case(
        several(text("f(1)\n"), text(QUERY, "s.txt")), "cp tree/s.txt s.py; bowler run s.py <&-", 1
    ),
    "script-without-output": Case(
        several(text("f(1)\n"), text(QUERY, "s.txt")),
        "cp tree/s.txt s.py; bowler run s.py </dev/null >/dev/full", 2, FULL,
    ),
    "pack-script-loop": Case(LOOP, f"bowler run {SCRIPT} -- tree --check", 2, UNREAD),
    "pack-script-full": Case(
        program(""), f"bowler run {SCRIPT} -- tree --diff >/dev/full", 2, FULL
    ),
    "pack-script-without-input": Case(
        program(""), f"bowler run {SCRIPT} -- tree --state state <&-", 1
    ),
}  # fmt: skip
CASES = {**TREES, **TEXTS, **STREAMS, **SURROUNDINGS}


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path): path.read_bytes() for path in files}


def of_a_shell(case: Case) -> bool:
    return bool(case.env) or any(sign in case.command for sign in "<>|;&")


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_whatever_comes(case: Case, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "good.py").write_text("how()\n")
    pack_of(tmp_path, KEYWORD)
    case.make(tree)
    before = contents(tree)
    if of_a_shell(case):
        code, said = in_a_shell(case, tmp_path)
    else:
        name, *arguments = shlex.split(case.command)
        found = run(*arguments, command=[str(BIN / name)], cwd=tmp_path)
        code, said = found.code, found.said
    told = said[-3000:]
    assert "Traceback" not in said, told
    assert "Exception ignored" not in said, told
    assert code == case.code, f"{code} instead of {case.code}\n{told}"
    assert case.says in said, told
    assert contents(tree) == before


def in_a_shell(case: Case, tmp_path: Path) -> tuple[int, str]:
    given: dict[str, str | None] = dict(os.environ)
    given.update({"PATH": f"{BIN}:{os.environ['PATH']}", **dict(case.env)})
    done = subprocess.run(
        ["/bin/bash", "-c", case.command],
        cwd=tmp_path,
        env={name: value for name, value in given.items() if value is not None},
        capture_output=True,
        timeout=120,
        check=False,
    )
    return done.returncode, (done.stdout + b"\n--\n" + done.stderr).decode("utf-8", "replace")


def test_a_file_may_vanish_while_others_are_read(tmp_path: Path) -> None:
    pack = packs.load(pack_of(tmp_path, KEYWORD))
    assert isinstance(pack, Pack)
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in ("a", "b"):
        (tree / f"{name}.py").write_text("how()\n")

    def loaded(_: Path) -> None:
        (tree / "b.py").unlink(missing_ok=True)

    found = make_plan([PackQuery(pack, [])], [tree], loaded=loaded)
    assert [hunk.module.path.name for hunk in found.plan.hunks] == ["a.py"]
    assert [problem.reason for problem in found.problems] == [
        "cannot be read: No such file or directory"
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads anything")
def test_what_may_not_be_read_is_named(tmp_path: Path) -> None:
    pack = packs.load(pack_of(tmp_path, KEYWORD))
    assert isinstance(pack, Pack)
    (tmp_path / "odd.py").write_text("how()\n")
    (tmp_path / "odd.py").chmod(0)
    found = make_plan([PackQuery(pack, [])], [tmp_path])
    assert [problem.path.name for problem in found.problems] == ["odd.py"]
