"""What all calls of a function, and the items of displays, prove, and what they do not."""

from __future__ import annotations

import textwrap

import pytest
from repository import Repository, Write

from pinsetter.analyzer.names.definition import Definition
from pinsetter.analyzer.values.value import Certainty

PROVED, POSSIBLE, NO = Certainty.PROVED, Certainty.POSSIBLE, Certainty.NO
OPTIMIZER = "tensorflow.keras.optimizers.Optimizer"
ADAM = "tf.keras.optimizers.Adam()"
TF = "import tensorflow as tf\n"
FUNCTION = f"def f(opt):\n    probe(opt)\nf({ADAM})\n"
METHOD = f"class A:\n    def f(self, opt):\n        probe(opt)\na = A()\na.f({ADAM})\n"
MADE = f"class A:\n    def __init__(self, opt):\n        probe(opt)\nA({ADAM})\n"
ITEM = f"opts = [{ADAM}, 1]\nprobe(opts[0])\n"
DEEP = f"opts = {{'a': [{ADAM}]}}\nprobe(opts['a'][0])\n"


def judged(repository: Repository) -> Certainty:
    return repository.isa(OPTIMIZER)


@pytest.mark.parametrize(
    "more",
    [
        "x.append(f)", "apply(f)", "f2 = [f]", "@f\ndef g(): pass", "f(*x)", "f(**x)",
        "f(wrap())", "f = wrap(f)", "f.opt = 1", "getattr(x, 'f')(1)", "__all__ = ['f']",
        "globals()['f' + ''](1)", "class C:\n    g = f", "g = lambda f: f(1)", "return_ = f or 1",
        "x = {'a': f}", "print(f'{f}')", "def g(f):\n    f(1)", "for f in x: pass", "del f",
        "import main\n@main.f\ndef g(): pass", "f: int = 1", "(f := 1)", "with x as f: pass",
        "eval(x)", "fire.Fire()", "from main import f as g", "async def g():\n    await f(1)",
    ],
)  # fmt: skip
def test_a_function_that_others_may_call(write: Write, more: str) -> None:
    assert judged(write(f"{TF}{FUNCTION}{more}\n")) is POSSIBLE


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ("f = tf.function(f)", PROVED),
        ("f = tf.function(f, jit_compile=True)", PROVED),
        ("if x:\n    f = tf.function(f)", PROVED),
        ("f = tf.function(wrap(f))", POSSIBLE),
        ("f = tf.function(*f)", POSSIBLE),
        ("f = tf.function(func=f)", POSSIBLE),
        ("f = g = tf.function(f)", POSSIBLE),
        ("f = tf.function(f)(1)", POSSIBLE),
        ("f = tf.function(f, reduce_retracing=f)", POSSIBLE),
        ("import functools\nf = functools.partial(f)", POSSIBLE),
    ],
)
def test_a_function_that_is_decorated_later(write: Write, more: str, verdict: Certainty) -> None:
    assert judged(write(f"{TF}{FUNCTION}{more}\n")) is verdict


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ("self.f = tf.function(self.f)", PROVED),
        ("self.f = tf.function(other.f)", POSSIBLE),
        ("self.g = tf.function(self.f)", PROVED),
        (f"self.g = tf.function(self.f)\n        self.g({ADAM})", PROVED),
        ("self.g = tf.function(self.f)\n        self.g(wrap())", POSSIBLE),
        ("self.g = tf.function(self.f)\n        apply(self.g)", POSSIBLE),
        ("self.g = tf.function(self.f)\n        getattr(self, 'g')(1)", POSSIBLE),
        ("self.g = tf.function(self.f, jit_compile=True) if x else self.f", PROVED),
        ("self.g = tf.function(other.f)", POSSIBLE),
        ("other.g = tf.function(self.f)", POSSIBLE),
        (f"b = B()\n        b.g = tf.function(self.f)\n        b.g({ADAM})", POSSIBLE),
        ("g = tf.function(self.f)", PROVED),
        (f"g = tf.function(self.f)\n        g({ADAM})", PROVED),
        ("g = tf.function(self.f)\n        g(wrap())", POSSIBLE),
        ("g = tf.function(self.f)\n        apply(g)", POSSIBLE),
        ("g = tf.function(self.f)\n        g = other.f\n        g(wrap())", POSSIBLE),
        ("g = tf.function(A.f)\n        g(self, wrap())", POSSIBLE),
        (f"pass\n    f(1, {ADAM})", POSSIBLE),
        (f"g = A.f\n        g(self, {ADAM})", POSSIBLE),
        (f"g = A.f\n        g({ADAM}, wrap())", POSSIBLE),
        (f"class B:\n            g = self.f\n        B.g({ADAM}, wrap())", POSSIBLE),
        ("g = self.f\n        return g", POSSIBLE),
        (f"g = (lambda: other)().f\n        g({ADAM})", POSSIBLE),
    ],
)
def test_a_method_that_is_decorated_later(write: Write, more: str, verdict: Certainty) -> None:
    method = METHOD.replace("a = A()", f"    def h(self):\n        {more}\na = A()")
    assert judged(write(f"{TF}class B: pass\n{method}")) is verdict


