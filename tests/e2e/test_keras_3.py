"""Programs for Keras 3, rewritten and then run by real Horovod workers.

They run with Keras 3 laid over TensorFlow 2.15, and where it is built with TensorFlow 2.18, which
comes with it. What records the other programs knows the variables of Keras 2 only; these say
themselves what they have learned.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from harness import transform
from judged import FIXTURES
from worker_runs import ALL, Environment, available

pytestmark = pytest.mark.e2e
NAMES = ("keras_3_fit", "keras_3_steps", "keras_3_train_step")
LACKING = (
    ("keras_3_fit", "distribute-optimizer-of-keras-3"),
    ("keras_3_fit", "broadcast-before-fit"),
    ("keras_3_steps", "average-gradients-of-keras-3"),
    ("keras_3_steps", "broadcast-after-first-apply"),
    ("keras_3_train_step", "average-gradients-of-keras-3"),
)
# Each worker begins with values, and draws samples, of its own.
SEEDS = "7 + int(__import__('os').environ.get('HOROVOD_RANK', 0))"
SAY = """
learned = {n: [w.tolist() for w in m.get_weights()] for n, m in list(vars().items())
           if isinstance(m, keras.Model)}
print("LEARNED", __import__("json").dumps(learned), flush=True)
"""


def environments() -> dict[str, tuple[Path, Path | None]]:
    """For each the folder of its programs, and what lies over its packages."""
    found: dict[str, tuple[Path, Path | None]] = {}
    for name in ("tf215", "tf218"):
        there = available(name)
        if isinstance(there, Environment):
            over = there.folder / "keras-3"
            if name != "tf215" or over.is_dir():
                found[name] = (there.folder / "bin", over if name == "tf215" else None)
    return found


@pytest.fixture(params=["tf215", *(["tf218"] if ALL else [])])
def environment(request: pytest.FixtureRequest) -> tuple[Path, Path | None]:
    found = environments().get(request.param)
    if found is None:
        pytest.skip(f"{request.param} with Keras 3 is not built; see setup_horovod.sh")
    return found


def learned(
    environment: tuple[Path, Path | None], script: Path, workers: int = 0
) -> tuple[list[dict[str, object]], list[str]]:
    """What each worker has learned, and the other lines that were printed; without horovodrun for
    no workers."""
    binaries, over = environment
    code = script.read_text().replace("set_random_seed(7)", f"set_random_seed({SEEDS})")
    changed = script.with_name("said.py")
    changed.write_text(code + SAY)
    command = [str(binaries / "python"), changed.name]
    if workers:
        at = f"localhost:{workers}"
        command = [str(binaries / "horovodrun"), "--gloo", "-np", str(workers), "-H", at, *command]
    paths = f"{binaries}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": paths, "PYTHONPATH": str(over or ""), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        command, cwd=script.parent, env=env, capture_output=True, text=True, timeout=150,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.removeprefix(f"[{n}]<stdout>:") for line in done.stdout.splitlines()
             for n in (line[1:2],)]  # fmt: skip
    said = [json.loads(one[8:]) for one in lines if one.startswith("LEARNED")]
    return said, [one for one in lines if one.strip() and not one.startswith("LEARNED")]


def rewritten(program: str, into: Path, *skip: str) -> Path:
    script = FIXTURES / "programs" / program / "main.py"
    return transform(script, into / program, codemod="distribute", skip=skip)


@pytest.mark.parametrize("name", NAMES if ALL else NAMES[:2])
def test_two_workers_train_one_model(
    name: str, environment: tuple[Path, Path | None], tmp_path: Path
) -> None:
    script = rewritten(name, tmp_path)
    (one, other), printed = learned(environment, script, 2)
    assert one == other
    assert all(one.values())
    assert printed


@pytest.mark.parametrize("name", NAMES if ALL else ())
def test_one_process_trains_like_the_original(
    name: str, environment: tuple[Path, Path | None], tmp_path: Path
) -> None:
    script = rewritten(name, tmp_path)
    original = tmp_path / "original" / "main.py"
    original.parent.mkdir()
    original.write_text((FIXTURES / "programs" / name / "main.py").read_text())
    assert learned(environment, script) == learned(environment, original)


@pytest.mark.parametrize(("name", "rule"), LACKING if ALL else LACKING[:1])
def test_without_the_rule_the_workers_drift_apart(
    name: str, rule: str, environment: tuple[Path, Path | None], tmp_path: Path
) -> None:
    script = rewritten(name, tmp_path, rule)
    (one, other), _ = learned(environment, script, 2)
    assert one != other
