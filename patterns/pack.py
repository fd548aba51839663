"""Pack: YAML files of rules, checked, put together and compiled. Loading one runs no code."""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pinsetter.analyzer.problem import Problem
from pinsetter.analyzer.syntax import SyntaxProblem, parse

from .check import complaints
from .code import Pattern, PatternProblem, compile_code, compile_query
from .reading import PackFile, read, suggestion


@dataclass(frozen=True)
class Example:
    """A rule's test: ``after`` is None for code that the rule must leave as it is, silently or, if
    ``reported``, with a report. ``warns`` is what a warning or the report must say."""

    before: str
    after: str | None
    reported: bool
    line: int
    warns: str = ""


@dataclass(frozen=True)
class Rule:
    """One rule. ``where``, ``edit`` and ``warn`` are as in the pack; the schema describes them.

    ``option`` names the option that it is for, ``unless`` the one that puts it off; ``path`` is the
    file that has it.
    """

    id: str
    title: str
    why: str
    pattern: Pattern
    where: tuple[Any, ...]
    edits: tuple[Mapping[str, Any], ...]
    fresh: Mapping[str, str]
    let: Mapping[str, tuple[Mapping[str, Any], ...]]
    provides: str
    requires: tuple[str, ...]
    warn: tuple[Mapping[str, Any], ...]
    report: str | None
    refuse: bool
    shared: bool
    starts: bool
    option: str | None
    unless: str | None
    examples: tuple[Example, ...]
    path: Path
    line: int


@dataclass(frozen=True)
class Pack:
    """``imports`` maps an alias used in templates and patterns to the module it stands for, and
    others that have the same names in them; ``beside`` which of them files import that import
    another module. ``options`` are what a run may be told to do, with what
    that is; ``definitions`` the functions and classes that templates may call, with their code;
    ``includes`` the files of the parts. ``essential`` names rules, or what they provide, without
    which a program is refused, with what would go wrong."""

    name: str
    path: Path
    is_part: bool
    summary: str
    training_api: str | None
    refuses: Mapping[str, str]
    essential: Mapping[str, str]
    options: Mapping[str, str]
    imports: Mapping[str, tuple[str, ...]]
    beside: Mapping[str, str]
    roles: Mapping[str, tuple[str, ...]]
    functions: Mapping[str, tuple[str, ...]]
    definitions: Mapping[str, str]
    includes: tuple[Path, ...]
    rules: tuple[Rule, ...]

    def rule(self, id: str) -> Rule | None:
        return next((rule for rule in self.rules if rule.id == id), None)

    @property
    def own_rules(self) -> tuple[Rule, ...]:
        """The rules that no part brought in."""
        return tuple(rule for rule in self.rules if rule.path == self.path)

    @property
    def of_modules(self) -> frozenset[str]:
        """The rules that fit a module as a whole. What a person says of one in a file (skip it,
        suppress it, reject it) is said of every rule that provides the same there: once another
        hunk is written, another rule can take its place."""
        return frozenset(rule.id for rule in self.rules if rule.pattern.is_whole_module)

    def with_options(self, given: Collection[str]) -> Pack:
        """The pack without the rules that the options leave out."""
        kept = [
            rule for rule in self.rules
            if (rule.option is None or rule.option in given) and rule.unless not in given
        ]  # fmt: skip
        return replace(self, rules=tuple(kept))


_FOLDER = Path(str(importlib.resources.files(f"{__package__}.packs")))


def find(name: str) -> Path | None:
    """The pack, or the choice of packs, called ``name`` that comes with the package."""
    return next((path for path in [*bundled(), *choices()] if path.stem == name), None)


def bundled() -> list[Path]:
    """All packs that come with the package."""
    return sorted(_FOLDER.glob("*.yaml"))


def parts() -> list[Path]:
    """All parts that come with the package, for packs to include."""
    return sorted(_FOLDER.glob("horovod/*.yaml"))


def choices() -> list[Path]:
    """All choices of packs that come with the package."""
    return sorted(_FOLDER.glob("choices/*.yaml"))


def load_all(path: Path) -> tuple[Pack, ...] | list[Problem]:
    """Read a pack, or all packs of a choice, each of which is for another kind of program."""
    file = read(path)
    if isinstance(file, list):
        return file
    if file.is_part:
        hint = "give a pack that includes it"
        return [file.problem("a part is no pack of its own", "part", hint=hint)]
    loaded: list[Pack] = []
    problems: list[Problem] = []
    for name in file.data.get("choose", [path.name]):
        chosen = (path.parent / name).resolve()
        pack = load(chosen)
        if isinstance(pack, list):
            problems += pack
        elif pack.is_part:
            hint = "choose packs that include it"
            problems.append(file.problem(f"{name!r} is a part", "choose", hint=hint))
        else:
            loaded.append(pack)
    return problems or tuple(loaded)


