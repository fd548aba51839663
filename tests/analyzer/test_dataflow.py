"""follow: where a value goes; here mostly gradients on their way to ``apply_gradients``."""

from __future__ import annotations

import textwrap

import pytest
from repository import Repository, Write

HEAD = """\
import tensorflow as tf
opt = tf.keras.optimizers.Adam()
with tf.GradientTape() as tape:
    loss = f(x)
"""


def step(write: Write, code: str) -> Repository:
    """``code`` after a tape, an optimizer and some variables."""
    return write(HEAD + textwrap.dedent(code))


# ---------------------------------------------------------------- what does not reach


@pytest.mark.parametrize(
    "code",
    [
        "tape.gradient(loss, v)",
        "g = tape.gradient(loss, v)\nprint(g)",
        "g = tape.gradient(loss, v)\nopt.apply_gradients(zip(h, v))",
        "g = tape.gradient(loss, v)\ng = make()\nopt.apply_gradients(zip(g, v))",
        "g = tape.gradient(loss, v)\nfor g in h:\n    opt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\nwith make() as g:\n    opt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\nopt.apply_gradients([g for g in h])",
        "g = tape.gradient(loss, v)\ndef run(g):\n    opt.apply_gradients(zip(g, v))",
        "def run(a, g):\n    opt.apply_gradients(zip(a, v))\nrun(1, tape.gradient(loss, v))",
        "def run(a, g, *b):\n    opt.apply_gradients(zip(g, v))\nrun(1, 2, tape.gradient(loss, v))",
        "def run(*a, **b):\n    opt.apply_gradients(zip(a[0], v))\nrun(g=tape.gradient(loss, v))",
        "def run(*a, **b):\n    opt.apply_gradients(b['g'])\nrun(tape.gradient(loss, v))",
        "def run(a, g=1, /, **b):\n    opt.apply_gradients(zip(g, v))\n"
        "run(1, g=tape.gradient(loss, v))",
        "class A:\n    def run(self, a):\n        opt.apply_gradients(zip(self, v))\n"
        "A().run(*tape.gradient(loss, v))",
        "class A:\n    def run(self, a, g):\n        opt.apply_gradients(zip(g, v))\n"
        "A.run(x, tape.gradient(loss, v), 1)",
        "def run():\n    g = tape.gradient(loss, v)\nopt.apply_gradients(zip(g, v))",
        "opt.apply_gradients(zip(g, v))\ng = tape.gradient(loss, v)",
        "g, h = tape.gradient(loss, v), make()\ng = h\nprint(g)",
        "d.g = tape.gradient(loss, v)\nopt.apply_gradients(d.h)",
        "g = tape.gradient(loss, v)\ndef run():\n    g = make()\n    opt.apply_gradients(g)",
        "class A:\n    g = tape.gradient(loss, v)\n    def run(self):\n"
        "        opt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\nif a:\n    g = make()\n    opt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\nwith a:\n    g = make()\n    opt.apply_gradients(g)",
        "for x in data:\n    g = make()\n    opt.apply_gradients(g)\n"
        "    g = tape.gradient(loss, v)",
    ],
)
def test_gradients_that_do_not_reach_the_optimizer(write: Write, code: str) -> None:
    assert not step(write, code).reaches()


def test_the_inner_tape_of_a_gradient_penalty_does_not_reach(write: Write) -> None:
    code = """
        import tensorflow as tf
        opt = tf.keras.optimizers.Adam()
        def step(x):
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = net(x)
                slopes = inner.gradient(y, x)
                norm = tf.sqrt(tf.reduce_sum(tf.square(slopes)))
                loss = y + (norm - 1.0) ** 2
            grads = outer.gradient(loss, v)
            opt.apply_gradients(zip(grads, v))
    """
    repository = write(code)
    assert not repository.reaches(nth=0)
    assert repository.reaches(nth=1)


def test_gradients_kept_on_self_do_not_follow_the_rest_of_self(write: Write) -> None:
    code = """
        import tensorflow as tf
        class A:
            def step(self, x):
                with tf.GradientTape() as tape:
                    loss = f(x)
                self.seen = tape.gradient(loss, v)
                run(self)
                opt.apply_gradients(zip(self.other, v))
                opt.apply_gradients(make(self))
    """
    assert not write(code).reaches()


