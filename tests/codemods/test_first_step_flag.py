"""What tells a traced step that it is the first: a flag, if there is one optimizer only."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import BIN, REPOSITORY, run

MAIN = (REPOSITORY / "fixtures" / "programs" / "several_steps" / "main.py").read_text()
FLAG, TABLE = "hvd_first_step_done = tf.Variable(", "hvd_first_step_done = tf.lookup."


@pytest.mark.parametrize(
    ("main", "other", "expected"),
    [
        (MAIN, "", FLAG),
        (MAIN.replace("\n    main()", "\n    for seed in 1, 2:\n        main()"), "", TABLE),
        (MAIN, "import main\nmain.main()\nmain.main()\n", TABLE),
        (MAIN, "from main import main\nmain()\n", TABLE),
    ],
)
def test_the_function_that_a_script_runs(
    tmp_path: Path, main: str, other: str, expected: str
) -> None:
    (tmp_path / "main.py").write_text(main)
    if other:
        (tmp_path / "other.py").write_text(other)
    done = run(tmp_path, "--diff", command=[str(BIN / "pinsetter"), "run", "distribute"])
    assert expected in done.said
