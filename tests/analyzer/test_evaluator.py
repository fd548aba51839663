"""Values: what expressions may hold. What is not known is never said to be proved."""

from __future__ import annotations

import time

import pytest
from repository import ADAM, MODEL, OPTIMIZER, SGD, Write

from pinsetter.analyzer.values.value import UNKNOWN, Certainty

PROVED, POSSIBLE, NO = Certainty.PROVED, Certainty.POSSIBLE, Certainty.NO
TF = "import tensorflow as tf\n"
MAKE_ADAM = "tf.keras.optimizers.Adam()"


# ---------------------------------------------------------------- names that are not the library's


@pytest.mark.parametrize(
    "code",
    [
        "probe(tf)",
        "import tensorflow as tf\ndef f(tf):\n    probe(tf)",
        "import tensorflow as tf\ndef f():\n    tf = g()\n    probe(tf)",
        "import tensorflow as tf\ndef f():\n    for tf in g(): probe(tf)",
        "import tensorflow as tf\n[probe(tf) for tf in g()]",
        "import tensorflow as tf\nlambda tf: probe(tf)",
        "import tensorflow as tf\ndef f():\n    with g() as tf: probe(tf)",
        "import tensorflow as tf\ndef f():\n    try: pass\n    except E as tf: probe(tf)",
        "import tensorflow as tf\ndef f():\n    if (tf := g()): probe(tf)",
        "import tensorflow as tf\ndef f():\n    g(tf := h())\n    probe(tf)",
        "import tensorflow as tf\ndef f():\n    class tf: pass\n    probe(tf)",
        "import tensorflow as tf\ndef f():\n    def tf(): pass\n    probe(tf)",
        "class A:\n    import tensorflow as tf\n    def f(self):\n        probe(tf)",
        "def f():\n    import tensorflow as tf\nprobe(tf)",
        "from tf import tensorflow\nprobe(tf)",
        "import tensorflow.keras as tf\nprobe(tf)",
        "import keras as tf\nprobe(tf)",
        "from . import tensorflow as tf\nprobe(tf)",
        "import tensorflow as tf\ndef f():\n    match g():\n        case tf: probe(tf)",
        "import tensorflow as tf\ndef f():\n    match g():\n        case A(tf=[tf]): probe(tf)",
        "import tensorflow as tf\ndef f():\n    with (g() as tf, h()): probe(tf)",
        "import tensorflow as tf\ndef f():\n    try: pass\n    except* E as tf: probe(tf)",
        "import tensorflow as tf\ndef f(tf, /): probe(tf)",
        "import tensorflow as tf\ndef f((tf, a)): probe(tf)",
        "import tensorflow as tf\ndef f[tf]():\n    probe(tf)",
        "import tensorflow as tf\nclass A[tf]:\n    def f(self): probe(tf)",
        "import tensorflow as tf\ndef f():\n    type tf = int\n    probe(tf)",
        "import tensorflow as tf\ndef f():\n    g[tf := 1]\n    probe(tf)",
        "import tensorflow as tf\nprobe(tf.keras)",
        "import tensorflow as tf\nprobe(tf())",
        "import tensorflow as tf\nprobe(tf[0])",
        "import tensorflow as tf\nprobe('tensorflow')",
    ],
)
def test_what_does_not_mean_tensorflow(write: Write, code: str) -> None:
    assert "tensorflow" not in write(code).names()


@pytest.mark.parametrize(
    "code",
    [
        "import tensorflow.keras as keras\nprobe(tensorflow)",
        "import tensorflow.keras as keras\nprobe(keras.optimizers)\nprobe(tensorflow)",
        "from tensorflow import keras\nprobe(tensorflow)",
        "import tensorflow as tf\nprobe(tensorflow)",
    ],
)
def test_an_alias_binds_only_the_alias(write: Write, code: str) -> None:
    repository = write(code)
    assert repository.names(nth=code.count("probe") - 1) == set()


@pytest.mark.parametrize(
    "code",
    [
        "import tensorflow as tf\ntf = g()\nprobe(tf)",
        "import tensorflow as tf\nfor tf in g(): pass\nprobe(tf)",
        "import tensorflow as tf\ntf += 1\nprobe(tf)",
        "if a:\n    import tensorflow as tf\nelse:\n    tf = g()\nprobe(tf)",
        "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\nprobe(tf)",
        "import tensorflow as tf\nif a:\n    import other as tf\nprobe(tf)",
        "import tensorflow as tf\ntf, x = g()\nprobe(tf)",
    ],
)
def test_a_name_that_may_be_something_else_is_possible(write: Write, code: str) -> None:
    repository = write(code)
    values = repository.evaluator.evaluate(repository.probe(), repository.module())
    assert "tensorflow" in values.names
    assert not (values.complete and len(values.items) == 1)


def test_of_two_that_bind_a_name_the_last_counts(write: Write) -> None:
    repository = write("import tensorflow as tf\nimport other as tf\nprobe(tf)")
    values = repository.evaluator.evaluate(repository.probe(), repository.module())
    assert values.names == {"other"}


# ---------------------------------------------------------------- imports of the library


