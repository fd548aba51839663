"""Pack: YAML files of rules, checked, put together and compiled. Loading one runs no code."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.analyzer.roles.role import Role, default_roles

from ..reading.pack_head import HOME, PLACES, is_member, listed, listed_options, used_let
from ..reading.qualified_names import classes_of, names_in, qualified
from ..reading.wording import suggestion
from ..reading.yaml_file import NO_VALUES, PackFile, once, read
from .lifted import Forms
from .looked_for import LookedFor
from .pack_files import FOLDER
from .passes import Pass, wrong_passes

if TYPE_CHECKING:
    from ..reading.pattern import Pattern


@dataclass(frozen=True)
class Example:
    """A rule's test: ``after`` is None for code that the rule must leave as it is, silently or, if
    ``reported``, with a report. ``warns`` is what a warning or the report must say; ``options``
    are the pack's that are chosen."""

    before: str
    after: str | None
    reported: bool
    line: int
    warns: str = ""
    options: tuple[str, ...] = ()


UNUSED = "unused-import"


def _target(edit: Mapping[str, Any]) -> str:
    """What an edit is done to."""
    return str(next((edit[key] for key in PLACES if key in edit), "$match"))


@dataclass(frozen=True)
class Rule:
    """One rule. ``where``, ``edit`` and ``warn`` are as in the pack; the schema describes them.

    ``done`` are the conditions under which a module has what the rule would do already, None where
    the pack does not say. ``leave`` says of which programs that it reports on nothing is rewritten:
    of all of them (``always``), or of those that lack nothing essential (``complete``).
    ``asks_arguments`` is set if it says itself for which ``*args`` and ``**kwargs`` it is; others
    add no argument where there are such. ``option``
    names the option that it is for, ``unless`` those that put it off; ``path`` is the file that
    has it, ``python`` that with the functions of its own.
    """

    id: str
    title: str
    why: str
    looks_for: LookedFor
    where: tuple[Any, ...]
    asks_arguments: bool
    edits: tuple[Mapping[str, Any], ...]
    fresh: Mapping[str, str | Mapping[str, str]]
    let: Mapping[str, tuple[Mapping[str, Any], ...]]
    provides: str
    requires: tuple[str, ...]
    done: tuple[Any, ...] | None
    warn: tuple[Mapping[str, Any], ...]
    report: str | None
    refuse: bool
    leave: str | None
    hazard: bool
    shared: bool
    starts: bool
    dispensable: bool
    option: str | None
    unless: tuple[str, ...]
    many: Mapping[str, Any] | None
    examples: tuple[Example, ...]
    path: Path
    line: int
    python: Path | None = None

    @property
    def pattern(self) -> Pattern:
        return self.looks_for.pattern

    @cached_property
    def is_of_whole_match(self) -> bool:
        """Whether one way in which the pattern fits is enough: not where what is done is done to
        captures, of which each way has others."""
        if self.report is not None or not self.edits:
            return True
        return any(_target(edit) == "$match" for edit in self.edits)

    @cached_property
    def lifts(self) -> tuple[str, ...]:
        """The captures whose blocks become functions."""
        return tuple(edit["lift"] for edit in self.edits if "lift" in edit)

    @cached_property
    def is_of_entry(self) -> bool:
        """Whether it is for the entry scripts of programs alone."""
        return {"entry": True} in self.where

    @property
    def is_of_imports(self) -> bool:
        """Whether it is the one that takes imports away which nothing uses any more: no code fits
        it, and what it does follows from what the others do."""
        return not self.looks_for.code

    @property
    def renamed(self) -> str:
        """The qualified name that gets another; empty if it is no such rule."""
        return self.looks_for.renamed


@dataclass(frozen=True)
class Parameter:
    """A text that a run may give a pack, or, without a ``default``, must give; ``one_of`` are those
    that it may be, any if there are none: rules may be for one of them alone, as with
    `option: style=cells`."""

    summary: str
    default: str | None
    one_of: tuple[str, ...]

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Parameter:
        summary = " ".join(raw["summary"].split())
        return cls(summary, raw.get("default"), tuple(raw.get("one_of", ())))


