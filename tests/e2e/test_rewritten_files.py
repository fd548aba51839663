"""Files that `autograph` has rewritten, in a real TensorFlow: in a graph they do what they did in
Python, and need nothing of Pinsetter but `staging`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from worker_runs import Environment, Reason, available

from pinsetter.codemods.engine.running.function_text import converted

REPOSITORY = Path(__file__).resolve().parents[2]
TF2 = available("tf215")
RUNNER = """
import sys
import numpy as np, tensorflow as tf
import converted_cases, rewritten_cases

def plain(value):
    return tf.nest.map_structure(
        lambda one: one.to_list() if isinstance(one, tf.RaggedTensor) else np.asarray(one).tolist(),
        value)

ran = 0
cases = zip(converted_cases.CASES, rewritten_cases.CASES, strict=True)
for (function, given), (again, _) in cases:
    # AutoGraph of TensorFlow's own is on for every other one.
    graph = tf.function(again, autograph=bool(ran % 2))
    for arguments in given:
        try:
            wanted = plain(function(*arguments))
        except UnboundLocalError:
            continue
        assert plain(again(*arguments)) == wanted, (function, arguments)
        assert plain(graph(*arguments)) == wanted, (function, arguments)
    ran += 1
own = {name.rpartition(".")[0] for name in sys.modules if name.startswith("pinsetter.")}
assert own <= {"pinsetter", "pinsetter.staging"}, own
print("ran", ran)
"""


@pytest.mark.skipif(isinstance(TF2, Reason), reason=getattr(TF2, "text", ""))
def test_rewritten_files_do_what_they_did(tmp_path: Path) -> None:
    assert isinstance(TF2, Environment)
    source = REPOSITORY / "fixtures" / "converted" / "converted_cases.py"
    made = converted(source.read_text())
    assert "_staging.while_(" in made.text
    (tmp_path / "rewritten_cases.py").write_text(made.text)
    (tmp_path / "converted_cases.py").write_text(source.read_text())
    (tmp_path / "run.py").write_text(RUNNER)
    # A machine that has no more of Pinsetter than this.
    (tmp_path / "pinsetter").mkdir()
    (tmp_path / "pinsetter" / "__init__.py").touch()
    (tmp_path / "pinsetter" / "staging").symlink_to(REPOSITORY / "staging")
    done = subprocess.run(
        [str(TF2.python), "run.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": "", "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ran 5" in done.stdout
