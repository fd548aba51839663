"""What has a role where it is read: proved, assumed with a reason, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from fissix.pygram import python_symbols as symbols
from test_sigma import CASES, NOTHING, UNORDERED, write

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.roles.role import Verdict, default_roles
from pinsetter.analyzer.syntax.tree import LN, is_name
from pinsetter.analyzer.values.value import Certainty

ROLES = {role.name: role for role in default_roles()}


def facts_of(folder: Path, code: str) -> Facts:
    return Facts(Project([write(folder, code)]))


def verdict(folder: Path, code: str, role: str) -> Verdict:
    """That of the argument of ``probe``."""
    facts = facts_of(folder, code)
    module = facts.project.given[0]
    (call,) = (c for c in module.tree.calls if str(c.callee[-1]).strip() == "probe")
    return facts.roles.of((call.arguments[0].value,), module, ROLES[role])


NONE = {
    "a class": ("probe(Adam)", "optimizer"),
    "another role": ("m = tf.keras.Sequential()\nprobe(m)", "optimizer"),
    "nothing known": ("probe(x)", "optimizer"),
    "nothing asked": ("def f(o):\n    probe(o)\n    o.lr = 1", "optimizer"),
    "an own class": (
        "class Adam:\n    def minimize(self): pass\no = Adam()\no.minimize()\nprobe(o)",
        "optimizer",
    ),
    "another name is asked": ("def f(o, p):\n    probe(o)\n    p.apply_gradients(x)", "optimizer"),
    "it was bound anew": (
        "def f(o):\n    probe(o)\n    o = g()\n    o.apply_gradients(x)",
        "optimizer",
    ),
    "asked, not called": ("def f(o):\n    probe(o)\n    o.apply_gradients", "optimizer"),
    "given to another parameter": ("def f(o):\n    probe(o)\n    m.compile(loss=o)", "optimizer"),
    "an attribute of another object": ("probe(o.x)\no.x.apply_gradients(x)", "optimizer"),
    "a number": ("o = 1\nprobe(o)", "optimizer"),
    "a list of others": ("probe([1, 2])", "callback_list"),
    "another module": ("import json\nprobe(json)", "tensorflow"),
}


@pytest.mark.parametrize(("code", "role"), NONE.values(), ids=NONE)
def test_it_has_no_role(tmp_path: Path, code: str, role: str) -> None:
    assert not verdict(tmp_path, code, role).certainty


PROVED = {
    "a name": ("o = Adam()\nprobe(o)", "optimizer"),
    "a call": ("probe(Adam())", "optimizer"),
    "an attribute": (
        "class A:\n    def __init__(self):\n        self.o = Adam()\n"
        "    def f(self):\n        probe(self.o)",
        "optimizer",
    ),
    "all calls": ("def f(o):\n    probe(o)\nf(Adam())\nf(SGD())", "optimizer"),
    "a subclass": ("class A(Adam): pass\nprobe(A())", "optimizer"),
    "a module": ("probe(tf)", "tensorflow"),
    "a list": ("probe([tf.keras.callbacks.EarlyStopping()])", "callback_list"),
}


@pytest.mark.parametrize(("code", "role"), PROVED.values(), ids=PROVED)
def test_it_is_proved(tmp_path: Path, code: str, role: str) -> None:
    assert verdict(tmp_path, code, role) == Verdict(Certainty.PROVED)


ASSUMED = {
    "one of two": ("o = Adam() if x else None\nprobe(o)", "optimizer",
                   "it may be something else, too"),
    "asked for": ("def f(o):\n    probe(o)\n    o.apply_gradients(x)", "optimizer",
                  "it is asked for .apply_gradients() in line 5"),
    "asked for before": ("def f(m):\n    m.layers\n    probe(m)", "model",
                         "it is asked for .layers in line 4"),
    "asked by another function": (
        "def g(p):\n    p.minimize(x)\ndef f(o):\n    g(o)\n    probe(o)", "optimizer",
        "it is asked for .minimize() in line 4"),
    "given to": ("def f(o):\n    probe(o)\n    m.compile(optimizer=o)", "optimizer",
                 "it is given to compile in line 5"),
    "given by position": ("def f(o):\n    probe(o)\n    m.compile(o)", "optimizer",
                          "it is given to compile in line 5"),
    "an attribute": (
        "class A:\n    def __init__(self, o):\n        self.o = o\n"
        "    def f(self):\n        probe(self.o)\n"
        "    def g(self):\n        self.o.minimize(x)",
        "optimizer", "it is asked for .minimize() in line 9"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "role", "because"), ASSUMED.values(), ids=ASSUMED)
def test_it_is_assumed(tmp_path: Path, code: str, role: str, because: str) -> None:
    assert verdict(tmp_path, code, role) == Verdict(Certainty.POSSIBLE, because)


def test_what_is_proved_where_it_is_read_is_no_news_to_sigma(tmp_path: Path) -> None:
    proved = 0
    for number, code in enumerate([*NOTHING, *CASES.values(), *UNORDERED.values()]):
        (folder := tmp_path / str(number)).mkdir()
        facts = facts_of(folder, code)
        module = facts.project.given[0]
        known = {(b.expression, b.role) for b in facts.sigma.bindings(module)}
        for node in module.tree.nodes():
            for role in ROLES.values() if is_name(node) and _is_read(node) else ():
                if node.value == "self":
                    continue  # which σ does not list
                if facts.roles.of((node,), module, role) == Verdict(Certainty.PROVED):
                    assert (node.value, role.name) in known, (code, module.tree.line_of(node))
                    proved += 1
    assert proved > 20


def _is_read(leaf: LN) -> bool:
    """Whether a name is a value: of an assignment, an argument, or what is asked for something."""
    before, after = leaf.prev_sibling, leaf.next_sibling
    assigned = before is not None and str(before).strip() == "=" and after is None
    given = before is not None and str(before).strip() == "(" and str(after).strip() == ")"
    asked = before is None and after is not None and after.type == symbols.trailer
    return assigned or given or asked
