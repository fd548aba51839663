"""Effects: what evaluating code does besides giving a value."""

from __future__ import annotations

import textwrap

import pytest
from repository import Repository, Write

from pinsetter.analyzer.effects.effect_analysis import Effects

HEAD = "import json, math, os, random, time\nimport numpy as np\nimport tensorflow as tf\n"


def effects(repository: Repository) -> Effects:
    return repository.facts.effects.of(repository.probe()[0], repository.module())


def of(write: Write, code: str) -> Effects:
    return effects(write(HEAD + textwrap.dedent(code) + "\n"))


@pytest.mark.parametrize(
    "expression",
    [
        "1",
        "x",
        "x.y[0]",
        "'a' % b",
        "f'{x}'",
        "[a + b for a in c]",
        "len(x)",
        "str(int(x))",
        "math.sqrt(x)",
        "np.mean(x)",
        "time.time()",
        "json.dumps(x)",
        "os.path.join(a, b)",
        "'{}'.format(x)",
        "x.numpy()",
        "metric.result().numpy()",
        "tf.reduce_mean(x)",
        "lambda: print(x)",
        "lambda: x.append(y)",
    ],
)
def test_what_has_no_effect(write: Write, expression: str) -> None:
    assert of(write, f"probe({expression})") == Effects()


@pytest.mark.parametrize(
    ("expression", "unknown"),
    [
        ("foo.bar(x)", "foo.bar"),
        ("x[0](y)", "x[0]"),
        ("x().y.z(1)", "x().y.z"),
        ("other.run()", "other.run"),
        ("f'{x[0](y)}'", "x[0]"),
        ("f'{x:{ foo[0] (y)}}'", "foo[0]"),
    ],
)
def test_unknown_calls_are_named(write: Write, expression: str, unknown: str) -> None:
    found = of(write, f"foo = make(); x = make()\nimport other\nprobe({expression})")
    assert unknown in found.unknown


@pytest.mark.parametrize(
    ("expression", "kinds"),
    [
        ("print(x)", {"prints"}),
        ("[print(y) for y in x]", {"prints"}),
        ("tf.print(x)", {"prints"}),
        ("np.save('a', x)", {"writes"}),
        ("next(x)", {"state"}),
        ("x.append(y)", {"state"}),
        ("metric.update_state(x)", {"state"}),
        ("tf.keras.metrics.Mean()(x)", {"state", "creates_variables"}),
        ("tf.Variable(1).assign(2)", {"state", "creates_variables"}),
        ("tf.keras.Sequential([])(x)", {"creates_variables"}),
        ("tf.keras.layers.Dense(1)(x)", {"creates_variables"}),
        ("tf.random.normal([2])", {"random"}),
        ("np.random.rand(2) + random.random()", {"random"}),
        ("tf.saved_model.save(x, y)", {"writes"}),
        ("random.seed(1)", {"state"}),
        ("(y := 1)", {"state"}),
        ("f(z := 1)", {"state"}),
        ("len(x.pop())", {"state"}),
        ("str(print(x.pop()))", {"prints", "state"}),
    ],
)
def test_effects_of_expressions(write: Write, expression: str, kinds: set[str]) -> None:
    assert of(write, f"probe({expression})").kinds == kinds


def test_collectives(write: Write) -> None:
    code = "import horovod.tensorflow as hvd\nprobe({})"
    assert of(write, code.format("hvd.allreduce(x)")).kinds == {"collective"}
    assert of(write, code.format("hvd.rank() + hvd.size()")) == Effects()


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("return 1", set()),
        ("a = 1\n    return a", set()),
        ("return [a for a in x]", set()),
        ("return lambda: print(1)", set()),
        ("def g(): pass\n    return g", set()),
        ("print(x)", {"prints"}),
        ("return h()", {"prints"}),
        ("x.y = 1", {"state"}),
        ("x[0] = 1", {"state"}),
        ("x.y += 1", {"state"}),
        ("del x[0]", {"state"}),
        ("x.y, z = 1, 2", {"state"}),
        ("x.y: int = 1", {"state"}),
        ("for x.y in z: pass", {"state"}),
        ("with z as x.y: pass", {"state"}),
        ("global z\n    z = 1", {"state"}),
        ("match x:\n        case {'a': y, **z}: return y", set()),
        ("type A = int", set()),
        ("match x:\n        case 1: print(x)", {"prints"}),
        ("match x.pop():\n        case 1: pass", {"state"}),
        ("match x:\n        case 1 if print(x): pass", {"prints"}),
        ("try: pass\n    except* A: print(x)", {"prints"}),
        ("with (z as x.y, a): pass", {"state"}),
        ("yield 1", {"state"}),
        ("return f(x)", set()),
    ],
)
def test_effects_of_the_repositorys_functions(write: Write, body: str, kinds: set[str]) -> None:
    code = f"def h():\n    print(1)\ndef f(x=None):\n    {body}\nprobe(f())"
    assert of(write, code).kinds == kinds


def test_effects_of_methods(write: Write) -> None:
    code = """
        class A:
            def __init__(self):
                self.x = 1
            def get(self):
                return self.x
            def set(self):
                self.x = 2
        a = A()
        probe(a.get())
        probe(a.set())
        probe(A())
    """
    repository = write(code)
    module = repository.module()
    kinds = [
        set(repository.facts.effects.of(repository.probe(nth=n)[0], module).kinds) for n in range(3)
    ]
    assert kinds == [set(), {"state"}, set()]


def test_functions_that_call_each_other(write: Write) -> None:
    code = """
        def a(n):
            return b(n - 1) if n else 0
        def b(n):
            print(n)
            return a(n)
        probe(a(3))
        probe(b(3))
    """
    repository = write(code)
    module = repository.module()
    for n in range(2):
        found = repository.facts.effects.of(repository.probe(nth=n)[0], module)
        assert found.kinds == {"prints"}


@pytest.mark.parametrize(
    ("expression", "changes"),
    [
        ("f'{len(x)} {x!r}'", False),
        ("'{train()}'", False),
        ("f'{{train()}}'", False),
        ("f'{len(x):>{max(x)}}'", False),
        ("f'{train()}'", True),
        ("f'{x:{train()}}'", True),
        ("rf'{d[train()]=}'", True),
        ("t'{len(x)}'", False),
        ("f'{len(x)=}' f'{len(x) = !r:>3}'", False),
        ("f'{x!r}{{train()}}'", False),
        ('f"{d["train()"]}"', False),
        ("f'''{\nlen(x) # train()\n}'''", False),
        ("f'{x:{len(x)}.{len(x)}}'", False),
        ("f'{x:train()}'", False),
        ("t'{train()}'", True),
        ("T'{x:{train()}}'", True),
        ("f'{d['a']}{train()}'", True),
        ("f'{f'{train()}'}'", True),
        ("f'{'}'}{train()}'", True),
        ("f'''{\n# }\ntrain()  # why\n}'''", True),
        ("f'{(lambda: 1)}{train()!r:>10}'", True),
        ("f'{a != train()}'", True),
        ("f'{(y:=1)}'", True),
        ("f'{a b}'", True),
    ],
)
def test_calls_inside_fstrings_count(write: Write, expression: str, changes: bool) -> None:
    code = f"steps = []\ndef train():\n    steps.append(1)\nprobe({expression})"
    assert ("state" in of(write, code).kinds) == changes
