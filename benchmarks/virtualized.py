"""Other people's tests on virtualized code, and what it costs; and on code without early exits.

    python benchmarks/virtualized.py library              CPython's tests on its own library
    python benchmarks/virtualized.py exits                the same with flags instead of exits
    python benchmarks/virtualized.py lambda-py CHECKOUT   the programs of brownplt/lambda-py
    python benchmarks/virtualized.py cost                 loops of the library, before and after

Each says what is new: a failure that the code as it was does not have. What was virtualized is put
back, too, and has to be what it was, byte by byte.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

MODULES = [
    "argparse.py", "ast.py", "base64.py", "bisect.py", "calendar.py", "cgi.py", "cmd.py",
    "colorsys.py", "configparser.py", "copy.py", "csv.py", "dataclasses.py", "difflib.py",
    "fileinput.py", "fnmatch.py", "fractions.py", "getopt.py", "gettext.py", "glob.py",
    "graphlib.py", "heapq.py", "html", "json", "ipaddress.py", "mailbox.py", "mimetypes.py",
    "netrc.py", "optparse.py", "pprint.py", "quopri.py", "random.py", "sched.py", "shelve.py",
    "shlex.py", "statistics.py", "string.py", "tabnanny.py", "textwrap.py", "tomllib",
    "uuid.py", "xml", "_pydecimal.py", "decimal.py", "zipfile.py", "tarfile.py", "urllib",
]  # fmt: skip
TESTS = [
    "argparse", "ast", "base64", "bisect", "calendar", "cgi", "cmd", "colorsys",
    "configparser", "copy", "csv", "dataclasses", "difflib", "fileinput", "fnmatch",
    "fractions", "getopt", "gettext", "glob", "graphlib", "heapq", "htmlparser", "html",
    "json", "ipaddress", "mailbox", "mimetypes", "netrc", "optparse", "pprint", "quopri",
    "random", "sched", "shelve", "shlex", "statistics", "string", "tabnanny", "textwrap",
    "tomllib", "uuid", "xml_etree", "minidom", "sax", "decimal", "zipfile", "tarfile",
    "urlparse", "urllib", "urllib2", "robotparser",
]  # fmt: skip
# What fails, and why it has to.
EXPLAINED = {
    "test_inline_array_recursion_limit": "it counts how deep a recursion may go",
    "test_inline_table_recursion_limit": "it counts how deep a recursion may go",
}
_FAILED = re.compile(r"^(?:FAIL|ERROR): (.*)$", re.MULTILINE)
_RAN = re.compile(r"^Ran (\d+) tests?", re.MULTILINE)
_HUNKS = re.compile(r"hunks +(\d+) proposed")
_LEFT = re.compile(r"Not virtualized: (.*)")
_PRELUDE = """\
import builtins

def raises(error, function=None, *given, **named):
    try:
        function(*given, **named)
    except error:
        return
    raise AssertionError("nothing is raised")

def fail(*said):
    raise AssertionError(said)

def check(test):
    def checked(*given):
        assert test(*given), given
    return checked

for name, function in {
    "assertEqual": check(lambda a, b: a == b), "assertNotEqual": check(lambda a, b: a != b),
    "assertTrue": check(bool), "assertFalse": check(lambda a: not a),
    "assertIn": check(lambda a, b: a in b), "assertNotIn": check(lambda a, b: a not in b),
    "assertIs": check(lambda a, b: a is b), "assertIsNot": check(lambda a, b: a is not b),
    "assertRaises": raises, "fail": fail, "assertFail": fail,
}.items():
    setattr(builtins, "___" + name, function)
"""
# Loops that are all branches: what the tests of these modules do, again and again.
_LOOPS = {
    "difflib": "import difflib; a = [str(n % 7) for n in range(600)]; b = a[3:] + ['x']; "
               "t(lambda: difflib.SequenceMatcher(None, a, b, False).ratio())",
    "_pydecimal": "import _pydecimal as d; x = d.Decimal(2); "
                  "t(lambda: [(x + n).sqrt() * n for n in range(1500)])",
    "textwrap": "import textwrap; s = 'some words of a text ' * 3000; t(lambda: textwrap.fill(s))",
}  # fmt: skip
_TIMER = """\
import sys, time
def t(work):
    work()
    begun = time.process_time()
    work()
    print(time.process_time() - begun)
