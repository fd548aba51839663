"""Helpers that run where Horovod is not started must keep working there."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import tape_pack

from pinsetter.analyzer.files.listing import Listing
from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.propose.proposing import proposed
from pinsetter.codemods.engine.propose.resolving import needed_starts, resolved
from pinsetter.codemods.engine.propose.rule_query import RuleQuery
from pinsetter.codemods.engine.propose.scope import Scope
from pinsetter.codemods.engine.propose.setting import Setting
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.packs.pack import Pack, load
from pinsetter.patterns.packs.pack_files import find

TRAIN = """\
import helper
import tensorflow as tf
import network
w = tf.Variable(1.0)
optimizer = tf.keras.optimizers.SGD(0.1)
with tf.GradientTape() as tape:
    loss = w * w
optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
helper.say(1)
network.say(1)
"""
SAY = "def say(text):\n    print(text)\n"
PLAIN = "    if hvd.rank() == 0:\n"
CAREFUL = "    if not hvd.is_initialized() or hvd.rank() == 0:\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "helper.py").write_text(SAY)
    (tmp_path / "network.py").write_text(f"import tensorflow as tf\nSIZE = tf.constant(3)\n{SAY}")
    return tmp_path


def results(folder: Path) -> tuple[Planned, dict[str, str]]:
    planned = make_plan([PackQuery(tape_pack(), [])], [folder])
    edits = {
        m: [e for h in hunks for e in h.edits] for m, hunks in planned.plan.by_module().items()
    }
    return planned, {m.path.name: apply(m.source.text, found) for m, found in edits.items()}


def test_a_module_that_needs_tensorflow_is_imported_after_the_start(repository: Path) -> None:
    _, found = results(repository)
    assert PLAIN in found["network.py"]
    assert found["train.py"].index("hvd.init()") < found["train.py"].index("import network")


def test_a_module_without_tensorflow_may_be_imported_before_the_start(repository: Path) -> None:
    _, found = results(repository)
    assert CAREFUL in found["helper.py"]


def test_a_module_of_a_program_that_is_not_rewritten_asks_first(repository: Path) -> None:
    (repository / "predict.py").write_text("import network\nnetwork.say(2)\n")
    planned, found = results(repository)
    assert CAREFUL in found["network.py"]
    assert "predict.py" not in found
    hunk = next(h for h in planned.plan.hunks if h.rule == "print-on-first-worker"
                and h.module.path.name == "network.py")  # fmt: skip
    assert any("predict.py" in warning for warning in hunk.warnings)


def test_rates_in_shared_modules_ask_first(repository: Path) -> None:
    (repository / "network.py").write_text(
        f"import tensorflow as tf\n{SAY}def adam():\n    return tf.keras.optimizers.Adam(0.1)\n"
    )
    (repository / "fit.py").write_text("import network\nnetwork.adam()\n")
    text = TRAIN.replace("tf.keras.optimizers.SGD(0.1)", "network.adam()")
    (repository / "train.py").write_text(text)
    planned, found = results(repository)
    words = " ".join(found["network.py"].split())
    assert "Adam( 0.1 * (hvd.size() if hvd.is_initialized() else 1) )" in words
    hunks = [h for h in planned.plan.hunks if h.module.path.name == "network.py"]
    warnings = [w for h in hunks for w in h.warnings if "fit.py" in w]
    assert len(warnings) == 1, "once for a file"


def test_the_second_run_proposes_nothing(repository: Path) -> None:
    (repository / "predict.py").write_text("import network\nnetwork.say(2)\n")
    _, found = results(repository)
    for name, text in found.items():
        (repository / name).write_text(text)
    planned, _ = results(repository)
    assert planned.plan.hunks == []


def test_a_program_is_refused_if_what_averages_is_left_alone(tmp_path: Path) -> None:
    """Averaging left out in a shared module, the rest would train each worker by itself."""
    (tmp_path / "network.py").write_text(
        "import tensorflow as tf\n"
        "def model_fn(features, labels, mode):\n"
        "    gradients = tf.gradients(features, weights)\n"
        "    return tf.train.AdamOptimizer(0.1).apply_gradients(zip(gradients, weights))\n"
    )
    (tmp_path / "train.py").write_text(
        "import tensorflow as tf\n"
        "from network import model_fn\n"
        "tf.estimator.Estimator(model_fn).train(read, steps=100)\n"
    )
    path = find("tf1-estimator")
    assert path is not None
    pack = load(path)
    assert isinstance(pack, Pack)
    rules = {h.rule for h in make_plan([PackQuery(pack, [])], [tmp_path]).plan.hunks}
    assert {"average-computed-gradients", "broadcast-when-training-starts"} <= rules

    (tmp_path / "show.py").write_text(
        "import tensorflow as tf\nfrom network import model_fn\nmodel = tf.keras.Sequential()\n"
        "model.fit(model_fn(1, 2, 3), epochs=3)\n"
    )
    planned = make_plan([PackQuery(pack, [])], [tmp_path])
    assert planned.plan.hunks == [], "a program without it would train several models"
    assert any("would not be averaged" in problem.reason for problem in planned.refused)


def test_an_optimizer_in_a_shared_module_asks_first(tmp_path: Path) -> None:
    (tmp_path / "network.py").write_text(
        "import tensorflow as tf\ndef make(rate):\n    return tf.train.AdamOptimizer(rate)\n"
    )
    (tmp_path / "train.py").write_text(
        "import tensorflow as tf\n"
        "from network import make\n"
        "train_op = make(0.1).minimize(loss)\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    sess.run(train_op)\n"
    )
    (tmp_path / "show.py").write_text("from network import make\nmake(1)\n")
    path = find("tf1-session")
    assert path is not None
    pack = load(path)
    assert isinstance(pack, Pack)
    planned = make_plan([PackQuery(pack, [])], [tmp_path])
    edits = [e for h in planned.plan.hunks if h.module.path.name == "network.py" for e in h.edits]
    network = apply((tmp_path / "network.py").read_text(), edits)
    words = " ".join(network.split())
    assert "hvd.DistributedOptimizer(optimizer) if hvd.is_initialized() else optimizer" in words
    assert "return distributed( tf.train.AdamOptimizer( rate * " in words
    assert "show.py" not in {h.module.path.name for h in planned.plan.hunks}


def test_what_shares_essential_code_with_a_refused_program_is_refused(
    tmp_path: Path,
) -> None:
    (tmp_path / "network.py").write_text(
        "import tensorflow as tf\n"
        "def make(loss):\n"
        "    return tf.train.AdamOptimizer(0.1).minimize(loss)\n"
    )
    train = (
        "import tensorflow as tf\n"
        "from network import make\n"
        "train_op = make(loss)\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    sess.run(train_op)\n"
    )
    (tmp_path / "train.py").write_text(train)
    (tmp_path / "other.py").write_text(f"{train}cluster = tf.train.ClusterSpec(hosts)\n")
    path = find("tf1-session")
    assert path is not None
    pack = load(path)
    assert isinstance(pack, Pack)
    planned = make_plan([PackQuery(pack, [])], [tmp_path])
    assert planned.plan.hunks == []
    why = [problem.reason for problem in planned.refused]
    assert len(why) == 2
    assert any("average-gradients: 1 place(s) left alone" in reason for reason in why)


@pytest.fixture
def shown(tmp_path: Path) -> Path:
    """A program that trains, and one that only runs a module which is rewritten for it."""
    (tmp_path / "network.py").write_text(
        "import tensorflow as tf\n"
        "def model_fn(features, labels, mode):\n"
        "    gradients = tf.gradients(features, weights)\n"
        "    return tf.train.AdamOptimizer(0.1).apply_gradients(zip(gradients, weights))\n"
    )
    (tmp_path / "train.py").write_text(
        "import tensorflow as tf\n"
        "from network import model_fn\n"
        "tf.estimator.Estimator(model_fn).train(read, steps=100)\n"
    )
    (tmp_path / "show.py").write_text("from network import model_fn\nprint(model_fn(1, 2, 3))\n")
    return tmp_path


def test_a_start_goes_with_the_last_hunk_that_needs_it(shown: Path) -> None:
    pack = load(find("tf1-estimator") or Path())
    assert isinstance(pack, Pack)
    scope = Scope(Listing([shown]))
    setting = Setting([RuleQuery(pack, [])], Project([shown]), frozenset(), scope)
    hunks = resolved(setting, *proposed(setting)).plan.hunks
    starts = [h for h in hunks if h.application is not None and h.application.rule.starts]
    assert {h.module.path.name for h in starts} == {"show.py", "train.py"}
    assert needed_starts(hunks, setting) == hunks
    assert {h.module.path.name for h in needed_starts(starts, setting)} == {"train.py"}


def test_a_program_that_uses_a_rewritten_module_is_started_too(shown: Path) -> None:
    (shown / "plain.py").write_text("print(1)\n")
    path = find("tf1-estimator")
    assert path is not None
    pack = load(path)
    assert isinstance(pack, Pack)
    plan = make_plan([PackQuery(pack, [])], [shown]).plan
    found = [h.rule for h in plan.hunks if h.module.path.name == "show.py" and not h.follows]
    assert found == ["initialise-horovod"], "nothing else is done to it"
    assert not [h for h in plan.hunks if h.module.path.name == "plain.py"]
    start = next(h for h in plan.hunks if h.rule == found[0] and h.module.path.name == "show.py")
    average = next(h for h in plan.hunks if h.rule == "average-computed-gradients")
    assert start in plan.required_by(average)
    for module, hunks in plan.by_module().items():
        edits = [edit for hunk in hunks for edit in hunk.edits]
        module.path.write_text(apply(module.source.text, edits))
    assert make_plan([PackQuery(pack, [])], [shown]).plan.hunks == []


def test_numbers_of_a_module_that_is_imported_before_the_start(repository: Path) -> None:
    """They are divided where they are used: the module may be run before there are workers."""
    (repository / "network.py").write_text(f"import tensorflow as tf\nEPOCHS = 8\n{SAY}")
    (repository / "train.py").write_text(
        "import tensorflow as tf\nimport network\nw = tf.Variable(1.0)\n"
        "optimizer = tf.keras.optimizers.SGD(0.1)\nfor epoch in range(network.EPOCHS):\n"
        "    for x in data:\n        with tf.GradientTape() as tape:\n            loss = w * x\n"
        "        optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))\n"
    )
    _, found = results(repository)
    train = found["train.py"]
    assert train.index("import network") < train.index("hvd.init()")
    assert "range(max(1, network.EPOCHS // hvd.size()))" in train
    assert "EPOCHS = 8\n" in found["network.py"]


def test_numbers_of_such_a_module_that_it_uses_itself(repository: Path) -> None:
    (repository / "network.py").write_text(
        "import tensorflow as tf\nSTEPS = 800\ndef train(optimizer, w):\n"
        "    for step in range(STEPS):\n        with tf.GradientTape() as tape:\n"
        "            loss = w * step\n"
        "        optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))\n"
    )
    (repository / "train.py").write_text(
        "import tensorflow as tf\nimport network\n"
        "network.train(tf.keras.optimizers.SGD(0.1), tf.Variable(1.0))\n"
    )
    _, found = results(repository)
    assert found["train.py"].index("import network") < found["train.py"].index("hvd.init()")
    assert "STEPS = 800\n" in found["network.py"]
    assert "range(STEPS // hvd.size())" in found["network.py"]


def test_numbers_of_a_script_that_only_defines_are_divided_where_they_are_set(
    repository: Path,
) -> None:
    (repository / "train.py").write_text(
        "import tensorflow as tf\nSTEPS = 800\nw = optimizer = None\ndef main(data):\n"
        "    optimizer = tf.keras.optimizers.SGD(0.1)\n    total = 0\n"
        "    for step in range(STEPS):\n        with tf.GradientTape() as tape:\n"
        "            loss = w * step\n"
        "        optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))\n"
        "        total += loss / STEPS\nif __name__ == '__main__':\n    main(1)\n"
    )
    _, found = results(repository)
    assert "STEPS = 800 // hvd.size()" in found["train.py"]
    assert "range(STEPS)" in found["train.py"]


SHOWN = """\
import tensorflow as tf
for device in tf.config.experimental.list_physical_devices("GPU"):
    print(device)
    tf.config.experimental.set_memory_growth(device, True)