@dataclass(frozen=True)
class Pack:
    """``imports`` maps an alias used in templates and patterns to the module it stands for, and
    others that have the same names in them; ``members`` are those that stand for a name of a
    module, which is imported by `from`; ``beside`` which of them files import that import
    another module. ``options`` are what a run may be told to do, with what that is, ``implied``
    what each of them chooses with it, ``chosen`` those that it is told; ``parameters`` are the
    texts that it may be given, ``texts`` those that it was; ``definitions`` the code that templates
    may name; ``lifted`` what it writes instead of ``if`` and loops whose blocks are functions;
    ``removes`` what imports go that nothing uses any more, all if it names none; ``places``
    whether a run has to say for which places it is; ``passes`` the packs that make of a
    function what an edit says is passed; ``includes`` the files of the parts;
    ``classes`` what it takes for classes, of any library, ``types`` what calls and attributes of
    libraries give. ``remarks`` are worth telling a pack's author. ``essential`` names rules, or
    what they provide, without which a program is refused, with what would go wrong."""

    name: str
    path: Path
    is_part: bool
    summary: str
    training_apis: frozenset[str]
    refuses: Mapping[str, str]
    essential: Mapping[str, str]
    options: Mapping[str, str]
    implied: Mapping[str, tuple[str, ...]]
    parameters: Mapping[str, Parameter]
    imports: Mapping[str, tuple[str, ...]]
    members: frozenset[str]
    beside: Mapping[str, str]
    roles: Mapping[str, tuple[str, ...]]
    functions: Mapping[str, tuple[str, ...]]
    classes: frozenset[str]
    types: Mapping[str, str]
    definitions: Mapping[str, str]
    lifted: Forms | None
    removes: frozenset[str]
    places: bool
    passes: tuple[Pass, ...]
    includes: tuple[Path, ...]
    rules: tuple[Rule, ...]
    chosen: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[Problem, ...] = ()

    def is_for(self, apis: Collection[str]) -> bool:
        """Whether it is for programs that train by just these: by the one, or by all of several,
        that it names; a pack that names none is for any code."""
        return not self.training_apis or self.training_apis == frozenset(apis)

    @property
    def is_about_programs(self) -> bool:
        """Whether what it proposes for a file depends on the programs that the file is part of."""
        return bool(self.training_apis or self.essential) or any(
            rule.leave or rule.refuse or rule.requires for rule in self.rules
        )

    def rule(self, id: str) -> Rule | None:
        return next((rule for rule in self.rules if rule.id == id), None)

    def role_called(self, name: str) -> Role:
        """A role of the domains, unless the pack means other classes by that; or a class."""
        known = next((role for role in default_roles() if role.name == name), None)
        classes = self.roles.get(name, (name,))
        return known if known is not None and known.isa in ((), classes) else Role(name, classes)

    def classes_called(self, names: Iterable[str]) -> list[str]:
        """The classes that names of roles and classes stand for."""
        return [cls for name in names for cls in self.roles.get(name, (name,))]

    def called(self, name: str) -> list[Rule]:
        """The rules with this id, or that provide this."""
        return [rule for rule in self.rules if name in (rule.id, rule.provides)]

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
        """The pack with options chosen, and those that they imply, without the rules that these
        leave out."""
        told = dict(one.split("=", 1) for one in given if "=" in one)
        new = {name for name in given if "=" not in name}
        for name, one in self.parameters.items():
            if one.one_of:
                new.add(f"{name}={told.get(name, self.texts.get(name, one.default))}")
        chosen = set[str]()
        while new:
            chosen |= new
            new = {other for name in new for other in self.implied.get(name, ())} - chosen
        kept = [
            rule for rule in self.rules
            if (rule.option is None or rule.option in chosen) and not chosen & {*rule.unless}
        ]  # fmt: skip
        return replace(self, rules=tuple(kept), chosen=frozenset(chosen))


def _summary(option: str | Mapping[str, Any]) -> str:
    return " ".join((option if isinstance(option, str) else option["summary"]).split())


_OWN = "pinsetter:"


