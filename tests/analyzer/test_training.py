"""Which training API code uses: sites that train, and sites that only configure or evaluate."""

from __future__ import annotations

import textwrap

import pytest
from repository import Repository, Write

from pinsetter.analyzer.domains.tensorflow.training import TrainingSites

TF = "import tensorflow as tf\n"
V1 = "import tensorflow.compat.v1 as tf\n"
OPT = "step = tf.train.AdamOptimizer(0.1).minimize(loss)\n"
RUN = "with tf.Session() as sess:\n    sess.run(step)\n"
FIT = "model = tf.keras.Sequential([])\nmodel.fit(x)\n"
TAPE = """\
opt = tf.keras.optimizers.Adam()
with tf.GradientTape() as tape:
    loss = f(x)
opt.apply_gradients(zip(tape.gradient(loss, v), v))
"""
ESTIMATOR = """\
def model_fn(features, labels, mode):
    step = tf.train.AdamOptimizer().minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)
estimator = tf.estimator.Estimator(model_fn)
"""


def apis(repository: Repository, name: str = "main") -> set[str]:
    [program] = [p for p in repository.facts.programs.all if p.entry.name == name]
    return set(program.apis)


OWN = """\
class Adam:
    def apply_gradients(self, gradients, variables):
        self.last = gradients
class Model:
    def fit(self, x, epochs=1):
        self.x = x
"""

# A class with a base of which nothing is known.
OPEN = "from lib import Base\nclass Net(Base):\n    pass\n"

# ---------------------------------------------------------------- no training


@pytest.mark.parametrize(
    "code",
    [
        f"{TF}sess = tf.Session()\n",
        f"{TF}with tf.Session() as sess:\n    tf.train.Saver().restore(sess, path)\n"
        "    sess.run(logits)\n",
        f"{V1}sess = tf.InteractiveSession(config=tf.ConfigProto())\n",
        f"{TF}with tf.Session() as s:\n    s.run(tf.gradients(y, x))\n",
        f"{TF}with tf.Session() as s:\n    s.run(tf.assign(a, b))\n",
        f"{TF}g = tf.gradients(y, x)\nset_w = w.assign(b)\nwith tf.Session() as s:\n"
        "    s.run([g, set_w])\n",
        f"{TF}copy = [o.assign(0.9 * o + 0.1 * n) for o, n in zip(old, new)]\n"
        "slopes = tf.gradients(y, x)\nwith tf.Session() as s:\n    s.run([copy, slopes])\n",
        f"{TF}from scipy import optimize\nwith tf.Session() as s:\n    optimize.minimize(f, 0)\n",
        f"{TF}{OPT}",
        f"{V1}with tf.Session() as s:\n    s.run(ops)\nops = tf.no_op()\nops = [ops, tf.no_op()]\n",
        f"{TF}with tf.train.MonitoredSession() as s:\n    s.run(logits)\n",
        f"{TF}sv = tf.train.Supervisor(logdir='x')\n",
        f"{TF}estimator = tf.estimator.DNNClassifier([1], [])\nestimator.predict(input_fn=f)\n",
        f"{TF}{ESTIMATOR}estimator.evaluate(input_fn=f)\n",
        f"{TF}{ESTIMATOR}estimator.predict(f)\nwith tf.Session() as s:\n    s.run(logits)\n",
        f"{TF}from keras import backend as K\nK.set_session(tf.Session(config=c))\n",
        f"{TF}unknown().fit(x)\n",
        f"{TF}{OWN}Adam().apply_gradients(g, v)\n",
        f"{TF}{OWN}with tf.GradientTape() as tape:\n    loss = f(x)\n"
        "optimizer = Adam()\noptimizer.apply_gradients(tape.gradient(loss, v), v)\n",
        f"{TF}{OWN}def run(optimizer, model):\n    optimizer.apply_gradients(g, v)\n"
        "    model.fit(x, epochs=3)\nrun(Adam(), Model())\n",
        f"{TF}import pandas as pd\nwith tf.GradientTape() as tape:\n    loss = f(x)\n"
        "pd.DataFrame(x).apply(f, x)\nframe.apply(f, x)\nframe.apply(tape.gradient(loss, v))\n"
        "frame.apply(tape.watched_variables(), v)\n",
        f"{TF}class Frame:\n    def apply(self, g, v): pass\n"
        "with tf.GradientTape() as tape:\n    loss = f(x)\n"
        "Frame().apply(tape.gradient(loss, v), v)\n",
        f"{TF}from sklearn.svm import SVC\nSVC().fit(x, epochs=1)\n".replace(", epochs=1", ""),
        "unknown().fit(x, epochs=3)\n",
        f"{TF}class Opt(tf.keras.optimizers.Optimizer):\n"
        "    def apply_gradients(self, pairs):\n        self.inner.apply_gradients(pairs)\n",
        f"{TF}class Opt(tf.keras.optimizers.Optimizer):\n    def apply_gradients(self, pairs):\n"
        "        def run():\n            self.inner.apply_gradients(pairs)\n        run()\n"
        "with tf.GradientTape() as tape:\n    loss = f(x)\n",
        f"{TF}def build(opt):\n    g = tf.gradients(loss, v)\n    opt.apply_gradients(zip(g, v))\n",
        f"{TF}class Opt(tf.keras.optimizers.legacy.Adam):\n"
        "    def _resource_apply_dense(self, grad, var):\n        with tf.GradientTape() as tape:\n"
        "            loss = f(var)\n        var.assign_sub(tape.gradient(loss, var))\n",
        f"{TF}fit = unknown().fit\nfit(x)\n",
        f"{TF}from sklearn.svm import SVC\nfit = SVC().fit\nfit(x)\n",
        f"{TF}{OWN}fit = Model().fit\nfit(x, epochs=3)\napply = Adam().apply_gradients\n",
        f"{TF}import inspect\nmodel = tf.keras.Sequential([])\ninspect.signature(model.fit)\n"
        "model.fit = None\nmodel.fit.__doc__\nassert model.fit is not None\n",
        f"{TF}minimize = unknown().minimize\nminimize(f, 0)\n",
        "model.train(input_fn=f) if False else 0\n".replace("input_fn=f", "x"),
        f"{TF}import re\nre.compile('x', 0)\nunknown().fit(x, y)\n",
        f"{TF}unknown().fit(x, y, 3)\n",
        f"{TF}other.compile('sgd', 'mse')\nunknown().fit(x, y)\n",
        f"{TF}import gbm\ngbm.Classifier().fit(x, y, callbacks=[gbm.early_stop(3)])\n",
        f"{TF}from sklearn.svm import SVC\nclass Own(SVC): pass\nOwn().fit(x, y)\n",
        f"{TF}class Own(tf.Module): pass\nOwn().fit(x, epochs=1)\n",
        f"{TF}{OWN}class Own(Model): pass\nm = Own()\nm.compile('sgd')\nm.fit(x, epochs=1)\n",
    ],
)
def test_code_that_does_not_train(write: Write, code: str) -> None:
    assert apis(write(code)) == set()