@pytest.mark.parametrize(
    "more",
    [
        "g = f", "g = tf.function(f)", f"g = tf.function(f)\ng({ADAM})", f"g = f\ng({ADAM})",
        f"g = tf.function(f) if x else f\ng({ADAM})", f"g = tf.function(f)\nh = g\nh({ADAM})",
        f"if x:\n    g = tf.function(f)\nelse:\n    g = f\ng({ADAM})",
        f"g = tf.function(f)\ng = tf.function(g)\ng({ADAM})",
        f"class C:\n    def __init__(self):\n        self.g = f\nC().g({ADAM})",
    ],
)  # fmt: skip
def test_a_function_that_gets_another_name(write: Write, more: str) -> None:
    assert judged(write(f"{TF}{FUNCTION}{more}\n")) is PROVED


@pytest.mark.parametrize(
    "more",
    [
        "g(wrap())", "g(1)", "apply(g)", "h = [g]", "from main import g as h\nh(1)", "x = 'g'",
        "def h():\n    global g\n    return g", "h = g\nh(wrap())", "h, i = g, 1", "del g",
    ],
)  # fmt: skip
def test_a_function_that_others_may_call_by_another_name(write: Write, more: str) -> None:
    assert judged(write(f"{TF}{FUNCTION}g = tf.function(f)\n{more}\n")) is not PROVED


@pytest.mark.parametrize(
    "more",
    [
        "class C:\n    g = tf.function(f)\nC().g(1)",
        "class C: pass\nC.g = tf.function(f)",
        "class C(tf.keras.Model): pass\nC().train_step = tf.function(f)",
        "x.g = tf.function(f)",
        "x[0] = tf.function(f)",
        "(g) = tf.function(f)",
        "g = h = tf.function(f)",
        "g += tf.function(f)",
        "g = 1 if tf.function(f) else 2",
        "g = tf.function(f.x)",
        "g = tf.function(f)(1)",
        "g = property(f)",
        "class C:\n    def __init__(self):\n        self.g = staticmethod(f)",
    ],
)
def test_a_name_by_which_others_may_call_it(write: Write, more: str) -> None:
    assert judged(write(f"{TF}{FUNCTION}{more}\n")) is not PROVED


@pytest.mark.parametrize("given", [ADAM, "tf.keras.optimizers.Adam", "unknown", "*f", "func=f", ""])
def test_what_is_no_function_is_not_what_a_decorator_gives(write: Write, given: str) -> None:
    repository = write(f"{TF}def f(): pass\nprobe(tf.function({given}))\n")
    values = repository.evaluator.evaluate(repository.probe(), repository.module())
    assert not values.items
    assert not values.complete


RUN = """\
import tensorflow as tf
strategy = tf.distribute.get_strategy()
class A:
    def step(self, x): pass
    def train(self):
        strategy.run(self.step, args=(1,))
"""
RUN_OF_FUNCTION = """\
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
def step(x): pass
strategy.run(step, (1,))
"""


def handed(repository: Repository) -> bool:
    """Whether `step` is seen to be handed to what calls it, and to nothing else."""
    module = repository.module()
    scope = next(scope for scope in module.scopes if scope.name == "step")
    return repository.evaluator.callers.handed(Definition(module, scope)) is not None


