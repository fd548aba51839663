"""Arguments where the library has them, lists, loops, and the way in which a program trains."""

import pytest
import yaml
from snippets import load_text, pack_data, rewritten

from pinsetter.codemods.engine.authoring.examples import outcome_of
from pinsetter.patterns.packs.pack import Pack

ESTIMATOR = "import tensorflow as tf\nestimator = tf.estimator.Estimator(model_fn)\n"


def test_an_argument_is_found_where_the_library_has_it() -> None:
    code = f"{ESTIMATOR}estimator.train(f, %s, 100)\nother.train(f, h, 100)\n"
    rule = {
        "match": "$function($...args)",
        "where": [{"argument": {"name": "hooks", "as": "hooks"}}],
        "edit": {"wrap": "$hooks", "with": "more($it)"},
    }
    assert rewritten(code % "h", **rule) == code % "more(h)"


@pytest.mark.parametrize(
    ("value", "taken"),
    [
        ("[]", True), ("[a, *b]", True), ("([a])", True), ("[a for a in b]", False),
        ("(a, b)", False), ("a[0]", False), ("[a] + b", False),
    ],
)  # fmt: skip
def test_a_list_is_written_item_by_item(value: str, taken: bool) -> None:
    where = [{"list_display": "$x"}]
    rule = {"match": "f($x)", "where": where, "edit": {"wrap": "$x", "with": "g($it)"}}
    expected = f"f(g({value}))\n" if taken else f"f({value})\n"
    assert rewritten(f"f({value})\n", **rule) == expected


def test_the_way_in_which_a_program_trains() -> None:
    code = f"{ESTIMATOR}estimator.train(f, steps=100)\nshow()\n"
    rule = {"match": "show()", "edit": {"guard": "first"}}
    for api, taken in (("estimator", True), ("keras", False)):
        result = rewritten(code, **rule, where=[{"trains_by": [api]}])
        assert ("if first" in result) == taken


def test_a_loop_that_counts_passes_is_shared_by_rounds() -> None:
    code = f"{ESTIMATOR}for n in range(100):\n    estimator.train(f%s)\n"
    shared = {"match": "range($n)", "where": [{"counts": ["$match", "rounds"]}],
              "edit": {"wrap": "$n", "with": "rounds($it)"}}  # fmt: skip
    single = {**shared, "where": [{"counts": ["$match", "steps"]}]}
    assert "rounds(100)" in rewritten(code % "", **shared)
    assert "rounds(100)" in rewritten(code % ", steps=1", **single)
    for rule in (shared, single):
        assert rewritten(code % ", None, 20", **rule) == code % ", None, 20"
    inside = {"match": "estimator.train($...args)", "where": [{"in_counted_loop": True}],
              "edit": {"wrap": "$match", "with": "inside($it)"}}  # fmt: skip
    assert "inside(" in rewritten(code % "", **inside)
    assert "inside(" not in rewritten(f"{ESTIMATOR}estimator.train(f)\n", **inside)


@pytest.mark.parametrize("given", ["*a", "**k", "x, *a", "*a, y=1", "**{'timeout': 1}"])
def test_no_argument_is_added_where_it_may_be_given_already(given: str) -> None:
    code = f"get({given})\n"
    rule = {"match": "get($...a)", "edit": {"append": "timeout=None"}}
    assert rewritten(code, **rule) == code
    asked = rewritten(code, **rule, where=[{"plain_arguments": False}])
    assert asked == f"get({given}, timeout=None)\n"
    assert rewritten(code, **rule, where=[{"plain_arguments": True}]) == code


@pytest.mark.parametrize(
    ("before", "after"),
    [("get(\n    a,\n)\n", "get(\n    a,\n    timeout=None,\n)\n"),
     ("get(\n    a,  # b\n)\n", "get(\n    a,  # b\n    timeout=None,\n)\n"),
     ("get(\n    c, a,\n)\n", "get(\n    c, a, timeout=None\n)\n"),
     ("get(\n    a\n)\n", "get(\n    a, timeout=None\n)\n"),
     ("get(\n    c, a\n)\n", "get(\n    c, a, timeout=None\n)\n"),
     ("get(\n    c,\n    b, a)\n", "get(\n    c,\n    b, a, timeout=None)\n"),
     ("get(\n    c,\n    a)\n", "get(\n    c,\n    a,\n    timeout=None)\n"),
     ("get(c,\n    a=[\n      1])\n", "get(c,\n    a=[\n      1],\n    timeout=None)\n"),
     ("get(\n    a  # b\n)\n", "get(\n    a,  # b\n    timeout=None,\n)\n"),
     ("get(\n    c,\n    a=1  # b\n)\n", "get(\n    c,\n    a=1,  # b\n    timeout=None,\n)\n"),
     ("get(\n    c, a  # b\n)\n", "get(\n    c, a, timeout=None  # b\n)\n"),
     ("get(\n    a for a in b  # c\n)\n", "get(\n    (a for a in b), timeout=None  # c\n)\n"),
     ("get(a,)\n", "get(a, timeout=None)\n")],
)  # fmt: skip
def test_an_argument_gets_a_line_where_the_others_have_some(before: str, after: str) -> None:
    assert rewritten(before, match="get($...a)", edit={"append": "timeout=None"}) == after


def test_where_an_argument_may_be_given_already_is_told() -> None:
    pack = load_text(yaml.safe_dump(pack_data(match="f($...a)", edit={"append": "t=0"})))
    assert isinstance(pack, Pack)
    found = outcome_of(pack, pack.rules[0], "f(1)\nf(**k)\n")
    assert found.text == "f(1, t=0)\nf(**k)\n"
    (said,) = found.reports
    assert "**k may have the argument t already" in said