# ---------------------------------------------------------------- one training API


@pytest.mark.parametrize(
    "code",
    [
        f"{TF}{OPT}{RUN}",
        f"{V1}{OPT}{RUN}",
        f"{TF}{OPT}ops = [loss]\nops = [ops, step]\nwith tf.Session() as s:\n    s.run(ops)\n",
        f"{TF}{OPT}ops = []\nops.append(step)\nwith tf.Session() as s:\n    s.run([ops])\n",
        f"{TF}step = build().minimize(loss)\n{RUN}",
        f"{TF}class N:\n    opt = None\n    def build(self, make):\n        self.opt = make()\n"
        f"        self.step = self.opt.minimize(loss)\n{RUN}",
        f"{TF}opt = tf.train.AdamOptimizer()\ngv = opt.compute_gradients(loss)\n{RUN}",
        f"{TF}opt = tf.train.AdamOptimizer()\nopt.apply_gradients(gv)\n{RUN}",
        f"{TF}class Opt(tf.train.Optimizer): pass\nOpt().minimize(loss)\n{RUN}",
        f"{TF}g = tf.gradients(loss, w)\nw.assign_sub(g)\nstep = tf.assign(w, w - g)\n{RUN}",
        f"{TF}(g,) = tf.gradients(loss, [w])\nstep = w.assign(w - 0.1 * g)\n{RUN}",
        f"{TF}steps = []\nfor v, g in zip(weights, tf.gradients(loss, weights)):\n"
        f"    steps.append(v.assign_add(-0.1 * g))\nstep = tf.group(*steps)\n{RUN}",
        f"{TF}step = tf.contrib.layers.optimize_loss(loss, n, 0.1, 'SGD')\n{RUN}",
        f"{TF}{OPT}sv = tf.train.Supervisor()\nwith sv.managed_session() as s:\n    s.run(step)\n",
        f"{TF}slim = tf.contrib.slim\nslim.learning.train(op, logdir)\n",
        f"{TF}class S(tf.Session): pass\n{OPT}S().run(step)\n",
        f"{TF}{OPT}sess = tf.Session()\ntf.keras.backend.set_session(sess)\nsess.run(step)\n",
        f"{TF}{OPT}sess = tf.keras.backend.get_session()\nsess.run(step)\n",
    ],
)
def test_sessions(write: Write, code: str) -> None:
    assert apis(write(code)) == {"session"}