@pytest.mark.parametrize("code", [RUN, RUN_OF_FUNCTION])
def test_what_is_handed_to_what_calls_it(write: Write, code: str) -> None:
    assert handed(write(code))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("class A:", "class A(tf.keras.Model):"),
        ("class A:", "class A(Unknown):"),
        ("self.step,", "A.step,"),
        ("self.step,", "other.step,"),
        ("run(self.step", "apply(self.step"),
        ("run(self.step", "run(other, self.step"),
        ("run(self.step, args", "run(args=self.step, x"),
        ("run(self.step,", "run([self.step],"),
        ("run(self.step,", "run(self.step or 1,"),
        ("run(self.step,", "run(self.step(1),"),
        ("run(self.step,", "run(self.step.f,"),
        ("run(self.step,", "run(self.step[0],"),
        ("run(self.step,", "run(-self.step,"),
        ("strategy.run", "unknown.run"),
        ("tf.distribute.get_strategy()", "tf.distribute.get_strategy() if x else unknown()"),
        ("def step", "@wrap\n    def step"),
        ("class A:", "print('step')\nclass A:"),
        ("class A:", "x = eval(y)\nclass A:"),
        ("class A:", "call(A.step)\nclass A:"),
    ],
)
def test_what_is_not(write: Write, old: str, new: str) -> None:
    text = RUN.replace(old, new)
    assert text != RUN
    assert not handed(write(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [("run(step", "run(x.step"), ("run(step", "run(unknown"), ("def step", "step = 1\ndef step")],
)
def test_what_is_another(write: Write, old: str, new: str) -> None:
    assert not handed(write(RUN_OF_FUNCTION.replace(old, new)))


@pytest.mark.parametrize("other", ["from main import f\nx.y(f)\n", "import main\nx.y = main.f\n",
                                   "from main import f as g\ng(1)\n", "call('f')\n"])  # fmt: skip
def test_a_function_that_another_module_may_call(write: Write, other: str) -> None:
    assert judged(write({"main.py": TF + FUNCTION, "other.py": other})) is POSSIBLE


@pytest.mark.parametrize(
    "other",
    ["", "x.g(f=1)\n", f"{TF}import main\nmain.f({ADAM})\n", f"{TF}from main import f\nf({ADAM})\n",
     "def f(): pass\nf()\n", "class C:\n    def f(self): pass\nC().f()\n"],
)  # fmt: skip
def test_a_function_whose_calls_are_known(write: Write, other: str) -> None:
    assert judged(write({"main.py": TF + FUNCTION, "other.py": other})) is PROVED


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (f"@wrap\n{FUNCTION}", POSSIBLE),
        (f"@tf.function\n{FUNCTION}", PROVED),
        (f"def f(opt={ADAM}):\n    probe(opt)\nf()\n", PROVED),
        (f"def f(opt=None):\n    probe(opt)\nf({ADAM})\n", PROVED),
        (f"def f(opt=None):\n    probe(opt)\nf({ADAM})\nf()\n", POSSIBLE),
        (f"def f(opt={ADAM}):\n    probe(opt)\n", POSSIBLE),
        (f"def f(a, opt):\n    probe(opt)\nf(*x, {ADAM})\n", NO),
        (f"def f(opt, n):\n    probe(opt)\n    if n: f(opt, n - 1)\nf({ADAM}, 3)\n", PROVED),
        (f"def f(opt, n):\n    probe(opt)\n    f(wrap(opt), n)\nf({ADAM}, 3)\n", POSSIBLE),
        (f"f = lambda opt: probe(opt)\nf({ADAM})\n", NO),
        (METHOD, PROVED),
        (METHOD + "x.f(1)\n", POSSIBLE),
        (METHOD + f"A.f(a, {ADAM})\n", POSSIBLE),
        (METHOD + "class B(A): pass\nB().f(1)\n", POSSIBLE),
        (METHOD.replace("class A:", "class A(tf.keras.Model):"), POSSIBLE),
        (METHOD.replace("class A:", "class A(Unknown):"), POSSIBLE),
        (METHOD + "class B(A, tf.keras.Model): pass\n", POSSIBLE),
        (METHOD.replace("f(", "__call__("), POSSIBLE),
        (MADE, PROVED),
        (MADE + "isinstance(x, A)\n", PROVED),
        (MADE + "isinstance(x, (A, int))\ndef g(a: A): pass\n", PROVED),
        (MADE + "A.default = 1\n", PROVED),
        (MADE + "def g(a: A = x) -> A: pass\nb: A = 1\n", PROVED),
        (MADE + "type(x)(1)\n", POSSIBLE),
        (MADE + "x.__class__(1)\n", POSSIBLE),
        (MADE + "b: int = A\n", POSSIBLE),
        (MADE.replace("A(tf", "    @classmethod\n    def new(cls): return cls(1)\nA(tf"), POSSIBLE),
        (MADE + "make(A)\n", POSSIBLE),
        (MADE + "B = A\n", POSSIBLE),
        (MADE + "class B(A): pass\n", POSSIBLE),
        (MADE + "A.__init__(x, wrap())\n", POSSIBLE),
        (MADE.replace("class A:", "class A(metaclass=M):"), POSSIBLE),
        ("@wrap\n" + MADE, POSSIBLE),
        ("class A:\n    def __init__(self, opt):\n        probe(opt)\nclass B(A):\n"
         f"    def __init__(self):\n        super().__init__({ADAM})\nB()\n", POSSIBLE),
        (f"class A:\n    def __init__(self, opt):\n        probe(opt)\n"
         f"class B(A): pass\nB({ADAM})\n", POSSIBLE),
    ],
)  # fmt: skip
def test_what_calls_prove(write: Write, text: str, verdict: Certainty) -> None:
    assert judged(write(TF + text)) is verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (ITEM, PROVED), (DEEP, PROVED),
        (ITEM + "opts[0].minimize(x)\nprint(opts[1])\nf(opts=1)\nx.opts.append(1)\n", PROVED),
        (ITEM + "opts[0].rate = 1\n", PROVED),
        (ITEM + "opts += [1]\n", PROVED),
        (f"opts = [{ADAM}]\nopts += [1]\nprobe(opts[0])\n", POSSIBLE),
        (f"opts = ({ADAM}, 1)\nprobe(opts[-2])\n", PROVED),
        (f"probe([{ADAM}][0])\n", PROVED),
        (f"opts = [{ADAM}]\nprobe(opts[i])\n", POSSIBLE),
        (f"opts = [{ADAM}, 1]\nprobe(opts[2])\n", POSSIBLE),
        (f"opts = [1, {ADAM}]\nprobe(opts[0])\n", NO),
        (f"opts = {{'a': {ADAM}, 'a': 1}}\nprobe(opts['a'])\n", POSSIBLE),
        (f"opts = {{'a': {ADAM}, x: 1}}\nprobe(opts['a'])\n", POSSIBLE),
        (f"opts = {{'a': {ADAM}, **x}}\nprobe(opts['a'])\n", POSSIBLE),
        (f"opts = [*x, {ADAM}]\nprobe(opts[1])\n", POSSIBLE),
        (f"opts = [{ADAM} for _ in x]\nprobe(opts[0])\n", NO),
        (f"opts = [{ADAM}]\nprobe(opts[0:])\n", NO),
        (f"opts = wrap([{ADAM}])\nprobe(opts[0])\n", NO),
        (f"inner = [{ADAM}]\nopts = [inner]\nprobe(opts[0][0])\n", POSSIBLE),
        (f"class A:\n    opts = [{ADAM}]\n    probe(opts[0])\n", POSSIBLE),
        (f"opts = [{ADAM}] if x else y\nprobe(opts[0])\n", NO),
        (f"pair = {ADAM}, 1\nopt, x = pair\nprobe(opt)\n", POSSIBLE),
        (f"pair = {ADAM}, 1\nx, opt = pair\nprobe(opt)\n", NO),
        *((ITEM + more, POSSIBLE) for more in (
            "opts[0] = 1\n", "opts[0] += 1\n", "opts.append(1)\n", "f(opts)\n", "b = opts\n",
            "del opts[0]\n", "for opts[0] in x: pass\n", "with x as opts[0]: pass\n",
            "opts[0], y = x\n", "def g():\n    opts.clear()\n", "f(*opts)\n",
            "f(opts for x in y)\n", "opts.rate = 1\n", "[opts]\n", "def g():\n    return opts\n",
        )),
        *((DEEP + more, POSSIBLE) for more in (
            "f(opts['a'])\n", "opts['a'].append(1)\n", "opts['a'][0] = 1\n", "b = opts['a']\n",
            "for x in opts['a']: pass\n",
        )),
        (DEEP + "opts['a'][0].minimize(x)\n", PROVED),
    ],
)  # fmt: skip
def test_what_displays_prove(write: Write, text: str, verdict: Certainty) -> None:
    assert judged(write(TF + text)) is verdict


