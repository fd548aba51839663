"""Programs: entry scripts, the modules they reach, and the training API in use."""

from __future__ import annotations

import pytest
from repository import Repository, Write

TF = "import tensorflow as tf\n"
TAPE = """\
import tensorflow as tf
opt = tf.keras.optimizers.Adam()
with tf.GradientTape() as tape:
    loss = f(x)
opt.apply_gradients(zip(tape.gradient(loss, v), v))
"""
FIT = "import tensorflow as tf\nmodel = tf.keras.Sequential([])\nmodel.fit(x)\n"
STEP_1 = "import tensorflow as tf\nstep = tf.train.AdamOptimizer().minimize(loss)\n"
SESSION = (
    "import tensorflow.compat.v1 as tf\nstep = tf.train.AdamOptimizer().minimize(loss)\n"
    "with tf.Session() as s:\n    s.run(step)\n"
)


def entries(repository: Repository) -> set[str]:
    return {program.entry.name for program in repository.facts.programs.all}


def api(repository: Repository, name: str = "main") -> str | None:
    programs = repository.facts.programs.all
    return next(p for p in programs if p.entry.name == name).training_api


def test_what_is_in_no_program_is_alone(write: Write) -> None:
    programs = write({"one.py": "import other\n", "other.py": "import one\n"}).facts.programs
    module = programs.project.given[0]
    assert not programs.of(module)
    assert programs.around(module) == (module,)
    assert programs.around(module) is programs.around(module)


# ---------------------------------------------------------------- training APIs


@pytest.mark.parametrize(
    "code",
    [
        "",
        TF,
        f"{TF}with tf.GradientTape() as tape:\n    loss = f(x)\nprint(tape.gradient(loss, x))\n",
        f"{TF}opt = tf.keras.optimizers.Adam()\nopt.apply_gradients(x)\n",
        f"{TF}v.assign_sub(x)\n",
        "opt.apply_gradients(x)\n",
        "model.fit(x)\n",
        "from sklearn.svm import SVC\nSVC().fit(x)\n",
        "class Model:\n    def fit(self, x): pass\nModel().fit(x)\n",
        f"{TF}tf.keras.Sequential([]).evaluate(x)\n",
        f"{TF}session = Session()\n",
        "import requests\nrequests.Session()\n",
        "'model.fit(x)'\n",
    ],
)
def test_programs_without_a_training_api(write: Write, code: str) -> None:
    repository = write(code)
    assert api(repository) is None
    assert repository.facts.programs.all[0].sites == ()


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        (TAPE, "gradient_tape"),
        (FIT, "keras"),
        (f"{TF}class Net(tf.keras.Model): pass\nNet().fit(x)\n", "keras"),
        (f"{TF}def make():\n    return tf.keras.Sequential([])\n"
         "make().fit_generator(x)\n", "keras"),
        (SESSION, "session"),
        (f"{STEP_1}tf.Session()\n", "session"),
        (f"{STEP_1}import tensorflow.compat.v1 as tf1\ntf1.InteractiveSession()\n", "session"),
        ("import tensorflow as tf\ntf.train.MonitoredTrainingSession()\n", "monitored_session"),
        ("import tensorflow.compat.v1 as tf\ntf.train.MonitoredTrainingSession()\n",
         "monitored_session"),
        (f"{TF}tf.estimator.train_and_evaluate(a, b, c)\n", "estimator"),
        (f"{TF}with tf.GradientTape() as t:\n    x\nv.assign_sub(t.gradient(x, v))\n",
         "gradient_tape"),
        (f"{TF}with tf.GradientTape() as t:\n    x\ng = t.gradient(x, v)\nv.assign(v - 0.1 * g)\n",
         "gradient_tape"),
        (f"{TF}import horovod.tensorflow as h\nt = h.DistributedGradientTape(tf.GradientTape())\n"
         "v.assign_add(-t.gradient(x, [v])[0])\n", "gradient_tape"),
        (f"{TF}with tf.GradientTape() as t:\n    x\nv.assign_add(t.gradient(x, v))\n", None),
        (f"{TF}with tf.GradientTape() as t:\n    x\nv.assign(w - t.gradient(x, v))\n", None),
        (f"{TF}with tf.GradientTape() as t:\n    x\nv.assign_add(w - t.gradient(x, v))\n", None),
        (f"{TF}with tf.GradientTape() as t:\n    x\nt.gradient(x, v)\nv.assign_sub(y)\n",
         "variable_updates"),
        (f"{TF}with tf.GradientTape() as t:\n    x\nv.assign_sub(a.gradient(x, v))\n",
         "variable_updates"),
        (f"{STEP_1.replace('step', 'unused')}g = tf.gradients(x, v)[0]\nstep = v.assign_sub(g)\n"
         "tf.Session().run(step)\n", "session"),
    ],
)  # fmt: skip
def test_the_training_api(write: Write, code: str, wanted: str) -> None:
    assert api(write(code)) == wanted