@pytest.mark.parametrize(
    "code",
    [
        f"{TF}with tf.train.MonitoredTrainingSession() as s:\n    s.run(step)\n",
        f"{TF}{OPT}with tf.train.MonitoredSession() as s:\n    s.run(step)\n",
        f"{V1}{OPT}with tf.train.SingularMonitoredSession() as s:\n    s.run(step)\n",
        f"{TF}{OPT}with tf.train.MonitoredTrainingSession() as s:\n    s.run(step)\n"
        "with tf.Session() as sess:\n    saver.restore(sess, path)\n    sess.run(logits)\n",
        f"{TF}tf.contrib.training.train(op, logdir)\n",
    ],
)
def test_monitored_sessions(write: Write, code: str) -> None:
    assert apis(write(code)) == {"monitored_session"}


@pytest.mark.parametrize(
    "code",
    [
        f"{TF}{ESTIMATOR}estimator.train(input_fn=f, steps=3)\nestimator.evaluate(input_fn=f)\n",
        f"{TF}{ESTIMATOR}run_elsewhere(estimator)\n",
        f"{TF}{ESTIMATOR}tf.estimator.train_and_evaluate(estimator, a, b)\n",
        f"{TF}tf.estimator.DNNClassifier([1], []).train(f)\n",
        f"{TF}c = tf.estimator.LinearRegressor([])\nc.train(f)\nc.predict(f)\n",
        f"{TF}class Mine(tf.estimator.Estimator): pass\nMine(f).train(f)\n",
        f"{TF}e = tf.contrib.learn.DNNClassifier([1], [])\ne.fit(input_fn=f)\ne.evaluate(f)\n",
        f"{TF}e = tf.contrib.tpu.TPUEstimator(f)\ne.train(input_fn=f)\ne.evaluate(input_fn=f)\n",
        f"{TF}make().train(input_fn=f)\n",
        f"{TF}{ESTIMATOR}estimator.train(f)\nwith tf.Session() as s:\n    s.run(logits)\n",
        f"{TF}e = tf.keras.estimator.model_to_estimator(m)\ne.train(input_fn=f)\n",
    ],
)
def test_estimators(write: Write, code: str) -> None:
    assert apis(write(code)) == {"estimator"}


@pytest.mark.parametrize(
    "code",
    [
        f"{TF}{FIT}",
        "from keras.models import Sequential\nm = Sequential()\nm.compile('sgd')\nm.fit(x)\n",
        "from keras.models import Model\nModel(a, b).fit_generator(g)\n",
        "import keras\nbuild().fit_generator(g)\n",
        "import keras\nbuild().fit(x, y, nb_epoch=3)\n",
        f"{TF}m = load()\nfor x in data:\n    m.train_on_batch(x)\n",
        f"{TF}{OPEN}m = Net()\nm.fit(x, epochs=3)\n",
        "from lib.keras import Net\nclass Own(Net): pass\nOwn().fit_generator(x)\n",
        f"{TF}{OPEN}m = Net()\nm.fit_generator(x)\n",
        f"{TF}{OPEN}class Other:\n    pass\nm = Net() if a else Other()\nm.fit(x, epochs=3)\n",
        f"{TF}{OPEN}fit = Net().fit\nfit(x, epochs=3)\n",
        f"{TF}m = load()\nm.compile('sgd', 'mse')\nm.fit(x, y)\n",
        f"{TF}m = load()\nm.compile()\nm.fit(x, y)\n",
        f"{TF}class A:\n    def __init__(self):\n        "
        "self.m = load()\n        self.m.compile('sgd')\n"
        "    def run(self):\n        self.m.fit(x, y)\n",
        f"{TF}def build():\n    net = lib.net()\n    net.compile('sgd', 'mse')\n    return net\n"
        "model = build()\nmodel.fit(x, y)\n",
        f"{TF}load().fit(x, y, callbacks=[tf.keras.callbacks.EarlyStopping()])\n",
        f"{TF}calls = []\ncalls.append(tf.keras.callbacks.EarlyStopping())\n"
        "load().fit(x, y, callbacks=calls)\n",
        f"{TF}load().fit(x, y, 32, 10)\n",
        f"{TF}from keras import backend as K\nK.set_session(tf.Session(config=c))\n{FIT}",
        f"{TF}def session():\n    return tf.Session(config=c)\n"
        f"tf.compat.v1.keras.backend.set_session(session())\n{FIT}",
        f"{TF}sess = tf.compat.v1.InteractiveSession(config=c)\n{FIT}",
        f"{TF}sess = tf.Session(config=c)\nmodel = tf.keras.Sequential([])\n"
        "model.compile(optimizer=tf.train.AdamOptimizer())\nmodel.fit(x)\n",
    ],
)
def test_keras(write: Write, code: str) -> None:
    assert apis(write(code)) == {"keras"}