@pytest.mark.parametrize(
    "code",
    [
        "import tensorflow\nprobe(tensorflow.keras.optimizers.Adam)",
        "import tensorflow as tf\nprobe(tf.keras.optimizers.Adam)",
        "import tensorflow as tf\nprobe(tf.optimizers.Adam)",
        "import tensorflow as tf\nprobe(( tf . keras\n .optimizers.Adam ))",
        "import tensorflow.keras\nprobe(tensorflow.keras.optimizers.Adam)",
        "import tensorflow.keras as keras\nprobe(keras.optimizers.Adam)",
        "import tensorflow.keras.optimizers as o\nprobe(o.Adam)",
        "import keras\nprobe(keras.optimizers.Adam)",
        "import os, tensorflow as tf\nprobe(tf.keras.optimizers.Adam)",
        "from tensorflow import keras\nprobe(keras.optimizers.Adam)",
        "from tensorflow import keras as k, nn\nprobe(k.optimizers.Adam)",
        "from tensorflow.keras import optimizers\nprobe(optimizers.Adam)",
        "from tensorflow.keras.optimizers import Adam\nprobe(Adam)",
        "from tensorflow.keras.optimizers import (SGD, Adam as A,)\nprobe(A)",
        "from tensorflow.keras.optimizers import *\nprobe(Adam)",
        "from tensorflow.keras.layers import *\nfrom tensorflow.keras.optimizers import *\n"
        "probe(Adam)",
        "from tensorflow.keras.optimizers import *\nfrom tensorflow.keras.layers import *\n"
        "probe(Adam)",
        "from tensorflow.python.keras.optimizers import Adam\nprobe(Adam)",
        "import tensorflow as tf\nk = tf.keras\no = k.optimizers\nA = o.Adam\nprobe(A)",
        "import tensorflow as tf\nk, _ = tf.keras, 1\nprobe(k.optimizers.Adam)",
        "import tensorflow as tf\ndef f():\n    probe(tf.keras.optimizers.Adam)",
        "import tensorflow as tf\nclass A:\n    def f(self):\n        probe(tf.optimizers.Adam)",
        "import tensorflow as tf\n[probe(tf.optimizers.Adam) for x in y]",
        "def f():\n    import tensorflow as tf\n    def g():\n        probe(tf.optimizers.Adam)",
        "def f():\n    global tf\n    import tensorflow as tf\nprobe(tf.optimizers.Adam)",
        "if (k := __import__) and a:\n    pass\nimport keras as k2\nprobe(k2.optimizers.Adam)",
        "import keras\nf(k := keras)\nprobe(k.optimizers.Adam)",
        "try:\n    from tensorflow import keras\nexcept ImportError:\n    import keras\n"
        "probe(keras.optimizers.Adam)",
    ],
)
def test_every_import_form_gives_the_canonical_name(write: Write, code: str) -> None:
    assert write(code).names() == {ADAM}


def test_the_compatibility_module_is_not_tensorflow(write: Write) -> None:
    repository = write(
        "import tensorflow.compat.v1 as tf\nprobe(tf)\nprobe(tf.train.AdamOptimizer)\n"
    )
    assert repository.names() == {"tensorflow.compat.v1"}
    assert repository.names(nth=1) == {"tensorflow.compat.v1.train.AdamOptimizer"}


def test_two_versions_are_two_names(write: Write) -> None:
    code = """
        try:
            import tensorflow.compat.v1 as tf
        except ImportError:
            import tensorflow as tf
        probe(tf)
    """
    repository = write(code)
    assert repository.names() == {"tensorflow", "tensorflow.compat.v1"}


@pytest.mark.parametrize("name", ["print", "open", "range", "len", "zip"])
def test_a_star_import_of_the_library_leaves_builtins_alone(write: Write, name: str) -> None:
    code = f"from tensorflow.keras.layers import *\nprobe({name})\n"
    assert write(code).names() == {f"builtins.{name}"}


def test_after_a_star_import_nothing_is_certainly_a_builtin(write: Write) -> None:
    repository = write("from unknown import *\nprobe(print)\n")
    values = repository.evaluator.evaluate(repository.probe(), repository.module())
    assert values.names == {"builtins.print"}
    assert not values.complete


def test_a_star_import_of_unknown_modules_proves_nothing(write: Write) -> None:
    code = "from unknown import *\nfrom other import *\nprobe(Adam())\n"
    assert write(code).isa(OPTIMIZER) is NO


def test_a_star_import_of_an_unknown_module_may_hide_another(write: Write) -> None:
    code = "from tensorflow.keras.optimizers import *\nfrom unknown import *\nprobe(Adam())\n"
    assert write(code).isa(OPTIMIZER) is POSSIBLE


# ---------------------------------------------------------------- imports inside the repository