def test_two_models_do_not_mix(write: Write) -> None:
    code = """
        import tensorflow as tf
        def step(x):
            with tf.GradientTape() as a, tf.GradientTape() as b:
                loss = f(x)
            g = a.gradient(loss, v)
            d = b.gradient(loss, w)
            first.apply_gradients(zip(g, v))
            second.minimize(d)
    """
    repository = write(code)
    assert repository.reaches(nth=0)
    assert not repository.reaches(nth=1)


# ---------------------------------------------------------------- what reaches


@pytest.mark.parametrize(
    "code",
    [
        "opt.apply_gradients(zip(tape.gradient(loss, v), v))",
        "opt.apply_gradients(grads_and_vars=zip(tape.gradient(loss, v), v))",
        "opt.apply_gradients(*[zip(tape.gradient(loss, v), v)])",
        "g = tape.gradient(loss, v)\nopt.apply_gradients(zip(g, v))",
        "g: list = tape.gradient(loss, v)\nopt.apply_gradients(zip(g, v))",
        "h = g = tape.gradient(loss, v)\nopt.apply_gradients(zip(g, v))",
        "g = tape.gradient(loss, v)\nh = g\ng = make()\nopt.apply_gradients(zip(h, v))",
        "g = tape.gradient(loss, v)\ng = g\nopt.apply_gradients(zip(g, v))",
        "g = tape.gradient(loss, v)\ng = [tf.clip_by_norm(x, 1.0) for x in g]\n"
        "opt.apply_gradients(zip(g, v))",
        "g = tape.gradient(loss, v)\ng, norm = tf.clip_by_global_norm(g, 1.0)\n"
        "opt.apply_gradients(zip(g, v))",
        "g = tape.gradient(loss, v)\nopt.apply_gradients([(x * 2, y) for x, y in zip(g, v)])",
        "g = tape.gradient(loss, v)\nopt.apply_gradients((x, y) for x, y in zip(g, v) if x)",
        "g = tape.gradient(loss, v)\npairs = list(zip(g, v))\nopt.apply_gradients(pairs)",
        "g = tape.gradient(loss, v)\nfor pair in zip(g, v):\n    opt.apply_gradients([pair])",
        "g = tape.gradient(loss, v)\nfor i, (x, y) in enumerate(zip(g, v)):\n"
        "    opt.apply_gradients([(x, y)])",
        "g = tape.gradient(loss, v)\nall_ = []\nfor x in g:\n    all_.append(x)\n"
        "opt.apply_gradients(zip(all_, v))",
        "g = tape.gradient(loss, v)\nd = {}\nd['g'] = g\nopt.apply_gradients(zip(d['g'], v))",
        "g = tape.gradient(loss, v)\nopt.apply_gradients(zip(g[:2], v[:2]))",
        "g = tape.gradient(loss, v)\nopt.apply_gradients(zip(g if a else h, v))",
        "if (g := tape.gradient(loss, v)):\n    opt.apply_gradients(zip(g, v))",
        "f(g := tape.gradient(loss, v))\nopt.apply_gradients(zip(g, v))",
        "g = tape.gradient(loss, v)\ng = scale(x for x in g)\nopt.apply_gradients(zip(g, v))",
        "g = tape.gradient(loss, v)\ndef run():\n    opt.apply_gradients(zip(g, v))",
        "def run(g):\n    opt.apply_gradients(zip(g, v))\nrun(tape.gradient(loss, v))",
        "class A:\n    def run(self, g, a):\n        opt.apply_gradients(zip(g, v))\n"
        "A.run(x, tape.gradient(loss, v), 1)",
        "def run(a, g):\n    opt.apply_gradients(zip(g, v))\nrun(*[1, tape.gradient(loss, v)])",
        "def run(a, g):\n    opt.apply_gradients(zip(g, v))\nrun(*b, tape.gradient(loss, v))",
        "def run(a, b, g):\n    opt.apply_gradients(zip(g, v))\nrun(*c, tape.gradient(loss, v))",
        "def run(*, g):\n    opt.apply_gradients(zip(g, v))\nrun(**{'g': tape.gradient(loss, v)})",
        "def run(a, *b):\n    opt.apply_gradients(zip(b[0], v))\nrun(1, tape.gradient(loss, v))",
        "def run(**b):\n    opt.apply_gradients(zip(b['g'], v))\nrun(g=tape.gradient(loss, v))",
        "def run(**b):\n    last(**b)\ndef last(g):\n    opt.apply_gradients(zip(g, v))\n"
        "run(g=tape.gradient(loss, v))",
        "def run(**b):\n    opt.apply_gradients(zip(b['g'], v))\n"
        "run(**{'g': tape.gradient(loss, v)})",
        "def run(a, *, g):\n    opt.apply_gradients(zip(g, v))\nrun(1, g=tape.gradient(loss, v))",
        "def grads():\n    return tape.gradient(loss, v)\nopt.apply_gradients(zip(grads(), v))",
        "def grads():\n    return loss, tape.gradient(loss, v)\nl, g = grads()\n"
        "opt.apply_gradients(zip(g, v))",
        "def a():\n    return tape.gradient(loss, v)\ndef b():\n    return a()\n"
        "g = b()\nopt.apply_gradients(zip(g, v))",
        "def keep(g):\n    return [x for x in g]\nopt.apply_gradients(zip(keep("
        "tape.gradient(loss, v)), v))",
        "if a:\n    g = tape.gradient(loss, v)\nelse:\n    g = make()\n"
        "opt.apply_gradients(zip(g, v))",
        "g = tape.gradient(loss, v)\nif a:\n    g = make()\nopt.apply_gradients(zip(g, v))",
        "g = tape.gradient(loss, v)\nfor x in y:\n    g = make()\nopt.apply_gradients(zip(g, v))",
        "try:\n    g = tape.gradient(loss, v)\nexcept E:\n    g = make()\n"
        "opt.apply_gradients(zip(g, v))",
        "g = None\nfor x in data:\n    if g:\n        opt.apply_gradients(g)\n"
        "    g = tape.gradient(loss, v)",
        "while a:\n    opt.apply_gradients(g)\n    g = tape.gradient(loss, v)",
        "g = tape.gradient(loss, v)\ng += noise\nopt.apply_gradients(zip(g, v))",
        "total = 0\ntotal += tape.gradient(loss, v)\nopt.apply_gradients(zip(total, v))",
        "class A:\n    @staticmethod\n    def run(g):\n        opt.apply_gradients(g)\n"
        "A.run(tape.gradient(loss, v))",
        "class A:\n    def run(self, g):\n        opt.apply_gradients(g)\n"
        "A().run(tape.gradient(loss, v))",
        "class A:\n    def __init__(self, g):\n        opt.apply_gradients(g)\n"
        "A(tape.gradient(loss, v))",
    ],
)
def test_gradients_that_reach_the_optimizer(write: Write, code: str) -> None:
    assert step(write, code).reaches()