@pytest.mark.parametrize(
    "code",
    [
        f"{TF}session = tf.compat.v1.InteractiveSession(config=c)\n{TAPE}",
        f"{TF}tf.compat.v1.keras.backend.set_session(tf.compat.v1.Session(config=c))\n{TAPE}",
    ],
)
def test_a_session_that_configures_a_tape_program(write: Write, code: str) -> None:
    assert apis(write(code)) == {"gradient_tape"}


def test_what_a_helper_trains_to_try_itself_out_makes_no_mixture(write: Write) -> None:
    helper = "import tensorflow as tf\ndef make(): pass\nif __name__ == '__main__':\n    "
    files = {
        "main.py": f"{TF}import helper\n{TAPE}",
        "helper.py": helper + FIT.replace("\n", "\n    ") + "pass\n",
    }
    repository = write(files)
    assert apis(repository) == {"gradient_tape"}
    assert apis(repository, "helper") == {"keras"}


# ---------------------------------------------------------------- mixtures


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        (f"{TF}{TAPE}{FIT}", {"gradient_tape", "keras"}),
        (f"{TF}{TAPE}{OPT}{RUN}", {"gradient_tape", "session"}),
        (f"{TF}{FIT}{OPT}{RUN}", {"keras", "session"}),
        (f"{TF}{ESTIMATOR}estimator.train(f)\n{FIT}", {"estimator", "keras"}),
        (f"{TF}{ESTIMATOR}estimator.train(f)\n{OPT}{RUN}", {"estimator", "session"}),
        (f"{TF}{OPT}with tf.train.MonitoredTrainingSession() as m:\n    m.run(step)\n"
         "class A:\n    def __init__(self):\n        self.step = tf.train.AdamOptimizer()."
         "minimize(x)\n        self.sess = tf.Session()\n    def f(self):\n"
         "        self.sess.run([self.step, x])\n", {"monitored_session", "session"}),
    ],
)  # fmt: skip
def test_mixtures(write: Write, code: str, wanted: set[str]) -> None:
    repository = write(code)
    assert apis(repository) == wanted
    [program] = repository.facts.programs.all
    assert program.mixture is not None
    for site in program.sites:
        assert f"main.py:{site.line} ({site.api})" in str(site)
    first = {api: next(str(s) for s in program.sites if s.api == api) for api in wanted}
    assert program.mixture == "the program trains in more than one way: " + ", ".join(
        first[api] for api in sorted(wanted)
    )


def test_of_two_sessions_the_one_that_trains_is_named(write: Write) -> None:
    config = "from keras import backend as K\nK.set_session(tf.Session(config=c))\n"
    [program] = write(f"{TF}{config}{FIT}{OPT}{RUN}").facts.programs.all
    lines = {site.api: site.line for site in program.sites}
    assert lines == {"keras": 5, "session": 7}


def test_a_program_of_one_api_is_no_mixture(write: Write) -> None:
    [program] = write(f"{TF}{FIT}{FIT}").facts.programs.all
    assert program.mixture is None


