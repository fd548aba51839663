"""Bounds: what is too large, too long or too deep is named and left, and the rest is done."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import weakref
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from commands import BIN, REPOSITORY, TRAIN, all_packs
from fissix.patcomp import PatternCompiler
from fissix.pytree import WildcardPattern

from pinsetter.analyzer import syntax
from pinsetter.analyzer.files.bounds import NONE, Bounds, usual_memory
from pinsetter.analyzer.files.find import python_files
from pinsetter.analyzer.files.linear_regex import regular
from pinsetter.analyzer.files.source import Source, decode
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module, analyse
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.syntax import wildcards
from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.overlaps import Overlaps
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.plan_options import PlanOptions
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.codemods.engine.watchdog.attempt import attempt
from pinsetter.codemods.engine.watchdog.watch import ExceededError, watched
from pinsetter.patterns.edits.edit import Edit
from pinsetter.patterns.packs.pack import load
from pinsetter.patterns.reading.code_pattern import compile_code
from pinsetter.patterns.reading.emitter import PatternProblem

MB = 1_000_000
MANY = """\
pack: many
summary: For a test.
rules:
  - id: old-to-new
    title: Call new
    why: It is another function.
    match: old()
    edit: {replace: $match, with: new()}
    examples:
      - unchanged: other()
      - {before: old(), after: new()}
