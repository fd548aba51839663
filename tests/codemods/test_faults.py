"""Errors that nobody foresaw, put into every phase: each is told with its file and rule, the others
go on, and the exit code is 2."""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from commands import TRAIN, all_packs
from wrong_rules import KEYWORD, pack_of

from pinsetter.codemods.engine import cli
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.matching.match import Match
from pinsetter.patterns.predicates.registry import PREDICATES

OTHER = {
    "id": "other",
    "match": "other()",
    "edit": [{"replace": "$match", "with": "better()"}],
    "example": ("other()\n", "better()\n"),
}
TEXT = "how()\nother()\n"
NAMES = sorted(PREDICATES)


class Odd(Exception):
    """What nobody foresees."""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two programs that share nothing."""
    for name in ("good", "odd"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.py").write_text(TRAIN)
    return tmp_path


def plan_of(path: Path) -> Planned:
    return make_plan([PackQuery(pack, []) for pack in all_packs()], [path])


def hunks(planned: Planned, name: str) -> list[str]:
    return [hunk.rule for hunk in planned.plan.hunks if hunk.module.path.stem == name]


def is_odd(thing: object) -> bool:
    path = getattr(getattr(thing, "module", thing), "path", None)
    return isinstance(path, Path) and path.stem == "odd"


@cache
def asked() -> frozenset[str]:
    """The predicates that are asked for the program."""
    counts: Counter[str] = Counter()
    with pytest.MonkeyPatch.context() as patch:
        for name, function in PREDICATES.items():

            def counting(match: Match, given: Any, name: str = name, old: Any = function) -> Any:
                counts[name] += 1
                return old(match, given)

            patch.setitem(PREDICATES, name, counting)
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "odd.py").write_text(TRAIN)
            plan_of(Path(folder))
    return frozenset(counts)


@pytest.mark.parametrize("name", NAMES)
def test_a_predicate_that_fails_keeps_its_rules_from_that_file(
    name: str, two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name not in asked():
        return
    before = PREDICATES[name]

    def failing(match: Match, argument: Any) -> Match | None:
        if is_odd(match):
            raise Odd(name)
        return before(match, argument)

    monkeypatch.setitem(PREDICATES, name, failing)
    found = plan_of(two)
    assert len(hunks(found, "good")) == 8
    assert found.faults
    assert not found.problems
    rules = {rule.id for pack in all_packs() for rule in pack.rules}
    for fault in found.faults:
        assert fault.path == two / "odd" / "odd.py"
        assert f"internal error, Odd: {name}" in fault.reason
        assert fault.line
        assert any(f"by {rule} (" in fault.reason for rule in rules)
        assert "please report it" in fault.hint
    # Half of a program is never proposed: what is essential is there, or nothing is.
    essential = {rule for pack in all_packs() for rule in pack.essential}
    whole = hunks(found, "good")
    left = hunks(found, "odd")
    assert not left or {r for r in whole if r in essential} <= set(left)


def failing_where(odd: Callable[..., bool], before: Callable[..., Any]) -> Callable[..., Any]:
    def failing(*arguments: Any, **options: Any) -> Any:
        if odd(*arguments):
            raise Odd("here")
        return before(*arguments, **options)

    return failing


def any_odd(*arguments: Any) -> bool:
    return any(is_odd(argument) for argument in arguments)


def outcomes_odd(outcomes: Any, *_: Any) -> bool:
    return any(is_odd(outcome.rules) for outcome in outcomes)


def modules_odd(modules: Any, *_: Any) -> bool:
    return any(is_odd(module) for module in modules)


def text_odd(*arguments: Any) -> bool:
    return any(isinstance(a, str) and "# odd\n" in a for a in arguments)


def root_odd(*arguments: Any) -> bool:
    return any("# odd\n" in str(argument) for argument in arguments)


E = "pinsetter.codemods.engine"
PHASES: list[tuple[str, str, Callable[..., bool]]] = [
    ("pinsetter.analyzer.names.module", "syntax.parse", text_odd),
    ("pinsetter.analyzer.names.module", "Scopes", root_odd),
    ("pinsetter.analyzer.names.module", "imports_of", root_odd),
    ("pinsetter.analyzer.values.evaluator", "link_classes", modules_odd),
    (
        "pinsetter.analyzer.programs.programs",
        "Programs.of",
        lambda programs, module: is_odd(module),
    ),
    (f"{E}.propose.rule_query", "ModuleRules", any_odd),
    (f"{E}.propose.proposals", "sift", any_odd),
    (f"{E}.propose.scope", "is_generated", any_odd),
    (f"{E}.propose.rule_query", "ModuleRules.outcome", any_odd),
    (f"{E}.propose.rule_query", "ModuleRules.matches", any_odd),
    (f"{E}.propose.rule_query", "RuleTool.run_fixers", lambda tool, module, _: is_odd(module)),
    (f"{E}.propose.part_work", "agreed", outcomes_odd),
    (f"{E}.propose.proposing", "started", outcomes_odd),
    (f"{E}.propose.resolving", "hunks_of", outcomes_odd),
    (f"{E}.propose.resolving", "incomplete", outcomes_odd),
    (f"{E}.propose.part_work", "invalid_hunks", lambda plan: any(is_odd(h) for h in plan.hunks)),
    (
        f"{E}.propose.resolving",
        "complaints",
        lambda tried, *_: any(is_odd(module) for module in tried),
    ),
]


def patched(
    monkeypatch: pytest.MonkeyPatch, module: str, name: str, odd: Callable[..., bool]
) -> None:
    owner: Any = importlib.import_module(module)
    *around, last = name.split(".")
    for part in around:
        owner = getattr(owner, part)
    monkeypatch.setattr(owner, last, failing_where(odd, getattr(owner, last)))


@pytest.mark.parametrize(("module", "name", "odd"), PHASES, ids=[f"{m}.{n}" for m, n, _ in PHASES])
def test_a_phase_that_fails_for_one_file_leaves_the_other(
    module: str, name: str, odd: Callable[..., bool], two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (two / "odd" / "odd.py").write_text(f"# odd\n{TRAIN}")
    patched(monkeypatch, module, name, odd)
    found = plan_of(two)
    assert len(hunks(found, "good")) == 8
    assert hunks(found, "odd") == []
    told = [*found.problems, *found.faults]
    assert told
    for problem in told:
        assert problem.path == two / "odd" / "odd.py"
        assert "internal error, Odd: here" in problem.reason


def test_a_file_that_is_not_understood_does_not_take_its_group_along(
    two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # good.py uses odd.py only where it need not.
    (two / "odd.py").write_text("# odd\nx = 1\n")
    (two / "good" / "good.py").write_text(f"import odd\n{TRAIN}")
    (two / "odd" / "odd.py").unlink()
    patched(monkeypatch, "pinsetter.analyzer.names.module", "imports_of", root_odd)
    found = plan_of(two)
    assert [problem.path for problem in found.problems] == [two / "odd.py"]
    assert "not understood: internal error" in found.problems[0].reason


@pytest.mark.parametrize("error", [RecursionError(), MemoryError(), KeyError("x"), StopIteration()])
def test_whatever_the_error_is(
    error: Exception, two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = PREDICATES["means"]

    def failing(match: Match, argument: Any) -> Match | None:
        if is_odd(match):
            raise error
        return before(match, argument)

    monkeypatch.setitem(PREDICATES, "means", failing)
    found = plan_of(two)
    assert len(hunks(found, "good")) == 8
    assert found.faults
    assert all("\n" not in fault.reason for fault in found.faults)


# The commands.


@pytest.fixture
def simple(tmp_path: Path) -> Path:
    pack_of(tmp_path, KEYWORD, OTHER)
    (tmp_path / "tree").mkdir()
    for name in ("good", "odd"):
        (tmp_path / "tree" / f"{name}.py").write_text(TEXT)
    return tmp_path


def command(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *arguments: object
) -> tuple[int, str, str]:
    """What a command ends with and says, in this process."""
    monkeypatch.setattr(sys, "argv", ["pinsetter", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err, out + err
    return int(ended.value.code or 0), out, err


@pytest.mark.parametrize("mode", ["--check", "--diff", "--write"])
def test_a_rule_that_stumbles_leaves_the_others_of_its_file(
    mode: str, simple: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from pinsetter.patterns.applying.module_rules import ModuleRules

    def odd(rules: ModuleRules, match: Match, number: int) -> bool:
        return is_odd(rules) and match.rule.id == "keyword"

    patched(monkeypatch, f"{E}.propose.rule_query", "ModuleRules.outcome", odd)
    pack, tree = simple / "wrong.yaml", simple / "tree"
    code, _, said = command(monkeypatch, capfd, "run", pack, tree, mode)
    assert code == 2
    place = f"{tree / 'odd.py'}:1: not rewritten by keyword ({pack}:4): internal error, Odd: here"
    assert place in said
    assert "please report it; PINSETTER_DEBUG=1 shows more; --skip keyword" in said
    assert "hunks      3 proposed" in said
    written = mode == "--write"
    assert (tree / "odd.py").read_text() == ("how()\nbetter()\n" if written else TEXT)
    assert (tree / "good.py").read_text() == ("how(x=1)\nbetter()\n" if written else TEXT)
    skipped = command(monkeypatch, capfd, "run", pack, tree, "--check", "--skip", "keyword")
    assert skipped[0] == (0 if written else 1)


@pytest.mark.parametrize("name", ["ModuleRules.speaking_of", "names_meant", "resolves"])
def test_what_is_asked_once_for_many_rules(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Where that fails, each of them is asked by itself, and says so if it fails as well."""
    for file in ("good", "odd"):
        (tmp_path / f"{file}.py").write_text("import numpy as np\nnp.Inf\n")

    def odd(*given: Any) -> bool:
        return any(map(is_odd, given))

    patched(monkeypatch, "pinsetter.patterns.applying.module_rules", name, odd)
    code, _, said = command(monkeypatch, capfd, "run", "numpy-2", tmp_path, "--check")
    fails = name == "resolves"
    assert code == (2 if fails else 1), said
    assert f"hunks      {1 if fails else 2} proposed" in said
    assert ("odd.py:2: not rewritten by rename-Inf (" in said) == fails