@pytest.mark.parametrize(
    "files",
    [
        {"main.py": "from helper import _A\nprobe(_A)", "helper.py": "A = 1"},
        {"main.py": "from helper import *\nprobe(_A)",
         "helper.py": "from keras.optimizers import Adam as _A"},
        {"main.py": "from helper import *\nprobe(A)",
         "helper.py": "from keras.optimizers import Adam as A\n__all__ = ['B']"},
        {"main.py": "from .helper import A\nprobe(A)",
         "sub/helper.py": "from keras.optimizers import Adam as A"},
        {"main.py": "from a import A\nprobe(A)", "a.py": "from b import A",
         "b.py": "from a import A"},
        {"main.py": "from main import A\nprobe(A)"},
        {"main.py": "from a import *\nprobe(A)", "a.py": "from b import *",
         "b.py": "from a import *"},
        {"main.py": "import helper\nprobe(helper.A)",
         "helper.py": "def f():\n    import keras as A"},
        {"main.py": "from broken import A\nprobe(A)", "broken.py": "def ("},
    ],
    ids=["missing", "private", "all", "relative", "circle", "itself", "stars", "local", "broken"],
)  # fmt: skip
def test_names_that_an_import_does_not_bring(write: Write, files: dict[str, str]) -> None:
    assert ADAM not in write(files).names()


@pytest.mark.parametrize(
    "files",
    [
        {"main.py": "from helper import Adam\nprobe(Adam)"},
        {"main.py": "from helper import Adam as A\nprobe(A)"},
        {"main.py": "import helper\nprobe(helper.Adam)"},
        {"main.py": "import helper as h\nprobe(h.Adam)"},
        {"main.py": "from helper import *\nprobe(Adam)"},
        {"main.py": "from . import helper\nprobe(helper.Adam)"},
        {"main.py": "from .helper import Adam\nprobe(Adam)"},
        {"main.py": "def f():\n    from helper import Adam\n    probe(Adam)"},
        {"main.py": "from other import Adam\nprobe(Adam)", "other.py": "from helper import Adam"},
        {"main.py": "from other import *\nprobe(Adam)", "other.py": "from helper import *"},
        {"main.py": "import other\nprobe(other.h.Adam)", "other.py": "import helper as h"},
    ],
)
def test_names_come_through_modules(write: Write, files: dict[str, str]) -> None:
    helper = "from tensorflow.keras.optimizers import Adam\n"
    assert write({"helper.py": helper, **files}).names() == {ADAM}


@pytest.mark.parametrize(
    "code",
    [
        "import pack\nprobe(pack.Adam)",
        "from pack import Adam\nprobe(Adam)",
        "from pack import *\nprobe(Adam)",
        "import pack.inner\nprobe(pack.inner.Adam)",
        "import pack.inner as i\nprobe(i.Adam)",
        "from pack import inner\nprobe(inner.Adam)",
        "from pack.inner import Adam as A\nprobe(A)",
        "from pack.deep.er import Adam\nprobe(Adam)",
        "import pack.deep.er\nprobe(pack.deep.er.Adam)",
    ],
)
def test_names_come_through_packages(write: Write, code: str) -> None:
    files = {
        "main.py": code,
        "pack/__init__.py": "from .inner import Adam\n",
        "pack/inner.py": "from tensorflow.keras.optimizers import Adam\n",
        "pack/deep/__init__.py": "",
        "pack/deep/er.py": "from ..inner import Adam\n",
    }
    assert write(files).names() == {ADAM}


def test_packages_without_init_are_packages(write: Write) -> None:
    files = {
        "main.py": "import pack.inner\nfrom pack import inner\nprobe(pack.inner.A)\n"
        "probe(inner.A)\n",
        "pack/inner.py": "from keras.optimizers import Adam as A\n",
    }
    repository = write(files)
    assert repository.names() == repository.names(nth=1) == {ADAM}


# ---------------------------------------------------------------- what is not an optimizer


@pytest.mark.parametrize(
    "code",
    [
        "probe(opt)",
        "opt = make()\nprobe(opt)",
        "opt = Adam()\nprobe(opt)",
        "opt = 1\nprobe(opt)",
        f"opt = {MAKE_ADAM}\nprobe(opt.iterations)",
        f"opt = {MAKE_ADAM}\nprobe([opt])",
        f"opt = [{MAKE_ADAM}]\nprobe(opt)",
        f"opt = {MAKE_ADAM}, 1\nprobe(opt)",
        f"*opt, x = {MAKE_ADAM}, 1\nprobe(opt)",
        f"*opt, = {MAKE_ADAM},\nprobe(opt)",
        f"x, opt = {MAKE_ADAM}, 1\nprobe(opt)",
        f"opt = {MAKE_ADAM},\nprobe(opt)",
        f"opt = lambda: {MAKE_ADAM}\nprobe(opt)",
        f"opt = not {MAKE_ADAM}\nprobe(opt)",
        f"opt = ({MAKE_ADAM} for _ in x)\nprobe(opt)",
        f"opt = await_({MAKE_ADAM})\nprobe(opt)",
        f"def f():\n    opt = {MAKE_ADAM}\nprobe(opt)",
        f"class A:\n    opt = {MAKE_ADAM}\n    def f(self):\n        probe(opt)",
        f"opt = {MAKE_ADAM}\ndef f(opt):\n    probe(opt)",
        f"opt = {MAKE_ADAM}\n[probe(opt) for opt in x]",
        f"def make():\n    {MAKE_ADAM}\nprobe(make())",
        f"def make():\n    yield {MAKE_ADAM}\nprobe(make())",
        f"async def make():\n    return {MAKE_ADAM}\nprobe(make())",
        f"def make():\n    def inner():\n        return {MAKE_ADAM}\n    return 1\nprobe(make())",
        "probe(tf.keras.losses.MeanSquaredError())",
        "opt = tf.keras.optimizers.schedules.ExponentialDecay(1, 2, 3)\nprobe(opt)",
        "opt = tf.keras.optimizers\nprobe(opt)",
        "opt = opt\nprobe(opt)",
        "a = b\nb = a\nprobe(a)",
        "def f(): return g()\ndef g(): return f()\nprobe(f())",
        "def f(x): return f(x)\nprobe(f(1))",
        "class A(A): pass\nprobe(A())",
        "class A(B): pass\nclass B(A): pass\nprobe(A())",
    ],
)
def test_what_is_not_known_to_be_an_optimizer(write: Write, code: str) -> None:
    assert write(TF + code + "\n").isa(OPTIMIZER) is NO