"""


@dataclass(frozen=True)
class Ran:
    """The number of tests that a module has, and which of them fail."""

    count: int
    failed: frozenset[str]


def pinsetter(pack: str, folder: Path) -> str:
    """What a run that accepts all says. Raises CalledProcessError."""
    done = subprocess.run(
        [sys.executable, "-m", "pinsetter", "run", pack, str(folder), "--write"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout + done.stderr


def copied(given: Path, names: Sequence[str], into: Path) -> tuple[Path, Path]:
    """Code twice."""
    old, new = into / "old", into / "new"
    for name in names:
        source = given / name
        if source.is_dir():
            shutil.copytree(source, old / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            old.mkdir(exist_ok=True)
            shutil.copy(source, old / name)
    shutil.copytree(old, new)
    return old, new


def copies(given: Path, names: Sequence[str], into: Path) -> tuple[Path, Path, str]:
    """Code as it was and virtualized, and what the run said. Raises SystemExit where putting it
    back does not give the bytes."""
    old, new = copied(given, names, into)
    back = into / "back"
    said = pinsetter("virtualize", new)
    shutil.copytree(new, back)
    pinsetter("devirtualize", back)
    changed = [p for p in old.rglob("*.py")
               if not filecmp.cmp(p, back / p.relative_to(old), shallow=False)]  # fmt: skip
    if changed:
        raise SystemExit(f"not put back: {', '.join(map(str, changed[:5]))}")
    print(f"put back byte by byte: {sum(1 for _ in old.rglob('*.py'))} files")
    return old, new, said


def runtime(into: Path) -> Path:
    """A folder with nothing of Pinsetter but what programs call: that may import the library."""
    import pinsetter.staging as staging

    package = into / "runtime" / "pinsetter"
    shutil.copytree(Path(staging.__file__).parent, package / "staging")
    (package / "__init__.py").touch()
    return package.parent


def tested(test: str, path: Sequence[Path], folder: Path) -> Ran:
    """What CPython's test does with modules from some folders."""
    work = folder / "work" / f"{path[0].name}-{test}"
    work.mkdir(parents=True, exist_ok=True)
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    env |= {"PYTHONPATH": os.pathsep.join(map(str, path)), "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-B", "-W", "ignore", "-m", "unittest", "-v", f"test.test_{test}"],
        capture_output=True, text=True, errors="replace", env=env, cwd=work, timeout=900,
    )  # fmt: skip
    ran = _RAN.findall(done.stderr)
    return Ran(int(ran[-1]) if ran else 0, frozenset(_FAILED.findall(done.stderr)))


def library(modules: Sequence[str], tests: Sequence[str], folder: Path) -> int:
    """Print what is new; the number of failures."""
    old, new, said = copies(Path(sysconfig.get_paths()["stdlib"]), modules, folder)
    own = runtime(folder)
    left = _LEFT.findall(said)
    lifted = int(_HUNKS.findall(said)[-1])
    print(f"lifted {lifted} hunks, imports included; {len(left)} left in place "
          f"({100 * len(left) / (lifted + len(left)):.1f} %):")  # fmt: skip
    kinds: dict[str, int] = {}
    for reason in left:
        kind = re.sub(r"`\w+` asks|annotation of `\w+`", "…", reason)
        kinds[kind] = kinds.get(kind, 0) + 1
    for kind, count in sorted(kinds.items(), key=lambda one: -one[1]):
        print(f"  {count:5} {kind}")
    return compared([old, own], [new, own], tests, folder)


def exits(modules: Sequence[str], tests: Sequence[str], folder: Path) -> int:
    """The same of flags instead of exits."""
    old, new = copied(Path(sysconfig.get_paths()["stdlib"]), modules, folder)
    for pack in ("lower-continues", "lower-breaks", "lower-returns"):
        said = pinsetter(pack, new)
        made, left = int(_HUNKS.findall(said)[-1]), said.count("Not rewritten: ")
        print(f"{pack}: {made} hunks, {left} left as they are")
        again = int(_HUNKS.findall(pinsetter(pack, new))[-1])
        if again:
            raise SystemExit(f"{pack} proposes {again} hunks again")
    return compared([old], [new], tests, folder)


