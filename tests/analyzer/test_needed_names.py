"""What must be said in bytes, in whatever way Python lets it be said."""

from __future__ import annotations

import pytest

from pinsetter.analyzer.files.import_text import import_text
from pinsetter.analyzer.files.needed_names import NeededNames

NEEDED = NeededNames([".fit|.minimize", "gradients assign|assign_add", "keyword="])


def seen(text: str) -> set[str]:
    data = text.encode()
    return set(NEEDED.seen_in(data, import_text(data)))


def spelled(text: str) -> set[str]:
    data = text.encode()
    imports = import_text(data)
    return set(NEEDED.spelled_in(data, imports, NEEDED.seen_in(data, imports)))


@pytest.mark.parametrize(
    "text",
    [
        "fit(x)\n",
        "from m import fit\n",
        "model.fitted(x)\n",
        "model.refit(x)\n",
        "fit.model(x)\n",
        "assign = 1\n",
        "gradients = assign_to()\n",
        "'the gradients'\n",
        "keyword(x)\n",
        "x.keyword\n",
        "my_keyword = 1\n",
        "",
    ],
)
def test_what_is_not_said(text: str) -> None:
    assert seen(text) == set()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("model.fit(x)\n", ".fit"),
        ("f = model.fit\n", ".fit"),
        ("model . fit (x)\n", ".fit"),
        ("(model\n    .fit(x))\n", ".fit"),
        ("model.\\\n    fit(x)\n", ".fit"),
        ("(model.  # then\n    # and then\n    fit(x))\n", ".fit"),
        ("(model.  # then\r    fit(x))\r", ".fit"),
        ("f'{model.fit(x)}'\n", ".fit"),
        ("tf.gradients(y, x)\n", "gradients"),
        ("from tensorflow import gradients as g\n", "gradients"),
        ("from tensorflow import (\n    assign,\n    gradients,  # of\n)\n", "gradients"),
        ("import tensorflow.gradients\n", "gradients"),
        ("getattr(tf, 'gradients')(y, x)\n", "gradients"),
        ('getattr(tf, r"""gradients""")(y, x)\n', "gradients"),
        ("from tensorflow import *\ny = gradients(y, x)\n", "gradients"),
        ("f(keyword=1)\n", "keyword="),
        ("f(keyword = 1)\n", "keyword="),
        ("f(keyword  # is\n  =1)\n", "keyword="),
    ],
)
def test_what_is_said(text: str, name: str) -> None:
    assert name in seen(text)
    assert name in spelled(text)


@pytest.mark.parametrize(
    "text",
    [
        "# model.fit(x), and from tensorflow import gradients\n",
        '"""Call model.fit(x, keyword=1) for that."""\n',
        "print('tensorflow.gradients(y, x)')\n",
        "x = 'tensorflow.gradients'\n",
        "from importlib import import_module\nx = shown('tensorflow.gradients')\n",
        "keyword = 1\n",
        "if keyword == 1: pass\n",
    ],
)
def test_what_is_only_spoken_of(text: str) -> None:
    assert seen(text) != set()
    assert spelled(text) == set()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "from importlib import import_module\nimport_module('tensorflow.gradients')\n",
            "gradients",
        ),
        ("print 'python 2'\nmodel.fit(x)\n", ".fit"),
        ("\ufeff# -*- coding: utf-8 -*-\nmodel.fit(x)\n", ".fit"),
    ],
)
def test_what_is_said_in_some_other_way(text: str, name: str) -> None:
    assert name in spelled(text)


@pytest.mark.parametrize(
    ("names", "enough"),
    [
        ([], False),
        (["gradients"], False),
        (["assign", "assign_add"], False),
        (["gradients", "assign_add"], True),
        ([".minimize"], True),
        (["keyword="], True),
    ],
)
def test_what_is_enough(names: list[str], enough: bool) -> None:
    assert NEEDED.suffice(names) is enough


def test_where_nothing_is_needed() -> None:
    assert NeededNames([]).suffice([])
    assert NeededNames([]).seen_in(b"model.fit(x)", b"") == frozenset()