def test_where_it_arose_is_shown_if_that_is_wanted(
    simple: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    patched(monkeypatch, f"{E}.propose.rule_query", "ModuleRules.outcome", any_odd)
    monkeypatch.setenv("PINSETTER_DEBUG", "1")
    monkeypatch.setattr(
        sys, "argv", ["pinsetter", "run", str(simple / "wrong.yaml"), str(simple), "--check"]
    )
    with pytest.raises(SystemExit):
        cli.main()
    assert "Traceback" in capfd.readouterr().err


def always(*_: Any) -> bool:
    return True


LATE = [
    ("run.print_problems", f"{E}.commands.summary", "print_problems", "--check"),
    ("run.counts", f"{E}.commands.summary", "counts", "--check"),
    ("run.document", f"{E}.report.output", "document", "--check --format json"),
    ("run.rendered", f"{E}.report.output", "rendered", "--check --format html"),
    ("run.patch", f"{E}.running.patch", "patch", "--diff"),
    ("run.unfit", f"{E}.running.patch", "unfit", "--diff"),
    ("run.review", f"{E}.review", "review", ""),
    ("run.admission", f"{E}.journal.write_accepted", "admission", "--write"),
    ("run.open_session", f"{E}.resume.earlier_decisions", "open_session", ""),
    ("run.locate", f"{E}.running.run", "locate", "--write"),
    ("run.warn", f"{E}.git.uncommitted", "warn", "--write"),
    ("run.load_all", "pinsetter.patterns.packs.pack", "load_all", "--check"),
    ("run.components", f"{E}.workers.halves", "components_of", "--check"),
    ("run.listing", "pinsetter.analyzer.roles.speaking_first", "Listing", "--check"),
    ("run.new_content", f"{E}.journal.write_accepted", "new_content", "--write"),
    ("run.arrivals", f"{E}.running.incoming", "Decisions.extend", "--check"),
]


@pytest.mark.parametrize(
    ("module", "name", "options"), [x[1:] for x in LATE], ids=[x[0] for x in LATE]
)
def test_a_run_that_fails_as_a_whole_says_so_and_writes_nothing(
    module: str,
    name: str,
    options: str,
    simple: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    patched(monkeypatch, module, name, always)
    arguments = [simple / "wrong.yaml", simple / "tree", *options.split()]
    code, _, said = command(monkeypatch, capfd, "run", *arguments)
    assert code == 2
    assert "internal error, Odd: here" in said
    assert "please report it; PINSETTER_DEBUG=1 shows more" in said
    assert (simple / "tree" / "odd.py").read_text() == TEXT


COMMANDS = [
    ("facts", "pinsetter.analyzer.programs.programs", "Programs.of"),
    ("facts", f"{E}.commands.facts", "Facts"),
    ("facts", f"{E}.commands.facts", "program_data"),
    ("facts --calls", f"{E}.commands.facts", "interpret"),
    ("facts --classes", f"{E}.commands.graph", "declared_classes"),
    ("restrictions", f"{E}.commands.restrictions_command", "Facts.restrictions"),
    ("restrictions", f"{E}.commands.restrictions_command", "Facts"),
    ("restrictions", f"{E}.commands.restrictions_command", "_summary"),
    ("undo", f"{E}.commands.undo", "open_runs"),
    ("recover", f"{E}.commands.recover", "open_runs"),
    ("decisions export", f"{E}.commands.decisions_command", "locate"),
]


@pytest.mark.parametrize(
    ("what", "module", "name"), COMMANDS, ids=[f"{c[0]}-{c[2]}" for c in COMMANDS]
)
def test_the_other_commands_end_alike(
    what: str,
    module: str,
    name: str,
    simple: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(simple / "tree")
    (simple / "tree" / "train.py").write_text(TRAIN)
    patched(monkeypatch, module, name, always)
    path = [] if what.startswith("decisions") else ["."]
    code, _, said = command(monkeypatch, capfd, *what.split(), *path)
    assert (code, "internal error, Odd: here" in said) == (2, True), said


def test_facts_go_on_without_a_file(
    simple: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (simple / "tree" / "odd.py").write_text(f"# odd\n{TEXT}")
    (simple / "tree" / "good.py").write_text(TRAIN)
    patched(monkeypatch, "pinsetter.analyzer.names.module", "imports_of", root_odd)
    for what in ("facts", "restrictions"):
        code, out, said = command(monkeypatch, capfd, what, simple / "tree")
        assert code == 2
        assert f"{simple / 'tree' / 'odd.py'}: not understood: internal error, Odd: here" in said
        assert "good.py" in out or "violation" in out


def test_a_review_has_what_was_found_before_the_scan_failed(
    simple: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from pinsetter.codemods.engine.propose.planning import plans
    from pinsetter.codemods.engine.running.incoming import Arrivals
    from pinsetter.codemods.engine.stream.scan import Scan
    from pinsetter.patterns.packs import pack as packs
    from pinsetter.patterns.packs.pack import Pack

    pack = packs.load(simple / "wrong.yaml")
    assert isinstance(pack, Pack)

    def parts() -> Iterator[tuple[Planned, bool]]:
        for planned, _ in plans([PackQuery(pack, [])], [simple / "tree" / "good.py"]):
            yield planned, False
        raise Odd("here")

    arrivals = Arrivals([], None, simple)
    scan = Scan(parts())
    arrivals.first_of(scan)
    while arrivals.more_of(scan, True):
        pass
    assert len(arrivals.planned.plan.slots) == 2
    assert [problem.reason for problem in arrivals.planned.problems] == [
        "not all files were read: internal error, Odd: here"
    ]
    assert "Traceback" not in capfd.readouterr().err
