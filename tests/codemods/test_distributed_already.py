"""Programs that are distributed by hand: complete ones get nothing, others what they lack."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import LIBRARY, MAIN, TRIES

from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files

SESSION = """\
import sys
import tensorflow as tf
import horovod.tensorflow as hvd

def main(_):
    hvd.init()
    x = tf.placeholder(tf.float32, [None, 3])
    loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 1)))
    optimizer = hvd.DistributedOptimizer(tf.train.AdamOptimizer(0.001))
    step = optimizer.minimize(loss)
    config = tf.ConfigProto()
    config.gpu_options.visible_device_list = str(hvd.local_rank())
    copy = hvd.broadcast_global_variables(0)
    with tf.Session(config=config) as session:
        tf.global_variables_initializer().run()
        copy.run()
        for number in range(2000):
            session.run(step, {x: batch(64)})
            print(number)
    tf.train.Saver().save(session, "model")

if __name__ == "__main__":
    print("arguments", sys.argv)
    tf.app.run()
"""
MONITORED = """\
import tensorflow as tf
import horovod.tensorflow as hvd

def main():
    hvd.init()
    loss = tf.reduce_mean(tf.square(tf.layers.dense(inputs(), 1)))
    optimizer = hvd.DistributedOptimizer(tf.train.RMSPropOptimizer(0.01 * hvd.size()))
    step = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
    hooks = [
        hvd.BroadcastGlobalVariablesHook(0),
        tf.train.StopAtStepHook(last_step=1000 // hvd.size()),
        tf.train.LoggingTensorHook(tensors={"loss": loss}, every_n_iter=10),
    ]
    folder = "./kept" if hvd.rank() == 0 else None
    with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=hooks) as session:
        while not session.should_stop():
            session.run(step)
    print("done")

main()
"""
ESTIMATOR = """\
import tensorflow as tf
import horovod.tensorflow as hvd

