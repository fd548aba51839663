"""σ: each case says behind a line what its targets hold; nothing else may be reported."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinsetter.analyzer.interpreter import interpret
from pinsetter.analyzer.interpreter.objects import Function
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.names.statement_at import statement_at
from pinsetter.analyzer.roles.sigma import Sigma

HEAD = "import tensorflow as tf\nfrom tensorflow.keras.optimizers import Adam, SGD\n"
_MARK = re.compile(r"#: (.*)$")
_LEFT_OUT = {"tensorflow", "keras", "callback"}


def write(folder: Path, code: str) -> Path:
    path = folder / "main.py"
    path.write_text(HEAD + dedent(code).lstrip("\n"))
    return path


def marked(text: str) -> set[tuple[int, str]]:
    found = set()
    for number, line in enumerate(text.splitlines(), 1):
        mark = _MARK.search(line)
        for part in mark[1].split(";") if mark else ():
            found.add((number, part.strip()))
    return found


def reported(path: Path) -> set[tuple[int, str]]:
    project = Project([path])
    sigma = Sigma(interpret(project))
    return {
        (b.line, f"{b.expression} {b.role} {b.certainty.value}")
        for b in sigma.bindings(project.given[0])
        if b.role not in _LEFT_OUT
    }


NOTHING = [
    "",
    "opt = make()",
    "opt = 'adam'",
    "opt = None",
    "Optimizer = Adam",
    "opt = tf.keras.optimizers",
    "make = lambda: Adam()",
    "def f(opt): pass",
    "def f(opt): return opt.lr",
    "opt: Adam",
    "import opt",
    "Adam()",
    "del Adam",
    "rate = Adam().learning_rate",
    "grads = tf.GradientTape().gradient(x, y)",
    "step = Adam().apply_gradients([])",
    "y = tf.keras.Sequential([])(x)",
    "y = tf.keras.layers.Dense(1)",
    "y = tf.keras.Sequential([]).predict(x)",
    "history = tf.keras.Sequential([]).fit(x)",
    "class A(tf.keras.layers.Layer): pass\na = A()",
    "class Adam: pass\nopt = Adam()",
    "class Adam: pass\nopt = Adam()\nopt.apply_gradients(pairs)",
    "class Model(object): pass\nmodel = Model()\nmodel.compile(loss)\nmodel.fit(x)",
    "def Adam(): return 1\nopt = Adam()",
    "tf = fake\nopt = tf.keras.optimizers.Adam()",
    "for batch in tf.data.Dataset.range(3): pass",
    "it = iter(tf.data.Dataset.range(3))",
    "x = [b for b in tf.data.Dataset.range(3)]",
    "def f():\n    for Adam in x:\n        opt = Adam()",
    "args = parse()\nuse(args.batch, args.optimizer)",
    "x = np.random\nx.shuffle(y)",
    "text = 'a'.join(x)",
    "class M(tf.keras.Model):\n    def call(self, x):\n        y = self.head(x)\n        return y",
]


@pytest.mark.parametrize("code", NOTHING)
def test_nothing_holds_anything(tmp_path: Path, code: str) -> None:
    assert reported(write(tmp_path, f"{code}\n")) == set()


CASES = {
    "a name": "opt = Adam()  #: opt optimizer proved",
    "a rebound name": """
        opt = Adam()  #: opt optimizer proved
        use(opt)
        opt = 1
        x = opt
        opt = SGD()  #: opt optimizer proved
    """,
    "an alias": """
        a = Adam()  #: a optimizer proved
        b = a  #: b optimizer proved
        a = 3
        c = a
    """,
    "several targets": "a = b = Adam()  #: a optimizer proved; b optimizer proved",
    "an alias of the class": """
        Opt = Adam
        make = tf.keras.optimizers.SGD
        a, b = Opt(), make()  #: a optimizer proved; b optimizer proved
    """,
    "late import": """
        def f():
            from tensorflow.keras import optimizers as o
            opt = o.Adam()  #: opt optimizer proved
    """,
    "try imports": """
        try:
            from keras.optimizers import RMSprop
        except ImportError:
            from tensorflow.keras.optimizers import RMSprop
        opt = RMSprop()  #: opt optimizer proved
    """,
    "a tuple": "a, (b, *c) = Adam(), (tf.keras.Sequential([]), 1, 2)"
    "  #: a optimizer proved; b model proved",
    "a star": """
        first, *rest = [Adam(), SGD()]  #: first optimizer proved; rest[0] optimizer proved
        x = rest[0]  #: x optimizer proved
    """,
    "either branch": """
        if c:
            opt = Adam()  #: opt optimizer proved
        else:
            opt = SGD()  #: opt optimizer proved
        x = opt  #: x optimizer proved
    """,
    "one branch": """
        opt = None
        if c:
            opt = Adam()  #: opt optimizer proved
        x = opt  #: x optimizer assumed
    """,
    "conditional expression": """
        a = Adam() if c else SGD()  #: a optimizer proved
        b = Adam() if c else None  #: b optimizer assumed
        d = given or Adam()  #: d optimizer assumed
    """,
    "a loop": """
        for i in range(3):
            opt = Adam()  #: opt optimizer proved
            use(opt)
        while c:
            last = opt  #: last optimizer assumed
            opt = make()
    """,
    "try": """
        try:
            m = tf.keras.models.load_model(p)  #: m model proved
        except OSError:
            m = build()
        x = m  #: x model assumed
    """,
    "with": """
        with tf.GradientTape() as a, tf.GradientTape() as b:  #: a tape proved; b tape proved
            t = a  #: t tape proved
    """,
    "walrus": """
        if (opt := Adam()):  #: opt optimizer proved
            pass
    """,
    "match": """
        match Adam():
            case opt:  #: opt optimizer proved
                pass
    """,
    "a list's items": """
        opts = [Adam(), 1]  #: opts[0] optimizer proved
        a = opts[0]  #: a optimizer proved
        b = opts[1]
        c = opts[-2]  #: c optimizer proved
        d = opts[i]  #: d optimizer assumed
    """,
    "a dict's items": """
        opts = {'g': Adam(), 'n': 1}  #: opts['g'] optimizer proved
        opts['d'] = SGD()  #: opts['d'] optimizer proved
        a = opts['d']  #: a optimizer proved
        b = opts.get('g')  #: b optimizer proved
        c = opts['n']
    """,
    "for over a list": """
        for m in [tf.keras.Sequential([]), tf.keras.Model()]:  #: m model proved
            pass
        pairs = [(tf.keras.Model(), Adam())]
        for i, (m, o) in enumerate(pairs):  #: m model proved; o optimizer proved
            pass
        for m, o in zip([tf.keras.Model()], [Adam()]):  #: m model proved; o optimizer proved
            pass
    """,
    "a comprehension": """
        opts = [Adam(r) for r in rates]
        x = opts[0]  #: x optimizer proved
    """,
    "items of a dict": """
        for name, opt in {'a': Adam()}.items():  #: opt optimizer proved
            pass
    """,
    "a return": """
        def make():
            opt = Adam()  #: opt optimizer proved
            return opt
        x = make()  #: x optimizer proved
    """,
    "one of the returns": """
        def make(name):
            if name == 'a':
                return Adam()
            if name == 'b':
                return SGD()
        x = make('a')  #: x optimizer assumed
    """,
    "a returned tuple": """
        def make():
            return tf.keras.Sequential([]), Adam()
        m, o = make()  #: m model proved; o optimizer proved
        both = make()  #: both[0] model proved; both[1] optimizer proved
        o = both[1]  #: o optimizer proved
    """,
    "parameters": """
        def step(m, o=None, *, t=1): #: m model proved; o optimizer assumed
            pass
        step(tf.keras.Model(), Adam())
        step(m=tf.keras.Model())
    """,
    "all call sites": """
        def step(o):  #: o optimizer proved
            p = o  #: p optimizer proved
        step(Adam())
        step(SGD())
        def other(o):  #: o optimizer assumed
            pass
        other(Adam())
        other(3)
    """,
    "each call has its own arguments": """
        def same(x):  #: x optimizer assumed; x model assumed
            return x
        a = same(Adam())  #: a optimizer proved
        b = same(tf.keras.Model())  #: b model proved
    """,
    "a default": """
        def f(o=Adam()):  #: o optimizer proved
            pass
        f()
    """,
    "rest arguments": """
        def f(*args, **kwargs):
            o = args[0]  #: o optimizer proved
            m = kwargs['m']  #: m model proved
        f(Adam(), m=tf.keras.Model())
    """,
    "spread arguments": """
        def f(o, m):  #: o optimizer proved; m model proved
            pass
        pair = (Adam(), tf.keras.Model())  #: pair[0] optimizer proved; pair[1] model proved
        f(*pair)
        f(**{'o': Adam(), 'm': tf.keras.Model()})
    """,
    "a function called by another that nobody calls": """
        def step(o):  #: o optimizer proved
            pass
        def train():
            step(Adam())
    """,
    "a closure": """
        def make():
            o = Adam()  #: o optimizer proved
            def step():
                x = o  #: x optimizer proved
            return step
        make()()
    """,
    "nonlocal and global": """
        def f():
            global o
            o = Adam()  #: o optimizer proved
        f()
        x = o  #: x optimizer proved
    """,
    "attributes": """
        class T:
            def __init__(self, m):  #: m model proved
                self.m = m  #: self.m model proved
                self.build()
            def build(self):
                self.o = Adam()  #: self.o optimizer proved
            def run(self):
                x = self.o  #: x optimizer proved
                y = self.m  #: y model proved
        t = T(tf.keras.Model())
        t.run()
        z = t.o  #: z optimizer proved
        t.ema = SGD()  #: t.ema optimizer proved
        u = t.ema  #: u optimizer proved
    """,
    "a base class's attribute": """
        class Base:
            def __init__(self):
                self.o = self.make()  #: self.o optimizer proved
        class T(Base):
            def __init__(self):
                super().__init__()
                x = self.o  #: x optimizer proved
            def make(self):
                return Adam()
        T()
    """,
    "two instances": """
        class Box:
            def __init__(self, x):  #: x optimizer assumed; x model assumed
                self.x = x  #: self.x optimizer assumed; self.x model assumed
        a = Box(Adam()).x  #: a optimizer proved
        b = Box(tf.keras.Model()).x  #: b model proved
    """,
    "a class attribute": """
        class C:
            o = Adam()  #: o optimizer proved
        x = C.o  #: x optimizer proved
        y = C().o  #: y optimizer proved
    """,
    "a property": """
        class C:
            @property
            def o(self):
                return Adam()
        x = C().o  #: x optimizer proved
    """,
    "methods nobody calls see what __init__ stored": """
        class M(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.o = Adam()  #: self.o optimizer proved
            def train_step(self, data):
                o = self.o  #: o optimizer proved
        m = M()  #: m model proved
    """,
    "setattr and getattr": """
        class C: pass
        c = C()
        setattr(c, 'o', Adam())
        x = getattr(c, 'o')  #: x optimizer proved
    """,
    "tf.function": """
        @tf.function
        def step(o):  #: o optimizer proved
            pass
        step(Adam())
        def other(o):  #: o optimizer proved
            pass
        tf.function(other)(Adam())
        graph = tf.function(other)
        graph(SGD())
    """,
    "a decorator that returns its function": """
        def log(f):
            print(f)
            return f
        @log
        def make():
            return Adam()
        x = make()  #: x optimizer proved
    """,
    "a decorator that wraps": """
        import functools
        def log(f):
            @functools.wraps(f)
            def g(*args, **kwargs):
                return f(*args, **kwargs)
            return g
        @log
        def make(o):  #: o optimizer proved
            return o
        x = make(Adam())  #: x optimizer proved
    """,
    "functools.partial": """
        from functools import partial
        make = partial(Adam, 0.1)
        x = make()  #: x optimizer proved
        def step(m, o):  #: m model proved; o optimizer proved
            pass
        partial(step, o=Adam())(tf.keras.Model())
    """,
    "Strategy.run": """
        def step(o):  #: o optimizer proved
            pass
        tf.distribute.MirroredStrategy().run(step, args=(Adam(),))
    """,
    "a table of factories": """
        MAKERS = {'adam': Adam, 'sgd': SGD}
        x = MAKERS[name](0.1)  #: x optimizer proved
    """,
    "a context manager": """
        import contextlib
        @contextlib.contextmanager
        def scope():
            yield Adam()
        with scope() as o:  #: o optimizer proved
            pass
        class S:
            def __enter__(self):
                return tf.keras.Model()
            def __exit__(self, *a): pass
        with S() as m:  #: m model proved
            pass
    """,
    "a namespace, a data class, a named tuple": """
        from types import SimpleNamespace
        from collections import namedtuple
        from dataclasses import dataclass
        ns = SimpleNamespace(o=Adam())  #: ns.o optimizer proved
        ns.m = tf.keras.Model()  #: ns.m model proved
        a, b = ns.o, ns.m  #: a optimizer proved; b model proved
        @dataclass
        class D:
            o: object
            m: object = None
        c = D(Adam(), m=tf.keras.Model())
        d, e = c.o, c.m  #: d optimizer proved; e model proved
        P = namedtuple('P', 'o m')
        p = P(Adam(), m=1)  #: p.o optimizer proved
        f = p.o  #: f optimizer proved
    """,
    "datasets": """
        ds = tf.data.Dataset.from_tensor_slices(x)  #: ds dataset proved
        ds = ds.map(f).batch(3)  #: ds dataset proved
        ds = ds.apply(tf.data.experimental.ignore_errors())  #: ds dataset proved
        def prepare(ds, n):  #: ds dataset proved
            ds = ds.shuffle(n)  #: ds dataset proved
            return ds
        train = prepare(ds, 3)  #: train dataset proved
    """,
    "checkpoints": """
        m = tf.keras.Sequential([])  #: m model proved
        ckpt = tf.train.Checkpoint(model=m)  #: ckpt checkpoint proved
        man = tf.train.CheckpointManager(ckpt, 'x', 3)  #: man checkpoint proved
    """,
    "callback lists": """
        from tensorflow.keras.callbacks import EarlyStopping, Callback
        class Mine(Callback): pass
        a = [EarlyStopping(), Mine()]  #: a callback_list proved
        b = []  #: b callback_list proved
        b.append(EarlyStopping())
        c = a + [Mine()]  #: c callback_list proved
        d = ['x']
    """,
    "what an unseen argument is asked for": """
        def step(o, m, d, t):  #: o optimizer assumed; m model assumed; d dataset assumed
            o.apply_gradients(m.trainable_variables)
            d = d.map(t).batch(3)  #: d dataset assumed
    """,
    "what is asked for later": """
        class T:
            def __init__(self, o):  #: o optimizer assumed
                self.o = o  #: self.o optimizer assumed
            def step(self, g):
                self.o.apply_gradients(g)
        x = library.make()  #: x optimizer assumed
        T(x)
    """,
    "an annotation": """
        def f(o: Adam, m: 'str', n: tf.keras.Model = None):  #: o optimizer assumed; n model assumed
            pass
    """,
    "given to Keras": """
        def f(o, cs):  #: o optimizer assumed; cs callback_list assumed
            m = tf.keras.Model()  #: m model proved
            m.compile(optimizer=o)
            m.fit(x, callbacks=cs)
    """,
    "recursion": """
        def f(o, n):  #: o optimizer proved
            if n:
                return f(o, n - 1)
            return o
        x = f(Adam(), 3)  #: x optimizer proved
    """,
    "a generator": """
        def models():
            yield tf.keras.Model()
        for m in models():  #: m model proved
            pass
    """,
    "a lambda": """
        make = lambda r: Adam(r)
        x = make(1)  #: x optimizer proved
    """,
    "Python 2": """
        print 'x'
        opt = Adam()  #: opt optimizer proved
        try:
            pass
        except ValueError, e:
            opt = e
    """,
    "deletion": """
        opt = Adam()  #: opt optimizer proved
        del opt
        x = opt
    """,
    "a class made in a function": """
        def make(base):
            class Net(base):
                pass
            return Net
        m = make(tf.keras.Model)()  #: m model proved
    """,
    "static and class methods": """
        class M(tf.keras.Model):
            @staticmethod
            def loss(labels): pass
            @classmethod
            def make(cls, o):  #: o optimizer proved
                return cls()
        m = M.make(Adam())  #: m model proved
    """,
    "a subclass of an optimizer": """
        class Mine(Adam):
            def get_config(self): return {}
        o = Mine(1)  #: o optimizer proved
    """,
}


@pytest.mark.parametrize("code", [pytest.param(c, id=name) for name, c in CASES.items()])
def test_bindings(tmp_path: Path, code: str) -> None:
    path = write(tmp_path, code)
    assert reported(path) == marked(path.read_text())


def test_bindings_across_modules(tmp_path: Path) -> None:
    files = {
        "main.py": "from pkg import make, net\nimport pkg.train as t\n"
        "opt = make()  #: opt optimizer proved\nt.step(opt)\nx = net  #: x model proved\n",
        "pkg/__init__.py": "from .make import *\nfrom .net import net\n",
        "pkg/make.py": f"{HEAD}def make():\n    return Adam()\n",
        "pkg/net.py": f"{HEAD}net = tf.keras.Model()  #: net model proved\n",
        "pkg/train.py": "def step(o):  #: o optimizer proved\n    pass\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    project = Project([tmp_path])
    sigma = Sigma(interpret(project))
    for module in project.given:
        found = {(b.line, f"{b.expression} {b.role} {b.certainty.value}")
                 for b in sigma.bindings(module) if b.role != "tensorflow"}  # fmt: skip
        wanted = marked(module.path.read_text())
        if module.path.name == "main.py":
            wanted |= {(1, "net model proved")}
        elif module.path.parent == tmp_path / "pkg" and module.path.name == "__init__.py":
            wanted |= {(2, "net model proved")}
        assert found == wanted, module.path


@given(order=st.permutations(["a.py", "b.py", "c.py", "d.py"]))
@settings(max_examples=12, deadline=None)
def test_the_order_of_the_files_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, order: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("order")
    files = {
        "a.py": "import b\nfrom c import make\nopt = make()\nb.use(opt)\n",
        "b.py": "import d\ndef use(o):\n    d.last = o\n    return o\n",
        "c.py": f"{HEAD}from b import use\ndef make():\n    return use(Adam())\nx = make()\n",
        "d.py": f"{HEAD}last = None\ndef get():\n    m = last or tf.keras.Model()\n    return m\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    found = []
    for names in (sorted(files), order):
        project = Project([folder / name for name in names])
        sigma = Sigma(interpret(project))
        found.append({b for module in project.given for b in sigma.bindings(module)})
    assert found[0] == found[1]
    assert len(found[0]) == 8


def test_the_chain_leads_back_to_where_it_was_made(tmp_path: Path) -> None:
    path = write(tmp_path, """
        def make(rate):
            opt = Adam(rate)
            return opt
        class Trainer:
            def __init__(self, optimizer):
                self.optimizer = optimizer
            def step(self):
                opt = self.optimizer
        def main():
            trainer = Trainer(make(0.1))
            trainer.step()
        main()
    """)  # fmt: skip
    project = Project([path])
    bindings = Sigma(interpret(project)).bindings(project.given[0])
    (found,) = [b for b in bindings if b.scope == "Trainer.step"]
    assert [step.line for step in found.chain] == [10, 8, 7, 5, 4]
    assert found.chain[-1].text == "opt = Adam(rate)"
    assert (found.line, found.column) == (10, 9)


def test_the_chain_of_two_branches_names_both(tmp_path: Path) -> None:
    path = write(tmp_path, """
        if c:
            opt = Adam()
        else:
            opt = SGD()
        x = opt
    """)  # fmt: skip
    project = Project([path])
    bindings = Sigma(interpret(project)).bindings(project.given[0])
    assert {step.line for step in bindings[-1].chain} == {4, 6, 7}


LINES = """
x = Adam()
def f(m):
    # a comment

    with tf.GradientTape() as tape:
        y = m(1)
    o = SGD()
    y = 3
    return o
f(tf.keras.Model())
x = 1
"""


@pytest.mark.parametrize(
    ("line", "visible"),
    [
        (1, set()),
        (3, {"x"}),
        (4, {"x", "m"}),
        (6, {"x", "m"}),
        (7, {"x", "m", "tape"}),
        (8, {"x", "m", "tape"}),
        (9, {"x", "m", "tape", "o"}),
        (10, {"x", "m", "tape", "o"}),
        (12, {"x"}),
        (13, set()),
        (99, set()),
    ],
)
def test_what_is_visible_at_a_line(tmp_path: Path, line: int, visible: set[str]) -> None:
    path = write(tmp_path, LINES)
    project = Project([path])
    node, behind = statement_at(project.given[0], line)
    run = interpret(project, watched={id(node): behind})
    found = Sigma(run).at(run.visible[id(node)])
    assert {b.expression for b in found if b.role not in _LEFT_OUT} == visible


# Methods and functions that nobody calls may be called in any order, or by others.
UNORDERED = {
    "an exception between two statements": """
        o = Adam()  #: o optimizer proved
        try:
            o = 3
            risky()
            o = SGD()  #: o optimizer proved
        except ValueError:
            x = o  #: x optimizer assumed
    """,
    "a class by a name that is not known": """
        o = getattr(tf.keras.optimizers, name)(0.1)  #: o optimizer assumed
        d = getattr(tf.keras.datasets, name)()
    """,
    "the later method comes first": """
        class M(tf.keras.Model):
            def g(self):
                x = self.o  #: x optimizer assumed
            def __init__(self):
                self.o = Adam()  #: self.o optimizer proved
            def f(self):
                self.o = wrap()
    """,
    "a function changes a global": """
        o = Adam()  #: o optimizer proved
        def g():
            x = o  #: x optimizer assumed
        def f():
            global o
            o = wrap()
    """,
    "a function that was changed before": """
        o = Adam()  #: o optimizer proved
        def f():
            global o
            o = wrap()
        def g():
            x = o  #: x optimizer assumed
    """,
    "a decorator of a library that is not known": """
        from elsewhere import wrap
        @wrap
        def make():
            return Adam()
        x = make()  #: x optimizer assumed
    """,
    "a subclass stores something else": """
        class A:
            def __init__(self):
                self.o = Adam()  #: self.o optimizer proved
            def g(self):
                x = self.o  #: x optimizer assumed
        class B(A):
            def f(self):
                self.o = wrap()
    """,
    "a decorator that is not known": """
        @wrap
        def make():
            return Adam()
        x = make()  #: x optimizer assumed
        @wrap
        class N(tf.keras.Model): pass
        y = N()  #: y model assumed
    """,
    "a star import that may hide": """
        from tensorflow.keras import *
        y = Sequential()  #: y model assumed
        from elsewhere import *
        x = SGD()  #: x optimizer proved
        z = Sequential([])  #: z model assumed
    """,
    "a coroutine": """
        async def make():
            return Adam()
        x = make()
        async def main():
            y = await make()  #: y optimizer proved
            return y
        import asyncio
        z = asyncio.run(main())  #: z optimizer proved
    """,
    "a type parameter": """
        def f[Adam]():
            x = Adam()
    """,
}


@pytest.mark.parametrize("code", [pytest.param(c, id=name) for name, c in UNORDERED.items()])
def test_what_is_not_proved(tmp_path: Path, code: str) -> None:
    path = write(tmp_path, code)
    assert reported(path) == marked(path.read_text())


def test_a_parameter_is_not_proved_if_a_call_was_not_followed(tmp_path: Path) -> None:
    project = Project([write(tmp_path, "def last(o):\n    pass\nlast(Adam())\n")])
    run = interpret(project)
    (before,) = [b for b in Sigma(run).bindings(project.given[0]) if b.expression == "o"]
    assert before.certainty.value == "proved"
    (function,) = [scope for scope in project.given[0].scopes if scope.name == "last"]
    run.not_followed.add(id(function.node))
    (after,) = [b for b in Sigma(run).bindings(project.given[0]) if b.expression == "o"]
    assert after.certainty.value == "assumed"
    assert after.because == "not every call of the function was followed"


def test_functions_of_one_name_are_always_in_one_order(tmp_path: Path) -> None:
    """And not in that of their addresses, which differ from run to run."""
    project = Project([write(tmp_path, "def f(): pass\n" * 8)])
    run = interpret(project)
    nodes = [scope.node for scope in project.given[0].scopes if scope.kind == "function"]
    assert len(nodes) == 8
    functions = frozenset(Function(id(node), 0) for node in nodes)
    assert [found.node for found in run.in_order(functions)] == [id(node) for node in nodes]


def test_what_a_library_calls_comes_before_what_nobody_calls(tmp_path: Path) -> None:
    code = """
        def show(opt):  #: opt optimizer proved
            print(opt)
        def main(_):
            opt = Adam()  #: opt optimizer proved
            show(opt)
        tf.compat.v1.app.run(main)
    """
    path = write(tmp_path, code)
    assert reported(path) == marked(path.read_text())