@pytest.mark.parametrize(
    ("name", "code", "programs"),
    [
        ("setup.py", f"from setuptools import setup\n{FIT}setup()\n", 0),
        ("setup.py", FIT, 1),
        ("train.py", f"from setuptools import setup\n{FIT}setup()\n", 1),
    ],
)
def test_what_installs_a_repository_is_no_program(
    write: Write, name: str, code: str, programs: int
) -> None:
    assert len(write({name: code}).facts.programs.all) == programs


LINES = "with sessions.make() as s:\n    s.run(step)\n"


@pytest.mark.parametrize(
    ("code", "unclear"),
    [
        (f"{STEP_1}print(step)\n", False),
        (f"{STEP_1}with sessions.make() as s:\n    s.run(loss)\n", False),
        (f"{STEP_1}def f():\n    with sessions.make() as s:\n        s.run(step)\n", True),
        (f"import sessions\n{STEP_1}with tf.Session() as s:\n    s.run(loss)\n", False),
        (f"{TF}opt = make()\nstep = opt.minimize(loss)\n{LINES}", True),
        (f"{TF}step = make()\n{LINES}", False),
        (f"import sessions\nimport tensorflow as tf\nstep = make().train_op\n{LINES}", False),
        (f"{STEP_1}class A(tf.test.TestCase):\n    def test(self):\n"
         "        with self.test_session() as s:\n            s.run(step)\n", False),
        (f"{STEP_1}import subprocess\nsubprocess.run(step)\n", True),
        (f"import sessions\n{STEP_1}{LINES}", True),
        (f"import sessions\n{STEP_1}b = tf.group(step, other)\nsessions.s.run([b])\n", True),
        ("import scipy.optimize as o\nimport tensorflow as tf\no.minimize(f, x)\n", False),
        (f"{TF}from scipy.optimize import minimize\nwith tf.GradientTape() as t:\n    x\n"
         "def f():\n    minimize(f, x)\n", True),
        (f"{TF}import tensorflow_probability as tfp\nwith tf.GradientTape() as t:\n    x\n"
         "tfp.optimizer.lbfgs_minimize(f, x)\n", True),
        ("import tensorflow as tf\ntf.contrib.opt.ScipyOptimizerInterface(loss)\n", True),
    ],
)  # fmt: skip
def test_what_is_run_by_something_unknown(write: Write, code: str, unclear: bool) -> None:
    program = write(code).facts.programs.all[0]
    assert [site.api for site in program.unclear] == ["step"] * unclear
    assert not unclear or not program.sites


def test_another_name_of_a_monitored_session(write: Write) -> None:
    path = "tensorflow.contrib.learn.python.learn"
    for code in (
        f"from {path} import monitored_session as m\n{STEP_1}m.MonitoredSession()\n",
        f"{STEP_1}tf.contrib.learn.MonitoredSession()\n",
    ):
        assert api(write(code)) == "monitored_session"