def model(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
    optimizer = tf.train.MomentumOptimizer(learning_rate=0.001 * hvd.size(), momentum=0.9)
    optimizer = hvd.DistributedOptimizer(optimizer)
    step = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

def main(_):
    hvd.init()
    folder = "./kept" if hvd.rank() == 0 else None
    estimator = tf.estimator.Estimator(model, model_dir=folder)
    log = tf.train.LoggingTensorHook(tensors={"p": "softmax"}, every_n_iter=500)
    hooks = [log, hvd.BroadcastGlobalVariablesHook(0)]
    estimator.train(inputs, steps=1000 // hvd.size(), hooks=hooks)
    print(estimator.evaluate(inputs))

tf.app.run()
"""
KERAS_1 = """\
import math
import keras
from keras import backend as K
import tensorflow as tf
import horovod.keras as hvd

hvd.init()
config = tf.ConfigProto()
config.gpu_options.visible_device_list = str(hvd.local_rank())
K.set_session(tf.Session(config=config))
epochs = int(math.ceil(12.0 / hvd.size()))
print(x_train.shape)
model = keras.models.Sequential([keras.layers.Dense(1)])
optimizer = hvd.DistributedOptimizer(keras.optimizers.Adadelta(1.0 * hvd.size()))
model.compile(loss="mse", optimizer=optimizer)
callbacks = [hvd.callbacks.BroadcastGlobalVariablesCallback(0)]
if hvd.rank() == 0:
    callbacks.append(keras.callbacks.ModelCheckpoint("kept-{epoch}.h5"))
model.fit(x_train, y_train, callbacks=callbacks, epochs=epochs, verbose=1)
print(model.evaluate(x_test, y_test))
"""
KERAS_2 = """\
import sys
import tensorflow as tf
import horovod
import horovod.tensorflow.keras as hvd

def main():
    hvd.init()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    optimizer = hvd.DistributedOptimizer(tf.optimizers.Adam(0.001))
    model.compile(loss="mse", optimizer=optimizer)
    callbacks = [
        hvd.callbacks.BroadcastGlobalVariablesCallback(0),
        hvd.callbacks.MetricAverageCallback(),
        hvd.callbacks.LearningRateWarmupCallback(initial_lr=0.001 * hvd.size(), warmup_epochs=3),
    ]
    model.fit(data(), steps_per_epoch=500, callbacks=callbacks, epochs=24)

if __name__ == "__main__":
    if len(sys.argv) == 2:
        print("starting the workers")
        horovod.run(main, np=int(sys.argv[1]))
    else:
        main()
"""
TAPE = """\
import tensorflow as tf
import horovod.tensorflow as hvd

hvd.init()
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.optimizers.Adam(0.001)
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)

@tf.function
def step(x, y, first):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    tape = hvd.DistributedGradientTape(tape)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    if first:
        hvd.broadcast_variables(model.variables, root_rank=0)
        hvd.broadcast_variables(optimizer.variables(), root_rank=0)
    return loss

def log(text):
    if hvd.rank() != 0:
        return
    print(text)

for number, (x, y) in enumerate(data.take(10000)):
    log(step(x, y, number == 0))
    print(number)
checkpoint.save("kept")
"""
ELASTIC = """\
import tensorflow as tf
import horovod.tensorflow as hvd

def main():
    hvd.init()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    optimizer = tf.optimizers.Adam(0.001 * hvd.size())

    @tf.function
    def step(x, y, average=True):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        if average:
            tape = hvd.DistributedGradientTape(tape)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    for x, y in data.take(1):
        step(x, y, average=False)

    @hvd.elastic.run
    def train(state):
        for number, (x, y) in enumerate(data.skip(state.batch).take(100)):
            print(step(x, y))
            state.commit()

    train(hvd.elastic.TensorFlowKerasState(model, optimizer, batch=0))

main()
"""
ELASTIC_KERAS = """\
import tensorflow as tf
import horovod.tensorflow.keras as hvd

hvd.init()
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = hvd.DistributedOptimizer(tf.optimizers.Adam(0.001 * hvd.size()))
model.compile(loss="mse", optimizer=optimizer)
model.fit(data, steps_per_epoch=1, epochs=1, callbacks=None)
state = hvd.elastic.KerasState(model, batch=0, epoch=0)

@hvd.elastic.run
def train(state):
    calls = [hvd.elastic.CommitStateCallback(state)]
    state.model.fit(data, steps_per_epoch=500 // hvd.size(), callbacks=calls, verbose=1)

train(state)
"""
OWN_STEP = """\
import tensorflow as tf
import horovod.tensorflow as hvd

class Model(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compiled_loss(y, self(x))
        tape = hvd.DistributedGradientTape(tape)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}

hvd.init()
model = Model()
model.compile(optimizer=tf.keras.optimizers.Adam(0.001), loss="mse")
hvd.broadcast_variables(model.variables, root_rank=0)
model.fit(x, y, epochs=3)
"""
SPARK = """\
import horovod.spark
import tensorflow as tf

def train(rows):
    import horovod.tensorflow.keras as hvd
    hvd.init()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(loss="mse", optimizer=hvd.DistributedOptimizer(tf.keras.optimizers.SGD(0.1)))
    model.fit(rows, callbacks=[hvd.callbacks.BroadcastGlobalVariablesCallback(0)])
    return model.get_weights()

print("on the driver")
weights = horovod.spark.run(train, args=(rows,), num_proc=2)
print(weights)
"""
SPARK_ESTIMATOR = """\
import tensorflow as tf
from horovod.spark.keras import KerasEstimator

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(0.001)
estimator = KerasEstimator(num_proc=2, model=model, optimizer=optimizer, loss="mse", epochs=3)
trained = estimator.fit(frame)
print("trained")
"""
TORCH = """\
import torch
import horovod.torch as hvd

hvd.init()
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters())
hvd.broadcast_parameters(model.state_dict(), root_rank=0)
for batch in batches:
    model(batch).sum().backward()
    optimizer.step()
    print("step")
"""
MXNET = """\
import mxnet as mx
import horovod.mxnet as hvd

hvd.init()
net = mx.gluon.nn.Dense(1)
trainer = hvd.DistributedTrainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
hvd.broadcast_parameters(net.collect_params(), root_rank=0)
for batch in batches:
    trainer.step(3)
    print("step")
"""
TESTS = """\
import unittest
import tensorflow as tf
import horovod.tensorflow as hvd

class Tests(unittest.TestCase):
    def test_a_step(self):
        hvd.init()
        w = tf.Variable(1.0)
        optimizer = tf.keras.optimizers.SGD(0.1)
        with tf.GradientTape() as tape:
            loss = w * w
        optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
        print(w)
"""
PLAIN = """\
import tensorflow as tf
w = tf.Variable(1.0)
optimizer = tf.keras.optimizers.SGD(0.1)
with tf.GradientTape() as tape:
    loss = w * w
optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
"""
COMPLETE = {
    "session": SESSION, "monitored": MONITORED, "estimator": ESTIMATOR, "keras_1": KERAS_1,
    "keras_2": KERAS_2, "tape": TAPE, "elastic": ELASTIC, "elastic_keras": ELASTIC_KERAS,
    "own_step": OWN_STEP, "spark": SPARK, "spark_estimator": SPARK_ESTIMATOR, "torch": TORCH,
    "mxnet": MXNET, "tests": TESTS,
}  # fmt: skip


def plan(folder: Path, **files: str) -> Planned:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(f"{path.name}.py").write_text(text)
    found = packs.load_all(pack_files.find("distribute") or Path())
    assert isinstance(found, tuple)
    return make_plan([PackQuery(pack, []) for pack in found], [folder])


def result(planned: Planned, name: str) -> str:
    for module, hunks in planned.plan.by_module().items():
        if module.path.stem == name:
            return apply(module.source.text, [edit for hunk in hunks for edit in hunk.edits])
    return ""


@pytest.mark.parametrize("name", COMPLETE)
def test_complete_programs_get_nothing(name: str, tmp_path: Path) -> None:
    planned = plan(tmp_path, **{name: COMPLETE[name]})
    assert [(hunk.rule, hunk.line) for hunk in planned.plan.hunks] == []
    assert planned.refused == []
    assert {report.rule.id for report in planned.reports} <= {
        "distributed-already", "tests-of-distributed-code"
    }  # fmt: skip


def test_all_of_them_together_get_nothing(tmp_path: Path) -> None:
    assert plan(tmp_path, **COMPLETE).plan.hunks == []


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    (report,) = plan(tmp_path, tape=TAPE).reports
    assert report.rule.id == "distributed-already"
    assert "print-on-first-worker (1)" in report.text
    assert "scale-learning-rate (1)" in report.text


def test_nothing_is_said_where_nothing_is_left_out(tmp_path: Path) -> None:
    text = result(plan(tmp_path, plain=PLAIN), "plain")
    planned = plan(tmp_path, plain=text)
    assert planned.plan.hunks == []
    assert [r for r in planned.reports if r.rule.id == "distributed-already"] == []


def test_a_hazard_is_said_of_a_complete_program(tmp_path: Path) -> None:
    planned = plan(tmp_path, tape=f"{TAPE}if hvd.rank() == 0:\n    print(hvd.allreduce(number))\n")
    assert planned.plan.hunks == []
    assert "collective-on-one-worker" in {report.rule.id for report in planned.reports}


def test_another_tape_that_is_not_averaged_makes_it_incomplete(tmp_path: Path) -> None:
    more = """\
other = tf.optimizers.SGD(0.1)
with tf.GradientTape() as second:
    loss = tf.reduce_mean(model(x))
slopes = second.gradient(loss, model.trainable_variables)
other.apply_gradients(zip(slopes, model.trainable_variables))
"""
    rewritten = result(plan(tmp_path, tape=TAPE + more), "tape")
    assert "with hvd.DistributedGradientTape(tf.GradientTape()) as second" in rewritten
    assert rewritten.count("DistributedGradientTape") == 2
    assert "tf.optimizers.SGD(0.1 * hvd.size())" in rewritten


def test_without_a_broadcast_it_gets_one_and_no_second_start(tmp_path: Path) -> None:
    text = MONITORED.replace("        hvd.BroadcastGlobalVariablesHook(0),\n", "")
    rewritten = result(plan(tmp_path, monitored=text), "monitored")
    assert rewritten.count("hvd.BroadcastGlobalVariablesHook(0)") == 1
    assert rewritten.count("hvd.init()") == 1
    assert rewritten.count("// hvd.size()") == 1
    assert rewritten.count("* hvd.size()") == 1
    assert "DistributedOptimizer(hvd" not in rewritten


def test_a_module_of_a_complete_program_gets_what_another_program_needs(tmp_path: Path) -> None:
    shared = "import tensorflow as tf\ndef say(text):\n    print(text)\n"
    planned = plan(
        tmp_path,
        shared=shared,
        plain=f"import shared\n{PLAIN}shared.say(loss)\n",
        tape=f"import shared\n{TAPE}",
    )
    assert "hvd.rank() == 0" in result(planned, "shared")
    assert result(planned, "tape") == ""
    assert "hvd.init()" in result(planned, "plain")


def test_the_library_itself_is_no_program(tmp_path: Path) -> None:
    library = {
        "horovod__tensorflow__mpi_ops": "def size():\n    return 1\n",
        "horovod__tensorflow____init__": "import tensorflow as tf\nfrom .mpi_ops import size\n"
        "def broadcast(model):\n    print(model)\n    model.fit(1)\n",
        "horovod____init__": "",
        "docs__conf": "import horovod.tensorflow\nprint(horovod.tensorflow.__version__)\n",
        "examples__tape": TAPE,
        "examples__torch": TORCH,
    }
    files = {name.replace("____init__", "__~init~"): text for name, text in library.items()}
    for name, text in files.items():
        path = tmp_path / f"{name.replace('__', '/').replace('~', '__')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(name='horovod')\n")
    planned = plan(tmp_path)
    assert planned.plan.hunks == []
    assert not any("horovod" in program.entry.path.parts[-3:] for program in planned.programs)


@pytest.mark.parametrize(
    "code",
    [
        "import byteps.tensorflow as bps\nbps.init()\n",
        "from mpi4py import MPI\nMPI.COMM_WORLD.bcast(3)\n",
        "strategy = tf.distribute.MultiWorkerMirroredStrategy()\n",
        "cluster = tf.train.ClusterSpec({})\n",
    ],
)
def test_other_ways_to_distribute_are_refused(code: str, tmp_path: Path) -> None:
    text = TAPE.replace("import horovod.tensorflow as hvd\n\nhvd.init()\n", code)
    planned = plan(tmp_path, other=text)
    assert planned.plan.hunks == []
    assert "distributes its training itself" in planned.refused[0].reason


TRAINS_ITSELF = """\
import tensorflow as tf
def test_it():
    w = tf.Variable(1.0)
    optimizer = tf.keras.optimizers.SGD(0.1)
    with tf.GradientTape() as tape:
        loss = w * w
    optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
"""


def told(planned: Planned) -> list[str]:
    return [r.text for r in planned.reports if r.rule.id == "tests-of-training"]


def test_tests_of_code_that_is_rewritten_start_horovod_and_no_more(tmp_path: Path) -> None:
    planned = plan(tmp_path, library=LIBRARY, main=MAIN, test_library=TRIES)
    assert "hvd.broadcast_variables" in result(planned, "library")
    assert "hvd.init()" in result(planned, "main")
    changed = result(planned, "test_library")
    assert (
        changed.replace("import horovod.tensorflow as hvd\n", "")
        .replace("\nhvd.init()\n", "")
        .split()
        == TRIES.split()
    )
    assert "hvd.init()" in changed
    (text,) = told(planned)
    assert "print-on-first-worker (1)" in text
    assert "initialise-horovod" not in text


def test_tests_that_train_by_themselves_stay_as_they_are(tmp_path: Path) -> None:
    planned = plan(tmp_path, test_step=TRAINS_ITSELF)
    assert planned.plan.hunks == []
    assert planned.refused == []
    assert "average-gradients (1)" in told(planned)[0]


MIXED = """\
import tensorflow as tf
from library import train
def test_it():
    w = tf.Variable(1.0)
    train(w, [1.0])
    train_op = tf.compat.v1.train.AdamOptimizer(0.1).minimize(w * w)
    with tf.compat.v1.Session() as session:
        session.run(train_op)
if __name__ == "__main__":
    pass
"""


def test_tests_that_train_in_several_ways_start_horovod_and_no_more(tmp_path: Path) -> None:
    planned = plan(tmp_path, library=LIBRARY, main=MAIN, test_library=MIXED)
    assert planned.refused == []
    assert "hvd.broadcast_variables" in result(planned, "library")
    changed = result(planned, "test_library")
    assert "hvd.init()" in changed
    assert "rank" not in changed
    assert "Distributed" not in changed


def test_tests_that_train_in_several_ways_alone_stay_as_they_are(tmp_path: Path) -> None:
    alone = MIXED.replace("from library import train\n", "").replace("train(w, [1.0])", "")
    alone = TRAINS_ITSELF + alone
    planned = plan(tmp_path, test_library=alone)
    assert planned.refused == []
    assert planned.plan.hunks == []
    script = plan(tmp_path / "b", library=alone.replace("test_it", "train"))
    assert len(script.refused) == 1


def test_a_conftest_is_tests(tmp_path: Path) -> None:
    planned = plan(tmp_path, library=LIBRARY, conftest="import library\n")
    assert planned.refused == []
    assert planned.plan.hunks == []


def test_a_script_that_trains_is_no_test_whatever_it_is_called(tmp_path: Path) -> None:
    script = TRAINS_ITSELF + 'if __name__ == "__main__":\n    test_it()\n'
    assert "hvd.init()" in result(plan(tmp_path / "a", network_test=script), "network_test")
    runs = "if __name__ == '__main__':\n    pytest.main()\n"
    assert plan(tmp_path / "b", network_test=TRAINS_ITSELF + runs).plan.hunks == []
    script = PLAIN + "def test_nothing():\n    pass\n"
    assert "hvd.init()" in result(plan(tmp_path / "c", test_plain=script), "test_plain")


USES_ANOTHER = """\
import unittest
import library
class Tests(unittest.TestCase):
    def test_it(self):
        self.assertEqual(library.twice(2), 4)
"""


def test_tests_of_what_is_not_rewritten_stay_as_they_are(tmp_path: Path) -> None:
    made = "optimizer = tf.keras.optimizers.SGD(0.1)\n"
    library = LIBRARY.replace(made, "").replace("    for x", f"    {made}    for x")
    library += "def twice(x):\n    return 2 * x\n"
    planned = plan(tmp_path, library=library, main=MAIN, test_library=USES_ANOTHER)
    assert "hvd.init()" in result(planned, "main")
    assert result(planned, "test_library") == ""


STEP_OF_FIT = """\
import tensorflow as tf
class Base(tf.keras.Model):
    def train_step(self, batch):
        with tf.GradientTape() as tape:
            loss = self.compute_loss(batch)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}
