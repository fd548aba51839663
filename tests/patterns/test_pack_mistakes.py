"""Each mistake in a pack is told with line, column and a hint."""

from __future__ import annotations

import pytest
from checked import also, put, where
from snippets import load_text

BINDS = "present: {{code: $x = $y, in: {}, binds: [{}]}}"
MISTAKES = {
    "what is present and has no such name": (
        where(BINDS.format("function", "z")),
        "14:56: nothing is called $z here",
        "known are $x, $y",
    ),
    "what is present in another file": (
        where(BINDS.format("program", "y")),
        "14:55: $y may be code of another file",
        "look in: block, before, function or module",
    ),
    "a module misspelt": (
        put("np: numpy", "np: numpi"),
        "3:15: there is no module 'numpi' here",
        "did you mean 'numpy'? If not, list 'numpi' under `names`",
    ),
    "a package misspelt": (
        put("np: numpy", "np: tensorflwo.keras"),
        "3:15: there is no module 'tensorflwo' here",
        "did you mean 'tensorflow'? If not, list 'tensorflwo' under",
    ),
    "a module of a known library": (
        put("np: numpy", "np: [tensorflow.compat.v1, tensorflow.kears]"),
        "3:49: tensorflow has no 'kears'",
        "did you mean 'keras'?",
    ),
    "a module beside": (
        put("np: numpy", "np: [{horovod.keras: kears}, horovod.tensorflow]"),
        "3:32: there is no module 'kears' here",
        "did you mean 'keras'? If not, list 'kears' under `names`",
    ),
    "an import that is a statement": (
        put("np: numpy", "np: 'numpy as np'"),
        "3:16: 'numpy as np' is not a qualified name",
        "as in package.module.name",
    ),
    "an alias that is no name": (
        put("np: numpy", "n-p: numpy"),
        "3:11: imports.n-p: 'n-p' is not a name of Python, as in np",
        "write n_p",
    ),
    "a class of Python's library": (
        put("logging.Logger", "logging.Loger"),
        "5:20: logging has no 'Loger'",
        "did you mean 'Logger'?",
    ),
    "a class of a known library": (
        put("logging.Logger", "tensorflow.keras.optimizers.Adma"),
        "5:40: tensorflow.keras.optimizers has no 'Adma'",
        "did you mean 'Adam'?",
    ),
    "a class by an alias": (
        put("logging.Logger", "np.ndarray"),
        "5:12: 'np' is an alias here, and names are in full",
        "write numpy.ndarray: only patterns and templates have aliases",
    ),
    "a class without its module": (
        put("logging.Logger", "Logger"),
        "5:12: 'Logger' is no qualified name",
        "write it in full, as package.module.name",
    ),
    "a class that is built in": (
        put("logging.Logger", "str"),
        "5:12: 'str' is no qualified name",
        "write builtins.str",
    ),
    "a function of Python's library": (
        put("gzip.open", "gzip.opne"),
        "7:33: gzip has no 'opne'",
        "did you mean 'open'?",
    ),
    "a function that is built in": (
        put("gzip.open", "print"),
        "7:28: 'print' is no qualified name",
        "write builtins.print",
    ),
    "a role misspelt": (
        where("isa: [$x, loger]"),
        "14:19: there is no role 'loger'",
        "did you mean 'logger'?",
    ),
    "a set of functions for a role": (
        where("isa: [$x, openers]"),
        "14:19: 'openers' is a set of functions",
        "a role is meant here; name it under `roles`",
    ),
    "a built-in class in a condition": (
        where("isa: [$x, str]"),
        "14:19: there is no role 'str'",
        "write builtins.str",
    ),
    "an alias in a condition": (
        where("isa: [$x, np.ndarray]"),
        "14:19: 'np' is an alias here, and names are in full",
        "write numpy.ndarray: only patterns and templates have aliases",
    ),
    "an alias for a class": (
        where("isa: [$x, np]"),
        "14:19: 'np' is an alias",
        "write numpy: conditions have names in full",
    ),
    "no list": (
        where("isa: $x"),
        "14:14: rules.0.where.0.isa: should be a list",
        "a list of a capture and names of classes or roles, as in [$x,",
    ),
    "no capture": (
        where("isa: [x, logger]"),
        "14:15: rules.0.where.0.isa.0: 'x' is not a capture, as in $name or",
        "write $x",
    ),
    "no class": (
        where("isa: [$x]"),
        "14:9: rules.0.where.0.isa: too short; there should be 2 or more",
        "a list of a capture and names of classes or roles, as in [$x,",
    ),
    "a set of functions misspelt": (
        where("means: [$x, opener]"),
        "14:21: there is no set of functions 'opener'",
        "did you mean 'openers'?",
    ),
    "a role for a set of functions": (
        where("means: [$x, logger]"),
        "14:21: 'logger' is a role",
        "a set of functions is meant here; name it under `functions`",
    ),
    "an alias for a module": (
        where("means: [$x, np]"),
        "14:21: 'np' is an alias",
        "write numpy: conditions have names in full",
    ),
    "a module in a condition": (
        where("means: [$x, numpi.take]"),
        "14:21: there is no module 'numpi' here",
        "did you mean 'numpy'? If not, list 'numpi' under `names`",
    ),
    "a function deep in conditions": (
        where("not: {any: [{calls: [$x, json.dmup]}]}"),
        "14:39: json has no 'dmup'",
        "did you mean 'dump'?",
    ),
    "a function of a library": (
        where("program_calls: [horovod.tensorflow.inti]"),
        "14:44: horovod.tensorflow has no 'inti'",
        "did you mean 'init'?",
    ),
    "a role of a program": (
        where("program_makes: [logge]"),
        "14:25: there is no role 'logge'",
        "did you mean 'logger'?",
    ),
    "a role or a set misspelt": (
        where("built_on: [oppeners]"),
        "14:20: there is no role or set of functions 'oppeners'",
        "did you mean 'openers'?",
    ),
    "a set inside a condition": (
        where("given_to: {value: $x, functions: [opener]}"),
        "14:43: there is no set of functions 'opener'",
        "did you mean 'openers'?",
    ),
    "an alias that imports lack in a condition": (
        where("matches: {$x: pd.DataFrame($y)}"),
        "14:23: 'pd' is not among the imports, so that files that spell it",
        "add `pd: pandas` under `imports`; list 'pd' under `names` if",
    ),
    "an alias that imports lack": (
        put("np.take", "pd.take"),
        "12:12: 'pd' is not among the imports, so that files that spell it",
        "add `pd: pandas` under `imports`; list 'pd' under `names` if",
    ),
    "a module that imports lack": (
        put("np.take", "os.getcwd"),
        "12:12: 'os' is not among the imports, so that files that spell it",
        "add `os: os` under `imports`; list 'os' under `names` if it",
    ),
    "an alias that imports lack in a template": (
        put("g($x)", "pd.g($x)"),
        "13:20: nothing binds 'pd' in the template",
        "add `pd: pandas` under `imports`, or, if the files have it,",
    ),
    "a name that nothing binds": (
        put("g($x)", "metrics.push($x)"),
        "13:20: nothing binds 'metrics' in the template",
        "add `metrics: its.module` under `imports`, or, if the files",
    ),
    "a capture in done": (
        also("    done: [{number: $x}]"),
        "13:22: nothing is called $x here",
        "known are $match",
    ),
    "a module in done": (
        also("    done: [{imports: [numpi]}]"),
        "13:23: there is no module 'numpi' here",
        "did you mean 'numpy'? If not, list 'numpi' under `names`",
    ),
    "an example that is not Python": (
        put("- unchanged: x", "- unchanged: |\n          x = 1\n          def f(:\n      #"),
        "17:17: the example is not Python: line 2: cannot be parsed: unexpected",
        "examples are code as files have it",
    ),
    "an example on one line": (
        put("- unchanged: x", "- unchanged: 'x = (1'"),
        "15:25: the example is not Python: line 1: cannot be parsed: '(' is never",
        "examples are code as files have it",
    ),
    "an example's result": (
        put("- unchanged: x", "- {before: 'x', after: 'y ='}"),
        "15:34: the example is not Python: line 1: cannot be parsed: unexpected",
        "examples are code as files have it",
    ),
    "an example that changes nothing": (
        put("- unchanged: x", "- {before: 'x', after: 'x'}"),
        "15:30: the example changes nothing",
        "say `unchanged` of such code",
    ),
    "half an example": (
        put("- unchanged: x", "- before: x"),
        "15:9: rules.0.examples.0: the key 'after' is missing; 'before' needs it",
        "The code of `before` as the rule leaves it.",
    ),
    "the other half of an example": (
        put("- unchanged: x", "- after: x"),
        "15:9: rules.0.examples.0: the key 'unchanged' or 'reported' or 'before'",
        "choose one of unchanged | reported | before",
    ),
    "two examples in one": (
        put("- unchanged: x", "- {unchanged: x, before: x, after: y}"),
        "15:9: rules.0.examples.0: 'unchanged' and 'before' exclude each other",
        "choose one of unchanged | reported | before",
    ),
    "a warning of what is unchanged": (
        put("- unchanged: x", "- {unchanged: x, warns: y}"),
        "15:9: rules.0.examples.0: too many keys: unchanged, warns; there may be",
        "keep 'unchanged' alone",
    ),
    "an argument given twice": (
        put("np.take($x)", "np.take($x, a=1, a=2)"),
        "12:24: can never match: the argument 'a' is given twice",
        "keep one",
    ),
    "an option that excludes itself": (
        also("    option: a\n    unless: a").replace("imports", "options: {a: A}\nimports"),
        "15:13: can never match: it is there only with 'a', and not with it",
        "keep `option` or `unless`",
    ),
    "two answers to one question": (
        where("{runs: eager}\n      - {runs: graph}").replace("- {runs: eager}", "- runs: eager"),
        "15:16: can never match: runs is eager above",
        "keep one of them",
    ),
    "a condition and its opposite": (
        where("number: $x\n      - not: {number: $x}"),
        "15:9: can never match: the same condition is asked for and ruled out",
        "keep one of them",
    ),
    "a node with one child": (
        put("match: np.take($x)", "query: power< x=any >"),
        "12:12: can never match: a power with one child is not kept, only the",
        "`bowler dump FILE` shows the trees of code",
    ),
    "a leaf of two words": (
        put("match: np.take($x)", "query: power< x='a b' any+ >"),
        "12:12: can never match: 'a b' is several words, and each is a leaf of",
        "`bowler dump FILE` shows the trees of code",
    ),
    "an unknown symbol": (
        put("match: np.take($x)", "query: powr< x=any any >"),
        "12:12: not a lib2to3 pattern: Invalid symbol: 'powr'",
        "as in power< 'take' trailer< '(' count=any ')' > >",
    ),
    "an unfinished query": (
        put("match: np.take($x)", "query: power< x=any"),
        "12:12: not a lib2to3 pattern: it ends too early",
        "as in power< 'take' trailer< '(' count=any ')' > >",
    ),
    "a required rule that reports": (
        put("    edit:", "    requires: [other]\n    edit:")
        + """\
  - id: other
    title: A rule
    why: Because.
    match: h($x)
    report: said
    examples:
      - unchanged: x
""",
        "13:16: requires 'other', which changes nothing",
        "only a rule with an `edit` can be applied",
    ),
    "a rule that requires itself": (
        also("    requires: [rule]"),
        "13:16: requires itself",
        "name another rule",
    ),
    "a definition that is not Python": (
        put("imports:", "definitions:\n  helper: |\n    def helper(:\n        pass\nimports:"),
        "5:16: the definition of 'helper' is not Python: cannot be parsed:",
        "see its line 1",
    ),
    "an edit that is nothing": (
        put("edit: {insert: g($x), place: after}", "edit:"),
        "13:10: rules.0.edit: should be a mapping or a list",
        "pack.schema.json describes every key",
    ),
    "an id with capitals": (
        put("id: rule", "id: My Rule"),
        "9:9: rules.0.id: 'My Rule' is not lower-case words with dashes, as in",
        "write my-rule",
    ),
    "an unknown mark": (
        where("marked: [$x, prnits]"),
        "14:22: rules.0.where.0.marked.1: unknown value 'prnits'",
        "did you mean 'prints'?",
    ),
    "a name with a $": (
        also("    fresh: {$new: new}"),
        "13:13: rules.0.fresh.$new: '$new' is not a name without $",
        "write new",
    ),
    "a capture that a condition adds with a $": (
        where("argument: {name: a, as: $y}"),
        "14:33: rules.0.where.0.argument.as: '$y' is not a name without $",
        "write y",
    ),
    "a capture without a $": (
        put("{insert: g($x), place: after}", "{wrap: x, with: g($it)}"),
        "13:18: rules.0.edit.wrap: 'x' is not a capture to keep inside a template",
        "write $x",
    ),
    "code for a capture": (
        put("{insert: g($x), place: after}", "{replace: f($x), with: g()}"),
        "13:21: rules.0.edit.replace: 'f($x)' is not a capture to replace",
        "as in $name",
    ),
    "an alias that imports lack in a definition": (
        put("imports:", "definitions:\n  a: |\n    def a(b):\n        return tf.x(b.c)\nimports:"),
        "6:16: nothing binds 'tf' in the definition",
        "add `tf: tensorflow` under `imports`",
    ),
}


@pytest.mark.parametrize(("text", "told", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told(text: str, told: str, hint: str) -> None:
    found = load_text(text)
    assert isinstance(found, list)
    first = found[0]
    reason = first.reason.removeprefix("rule: ")
    assert f"{first.line}:{first.column + 1}: {reason}".startswith(told), first
    assert hint in first.hint, first
    assert first.text == text.splitlines()[first.line - 1]
    assert f"pack.yaml:{first.line}:{first.column + 1}: {first.reason}" in str(first)