def test_gradients_reach_through_an_attribute_of_self(write: Write) -> None:
    code = """
        import tensorflow as tf
        class A:
            def compute(self, x):
                with tf.GradientTape() as tape:
                    loss = f(x)
                self.grads = tape.gradient(loss, v)
            def apply(self):
                self.opt.apply_gradients(zip(self.grads, v))
    """
    assert write(code).reaches()


def test_gradients_reach_through_an_attribute_that_the_base_class_reads(write: Write) -> None:
    code = """
        import tensorflow as tf
        class Base:
            def apply(self):
                self.opt.apply_gradients(zip(self.grads, v))
        class A(Base):
            def compute(self, x):
                with tf.GradientTape() as tape:
                    loss = f(x)
                self.grads, norm = tf.clip_by_global_norm(tape.gradient(loss, v), 1.0)
    """
    assert write(code).reaches()


def test_gradients_reach_through_another_module(write: Write) -> None:
    files = {
        "main.py": HEAD + "from steps import run\nrun(opt, tape.gradient(loss, v))\n",
        "steps.py": "def run(opt, grads):\n    opt.apply_gradients(zip(grads, v))\n",
    }
    assert write(files).reaches()


# ---------------------------------------------------------------- uses


@pytest.mark.parametrize(
    "code",
    [
        "g = tape.gradient(loss, v)",
        "g = tape.gradient(loss, v)\nh = g\nh",
        "opt.apply_gradients(tape.gradient(loss, v))",
        "def run():\n    return tape.gradient(loss, v)\nrun()",
        "def run(a):\n    return a\nrun(tape.gradient(loss, v))",
    ],
)
def test_what_is_followed_to_its_end_is_not_lost(write: Write, code: str) -> None:
    assert "lost" not in {use.kind for use in step(write, code).uses()}


@pytest.mark.parametrize(
    "code",
    [
        "def run():\n    return tape.gradient(loss, v)",
        "def run():\n    yield tape.gradient(loss, v)",
        "run = lambda: tape.gradient(loss, v)",
        "def run(): pass\nrun(tape.gradient(loss, v))",
        "a.b.c = tape.gradient(loss, v)",
    ],
)
def test_what_goes_out_of_sight_is_lost(write: Write, code: str) -> None:
    assert "lost" in {use.kind for use in step(write, code).uses()}