def load_all(path: Path, given: Mapping[str, str] = NO_VALUES) -> tuple[Pack, ...] | list[Problem]:
    """Read a pack, or all packs of a choice, each of which is for another kind of program.
    ``given`` are values of parameters."""
    file = read(path, given)
    if isinstance(file, list):
        return file
    if file.is_part:
        hint = "give a pack that includes it"
        broken = load(path, given)
        alone = [file.problem("a part is no pack of its own", "part", hint=hint)]
        return broken if isinstance(broken, list) else alone
    if "choose" not in file.data:
        pack = load(path, given)
        return pack if isinstance(pack, list) else (pack,)
    loaded: list[Pack] = []
    problems = list(file.problems)
    for name in file.data["choose"]:
        pack = load(_beside(path, name), given)
        if isinstance(pack, list):
            problems += pack
        elif pack.is_part:
            hint = "choose packs that include it"
            problems.append(file.problem(f"{name!r} is a part", "choose", hint=hint))
        else:
            loaded.append(pack)
    # A part that several packs include is wrong once.
    return list(dict.fromkeys(problems)) or tuple(loaded)


def load(
    path: Path, given: Mapping[str, str] = NO_VALUES, text: bytes | None = None
) -> Pack | list[Problem]:
    """Read a pack with what it includes; every mistake is a Problem with its file and line.
    ``given`` are values of parameters; the others have their defaults, or those of the examples;
    ``text`` is what the file will say once it is saved.

    A part can be loaded by itself, too, to test its rules; what they require is then not asked.
    """
    files: dict[Path, PackFile] = {}
    problems = _collect(path, files, given, text)
    if not problems and "choice" in files[path.resolve()].data:
        file = files[path.resolve()]
        problems = [*file.problems, file.problem("a choice is no pack", "choice",
                                                 hint="choose packs")]  # fmt: skip
    found = problems or _build(list(files.values()))
    return replace(found, texts=dict(given)) if isinstance(found, Pack) else found


def _beside(path: Path, name: str) -> Path:
    """A file named from another's folder, by the path of that as it was given; one that comes with
    the package by `pinsetter:` and its path there."""
    if name.startswith(_OWN):
        return FOLDER / name.removeprefix(_OWN)
    found = path.parent / name
    short = Path(os.path.normpath(found))
    return short if short.resolve() == found.resolve() else found


def _collect(
    path: Path,
    into: dict[Path, PackFile],
    given: Mapping[str, str],
    text: bytes | None = None,
) -> list[Problem]:
    """Read a file and, before it, what it includes; each file once, by its resolved path."""
    file = read(path, given, text)
    if isinstance(file, list):
        return file
    problems: list[Problem] = []
    into[path.resolve()] = file  # so that a circle of inclusions ends
    for at, name in enumerate(file.data.get("include", [])):
        included = _beside(path, name)
        if included.resolve() in into:
            continue
        if not included.is_file():
            near = [p.relative_to(path.parent).as_posix() for p in path.parent.glob("*/*.yaml")]
            hint = suggestion(name, near) if near else "give a path from this file's folder"
            problems.append(file.problem(f"there is no file {name!r}", "include", at, hint=hint))
            continue
        found = _collect(included, into, given)
        problems += found
        if not found and not into[included.resolve()].is_part:
            hint = "only a file with the key `part` can be included"
            problems.append(file.problem(f"{name!r} is a pack", "include", at, hint=hint))
    into[path.resolve()] = into.pop(path.resolve())
    return problems


