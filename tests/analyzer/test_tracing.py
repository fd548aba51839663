"""Tracing: whether Python runs a place eagerly, or while TensorFlow traces a graph."""

from __future__ import annotations

import pytest
from repository import Repository, Write

from pinsetter.analyzer.domains.tensorflow.tracing import Tracing

TF = "import tensorflow as tf\n"


def traced(repository: Repository, file: str = "main.py", nth: int = 0) -> bool:
    node = repository.probe(file, nth)[0]
    return Tracing(repository.facts.evaluator).is_traced(node, repository.module(file))


@pytest.mark.parametrize(
    "code",
    [
        "probe(x)",
        "def f():\n    probe(x)",
        "def f():\n    probe(x)\nf()",
        "@tf.function\ndef f(): pass\nprobe(f())",
        "@tf.function\ndef f(a=probe(x)): pass",
        "@tf.function(probe(x))\ndef f(): pass",
        "@tf.functional\ndef f():\n    probe(x)",
        "@function\ndef f():\n    probe(x)",
        "@tf.autograph.experimental.do_not_convert\ndef f():\n    probe(x)",
        "def g(tf):\n    @tf.function\n    def f():\n        probe(x)",
        "@tf.function\ndef g():\n    tf.py_function(f)\ndef f():\n    probe(x)",
        "def f(y):\n    probe(x)\nlist(map(f, y))\ny.map(f)",
        "@tf.function\ndef f(): pass\ndef g():\n    f()\n    probe(x)",
        "def f():\n    probe(x)\nother(f)",
        "def f():\n    probe(x)\ndef f2(): pass\ng = tf.function(f2)",
        "class A:\n    def f(self):\n        probe(x)\n    @tf.function\n    def g(self): pass",
        "@d[tf.function]\ndef f():\n    probe(x)",
        "@tf[0].function\ndef f():\n    probe(x)",
        "@(lambda f: tf.function)\ndef f():\n    probe(x)",
        "@tf.function\ndef f[T: probe(x)](a: probe(x) = 1): pass",
        "@tf.py_function\ndef f():\n    probe(x)",
        "def w(*a):\n    return tf.range(*a)\ndef f():\n    probe(x)\ng = w(f)",
        "def w(a):\n    g = tf.function(other)\n    return a\ndef f():\n    probe(x)\ng = w(f)",
        "def w(**a):\n    return tf.function(**a)\ndef f():\n    probe(x)\nw(y)",
    ],
)
def test_what_runs_eagerly(write: Write, code: str) -> None:
    assert not traced(write(f"{TF}{code}\n"))


@pytest.mark.parametrize(
    "code",
    [
        "@tf.function\ndef f():\n    probe(x)",
        "@tf.function()\ndef f():\n    probe(x)",
        "@tf.function(jit_compile=True, input_signature=[y])\ndef f():\n    probe(x)",
        "@other\n@tf.function\ndef f():\n    probe(x)",
        "from tensorflow import function as graph\n@graph\ndef f():\n    probe(x)",
        "@tf.function\ndef f():\n    [probe(y) for y in x]",
        "@tf.function\ndef f():\n    def g():\n        probe(x)\n    g()",
        "@tf.function\ndef f():\n    return lambda: probe(x)",
        "@tf.function\ndef f():\n    with tf.GradientTape() as t:\n        probe(x)",
        "def f():\n    probe(x)\ng = tf.function(f)",
        "def f():\n    probe(x)\ng = tf.function(f, jit_compile=True)",
        "def f():\n    probe(x)\ng = tf.function(func=f)",
        "def f():\n    probe(x)\ntf.function(f)()",
        "def f():\n    probe(x)\nf = tf.function(f)",
        "def w(*a, **k):\n    return tf.function(*a, **k)\ndef f():\n    probe(x)\nf = w(f)",
        "def w(a):\n    return tf.function(a)\n@w\ndef f():\n    probe(x)",
        "def v(a):\n    return tf.function(a)\ndef w(a):\n    return v(a)\n"
        "@w\ndef f():\n    probe(x)",
        "g = tf.function(lambda: probe(x))",
        "def f():\n    probe(x)\n@tf.function\ndef g():\n    f()",
        "def f():\n    probe(x)\ndef h():\n    f()\n@tf.function\ndef g():\n    return h()",
        "def f():\n    probe(x)\ndef h(): f()\ng = tf.function(h)",
        "class A:\n    @tf.function\n    def f(self):\n        probe(x)",
        "class A:\n    def f(self):\n        probe(x)\n    @tf.function\n    def g(self):\n"
        "        self.f()",
        "class A:\n    def f(self):\n        probe(x)\n    def __init__(self):\n"
        "        self.g = tf.function(self.f)",
        "class A:\n    def __call__(self):\n        probe(x)\na = A()\n@tf.function\n"
        "def g():\n    a()",
        "class A:\n    def __init__(self):\n        probe(x)\n@tf.function\ndef g():\n    A()",
        "class A(tf.keras.Model):\n    def call(self, y):\n        probe(x)\na = A()\n"
        "@tf.function\ndef g():\n    a(1)",
        "import functools\ndef f(a):\n    probe(x)\ng = tf.function(functools.partial(f, 1))",
        "import functools\n@functools.partial(tf.function, jit_compile=True)\ndef f():\n"
        "    probe(x)",
        "@(tf.function)\ndef f():\n    probe(x)",
        "@(tf.function(jit_compile=True))\ndef f():\n    probe(x)",
        "import functools\n@(functools.partial(tf.function, jit_compile=True))\ndef f():\n"
        "    probe(x)",
        "@tf.function\ndef f[T](a: T):\n    match a:\n        case 1: probe(x)",
        "@tf.function\ndef f():\n    try: pass\n    except* E: probe(x)",
        "class A[T]:\n    @tf.function\n    def f[U](self):\n        probe(x)",
        "@tf.function\nasync def f():\n    probe(x)",
        "graph = tf.function\n@graph\ndef f():\n    probe(x)",
        "d = tf.data.Dataset.range(3)\ndef f(y):\n    probe(x)\nd.batch(2).map(f)",
        "d = tf.data.Dataset.range(3)\nd.filter(lambda y: probe(x))",
        pytest.param(
            "graph = tf.function(jit_compile=True)\n@graph\ndef f():\n    probe(x)",
            marks=pytest.mark.xfail(
                strict=True, reason="a name for tf.function(...) with options is not followed"
            ),
        ),
        "def f():\n    probe(x)\ng = tf.function(jit_compile=True)(f)",
        "strategy = tf.distribute.MirroredStrategy()\ndef f():\n    probe(x)\n@tf.function\n"
        "def g():\n    strategy.run(f)",
    ],
)
def test_what_runs_while_tracing(write: Write, code: str) -> None:
    assert traced(write(f"{TF}{code}\n"))


def test_tracing_goes_through_modules(write: Write) -> None:
    files = {
        "main.py": f"{TF}import steps\n@tf.function\ndef run():\n    steps.train()\n",
        "steps.py": "def train():\n    probe(x)\ndef evaluate():\n    probe(x)\n",
    }
    repository = write(files)
    assert traced(repository, "steps.py", 0)
    assert not traced(repository, "steps.py", 1)


def test_functions_that_call_each_other(write: Write) -> None:
    code = f"{TF}@tf.function\ndef f():\n    g()\ndef g():\n    probe(x)\n    f()\n"
    assert traced(write(code))