INSTANCES = "import tensorflow as tf\nmodel = tf.keras.Sequential()\nMine = tf.keras.Model\n"


@pytest.mark.parametrize(
    ("where", "code", "taken"),
    [
        ({"isa": ["$x", "model"]}, "f(Mine)", False),
        ({"isa": ["$x", "model"]}, "f(tf.keras.Sequential)", False),
        ({"isa": ["$x", "optimizer"]}, "f(model)", False),
        ({"isa": ["$x", "model"]}, "f(unknown)", False),
        ({"isa": ["$x", "model"]}, "f(model)", True),
        ({"isa_library": ["$x", "model"]}, "f(Mine)", False),
        ({"isa_library": ["$x", "model"]}, "f(model)", True),
        ({"is_class": ["$x", "model"]}, "f(model)", False),
        ({"is_class": ["$x", "optimizer"]}, "f(Mine)", False),
        ({"is_class": ["$x", "model"]}, "f(unknown)", False),
        ({"is_class": ["$x", "model"]}, "f(Mine)", True),
        ({"is_class": ["$x", "model"]}, "class A(Mine): pass\nf(A)", True),
        ({"is_class": "$x"}, "f(model)", False),
        ({"is_class": "$x"}, "f(Mine)", True),
        ({"is_library_class": ["$x", "model"]}, "class A(Mine): pass\nf(A)", False),
        ({"is_library_class": ["$x", "model"]}, "f(model)", False),
        ({"is_library_class": ["$x", "model"]}, "f(Mine)", True),
    ],
)
def test_an_instance_is_no_class(where: dict[str, object], code: str, taken: bool) -> None:
    rule = {"match": "f($x)", "where": [where], "edit": {"replace": "$match", "with": "g()"}}
    assert ("g()" in rewritten(f"{INSTANCES}{code}\n", **rule)) == taken


STEP = """\
import tensorflow as tf
class Own(tf.keras.Model):
    def train_step(self, data):
        {step}
model = Own()
model.compile(tf.keras.optimizers.SGD(0.1))
model.fit(data)
"""
APPLY = "self.optimizer.apply_gradients(pairs)"
OTHER = "def step(optimizer):\n    optimizer.apply_gradients(pairs)\n"


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        (STEP.format(step=APPLY), True),
        (STEP.format(step=f"self.one()\n    def one(self):\n        {APPLY}"), True),
        (STEP.format(step="pass") + OTHER, False),
        # Whoever calls it himself makes steps of his own.
        (STEP.format(step=APPLY) + "for data in batches:\n    model.train_step(data)\n", False),
        (STEP.format(step=APPLY) + "for data in batches:\n    unknown.train_step(data)\n", False),
        (STEP.format(step=APPLY).replace("tf.keras.Model", "object"), False),
        (STEP.format(step=APPLY).replace("train_step", "step"), False),
    ],
)
def test_what_fit_runs(code: str, wanted: bool) -> None:
    for flag in (True, False):
        rule = {"match": "$o.apply_gradients($p)", "where": [{"run_by_fit": flag}],
                "edit": {"wrap": "$p", "with": "seen($it)"}}  # fmt: skip
        assert ("seen(" in rewritten(code, **rule)) == (wanted == flag)


@pytest.mark.parametrize(
    ("run", "wanted"),
    [
        ("session.run(network.outputs)", True),
        ("session.run(step)", True),
        ("session.run(iterator.get_next())", False),
        ("session.run(iterator.initializer)", False),
        ("session.run('output:0')", False),
        ("session.close()", False),
        ("other.run(network.outputs)", False),
    ],
)
def test_what_a_session_may_run(run: str, wanted: bool) -> None:
    code = (
        "import tensorflow.compat.v1 as tf\nstep = tf.train.AdamOptimizer(0.1).minimize(loss)\n"
        f"session = tf.Session()\n{run}\n"
    )
    session = {"is_class": ["$class", "tensorflow.compat.v1.Session"]}
    rule = {"match": "$class()", "where": [session, {"may_run_step": True}],
            "edit": {"wrap": "$match", "with": "seen($it)"}}  # fmt: skip
    assert ("seen(" in rewritten(code, **rule)) == wanted


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("use(1)\n", False),
        ("for x in y:\n    use(1)\n", False),
        ("def f():\n    use(1)\nf()\n", False),
        ("def f():\n    use(1)\n", False),
        ("def main():\n    use(1)\nif __name__ == '__main__':\n    main()\n", False),
        ("if __name__ == '__main__':\n    use(1)\n", False),
        ("def f():\n    f()\n    use(1)\nf()\n", False),
        ("if x:\n    use(1)\n", True),
        ("try:\n    use(1)\nexcept A:\n    pass\n", True),
        ("def f():\n    use(1)\nif x:\n    f()\n", True),
        ("def f():\n    use(1)\ndef g():\n    f()\ndef h():\n    if x:\n        g()\nh()\n", True),
        ("def f():\n    use(1)\nf()\nif x:\n    f()\n", True),
        ("class A:\n    def f(self):\n        use(1)\na = A()\nif x:\n    a.f()\n", True),
    ],
)
def test_what_may_be_passed_by(code: str, wanted: bool) -> None:
    rule = {"match": "use($x)", "where": [{"passed_by": "$match"}],
            "edit": {"wrap": "$x", "with": "seen($it)"}}  # fmt: skip
    assert ("seen(" in rewritten(code, **rule)) == wanted