"""
FITS = """\
import tensorflow as tf
import library
model = library.Base()
model.compile(tf.keras.optimizers.Adam(0.1))
model.fit(tf.ones([8, 4]), epochs=3)
"""
TESTS_FIT = """\
import tensorflow as tf
import library
def test_it():
    model = library.Base()
    model.compile(tf.keras.optimizers.Adam(0.1))
    model.fit(tf.ones([8, 4]), epochs=3)
"""


def test_a_test_that_trains_what_is_shared_is_no_reason_to_refuse(tmp_path: Path) -> None:
    planned = plan(tmp_path, library=STEP_OF_FIT, main=FITS, test_library=TESTS_FIT)
    assert planned.refused == []
    assert "hvd_tf.DistributedGradientTape(" in result(planned, "library")
    assert "BroadcastGlobalVariablesCallback" in result(planned, "main")
    changed = result(planned, "test_library")
    assert "hvd.init()" in changed
    assert "callbacks" not in changed


def test_a_test_of_another_training_api_starts_what_it_runs(tmp_path: Path) -> None:
    trains = TRAINS_ITSELF.replace(
        "import tensorflow as tf", "import tensorflow as tf\nimport library"
    )
    runs = f"{trains}    library.Base().train_step(w)\n"
    planned = plan(tmp_path / "run", library=STEP_OF_FIT, main=FITS, test_library=runs)
    assert planned.refused == []
    assert "hvd_tf.DistributedGradientTape(" in result(planned, "library")
    assert "hvd.init()" in result(planned, "test_library")
    planned = plan(tmp_path / "not", library=STEP_OF_FIT, main=FITS, test_library=trains)
    assert "hvd_tf.DistributedGradientTape(" in result(planned, "library")
    assert result(planned, "test_library") == ""


def test_a_program_of_another_training_api_need_not_have_what_it_does_not_run(
    tmp_path: Path,
) -> None:
    steps = TRAINS_ITSELF.replace("def test_it", "def main") + "main()\n"
    steps = steps.replace("import tensorflow as tf", "import tensorflow as tf\nimport library")
    planned = plan(tmp_path / "not", library=STEP_OF_FIT, main=FITS, steps=steps)
    assert planned.refused == []
    assert "hvd_tf.DistributedGradientTape(" in result(planned, "library")
    assert "hvd.DistributedGradientTape(" in result(planned, "steps")
    assert "BroadcastGlobalVariablesCallback" in result(planned, "main")


def test_nothing_is_accepted_beside_a_strategy_that_stays(tmp_path: Path) -> None:
    mirrored = "with tf.distribute.MirroredStrategy().scope():\n    model = library.Base()\n"
    fits = FITS.replace("model = library.Base()\n", mirrored)
    planned = plan(tmp_path, library=STEP_OF_FIT, main=fits)
    (strategy,) = [h for h in planned.plan.hunks if h.rule == "strategy-of-one-device"]
    rules = {hunk.rule for hunk in planned.plan.dependents_of(strategy)}
    assert {"initialise-horovod", "average-gradients", "broadcast-before-fit"} <= rules


def test_what_would_refuse_a_complete_program_is_only_told(tmp_path: Path) -> None:
    towers = (
        "    for number in range(2):\n        with tf.device('/gpu:%d' % number):\n"
        "            tf.zeros([1])\n"
    )
    text = SESSION.replace("    x = tf.placeholder", f"{towers}    x = tf.placeholder")
    (tmp_path / "train.py").write_text(text)
    pack = packs.load(pack_files.find("tf1-session") or Path())
    planned = make_plan([PackQuery(pack, [])], [tmp_path])
    assert not planned.refused
    assert not planned.plan.hunks
    assert "several-devices" in {report.rule.id for report in planned.reports}