def test_a_moving_average_beside_the_optimizer_is_no_mixture(write: Write) -> None:
    assert api(write(TAPE + "average.assign_sub(x)\n")) == "gradient_tape"


STEP = """\
import tensorflow as tf
class Net(tf.keras.Model):
    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = f(data)
        g = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(g, self.trainable_variables))
"""


def test_a_train_step_that_fit_runs_is_keras(write: Write) -> None:
    assert api(write(f"{STEP}Net().fit(x)\n")) == "keras"
    assert api(write(STEP)) != "gradient_tape"


def test_a_train_step_that_the_program_calls_itself_is_a_tape_program(write: Write) -> None:
    assert (
        api(write(f"{STEP}net = Net()\nfor x in data:\n    net.train_step(x)\n")) == "gradient_tape"
    )


def test_a_train_step_of_something_else_is_a_tape_program(write: Write) -> None:
    code = STEP.replace("(tf.keras.Model)", "(Trainer)")
    assert api(write(code)) == "gradient_tape"


def test_the_train_step_of_another_class_does_not_count(write: Write) -> None:
    code = (
        f"{STEP}Net().fit(x)\nclass Other:\n    def train_step(self): pass\nOther().train_step()\n"
    )
    assert api(write(code)) == "keras"


HELPED = (
    STEP.replace("train_step(self, data)", "update(self, data)")
    + """\
    def train_step(self, data):
        return self.update(data)
"""
)


def test_a_method_of_keras_that_is_overridden_shows_what_it_does(write: Write) -> None:
    own = STEP.replace("train_step", "train_on_batch")
    assert api(write(f"{own}net = Net()\nnet.train_on_batch(x)\n")) == "gradient_tape"
    more = own.replace("loss = f(data)", "loss = super().train_on_batch(data)")
    assert api(write(f"{more}net = Net()\nnet.train_on_batch(x)\n")) is None


def test_what_only_a_train_step_calls_is_keras(write: Write) -> None:
    assert (
        api(write(f"{HELPED}net = Net()\nfor x in data:\n    net.update(x)\n")) == "gradient_tape"
    )
    again = HELPED.replace("loss = f(data)", "loss = self.update(data)").replace(
        "return self.update(data)", "pass"
    )
    assert api(write(again)) == "gradient_tape"
    assert api(write(f"{HELPED}Net().fit(x)\n")) == "keras"


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        (TAPE + FIT, {"gradient_tape", "keras"}),
        (TAPE + SESSION, {"gradient_tape", "session"}),
    ],
)
def test_mixtures_have_no_one_api_and_tell_their_places(
    write: Write, code: str, wanted: set[str]
) -> None:
    [program] = write(code).facts.programs.all
    assert program.training_api is None
    assert program.apis == wanted
    assert [site.line for site in program.sites] == sorted(site.line for site in program.sites)
    assert all(f"main.py:{site.line} ({site.api})" in str(site) for site in program.sites)


def test_a_mixture_over_two_modules(write: Write) -> None:
    files = {"main.py": f"import more\n{TAPE}", "more.py": FIT}
    [program] = write(files).facts.programs.all
    assert program.training_api is None
    assert {(s.module.name, s.api) for s in program.sites} == {
        ("main", "gradient_tape"), ("more", "keras")
    }  # fmt: skip


NEVER = "def train(x):\n" + "".join(f"    {line}\n" for line in FIT.splitlines())


def test_what_is_only_imported_makes_no_mixture(write: Write) -> None:
    [program] = write({"main.py": f"import more\n{TAPE}", "more.py": NEVER}).facts.programs.all
    assert program.apis == {"gradient_tape"}
    assert {site.module.name for site in program.sites} == {"main"}