def test_a_loop_over_the_value_is_a_use(write: Write) -> None:
    repository = write("data = make()\nfor x in data.batch(2):\n    run(x)\n")
    kinds = [use.kind for use in repository.uses("make")]
    assert "iterate" in kinds
    arguments = [u for u in repository.uses("make") if u.kind == "argument"]
    assert [u.call.method for u in arguments if u.call] == [None]
    without = repository.uses("make", elements=False)
    assert "argument" not in [use.kind for use in without]
    assert "iterate" in [use.kind for use in without]


def test_receivers_are_uses_and_a_stopping_call_ends_the_way(write: Write) -> None:
    repository = write("t = make()\nx = t.watch(y)\nz = t.gradient(y)\nf(z)\ng(x)\n")
    uses = repository.uses("make")
    methods = [u.call.method for u in uses if u.kind == "receiver" and u.call]
    assert sorted(m for m in methods if m) == ["gradient", "watch"]
    callees = {str(u.call.callee[0]) for u in uses if u.kind == "argument" and u.call}
    assert callees == {"g"}


def test_a_value_that_is_handed_round_in_a_circle_ends(write: Write) -> None:
    code = """
        def f(x):
            return g(x)
        def g(x):
            return f(x)
        y = make()
        while y:
            y = f(y)
    """
    assert write(code).uses("make")


# ---------------------------------------------------------------- newer syntax


@pytest.mark.parametrize(
    "code",
    [
        "g = tape.gradient(loss, v)\nmatch x:\n    case g: opt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\nmatch x:\n    case 1:\n        g = make()\n"
        "        opt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\nmatch x:\n    case {'a': [*g]} if opt.apply_gradients(g): 1",
        "match tape.gradient(loss, v):\n    case _: opt.apply_gradients(x)",
        "match tape.gradient(loss, v):\n    case g.h: opt.apply_gradients(g)",
        "match tape.gradient(loss, v):\n    case A(g=h): opt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\ntry: pass\nexcept* E as g: opt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\ntry: pass\nexcept E as g:\n    opt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\nwith (a, make() as g): opt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\nmatch x:\n    case g: pass\nopt.apply_gradients(zip(g, v))",
        "g = tape.gradient(loss, v)\nh[g := make()]\nopt.apply_gradients(g)",
        "def run(g=None, /, **kw):\n    opt.apply_gradients(g)\nrun(g=tape.gradient(loss, v))",
        "g = tape.gradient(loss, v)\ndef run[g](a: g):\n    opt.apply_gradients(g)",
    ],
)
def test_newer_syntax_that_binds_something_else(write: Write, code: str) -> None:
    assert not step(write, code).reaches()


@pytest.mark.parametrize(
    "code",
    [
        "match tape.gradient(loss, v):\n    case g: opt.apply_gradients(zip(g, v))",
        "match tape.gradient(loss, v), 1:\n    case [g, *_], n: opt.apply_gradients(zip(g, v))",
        "g = tape.gradient(loss, v)\nmatch g:\n    case None: pass\n"
        "    case _: opt.apply_gradients(zip(g, v))",
        "match (g := tape.gradient(loss, v)):\n    case _: pass\nopt.apply_gradients(zip(g, v))",
        "match x:\n    case 1: g = tape.gradient(loss, v)\n    case _: g = make()\n"
        "opt.apply_gradients(zip(g, v))",
        "g = tape.gradient(loss, v)\nmatch x:\n    case [g, 1]: pass\n"
        "    case 2: opt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\nmatch x:\n    case 1:\n        g = make()\n"
        "opt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\ntry: pass\nexcept* E as g: pass\nopt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\ntry: pass\nexcept E as g: pass\nopt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\ntry: pass\nexcept* E:\n    g = make()\nopt.apply_gradients(g)",
        "try:\n    g = tape.gradient(loss, v)\n    h()\nexcept* E: opt.apply_gradients(g)",
        # What keeps an error to itself may have come before the name is bound.
        "g = tape.gradient(loss, v)\nwith a:\n    g = make()\nopt.apply_gradients(g)",
        "g = tape.gradient(loss, v)\nwith (a, make() as g): pass\nopt.apply_gradients(g)",
        "with (a as b, tape.gradient(loss, v) as g,): opt.apply_gradients(g)",
        "h[g := tape.gradient(loss, v)]\nopt.apply_gradients(g)",
        "{g := tape.gradient(loss, v)}\nopt.apply_gradients(g)",
        "h(g := tape.gradient(loss, v) for a in b)\nopt.apply_gradients(g)",
        "for g in *tape.gradient(loss, v), 1: opt.apply_gradients(g)",
        "def run(g, /):\n    opt.apply_gradients(g)\nrun(tape.gradient(loss, v))",
        "def run[T](g: T) -> T:\n    opt.apply_gradients(g)\nrun(tape.gradient(loss, v))",
        "class A[T]:\n    def run(self, g):\n        opt.apply_gradients(g)\n"
        "A().run(tape.gradient(loss, v))",
        "class A:\n    def run[T](self, g: T):\n        opt.apply_gradients(g)\n"
        "A().run(tape.gradient(loss, v))",
        "def run():\n    return 1, *tape.gradient(loss, v)\na, *g = run()\nopt.apply_gradients(g)",
    ],
)
def test_newer_syntax_on_the_way_to_the_optimizer(write: Write, code: str) -> None:
    assert step(write, code).reaches()


