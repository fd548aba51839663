"""FilledTemplates: the templates of one application, filled in with what its match captures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pinsetter.analyzer.names.scopes import BUILTINS
from pinsetter.analyzer.syntax.tree import Expression

from ..edits.fragment import Fragment
from ..edits.rendering import (
    BLOCK,
    KEPT,
    Filling,
    Misfit,
    Rendered,
    around,
    captured,
    check_left,
    render,
    written,
)
from ..edits.template import LET, Kind, Template, read_template
from ..matching.match import Match
from ..matching.matched import Matched
from ..packs.own_python import PackCodeError, called
from ..predicates import satisfies

if TYPE_CHECKING:
    from .module_rules import ModuleRules


class FilledTemplates:
    """``used`` are the aliases and definitions that they need and the file does not have, ``names``
    what stands for a name in each of them, whatever is captured."""

    def __init__(self, rules: ModuleRules, match: Match) -> None:
        self.rules = rules
        self.match = match
        self.tree = rules.module.tree
        self.layout = rules.layout
        self.used: set[str] = set()
        self.names: dict[str, Filling] = {}

    def let(self, cases: Sequence[Mapping[str, Any]]) -> Filling:
        """What a name of the rule's own stands for, by the first case that holds."""
        for case in cases:
            chosen = satisfies(self.match, case.get("if", ()))
            if chosen is not None:
                text = case["is"] if "is" in case else self._own_text(chosen, case["python"])
                return written(self.render(chosen, read_template(text, *LET)).text)
        raise ValueError(
            f"{self.match.rule.id}: no case of a let holds; end it with one without if"
        )

    def _own_text(self, match: Match, name: str) -> str:
        """What a function of the pack's own Python makes of a match. Raises Misfit if it makes
        nothing."""
        assert match.rule.python is not None
        found = called(match.rule.python, name, Matched(match))
        if found is None:
            raise Misfit(f"{name} makes nothing of it")
        try:
            read_template(str(found), *LET)
        except ValueError as error:
            where = f"{match.rule.python}: {name} returns {str(found)!r}"
            raise PackCodeError(f"{where}: {error}") from None
        return str(found)

    def render(
        self,
        match: Match,
        template: Template,
        kept: Expression = (),
        newline: str = "",
        bracketed: bool = False,
    ) -> Rendered:
        """The text of a template. Raises Misfit where it cannot be filled in."""

        def fill(name: str) -> Filling:
            if name in self.names:
                return self.names[name]
            if name in match.rule.fresh:
                return self._fresh(name)
            if name == "it" and kept:
                return around(kept)
            if name in match.texts:
                return written(Fragment(match.texts[name], match.slots[name]))
            found = captured(match.capture(name), self.tree)
            check_left(found, match.expression)
            return found

        names = self._local(match, template)
        newline = newline or self.layout.newline
        return render(template, fill, names, self.tree.text, newline, bracketed)

    def _local(self, match: Match, template: Template) -> dict[str, str]:
        """What the file calls the pack's imports and definitions that a template names."""
        rules = self.rules
        self._check_builtins(match, template)
        at_start = any(edit.get("place") == "start" for edit in match.rule.edits)
        place = self.tree.start(match.node)
        if not rules.runs_at_import(match):
            place = len(self.tree.text)
        defined = template.names(rules.pack.definitions)
        self.used.update(defined)
        found = {name: rules.names.definitions[name] for name in defined}
        for alias in sorted(template.names(rules.pack.imports)):
            aliases = rules.names.aliases
            members = template.members(alias)
            inner = None if at_start else aliases.of_function(alias, match.node, members)
            found[alias] = inner or aliases.local(
                alias, self.used, rules.start if at_start else place, members
            )
            if not at_start and inner is None:
                _check_not_shadowed(found[alias], match)
        return found

    def _check_builtins(self, match: Match, template: Template) -> None:
        """Raise Misfit if one of Python's own names in a template is something else there."""
        scope = match.module.scope_of(match.node)
        own = {*self.rules.pack.imports, *self.rules.pack.definitions, *self.names}
        for name in sorted(template.names(BUILTINS - own)):
            for binding in scope.lookup(name):
                values = self.rules.facts.evaluator.binding(binding, match.module)
                if not values.names or values.names - {f"builtins.{name}", f"six.moves.{name}"}:
                    raise Misfit(f"{name} is something else there")

    def lines(self, match: Match, template: str) -> list[Fragment]:
        """The template's lines; what a capture brings along, such as a string of several lines, is
        not the template's to indent."""
        lines = self.rendered(match, template)
        if any(BLOCK in line.text for line in lines):
            raise Misfit("statements are only put back where the statement around is replaced")
        return lines

    def rendered(self, match: Match, template: str) -> list[Fragment]:
        """The same, with marks for the blocks that are put back."""
        read = read_template(template.rstrip("\n"), Kind.CODE)
        return self.render(match, read, newline=KEPT).text.split(KEPT)

    def _fresh(self, name: str) -> Filling:
        """A name that the file does not have, one for all applications with the same ``per``; none
        is taken before a template has it."""
        wanted = self.match.rule.fresh[name]
        if isinstance(wanted, str):
            found = self.rules.names.fresh(wanted)
        else:
            place = self.match.capture(wanted["per"])
            found = self.rules.names.fresh(wanted["name"], id(place[0]) if place else None)
        return self.names.setdefault(name, written(Fragment(found)))


def _check_not_shadowed(spelling: str, match: Match) -> None:
    """Raise Misfit if what the module calls an import is a function's own variable where it is to
    be written."""
    name = spelling.partition(".")[0]
    owner = match.module.scope_of(match.node).owner(name)
    if owner is not None and owner is not match.module.scopes.module:
        raise Misfit(f"{name} is something else there")