@pytest.mark.parametrize(
    "code",
    [
        f"opt = wrap()\nopt = {MAKE_ADAM}\nprobe(opt)",
        f"def f(opt):\n    probe(opt)\nf({MAKE_ADAM})",
        f"def f(*, opt):\n    probe(opt)\nf(opt={MAKE_ADAM})",
        f"class A:\n    def f(self, opt):\n        probe(opt)\nA().f({MAKE_ADAM})",
        f"class A:\n    @staticmethod\n    def f(opt):\n        probe(opt)\nA.f({MAKE_ADAM})",
        f"class A:\n    @classmethod\n    def f(cls, opt):\n        probe(opt)\nA.f({MAKE_ADAM})",
        f"class A:\n    def __init__(self, opt):\n        self.opt = opt\n    def f(self):\n"
        f"        probe(self.opt)\nA({MAKE_ADAM})",
        f"match {MAKE_ADAM}:\n    case opt: pass\nprobe(opt)",
        f"def f(opt, /):\n    probe(opt)\nf({MAKE_ADAM})",
        f"opts = {{'a': [1, {MAKE_ADAM}]}}\nprobe(opts['a'][1])",
        f"def f(a):\n    return a\nx = f({MAKE_ADAM})\nx = f(f(x))\nprobe(x)",
    ],
)
def test_the_order_of_statements_and_all_calls_prove(write: Write, code: str) -> None:
    assert write(TF + code + "\n").isa(OPTIMIZER) is PROVED


@pytest.mark.parametrize(
    "code",
    [
        f"opt = {MAKE_ADAM}\ndef f():\n    global opt\n    opt = wrap()\nprobe(opt)",
        f"def f():\n    opt = {MAKE_ADAM}\n    def g():\n        nonlocal opt\n"
        "        opt = wrap()\n    probe(opt)",
        f"opt = {MAKE_ADAM}\nopt = wrap(opt)\nprobe(opt)",
        f"opt = {MAKE_ADAM}\nopt += 1\nprobe(opt)",
        f"opt = {MAKE_ADAM}\nfor opt in x: pass\nprobe(opt)",
        f"opt = {MAKE_ADAM}\nwith wrap() as opt: pass\nprobe(opt)",
        f"opt = {MAKE_ADAM}\nopt, x = wrap()\nprobe(opt)",
        f"opt = {MAKE_ADAM} if a else wrap()\nprobe(opt)",
        f"opt = wrap() or {MAKE_ADAM}\nprobe(opt)",
        f"if a:\n    opt = {MAKE_ADAM}\nelse:\n    opt = wrap()\nprobe(opt)",
        f"def make():\n    if a:\n        return {MAKE_ADAM}\n    return wrap()\nprobe(make())",
        f"@wrap\ndef make():\n    return {MAKE_ADAM}\nprobe(make())",
        f"def make(): return {MAKE_ADAM}\nmake = wrap(make)\nprobe(make())",
        f"def f(opt):\n    probe(opt)\nf({MAKE_ADAM})\nf(wrap())",
        f"def f(opt={MAKE_ADAM}):\n    probe(opt)",
        f"class A(tf.keras.Model):\n    def __init__(self):\n        self.opt = {MAKE_ADAM}\n"
        "    def f(self):\n        self.opt, x = wrap()\n    def g(self):\n        probe(self.opt)",
        f"class A:\n    def __init__(self):\n        self.opt = {MAKE_ADAM}\n"
        "    def f(self):\n        with wrap() as self.opt: pass\n        probe(self.opt)",
        f"class A:\n    def __init__(self):\n        self.opt = {MAKE_ADAM}\n"
        "    def f(self):\n        for self.opt in wrap(): pass\n        probe(self.opt)",
        f"class A:\n    def __init__(self):\n        self.opt = {MAKE_ADAM}\n"
        "    def f(self):\n        self.opt *= 2\n        probe(self.opt)",
        f"class A:\n    opt = None\n    def f(self):\n        self.opt = {MAKE_ADAM}\n"
        "        probe(self.opt)",
        f"class A:\n    def __init__(self):\n        self.opt = {MAKE_ADAM}\n"
        "    def f(self):\n        probe(self.opt)\n"
        "class B(A):\n    def g(self):\n        self.opt = wrap()",
        f"class A:\n    def __init__(self):\n        self.opt = {MAKE_ADAM}\n"
        "class B(A):\n    def f(self):\n        self.opt = wrap()\n    def g(self):\n"
        "        probe(self.opt)",
        f"class A:\n    def __init__(self):\n        self.opt = wrap()\n"
        f"class B(A):\n    def f(self):\n        self.opt = {MAKE_ADAM}\n    def g(self):\n"
        "        probe(self.opt)",
        f"class A:\n    def __init__(self):\n        self.opt = {MAKE_ADAM}\n"
        "a = A()\na.opt = wrap()\nprobe(a.opt)",
        f"for opt in [{MAKE_ADAM}, wrap()]:\n    probe(opt)",
    ],
)
def test_what_may_be_something_else_is_not_proved(write: Write, code: str) -> None:
    assert write(TF + code + "\n").isa(OPTIMIZER) is POSSIBLE