"""
SOON = Bounds(seconds=5)
"""What takes no time is done within that on any machine."""


def analysed(text: str) -> Module | Problem:
    source = decode(Path("odd.py"), text.encode())
    assert isinstance(source, Source)
    return analyse(source, "odd")


def planned(folder: Path, bounds: Bounds) -> Planned:
    return make_plan(
        [PackQuery(pack, []) for pack in all_packs()], [folder], options=PlanOptions(bounds=bounds)
    )


# ---------------------------------------------------------------- nothing is bounded that is usual


def test_what_is_done_in_time_is_left_in_peace() -> None:
    before = signal.getsignal(signal.SIGPROF)
    assert attempt(lambda _: 7, Path()) == 7
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) is before


@pytest.mark.parametrize(
    "text",
    [
        "x = {\n" + "".join(f"    {n}: {n},\n" for n in range(20_000)) + "}\n",
        "if x:\n    pass\n" + "elif x:\n    pass\n" * 5_000,
        "x = y = " * 5_000 + "1\n",
        "x = " + "1 + " * 20_000 + "1\n",
        "x = " + 'f"{' * 100 + "1" + '}"' * 100 + "\n",
        "x = " + "lambda: " * 250 + "1\n",
        "x = " + "not " * 900 + "1\n",
        "x = a" + ".b()" * 1_400 + "\n",
        "x = '" + "a" * MB + "'\n",
        "x = 1;" * 10_000 + "\n",
    ],
    ids=lambda text: text[:20].strip(),
)
def test_long_sources_parse(text: str) -> None:
    with watched(SOON):
        module = analysed(text)
    assert isinstance(module, Module)
    assert str(module.tree.root) == text


def test_a_program_within_its_bounds_is_rewritten(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    tight = planned(tmp_path, Bounds(file_size=1, seconds=60, memory=usual_memory()))
    loose = planned(tmp_path, NONE)
    assert not tight.problems
    assert [h.id for h in tight.plan.hunks] == [h.id for h in loose.plan.hunks] != []


# ---------------------------------------------------------------- depth


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 100_000 + ")" * 100_000 + "\n",
        "x = " + "[" * 100_000,
        "x = " + "not " * 100_000 + "1\n",
        "x = " + "-" * 100_000 + "1\n",
        "x = " + "lambda: " * 100_000 + "1\n",
        "x = " + "1 if y else " * 20_000 + "1\n",
        "".join(" " * n + "if x:\n" for n in range(800)) + " " * 800 + "pass\n",
        "x = a" + ".b" * 100_000 + "\n",
        "x = a" + ".b()" * 50_000 + "\n",
        "x = a" + "[0]" * 50_000 + "\n",
        "match " + "(" * 5_000 + "\n",
    ],
    ids=lambda text: text[:12].strip(),
)
def test_what_is_too_deep_is_named(text: str) -> None:
    with watched(SOON):
        problem = analysed(text)
    assert isinstance(problem, Problem)
    assert "nested too deeply to be parsed" in problem.reason
    assert problem.line > 0


def test_a_bound_on_nesting(tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text("x = " + "(" * 30 + "1" + ")" * 30 + "\n")
    (tmp_path / "train.py").write_text(f"import deep\n{TRAIN}")
    found = planned(tmp_path, Bounds(nesting=20))
    (problem,) = found.problems
    assert problem.path.name == "deep.py"
    assert problem.reason == "nested too deeply to be parsed: more than 20 levels"
    assert not planned(tmp_path, Bounds()).problems


# ---------------------------------------------------------------- time and memory


def test_what_does_not_end_is_ended() -> None:
    def explode() -> None:
        try:
            re.fullmatch("(a*)*b", "a" * 40)
        except Exception:  # what goes on after any error does not after this
            explode()

    with pytest.raises(ExceededError, match="not done after 1 s"), watched(Bounds(seconds=1)):
        explode()
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_what_takes_too_much_memory_is_ended() -> None:
    kept: list[bytearray] = []

    def grow() -> None:
        while True:
            kept.append(bytearray(1_000))

    with pytest.raises(ExceededError, match="memory"), watched(Bounds(seconds=30, memory=1)):
        grow()


def test_the_file_that_is_looked_at_is_named_and_left(tmp_path: Path) -> None:
    for name in ("endless.py", "good.py"):
        (tmp_path / name).write_text("x = 1\n")

    def look(module: Module) -> str:
        while module.path.name == "endless.py":
            pass
        return module.path.name

    def make(broken: Mapping[Path, Problem]) -> tuple[list[str], list[Problem]]:
        project = Project([tmp_path], broken=broken)
        return [look(module) for module in project.given], project.problems

    made = attempt(make, tmp_path, Bounds(seconds=1))
    assert not isinstance(made, Problem)
    names, (problem,) = made
    assert names == ["good.py"]
    assert problem.path.name == "endless.py"
    assert "1 s of processor time" in problem.reason
    assert "--timeout" in problem.hint


def test_what_no_file_can_be_blamed_for_is_named_at_the_place() -> None:
    def make(_: object) -> None:
        while True:
            pass

    found = attempt(make, Path("tree"), Bounds(seconds=1))
    assert isinstance(found, Problem)
    assert found.path == Path("tree")


def test_what_was_worked_out_in_vain_is_gone_before_it_is_done_again(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text("a = 1\n")
    made: list[weakref.ref[_Held]] = []

    def make(broken: Mapping[Path, Problem]) -> list[bool]:
        if broken:
            return [one() is None for one in made]
        (module,) = Project([tmp_path]).given
        made.append(weakref.ref(_Held()))
        raise ExceededError(module, "too long", "")

    assert attempt(make, tmp_path) == [True]


class _Held:
    """It refers to itself."""

    def __init__(self) -> None:
        self.own = self


# ---------------------------------------------------------------- size


def test_a_large_file_of_a_program_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(f"import data\n{TRAIN}")
    (tmp_path / "data.py").write_text("#" * (MB + 1))
    found = planned(tmp_path, Bounds(file_size=1))
    (problem,) = found.problems
    assert str(problem) == (
        f"{tmp_path / 'data.py'}: not read: it has 2 MB, and no more than 1 are taken "
        "(--max-file-size 2 reads it; .pinsetterignore leaves it out)"
    )
    assert found.plan.hunks


def test_a_large_file_of_no_program_is_a_note_where_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    data = tmp_path / "data.py"
    data.write_text("#" * (MB + 1))
    found = planned(tmp_path, Bounds(file_size=1))
    assert not found.problems
    assert not found.notes
    found = planned(data, Bounds(file_size=1))
    assert [note.path.name for note in found.notes] == ["data.py"]
    assert not planned(data, Bounds(file_size=2)).notes


# ---------------------------------------------------------------- commands


def test_a_larger_file_has_more_time() -> None:
    bounds = Bounds(seconds=2)
    assert [bounds.seconds_for(size) for size in (0, 49_999, 50_000, 247_000)] == [2, 2, 4, 10]
    assert Bounds(seconds=0).seconds_for(1_000_000) == 0


# With the time of a small file, whatever the size.
AS_SMALL = """\
import sys
from pinsetter.analyzer.files import bounds
from pinsetter.codemods.engine import main
bounds._BYTES_IN_TIME = 10**9
sys.argv[0] = "pinsetter"
main()
"""
SLOW = TRAIN + "".join(f"y{n} = f{n}({n})\n" for n in range(40_000))


@pytest.mark.parametrize("command", [["run", "distribute", "--check"], ["restrictions"], ["facts"]])
def test_commands_name_what_takes_too_long(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "train.py").write_text(TRAIN)
    given = [sys.executable, "-c", AS_SMALL, *command, "--timeout", "1", "slow.py", "train.py"]
    done = subprocess.run(given, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert "slow.py: not understood: not done after 1 s of processor time" in done.stderr
    assert "Traceback" not in done.stderr


# ---------------------------------------------------------------- patterns

_CHAIN = "a.b(1).c(2)[3].d().e(4) ** 2\n"


@pytest.mark.parametrize(
    "pattern",
    [
        "power< any+ trailer< '(' any* ')' > any* >",
        "power< f=any+ trailer< '.' m=any > trailer< '(' a=any* ')' > following=any* >",
        "power< f=any* t=trailer< any+ > g=any{1,3} following=any* >",
        "power< [x=any] any* trailer< '(' [any] ')' > any+ >",
        "file_input< first=any* (expr_stmt< any* > | simple_stmt< any+ >) rest=any* >",
    ],
)
def test_shorter_forms_give_the_same_matches(pattern: str) -> None:
    short = PatternCompiler().compile_pattern(pattern)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WildcardPattern, "optimize", wildcards._optimize)
        patch.setattr("fissix.pytree.NodePattern.optimize", lambda self: self)
        long = PatternCompiler().compile_pattern(pattern)
    for node in syntax.parse(_CHAIN + "x = f(a, *b)\n").pre_order():
        mine: dict[str, object] = {}
        theirs: dict[str, object] = {}
        assert short.match(node, mine) == long.match(node, theirs)
        if long.match(node):
            assert repr(mine) == repr(theirs)


def test_a_pattern_takes_the_square_of_a_chain_at_most() -> None:
    pattern = compile_code("$f.map($...arguments)", {})

    def steps(length: int) -> int:
        count = 0

        def tick(*_: object) -> None:
            nonlocal count
            count += 1

        node = syntax.parse("a" + ".map(f)" * length + "\n").children[0].children[0]
        sys.setprofile(tick)
        try:
            assert len(list(pattern.matches(node))) == length
        finally:
            sys.setprofile(None)
        return count

    assert steps(200) < 2.5 * steps(100)


def test_patterns_that_explode_are_refused() -> None:
    compile_code("f(" * 4 + "$x" + ")" * 4, {})
    with pytest.raises(PatternProblem, match="too many forms"):
        compile_code("f(" * 40 + "$x" + ")" * 40, {})


def test_regular_expressions_of_packs_take_no_time() -> None:
    with watched(SOON):
        assert not regular("(a*)*b").fits("a" * 100_000)
    assert regular("(?i).*gpu:0*[1-9]").fits("/GPU:1")


@pytest.mark.parametrize("expression", ["(", "a(?=b)", r"(a)\\1"])
def test_regular_expressions_that_re2_refuses_are_named(expression: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(
        "name: odd\ndescription: Odd.\nrules:\n  - id: odd\n    title: Odd\n    why: Odd.\n"
        "    match: f($x)\n    where:\n"
        f'      - spelled: [$x, "{expression}"]\n    report: Odd $x.\n'
    )
    found = load(path)
    assert isinstance(found, list)
    assert any(p.line == 9 and "not a regular expression" in p.reason for p in found), found


# ---------------------------------------------------------------- ignore files


def test_patterns_of_ignore_files_that_are_none_are_named(tmp_path: Path) -> None:
    (tmp_path / ".pinsetterignore").write_text(f"ok/\n[z-a]\n{'a' * 5000}\n")
    (tmp_path / ".gitignore").write_text("[z-a]\n")
    (tmp_path / "a.py").write_text("")
    found: list[Problem] = []
    assert [path.name for path in python_files(tmp_path, found.append)] == ["a.py"]
    assert [(p.path.name, p.line) for p in found] == [
        (".pinsetterignore", 2),
        (".pinsetterignore", 3),
    ]


def test_patterns_of_ignore_files_take_no_time(tmp_path: Path) -> None:
    (tmp_path / ".pinsetterignore").write_text("*a" * 40 + "*b.py\n" + "**/" * 20 + "z*z*z*z.py\n")
    names = ["a" * 200 + ".py", "a" * 200 + "b.py", "zzzz.py"]
    for name in names:
        (tmp_path / name).write_text("")
    with watched(SOON):
        assert [path.name for path in python_files(tmp_path)] == names[:1]


# ---------------------------------------------------------------- hunks


@pytest.mark.parametrize("most", ["3", "0", "2"])
def test_a_file_with_too_many_hunks_is_named_and_left(most: str, tmp_path: Path) -> None:
    (tmp_path / "pack.yaml").write_text(MANY)
    (tmp_path / "many.py").write_text("old()\n" * 3)
    (tmp_path / "few.py").write_text("old()\n")
    command = [str(BIN / "pinsetter"), "run", "pack.yaml", ".", "--check", "--max-hunks", most]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    left = "many.py: not understood: 3 hunks are proposed for it, and no more than 2 are shown"
    assert (left in done.stderr) is (most == "2"), done.stderr
    assert done.returncode == (2 if most == "2" else 1)
    assert f"hunks      {1 if most == '2' else 4} proposed" in done.stderr


def test_overlapping_hunks_are_those_of_all_pairs(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n" * 2_000)
    module = Project([tmp_path]).given[0]
    chance = random.Random(1)
    empty = Hunk("", "rule", "", "", module, 1, ())
    hunks: list[Hunk] = []
    overlaps = Overlaps()
    for number in range(300):
        edits = []
        for _ in range(chance.choice((1, 1, 3))):
            start = chance.randrange(10_000)
            end = start + chance.choice((0, 0, 3, 40, 3_000))
            edits.append(Edit(start, end, "y" * chance.randrange(3)))
        hunk = replace(empty, id=str(number), edits=tuple(edits))
        found = [other.id for other in overlaps.of(hunk) if other.contradicts(hunk)]
        assert found == [other.id for other in hunks if other.contradicts(hunk)]
        overlaps.add(hunk)
        hunks.append(hunk)


# ---------------------------------------------------------------- chance


def test_a_sample_of_mutated_sources() -> None:
    """``make fuzz-parser`` tries many more."""
    fuzzer = REPOSITORY / "benchmarks" / "fuzz_parser.py"
    given = [sys.executable, str(fuzzer), "--count", "150", "--every", "3"]
    done = subprocess.run(given, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("number", "said"), [(99, False), (100, True)])
def test_what_may_be_too_many_things_is_said(number: int, said: bool, tmp_path: Path) -> None:
    """``thing`` may be None, too. The program is rewritten all the same."""
    classes = "".join(f"class C{n}:\n    pass\n" for n in range(number))
    made = "".join(f"if flag == {n}:\n    thing = C{n}()\n" for n in range(number))
    used = "flag = int(input())\nthing = None\n"
    text = f"{TRAIN}\n{classes}{used}{made}thing.apply_gradients(1)\n"
    (tmp_path / "train.py").write_text(text)
    planned = make_plan([PackQuery(pack, []) for pack in all_packs()], [tmp_path])
    notes = [note for note in planned.notes if "taken for unknown" in note.reason]
    assert bool(notes) == said
    if said:
        assert notes[0].line == text[: text.index("thing = None")].count("\n") + 1
    assert planned.plan.hunks


@pytest.mark.parametrize(("memory", "each"), [(0, 0), (1, 1), (9, 3), (10, 3)])
def test_processes_share_the_memory_and_none_is_without_a_bound(memory: int, each: int) -> None:
    assert Bounds(memory=memory).shared(3) == Bounds(memory=each)
