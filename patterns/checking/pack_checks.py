"""check_files: what is wrong with a pack besides its form, all of it at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from pinsetter.analyzer.files.linear_regex import regular
from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.names.scopes import BUILTINS
from pinsetter.analyzer.roles.role import default_roles
from pinsetter.analyzer.syntax import SyntaxProblem, parse

from ..reading.code_pattern import compile_code, compile_query
from ..reading.emitter import METAVARIABLE, PatternProblem
from ..reading.pack_head import listed, listed_options, used_let
from ..reading.pattern import Pattern
from ..reading.qualified_names import names_in, qualified
from ..reading.wording import suggestion
from ..reading.yaml_file import BUNDLED, PackFile, schema
from .complaints import Complaint, complaints, of_all_rules
from .dotted_heads import heads, in_definitions
from .doubts import Known, doubts, head_doubts
from .lifted_heads import lifted_heads
from .never_matching import never
from .own_functions import own_functions
from .spelling import is_member

_PATTERN_HINT = "a pattern is one expression or statement with $name and $...names"
_SPELLING_HINT = "`\\1` is what the first group fits"
_RULE = {"$ref": "#/$defs/rule"}
_EXPRESSION_HINT = "RE2 takes it: no backreferences, no looking ahead or behind"
_QUERY_HINT = "as in power< 'take' trailer< '(' count=any ')' > >"
_WITHOUT_CAPTURES = {"id", "title", "why", "examples", "report", "requires"}
_EXAMPLES = ("unchanged", "reported", "before", "after")

# How lib2to3 says that it cannot go on.
_BAD_INPUT = re.compile(r"bad input: type=\d+, value=(.+?), context=\(.*\((\d+), (\d+)\)\)")

Found = tuple[list[Problem], list[Problem]]


def check_files(files: Sequence[PackFile]) -> Found:
    """The mistakes in a pack, the last of the files, and the parts that it includes, and what is
    only worth telling its author, which is nobody who runs what comes with the package. What does
    not fit the schema is told by the files themselves."""
    known = _known(files)
    called = _called(files)
    problems: list[Problem] = []
    remarks: list[Problem] = []
    for file in files:
        heads_of = (
            head_doubts(file.data, known),
            in_definitions(file.data, known),
            own_functions(file.data, file.path.parent),
            _implied(file.data, known),
            lifted_heads(file, files),
            of_all_rules(file.data),
            doubts(names_in({"where": file.data.get("where", [])}), known),
        )
        for complaint in (*chain.from_iterable(heads_of), *_definitions(file.data)):
            (remarks if complaint.slight else problems).append(_problem(file, (), "", complaint))
        for at, rule in enumerate(_rules(file)):
            said = f"{rule['id']}: " if isinstance(rule.get("id"), str) else ""
            for complaint in _of_rule(rule, file, at, called, known):
                found = _problem(file, ("rules", at), said, complaint)
                (remarks if complaint.slight else problems).append(found)
    remarks = [one for one in remarks if not one.path.is_relative_to(BUNDLED)]
    # What stands in an anchor is found wherever it is named.
    said_once = {(remark.path, remark.reason): remark for remark in reversed(remarks)}
    return list(dict.fromkeys(problems)), sorted(
        said_once.values(), key=lambda r: (str(r.path), r.line, r.column)
    )


def _problem(file: PackFile, spot: tuple[Any, ...], said: str, found: Complaint) -> Problem:
    return file.problem(
        f"{said}{found.reason}", *spot, *found.spot, hint=found.hint, word=found.word, at=found.at
    )


def _rules(file: PackFile) -> list[dict[str, Any]]:
    rules = file.data.get("rules", [])
    return rules if isinstance(rules, list) else []


def _known(files: Sequence[PackFile]) -> Known:
    def merged(key: str) -> dict[str, Any]:
        return {name: one for file in files for name, one in file.data.get(key, {}).items()}

    choices = (
        f"{name}={text}" for name, one in merged("parameters").items()
        if isinstance(one, dict) for text in one.get("one_of", ())
    )  # fmt: skip
    return Known(
        {alias: listed(names) for alias, names in merged("imports").items()},
        {role.name: role.isa for role in default_roles()} | merged("roles"),
        merged("functions"),
        merged("definitions"),
        merged("options") | dict.fromkeys(choices, ""),
        merged("let"),
        frozenset(name for file in files for name in file.data.get("names", ())),
        frozenset(path[0] for file in files for path in file.unread if len(path) == 1),
    )


def _implied(head: Mapping[str, Any], known: Known) -> Iterator[Complaint]:
    """Options that imply what is none."""
    for name, option in head.get("options", {}).items():
        implied = option.get("implies", ()) if isinstance(option, dict) else ()
        for at, other in enumerate(implied):
            if other not in known.options:
                spot = ("options", name, "implies", at)
                hint = suggestion(other, list(known.options))
                yield Complaint(spot, f"unknown option {other!r}", hint)


def _definitions(head: Mapping[str, Any]) -> Iterator[Complaint]:
    for name, code in head.get("definitions", {}).items():
        try:
            parse(code)
        except SyntaxProblem as error:
            reason = f"the definition of {name!r} is not Python: {error.reason}"
            at = (error.line, error.column)
            yield Complaint(("definitions", name), reason, f"see its line {error.line}", at=at)


def _of_rule(
    raw: Mapping[str, Any],
    file: PackFile,
    at: int,
    called: Mapping[str, list[dict[str, Any]]] | None,
    known: Known,
) -> Iterator[Complaint]:
    rule = {**raw, "let": {**used_let(known.let, raw), **raw.get("let", {})}}
    unread = {path[2] for path in file.unread if path[:2] == ("rules", at)}
    yield from _options(raw, known)
    yield from _required(raw, called) if called is not None else ()
    meanings = {alias: names[0] for alias, names in known.imports.items()}
    codes = list(_texts("code", raw, _RULE, ()))
    for spot, code in codes:
        try:
            compile_code(code, meanings)
        except PatternProblem as error:
            yield Complaint(spot, str(error), _PATTERN_HINT, at=_unreadable(code))
    for spot, expression in _texts("regex", raw, _RULE, ()):
        try:
            regular(expression)
        except ValueError as error:
            yield Complaint(spot, f"not a regular expression: {error}", _EXPRESSION_HINT)
    for spot, expression, spelling in _spellings(raw, ()):
        try:
            found = regular(expression)
        except ValueError:
            continue  # said already
        try:
            found.check_spelling(spelling)
        except ValueError as error:
            yield Complaint(spot, f"{spelling!r}: {error}", _SPELLING_HINT)
    key = "match" if "match" in raw else "query"
    pattern: Pattern | None = None
    if key in raw:
        try:
            match = key == "match"
            pattern = compile_code(raw[key], meanings) if match else compile_query(raw[key])
        except PatternProblem as error:
            if key == "match":
                yield Complaint((key,), str(error), _PATTERN_HINT, at=_unreadable(raw[key]))
            else:
                yield _query_complaint(str(error))
    if pattern is not None:
        # Captures may come from any key that has conditions, and from the head's `let`.
        if not unread - _WITHOUT_CAPTURES and "let" not in known.unread:
            yield from complaints(rule, pattern.names)
        yield from never(raw, pattern)
    yield from _renames(raw, pattern, known)
    yield from doubts(names_in(raw), known)
    own = [((key,), raw[key])] if key == "match" and pattern is not None else []
    yield from heads(raw, [*own, *codes], known)
    yield from _examples(raw)


def _renames(rule: Mapping[str, Any], pattern: Pattern | None, known: Known) -> Iterator[Complaint]:
    edits = rule.get("edit", [])
    for edit in edits if isinstance(edits, list) else [edits]:
        if "rename" not in edit:
            continue
        at = () if edits is edit else (edits.index(edit),)
        if pattern is not None and not pattern.reference:
            yield Complaint(("edit", *at, "rename"), "only a name of a module can be renamed",
                            "as in match: np.float_, with np among the imports")  # fmt: skip
        head, dot, _ = edit["to"].partition(".")
        old = next(iter(pattern.means.values()), "") if pattern is not None else ""
        if head not in known.imports and (dot or head not in BUILTINS):
            hint = suggestion(head, list(known.imports)) if dot else "name one of the imports"
            yield Complaint(("edit", *at, "to"), f"{head!r} is none of the imports", hint)
        elif dot and old:
            yield from _moved(edit["to"], old, known, at)


def _moved(to: str, old: str, known: Known, at: tuple[int, ...]) -> Iterator[Complaint]:
    """Whether a name goes to something that is no module, where no import has it."""
    home, _, name = qualified(to, known.imports).rpartition(".")
    if home != old.rpartition(".")[0] and is_member(home):
        reason = f"{name} cannot be imported from {home}, which is no module"
        yield Complaint(("edit", *at, "to"), reason, "write it as replace: $match, with: …")


def _unreadable(code: str) -> tuple[int, int] | None:
    """Where a pattern is no Python."""
    try:
        parse(METAVARIABLE.sub(lambda m: "_" * (len(m[0]) - len(m[2])) + m[2], code.strip()))
    except SyntaxProblem as error:
        return error.line, error.column
    return None


def _query_complaint(reason: str) -> Complaint:
    found = _BAD_INPUT.search(reason)
    if found is None:
        return Complaint(("query",), reason, _QUERY_HINT)
    text, line, column = found[1][1:-1], int(found[2]), int(found[3])
    what = f"unexpected {text!r}" if text.strip("\\n ") else "it ends too early"
    return Complaint(("query",), f"not a lib2to3 pattern: {what}", _QUERY_HINT, at=(line, column))


def _called(files: Sequence[PackFile]) -> dict[str, list[dict[str, Any]]] | None:
    """The rules by what ``requires`` may call them; None where that is not known."""
    every = [rule for file in files for rule in _rules(file)]
    unread = any(("rules",) in file.unread for file in files)
    if files[-1].is_part or unread or any("id" not in rule for rule in every):
        return None
    called: dict[str, list[dict[str, Any]]] = {}
    for rule in every:
        for name in dict.fromkeys((rule["id"], rule.get("provides", rule["id"]))):
            called.setdefault(name, []).append(rule)
    return called


def _options(rule: Mapping[str, Any], known: Known) -> Iterator[Complaint]:
    edits = rule.get("edit", [])
    named: list[tuple[tuple[Any, ...], str]] = [
        ((key,), name) for key in ("option", "unless") for name in listed_options(rule.get(key, ()))
    ]
    if isinstance(edits, list):
        named += [
            (("edit", n, "option"), e["option"]) for n, e in enumerate(edits) if "option" in e
        ]
    elif "option" in edits:
        named.append((("edit", "option"), edits["option"]))
    if "option" in rule.get("many", {}):
        named.append((("many", "option"), rule["many"]["option"]))
    for spot, option in named:
        if option not in known.options and "options" not in known.unread:
            hint = "name it under `options`"
            if known.options:
                hint = suggestion(option, list(known.options))
            yield Complaint(spot, f"unknown option {option!r}", hint)


def _required(
    rule: Mapping[str, Any], called: Mapping[str, list[dict[str, Any]]]
) -> Iterator[Complaint]:
    for at, name in enumerate(rule.get("requires", [])):
        spot = ("requires", at)
        if name not in called:
            yield Complaint(spot, f"requires unknown rule {name!r}",
                            suggestion(name, list(called)))  # fmt: skip
        elif rule in called[name] and len(called[name]) == 1:
            yield Complaint(spot, "requires itself", "name another rule")
        elif all("edit" not in one for one in called[name]):
            hint = "only a rule with an `edit` can be applied"
            yield Complaint(spot, f"requires {name!r}, which changes nothing", hint)
        elif all("done" not in one for one in called[name]):
            reason = f"requires {name!r}, which has no `done`: where that proposes nothing, " \
                     "this is not proposed"  # fmt: skip
            hint = f"say in {name!r} when it is done already, as done: [conditions]"
            yield Complaint(spot, reason, hint, slight=True)


def _examples(rule: Mapping[str, Any]) -> Iterator[Complaint]:
    for at, example in enumerate(rule.get("examples", [])):
        for key in _EXAMPLES:
            if key in example:
                try:
                    parse(example[key])
                except SyntaxProblem as error:
                    yield Complaint(
                        ("examples", at, key),
                        f"the example is not Python: line {error.line}: {error.reason}",
                        "examples are code as files have it",
                        at=(error.line, error.column),
                    )
        if "before" in example and example["before"] == example.get("after"):
            reason = "the example changes nothing"
            yield Complaint(("examples", at, "after"), reason, "say `unchanged` of such code")


def _texts(
    kind: str, data: Any, described: Mapping[str, Any], path: tuple[Any, ...]
) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The texts in data that its schema says are of a kind, with their places."""
    name = described.get("$ref", "").rpartition("/")[2]
    if name == kind:
        yield path, data
    elif name:
        described = schema()["$defs"][name]
    for other in described.get("anyOf", ()):
        yield from _texts(kind, data, other, path)
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _texts(kind, key, described.get("propertyNames", {}), (*path, key))
            others = described.get("additionalProperties") or {}
            part = described.get("properties", {}).get(key, others)
            yield from _texts(kind, value, part, (*path, key))
    elif isinstance(data, list):
        first = described.get("prefixItems", ())
        for at, value in enumerate(data):
            part = first[at] if at < len(first) else described.get("items", {})
            yield from _texts(kind, value, part, (*path, at))


def _spellings(data: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str, str]]:
    """What stands in a rule instead of what regular expressions fit, with these and their
    places."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        if key == "parts":
            groups = "".join(rf"\{number}" for number, _ in enumerate(value["as"], 1))
            yield (*path, key, "like"), value["like"], groups
        elif key == "transformed":
            for at, one in enumerate(value["by"]):
                if isinstance(one, dict):
                    yield from (((*path, key, "by", at, p), p, new) for p, new in one.items())
        elif key == "as" and "respell" in data:
            yield from (((*path, key, pattern), pattern, new) for pattern, new in value.items())
        elif isinstance(value, dict | list) and key != "examples":
            yield from _spellings(value, (*path, key))