def test_the_second_argument_of_a_static_method_is_not_the_first(write: Write) -> None:
    code = f"""
        import tensorflow as tf
        class A:
            @staticmethod
            def f(opt, other):
                probe(other)
        A.f({MAKE_ADAM}, wrap())
    """
    assert write(code).isa(OPTIMIZER) is NO


@pytest.mark.parametrize("signature", ["*opt", "a, *opt", "**opt", "a, *b, opt=None"])
def test_collected_arguments_are_not_single_ones(write: Write, signature: str) -> None:
    code = f"{TF}def f({signature}):\n    probe(opt)\nf({MAKE_ADAM}, {MAKE_ADAM}, {MAKE_ADAM})\n"
    assert write(code).isa(OPTIMIZER) is NO


def test_what_a_context_manager_gives_is_not_the_manager(write: Write) -> None:
    code = """
        import tensorflow as tf
        class Opt(tf.keras.optimizers.Adam):
            def __enter__(self):
                return wrap()
        with Opt() as opt:
            probe(opt)
    """
    assert write(code).isa(OPTIMIZER) is NO


def test_unknown_classes_in_packages_of_the_librarys_name_are_unknown(write: Write) -> None:
    files = {
        "main.py": "from keras_ import Model\nprobe(Model())\n",
        "keras_/__init__.py": "class Model: pass\n",
    }
    assert write(files).isa(MODEL) is NO


# ---------------------------------------------------------------- what is an optimizer


@pytest.mark.parametrize(
    "code",
    [
        f"probe({MAKE_ADAM})",
        f"opt = {MAKE_ADAM}\nprobe(opt)",
        f"a = b = {MAKE_ADAM}\nprobe(a)",
        f"opt: object = {MAKE_ADAM}\nprobe(opt)",
        f"opt: object\nopt = {MAKE_ADAM}\nprobe(opt)",
        f"opt, x = {MAKE_ADAM}, 1\nprobe(opt)",
        f"(x, [y, opt]) = 1, [2, {MAKE_ADAM}]\nprobe(opt)",
        f"a = {MAKE_ADAM}\nb = a\nc = b\nprobe(c)",
        f"opt = {MAKE_ADAM} if a else tf.keras.optimizers.SGD(0.1)\nprobe(opt)",
        f"if a:\n    opt = {MAKE_ADAM}\nelse:\n    opt = tf.optimizers.SGD()\nprobe(opt)",
        f"if (opt := {MAKE_ADAM}):\n    probe(opt)",
        f"f(opt := {MAKE_ADAM})\nprobe(opt)",
        f"for opt in [{MAKE_ADAM}, tf.optimizers.SGD()]:\n    probe(opt)",
        f"for opt, x in ({MAKE_ADAM}, 1), (tf.optimizers.SGD(), 2):\n    probe(opt)",
        f"def f():\n    global opt\n    opt = {MAKE_ADAM}\nprobe(opt)",
        f"opt = {MAKE_ADAM}\ndel opt\nprobe(opt)",
        f"def make():\n    return {MAKE_ADAM}\nprobe(make())",
        f"def make(kind):\n    if kind:\n        return {MAKE_ADAM}\n"
        "    return tf.optimizers.SGD()\nprobe(make(1))",
        f"def a():\n    return {MAKE_ADAM}\ndef b():\n    opt = a()\n    return opt\nprobe(b())",
        "def make(n):\n    if n:\n        return make(n - 1)\n    return tf.optimizers.SGD()\n"
        "probe(make(1))",
        "class Mine(tf.keras.optimizers.Adam): pass\nprobe(Mine())",
        "class A(tf.keras.optimizers.Adam): pass\nclass B(A): pass\nprobe(B())",
        "def f(opt: tf.keras.optimizers.Optimizer):\n    probe(opt)",
        f"class A:\n    opt = {MAKE_ADAM}\nprobe(A.opt)",
        f"class A:\n    opt = {MAKE_ADAM}\n    def f(self):\n        probe(self.opt)",
        f"class A:\n    def __init__(self):\n        self.opt = {MAKE_ADAM}\n    def f(self):\n"
        "        probe(self.opt)",
        f"class A:\n    def __init__(this):\n        this.opt: object = {MAKE_ADAM}\n"
        "    def f(self):\n        probe(self.opt)",
        f"class A:\n    def __init__(self):\n        self.opt, self.x = {MAKE_ADAM}, 1\n"
        "    def f(self):\n        probe(self.opt)",
        f"class A:\n    def f(self):\n        probe(self.opt)\n    def build(self):\n"
        f"        self.opt = {MAKE_ADAM}",
        f"class A:\n    def __init__(self):\n        self.opt = {MAKE_ADAM}\na = A()\nprobe(a.opt)",
        f"class A:\n    def __init__(self):\n        self.opt = {MAKE_ADAM}\n"
        "class B(A):\n    def f(self):\n        probe(self.opt)",
        f"class A:\n    def make(self):\n        return {MAKE_ADAM}\n"
        "class B(A):\n    def f(self):\n        probe(super().make())",
        f"class A:\n    def make(self):\n        return {MAKE_ADAM}\n    def f(self):\n"
        "        probe(self.make())",
        "opt = tf.keras.optimizers.get('adam')\nprobe(opt)",
    ],
)
def test_what_is_an_optimizer(write: Write, code: str) -> None:
    assert write(TF + code + "\n").isa(OPTIMIZER) is PROVED


