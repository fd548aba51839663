"""A program is rewritten whole or not at all, whatever of it was given."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from commands import BIN, FRONT_ENDS, HUNKS, REPOSITORY, TRAIN, all_packs, run
from prepared import as_nobody, open_folder

from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.plan_options import PlanOptions
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery

DEMO = REPOSITORY / "fixtures" / "demo"
KERAS = REPOSITORY / "fixtures" / "programs" / "keras_two_modules"
DISTRIBUTE = [str(BIN / "pinsetter"), "run", "distribute"]
SAY = "def say(text):\n    print(text)\n"


def planned(*paths: Path, whole: bool = False, writes: bool = False) -> Planned:
    queries = [PackQuery(pack, []) for pack in all_packs()]
    return make_plan(queries, paths, options=PlanOptions(whole_programs=whole, writes=writes))


def names(found: Planned) -> set[str]:
    return {hunk.module.path.name for hunk in found.plan.hunks}


def refused(found: Planned) -> dict[str, str]:
    return {problem.path.name: str(problem) for problem in found.refused}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def sources(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.py")}


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DEMO, tmp_path / "demo"))


# Nothing is the matter.


def test_a_whole_program_needs_nothing_else(demo: Path) -> None:
    for paths in ([demo], [demo / "train.py", demo / "trainer.py"]):
        found = planned(*paths)
        assert names(found) == {"train.py", "trainer.py"}
        assert found.refused == found.notes == []


def test_what_else_is_in_the_folder_does_not_matter(tmp_path: Path) -> None:
    folder = write(tmp_path, {"train.py": TRAIN, "other.py": TRAIN, "plain.py": "print(1)\n"})
    found = planned(folder / "train.py")
    assert names(found) == {"train.py"}
    assert len([hunk for hunk in found.plan.hunks if not hunk.follows]) == HUNKS
    assert found.refused == found.notes == []


def test_a_helper_with_nothing_but_prints_may_stay_as_it_is(tmp_path: Path) -> None:
    folder = write(tmp_path, {"helper.py": SAY, "train.py": f"import helper\n{TRAIN}"})
    found = planned(folder / "train.py")
    assert names(found) == {"train.py"}
    assert found.refused == []
    (note,) = found.notes
    assert note.path.name == "helper.py"
    assert note.reason == "the file was not given: 1 hunk left out"


def test_a_helper_alone_is_left_alone(tmp_path: Path) -> None:
    folder = write(tmp_path, {"helper.py": SAY, "train.py": f"import helper\n{TRAIN}"})
    found = planned(folder / "helper.py")
    assert found.plan.hunks == found.refused == []
    assert any("belongs into a file that was not given" in note.text for note in found.reports)


def test_a_module_of_a_program_that_is_started_already(tmp_path: Path) -> None:
    """As in a hook that runs on what was changed."""
    train = f"import helper\n{TRAIN}"
    write(tmp_path, {"helper.py": "X = 1\n", "train.py": train})
    assert run(tmp_path, "--write", command=DISTRIBUTE).code == 0
    (tmp_path / "helper.py").write_text(SAY)
    found = planned(tmp_path / "helper.py")
    assert found.plan.hunks == found.refused == []
    (report,) = found.reports
    assert report.module.path.name == "train.py"
    assert report.text.endswith("Left out: print-on-first-worker (1).")


def test_what_does_not_train_is_of_no_concern(tmp_path: Path) -> None:
    files = {"helper.py": SAY, "show.py": "import helper\nhelper.say(1)\n"}
    found = planned(write(tmp_path, files) / "helper.py")
    assert found.plan.hunks == found.refused == found.notes == []
    assert found.unreached == [tmp_path / "helper.py"]


# Something is missing.


def test_what_was_not_given_is_named(demo: Path) -> None:
    found = planned(demo / "train.py")
    assert found.plan.hunks == []
    said = [str(problem) for problem in found.refused]
    assert said == [
        f"{demo}/trainer.py:20: refused: average-gradients: The file was not given, and not "
        f"rewritten. Its gradients would not be averaged. (needed by {demo}/train.py: give it, "
        "too, or --whole-program)",
        f"{demo}/trainer.py:24: refused: broadcast-after-first-step: The file was not given, and "
        "not rewritten. Its workers would not start from the same values. (needed by "
        f"{demo}/train.py: give it, too, or --whole-program)",
    ]


def test_the_entry_script_is_named(demo: Path) -> None:
    found = planned(demo / "trainer.py")
    assert found.plan.hunks == []
    (said,) = found.refused
    assert said.path == demo / "train.py"
    assert "initialise-horovod, pin-gpu: The file was not given" in said.reason
    assert said.hint == "the program starts there: give it, too, or --whole-program"


def test_paths_are_shown_from_where_they_are_given(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demo)
    assert {str(p.path) for p in planned(Path("train.py")).refused} == {"trainer.py"}
    monkeypatch.chdir(demo / "models")
    assert {str(p.path) for p in planned(Path("../train.py")).refused} == {"../trainer.py"}


def test_what_compiles_a_keras_model_is_needed() -> None:
    assert set(refused(planned(KERAS / "main.py"))) == {"model.py"}
    assert set(refused(planned(KERAS / "model.py"))) == {"main.py"}


def test_an_ignored_module_is_named(demo: Path) -> None:
    (demo / ".pinsetterignore").write_text("trainer.py\n")
    for found in (planned(demo), planned(demo / "train.py", whole=True)):
        assert found.plan.hunks == []
        assert "The file is ignored, and not rewritten." in refused(found)["trainer.py"]
    assert planned(demo, demo / "trainer.py").refused == []


def test_a_read_only_module_is_named() -> None:
    with open_folder() as folder:
        shutil.copytree(DEMO, folder / "demo")
        for path in (folder / "demo").rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o666)
        (folder / "demo").chmod(0o777)
        (folder / "demo" / "trainer.py").chmod(0o444)

        def look() -> None:
            said = refused(planned(folder / "demo", writes=True))
            assert "The file is read-only, and not rewritten." in said["trainer.py"]
            assert planned(folder / "demo").refused == [], "nothing is to be written"

        as_nobody(look)


def test_a_program_of_which_only_the_essential_is_there_is_not_half_rewritten(
    tmp_path: Path,
) -> None:
    """Nothing would be rewritten in what was given, but it would seem that all was done."""
    started = "import horovod.tensorflow as hvd\nhvd.init()\n"
    files = {
        "train.py": f"import tensorflow as tf\n{started}import step\nstep.step(tf.ones([4, 1]))\n",
        "step.py": TRAIN[: TRAIN.index("for number")],
    }
    found = planned(write(tmp_path, files) / "train.py")
    assert found.plan.hunks == []
    assert set(refused(found)) == {"step.py"}


def test_no_place_is_found_for_what_is_essential(tmp_path: Path) -> None:
    """Without gradients to be averaged nothing else makes sense."""
    text = TRAIN.replace("tape.gradient(loss, ", "elsewhere(tape, loss, ")
    found = planned(write(tmp_path, {"train.py": text}))
    assert found.plan.hunks == []
    line = next(n for n, one in enumerate(text.splitlines(), 1) if "apply_gradients(" in one)
    said = [str(problem) for problem in found.refused]
    assert said[0] == (
        f"{tmp_path}/train.py: refused: average-gradients: no place for it was found; it trains at "
        f"{tmp_path}/train.py:{line} (gradient_tape). Its gradients would not be averaged. "
        "(if it trains nothing, name it in .pinsetterignore)"
    )


# Others use the same.

USES = {
    "network.py": "import tensorflow as tf\n\n\ndef make():\n"
                  "    return tf.keras.optimizers.Adam(0.1)\n\n\n" + SAY,
    "train.py": "import network\n"
                + TRAIN.replace("tf.keras.optimizers.SGD(0.1)", "network.make()"),
    "predict.py": "import network\nnetwork.say(network.make())\n",
}  # fmt: skip


def test_programs_that_were_not_given_keep_running(tmp_path: Path) -> None:
    folder = write(tmp_path, USES)
    for found in (
        planned(folder / "train.py", folder / "network.py"),
        planned(folder / "train.py", whole=True),
    ):
        assert names(found) == {"train.py", "network.py"}
        shared = [h for h in found.plan.hunks if h.module.path.name == "network.py"]
        assert "hvd.is_initialized()" in "".join(e.text for h in shared for e in h.edits)
        assert any("predict.py" in warning for hunk in shared for warning in hunk.warnings)


def test_a_program_that_would_break_was_not_given(tmp_path: Path) -> None:
    step = TRAIN[: TRAIN.index("for number")]
    main = "import tensorflow as tf\nfrom step import step\nstep(tf.ones([4, 1]))\n"
    folder = write(tmp_path, {"step.py": step, "main.py": main, "other.py": main})
    found = planned(folder / "main.py", folder / "step.py")
    assert found.plan.hunks == []
    assert "other.py" in refused(found)["step.py"]
    assert names(planned(folder)) == {"step.py", "main.py", "other.py"}


# All of it is taken along.


@pytest.mark.parametrize("given", ["train.py", "trainer.py", "models", "data.py"])
def test_the_same_as_with_the_folder(given: str, tmp_path: Path) -> None:
    one = Path(shutil.copytree(DEMO, tmp_path / "one"))
    other = Path(shutil.copytree(DEMO, tmp_path / "other"))
    assert run(one / given, "--write", command=DISTRIBUTE).code == (
        2 if given.startswith("train") else 0
    )
    assert sources(one) == sources(DEMO)
    assert run(one / given, "--write", "--whole-program", command=DISTRIBUTE).code == 0
    assert run(other, "--write", command=DISTRIBUTE).code == 0
    assert sources(one) == sources(other) != sources(DEMO)


def test_what_lies_above_is_written_and_undone(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    write(tmp_path, {"lib/step.py": TRAIN[: TRAIN.index("for number")], "lib/__init__.py": "",
                     "bin/main.py": "import tensorflow as tf\nfrom lib.step import step\n"
                                    "step(tf.ones([4, 1]))\n"})  # fmt: skip
    before = sources(tmp_path)
    assert run("bin/main.py", "--write", cwd=tmp_path, command=DISTRIBUTE).code == 2
    whole = run("bin/main.py", "--write", "--whole-program", cwd=tmp_path, command=DISTRIBUTE)
    assert whole.code == 0, whole.err
    assert b"DistributedGradientTape" in (tmp_path / "lib" / "step.py").read_bytes()
    assert run(cwd=tmp_path, command=[*DISTRIBUTE[:1], "undo"]).code == 0
    assert sources(tmp_path) == before


def test_a_patch_has_names_that_can_be_applied(demo: Path) -> None:
    done = run("train.py", "--diff", "--whole-program", cwd=demo, command=DISTRIBUTE)
    assert b"--- a/trainer.py\n" in done.out


# What was not looked at is said.


def test_the_summary_says_what_no_program_reaches(demo: Path) -> None:
    write(demo, {"lib/a.py": "", "lib/b.py": "x = 1\n", ".gitignore": "generated/\n",
                 "generated/c.py": "x = 1\n"})  # fmt: skip
    done = run(".", "--check", cwd=demo, command=DISTRIBUTE)
    assert "left alone 2 file(s) of no program that this codemod is for: lib/a.py, lib/b.py\n" in (
        done.err
    )
    assert "ignored    1 files and folders: generated\n" in done.err
    report = run(".", "--check", "--format", "json", cwd=demo, command=DISTRIBUTE)
    left = {one["path"]: one["why"] for one in json.loads(report.out)["left_alone"]}
    assert left == {"lib/a.py": "no-program", "lib/b.py": "no-program", "generated": "ignored"}


@pytest.mark.parametrize("mode", ["--check", "--diff", "--write"])
def test_every_mode_refuses(mode: str, demo: Path) -> None:
    done = run(demo / "train.py", mode, command=DISTRIBUTE)
    assert done.code == 2
    assert "trainer.py:20: refused: " in done.err
    assert b"hvd" not in done.out
    assert sources(demo) == sources(DEMO)


# Decisions of before.


def exported(folder: Path, *left_out: str) -> Path:
    """What a person accepted, but for some rules."""
    file = folder.parent / "approved.json"
    queries = [PackQuery(pack, []) for pack in all_packs()]
    hunks = [h for h in make_plan(queries, [folder]).plan.hunks if not h.follows]
    decisions = [
        {
            "hunk": hunk.id, "rule": hunk.rule, "line": hunk.line, "pack": "tf2-gradient-tape",
            "path": str(hunk.module.path.relative_to(folder)), "digest": "0" * 16,
            "verdict": "rejected" if hunk.rule in left_out else "accepted",
            "surroundings": [hunk.surroundings], "decided": "2026-03-01T10:15:00.000000Z",
            "by": "Ann",
        }
        for hunk in hunks
    ]  # fmt: skip
    data = {"format": "pinsetter-decisions", "version": 1, "codemod": "tf2-gradient-tape",
            "paths": ["."], "options": [], "decisions": decisions}  # fmt: skip
    file.write_text(json.dumps(data))
    return file


def test_decisions_without_something_essential_write_nothing(demo: Path) -> None:
    file = exported(demo, "broadcast-after-first-step")
    for mode in ("--write", "--diff"):
        done = run(demo, mode, "--decisions", file, command=FRONT_ENDS["pinsetter"])
        assert done.code == 2
        assert "train.py: not written: " in done.err, done.err
        assert "is not accepted. Its workers would not start from the same values." in done.err
        assert b"hvd" not in done.out
    assert sources(demo) == sources(DEMO)


def test_decisions_without_something_else_are_written(demo: Path) -> None:
    file = exported(demo, "print-on-first-worker")
    done = run(demo, "--write", "--decisions", file, command=FRONT_ENDS["pinsetter"])
    assert done.code == 0, done.err
    assert sources(demo) != sources(DEMO)


def test_a_pipe_that_ends_writes_no_half_of_a_program(demo: Path) -> None:
    for keys, code in (("y\nq\n", 2), ("y\nd\nd\nd\n", 2), ("y\nq\nw\n", 0)):
        done = subprocess.run(
            [*FRONT_ENDS["pinsetter"], str(demo)], input=keys, capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        assert (sources(demo) == sources(DEMO)) == (code == 2)


def test_resuming_tells_of_it_again(demo: Path) -> None:
    command = [*FRONT_ENDS["pinsetter"], str(demo)]
    subprocess.run(command, input="y\nd\nd\n", capture_output=True, text=True, timeout=60)
    done = run(demo, "--resume", "--write", command=FRONT_ENDS["pinsetter"])
    assert done.code == 2
    assert "train.py: not written: " in done.err
    assert sources(demo) == sources(DEMO)


COPIES = """\
import tensorflow as tf
def build():
    return tf.keras.Sequential([tf.keras.layers.Dense(1)])
def on_several(model, x):
    for number in range(2):
        with tf.device("/gpu:%d" % number):
            model(x)
"""
FITS = """\
import tensorflow as tf
import models
model = models.build()
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
model.fit(x, y)
"""


def test_what_no_program_may_run_is_no_reason_to_refuse_one(tmp_path: Path) -> None:
    found = planned(write(tmp_path, {"models.py": COPIES, "train.py": FITS}))
    assert refused(found) == {}
    assert "train.py" in names(found)
    assert {r.line for r in found.reports if r.rule.id == "several-devices"} == {6}


@pytest.mark.parametrize(
    "more",
    ["models.on_several(model, x)\n", "getattr(models, name)(model, x)\n",
     "steps = {'several': models.on_several}\nsteps[name](model, x)\n"],
)  # fmt: skip
def test_what_a_program_may_run_is(tmp_path: Path, more: str) -> None:
    found = planned(write(tmp_path, {"models.py": COPIES, "train.py": FITS + more}))
    assert set(refused(found)) == {"models.py"}
    assert names(found) == set()
