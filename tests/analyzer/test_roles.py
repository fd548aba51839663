"""Roles: σ says which expressions of a scope hold what, how surely, and from which lines."""

from __future__ import annotations

import pytest
from repository import MODEL, OPTIMIZER, Repository, Write

from pinsetter.analyzer.roles import RoleBinding, Roles
from pinsetter.analyzer.value import Certainty

ROLES = {
    "optimizer": [OPTIMIZER, "tensorflow.compat.v1.train.Optimizer"],
    "model": [MODEL],
    "tensorflow": ["tensorflow"],
}
TF = "import tensorflow as tf\n"


def sigma(repository: Repository, scope: str = "") -> set[RoleBinding]:
    module = repository.module()
    found = next(s for s in module.scopes if s.qualified_name == scope)
    return set(Roles(repository.evaluator, ROLES).in_scope(found, module))


def holding(repository: Repository, role: str, scope: str = "") -> set[tuple[str, str]]:
    found = sigma(repository, scope)
    return {(b.expression, b.certainty.value) for b in found if b.role == role}


@pytest.mark.parametrize(
    "code",
    [
        "",
        "opt = make()",
        "Optimizer = tf.keras.optimizers.Adam",
        "opt = tf.keras.optimizers",
        "opt = [tf.keras.optimizers.Adam()]",
        "del opt",
        "def f(opt): pass",
        "class A:\n    opt = tf.keras.optimizers.Adam()",
        "import opt",
        "opt: tf.keras.optimizers.Adam",
    ],
)
def test_nothing_holds_an_optimizer(write: Write, code: str) -> None:
    assert holding(write(f"{TF}{code}\n"), "optimizer") == set()


def test_a_local_name_is_no_binding_of_the_module(write: Write) -> None:
    repository = write(f"{TF}def f():\n    opt = tf.optimizers.Adam()\n")
    assert holding(repository, "optimizer") == set()
    assert holding(repository, "optimizer", "f") == {("opt", "proved")}


def test_a_role_holds_a_set(write: Write) -> None:
    repository = write(f"{TF}g = tf.optimizers.Adam()\nd, x = tf.optimizers.SGD(), 1\nx = g\n")
    assert holding(repository, "optimizer") == {
        ("g", "proved"), ("d", "proved"), ("x", "possible")
    }  # fmt: skip


def test_the_module_is_a_role_too(write: Write) -> None:
    assert holding(write(TF), "tensorflow") == {("tf", "proved")}


def test_a_maybe_is_possible_and_names_all_its_lines(write: Write) -> None:
    repository = write(f"{TF}opt = tf.optimizers.Adam()\nif a:\n    opt = wrap(opt)\n")
    wanted = RoleBinding("optimizer", "opt", Certainty.POSSIBLE, (2, 4))
    assert {b for b in sigma(repository) if b.role == "optimizer"} == {wanted}


def test_attributes_of_self_belong_to_the_class(write: Write) -> None:
    code = """
        import tensorflow as tf
        class Gan:
            def __init__(self, make):
                self.g, self.d = tf.optimizers.Adam(), tf.optimizers.SGD()
                self.other = make()
                self.net: object = tf.keras.Sequential([])
    """
    repository = write(code)
    assert holding(repository, "optimizer") == set()
    assert holding(repository, "optimizer", "Gan.__init__") == set()
    assert holding(repository, "optimizer", "Gan") == {("self.g", "proved"), ("self.d", "proved")}
    assert holding(repository, "model", "Gan") == {("self.net", "proved")}