def test_two_optimizers_are_told_apart(write: Write) -> None:
    code = """
        from tensorflow.keras.optimizers import Adam as A, SGD
        class Gan:
            def __init__(self):
                self.g, self.d = A(), SGD()
            def step(self):
                probe(self.g)
                probe(self.d)
    """
    repository = write(code)
    assert repository.values().classes == {ADAM}
    assert repository.values(nth=1).classes == {SGD}


def test_an_optimizer_made_in_another_module(write: Write) -> None:
    files = {
        "main.py": "import parts\nfrom parts import opt\nprobe(opt)\nprobe(parts.make())\n",
        "parts.py": f"{TF}opt = {MAKE_ADAM}\ndef make():\n    return opt\n",
    }
    repository = write(files)
    assert repository.isa(OPTIMIZER) is repository.isa(OPTIMIZER, nth=1) is PROVED


def test_a_module_attribute_that_another_module_assigns_is_not_proved(write: Write) -> None:
    files = {
        "main.py": "import parts\nparts.opt = wrap()\nprobe(parts.opt)\n",
        "parts.py": f"{TF}opt = {MAKE_ADAM}\n",
    }
    assert write(files).isa(OPTIMIZER) is POSSIBLE


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("x = tf.data.Dataset.range(3).map(f).batch(2)", "tensorflow.data.Dataset"),
        ("x = tf.keras.applications.ResNet50()", MODEL),
        ("x = tf.keras.Sequential([])", MODEL),
        ("x = tf.keras.models.Model(a, b)", MODEL),
        ("x = tf.train.Checkpoint(a=b)", "tensorflow.train.Checkpoint"),
    ],
)
def test_what_library_calls_give(write: Write, code: str, name: str) -> None:
    assert write(f"{TF}{code}\nprobe(x)\n").isa(name) is PROVED


def test_the_tape_of_a_with_statement(write: Write) -> None:
    code = f"{TF}with a() as b, tf.GradientTape(persistent=True) as tape:\n    probe(tape)\n"
    assert write(code).isa("tensorflow.GradientTape") is PROVED


def test_numbers(write: Write) -> None:
    number = "builtins.number"
    for text in ("1", "-1", "1e-3 * 2", "float(x)", "(1 + 2) / 3"):
        assert write(f"probe({text})\n").isa(number) is PROVED, text
    for text in ("x", "x * 2", "'1'", "1 if a else b[0]", "[1]", "2 ** x"):
        assert write(f"probe({text})\n").isa(number) is not PROVED, text


def test_unknown_has_no_certainty(write: Write) -> None:
    repository = write("probe(f()[0].x)\n")
    assert repository.values() == UNKNOWN


# ---------------------------------------------------------------- time


@pytest.mark.parametrize(
    "line",
    [
        "x = f(x)\n",
        "x = g(x, x)\n",
        "x, y = y, x\n",
        "x = x.map(f).map(x)\n",
        "x = f(y); y = f(x)\n",
    ],
)
@pytest.mark.parametrize("first", ["x = 1\n", f"x = {MAKE_ADAM}\n"])
def test_long_chains_of_rebinding_are_fast(write: Write, line: str, first: str) -> None:
    start = "def f(a):\n    return a\ndef g(a, b):\n    return f(b) if a else g(b, a)\ny = 2\n"
    repository = write(TF + start + first + line * 60 + "probe(x)\n")
    began = time.perf_counter()
    _ = repository.isa(OPTIMIZER)
    assert time.perf_counter() - began < 2


