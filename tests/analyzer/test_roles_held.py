"""What has a role where it is read: proved, assumed with a reason, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fissix.pygram import python_symbols as symbols
from test_sigma import CASES, NOTHING, UNORDERED, write

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.roles.role import Verdict, default_roles
from pinsetter.analyzer.syntax.tree import LN, Expression, dotted, is_name
from pinsetter.analyzer.values.value import Certainty

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "programs"
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
    "an own class of own bases": (
        "class Base:\n    pass\nclass Own(Base):\n    pass\no = Own()\no.minimize()\nprobe(o)",
        "optimizer",
    ),
    "a base that is not known": (
        "from lib import Base\nclass Own(Base):\n    pass\no = Own()\nprobe(o)",
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
    "what has it": ("def f(o):\n    probe(o)\n    o.part.apply_gradients(x)", "optimizer"),
    "what is made of it": (
        "def make(o):\n    return o.part\ndef f(o):\n    probe(o)\n    p = make(o)\n"
        "    p.apply_gradients(x)",
        "optimizer",
    ),
    "its result": ("def f(o):\n    probe(o)\n    o().minimize(x)", "optimizer"),
    "a list that has it": ("def f(o):\n    probe(o)\n    [o].minimize(x)", "optimizer"),
    "an item of it": (
        "def f(o):\n    probe(o)\n    for p in o:\n        p.minimize(x)",
        "optimizer",
    ),
    "one of its parts": ("def f(o):\n    probe(o)\n    p, q = o\n    p.minimize(x)", "optimizer"),
    "the rest of it": ("def f(o):\n    probe(o)\n    p, *q = o\n    q.minimize(x)", "optimizer"),
    "a sum": ("def f(o):\n    probe(o)\n    p = o + 1\n    p.minimize(x)", "optimizer"),
    "where it is asked": ("def f(o):\n    probe(o)\n    (p if o else q).minimize(x)", "optimizer"),
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
    **{
        f"all ways return: {body}": (f"def make(n):\n{body}\nprobe(make(x))", "optimizer")
        for body in (
            "    if n:\n        return Adam()\n    elif x:\n        return SGD()\n"
            "    else:\n        raise ValueError(n)",
            "    if n:\n        return Adam()\n    import sys\n    sys.exit(1)",
            "    with tf.device(n):\n        if n: return Adam()\n        else: return SGD()",
            "    try:\n        return Adam()\n    except ValueError:\n        exit()",
            "    while True:\n        if n():\n            return Adam()",
            "    def inner():\n        return\n    return Adam(inner)",
            "    for i in n:\n        try_it(i)\n    return Adam()",
        )
    },
}


@pytest.mark.parametrize(("code", "role"), PROVED.values(), ids=PROVED)
def test_it_is_proved(tmp_path: Path, code: str, role: str) -> None:
    assert verdict(tmp_path, code, role) == Verdict(Certainty.PROVED)


ASSUMED = {
    "another name": ("def f(o):\n    probe(o)\n    (p) = o\n    p.minimize(x)", "optimizer",
                     "it is asked for .minimize() in line 6"),
    "out of a tuple": ("def f(o):\n    probe(o)\n    p = (1, o)\n    q, r = p\n    r.minimize(x)",
                       "optimizer", "it is asked for .minimize() in line 7"),
    "with": ("def f(o):\n    probe(o)\n    with o as p:\n        p.gradient(x)", "tape",
             "it is asked for .gradient() in line 6"),
    "a choice": ("def f(o):\n    probe(o)\n    p = o if x else None\n    p.minimize(x)",
                 "optimizer", "it is asked for .minimize() in line 6"),
    "what a function gives back": (
        "def same(p):\n    return p\ndef f(o):\n    probe(o)\n    same(o).minimize(x)", "optimizer",
        "it is asked for .minimize() in line 7"),
    "one of two": ("o = Adam() if x else None\nprobe(o)", "optimizer",
                   "it may be something else, too"),
    **{
        f"one way returns nothing: {body}": (
            f"def make(n):\n{body}\nprobe(make(x))", "optimizer",
            "it may be something else, too")
        for body in (
            "    if n:\n        return Adam()\n    elif x:\n        return SGD()",
            "    if not n:\n        return\n    return Adam()",
            "    if not n: return None\n    return Adam()",
            "    for i in n:\n        return Adam()",
            "    while n():\n        return Adam()",
            "    while True:\n        if n(): break\n        return Adam()",
            "    try:\n        return Adam()\n    except ValueError:\n        print(n)",
            "    with n:\n        if n: return Adam()",
        )
    },
    "asked for": ("def f(o):\n    probe(o)\n    o.apply_gradients(x)", "optimizer",
                  "it is asked for .apply_gradients() in line 5"),
    "asked for, by a base that is not known": (
        "from lib import Base\nclass Own(Base):\n    pass\no = Own()\no.minimize(x)\nprobe(o)",
        "optimizer", "it is asked for .minimize() in line 7"),
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
        known = {
            (b.expression, b.role)
            for b in facts.sigma.bindings(module)
            if b.certainty is Certainty.PROVED
        }
        for node in module.tree.nodes():
            for role in ROLES.values() if is_name(node) and _is_read(node) else ():
                if node.value == "self":
                    continue  # which σ does not list
                if facts.roles.of((node,), module, role) == Verdict(Certainty.PROVED):
                    assert (node.value, role.name) in known, (code, module.tree.line_of(node))
                    proved += 1
    assert proved > 20


PROGRAMS = [folder for folder in FIXTURES.iterdir() if folder.is_dir()]


@pytest.mark.parametrize("folder", sorted(PROGRAMS), ids=lambda folder: folder.name)
def test_rules_and_facts_say_the_same_of_what_programs_read(folder: Path) -> None:
    """What a rule proves σ proves, what it assumes σ knows, and what σ proves no rule denies."""
    facts = Facts(Project([folder]))
    for module in facts.project.given:
        known: dict[tuple[str, str], set[Certainty]] = {}
        for binding in facts.sigma.bindings(module):
            # An attribute of `self` is the same in other methods.
            scope = "" if "." in binding.expression else binding.scope
            known.setdefault((f"{scope} {binding.expression}", binding.role), set()).add(
                binding.certainty
            )
        stored = {binding.name for binding in module.scopes.attributes}
        for expression in _read_in(module):
            if len(expression) > 1 and dotted(expression)[-1] not in stored:
                continue  # a library's class has it; σ is of what programs bind
            owner = module.scope_of(expression[0]).owner(str(expression[0]).strip())
            scope = owner.qualified_name if owner is not None and len(expression) == 1 else ""
            text = f"{scope} {module.tree.source(expression)}"
            for role in ROLES.values():
                verdict = facts.roles.of(expression, module, role)
                by_sigma = known.get((text, role.name), set())
                place = (text, role.name, f"{module.path}:{module.tree.line_of(expression[0])}")
                if verdict.certainty is Certainty.PROVED:
                    assert Certainty.PROVED in by_sigma, place
                elif verdict.certainty is Certainty.POSSIBLE:
                    assert by_sigma, (place, verdict.because)
                else:
                    assert Certainty.PROVED not in by_sigma, place


def _read_in(module: Module) -> Iterator[Expression]:
    """The names and the attributes of ``self`` that a module reads."""
    for node in module.tree.nodes():
        if is_name(node) and _is_read(node) and node.value != "self":
            yield (node,)
        elif node.type == symbols.power and len(node.children) > 2:
            head = (node.children[0], node.children[1])
            if len(dotted(head)) == 2 and str(head[0]).strip() == "self":
                yield head


def _is_read(leaf: LN) -> bool:
    """Whether a name is a value: of an assignment, an argument, or what is asked for something."""
    before, after = leaf.prev_sibling, leaf.next_sibling
    assigned = before is not None and str(before).strip() == "=" and after is None
    given = before is not None and str(before).strip() == "(" and str(after).strip() == ")"
    asked = before is None and after is not None and after.type == symbols.trailer
    return assigned or given or asked
