"""Models that have their variables before they are trained."""

from __future__ import annotations

import pytest
from snippets import rewritten

HEAD = (
    "import tensorflow as tf\nfrom tensorflow import keras\nfrom tensorflow.keras import layers\n"
)


def is_built(code: str) -> bool:
    rule = {
        "match": "use($x)",
        "where": [{"built": "$x"}],
        "edit": {"wrap": "$x", "with": "b($it)"},
    }
    return "use(b(" in rewritten(HEAD + code, **rule)


@pytest.mark.parametrize(
    "code",
    [
        "use(m)",
        "m = make()\nuse(m)",
        "m = keras.Sequential()\nuse(m)",
        "m = keras.Sequential([])\nuse(m)",
        "m = keras.Sequential([layers.Dense(3)])\nuse(m)",
        "m = keras.Sequential([layers.Dense(3), layers.Dense(3, input_shape=(4,))])\nuse(m)",
        "m = keras.Sequential(made)\nuse(m)",
        "m = keras.Sequential([*made])\nuse(m)",
        "m = keras.Sequential()\nm.add(layers.LSTM(3))\nm.add(layers.LSTM(1, input_dim=3))\nuse(m)",
        "m = keras.Model()\nuse(m)",
        "m = keras.Model(**given)\nuse(m)",
        "class M(keras.Model): pass\nm = M(1, 2)\nuse(m)",
        "class M(keras.Sequential): pass\nm = M([layers.Dense(3, input_shape=(4,))])\nuse(m)",
        "m = keras.models.load_model('m')\nuse(m)",
        "m = keras.Model(x, y) if z else keras.Sequential()\nuse(m)",
        "def f(m): use(m)\nf(keras.Model(x, y))\nf(keras.Sequential())",
        "def f(m): use(m)",
        "for m in models: use(m)",
    ],
)
def test_what_is_not_proved_to_be(code: str) -> None:
    assert not is_built(code + "\n")


@pytest.mark.parametrize(
    "code",
    [
        "m = keras.Model(x, layers.Dense(1)(x))\nuse(m)",
        "m = tf.keras.models.Model(inputs=x, outputs=y)\nuse(m)",
        "m = keras.Sequential([keras.Input((3,)), layers.Dense(1)])\nuse(m)",
        "m = keras.Sequential([layers.InputLayer(3)])\nuse(m)",
        "m = keras.Sequential((layers.Embedding(9, 3), layers.LSTM(2)))\nuse(m)",
        "m = keras.Sequential(name='m')\nm.add(layers.Dense(3, input_dim=3))\nuse(m)",
        "base = keras.applications.VGG16()\nm = keras.Sequential([base, layers.GRU(1)])\nuse(m)",
        "def f():\n    m = keras.Model(x, y)\n    return m\nm = f()\nuse(m)",
        "class T:\n  def __init__(self): self.m = keras.Model(x, y)\n  def f(self): use(self.m)",
        "m = keras.Model(x, y) if z else keras.applications.VGG16()\nuse(m)",
    ],
)
def test_what_is_made_of_its_inputs(code: str) -> None:
    assert is_built(code + "\n")
