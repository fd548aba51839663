"""What a note asks for clears it: each rule that only reports is silent about code that does so."""

from __future__ import annotations

import textwrap

import pytest

from pinsetter.codemods.engine.authoring.examples import outcome_of
from pinsetter.patterns.packs import pack as packs
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack, Rule

HEAD = """\
import tensorflow as tf
import horovod.tensorflow as hvd
"""
TAPE = "tape, opt = tf.GradientTape(), tf.keras.optimizers.SGD()\n"
KERAS = """\
from tensorflow import keras
import horovod.tensorflow.keras as hvd
"""
OWN_STEP = """\
import tensorflow as tf
import horovod.tensorflow.keras as hvd
class Own(tf.keras.Model):
    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = self(data)
        slopes = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(slopes, self.trainable_variables))
        return {"loss": loss}
"""
# The code that a note is about, and the same when it was done; what is no line of both follows.
DONE = {
    "steps-not-seen": (
        KERAS + "model = keras.Sequential()\nmodel.compile('sgd', 'mse')\n",
        "model.fit(x, y)\n",
        "model.fit(x[hvd.rank()::hvd.size()], y[hvd.rank()::hvd.size()])\n",
    ),
    "same-samples": (
        HEAD + TAPE,
        "for x in data:\n    opt.apply_gradients(zip(tape.gradient(f(x), [w]), [w]))\n",
        "for x in data.shard(hvd.size(), hvd.rank()):\n"
        "    opt.apply_gradients(zip(tape.gradient(f(x), [w]), [w]))\n",
    ),
    "samples-not-shared": (
        HEAD + TAPE,
        "for x in data():\n    opt.apply_gradients(zip(tape.gradient(f(x), [w]), [w]))\n",
        "for x in data()[hvd.rank()::hvd.size()]:\n"
        "    opt.apply_gradients(zip(tape.gradient(f(x), [w]), [w]))\n",
    ),
    "read-before-written": (
        HEAD + "import numpy as np\n",
        "if x:\n    np.save('x.npy', x)\n    y = np.load('x.npy')\n",
        "if x:\n    np.save('x.npy', x)\n    hvd.broadcast(0, 0)\n    y = np.load('x.npy')\n",
    ),
    "split-of-each-worker": (
        HEAD + "from sklearn.model_selection import train_test_split\n",
        "train, test = train_test_split(rows)\n",
        "train, test = train_test_split(rows, random_state=1)\n",
    ),
    "numbers-by-chance": (
        KERAS + "keras.Sequential().fit(x, y)\n",
        "number = {word: i for i, word in enumerate(set(words))}\n",
        "number = {word: i for i, word in enumerate(sorted(set(words)))}\n",
    ),
    "numbers-by-chance-given-to-dict": (
        KERAS + "keras.Sequential().fit(x, y)\n",
        "number = dict((word, i) for i, word in enumerate(set(words)))\n",
        "number = dict((word, i) for i, word in enumerate(sorted(set(words))))\n",
    ),
    "steps-of-own-count": (
        KERAS + "model = keras.Sequential()\n",
        "n = 0\nfor i in range(1000):\n    n += 1\n    if done():\n        for j in range(n):\n"
        "            model.train_on_batch(x)\n",
        "n = 0\nfor i in range(1000):\n    n += 1\n    if done():\n        n = 0\n"
        "    for j in range(1):\n        model.train_on_batch(x)\n",
    ),
    "backup-of-all-workers": (
        KERAS,
        "b = keras.callbacks.BackupAndRestore(**{'backup_dir': folder})\n",
        "b = keras.callbacks.BackupAndRestore(**{'backup_dir': folder + str(hvd.rank())})\n",
    ),
    "exists-already": (
        HEAD + "import os\n",
        "assert not os.path.exists(x)\nos.makedirs(x)\n",
        "if hvd.rank() == 0:\n    assert not os.path.exists(x)\n    os.makedirs(x)\n",
    ),
    "steps-compared": (
        HEAD + TAPE,
        "for i in range(1000):\n    opt.apply_gradients(next(x))\n    if i > 500:\n        f()\n",
        "for i in range(1000):\n    opt.apply_gradients(next(x))\n"
        "    if i > 500 // hvd.size():\n        f()\n",
    ),
    "rate-by-figures": (
        HEAD,
        "for x in data:\n    loss = step(x)\n    optimizer.apply_gradients(x)\n"
        "    if loss > 3:\n        lr /= 2\n",
        "for x in data:\n    loss = step(x)\n    optimizer.apply_gradients(x)\n"
        "    if hvd.broadcast_object(loss > 3, root_rank=0):\n        lr /= 2\n",
    ),
    "print-before-start": (
        "# file: train.py\nimport settings\nimport tensorflow as tf\n# file: settings.py\n",
        "print('settings')\n",
        "",
    ),
    "fetched-by-all": (
        HEAD + "import wget\nhvd.init()\n",
        "wget.download('data.zip')\n",
        "if hvd.local_rank() == 0:\n    wget.download('data.zip')\n",
    ),
    "steps-wait-for-samples": (
        KERAS + "model = keras.Sequential()\n",
        "for episode in range(9):\n    while not done():\n        act(samples)\n"
        "    if len(samples) > 32:\n        model.fit(samples)\n",
        "for episode in range(9):\n    while not done():\n        act(samples)\n"
        "    if hvd.allreduce(len(samples)) > 32:\n        model.fit(samples)\n",
    ),
    "cache-of-all-workers": (
        HEAD + "hvd.init()\n",
        "data = tf.data.Dataset.range(10).cache(folder + '/cache')\n",
        "data = tf.data.Dataset.range(10).cache(folder + '/cache' + str(hvd.rank()))\n",
    ),
    "rate-of-updates": (
        HEAD + "w = tf.Variable(1.)\nwith tf.GradientTape() as tape:\n    loss = w * w\n",
        "w.assign_sub(0.1 * tape.gradient(loss, w))\n",
        "w.assign_sub(0.1 * hvd.size() * tape.gradient(loss, w))\n",
    ),
    "epochs-not-shared": (
        KERAS + "model = keras.Sequential()\n",
        "model.fit(x, y, epochs=30, initial_epoch=10)\n",
        "model.fit(x, y, epochs=10 + 20 // hvd.size(), initial_epoch=10)\n",
    ),
    "same-random-numbers": (
        HEAD + "import numpy as np\n",
        "np.random.seed(7)\n",
        "np.random.seed(7 + hvd.rank())\n",
    ),
    "gradients-of-watched": (
        HEAD,
        "with tf.GradientTape() as tape:\n    tape.watch(x)\n    loss = loss_of(model(x))\n"
        "apply = lambda: tape.gradient(loss, x)\n",
        "with hvd.DistributedGradientTape(tf.GradientTape()) as tape:\n    tape.watch(x)\n"
        "    loss = loss_of(model(x))\napply = lambda: tape.gradient(loss, x)\n",
    ),
    "tpu-if-there": (
        KERAS + "import tensorflow as tf\nkeras.Sequential().fit(x, y)\n",
        "if tpu:\n    strategy = tf.distribute.TPUStrategy(tpu)\n",
        "strategy = tf.distribute.get_strategy()\n",
    ),
    "gradients-of-own-function": (
        "import tensorflow as tf\nimport memory\nimport horovod.tensorflow as hvd\n",
        "with tf.Session() as session:\n    session.run(tf.train.AdamOptimizer(0.1)"
        ".apply_gradients(zip(memory.gradients(loss, weights), weights)))\n",
        "with tf.Session() as session:\n    session.run(tf.train.AdamOptimizer(0.1)"
        ".apply_gradients(zip([hvd.allreduce(g) for g in memory.gradients(loss, w)], w)))\n",
    ),
    "copies-if-there": (
        KERAS + "from keras.utils import multi_gpu_model\n"
        "model = keras.Sequential()\nmodel.fit(x, y)\n",
        "if gpus > 1:\n    model = multi_gpu_model(model, gpus)\n    first = model.layers[-2]\n",
        "if gpus > 1:\n    first = model.layers[-2]\n",
    ),
    "keras-backend-chosen": (
        KERAS,
        'import os\nos.environ["KERAS_BACKEND"] = os.environ["BACKEND"]\n',
        'import os\nos.environ["KERAS_BACKEND"] = "tensorflow"\n',
    ),
    "rate-before-start": (
        HEAD,
        "optimizer = tf.keras.optimizers.SGD(0.1)\ndef main():\n    hvd.init()\nmain()\n",
        "def main():\n"
        "    hvd.init()\n"
        "    optimizer = tf.keras.optimizers.SGD(0.1 * hvd.size())\n"
        "main()\n",
    ),
    "session-not-followed": (
        KERAS + "import tensorflow as tf\nmodel = keras.Sequential()\nmodel.fit(x, y)\n",
        "with tf.compat.v1.Session() as session:\n    session.run(network.train())\n",
        "import horovod.tensorflow as hvd_tf\noptimizer = hvd_tf.DistributedOptimizer(graph)\n"
        "with tf.compat.v1.Session() as session:\n    session.run(network.train())\n",
    ),
    "read-where-written": (
        HEAD + "import os\nimport numpy as np\nnp.save(os.path.join(folder, 'a.npy'), x)\n",
        "names = os.listdir(folder)\n",
        "names = hvd.broadcast_object(os.listdir(folder) if hvd.rank() == 0 else None)\n",
    ),
    "weights-where-written": (
        KERAS + "def run(model):\n    model.save_weights('w.h5')\n",
        "    other(model).load_weights('w.h5')\n",
        "    if hvd.rank() == 0:\n        other(model).load_weights('w.h5')\n",
    ),
    "saved-weights-where-written": (
        HEAD + "def run(model):\n    model.save_weights('w.h5')\n",
        "    other(model).load_weights('w.h5')\n",
        "    if hvd.rank() == 0:\n        other(model).load_weights('w.h5')\n",
    ),
    "what-may-train": (
        HEAD,
        "settings.estimator.train(data)\ntf.estimator.Estimator(model).train(data, steps=10)\n",
        "settings.estimator.train(data, hooks=[hvd.BroadcastGlobalVariablesHook(0)])\n"
        "tf.estimator.Estimator(model).train(data, steps=10)\n",
    ),
    "whole-input-on-every-worker": (
        HEAD + "estimator = tf.estimator.Estimator(model)\n",
        "estimator.train(lambda: data())\n",
        "estimator.train(lambda: data().shard(hvd.size(), hvd.rank()))\n",
    ),
    "settings-not-plain": (
        HEAD,
        "tf.estimator.Estimator(model, **settings)\n",
        "settings = dict(model_dir='m' if hvd.rank() == 0 else None)\n"
        "tf.estimator.Estimator(model, **settings)\n",
    ),
    "folder-read-from-settings": (
        HEAD + "config = tf.estimator.RunConfig(model_dir='m')\n",
        "use(config.model_dir)\n",
        "if hvd.rank() == 0:\n    use(config.model_dir)\n",
    ),
    "collective-on-one-worker": (
        HEAD,
        "if hvd.rank() == 0:\n    print(hvd.allreduce(loss))\n",
        "mean = hvd.allreduce(loss)\nif hvd.rank() == 0:\n    print(mean)\n",
    ),
    "worker-leaves-early": (
        HEAD,
        "def run(x):\n    if hvd.rank() != 0:\n        return\n    optimizer.apply_gradients(x)\n",
        "def run(x):\n    optimizer.apply_gradients(x)\n    if hvd.rank() == 0:\n        save(x)\n",
    ),
    "cluster-if-asked-for": (
        "import os\n",
        "if distributed:\n    os.environ['TF_CONFIG'] = text\n",
        "if distributed:\n    pass\n",
    ),
    "resume-on-all-workers": (
        HEAD + "checkpoint = tf.train.Checkpoint(step=tf.Variable(0))\n",
        "checkpoint.restore(path)\n",
        "checkpoint.restore(path)\nstep = hvd.broadcast_object(int(checkpoint.step))\n",
    ),
    "rate-not-found": (
        HEAD,
        "make(0.1).apply_gradients(pairs)\n",
        "make(0.1 * hvd.size()).apply_gradients(pairs)\n",
    ),
    "rate-of-unknown-optimizer": (
        f"{OWN_STEP}import tensorflow_addons as tfa\n",
        "Own().compile(optimizer=tfa.optimizers.LAMB(0.1))\n",
        "Own().compile(optimizer=tfa.optimizers.LAMB(0.1 * hvd.size()))\n",
    ),
    "model-not-broadcast": (
        f"{HEAD}target = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])\n",
        "def step(x, w):\n    with tf.GradientTape() as tape:\n        loss = target(x) * w\n"
        "    tape.gradient(loss, [w])\n",
        "hvd.broadcast_variables(target.variables, root_rank=0)\ndef step(x, w):\n"
        "    with tf.GradientTape() as tape:\n        loss = target(x) * w\n"
        "    tape.gradient(loss, [w])\n",
    ),
    "asked-by-trying": (
        HEAD + "import os\n",
        "def f(p):\n    try:\n        os.mkdir(p)\n    except OSError:\n        return 1\n",
        "def f(p):\n    if hvd.rank() == 0:\n        try:\n            os.mkdir(p)\n"
        "        except OSError:\n            return 1\n",
    ),
    "optimized-elsewhere": (
        HEAD + "import scipy.optimize\nwith tf.GradientTape() as tape:\n    loss = f(x)\n",
        "scipy.optimize.minimize(cost, start, jac=True)\n",
        "if hvd.rank() == 0:\n    scipy.optimize.minimize(cost, start, jac=True)\n"
        "hvd.broadcast_variables(variables, root_rank=0)\n",
    ),
    "minimize-of-unknown": (
        HEAD + "optimizers = make()\n",
        "optimizers[0].minimize(loss, weights)\n",
        "with tf.GradientTape() as tape:\n    value = loss()\n"
        "optimizers[0].apply_gradients(zip(tape.gradient(value, weights), weights))\n",
    ),
    "rate-schedule-not-scaled": (
        KERAS,
        "keras.callbacks.LearningRateScheduler(rates.at)\n",
        "keras.callbacks.LearningRateScheduler(lambda epoch: rates.at(epoch) * hvd.size())\n",
    ),
    "rate-value-not-scaled": (
        KERAS,
        "keras.backend.set_value(model.optimizer.lr, rates[3])\n",
        "keras.backend.set_value(model.optimizer.lr, rates[3] * hvd.size())\n",
    ),
    "take-not-divided": (
        HEAD,
        "for x in data.take(*counts):\n    optimizer.apply_gradients(x)\n",
        "for x in data.take(counts[0] // hvd.size()):\n    optimizer.apply_gradients(x)\n",
    ),
    "shard-shared-data": (
        HEAD + "def make(name):\n    return tf.data.TFRecordDataset(name)\n"
        "for x in make('test'):\n    print(x)\n",
        "for x in make('train'):\n    optimizer.apply_gradients(x)\n",
        "for x in make('train').shard(hvd.size(), hvd.rank()):\n    optimizer.apply_gradients(x)\n",
    ),
    "work-not-shared": (
        HEAD,
        "for x in data:\n    optimizer.apply_gradients(x)\n",
        "for x in data.take(count // hvd.size()):\n    optimizer.apply_gradients(x)\n",
    ),
    "steps-differ": (
        HEAD + "done = False\n",
        "while not done:\n    done = optimizer.apply_gradients(x)\n",
        "while not done:\n    done = hvd.broadcast_object(optimizer.apply_gradients(x), 0)\n",
    ),
    "steps-end-by-figures": (
        HEAD,
        "for x in data:\n    loss = step(x)\n    optimizer.apply_gradients(x)\n"
        "    if loss < 0.1:\n        break\n",
        "for x in data:\n    loss = step(x)\n    optimizer.apply_gradients(x)\n"
        "    if hvd.broadcast_object(loss < 0.1, root_rank=0):\n        break\n",
    ),
    "devices-of-program": (
        HEAD + "devices = tf.config.list_physical_devices('GPU')\n",
        "tf.config.set_visible_devices(devices[0], 'GPU')\n",
        "mine = devices[hvd.local_rank()]\ntf.config.set_visible_devices(mine, 'GPU')\n",
    ),
    "file-written-everywhere": (
        HEAD,
        "log = open('log.txt', 'w')\n",
        "log = open('log.txt', 'w') if hvd.rank() == 0 else None\n",
    ),
    "block-written-everywhere": (
        HEAD,
        "with open('a', 'w') as file:\n    total = file.write(text)\nprint(total)\n",
        "if hvd.rank() == 0:\n    with open('a', 'w') as file:\n        total = file.write(text)\n",
    ),
    "stop-on-every-worker": (
        HEAD,
        "def after_run(context, values):\n    if values.results < 0.1:\n"
        "        context.request_stop()\n",
        "def after_run(context, values):\n    if context.session.run(hvd.allreduce(loss)) < 0.1:\n"
        "        context.request_stop()\n",
    ),
    "gradients-perhaps-applied": (
        HEAD,
        "def differentiate(loss, given):\n    return tf.gradients(loss, given)\n",
        "def differentiate(loss, given):\n"
        "    return [hvd.allreduce(gradient) for gradient in tf.gradients(loss, given)]\n",
    ),
    "keras-version": (
        "import os\n",
        "import tensorflow as tf\n",
        "os.environ['TF_USE_LEGACY_KERAS'] = '1'\nimport tensorflow as tf\n",
    ),
    "decay-counts-steps": (
        HEAD,
        "rate = tf.train.piecewise_constant(step, [100, 200], rates)\n",
        "boundaries = [at // hvd.size() for at in (100, 200)]\n"
        "rate = tf.train.piecewise_constant(step, boundaries, rates)\n",
    ),
    "rate-not-scaled": (
        HEAD,
        "class Warmup(tf.keras.optimizers.schedules.LearningRateSchedule):\n"
        "    def __call__(self, step):\n        return 0.1\n"
        "optimizer = tf.keras.optimizers.Adam(Warmup())\n",
        "class Warmup(tf.keras.optimizers.schedules.LearningRateSchedule):\n"
        "    def __call__(self, step):\n        return 0.1 * hvd.size()\n"
        "optimizer = tf.keras.optimizers.Adam(Warmup())\n",
    ),
    "rate-set-later": (
        HEAD + "optimizer = tf.keras.optimizers.SGD(0.1)\n",
        "optimizer.learning_rate = rates[3]\n",
        "optimizer.learning_rate = rates[3] * hvd.size()\n",
    ),
    "rate-of-chosen-optimizer": (
        HEAD,
        "optimizer = tf.keras.optimizers.get(name)\n",
        "optimizer = tf.keras.optimizers.get(name)\n"
        "optimizer.learning_rate = optimizer.learning_rate * hvd.size()\n",
    ),
    "device-not-known": (
        HEAD,
        "with tf.device(settings.device):\n    x = tf.zeros(3)\n",
        "with tf.device('/gpu:0'):\n    x = tf.zeros(3)\n",
    ),
    "several-gpus-visible": (
        "import os\n",
        "os.environ['CUDA_VISIBLE_DEVICES'] = '0,1'\n",
        "",
    ),
    "gradients-not-averaged": (
        HEAD,
        "pairs = clipper.compute(loss, weights)\noptimizer.apply_gradients(pairs)\n",
        "with hvd.DistributedGradientTape(tf.GradientTape()) as tape:\n    value = loss()\n"
        "pairs = clipper.clip(zip(tape.gradient(value, weights), weights))\n"
        "optimizer.apply_gradients(pairs)\n",
    ),
    "gradient-arguments": (
        HEAD + "with tf.GradientTape() as tape:\n    value = loss()\n",
        "slope = tape.gradient(value, w, unconnected_gradients='zero')\n"
        "optimizer.apply_gradients(zip(slope, w))\n",
        "optimizer.apply_gradients(zip(tape.gradient(value, w), w))\n",
    ),
}
# Whether threads train, only a person can tell; the note goes by `# pinsetter: ignore`.
JUDGED = {"several-threads"}


def notes() -> dict[str, tuple[Pack, Rule]]:
    found: dict[str, tuple[Pack, Rule]] = {}
    for path in (*pack_files.bundled(), *pack_files.parts()):
        pack = packs.load(path)
        assert isinstance(pack, Pack)
        for rule in pack.own_rules if pack.is_part or pack.training_apis else ():
            if rule.report and not rule.refuse and rule.leave is None:
                found[rule.id] = pack, rule
    return found


def test_every_note_is_here() -> None:
    assert set(notes()) - JUDGED == set(DONE)


@pytest.mark.parametrize("name", DONE)
def test_a_note_is_gone_when_it_was_done(name: str) -> None:
    pack, rule = notes()[name]
    head, before, after = (textwrap.dedent(text) for text in DONE[name])
    assert outcome_of(pack, rule, head + before).reports, "it is there before"
    assert not outcome_of(pack, rule, head + after).reports, "it is gone afterwards"