print("ready")
"""


def test_what_only_prints_is_imported_before_the_start_and_prints_on_all(repository: Path) -> None:
    (repository / "network.py").write_text(SHOWN + SAY)
    _, found = results(repository)
    assert found["train.py"].index("import network") < found["train.py"].index("hvd.init()")
    assert SHOWN.partition("\n")[2] in found["network.py"]
    assert PLAIN in found["network.py"]


def test_what_prints_in_the_script_itself_does_so_behind_its_start(repository: Path) -> None:
    (repository / "train.py").write_text(f"import tensorflow as tf\nprint('ready')\n{TRAIN}")
    _, found = results(repository)
    assert "if hvd.rank() == 0:\n    print('ready')\n" in found["train.py"]


def test_what_prints_beside_other_work_comes_behind_the_start(repository: Path) -> None:
    (repository / "network.py").write_text(f"{SHOWN}SIZE = tf.constant(3)\n{SAY}")
    _, found = results(repository)
    assert found["train.py"].index("hvd.init()") < found["train.py"].index("import network")
    assert "\nif hvd.rank() == 0:\n    print" in found["network.py"]


def test_what_is_set_between_imports_stays_above_the_start(repository: Path) -> None:
    for line in (
        "sys.path.append('lib')", "os.environ['A'] = '1'", "os.environ.setdefault('A', '1')",
        "tf.get_logger().setLevel('ERROR')",
    ):  # fmt: skip
        head = f"import os\nimport sys\nimport tensorflow as tf\n{line}\nimport numpy as np\n"
        (repository / "train.py").write_text(head + TRAIN.replace("import network\n", ""))
        _, found = results(repository)
        start = found["train.py"].index("hvd.init()")
        assert found["train.py"].index("import numpy") < start, line


def test_other_code_between_imports_stays_below_the_start(repository: Path) -> None:
    for line in (
        "size = 3", "print('a')", "run()", "os.environ['A'] = run()", "settings['A'] = '1'",
        "tf.zeros(1)", "sys.path.append(helper.say('a'))",
    ):  # fmt: skip
        head = f"import os\nimport sys\nimport tensorflow as tf\nimport helper\n{line}\n"
        (repository / "train.py").write_text(f"{head}import numpy as np\n{TRAIN}")
        _, found = results(repository)
        start = found["train.py"].index("hvd.init()")
        assert found["train.py"].index("import numpy") > start, line


TRIED_OUT = """\
if __name__ == "__main__":
    say(2)
    print(SIZE)
    open("size.txt", "w").write("3")
"""


def test_what_tries_a_loaded_module_out_is_no_part_of_a_program(repository: Path) -> None:
    (repository / "network.py").write_text((repository / "network.py").read_text() + TRIED_OUT)
    planned, found = results(repository)
    assert found["network.py"].endswith(TRIED_OUT)
    assert PLAIN in found["network.py"]
    assert all(report.module.path.name != "network.py" for report in planned.reports)


def test_what_starts_a_script_that_others_load_is(repository: Path) -> None:
    (repository / "other.py").write_text("import train\n")
    (repository / "train.py").write_text(f"{TRAIN}if __name__ == '__main__':\n    print(loss)\n")
    _, found = results(repository)
    assert "        print(loss)" in found["train.py"]


def test_what_tries_out_a_script_of_its_own_is(repository: Path) -> None:
    text = TRAIN.replace("optimizer.apply", "def main():\n  optimizer.apply")
    text += "if __name__ == '__main__':\n  main()\n  print(3)\n"
    (repository / "train.py").write_text(text)
    _, found = results(repository)
    assert "rank() == 0:\n    print(3)" in found["train.py"]