def load(path: Path) -> Pack | list[Problem]:
    """Read a pack with what it includes; every mistake is a Problem with its file and line.

    A part can be loaded by itself, too, to test its rules; what they require is then not asked.
    """
    files: dict[Path, PackFile] = {}
    problems = _collect(path, files)
    if not problems and "choice" in files[path].data:
        problems = [files[path].problem("a choice is no pack", "choice", hint="choose packs")]
    return problems or _build(list(files.values()))


def _collect(path: Path, into: dict[Path, PackFile]) -> list[Problem]:
    """Read a file and, before it, what it includes; each file once."""
    file = read(path)
    if isinstance(file, list):
        return file
    problems: list[Problem] = []
    into[path] = file  # so that a circle of inclusions ends
    for at, name in enumerate(file.data.get("include", [])):
        included = (path.parent / name).resolve()
        if included in into:
            continue
        if not included.is_file():
            near = [p.relative_to(path.parent).as_posix() for p in path.parent.glob("*/*.yaml")]
            hint = suggestion(name, near) if near else "give a path from this file's folder"
            problems.append(file.problem(f"there is no file {name!r}", "include", at, hint=hint))
            continue
        found = _collect(included, into)
        problems += found
        if not found and not into[included].is_part:
            hint = "only a file with the key `part` can be included"
            problems.append(file.problem(f"{name!r} is a pack", "include", at, hint=hint))
    into[path] = into.pop(path)
    return problems


_PATTERN_HINT = "a pattern is one expression or statement with $name and $...names"
_QUERY_HINT = "as in power< 'take' trailer< '(' count=any ')' > >"


def _build(files: list[PackFile]) -> Pack | list[Problem]:
    """A pack, the last of ``files``, with the parts that it includes."""
    own = files[-1]
    head = {key: _merged(files, key) for key in _SHARED}
    imports = {alias: _listed(names) for alias, names in head["imports"].items()}
    beside = {
        module: other
        for names in head["imports"].values() if isinstance(names, list)
        for name in names if isinstance(name, dict)
        for module, other in name.items()
    }  # fmt: skip
    meanings = {alias: names[0] for alias, names in imports.items()}
    problems = _wrong_definitions(files)
    rules: list[Rule] = []
    places = [(file, at, raw["id"]) for file in files for at, raw in enumerate(file.data["rules"])]
    ids = [id for _, _, id in places]
    provided = {raw["provides"] for f in files for raw in f.data["rules"] if "provides" in raw}
    for number, (file, at, id) in enumerate(places):
        first, first_at, _ = places[ids.index(id)]
        if ids.index(id) != number:
            line = first.places.line("rules", first_at, "id")
            where = f"on line {line}" if first is file else f"in {first.path}, line {line}"
            problems.append(file.problem(f"the rule id {id!r} is used twice", "rules", at, "id",
                                         hint=f"the first is {where}"))  # fmt: skip
        given = file.data["rules"][at]
        raw = {**given, "let": {**_used(head["let"], given), **given.get("let", {})}}
        known = [] if own.is_part else [*ids, *provided]
        made = _rule(file, at, raw, meanings, known, head["options"])
        if isinstance(made, Rule):
            rules.append(made)
        else:
            problems += made
    if problems:
        return problems
    return Pack(
        name=own.data.get("pack") or own.data["part"],
        path=own.path,
        is_part=own.is_part,
        summary=" ".join(own.data["summary"].split()),
        training_api=own.data.get("applies_to", {}).get("training_api"),
        refuses={api: " ".join(why.split()) for api, why in head["refuses"].items()},
        essential={name: " ".join(why.split()) for name, why in head["essential"].items()},
        options={name: " ".join(text.split()) for name, text in head["options"].items()},
        imports=imports,
        beside=beside,
        roles={name: tuple(classes) for name, classes in head["roles"].items()},
        functions={name: tuple(names) for name, names in head["functions"].items()},
        definitions=head["definitions"],
        includes=tuple(file.path for file in files[:-1]),
        rules=tuple(rules),
    )


