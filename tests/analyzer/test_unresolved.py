"""What nothing is known of: not what is read from a module, nor a method, nor a known instance."""

from __future__ import annotations

import pytest
from repository import Write

from pinsetter.analyzer.values.unresolved import foreign, unresolved

HEAD = """\
import argparse, collections, threading
import tensorflow as tf
import lib
from lib import thing
class Own: pass
class Net(lib.Base):
    def run(self):
        {}
class Worker(threading.Thread):
    def run(self):
        {}
class Block(tf.Module):
    def run(self):
        {}
class Keeping(tf.keras.callbacks.Callback):
    def run(self):
        {}
class Parts(collections.namedtuple("Parts", "first second")): pass
class Table(dict):
    def run(self):
        {}
"""
KNOWN = [
    "Own()", "tf.keras.Sequential()", "lib", "lib.thing", "thing", "3", "tf.keras.layers",
    "tf.keras.optimizers", "tf.keras.Model", "Block()", "Table()", "Parts(1, 2)",
]  # fmt: skip
UNKNOWN = [
    "nothing", "nothing.at_all", "lib.make()", "thing.make()", "Net()", "Net().other",
    "Parts(1, 2).first", "argparse.ArgumentParser().parse_args().model", "Own() if x else Net()",
    "Block().net", "Worker().net", "Table().net",
]  # fmt: skip


def found(write: Write, code: str) -> bool:
    repository = write(HEAD.replace("{}", "pass") + f"probe({code})\n")
    module = repository.facts.project.given[0]
    (call,) = (c for c in module.tree.calls if str(c.callee[-1]).strip() == "probe")
    return unresolved((call.arguments[0].value,), module, repository.facts.evaluator)


@pytest.mark.parametrize("code", KNOWN)
def test_what_is_known(write: Write, code: str) -> None:
    assert not found(write, code)


@pytest.mark.parametrize("code", UNKNOWN)
def test_what_is_not_known(write: Write, code: str) -> None:
    assert found(write, code)


@pytest.mark.parametrize(
    ("cls", "known"),
    [("Net", False), ("Worker", False), ("Block", False), ("Keeping", True), ("Table", False)],
)
def test_an_attribute_that_a_base_may_have_set(write: Write, cls: str, known: bool) -> None:
    lines = HEAD.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(f"class {cls}("))
    lines[at + 2] = "        probe(self.model)"
    repository = write("\n".join(lines).replace("{}", "pass") + "\n")
    module = repository.facts.project.given[0]
    (call,) = (c for c in module.tree.calls if str(c.callee[-1]).strip() == "probe")
    evaluator = repository.facts.evaluator
    assert unresolved((call.arguments[0].value,), module, evaluator) != known


def test_a_method_that_is_called_is_no_object(write: Write) -> None:
    repository = write(HEAD.replace("{}", "self.start(1)") + "Net().start(1)\n")
    module = repository.facts.project.given[0]
    calls = [c for c in module.tree.calls if c.method == "start"]
    evaluator = repository.facts.evaluator
    assert len(calls) == 6
    assert not any(unresolved(call.callee, module, evaluator) for call in calls)


@pytest.mark.parametrize(("given", "expected"), [("", True), ("f('c')\nf(None)\n", False)])
def test_a_default_beside_what_is_not_known(write: Write, given: str, expected: bool) -> None:
    code = f"def f(one='a'):\n    probe(one)\n{given}"
    module = (repository := write(code)).facts.project.given[0]
    (call,) = (c for c in module.tree.calls if str(c.callee[-1]).strip() == "probe")
    evaluator = repository.facts.evaluator
    assert unresolved((call.arguments[0].value,), module, evaluator) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [("lib.thing", True), ("thing", True), ("threading.Thread", False), ("Own", False),
     ("tf.Module", False), ("lib", True), ("len", False)],
)  # fmt: skip
def test_foreign(write: Write, code: str, expected: bool) -> None:
    repository = write(HEAD.replace("{}", "pass") + f"probe({code})\n")
    module = repository.facts.project.given[0]
    (call,) = (c for c in module.tree.calls if str(c.callee[-1]).strip() == "probe")
    evaluator = repository.facts.evaluator
    values = evaluator.evaluate((call.arguments[0].value,), module)
    assert values.items
    assert all(foreign(value, evaluator) == expected for value in values.items)


@pytest.mark.parametrize(("base", "expected"), [("object", False), ("Any", True)])
def test_object_behind_a_star_import(write: Write, base: str, expected: bool) -> None:
    repository = write(f"from anywhere import *\nclass A({base}): pass\nprobe(A())\n")
    module = repository.facts.project.given[0]
    (call,) = (c for c in module.tree.calls if str(c.callee[-1]).strip() == "probe")
    evaluator = repository.facts.evaluator
    assert unresolved((call.arguments[0].value,), module, evaluator) == expected