def _build(files: list[PackFile]) -> Pack | list[Problem]:
    """A pack, the last of ``files``, with the parts that it includes."""
    own = files[-1]
    remarks: list[Problem] = []
    problems = [problem for file in files for problem in file.problems]
    problems += filter(None, map(_too_old, files))
    problems += _same_ids(files)
    problems += wrong_passes(own, load)
    if own.data.get("removes_imports") and any(UNUSED in _ids(file) for file in files):
        hint = "call your own otherwise"
        problems.append(own.problem(f"a rule is called {UNUSED}", "removes_imports", hint=hint))
    if not (problems or own.is_part or any(file.data.get("rules") for file in files)):
        hint = "write one, or include a part that has some"
        problems.append(own.problem("there is no rule", "rules", hint=hint))

    def check() -> bool:
        # What comes with the package was checked before, and need not wait for this.
        from ..checking.pack_checks import check_files

        found, told = check_files(files)
        problems.extend(found)
        remarks.extend(told)
        return not found

    once(files, check)
    if problems:
        order = {file.path: number for number, file in enumerate(files)}
        return sorted(problems, key=lambda p: (order.get(p.path, len(order)), p.line, p.column))
    head = {key: _merged(files, key) for key in _SHARED}
    head["roles"] = {**_asked_roles(files), **head["roles"]}
    imports = {alias: listed(names) for alias, names in head["imports"].items()}
    beside = {
        module: other
        for names in head["imports"].values() if isinstance(names, list)
        for name in names if isinstance(name, dict)
        for module, other in name.items()
    }  # fmt: skip
    meanings = {alias: names[0] for alias, names in imports.items()}
    imports |= _homes((raw for file in files for raw in file.data.get("rules", ())), imports)
    rules = [
        _rule(file, at, {**raw, "let": {**used_let(head["let"], raw), **raw.get("let", {})},
                         "where": [*raw.get("where", ()), *file.data.get("where", ())]}, meanings)
        for file in files for at, raw in enumerate(file.data.get("rules", ()))
    ]  # fmt: skip
    if own.data.get("removes_imports"):
        rules.append(_of_imports(own))
    return Pack(
        name=own.data.get("pack") or own.data["part"],
        path=own.path,
        is_part=own.is_part,
        summary=" ".join(own.data["summary"].split()),
        training_apis=_training_apis(own),
        refuses={api: " ".join(why.split()) for api, why in head["refuses"].items()},
        essential={name: " ".join(why.split()) for name, why in head["essential"].items()},
        options={name: _summary(one) for name, one in head["options"].items()},
        implied={
            name: tuple(one["implies"])
            for name, one in head["options"].items()
            if isinstance(one, dict) and "implies" in one
        },
        parameters={name: Parameter.of(raw) for name, raw in head["parameters"].items()},
        imports=imports,
        members=frozenset(a for a, names in head["imports"].items() if is_member(names)),
        beside=beside,
        roles={name: tuple(classes) for name, classes in head["roles"].items()},
        functions={name: tuple(names) for name, names in head["functions"].items()},
        classes=classes_of(
            (raw for file in files for raw in file.data.get("rules", ())),
            head["roles"],
            (
                name.removesuffix("()").rpartition(".")[0]
                for name in (*(rule.renamed for rule in rules), *head["types"])
            ),
        ),
        types=head["types"],
        definitions=head["definitions"],
        lifted=Forms.of(head["lifted"]),
        removes=frozenset(_listed(own.data.get("removes_imports"))),
        places=bool(own.data.get("places")),
        passes=tuple(Pass.of(one, own.path.parent) for one in own.data.get("passes", ())),
        includes=tuple(file.path for file in files[:-1]),
        rules=tuple(rules),
        remarks=tuple(remarks),
    )