def test_chains_through_many_names_are_fast(write: Write) -> None:
    code = TF + f"x0 = {MAKE_ADAM}\n"
    code += "".join(f"x{n + 1} = f{n}(x{n}, x{n})\n" for n in range(60))
    code = "".join(f"def f{n}(a, b):\n    return a or b\n" for n in range(60)) + code
    repository = write(code + "probe(x60)\n")
    began = time.perf_counter()
    repository.isa(OPTIMIZER)
    assert time.perf_counter() - began < 2


# ---------------------------------------------------------------- newer syntax


@pytest.mark.parametrize(
    "code",
    [
        "match OPT:\n    case tf.keras.optimizers.Adam() as opt: pass\nprobe(opt)",
        "type Opt = tf.keras.optimizers.Adam\ndef f(opt: Opt):\n    probe(opt)",
        "def f[T: tf.keras.optimizers.Adam](opt: T):\n    probe(opt)",
        "def f(*opt: tf.keras.optimizers.Adam):\n    probe(opt)",
        "def f(**opt: tf.keras.optimizers.Adam):\n    probe(opt)",
        "def f(opt=None, /, **kw):\n    probe(opt)\nf(opt=OPT)",
        "opts: tuple = 1, *[OPT]\nopt, a = opts\nprobe(opt)",
        "for opt in *OPT, 1: probe(opt)",
    ],
)
def test_newer_syntax_that_says_nothing_of_a_value(write: Write, code: str) -> None:
    assert not write(TF + code.replace("OPT", MAKE_ADAM)).isa(OPTIMIZER)


@pytest.mark.parametrize(
    "code",
    [
        "opt = OPT\nmatch g():\n    case opt: pass\nprobe(opt)",
        "opt = OPT\nmatch g():\n    case [1, *opt] | {'a': opt}: pass\nprobe(opt)",
        "opt = OPT\ntry: pass\nexcept* E as opt: pass\nprobe(opt)",
        "match g():\n    case 1: opt = OPT\n    case _: opt = h()\nprobe(opt)",
        "opts = *a, OPT\nb, opt = opts\nprobe(opt)",
        "@d[0].property\ndef f():\n    return OPT\nprobe(f())",
        "@(tf.function if a else g)\ndef f():\n    return OPT\nprobe(f())",
    ],
)
def test_newer_syntax_that_may_bind_something_else(write: Write, code: str) -> None:
    assert write(TF + code.replace("OPT", MAKE_ADAM)).isa(OPTIMIZER) is POSSIBLE


@pytest.mark.parametrize(
    "code",
    [
        "match g():\n    case 1: opt = OPT\n    case _: opt = OPT\nprobe(opt)",
        "opt = OPT\nmatch opt:\n    case a.opt | opt(): pass\nprobe(opt)",
        "opt = OPT\nmatch opt:\n    case A(opt=1): probe(opt)",
        "g[opt := OPT]\nprobe(opt)",
        "{opt := OPT}\nprobe(opt)",
        "f(opt := OPT for a in b)\nprobe(opt)",
        "def f[T](a: T):\n    return OPT\nprobe(f(1))",
        "@(tf.function)\ndef f():\n    return OPT\nprobe(f())",
        "@tf.function(jit_compile=True)\ndef f():\n    return OPT\nprobe(f())",
        "class A[T](tf.keras.optimizers.Adam): pass\nprobe(A())",
        "class A[T]: pass\nclass B[T](tf.keras.optimizers.Adam, A[T]): pass\nprobe(B())",
        "class A[T](tf.keras.optimizers.Adam): pass\nclass B(A[int]): pass\nprobe(B())",
        "class A:\n    @(property)\n    def opt(self): return OPT\nprobe(A().opt)",
        "class A:\n    def __init__[T](self, a: T, /):\n        self.opt = OPT\nprobe(A(1).opt)",
    ],
)
def test_newer_syntax_around_an_optimizer(write: Write, code: str) -> None:
    assert write(TF + code.replace("OPT", MAKE_ADAM)).isa(OPTIMIZER) is PROVED


@pytest.mark.parametrize(
    ("literal", "classes"),
    [
        ("b'a'", set()),
        ("Rb'a'", set()),
        ("t'{a}'", set()),
        ("tr'a'", set()),
        ("'a'", {"builtins.str"}),
        ("rf'{a}'", {"builtins.str"}),
        ("u'a'", {"builtins.str"}),
    ],
)
def test_what_is_a_string(write: Write, literal: str, classes: set[str]) -> None:
    assert write(f"probe({literal})").values().classes == classes


def classes(number: int) -> str:
    return "".join(f"class C{n}: pass\n" for n in range(number))


@pytest.mark.parametrize(("number", "known"), [(2, True), (100, True), (101, False), (300, False)])
def test_what_may_be_very_many_things_is_unknown(write: Write, number: int, known: bool) -> None:
    code = f"{classes(number)}x = g()\n" + "".join(f"if a: x = C{n}()\n" for n in range(number))
    values = write(f"{code}probe(x)\n").values()
    assert not values.complete
    assert len(values.classes) == (number if known else 0)