def test_what_may_be_called_makes_one(write: Write) -> None:
    for call in ("more.train(x)", "getattr(more, x)()", "from more import train\ntrain(x)"):
        repository = write({"main.py": f"import more\n{call}\n{TAPE}", "more.py": NEVER})
        [program] = repository.facts.programs.all
        assert program.apis == {"gradient_tape", "keras"}


def test_tape_in_one_module_and_optimizer_in_another(write: Write) -> None:
    files = {
        "main.py": "import steps, more\n",
        "steps.py": f"{TF}with tf.GradientTape() as t:\n    x\n",
        "more.py": "opt.apply_gradients(x)\n",
    }
    assert api(write(files)) == "gradient_tape"


# ---------------------------------------------------------------- entries


TRAINS = "def train():\n" + "".join(f"    {line}\n" for line in TAPE.splitlines())


@pytest.mark.parametrize(
    ("code", "trains"),
    [
        ("import net\nversion = net.__version__.split('.')[0]\n", False),
        ("from net import __version__ as release\nprint(release)\n", False),
        ("from net import (__version__, VERSION)\nprint(VERSION)\n", False),
        ("import net  # loaded\nproject = x.net\n", False),
        ("import net as n\nif n.version:\n    n.train()\n", True),
        ("import net\nprint(net.__version__)\nnet.train()\n", True),
        ("from net import train, __version__\nrun(train)\n", True),
        ("from net import conversion\nconversion()\n", True),
        ("from net import *\ntrain()\n", True),
        ("import net, side\nside.f(net)\n", True),
        ("import runs\n", True),
    ],
)
def test_who_only_asks_for_a_version_does_not_train(write: Write, code: str, trains: bool) -> None:
    net = f"__version__ = VERSION = '1'\n{TRAINS}def conversion(): train()\n"
    files = {"main.py": code, "net.py": net, "side.py": "def f(x): x.train()\n",
             "runs.py": "import net\nnet.train()\n"}  # fmt: skip
    programs = write(files).facts.programs.all
    (program,) = [one for one in programs if one.entry.name == "main"]
    assert bool(program.sites) is trains


def test_imported_modules_are_no_entries(write: Write) -> None:
    files = {"main.py": "import a\n", "a.py": "import b\n", "b.py": TAPE}
    repository = write(files)
    assert entries(repository) == {"main"}
    programs = repository.facts.programs
    assert not programs.is_entry(repository.module("b.py"))
    assert [p.entry.name for p in programs.of(repository.module("b.py"))] == ["main"]


def test_a_guard_to_try_a_module_out_makes_no_program(write: Write) -> None:
    files = {"main.py": f"import a\n{TAPE}", "a.py": "if __name__ == '__main__':\n    print(1)\n"}
    assert entries(write(files)) == {"main"}


def test_an_imported_module_that_trains_under_its_guard_is_a_program(write: Write) -> None:
    files = {"main.py": "import a\n", "a.py": f"{TAPE}if __name__ == '__main__':\n    print(1)\n"}
    assert entries(write(files)) == {"main", "a"}


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        ("if __name__ == 'x':\n    pass\n", False),
        ("if name == '__main__':\n    pass\n", False),
        ("x = '__name__ == \"__main__\"'\n", False),
        ("def f():\n    if __name__ == '__main__':\n        pass\n", False),
        ("if __name__ == '__main__': pass\n", True),
        ('if "__main__" == __name__:\n    pass\n', True),
        ("if a and __name__ == '__main__':\n    pass\n", True),
    ],
)
def test_main_guards(write: Write, text: str, guarded: bool) -> None:
    assert bool(write(text).module().main_guards) is guarded