def test_a_display_that_another_module_may_change(write: Write) -> None:
    files = {"main.py": TF + ITEM, "other.py": "from main import opts\nopts[0] = 1\n"}
    assert judged(write(files)) is POSSIBLE


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (f"import main\nopt = {ADAM}\nprobe(getattr(main, 'opt'))\n", PROVED),
        (f"opt = {ADAM}\nprobe(getattr(x, 'opt'))\n", NO),
        ("probe(getattr(tf.keras.optimizers, 'Adam')())\n", PROVED),
        ("probe(getattr(tf.keras.optimizers, name)())\n", NO),
        ("probe(getattr(tf.keras.optimizers, 'Adam', None)())\n", POSSIBLE),
        ("probe(getattr(*x, 'Adam')())\n", NO),
    ],
)
def test_what_getattr_gives(write: Write, text: str, verdict: Certainty) -> None:
    assert judged(write(TF + text)) is verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (f"opt = wrap()\nif x:\n    opt = {ADAM}\nprobe(opt)\n", POSSIBLE),
        (f"opt = wrap()\nif x:\n    opt = {ADAM}\n    probe(opt)\n", PROVED),
        (f"opt = wrap()\nfor i in x:\n    probe(opt)\n    opt = {ADAM}\n", POSSIBLE),
        (f"opt = wrap()\nfor i in x:\n    opt = {ADAM}\n    probe(opt)\n", PROVED),
        (f"opt = wrap()\ntry:\n    opt = {ADAM}\nexcept E:\n    pass\nprobe(opt)\n", POSSIBLE),
        (f"opt = wrap()\nopt = {ADAM}\ndef g():\n    probe(opt)\ng()\n", POSSIBLE),
        (f"opt = wrap()\nopt = {ADAM}\nfrom x import *\nprobe(opt)\n", POSSIBLE),
        (f"def g(opt):\n    opt = {ADAM}\n    probe(opt)\n", PROVED),
        (
            f"def g(opt=None):\n    if opt is None:\n        opt = {ADAM}\n    probe(opt)\n",
            POSSIBLE,
        ),
        (f"opt = {ADAM}\nopt = wrap(opt)\nopt = {ADAM}\nprobe(opt)\ndel opt\n", PROVED),
    ],
)
def test_what_the_order_of_statements_proves(write: Write, text: str, verdict: Certainty) -> None:
    assert judged(write(TF + text)) is verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("try:\n    import tensorflow as tf\nexcept E:\n    tf = None\n", PROVED),
        ("try:\n    import tensorflow as tf\nexcept E:\n    tf = wrap()\n", POSSIBLE),
        ("tf = None\ndef f():\n    global tf\n    import tensorflow as tf\n", PROVED),
        ("tf = None\n", NO),
    ],
)
def test_none_has_no_attributes(write: Write, text: str, verdict: Certainty) -> None:
    assert judged(write(f"{text}probe({ADAM})\n")) is verdict