def test_what_an_optimizer_of_the_repository_does_inside_shows_by_itself(write: Write) -> None:
    code = """
        class Clipped:
            def __init__(self, inner):
                self.inner = inner
            def apply_gradients(self, pairs):
                self.inner.apply_gradients(clip(pairs))
        optimizer = Clipped(tf.keras.optimizers.SGD(0.1))
        with tf.GradientTape() as tape:
            loss = f(x)
        optimizer.apply_gradients(zip(tape.gradient(loss, v), v))
        """
    repository = write(TF + textwrap.dedent(code))
    assert apis(repository) == {"gradient_tape"}
    [site] = [s for p in repository.facts.programs.all for s in p.sites]
    assert site.line == 7


@pytest.mark.parametrize("base", ["tf.keras.optimizers.Adam", "unknown.Optimizer", "make()"])
def test_an_optimizer_with_a_base_of_a_library_or_an_unknown_one(write: Write, base: str) -> None:
    own = f"import unknown\nclass Mine({base}):\n    pass\n"
    tape = TAPE.replace("tf.keras.optimizers.Adam()", "Mine()")
    assert apis(write(TF + own + tape)) == {"gradient_tape"}


SESSION = "step = tf.compat.v1.train.AdamOptimizer(0.1).minimize(loss)\n"


@pytest.mark.parametrize(
    ("use", "trains"),
    [
        ("sess.run(next)", False),
        ("sess.run(iterator.initializer)", False),
        ("sess.run(network.outputs)", False),  # said by a rule's report
        ("sess.run(tf.compat.v1.global_variables_initializer())", False),
        ("saver = tf.compat.v1.train.Saver()\n    saver.restore(sess, path)", False),
        ("builder = tf.compat.v1.saved_model.Builder(path)\n    builder.add(sess, ['a'])", False),
        ("read(sess)", False),
        ("sess.run(step)", True),
        ("sess.run([step, loss])", True),
        ("sess.run(self.train_op)", True),
        ("step.run()", True),
        ("tf.compat.v1.get_default_session().run(step)", True),
        ("call = sess.make_callable(step)", True),
        ("unknown.train(sess)", True),
        ("trainers[0].fit(sess)", True),
        ("later = lambda: sess", True),
        ("sessions['main'] = sess\n    sessions['main'].run(step)", True),
        ("train(sess)", True),
        ("tf_slim.learning.train(step, 'logs')", True),
    ],
)
def test_a_session_beside_fit(write: Write, use: str, trains: bool) -> None:
    code = (
        f"{TF}import unknown, tf_slim\nsessions = {{}}\n{FIT}{SESSION}"
        "iterator = tf.compat.v1.data.make_one_shot_iterator(data)\nnext = iterator.get_next()\n"
        "def read(session):\n    return session.run(next)\n"
        "def train(session):\n    session.run(step)\n"
        f"with tf.compat.v1.Session() as sess:\n    {use}\n"
    )
    assert apis(write(code)) == ({"keras", "session"} if trains else {"keras"})


@pytest.mark.parametrize(
    "code",
    [
        TAPE.replace(
            "apply_gradients(zip(tape.gradient(loss, v), v))", "apply(tape.gradient(loss, v), v)"
        ),
        "def step(opt, x, v):\n    with tf.GradientTape() as tape:\n        loss = f(x)\n"
        "    found = tape.gradient(loss, v)\n    opt.apply(found, v)\n",
        "opt = tf.keras.optimizers.Adam()\nopt.apply(clipped(tf.GradientTape()))\n",
    ],
)
def test_gradients_that_keras_3_applies(write: Write, code: str) -> None:
    assert apis(write(f"{TF}{code}")) == {"gradient_tape"}


def test_gradients_of_a_graph_are_no_tape(write: Write) -> None:
    graph = (
        "def model_fn(features, labels, mode):\n    optimizer = make_optimizer()\n"
        "    pairs = optimizer.compute_gradients(loss)\n"
        "    step = optimizer.apply_gradients(pairs)\n"
        "    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)\n"
    )
    assert apis(write(f"{TF}{graph}{TAPE}")) == {"gradient_tape"}
    assert apis(write(f"{TF}{graph}{FIT}")) == {"keras"}
    only_a_penalty = "with tf.GradientTape() as tape:\n    loss = f(x)\n"
    assert apis(write(f"{TF}{graph}{FIT}{only_a_penalty}")) == {"keras"}


def test_minimize_beside_fit(write: Write) -> None:
    code = f"{TF}{FIT}opt = tf.keras.optimizers.SGD(0.1)\nopt.minimize(lambda: f(w), [w])\n"
    assert apis(write(code)) == {"keras", "gradient_tape"}