# ---------------------------------------------------------------- items of tuples


@pytest.mark.parametrize(
    "code",
    [
        "g, h = tape.gradient(loss, v), make()\nopt.apply_gradients(h)",
        "both = tape.gradient(loss, v), make()\ng, h = both\nopt.apply_gradients(h)",
        "both = [tape.gradient(loss, v), make()]\nopt.apply_gradients(both[1])",
        "def run():\n    g = tape.gradient(loss, v)\n    return g, make()\n"
        "g, h = run()\nopt.apply_gradients(h)",
        "def run():\n    return make(), (tape.gradient(loss, v), make())\n"
        "f, (g, h) = run()\nopt.apply_gradients(f)\nopt.apply_gradients(h)",
        "def run(pair):\n    opt.apply_gradients(pair[1])\nrun((tape.gradient(loss, v), 1))",
        "for g, h in [(tape.gradient(loss, v), 1)]:\n    opt.apply_gradients(h)",
    ],
)
def test_another_item_of_the_same_tuple(write: Write, code: str) -> None:
    assert not step(write, code).reaches()


@pytest.mark.parametrize(
    "code",
    [
        "g, h = tape.gradient(loss, v), make()\nopt.apply_gradients(g)",
        "both = [make(), tape.gradient(loss, v)]\nopt.apply_gradients(both[1])",
        "both = make(), tape.gradient(loss, v)\nopt.apply_gradients(both[i])",
        "both = make(), tape.gradient(loss, v)\nopt.apply_gradients(both[-1])",
        "both = make(), tape.gradient(loss, v)\nopt.apply_gradients(both)",
        "both = (*make(), tape.gradient(loss, v))\nopt.apply_gradients(both[3])",
        "f, *both = make(), tape.gradient(loss, v)\nopt.apply_gradients(both)",
        "[g] = [tape.gradient(loss, v)]\nopt.apply_gradients(g)",
        "(g,) = (tape.gradient(loss, v),)\nopt.apply_gradients(g)",
        "def run():\n    return make(), (tape.gradient(loss, v), make())\n"
        "f, (g, h) = run()\nopt.apply_gradients(g)",
        "def run():\n    return make(), tape.gradient(loss, v)\nopt.apply_gradients(run()[1])",
        "for g, h in [(tape.gradient(loss, v), 1)]:\n    opt.apply_gradients(g)",
        "kept = []\nkept.append((tape.gradient(loss, v), 1))\nopt.apply_gradients(kept)",
        "kept = {'a': (1, tape.gradient(loss, v))}\nopt.apply_gradients(kept['a'])",
    ],
)
def test_an_item_of_a_tuple_in_its_place(write: Write, code: str) -> None:
    assert step(write, code).reaches()


@pytest.mark.parametrize("wrapped", ["(grads, 0)", "[grads]", "(0, (grads,))"])
def test_what_is_put_into_tuples_for_ever_is_followed_to_an_end(write: Write, wrapped: str) -> None:
    """Every call of the function may return one tuple more around it."""
    code = f"""
        def step(grads, n):
            if n:
                return step({wrapped}, n - 1)
            opt.apply_gradients(grads)
            return grads
        step(make(), 3)
    """
    assert "argument" in {use.kind for use in write({"main.py": code}).uses("make")}