def test_a_shared_helper_is_part_of_every_program_that_reaches_it(write: Write) -> None:
    files = {
        "a.py": f"import util\n{TAPE}",
        "b.py": f"from mid import x\n{FIT}",
        "mid.py": "import util\n",
        "util.py": "",
        "alone.py": TAPE,
    }
    repository = write(files)
    assert entries(repository) == {"a", "b", "alone"}
    programs = repository.facts.programs.of(repository.module("util.py"))
    assert {p.entry.name for p in programs} == {"a", "b"}
    assert (api(repository, "a"), api(repository, "b")) == ("gradient_tape", "keras")


def test_a_program_starts_with_its_entry_and_lists_modules_once(write: Write) -> None:
    files = {"main.py": "import a, b\n", "a.py": "import c\n", "b.py": "import c\n", "c.py": ""}
    [program] = write(files).facts.programs.all
    assert program.entry is program.modules[0]
    assert [m.name for m in program.modules] == ["main", "a", "b", "c"]


def test_modules_that_import_each_other_are_still_some_program(write: Write) -> None:
    files = {"a.py": f"import b\n{TAPE}", "b.py": "import a\n"}
    assert entries(write(files)) == {"a"}


def test_helpers_outside_the_given_paths_are_reached_but_no_entries(write: Write) -> None:
    files = {"jobs/main.py": "import util\n", "util.py": TAPE, ".git/config": ""}
    repository = write(files, given=("jobs",))
    assert entries(repository) == {"jobs.main"}
    assert api(repository, "jobs.main") == "gradient_tape"


# ---------------------------------------------------------------- which loops train


def trains(repository: Repository, nth: int = 0) -> bool:
    """Whether the statement that the ``nth`` probe stands in front of, a ``for``, trains."""
    module = repository.module()
    loops = [n for n in module.tree.root.pre_order() if str(n).lstrip().startswith("for x")]
    loop = [n for n in loops if n.children][nth]
    return repository.facts.programs.trains(loop, module)


@pytest.mark.parametrize(
    "loop",
    [
        "for x in data:\n    print(x)\n",
        "for x in data:\n    evaluate(x)\n",
        "for x in data:\n    step\n",
        "for x in data:\n    unknown(x)\n",
        "for x in data: pass\nopt.apply_gradients(g)\n",
    ],
)
def test_loops_that_do_not_train(write: Write, loop: str) -> None:
    code = f"{TF}def step(x):\n    opt.apply_gradients(x)\ndef evaluate(x):\n    return x\n"
    assert not trains(write(code + loop))


@pytest.mark.parametrize(
    "loop",
    [
        "for x in data:\n    opt.apply_gradients(x)\n",
        "for x in data:\n    step(x)\n",
        "for x in data:\n    if x:\n        print(outer(x))\n",
        "for x in data:\n    Trainer().run(x)\n",
        "for x in data:\n    Special().both(x)\n",
    ],
)
def test_loops_that_train(write: Write, loop: str) -> None:
    code = f"""\
{TF}def step(x):
    opt.apply_gradients(x)
def outer(x):
    return step(x)
class Trainer:
    def run(self, x):
        outer(x)
class Base:
    def both(self, x):
        self.one(x)
class Special(Base):
    def one(self, x):
        step(x)
"""
    assert trains(write(code + loop))


@pytest.mark.parametrize(
    ("code", "apis"),
    [
        ("optimize.minimize(f, 0)", set()),
        ("tf.compat.v1.train.AdamOptimizer().minimize(loss)", set()),
        ("tf.keras.optimizers.Adam().minimize(loss, [w])", {"gradient_tape"}),
        (
            "opt = tf.keras.optimizers.Adam()\n"
            "with tf.GradientTape() as t: pass\n"
            "opt.apply_gradients(t.gradient(x, y))\n"
            "opt.minimize(loss, [w])",
            {"gradient_tape"},
        ),
    ],
)
def test_minimize_alone_is_seen(write: Write, code: str, apis: set[str]) -> None:
    repository = write(f"import tensorflow as tf\nfrom scipy import optimize\n{code}\n")
    assert {api for program in repository.facts.programs.all for api in program.apis} == apis