@pytest.mark.parametrize("text", [f"opt = {ADAM}\nprobe(opt)\n",
                                  f"opt = wrap()\nopt = {ADAM}\nprobe(opt)\n"])  # fmt: skip
@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        ("import main\nmain.opt = wrap()\n", POSSIBLE),
        ("import main\nmain.other = wrap()\n", PROVED),
        ("x.opt = wrap()\n", PROVED),
    ],
)
def test_a_variable_that_another_module_sets(
    write: Write, text: str, other: str, verdict: Certainty
) -> None:
    assert judged(write({"main.py": TF + text, "other.py": other})) is verdict


LOCAL = "def main(other):\n    def f(opt):\n        probe(opt)\n"


@pytest.mark.parametrize(
    "more",
    [
        "    return f\n", "    other.f = f\n", "    other(f)\n", "    nonlocal_ = [f]\n",
        "    def g():\n        nonlocal f\n        f = other\n        f(1)\n",
        "    print(locals())\n    f(other)\n", "    f = other(f)\n", "    f(*other)\n",
        "    @f\n    def g(): pass\n",
    ],
)  # fmt: skip
def test_a_function_inside_that_others_may_call(write: Write, more: str) -> None:
    assert judged(write(f"{TF}{LOCAL}    f({ADAM})\n{more}main(1)\n")) is not PROVED


@pytest.mark.parametrize(
    "elsewhere",
    ["", "def f(x): pass\nf(2)\n", "def g(x):\n    x.f(1)\n    print('f')\n",
     "class C:\n    def f(self, opt): pass\n    def g(self, x):\n        self.h = x.f\n"],
)  # fmt: skip
def test_a_function_inside_is_called_where_its_name_is_seen(write: Write, elsewhere: str) -> None:
    assert judged(write(f"{TF}{LOCAL}    f({ADAM})\nmain(1)\n{elsewhere}")) is PROVED


