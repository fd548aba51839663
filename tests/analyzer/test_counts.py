"""Counts: which names all readers take for the steps, or rounds, of one worker; ``total`` here."""

from __future__ import annotations

import textwrap

import pytest
from fissix.pygram import python_symbols as symbols
from repository import Repository, Write

from pinsetter.analyzer.domains.tensorflow.step_counts import step_counts
from pinsetter.analyzer.syntax.tree import is_name, walk

HEAD = """\
import tensorflow as tf
optimizer = tf.keras.optimizers.SGD(0.1)
def step():
    optimizer.apply_gradients(next(batches))
"""


def program(write: Write, code: str) -> Repository:
    return write(HEAD + textwrap.dedent(code))


def kind(repository: Repository) -> str | None:
    """What the name, or attribute, that some ``for`` counts by holds."""
    module = repository.module()
    for node in walk(module.tree.root):
        is_read = is_name(node) or node.type == symbols.power
        if is_read and module.tree.source((node,)) in ("total", "self.total"):
            found = repository.facts.of(step_counts).set_at(node, module)
            if found is not None:
                return found[1]
    return None


NOT_SET = {
    "only the loop reads it": """
        total = 100
        for i in range(total):
            step()
        """,
    "nothing trains": """
        total = 100
        for i in range(total):
            print(i / total)
        """,
    "a parameter": """
        def run(total):
            for i in range(total):
                step()
                print(i / total)
        run(100)
        """,
    "set twice": """
        total = 100
        total = 200
        for i in range(total):
            step()
            print(i / total)
        """,
    "unpacked": """
        total, other = 100, 200
        for i in range(total):
            step()
            print(i / total)
        """,
    "it is the size of something": """
        total = 100
        losses = [None] * total
        for i in range(total):
            step()
            print(i / total)
        """,
    "it is handed over": """
        total = 100
        for i in range(total):
            step()
            report(i / total)
            use(total)
        """,
    "it counts a loop that does not train": """
        total = 100
        for i in range(total):
            step()
            print(i, total)
        for i in range(total):
            check(i)
        """,
    "a batch is computed by it": """
        total = 100
        size = samples // total
        for i in range(total):
            step()
            print(i, total)
        """,
    "something else is multiplied by it": """
        total = 100
        for i in range(total):
            step()
            print(i, total)
        seen = 32 * total
        """,
    "an attribute that others read": """
        class Trainer:
            def __init__(self):
                self.total = 100
            def run(self):
                for i in range(self.total):
                    step()
                    print(i, self.total)
        print(Trainer().total)
        """,
    "an attribute that others set": """
        class Trainer:
            def __init__(self):
                self.total = 100
            def run(self):
                for i in range(self.total):
                    step()
                    print(i, self.total)
        trainer = Trainer()
        trainer.total = 3
        """,
}


@pytest.mark.parametrize("code", NOT_SET.values(), ids=NOT_SET)
def test_what_is_not_all_about_steps(write: Write, code: str) -> None:
    assert kind(program(write, code)) is None


def test_a_name_that_another_module_reads(write: Write) -> None:
    code = "total = 100\nfor i in range(total):\n    step()\n    print(i, total)\n"
    other = "from main import total\n"
    assert kind(write({"main.py": HEAD + code, "other.py": other})) is None


SET = {
    "an average in the loop": """
        total = 100
        for i in range(total):
            loss = step()
            mean += loss / total
        """,
    "what is computed there, divided at once": """
        total = 100
        for i in range(total):
            mean += step() / float(total)
        """,
    "an average behind the loop": """
        total = 100
        loss = 0
        for i in range(total):
            loss += step()
        loss /= total
        """,
    "a comparison, a rest": """
        total = 100
        for i in range(1, total + 1):
            step()
            if i == total - 1 or i % (total // 10) == 0:
                save()
        """,
    "what is printed": """
        total = 100
        for i in range(total):
            step()
            print(f"{i} of {total}")
            logger.info("%d of %d", i, total)
        """,
    "a schedule": """
        total = 100
        rate = tf.keras.optimizers.schedules.PolynomialDecay(0.1, total * 3)
        for i in range(0, total):
            step()
        """,
    "take": """
        total = 100
        for i, x in enumerate(data.take(total)):
            step()
            print(i / total)
        """,
    "in a function": """
        def run(samples):
            total = int(samples / 32)
            for i in range(total):
                loss = step()
                mean += loss / total
        """,
    "an attribute": """
        class Trainer:
            def __init__(self, samples):
                self.total = samples // 32
            def run(self):
                loss = 0
                for i in range(self.total):
                    loss += step()
                return loss / self.total
        """,
}


@pytest.mark.parametrize("code", SET.values(), ids=SET)
def test_what_is_all_about_the_steps_of_a_worker(write: Write, code: str) -> None:
    assert kind(program(write, code)) == "steps"


def test_rounds(write: Write) -> None:
    code = """
        total = 10
        for epoch in range(total):
            for x in data:
                step()
            print(epoch, "of", total)
        """
    assert kind(program(write, code)) == "rounds"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("for i in range(n):\n    step()\n", []),
        ("for i in range(n):\n    step()\nfor j in range(n):\n    step()\n", []),
        ("for i in range(n):\n    step()\nprint(m, a.n, f(n=1))\n", []),
        ("for i in range(n):\n    step()\nprint(n)\n", [7]),
        ("for i in range(a.n):\n    step()\n    use(a.n)\nprint(a.n)\n", [7, 8]),
        ("for i in range(a.n):\n    step()\nprint(b.n, a.n.m)\n", [7]),
        ("for i in range(len(x)):\n    step()\nprint(len(x))\nuse(len(x))\n", [7]),
        (
            "for i in range(len(x) // 2):\n    mean += step() / (len(x) // 2)\nuse(len(x) // 2)\n",
            [6],
        ),
        ("def run(n):\n    for i in range(n):\n        step()\n    use(n)\nuse(n)\n", [8]),
    ],
)
def test_where_else_a_number_of_steps_is_read(write: Write, code: str, lines: list[int]) -> None:
    repository = program(write, code)
    call = repository.call("range")
    counts = repository.facts.of(step_counts)
    assert counts.elsewhere((call.arguments[0].value,), repository.module()) == lines