def _wrong_definitions(files: list[PackFile]) -> list[Problem]:
    problems = []
    for file in files:
        for name, code in file.data.get("definitions", {}).items():
            try:
                parse(code)
            except SyntaxProblem as error:
                reason = f"the definition of {name!r} is not Python: {error.reason}"
                problems.append(file.problem(reason, "definitions", name, hint="see its line "
                                             f"{error.line}"))  # fmt: skip
    return problems


_CODE = ("unchanged", "reported", "before")
_SHARED = (
    "imports", "roles", "functions", "definitions", "let", "refuses", "essential", "options",
)  # fmt: skip


def _merged(files: list[PackFile], key: str) -> dict[str, Any]:
    """What the head's mappings say together; who includes has the last word."""
    return {name: value for file in files for name, value in file.data.get(key, {}).items()}


def _listed(names: str | list[str | dict[str, str]]) -> tuple[str, ...]:
    if isinstance(names, str):
        return (names,)
    return tuple(name if isinstance(name, str) else next(iter(name)) for name in names)


def _rule(
    file: PackFile,
    at: int,
    raw: Mapping[str, Any],
    meanings: Mapping[str, str],
    ids: list[str],
    options: Mapping[str, str],
) -> Rule | list[Problem]:
    """Compile the rule at an index of a file. ``ids`` are those that it may require; none if that
    is not known."""
    problems: list[Problem] = []

    def complain(reason: str, *spot: Any, hint: str = "") -> None:
        problems.append(file.problem(reason, "rules", at, *spot, hint=hint))

    for required in raw.get("requires", []):
        if ids and required not in ids:
            complain(f"requires unknown rule {required!r}", "requires",
                     hint=suggestion(required, ids))  # fmt: skip
    for key in ("option", "unless"):
        if key in raw and raw[key] not in options:
            hint = suggestion(raw[key], list(options)) if options else "name it under `options`"
            complain(f"unknown option {raw[key]!r}", key, hint=hint)
    for spot, code in _embedded_patterns(raw, ()):
        try:
            compile_code(code, meanings)
        except PatternProblem as error:
            complain(f"{raw['id']}: {error}", *spot, hint=_PATTERN_HINT)
    try:
        pattern = (
            compile_code(raw["match"], meanings) if "match" in raw else compile_query(raw["query"])
        )
    except PatternProblem as error:
        key = "match" if "match" in raw else "query"
        hint = _PATTERN_HINT if key == "match" else _QUERY_HINT
        complain(f"{raw['id']}: {error}", key, hint=hint)
        return problems
    for complaint in complaints(raw, pattern.names):
        complain(f"{raw['id']}: {complaint.reason}", *complaint.spot, hint=complaint.hint)
    if problems:
        return problems
    edit = raw.get("edit", [])
    return Rule(
        id=raw["id"],
        title=raw["title"],
        why=" ".join(raw["why"].split()),
        pattern=pattern,
        where=tuple(raw.get("where", [])),
        edits=tuple(edit if isinstance(edit, list) else [edit]),
        fresh=raw.get("fresh", {}),
        let={name: tuple(cases) for name, cases in raw.get("let", {}).items()},
        provides=raw.get("provides", raw["id"]),
        requires=tuple(raw.get("requires", [])),
        warn=tuple(raw.get("warn", [])),
        report=" ".join(raw["report"].split()) if "report" in raw else None,
        refuse=raw.get("refuse", False),
        shared=raw.get("shared", False),
        starts=raw.get("starts", False),
        option=raw.get("option"),
        unless=raw.get("unless"),
        examples=tuple(
            Example(
                next(example[key] for key in _CODE if key in example),
                example.get("after"),
                "reported" in example,
                file.places.line("rules", at, "examples", number),
                example.get("warns", ""),
            )
            for number, example in enumerate(raw["examples"])
        ),
        path=file.path,
        line=file.places.line("rules", at),
    )


def _used(let: dict[str, Any], rule: dict[str, Any]) -> dict[str, Any]:
    """Those of the pack's own ``let`` that the rule's edits mention."""
    text = json.dumps(rule.get("edit", []))
    return {name: cases for name, cases in let.items() if f"${name}" in text}


def _embedded_patterns(data: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The code patterns in a rule's conditions, with their places."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        if key == "matches":
            yield from (((*path, key), code) for code in value.values())
        elif key == "present":
            yield (*path, key), value["code"]
        elif isinstance(value, dict | list) and key != "examples":
            yield from _embedded_patterns(value, (*path, key))