def test_an_attribute_of_that_name_is_no_function_inside(write: Write) -> None:
    assert judged(write(f"{TF}{LOCAL}    f({ADAM})\n    other.f(1)\nmain(wrap())\n")) is PROVED


STEP = f"step = make()\nstep({ADAM})\n"
MAKER = "def make():\n    def f(opt):\n        probe(opt)\n    return f\n"


@pytest.mark.parametrize(
    "more",
    [
        f"step = make()\nstep({ADAM})\n",
        f"def main():\n    step = make()\n    for i in range(3):\n        step({ADAM})\nmain()\n",
        f"class C:\n    def __init__(self):\n        self.step = make()\n"
        f"    def run(self):\n        self.step({ADAM})\nC().run()\n",
        f"def more():\n    made = make()\n    return made\nstep = more()\nstep({ADAM})\n",
    ],
)
def test_a_function_that_is_returned(write: Write, more: str) -> None:
    assert judged(write(TF + MAKER + more)) is PROVED


def test_functions_that_return_each_other(write: Write) -> None:
    code = "def a(opt):\n    probe(opt)\n    return b\ndef b(x):\n    return a\n"
    assert judged(write(f"{TF}{code}step = a({ADAM})\nstep(1)\n")) is POSSIBLE


def test_a_function_that_a_method_returns(write: Write) -> None:
    maker = "class C:\n" + textwrap.indent(MAKER.replace("make()", "make(self)"), "    ")
    assert judged(write(f"{TF}{maker}c = C()\nstep = c.make()\nstep({ADAM})\n")) is PROVED
    assert judged(write(f"{TF}{maker}step = other.make()\nstep({ADAM})\n")) is not PROVED


def test_who_makes_a_function_may_be_called_by_others(write: Write) -> None:
    maker = MAKER.replace("    return f", f"    f({ADAM})\n    return f")
    assert judged(write(f"{TF}{maker}make\nother(make)\n")) is not PROVED


@pytest.mark.parametrize(
    "more",
    [
        f"{STEP}other(step)\n", f"{STEP}step(other)\n",
        f"{STEP}make()(other)\n", f"{STEP}other(make)\n",
        f"{STEP}steps = [make()]\nsteps[0](other)\n",
        f"step, more = make(), make()\nstep({ADAM})\nmore(other)\n",
        f"step = other.step = make()\nstep({ADAM})\n", f"{STEP}globals()\n",
        f"def again():\n    return make()\nstep = again()\nstep({ADAM})\nagain()(other)\n",
        f"def a():\n    return b()\ndef b():\n    return a() or make()\nstep = a()\nstep({ADAM})\n",
    ],
)  # fmt: skip
def test_a_function_that_is_returned_to_others(write: Write, more: str) -> None:
    assert judged(write(TF + MAKER + more)) is not PROVED


@pytest.mark.parametrize(
    "more",
    [
        f"def run(f):\n    f({ADAM})\nrun(step)\n",
        f"def run(x, f=None):\n    f({ADAM})\nrun(1, f=step)\n",
        f"again = step\nagain({ADAM})\n", f"again = step if x else other\nagain({ADAM})\n",
        f"import functools\nagain = tf.function(step)\nagain({ADAM})\n",
        f"a, b = step, other\na({ADAM})\n", f"again: object = step\nagain({ADAM})\n",
        f"def make(x):\n    return step if x else None\nagain = make(1)\nagain({ADAM})\n",
    ],
)  # fmt: skip
def test_a_function_that_is_called_by_another_name(write: Write, more: str) -> None:
    assert judged(write(f"{TF}def step(opt):\n    probe(opt)\nother(step)\n{more}")) is POSSIBLE


@pytest.mark.parametrize(
    "more",
    [
        f"def run(f):\n    g({ADAM})\nrun(step)\n",
        f"again = other(step)\nagain({ADAM})\n", f"again = [step]\nagain.append({ADAM})\n",
        f"def make():\n    return other\nagain = make()\nagain({ADAM})\n",
    ],
)  # fmt: skip
def test_a_function_that_is_not(write: Write, more: str) -> None:
    assert judged(write(f"{TF}def step(opt):\n    probe(opt)\nother(step)\n{more}")) is NO
