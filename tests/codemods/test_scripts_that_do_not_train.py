"""A script that never reaches what trains is left alone, whatever it imports; and what it runs of
the code that is rewritten works without a start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import tape_pack

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.edits.edit import apply

LIBRARY = """\
import tensorflow as tf

w = tf.Variable(1.0)


def train(data, done=print):
    optimizer = tf.keras.optimizers.SGD(0.1)
    for x in data:
        with tf.GradientTape() as tape:
            loss = w * x
        optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
    done(loss)


def evaluate(data):
    result = predict(data)
    print("evaluated")
    return result


def predict(data):
    return [w * x for x in data]


def show(data):
    print(data)


class Trainer:
    def run(self, data):
        train(data)

    def say(self):
        show("ready")


class Hooked(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        train([1.0])
"""
MAIN = "import net.core\nnet.core.train([1.0])\nnet.core.show(2)\n"
FILES = {"net/__init__.py": "", "net/core.py": LIBRARY, "main.py": MAIN}


def rewritten(folder: Path, files: dict[str, str]) -> tuple[Planned, dict[str, str]]:
    """What is made of a repository of these files besides the library and the trainer."""
    for name, text in {**FILES, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    planned = make_plan([PackQuery(tape_pack(), [])], [folder])
    made = {}
    for module, hunks in planned.plan.by_module().items():
        edits = [edit for hunk in hunks for edit in hunk.edits]
        made[str(module.path.relative_to(folder))] = apply(module.source.text, edits)
    return planned, made


def test_what_only_others_run_may_still_refuse(tmp_path: Path) -> None:
    """That its code is not run may be told wrongly, and a refusal costs a person a look."""
    also = "\n\ndef elsewhere():\n    return tf.distribute.MultiWorkerMirroredStrategy()\n"
    files = {"net/core.py": LIBRARY + also, "other.py": "import net.core\nnet.core.elsewhere()\n"}
    planned, made = rewritten(tmp_path, files)
    assert made == {}
    assert [problem.path.name for problem in planned.refused] == ["core.py"]


def notebook(code: str) -> str:
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
            "source": code.splitlines(keepends=True)}  # fmt: skip
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


SETUP = "from setuptools import setup\nsetup(name='net', entry_points={entry_points})\n"
CONSOLE = "{'console_scripts': ['net-show = net.cli:show']}"
CLI = "import argparse\nfrom net import core\n\n\ndef show():\n    print(core.predict([1.0]))\n"


@pytest.mark.parametrize(
    "files",
    [
        {"other.py": "import net.core\n"},
        {"other.py": "import net.core\nprint(net.core.w)\n"},
        {"other.py": "from net import core\nprint(core.predict([1.0]))\n"},
        {"other.py": "from net.core import *\nprint(predict([1.0]))\n"},
        {"other.py": "from net.core import train as fit, predict\nprint(predict([1.0]))\n"},
        {"other.py": "'''Like train(), without it.'''\nimport net.core\nprint('train')\n"},
        {"other.py": "import net.core\ngetattr(net.core, 'predict')([1.0])\n"},
        {"other.py": "import net.core\nlist(map(net.core.predict, [[1.0]]))\n"},
        {"other.py": "import net.core\nnet.core.Trainer()\n"},
        {"other.py": "import net.core\ndef train():\n    pass\ntrain()\n"},
        {"other.py": "import net.core\nif __name__ == '__main__':\n    print(net.core.w)\n"},
        {"net/__main__.py": "from net import core\nprint(core.predict([1.0]))\n"},
        {"net/cli.py": CLI, "setup.py": SETUP.format(entry_points=CONSOLE)},
        {"other.ipynb": notebook("from net import core\ncore.predict([1.0])\n")},
        {"test_net.py": "from net import core\ndef test_it():\n    assert core.predict([1.0])\n"},
        {"other.py": "from hooks import Mine\nMine()\n",
         "hooks.py": "from net import core\nclass Mine:\n    def fit(self): core.train([1.0])\n"},
    ],
)  # fmt: skip
def test_a_script_that_trains_nothing_is_left_alone(tmp_path: Path, files: dict[str, str]) -> None:
    planned, made = rewritten(tmp_path, files)
    assert sorted(made) == ["main.py", "net/core.py"]
    assert planned.refused == []
    assert "hvd.broadcast_variables" in made["net/core.py"]
    assert "is_initialized" not in made["net/core.py"], "nobody else runs what is rewritten"
    assert not any(report.rule.leave for report in planned.reports)


@pytest.mark.parametrize(
    "script",
    [
        "import net.core\nnet.core.train([1.0])\n",
        "import net.core\nnet.core.train(**{'data': [1.0]})\n",
        "import net.core\nrun = net.core.train\nrun([1.0])\n",
        "import net.core\nlist(map(net.core.train, [[1.0]]))\n",
        "import net.core\ngetattr(net.core, 'train')([1.0])\n",
        "import sys, net.core\ngetattr(net.core, sys.argv[1])([1.0])\n",
        "import net.core\nfor f in vars(net.core).values():\n    f()\n",
        "from net.core import *\nglobals()[input()]([1.0])\n",
        "from net.core import *\neval(input())\n",
        "import importlib, net.core\nimportlib.import_module(input()).train([1.0])\n",
        "import sys, net.core\nsys.modules['net.core'].train([1.0])\n",
        "import fire, net.core\nfire.Fire(net.core)\n",
        "import net.core\nnet.core.Trainer().run([1.0])\n",
        "import net.core\nx = net.core.Trainer()\ngetattr(x, input())([1.0])\n",
        "from net.core import Hooked\nimport tensorflow as tf\ntf.keras.Model(Hooked())\n",
        "import pickle, net.core\npickle.load(open('x', 'rb')).run([1.0])\n",
        "import net.core\nprint(f'{net.core.train([1.0])}')\n",
        "import net.core\ndef main(f=net.core.train):\n    f([1.0])\nmain()\n",
    ],
)
def test_a_script_that_may_train_is_started(tmp_path: Path, script: str) -> None:
    _, made = rewritten(tmp_path, {"other.py": script})
    assert "hvd.init()" in made["other.py"]


@pytest.mark.parametrize(
    "script",
    [
        "from net import core\ncore.show(1)\n",
        "from net import core\ncore.Trainer().say()\n",
        "from net import core\nif __name__ == '__main__':\n    core.show(1)\n",
    ],
)
def test_a_helper_that_a_script_shares_with_a_trainer_asks_first(
    tmp_path: Path, script: str
) -> None:
    planned, made = rewritten(tmp_path, {"other.py": script})
    assert sorted(made) == ["main.py", "net/core.py"]
    assert (
        "if not hvd.is_initialized() or hvd.rank() == 0:\n        print(data)"
        in (made["net/core.py"])
    )
    warnings = [w for hunk in planned.plan.hunks for w in hunk.warnings]
    assert sum("other.py" in warning for warning in warnings) == 1, "once for the file"


def test_what_only_another_script_runs_is_not_rewritten(tmp_path: Path) -> None:
    _, made = rewritten(tmp_path, {"other.py": "from net import core\ncore.evaluate([1.0])\n"})
    assert '    print("evaluated")' in made["net/core.py"]
    _, made = rewritten(tmp_path, {"other.py": "from net import core\n"})
    assert 'rank() == 0:\n        print("evaluated")' in made["net/core.py"], "it is library code"


def warned(planned: Planned) -> list[tuple[str, int]]:
    """Where it is said that who runs a module by itself runs what is changed, too."""
    said = "Who runs this file by itself"
    return [
        (hunk.module.path.name, hunk.line)
        for hunk in planned.plan.hunks
        if any(said in warning for warning in hunk.warnings)
    ]


def test_what_every_script_runs_that_loads_a_module_asks_first(tmp_path: Path) -> None:
    line = "optimizer = tf.keras.optimizers.SGD(0.1)\n"
    library = LIBRARY.replace(f"    {line}", "") + line
    files = {"net/core.py": library, "other.py": "from net import core\nprint(core.w)\n"}
    _, made = rewritten(tmp_path, files)
    assert "0.1 * (hvd.size() if hvd.is_initialized() else 1)" in made["net/core.py"]
    assert sorted(made) == ["main.py", "net/core.py"]


def test_a_script_that_a_trainer_imports_gets_no_start(tmp_path: Path) -> None:
    """What it defines is the trainer's, what it does as a script is its own."""
    tool = (
        "from net import core\n\n\ndef report(data):\n    print(data)\n\n\n"
        'if __name__ == "__main__":\n    print(core.predict([1.0]))\n'
    )
    main = f"import tool\n{MAIN}tool.report(3)\n"
    planned, made = rewritten(tmp_path, {"tool.py": tool, "main.py": main})
    assert not warned(planned)
    assert "hvd.init()" in made["main.py"]
    assert "hvd.init()" not in made["tool.py"]
    assert "rank() == 0:\n        print(data)" in made["tool.py"]
    assert "    print(core.predict([1.0]))" in made["tool.py"]


def test_what_may_train_is_told(tmp_path: Path) -> None:
    step = "import tensorflow as tf\nstep = tf.train.AdamOptimizer().minimize(loss)\n"
    own = f"import sessions\n{step}with sessions.make() as session:\n    session.run(step)\n"
    (tmp_path / "own.py").write_text(own)
    (tmp_path / "known.py").write_text(f"{step}tf.Session().run(loss)\n")
    planned = make_plan([PackQuery(tape_pack(), [])], [tmp_path])
    assert planned.plan.hunks == []
    (note,) = planned.notes
    assert (note.path.name, note.line) == ("own.py", 5)
    assert note.reason.startswith("own.py runs a training step here, by what is not known")


def test_what_only_tries_a_module_out_stays(tmp_path: Path) -> None:
    """Also in a function that nobody else calls; who runs that has started no worker."""
    tool = (
        "from net import core\n\n\ndef report(data):\n    print(data)\n\n\n"
        "def attempt():\n    print(core.predict([1.0]))\n    report(1)\n\n\n"
        'if __name__ == "__main__":\n    attempt()\n'
    )
    main = f"import tool\n{MAIN}tool.report(3)\n"
    planned, made = rewritten(tmp_path, {"tool.py": tool, "main.py": main})
    assert warned(planned) == [("tool.py", 5)], "report() asks for the worker"
    assert "rank() == 0:\n        print(data)" in made["tool.py"]
    assert "def attempt():\n    print(core.predict([1.0]))" in made["tool.py"]


def test_what_a_trainer_does_as_a_script_is_not_done_by_who_loads_it(tmp_path: Path) -> None:
    train = (
        "import tensorflow as tf\n\n\ndef make():\n    return tf.keras.Sequential()\n\n\n"
        'if __name__ == "__main__":\n    model = make()\n    model.compile("sgd")\n'
        "    model.fit(x)\n"
    )
    files = {"train.py": train, "look.py": "from train import make\nprint(make())\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    facts = Facts(Project(sorted(tmp_path.glob("*.py"))))
    programs = {p.entry.path.stem: p.apis for p in facts.programs.all}
    assert programs == {"train": {"keras"}, "look": set()}


def test_the_second_run_proposes_nothing(tmp_path: Path) -> None:
    files = {"other.py": "from net import core\ncore.show(1)\ncore.evaluate([1.0])\n"}
    _, made = rewritten(tmp_path, files)
    for name, text in made.items():
        (tmp_path / name).write_text(text)
    planned = make_plan([PackQuery(tape_pack(), [])], [tmp_path])
    assert planned.plan.hunks == []
