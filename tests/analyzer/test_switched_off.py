"""Places that no call of their function in a program gets to: no training of that program."""

from __future__ import annotations

import pytest
from repository import Write

MODEL = """\
import tensorflow.compat.v1 as tf
def model_fn(mode, loss, training=False):
    is_training = (mode == 'train')
    if {}:
        step = tf.train.AdamOptimizer().minimize(loss)
    return loss
"""
EVALUATE = """\
import tensorflow.compat.v1 as tf
from model import model_fn
loss = model_fn({})
with tf.Session() as session:
    session.run(loss)
"""
# One that gets everywhere, for all that is known.
OTHER = EVALUATE.format("word(), 1., word()")


def trains(write: Write, model: str, call: str) -> bool:
    """Whether a script with that call trains, beside one that may."""
    files = {"model.py": model, "evaluate.py": EVALUATE.format(call), "other.py": OTHER}
    programs = write(files).facts.programs.all
    return {program.entry.name: bool(program.sites) for program in programs}["evaluate"]


STEP = "tf.train.AdamOptimizer().minimize(loss)"
HEAD = MODEL.partition("    is_training")[0]


@pytest.mark.parametrize("call", [
    "'train', 1.", "mode='train', loss=1.", "word(), 1.", "*given",
    "'evaluate' if asked else 'train', 1.",
])  # fmt: skip
def test_what_may_be_reached_trains(call: str, write: Write) -> None:
    assert trains(write, MODEL.format("is_training"), call)


@pytest.mark.parametrize("call", ["'eval', 1., True", "'eval', 1., **options", "'eval', *options"])
def test_one_of_two_may_lead_there(call: str, write: Write) -> None:
    assert trains(write, MODEL.format("training or is_training"), call)


@pytest.mark.parametrize("condition", [
    "mode", "not training", "loss", "mode != 'train'", "mode < 3", "mode is 'train'",
    "mode == other", "loss or is_training", "'eval' in mode", "mode == 'eval' == loss",
    "training is True", "mode not in ('train',)",
])  # fmt: skip
def test_what_does_not_keep_from_it_trains(condition: str, write: Write) -> None:
    assert trains(write, MODEL.format(condition), "'eval', 1.")


@pytest.mark.parametrize("line", [
    "mode = 'train'", "is_training = True", "for mode in modes: pass", "mode += 's'",
])  # fmt: skip
def test_what_is_bound_anew_is_not_known(line: str, write: Write) -> None:
    model = MODEL.replace("    if ", f"    if loss:\n        {line}\n    if ")
    assert trains(write, model.format("is_training"), "'eval', 1.")


@pytest.mark.parametrize("line", [
    "for flag in mode: pass", "(flag, other) = (mode, 1)", "with mode as flag: pass",
    "flag += mode", "flag = given(mode)", "if loss: flag = mode\n    else: flag = 0",
])  # fmt: skip
def test_what_is_not_computed_is_not_known(line: str, write: Write) -> None:
    model = MODEL.replace("    if ", f"    {line}\n    if ")
    assert trains(write, model.format("not flag"), "'eval', 1.")


def test_another_call_in_the_program_may_train(write: Write) -> None:
    model = MODEL.format("is_training")
    more = "'eval', 1.)\nmodel_fn('train', 1."
    assert trains(write, model, more)
    assert trains(write, model + "print(model_fn)\n", "'eval', 1.")
    assert trains(write, model + "keep(model_fn)\n", "'eval', 1.")


@pytest.mark.parametrize("condition", [
    "is_training", "mode == 'train'", "not mode != 'train'", "mode in ('train', 'both')",
    "training", "is_training and loss", "training or is_training",
    "mode not in ('eval', 'test')",
])  # fmt: skip
@pytest.mark.parametrize("call", ["'eval', 1.", "loss=1., mode='eval'", "'eval', 1., False"])
def test_what_all_calls_keep_from_it_is_no_training(
    condition: str, call: str, write: Write
) -> None:
    assert not trains(write, MODEL.format(condition), call)


@pytest.mark.parametrize("body", [
    "if mode != 'train':\n        return loss\n    step = STEP",
    "if mode == 'eval': return loss\n    elif mode == 'other': return 1\n    step = STEP",
    "if mode == 'eval':\n        a = 1\n    else:\n        step = STEP",
    "step = STEP if mode == 'train' else None",
    "if mode == 'eval': pass\n    elif STEP: step = mode",
    "if mode == 'train': pass\n    else: return loss\n    step = STEP",
    "for i in range(3):\n        if mode == 'eval':\n            break\n        step = STEP",
    "with a:\n        if mode != 'train': raise ValueError\n        for i in b: step = STEP",
])  # fmt: skip
def test_other_ways_to_say_it(body: str, write: Write) -> None:
    model = f"{HEAD}    {body.replace('STEP', STEP)}\n    return loss\n"
    assert not trains(write, model, "'eval', 1.")
    assert trains(write, model, "'train', 1.")


@pytest.mark.parametrize("body", [
    "if mode == 'train':\n        return loss\n    step = STEP",
    "if mode != 'train':\n        print(loss)\n    step = STEP",
    "if mode == 'train':\n        step = STEP\n    elif mode == 'eval':\n        step = STEP",
    "if loss:\n        if mode == 'eval': return loss\n    step = STEP if mode == 'eval' else 1",
    "def inner():\n        if mode == 'eval': return 1\n    step = STEP",
    "step = STEP\n    if mode == 'eval':\n        return loss",
    "step = 1 if STEP else mode",
    "if STEP: step = mode",
    "step = STEP if loss else 1",
    "if loss: pass\n    else: return loss\n    step = STEP",
])  # fmt: skip
def test_what_is_not_left_before_trains(body: str, write: Write) -> None:
    model = f"{HEAD}    {body.replace('STEP', STEP)}\n    return loss\n"
    assert trains(write, model, "'eval', 1.")


def test_what_nobody_gets_to_is_switched_on_again(write: Write) -> None:
    files = {"model.py": MODEL.format("is_training"), "evaluate.py": EVALUATE.format("'eval', 1.")}
    programs = write(files).facts.programs.all
    assert {program.entry.name: bool(program.sites) for program in programs}["evaluate"]


def test_a_call_that_is_never_reached_is_none(write: Write) -> None:
    model = MODEL.format("is_training")
    model += "def built(kind):\n    if kind == 'train':\n        return model_fn('train', 1.)\n"
    more = "'eval', 1.)\nfrom model import built\nbuilt({})\nprint(1"
    assert not trains(write, model, more.format("'eval'"))
    assert trains(write, model, more.format("'train'"))
    assert trains(write, model, more.format("word"))