def compared(old: Sequence[Path], new: Sequence[Path], tests: Sequence[str], folder: Path) -> int:
    """Print which tests fail with the new modules alone; how many."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        before = [*pool.map(lambda one: tested(one, old, folder), tests)]
        after = [*pool.map(lambda one: tested(one, new, folder), tests)]
    news = 0
    for test, was, now in zip(tests, before, after, strict=True):
        news += abs(now.count - was.count)
        for one in sorted(now.failed - was.failed):
            why = EXPLAINED.get(one.partition(" ")[0])
            news += why is None
            print(f"  {'new' if why is None else 'explained'}: test_{test}: {one} {why or ''}")
        if now.count != was.count:
            print(f"  test_{test}: {now.count} tests instead of {was.count}")
    print(f"{sum(one.count for one in after)} tests of {len(tests)} modules, {news} new failures")
    return news


def programs(checkout: Path, folder: Path) -> int:
    """Print which programs do something else; how many. Those that fail as they are do not
    count."""
    old, new, _ = copies(checkout, ["tests", "base"], folder)
    (folder / "prelude.py").write_text(_PRELUDE)
    own = runtime(folder)

    def run(path: Path, root: Path) -> tuple[object, ...]:
        code = (
            f"import sys; sys.path[:0] = [{str(own)!r}, {str(folder)!r}]; import prelude, runpy; "
            f"sys.path.insert(0, {str(path.parent)!r}); "
            f"runpy.run_path({str(path)!r}, run_name='__main__')"
        )
        try:
            done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True,
                                  text=True, timeout=30, cwd=path.parent)  # fmt: skip
        except subprocess.TimeoutExpired:
            return ("too long",)
        said = re.sub(r"0x[0-9a-f]+", "0x…", done.stdout.replace(str(root), ""))
        return done.returncode, said, done.stderr.strip().splitlines()[-1:]

    names = sorted(path.relative_to(old) for path in old.rglob("*.py"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        before = [*pool.map(lambda name: run(old / name, old), names)]
        after = [*pool.map(lambda name: run(new / name, new), names)]
    good = [n for n, one in enumerate(before) if one[0] == 0]
    other = [names[n] for n in good if after[n] != before[n]]
    for name in other:
        print(f"  other: {name}")
    print(f"{len(good) - len(other)} of {len(good)} programs that run do the same "
          f"({len(names)} in all)")  # fmt: skip
    return len(other)


def cost(folder: Path, rounds: int = 7) -> None:
    """Print the time of virtualized loops, as a ratio to what they were; medians of turns."""
    old, new, _ = copies(
        Path(sysconfig.get_paths()["stdlib"]), [f"{name}.py" for name in _LOOPS], folder
    )
    own = runtime(folder)
    for name, code in _LOOPS.items():
        times: dict[Path, list[float]] = {old: [], new: []}
        for _ in range(rounds):
            for root in (old, new):
                env = dict(os.environ, PYTHONPATH=os.pathsep.join(map(str, [root, own])))
                done = subprocess.run([sys.executable, "-B", "-c", _TIMER + code], text=True,
                                      capture_output=True, env=env, check=True)  # fmt: skip
                times[root].append(json.loads(done.stdout))
        was, now = (statistics.median(times[root]) for root in (old, new))
        print(f"  {name:12} {now / was:5.1f} times ({was * 1000:.0f} ms → {now * 1000:.0f} ms)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for command in ("library", "exits"):
        of_library = commands.add_parser(command)
        of_library.add_argument("--modules", nargs="*", default=MODULES)
        of_library.add_argument("--tests", nargs="*", default=TESTS)
    commands.add_parser("lambda-py").add_argument("checkout", type=Path)
    commands.add_parser("cost")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        if given.command in ("library", "exits"):
            of = library if given.command == "library" else exits
            return 1 if of(given.modules, given.tests, folder) else 0
        if given.command == "lambda-py":
            return 1 if programs(given.checkout, folder) else 0
        cost(folder)
        return 0


if __name__ == "__main__":
    sys.exit(main())
