"""What rules ask about sessions of TensorFlow 1."""

from __future__ import annotations

import pytest
from snippets import rewritten

HEAD = "import tensorflow as tf\n"
MARK = {"insert": "ready()", "place": "after", "at": "$started"}
STARTS = [{"starts_variables": {"as": "session", "after": "started"}}]


def started(code: str) -> str:
    """The code with a mark where all variables have values."""
    result = rewritten(HEAD + code, match="$function($...args)", where=STARTS, edit=MARK)
    return result.removeprefix(HEAD)


@pytest.mark.parametrize(
    "start",
    [
        "sess.run(tf.global_variables_initializer())",
        "sess.run([tf.local_variables_initializer(), tf.initialize_all_variables()])",
        "tf.global_variables_initializer().run()",
        "tf.train.Saver().restore(sess, 'model')",
        "tf.saved_model.loader.load(sess, [], 'model')",
        "sess.run(tf.variables_initializer(tf.global_variables()))",
    ],
)
def test_a_start(start: str) -> None:
    assert started(f"{start}\n") == f"{start}\nready()\n"


@pytest.mark.parametrize(
    "other",
    [
        "sess.run(tf.local_variables_initializer())",
        "sess.run(tf.tables_initializer())",
        "sess.run(tf.variables_initializer(metrics))",
        "sess.run(loss)",
        "subprocess.run(tf.global_variables)",
        "keep = lambda: sess.run(tf.global_variables_initializer())",
        "make().run(tf.global_variables_initializer())",
    ],
)
def test_no_start(other: str) -> None:
    assert started(f"{other}\n") == f"{other}\n"


def test_a_group_that_is_made_of_itself_comes_to_an_end() -> None:
    grouped = "op = tf.no_op()\nfor one in ops:\n    op = tf.group(op, one)\nsess.run([op])\n"
    assert started(grouped) == grouped
    code = grouped.replace("tf.no_op", "tf.global_variables_initializer")
    assert started(code) == f"{code}ready()\n"


def test_an_initialiser_is_followed_back_to_where_it_is_made() -> None:
    code = """\
def build(model, spec):
    model.init = tf.group(tf.tables_initializer(), tf.global_variables_initializer())
    spec['ready'] = tf.global_variables_initializer()
def first(sess, other):
    sess.run(other.init)
def second(sess, spec):
    sess.run(spec['ready'])
def third(sess, op):
    sess.run(op)
third(sess, tf.global_variables_initializer())
"""
    marked = started(code)
    for call in ("sess.run(other.init)", "sess.run(spec['ready'])", "sess.run(op)"):
        assert f"    {call}\n    ready()\n" in marked


def test_the_mark_stands_where_all_branches_meet() -> None:
    code = """\
def train(sess, saver, path):
    if path:
        saver.restore(sess, path)
    else:
        sess.run(tf.global_variables_initializer())
    sess.run(train_op)
"""
    meet = "    sess.run(train_op)"
    assert started(code) == code.replace(meet, f"    ready()\n{meet}")


def test_a_branch_that_leaves_some_variables_without_values_keeps_the_mark() -> None:
    code = """\
def train(sess, fresh):
    if fresh:
        sess.run(tf.global_variables_initializer())
    sess.run(train_op)
"""
    start = "        sess.run(tf.global_variables_initializer())\n"
    assert started(code) == code.replace(start, f"{start}        ready()\n")


def test_the_last_of_several_starts_counts() -> None:
    code = """\
sess.run(tf.global_variables_initializer())
saver = tf.train.Saver(weights)
saver.restore(sess, 'model')
sess.run(tf.variables_initializer(rest))
for step in range(3):
    sess.run(train_op)
"""
    assert started(code) == code.replace("for step", "ready()\nfor step")


def test_a_session_that_only_evaluates_is_no_start() -> None:
    code = """\
def test(path):
    with tf.Session() as sess:
        tf.train.Saver().restore(sess, path)
        return sess.run('accuracy:0')
"""
    assert started(code) == code
    given = code.replace("return sess.run('accuracy:0')", "return sess")
    assert "ready()" in started(given)


RESTORE = "tf.train.Saver().restore(sess, 'model')"
INIT = "sess.run(tf.global_variables_initializer())"


@pytest.mark.parametrize(
    ("branch", "behind", "is_last"),
    [
        ("if old:\n    {}\n", f"{INIT}\n", False),
        ("if old:\n    if older:\n        {}\n", f"print(1)\n{INIT}\n", False),
        ("if old:\n    {}\n", "sess.run(tf.local_variables_initializer())\n", True),
        ("if old:\n    {}\n", f"if new:\n    {INIT}\n", False),
        ("if old:\n    {}\n", f"for x in y: print(x)\n{INIT}\n", True),
        ("for x in y:\n    {}\n", f"{INIT}\n", True),
        ("if old:\n    {}\n    for x in y: print(x)\n", f"{INIT}\n", True),
    ],
)
def test_a_start_behind_a_branch_counts(branch: str, behind: str, is_last: bool) -> None:
    made = started(branch.format(RESTORE) + behind)
    before = made.partition(INIT)[0] if INIT in behind else made
    assert ("ready()" in before) is is_last
    assert is_last or made.endswith("ready()\n")
