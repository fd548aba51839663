"""Comments that keep rules from places: which are read, what they cover, what follows from them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from commands import HUNKS, TRAIN, run, tape_pack
from hypothesis import given, settings
from hypothesis import strategies as st

from pinsetter.analyzer.files.source import Source, decode
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.module import Module, analyse
from pinsetter.analyzer.syntax.tree import leaves
from pinsetter.codemods.engine.hunks.hunk import Hunk
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.hunks.suppression import comment_edit, suppressions
from pinsetter.codemods.engine.propose.plan_options import PlanOptions
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.edits.edit import Edit, apply
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack


def module(text: str, encoding: str = "utf-8") -> Module:
    source = decode(Path("a.py"), text.encode(encoding))
    assert isinstance(source, Source), source
    found = analyse(source, "a")
    assert isinstance(found, Module), found
    return found


def covered(text: str, rule: str = "r") -> list[int]:
    """The lines of ``text`` on which its comments suppress ``rule``."""
    made = module(text)
    comments, notes = suppressions(made)
    assert notes == []
    lines = range(1, text.count("\n") + 2)
    return [line for line in lines if any(c.covers(rule, {line}) for c in comments)]


@cache
def pack() -> Pack:
    return tape_pack()


def planned(path: Path, text: str, include_generated: bool = False) -> Planned:
    path.write_bytes(text.encode("utf-8"))
    # What is said of any such program is left out.
    skip = frozenset({"same-samples"})
    return make_plan([PackQuery(pack(), [])], [path], skip, options=PlanOptions(include_generated))


def rules(found: Planned) -> list[str]:
    return [hunk.rule for hunk in found.plan.hunks if not hunk.follows]


# ---------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 1\n",
        "x = 1  # ignore[r]\n",
        "x = 1  # pinsetter\n",
        "x = 1  # pinsetter: see the manual\n",
        "x = 1  # mypinsetter: ignore[r]\n",
        "x = 1  # write '# pinsetter: ignore[r]' here\n",
        "x = '# pinsetter: ignore[r]'\n",
        "x = '''\n# pinsetter: ignore[r]\n'''\n",
        "x = f'''\n# pinsetter: ignore[r]\n{x}'''\n",
        "x = '''  # pinsetter: ignore[r]'''\n",
        "x = 1  # pinsetter: ignore[other]\n",
        "x = 1  # pinsetter: ignore[R]\n",
        "# pinsetter: ignore-file[other]\nx = 1\n",
        "# pinsetter: ignore[r]\n\nx = 1\n",
    ],
)
def test_comments_that_suppress_nothing_on_code(text: str) -> None:
    made = module(text)
    comments, notes = suppressions(made)
    assert notes == []
    code = [n for n, line in enumerate(text.splitlines(), 1) if line[:1] not in ("#", "")]
    assert not any(comment.covers("r", {line}) for comment in comments for line in code)


@pytest.mark.parametrize(
    ("comment", "names", "reason"),
    [
        ("# pinsetter: ignore[a]", ("a",), ""),
        ("# pinsetter: ignore[a] by hand", ("a",), "by hand"),
        ("#pinsetter:ignore[a,b-c]because", ("a", "b-c"), "because"),
        ("#: Pinsetter", None, ""),
        ("# Pinsetter: ignore[ a ,  b , a ]   why not  ", ("a", "b"), "why not"),
        ("# pinsetter: ignore", (), ""),
        ("# pinsetter: ignore measured: no gain", (), "measured: no gain"),
        ("# noqa  # pinsetter: ignore[a] why", ("a",), "why"),
        ("# pinsetter: ignore[a] why  # noqa", ("a",), "why"),
        ("# type: ignore # pinsetter: ignore[a]", ("a",), ""),
        ("# pinsetter: ignore[a] issue#12", ("a",), "issue#12"),
    ],
)
def test_what_a_comment_says(comment: str, names: tuple[str, ...] | None, reason: str) -> None:
    found, notes = suppressions(module(f"x = 1  {comment}\n"))
    assert notes == []
    if names is None:
        assert found == []
    else:
        assert [(one.rules, one.reason) for one in found] == [(names, reason)]


def test_one_line_may_have_several() -> None:
    found, _ = suppressions(module("x = 1  # pinsetter: ignore[a] y # pinsetter: ignore[b] z\n"))
    assert [(one.rules, one.reason) for one in found] == [(("a",), "y"), (("b",), "z")]


@pytest.mark.parametrize(
    ("comment", "note"),
    [
        ("# pinsetter: ignroe[a]", "`pinsetter: ignroe` is not known (did you mean ignore?)"),
        ("# pinsetter: Ignore", "`pinsetter: Ignore` is not known (did you mean ignore?)"),
        ("# pinsetter: ignore_file", "is not known (did you mean ignore-file?)"),
        ("# pinsetter: ignore[a", "the bracket is not closed"),
        ("# pinsetter: ignore[]", "names no rule"),
        ("# pinsetter: ignore[a,]", "names no rule"),
    ],
)
def test_what_is_not_understood_is_noted(comment: str, note: str) -> None:
    found, notes = suppressions(module(f"y = 2\nx = 1  {comment}\n"))
    assert found == []
    assert [problem.line for problem in notes] == [2]
    assert note in str(notes[0])


# ---------------------------------------------------------------- what is covered


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a()\nb()  # pinsetter: ignore[r]\nc()\n", [2]),
        ("a()\nb()  # pinsetter: ignore\nc()\n", [2]),
        ("b()  # pinsetter: ignore[r]", [1]),
        # above: the comment's own line belongs to it, for what would be inserted there
        ("a()\n# pinsetter: ignore[r]\nb()\nc()\n", [2, 3]),
        ("a()\n# pinsetter: ignore[r]\n# and more\nb()\nc()\n", [2, 3, 4]),
        ("a()\n# pinsetter: ignore[r]\n\nb()\n", [2]),
        ("# pinsetter: ignore[r]\nf(\n    a,\n    b,\n)\nc()\n", [1, 2, 3, 4, 5]),
        ("f(\n    # pinsetter: ignore[r]\n    a,\n    b,\n)\n", [2, 3]),
        # the head of a block, not its body
        ("# pinsetter: ignore[r]\nwith a:\n    b()\n", [1, 2]),
        ("# pinsetter: ignore[r]\nwith a(\n    x\n):\n    b()\n", [1, 2, 3, 4]),
        ("with a:  # pinsetter: ignore[r]\n    b()\n", [1]),
        ("if a:\n    # pinsetter: ignore[r]\n    b()\n    c()\n", [2, 3]),
        ("if a:\n    b()\n    # pinsetter: ignore[r]\nc()\n", [3, 4]),
        ("if a:\n    b()\n# pinsetter: ignore[r]\nelse:\n    c()\n", [3, 4]),
        ("# pinsetter: ignore[r]\n@d\ndef f():\n    pass\n", [1, 2]),
        ("@d\n# pinsetter: ignore[r]\ndef f():\n    pass\n", [2, 3]),
        # of several lines: at the first it is for that one, at the last for all
        ("f(  # pinsetter: ignore[r]\n    a,\n    b,\n)\n", [1]),
        ("f(\n    a,  # pinsetter: ignore[r]\n    b,\n)\n", [2]),
        ("f(\n    a,\n    b,\n)  # pinsetter: ignore[r]\nc()\n", [1, 2, 3, 4]),
        ("with a(\n    x\n):  # pinsetter: ignore[r]\n    b()\n", [1, 2, 3]),
        ("x = '''\n'''  # pinsetter: ignore[r]\n", [1, 2]),
        ("x = 1 + \\\n    2  # pinsetter: ignore[r]", [1, 2]),
        ("\ufeff# pinsetter: ignore[r]\na()\nb()\n", [1, 2]),
        ("# pinsetter: ignore[r]", [1]),
        # the whole file
        ("# pinsetter: ignore-file[r]\na()\nb()\n", [1, 2, 3, 4]),
        ('"""Doc."""\n\n# pinsetter: ignore-file\na()\n', [1, 2, 3, 4, 5]),
    ],
)
def test_the_lines_a_comment_covers(text: str, lines: list[int]) -> None:
    assert covered(text) == lines


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends_make_no_difference(newline: str) -> None:
    text = "a()\n# pinsetter: ignore[r] why\nf(\n    b,\n)\nc()\n"
    found, _ = suppressions(module(text.replace("\n", newline)))
    assert [(one.line, one.reason, one.lines) for one in found] == [(2, "why", range(2, 6))]


@pytest.mark.parametrize(
    "text",
    [
        "a()\n# pinsetter: ignore-file[r]\nb()\n",
        "a()  # pinsetter: ignore-file[r]\n",
        "def f():\n    # pinsetter: ignore-file\n    pass\n",
        '"""Doc."""  # pinsetter: ignore-file\n',
    ],
)
def test_ignore_file_holds_only_at_the_top(text: str) -> None:
    found, notes = suppressions(module(text))
    assert found == []
    assert "own before the first statement (move it up)" in str(notes[0])


# ---------------------------------------------------------------- what follows


def test_without_comments_all_is_proposed(tmp_path: Path) -> None:
    found = planned(tmp_path / "train.py", TRAIN)
    assert len(rules(found)) == HUNKS
    assert found.suppressed == []
    assert found.notes == []


def test_a_suppressed_hunk_is_left_out_and_the_others_are_not(tmp_path: Path) -> None:
    text = TRAIN.replace(
        "print(number)", "print(number)  # pinsetter: ignore[print-on-first-worker]"
    )
    found = planned(tmp_path / "train.py", text)
    assert len(rules(found)) == HUNKS - 1
    assert "print-on-first-worker" not in rules(found)
    assert [(one.rule.id, one.line, one.by.line) for one in found.suppressed] == [
        ("print-on-first-worker", 17, 17)
    ]
    assert found.reports == found.notes == []


def test_what_requires_it_is_left_out_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    started = TRAIN.replace("\nmodel", "\nimport horovod.tensorflow as hvd\nmodel", 1)
    found = planned(path, started.replace("as tape:", "as tape:  # pinsetter: ignore a trial"))
    assert rules(found) == ["initialise-horovod", "pin-gpu", "print-on-first-worker"]
    assert [one.rule.id for one in found.suppressed] == ["average-gradients"]
    said = {report.rule.id: report.text for report in found.reports}
    assert said.keys() == {"scale-learning-rate", "broadcast-after-first-step", "divide-steps"}
    why = f"it requires average-gradients, which is suppressed by a comment ({path}:9)."
    assert said["divide-steps"] == f"Not proposed: {why}"


ESSENTIAL = "  # pinsetter: ignore[average-gradients] by hand\n"


def test_a_program_without_what_is_essential_is_refused(tmp_path: Path) -> None:
    text = TRAIN.replace("as tape:\n", f"as tape:{ESSENTIAL}")
    found = planned(tmp_path / "train.py", text)
    assert rules(found) == found.notes == []
    (refused,) = found.refused
    assert "average-gradients: It is essential for the program" in refused.reason
    assert "would not be averaged" in refused.reason
    assert refused.line == text[: text.index("as tape:")].count("\n") + 1


def test_what_is_essential_is_suppressed_with_a_warning(tmp_path: Path) -> None:
    """Where Horovod is used already, the program may have it in a way of its own."""
    text = TRAIN.replace("as tape:\n", f"as tape:{ESSENTIAL}").replace(
        "\nmodel", "\nimport horovod.tensorflow as hvd\nhvd.init()\n\nmodel", 1
    )
    found = planned(tmp_path / "train.py", text)
    assert "average-gradients" not in rules(found)
    (note,) = [note for note in found.notes if "average-gradients" in note.reason]
    assert "essential" in note.reason
    assert "would not be averaged" in note.reason
    assert note.line == text[: text.index("as tape:")].count("\n") + 1


def test_no_warning_of_what_is_essential_where_nothing_is_rewritten(tmp_path: Path) -> None:
    assert planned(tmp_path / "train.py", f"# pinsetter: ignore-file\n{TRAIN}").notes == []


def test_what_requires_it_indirectly_is_left_out_with_a_reason_too(tmp_path: Path) -> None:
    text = TRAIN.replace("as tf\n", "as tf  # pinsetter: ignore[initialise-horovod]\n")
    found = planned(tmp_path / "train.py", text)
    assert found.plan.hunks == []
    assert len(found.suppressed) == 1
    assert {report.rule.id for report in found.reports} == {
        "pin-gpu", "average-gradients", "print-on-first-worker",
        "scale-learning-rate", "broadcast-after-first-step", "divide-steps",
    }  # fmt: skip
    assert not any("import-" in report.text for report in found.reports)


def test_a_file_may_be_left_alone_as_a_whole(tmp_path: Path) -> None:
    found = planned(tmp_path / "train.py", f"# pinsetter: ignore-file not ours\n{TRAIN}")
    assert found.plan.hunks == found.reports == found.notes == []
    assert len([one for one in found.suppressed if one.rule.edits]) == HUNKS


def test_a_suppressed_refusal_refuses_nothing(tmp_path: Path) -> None:
    line = "strategy = tf.distribute.MultiWorkerMirroredStrategy()"
    text = TRAIN.replace("\nmodel", f"\n{line}\nmodel", 1)
    refused = planned(tmp_path / "train.py", text)
    assert len(refused.refused) == 1
    assert refused.plan.hunks == []
    allowed = planned(tmp_path / "train.py", text.replace(line, f"{line}  # pinsetter: ignore"))
    assert allowed.refused == []
    assert len(rules(allowed)) == HUNKS
    assert [one.rule.id for one in allowed.suppressed] == ["strategy-in-use"]


@pytest.mark.parametrize(
    ("comment", "note"),
    [
        ("ignore", "unused suppression: no rule has anything to suppress here (remove it)"),
        ("ignore[pin-gpu]", "pin-gpu has nothing to suppress here (its hunks are on line 2)"),
        ("ignore[save-on-first-worker]", "save-on-first-worker has nothing to suppress here"),
        ("ignore[pin-gup]", "there is no rule 'pin-gup' to suppress (did you mean pin-gpu?)"),
        ("ignore[nonsense]", "there is no rule 'nonsense' to suppress (remove it)"),
    ],
)
def test_what_suppresses_nothing_is_noted(tmp_path: Path, comment: str, note: str) -> None:
    path = tmp_path / "train.py"
    found = planned(path, TRAIN.replace("return loss", f"return loss  # pinsetter: {comment}"))
    assert len(rules(found)) == HUNKS
    assert [(one.path, one.line) for one in found.notes] == [(path, 12)]
    assert note in str(found.notes[0])


def test_a_suppression_for_another_codemod_is_in_order(tmp_path: Path) -> None:
    other = packs.load(pack_files.find("tf1-session") or Path())
    assert isinstance(other, Pack)
    rule = next(rule.id for rule in other.rules if pack().rule(rule.id) is None)
    text = TRAIN.replace("return loss", f"return loss  # pinsetter: ignore[{rule}]")
    assert planned(tmp_path / "train.py", text).notes == []


def test_a_suppression_for_another_api_s_pack_of_the_same_run_is_in_order(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    found = packs.load_all(pack_files.find("distribute") or Path())
    assert isinstance(found, tuple)
    rule = next(r.id for p in found for r in p.rules if pack().rule(r.id) is None)
    path.write_text(TRAIN.replace("return loss", f"return loss  # pinsetter: ignore[{rule}]"))
    planned_by_all = make_plan([PackQuery(one, []) for one in found], [path])
    assert len(rules(planned_by_all)) == HUNKS
    assert planned_by_all.notes == []


def test_an_option_s_rule_may_be_suppressed_when_it_is_not_chosen(tmp_path: Path) -> None:
    rule = next(rule.id for rule in pack().rules if rule.option)
    text = TRAIN.replace("return loss", f"return loss  # pinsetter: ignore[{rule}]")
    assert planned(tmp_path / "train.py", text).notes == []


def test_one_rule_of_several_may_be_unused(tmp_path: Path) -> None:
    comment = "# pinsetter: ignore[print-on-first-worker, pin-gpu]"
    found = planned(
        tmp_path / "train.py", TRAIN.replace("print(number)", f"print(number)  {comment}")
    )
    assert len(found.suppressed) == 1
    assert ["pin-gpu has nothing" in str(note) for note in found.notes] == [True]


# ---------------------------------------------------------------- writing one


def hunk_at(made: Module, line: int, start: int | None = None) -> Hunk:
    offset = made.source.text.index(made.tree.text_of_line(line)) if start is None else start
    edits = (Edit(offset, offset, "x"),)
    return Hunk(id="h", rule="r", title="", why="", module=made, line=line, edits=edits)


@pytest.mark.parametrize(
    ("text", "line", "wanted"),
    [
        ("a()\nb()\n", 2, "a()\nb()  # pinsetter: ignore[r] why\n"),
        ("b()", 1, "b()  # pinsetter: ignore[r] why"),
        ("b()  # noqa\n", 1, "b()  # noqa  # pinsetter: ignore[r] why\n"),
        ("\ufeffb()\r\nc()\r\n", 1, "\ufeffb()  # pinsetter: ignore[r] why\r\nc()\r\n"),
        ("b()\rc()\r", 2, "b()\rc()  # pinsetter: ignore[r] why\r"),
        ("if a: b()\n", 1, "if a: b()  # pinsetter: ignore[r] why\n"),
        ("f(\n    a,\n)\n", 2, "f(\n    a,  # pinsetter: ignore[r] why\n)\n"),
        # no comment can follow a backslash, or be within a string
        (
            "if a:\n    x = b + \\\n        c\n", 2,
            "if a:\n    # pinsetter: ignore[r] why\n    x = b + \\\n        c\n",
        ),
        (
            "x = f('''\n''')\n", 1,
            "# pinsetter: ignore[r] why\nx = f('''\n''')\n",
        ),
        (
            "\ufeffx = f('''\n''')\n", 1,
            "\ufeff# pinsetter: ignore[r] why\nx = f('''\n''')\n",
        ),
        ("f(\n    '''\n''', a)\n", 2, "# pinsetter: ignore[r] why\nf(\n    '''\n''', a)\n"),
        ("if a:\n\tf(b, '''\n\t''')\n", 2,
         "if a:\n\t# pinsetter: ignore[r] why\n\tf(b, '''\n\t''')\n"),
    ],
)  # fmt: skip
def test_where_a_comment_is_put(text: str, line: int, wanted: str) -> None:
    made = module(text)
    edit = comment_edit(made, hunk_at(made, line), "why")
    assert isinstance(edit, Edit)
    assert apply(text, [edit]) == wanted


def test_a_reason_is_one_line(tmp_path: Path) -> None:
    made = module("b()\n")
    edit = comment_edit(made, hunk_at(made, 1), " not\r\nhere\tthanks ")
    assert isinstance(edit, Edit)
    assert edit.text == "  # pinsetter: ignore[r] not here thanks"


def test_a_reason_that_the_file_s_encoding_lacks_is_a_problem() -> None:
    made = module("# coding: latin-1\nb('\xe4')\n", "latin-1")
    found = comment_edit(made, hunk_at(made, 2), "\u4e0d")
    assert isinstance(found, Problem)
    assert "does not fit" in found.reason
    assert isinstance(comment_edit(made, hunk_at(made, 2), "sch\xf6n"), Edit)


SHAPES = {
    "plain": TRAIN,
    "crlf": TRAIN.replace("\n", "\r\n"),
    "no end": TRAIN.rstrip("\n"),
    "head": f'#!/usr/bin/env python\n# coding: utf-8\n"""Train."""\n{TRAIN}',
    "no imports first": "#!/usr/bin/env python\n# coding: utf-8\n" + TRAIN.replace(
        "import tensorflow as tf", "import numpy\nimport tensorflow as tf"),
    "wide": TRAIN.replace("zip(gradients, model", "zip(\n        gradients, model").replace(
        "SGD(0.1)", "SGD(\n    learning_rate=0.1,\n    name='''sgd\n'''.strip(),\n)"),
    "backslash": TRAIN.replace("model = ", "model = \\\n    ").replace(
        "optimizer = ", "optimizer = \\\n    "),
}  # fmt: skip


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES)
def test_a_comment_suppresses_its_hunk_in_the_next_run(tmp_path: Path, text: str) -> None:
    path = tmp_path / "train.py"
    first = planned(path, text)
    assert len(rules(first)) == HUNKS
    for hunk in first.plan.hunks:
        if hunk.follows:
            continue
        edit = comment_edit(hunk.module, hunk, "not here")
        assert isinstance(edit, Edit), (hunk.rule, edit)
        again = planned(path, apply(text, [edit]))
        assert hunk.rule not in rules(again), (hunk.rule, apply(text, [edit]))
        assert hunk.rule in [one.rule.id for one in again.suppressed]
        assert [n for n in again.notes if "is essential" not in n.reason] == [], hunk.rule


LINES = st.sampled_from(
    [
        "a()", "f(", "    b,", ")", "x = '''", "'''", "y = 1 + \\", "    2", "# c", "",
        "if a:", "    d()  # e", "else:", "s = 'q'", "\tz()", "@d", "def g(): pass",
    ]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(LINES, max_size=8), st.sampled_from(["\n", "\r\n", "\r"]), st.data())
def test_a_comment_changes_no_code(lines: list[str], newline: str, data: st.DataObject) -> None:
    source = decode(Path("a.py"), newline.join(lines).encode())
    assert isinstance(source, Source)
    made = analyse(source, "a")
    if isinstance(made, Problem) or not source.text.strip():
        return
    starts = [0, *made.tree.lines_in(0, len(source.text))]
    number = data.draw(st.integers(1, len(starts)))
    found = comment_edit(made, hunk_at(made, number, starts[number - 1]), "why")
    if isinstance(found, Problem):
        assert "'''" in source.text or "\\" in source.text
        return
    changed = module(apply(source.text, [found]))
    assert [leaf.value for leaf in leaves(changed.tree.root)] == [
        leaf.value for leaf in leaves(made.tree.root)
    ]
    assert any(one.rules == ("r",) for one in suppressions(changed)[0])


# ---------------------------------------------------------------- the command


def test_the_summary_counts_and_the_notes_are_said(script: Path) -> None:
    text = TRAIN.replace(
        "print(number)", "print(number)  # pinsetter: ignore[print-on-first-worker]"
    )
    text = text.replace("return loss", "return loss  # pinsetter: ignore[pin-gup]")
    script.write_text(text)
    result = run("--write", script)
    assert result.code == 0
    assert "suppressed 1 by comments\n" in result.err
    assert f"{script}:12: note: there is no rule 'pin-gup' to suppress" in result.err
    assert "    print(number)  # pinsetter" in script.read_text()


STARTED = TRAIN.replace(
    "import tensorflow as tf\n",
    "import tensorflow as tf\nimport horovod.tensorflow as hvd\nhvd.init()\n{comment}\n",
)


@pytest.mark.parametrize(
    ("comment", "proposed"),
    [
        ("", True),
        ("# pinsetter: ignore[print-on-first-worker]", True),
        ("# pinsetter: ignore[pin-gpu] they have none", False),
    ],
)
def test_a_rule_for_whole_files_is_suppressed_with_what_takes_its_place(
    tmp_path: Path, comment: str, proposed: bool
) -> None:
    text = STARTED.format(comment="x = 1") + f"\n\ny = 2  {comment}\n"
    found = planned(tmp_path / "train.py", text)
    assert ("pin-gpu-where-started" in rules(found)) is proposed
    notes = [note.reason for note in found.notes if "pin-gpu" in note.reason]
    assert notes == []


def test_a_rule_for_whole_files_is_skipped_with_what_takes_its_place(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(STARTED.format(comment=""))

    def proposed(*skip: str) -> list[str]:
        return rules(make_plan([PackQuery(pack(), [])], [path], frozenset(skip)))

    assert "pin-gpu-where-started" in proposed("average-gradients")
    assert "pin-gpu-where-started" not in proposed("pin-gpu")
    assert "pin-gpu-where-started" not in proposed("pin-gpu-where-started")