def _homes(
    rules: Iterable[Mapping[str, Any]], imports: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Aliases for the modules that names go to by `rename`, where the pack names none."""
    found: dict[str, tuple[str, ...]] = {}
    known = {name for names in imports.values() for name in names}
    for raw in rules:
        edit = raw.get("edit", ())
        for one in edit if isinstance(edit, list) else [edit]:
            home = qualified(one["to"], imports).rpartition(".")[0] if "to" in one else ""
            if home and home not in known:
                found[f"{HOME}{len(found)}__{home.rpartition('.')[2]}"] = (home,)
                known.add(home)
    return found


def _too_old(file: PackFile) -> Problem | None:
    """What is wrong if a file is for another version of this program."""
    wanted = file.data.get("requires_pinsetter")
    if wanted is None:
        return None
    # Few packs say it, and all would wait for these.
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    from pinsetter import __version__

    try:
        if SpecifierSet(wanted).contains(__version__, prereleases=True):
            return None
    except InvalidSpecifier:
        return file.problem(f"{wanted!r} is no version", "requires_pinsetter",
                            hint="as in '>=0.1'")  # fmt: skip
    return file.problem(f"it is for pinsetter {wanted}, and this is {__version__}",
                        "requires_pinsetter", hint="install such a version")  # fmt: skip


def _training_apis(file: PackFile) -> frozenset[str]:
    named = file.data.get("applies_to", {}).get("training_api", [])
    return frozenset([named] if isinstance(named, str) else named)


def _ids(file: PackFile) -> set[object]:
    rules = file.data.get("rules")
    return {raw.get("id") for raw in rules} if isinstance(rules, list) else set()


def _same_ids(files: list[PackFile]) -> list[Problem]:
    problems = []
    seen: dict[str, tuple[PackFile, int]] = {}
    for file in files:
        rules = file.data.get("rules")
        for at, raw in enumerate(rules if isinstance(rules, list) else []):
            if "id" not in raw:
                continue
            first, first_at = seen.setdefault(raw["id"], (file, at))
            if (first, first_at) != (file, at):
                line = first.places.line("rules", first_at, "id")
                where = f"on line {line}" if first is file else f"in {first.path}, line {line}"
                problems.append(file.problem(f"the rule id {raw['id']!r} is used twice", "rules",
                                             at, "id", hint=f"the first is {where}"))  # fmt: skip
    return problems


_CODE = ("unchanged", "reported", "before")
_SHARED = (
    "imports", "roles", "functions", "types", "definitions", "let", "refuses", "essential",
    "options", "parameters", "lifted",
)  # fmt: skip


def _merged(files: list[PackFile], key: str) -> dict[str, Any]:
    """What the head's mappings say together; who includes has the last word."""
    return {name: value for file in files for name, value in file.data.get(key, {}).items()}


def _asked_roles(files: list[PackFile]) -> dict[str, tuple[str, ...]]:
    """The classes of those roles of the domains that a condition names."""
    known = {role.name: role.isa for role in default_roles() if role.isa}
    asked = {name.text for file in files for rule in file.data.get("rules", ())
             for name in names_in(rule)}  # fmt: skip
    return {name: classes for name, classes in known.items() if name in asked}


def _asks(conditions: Any, predicate: str) -> bool:
    """Whether a predicate is among conditions, or in one of them."""
    if isinstance(conditions, dict):
        return predicate in conditions or _asks([*conditions.values()], predicate)
    return isinstance(conditions, list) and any(_asks(one, predicate) for one in conditions)


def _listed(removed: bool | list[str] | None) -> list[str]:
    return removed if isinstance(removed, list) else []


def _of_imports(file: PackFile) -> Rule:
    """The rule that takes away imports which nothing uses any more."""
    raw = {"id": UNUSED, "title": "Remove an import", "why": "Nothing uses it any more.",
           "query": "pass_stmt", "examples": ()}  # fmt: skip
    line = file.places.line("removes_imports")
    return replace(_rule(file, 0, raw, {}), looks_for=LookedFor(""), line=line)


def _rule(file: PackFile, at: int, raw: Mapping[str, Any], meanings: Mapping[str, str]) -> Rule:
    """The rule at an index of a file in which nothing is wrong."""
    edit = raw.get("edit", [])
    edits = edit if isinstance(edit, list) else [edit]
    is_query, renames = "match" not in raw, any("rename" in one for one in edits)
    code = raw["query" if is_query else "match"]
    return Rule(
        id=raw["id"],
        title=raw["title"],
        why=" ".join(raw["why"].split()),
        looks_for=LookedFor(code, meanings, is_query, renames),
        where=tuple(raw.get("where", [])),
        asks_arguments=_asks(raw.get("where", []), "plain_arguments"),
        edits=tuple(edits),
        fresh=raw.get("fresh", {}),
        let={name: tuple(cases) for name, cases in raw.get("let", {}).items()},
        provides=raw.get("provides", raw["id"]),
        requires=tuple(raw.get("requires", [])),
        done=tuple(raw["done"]) if "done" in raw else None,
        warn=tuple(raw.get("warn", [])),
        report=" ".join(raw["report"].split()) if "report" in raw else None,
        refuse=raw.get("refuse", False),
        leave=raw.get("leave"),
        hazard=raw.get("hazard", False),
        shared=raw.get("shared", False),
        starts=raw.get("starts", False),
        dispensable=raw.get("dispensable", False),
        option=raw.get("option"),
        unless=listed_options(raw.get("unless", ())),
        many=raw.get("many"),
        examples=tuple(
            Example(
                next(example[key] for key in _CODE if key in example),
                example.get("after"),
                "reported" in example,
                file.places.line("rules", at, "examples", number),
                example.get("warns", ""),
                tuple(example.get("options", ())),
            )
            for number, example in enumerate(raw["examples"])
        ),
        path=file.path,
        line=file.places.line("rules", at),
        python=(file.path.parent / file.data["python"]).resolve()
        if "python" in file.data
        else None,
    )