def test_minimize_in_a_step_of_fit_is_keras(write: Write) -> None:
    code = (
        "class Own(tf.keras.Model):\n    def __init__(self):\n"
        "        self.opt = tf.keras.optimizers.SGD(0.1)\n    def train_step(self, data):\n"
        "        self.opt.minimize(lambda: self(data), self.trainable_variables)\n"
        "model = Own()\nmodel.compile()\nmodel.fit(x)\n"
    )
    assert apis(write(TF + code)) == {"keras"}


# ---------------------------------------------------------------- methods called by other names


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"{TF}model = tf.keras.Sequential([])\nfit = model.fit\nfit(x)\n", "keras"),
        (f"{TF}model = tf.keras.Sequential([])\ngetattr(model, 'fit')(x)\n", "keras"),
        (f"{TF}def train(model):\n    fit = model.fit\n    fit(x, epochs=3)\n", "keras"),
        (f"{TF}def train(model):\n    run_later(model.fit, epochs=3)\n", "keras"),
        (f"{TF}def train(model):\n    f = model.fit_generator if a else model.fit\n", "keras"),
        (f"{TF}class N:\n    def f(self):\n        return self.m.train_on_batch\n", "keras"),
        (f"{TF}opt = tf.keras.optimizers.Adam()\nm = opt.minimize\nm(f, v)\n", "gradient_tape"),
        (f"{TF}with tf.GradientTape() as tape:\n    loss = f(x)\n"
         "apply = unknown().apply_gradients\napply(zip(tape.gradient(loss, v), v))\n",
         "gradient_tape"),
        (f"{TF}class Opt(tf.keras.optimizers.SGD):\n    def apply_gradients(self, pairs):\n"
         "        self.inner.apply_gradients(pairs)\n"
         "with tf.GradientTape() as tape:\n    loss = f(x)\nopt = Opt()\n"
         "opt.apply_gradients(zip(tape.gradient(loss, v), v))\n", "gradient_tape"),
        (f"{TF}minimize = tf.train.AdamOptimizer().minimize\nstep = minimize(loss)\n{RUN}",
         "session"),
    ],
)  # fmt: skip
def test_methods_that_are_read(write: Write, code: str, expected: str) -> None:
    assert apis(write(code)) == {expected}


JOINED = [
    ("with tf.control_dependencies([x]): y = tf.no_op()\n", False),
    ("with tf.device('cpu'): y = tf.no_op()\n", False),
    ("with control_dependencies([step]): y = tf.no_op()\n", False),
    ("with tf.control_dependencies([step]):\n    def f(): return tf.no_op()\ny = f()\n", False),
    ("with tf.control_dependencies([step]): z = tf.no_op()\ny = tf.no_op()\n", False),
    ("y = tf.group(x, tf.no_op())\n", False),
    ("y = tf.stack([step])\n", False),
    ("y = own(step)\n", False),
    ("y = tf.no_op()\nwith tf.control_dependencies([y]): y = tf.group(y)\n", False),
    ("with tf.control_dependencies([x, step]): y = tf.no_op()\n", True),
    ("with tf.control_dependencies([step]) as z, tf.device('cpu'): y = tf.identity(x)\n", True),
    ("with tf.control_dependencies(steps): y = x + tf.no_op()\n", True),
    ("y = tf.group(x, step)\n", True),
    ("y = tf.group(*steps)\n", True),
    ("with tf.control_dependencies([step]): z = tf.no_op()\ny = tf.tuple([z, x])\n", True),
]


@pytest.mark.parametrize(("code", "trains"), JOINED)
def test_what_is_run_with_an_operation(write: Write, code: str, trains: bool) -> None:
    head = f"{TF}def own(z): return tf.no_op()\n{OPT}steps = [step]\n"
    facts = write(f"{head}{code}with tf.Session() as sess: sess.run(y)\n").facts
    [program] = facts.programs.all
    steps = facts.programs.steps_in(program.entry)
    assert ("sess.run(y)" in [str(node.parent).strip() for node in steps]) == trains


def test_a_method_that_is_read_makes_no_step_there(write: Write) -> None:
    facts = write(f"{TF}model = tf.keras.Sequential([])\nfit = model.fit\nmodel.fit(x)\n").facts
    [module] = facts.project.given
    sites = TrainingSites(facts.evaluator)
    assert [module.tree.line_of(step) for step in sites.steps_in(module)] == [4]
    assert [site.line for site in sites.read_in(module)] == [3]