def test_rounds_end_where_what_may_be_very_many_things_is_handed_around(write: Write) -> None:
    calls = "".join(f"f(C{n}())\ng(D{n}())\n" for n in range(90))
    code = (
        f"{classes(90)}{classes(90).replace('C', 'D')}def f(a):\n    return g(a)\n"
        f"def g(b):\n    probe(b)\n    return f(b)\n{calls}"
    )
    assert write(code).values() == UNKNOWN


def test_methods_of_one_name_are_told_apart(write: Write) -> None:
    code = TF + (
        "class A:\n    def run(self, x):\n        probe(x)\n"
        "class B:\n    def run(self, x):\n        A().run(x)\n"
        "class C:\n    def run(self, x):\n        pass\n"
        f"B().run({MAKE_ADAM})\nC().run(1)\n"
    )
    found = write(code)
    assert found.isa(OPTIMIZER)
    assert len(found.values().items) == 1


@pytest.mark.parametrize("first", ["f", "g", "h"])
def test_what_refers_to_each_other_is_known_as_a_whole(write: Write, first: str) -> None:
    """Whichever is asked first."""
    code = (
        "class A: pass\nclass B: pass\nclass C: pass\n"
        "def f():\n    return g() if a else A()\n"
        "def g():\n    return h() if a else B()\n"
        "def h():\n    return f() if a else C()\n"
    )
    order = [first, *sorted({"f", "g", "h"} - {first})]
    found = write(code + "".join(f"probe({name}())\n" for name in order))
    for number in range(3):
        values = found.values(nth=number)
        assert values.classes == {"main.A", "main.B", "main.C"}
        assert values.complete


# ---------------------------------------------------------------- what is stored in libraries


@pytest.mark.parametrize(
    "code",
    [
        "tf.thing = 3\nprobe(tf.other)",
        f"tf.thing.model = {MAKE_ADAM}\nprobe(tf.model)",
        f"def f(tf):\n    tf.model = {MAKE_ADAM}\nprobe(tf.model)",
        f"tf.model += {MAKE_ADAM}\nprobe(tf.model)",
        f"self.model = {MAKE_ADAM}\nprobe(tf.model)",
        f"tf.Variable = {MAKE_ADAM}\nprobe(tf.Variable)",  # as a patch of what is there
        f"import unknown\nunknown.model = {MAKE_ADAM}\nprobe(unknown.model)",
        f"tf.model = {MAKE_ADAM}\nimport tensorflow_hub\nprobe(tensorflow_hub.model)",
    ],
)
def test_what_is_not_stored_in_a_library(write: Write, code: str) -> None:
    assert write(TF + code).isa(OPTIMIZER) is not PROVED


@pytest.mark.parametrize(
    "code",
    [
        f"tf.model = {MAKE_ADAM}\nprobe(tf.model)",
        f"tf.model = other = {MAKE_ADAM}\nprobe(tf.model)",
        f"def f():\n    tf.model = {MAKE_ADAM}\ndef g():\n    probe(tf.model)",
        f"def f():\n    import tensorflow as t\n    t.model = {MAKE_ADAM}\nprobe(tf.model)",
        f"import tensorflow\ntensorflow.model = {MAKE_ADAM}\nprobe(tf.model)",
        f"import keras\nkeras.model = {MAKE_ADAM}\nprobe(keras.model)",
        f"import tensorflow.compat.v1 as v1\nv1.model = {MAKE_ADAM}\nprobe(v1.model)",
    ],
)
def test_what_is_stored_in_a_library(write: Write, code: str) -> None:
    assert write(TF + code).isa(OPTIMIZER) is PROVED


def test_either_of_two_is_stored_in_a_library(write: Write) -> None:
    code = f"tf.model = {MAKE_ADAM}\ntf.model = unknown()\nprobe(tf.model)"
    assert write(TF + code).isa(OPTIMIZER) is POSSIBLE


@pytest.mark.parametrize(
    ("code", "certainty"),
    [
        ("from pack.tables import OTHER\nprobe(OTHER[k]())", NO),
        ("from tables import MADE\nprobe(MADE[k]())", NO),
        ("from pack import tables\nprobe(tables.unknown[k]())", NO),
        ("from pack.tables import MADE\nprobe(MADE[k]())", POSSIBLE),
        ("from pack.tables import MADE as made\nprobe(made['adam']())", POSSIBLE),
        ("from pack import tables\nprobe(tables.MADE[k](0.1))", POSSIBLE),
        ("import pack.tables as t\nprobe(t.MADE[k](0.1))", POSSIBLE),
    ],
)
def test_items_of_another_module(write: Write, code: str, certainty: Certainty) -> None:
    tables = (
        "import tensorflow as tf\ndef adam():\n    return tf.keras.optimizers.Adam()\n"
        "MADE = {'adam': adam, 'sgd': tf.keras.optimizers.SGD}\nOTHER = {'a': print}\n"
    )
    repository = write({"main.py": code, "pack/__init__.py": "", "pack/tables.py": tables})
    assert repository.isa(OPTIMIZER) is certainty
