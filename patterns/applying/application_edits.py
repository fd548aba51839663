"""ApplicationEdits: what one application of a rule changes, from its templates and captures."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.syntax.tree import (
    LN,
    Call,
    Expression,
    ancestors,
    first_in,
    is_statement,
    line_statement,
    lines_of,
    statement_of,
    unwrap,
)

from ..edits.edit import CLOSE, OPEN, Edit
from ..edits.fragment import Fragment, joined
from ..edits.guards import Shared
from ..edits.line_tokens import rows_of, split_at
from ..edits.precedence import GENERATOR, Code, Place, code_of, is_target, place_of
from ..edits.rebuilding import block_at, read_blocks, rebuilt, without_blocks
from ..edits.rendering import (
    BLOCK,
    KEPT,
    Filling,
    Misfit,
    Rendered,
    check_order,
    written,
)
from ..edits.template import (
    Kind,
    in_brackets,
    is_expression,
    keyword_of,
    read_template,
)
from ..matching.imported_name import import_around
from ..matching.match import Match, position
from ..predicates import satisfies
from ..reading.emitter import STATEMENTS
from ..reading.pack_head import OF_BLOCKS
from ..reading.qualified_names import qualified
from .assigned_names import readers_of
from .block_edits import BlockEdits
from .filled_templates import FilledTemplates
from .items import removed_items, renamed_arguments
from .renames import FAILED_ATTRIBUTES, check_no_attempt, renamed_import
from .respelling import respelled

if TYPE_CHECKING:
    from .module_rules import ModuleRules

_T = TypeVar("_T")
# What may stand behind the last comma of a call on its line.
_LINE_BEHIND = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)")
Rank = tuple[int, ...]


@dataclass(frozen=True)
class _Parameter:
    """A parameter's position and default; None for what is not known."""

    position: int | None
    default: str | None


class ApplicationEdits:
    def __init__(self, rules: ModuleRules, match: Match, rank: Rank) -> None:
        self.rules = rules
        self.match = match
        self.rank = rank
        self.templates = FilledTemplates(rules, match)
        self.blocks = BlockEdits(rules, self._with, self._lines_with, rank)
        self.tree = rules.module.tree
        self.layout = rules.layout

    def made(self) -> list[Edit]:
        """All edits. Raises Misfit where a template cannot be filled in."""
        for name, cases in self.match.rule.let.items():
            self.templates.names[name] = self.templates.let(cases)
        edits: list[Edit] = []
        after: dict[str, list[Fragment]] = {}
        blocks: list[Edit] = []
        removed: dict[bool, list[Expression]] = {False: [], True: []}
        named: list[tuple[Expression, str]] = []
        literals: list[Edit] = []
        for edit in self.match.rule.edits:
            if edit.get("option", "") not in ("", *self.rules.pack.chosen):
                continue
            chosen = satisfies(self.match, edit.get("if", ()))
            if chosen is None:
                continue
            if "remove" in edit:
                silent = edit.get("with_comments", False)
                removed[silent].append(chosen.capture(edit["remove"]))
            elif "keyword" in edit:
                named.append((chosen.capture(edit["of"]), edit["keyword"]))
            elif "respell" in edit:
                code = chosen.capture(edit["respell"])
                literals.extend(respelled(code, edit["as"], self.tree, self.rank))
            elif "under" in edit:
                blocks.extend(self._block(chosen, edit))
            elif (found := self._of_blocks(chosen, edit)) is not None:
                edits.extend(found)
            elif edit.get("place") == "after":
                lines = self.templates.lines(chosen, edit["insert"])
                after.setdefault(edit.get("at", "$match"), []).extend(lines)
            else:
                edits.extend(self._edit(chosen, edit))
        for place, lines in after.items():
            statement = statement_of(self.match.capture(place)[0])
            edits.extend(self._after(statement, lines))
        asked = self.match.rule.asks_arguments
        edits += renamed_arguments(named, self.rules.module, self.rank, asked)
        edits += blocks
        for silent, items in removed.items():
            edits += removed_items(items, self.layout, self.rank, silent)
        taken = dict.fromkeys(slot.source for edit in edits for slot in edit.slots)
        quoted = {slot.source for edit in edits for slot in edit.slots if slot.quoted}
        made: list[Edit] = []
        for one in edits:
            kept = tuple(s for s in taken if one.start <= s[0] and s[1] <= one.end)
            inside = tuple(span for span in kept if span in quoted)
            made.append(replace(one, kept=kept, quoted=inside) if one.end > one.start else one)
        if any(one.contradicts(literal) for one in made for literal in literals):
            raise Misfit("a literal that is respelled does not stay")
        return made + literals

    def _rewrite(self, match: Match, statement: LN, template: str) -> list[Edit]:
        """Statements instead of one, whose blocks may stand in them again."""
        lines = self.templates.rendered(match, template)
        empty = {name for name, _, _ in read_blocks(lines) if not match.capture(name)}
        lines = without_blocks(lines, empty)
        if not any(BLOCK in line.text for line in lines):
            return self.layout.replace(statement, lines, self.rank)
        blocks = {
            name: block_at(match.capture(name), self.layout)
            for name, _, _ in read_blocks(lines)
        }  # fmt: skip
        return rebuilt(statement, lines, blocks, self.layout, self.rank)

    def _block(self, match: Match, edit: Mapping[str, Any]) -> list[Edit]:
        """Lines after a statement, under a head that others at this place may have, too."""
        statement = statement_of(match.capture(edit.get("at", "$match"))[0])
        condition = self.templates.render(match, read_template(edit["under"], Kind.EXPRESSION)).text
        body = self.templates.lines(match, edit["insert"])
        tail = self.templates.lines(match, edit["then"]) if "then" in edit else []
        if statement is match.statement and position(match.expression) == "return":
            raise Misfit("what it returns would have to be kept")
        return self.layout.after(statement, body, self.rank, (["if " + condition + ":"], tail))

    def _edit(self, match: Match, edit: Mapping[str, Any]) -> list[Edit]:
        if "insert" in edit:
            lines = self.templates.lines(match, edit["insert"])
            guard = self.rules.guard if match.rule.pattern.is_whole_module else None
            if edit["place"] == "start" and guard is not None:
                return [self.layout.under(guard, lines, self.rank)]
            if edit["place"] == "start":
                return self.layout.at_start(self.rules.start, lines, self.rank)
            statement = _first_statement(match.capture(edit.get("at", "$match"))[0])
            made = self.layout.before(statement, lines, self.rank)
            return [*made[:-1], replace(made[-1], once=edit.get("once", False))]
        if "guard" in edit:
            return self._guard(match, edit["guard"], edit.get("join", False))
        if "append" in edit:
            if match.call is not None and not match.rule.asks_arguments:
                _check_seen(match.call, edit["append"].partition("=")[0].strip())
            rendered = self.templates.render(match, read_template(edit["append"], Kind.ARGUMENT))
            return self._append(match.call, rendered.text)
        if "argument" in edit:
            return self._argument(match, edit)
        if "extend" in edit:
            return self._extend(match, edit)
        if "delete" in edit:
            return self.layout.delete(self._line(edit["delete"]), self.rank)
        if "decorate" in edit:
            rendered = self.templates.render(match, read_template(edit["with"], Kind.EXPRESSION))
            definition = _definition(match.capture(edit["decorate"]))
            return self.layout.before(definition, ["@" + rendered.text], self.rank)
        if "rename" in edit:
            return self._rename(match, edit["to"])
        if "replace" in edit:
            return self._replace(match, edit["replace"], edit["with"])
        return self._wrap(match, match.capture(edit["wrap"]), edit["with"])

    def _replace(self, match: Match, reference: str, template: str) -> list[Edit]:
        expression = match.capture(reference)
        if not expression:
            raise Misfit(f"{reference} stands for nothing, which cannot be replaced")
        run = reference.startswith("$...")
        if not run and (is_statement(expression) or not is_expression(template)):
            return self._rewrite(match, self._whole_statement(reference), template)
        start, end = self.tree.span(expression)
        bracketed = in_brackets(expression[0])
        read = read_template(template, Kind.ARGUMENT if run else Kind.EXPRESSION)
        rendered = self.templates.render(match, read, bracketed=bracketed)
        text, code = rendered.text, rendered.code
        if not run and _needs(place_of(expression[0], expression[-1]), rendered, bracketed):
            text, code = "(" + text + ")", Code()
        _check_target(expression, text.text)
        text = self._apart(start, text, end)
        return [
            Edit(start, end, text.text, outer=(start, end), rank=self.rank, slots=text.slots,
                 code=None if run else code)
        ]  # fmt: skip

    def _of_blocks(self, match: Match, edit: Mapping[str, Any]) -> Sequence[Edit] | None:
        """The edits of one about a whole block or function; None if it is about something else."""
        reference = next((edit[key] for key in OF_BLOCKS if key in edit), None)
        if reference is None:
            return None
        node = match.capture(reference)[0]
        if "lift" in edit or "functional" in edit:
            node = self._whole_statement(reference)
        elif "unlift" in edit:
            node = line_statement(statement_of(node))
        return self.blocks.made(node, edit)

    def _with(self, template: str, given: Mapping[str, Filling], kind: Kind) -> Rendered:
        """A template with what some of its captures are."""
        self.templates.names.update(given)
        return self.templates.render(self.match, read_template(template, kind), bracketed=True)

    def _lines_with(self, template: str, given: Mapping[str, Filling]) -> list[Fragment]:
        self.templates.names.update(given)
        return self.templates.rendered(self.match, template)

    def _rename(self, match: Match, to: str) -> list[Edit]:
        """The name that the match means gets another, ``to``, in a use or an import."""
        (old,) = match.rule.pattern.means.values()
        new = qualified(to, self.rules.pack.imports)
        if import_around(match.node) is not None:
            return renamed_import(match, old, new, self.layout, self.rank)
        name = new.rpartition(".")[2]
        check_no_attempt(match.node, FAILED_ATTRIBUTES, name)
        home = f"{old.rpartition('.')[0]}."
        if not new.startswith(home):
            parent = new.rpartition(".")[0]
            imports = self.rules.pack.imports.items()
            alias = next((alias for alias, names in imports if names == (parent,)), None)
            return self._replace(match, "$match", to if alias is None else f"{alias}.{name}")
        start, end = self.tree.span((match.expression[-1].children[-1],))
        return [Edit(start, end, new.removeprefix(home), outer=(start, end), rank=self.rank)]

    def _line(self, reference: str) -> LN:
        """Of several statements that match that with a capture, or else the one that this is all
        of. Raises Misfit."""
        expression = self.match.capture(reference)
        lines = {id(line): line for line in self.match.capture(STATEMENTS)}
        for node in (expression[0], *ancestors(expression[0])) if expression else ():
            if id(node) in lines and reference != "$match":
                line = lines[id(node)]
                return line.children[0] if line.type == symbols.simple_stmt else line
        return self._whole_statement(reference)

    def _whole_statement(self, reference: str) -> LN:
        """The statement that a capture is all of. Raises Misfit."""
        expression = self.match.capture(reference)
        if not expression:
            raise Misfit(f"{reference} stands for nothing")
        statement = statement_of(expression[0])
        if self.tree.span((statement,)) != self.tree.span(expression):
            raise Misfit("it is only a part of its statement")
        return statement

    def _wrap(self, match: Match, expression: Expression, template: str) -> list[Edit]:
        if not expression:
            raise Misfit("there is nothing to put code around")
        bracketed = in_brackets(expression[0])
        read = read_template(template, Kind.EXPRESSION)
        rendered = self.templates.render(match, read, expression, bracketed=bracketed)
        before, after = rendered.text.split(KEPT)
        code = rendered.code
        if _needs(place_of(expression[0], expression[-1]), rendered, bracketed):
            before, after, code = "(" + before, after + ")", Code()
        start, end = self.tree.span(expression)
        _check_target(expression, before.text + self.tree.text[start:end] + after.text)
        before, after = self._apart(start, before, None), self._apart(None, after, end)
        return self.layout.wrap((start, end), before, after, self.rank, code, rendered.place)

    def _apart(self, start: int | None, text: Fragment, end: int | None) -> Fragment:
        """The text with spaces where it would run into the words around it: `return(x)`."""
        file = self.tree.text
        if start and text.text and _joins(file[start - 1], text.text[0]):
            text = " " + text
        if end is not None and end < len(file) and text.text and _joins(text.text[-1], file[end]):
            text = text + " "
        return text

    def _after(self, statement: LN, lines: list[Fragment]) -> list[Edit]:
        """Insert after a statement; a value that the match's own returns is kept and returned
        later."""
        match = self.match
        if statement is not match.statement or position(match.expression) != "return":
            return self.layout.after(statement, lines, self.rank)
        name = self.rules.names.fresh("result")
        kept = self.layout.keep_returned(statement, name, self.rank)
        returned = [*lines, Fragment(f"return {name}")]
        return [*kept, *self.layout.after(statement, returned, self.rank)]

    def _guard(self, match: Match, template: str, join: bool) -> list[Edit]:
        statement = match.statement
        kind = position(match.expression)
        layout = self.layout
        whole = kind == "expression" and (
            layout.owns_its_lines(statement) or layout.is_whole_branch(statement)
        )
        if statement is match.node or whole:
            return self._under(match, template, join)
        if kind in ("expression", "assignment", "return"):
            apart = self._wrap(match, match.expression, f"$it if {template} else None")
            may = join and kind == "assignment" and layout.owns_its_lines(statement)
            readers = readers_of(statement, match.module, match.facts) if may else None
            if readers is None:
                return apart
            under = self._under(match, template, join, readers)
            guard = next(edit.shared.guard for edit in under if edit.shared is not None)
            shared = Shared(guard, apart=True)
            return [*under, *(replace(edit, shared=shared) for edit in apart)]
        raise Misfit("it is only a part of its statement, and nothing can be left out for it")

    def _under(
        self, match: Match, template: str, join: bool, readers: tuple[int, ...] = ()
    ) -> list[Edit]:
        """The statement of a match under a condition."""
        condition = self.templates.render(match, read_template(template, Kind.EXPRESSION))
        breaks = condition.breaks or condition.code.kind
        text = "(" + condition.text + ")" if breaks else condition.text
        code = Code() if breaks else condition.code
        return self.layout.guard(match.statement, text, self.rank, code, join, readers)

    def _argument(self, match: Match, edit: Mapping[str, Any]) -> list[Edit]:
        call = match.call
        if call is None:
            raise Misfit("it is no call")
        name = str(edit["argument"])
        aliases: list[str] = edit.get("aliases", [])
        signature = self._signature(call, name)
        found = call.argument(name, signature.position)
        for alias in aliases:
            found = found or call.argument(alias)
        if found is not None:
            return self._wrap(match, (found.value,), edit["with"])
        if signature.default is None or any(a.star for a in call.arguments):
            raise Misfit(f"whether it has the argument {name} is not known")
        if signature.position is None and any(a.name is None for a in call.arguments):
            raise Misfit(f"one of its arguments may be {name}")
        self.templates.names["it"] = written(Fragment(signature.default))
        rendered = self.templates.render(
            match, read_template(f"{name}={edit['with']}", Kind.ARGUMENT)
        )
        del self.templates.names["it"]
        return self._append(call, rendered.text)

    def _extend(self, match: Match, edit: Mapping[str, Any]) -> list[Edit]:
        """Put items in front of those of a list display."""
        items = self.templates.render(match, read_template(edit["items"], Kind.ITEMS)).text
        nodes = unwrap(match.capture(edit["extend"]))
        if len(nodes) != 1 or nodes[0].type != symbols.atom or nodes[0].children[0].value != "[":
            raise Misfit("it is no list that is written out")
        inner = nodes[0].children[1:-1]
        if inner and any(child.type == symbols.comp_for for child in inner[0].children):
            raise Misfit("the list is made by a comprehension")
        start = self.tree.start(nodes[0].children[0]) + 1
        if inner and edit.get("end"):
            return [self._extended(inner[0], items)]
        if inner:
            first = self.tree.start(inner[0])
            line = self.tree.text[self.tree.line_start(first) : first]
            if line.strip():
                items = items + ", "
            else:
                # The first item begins a line, and so does each of the new ones.
                behind = f",{self.layout.newline}{line}"
                start, items = first, joined(_one_by_one(items), behind) + behind
        return [Edit(start, start, items.text, rank=self.rank, slots=items.slots)]

    def _extended(self, inner: LN, items: Fragment) -> Edit:
        """Items behind those of a list."""
        given = inner.children if inner.type == symbols.listmaker else [inner]
        comma = given[-1] if given[-1].type == token.COMMA else None
        last = given[-2] if comma is not None else given[-1]
        first = self.tree.start(last)
        line = self.tree.text[self.tree.line_start(first) : first]
        between = " " if line.strip() else self.layout.newline + line
        if comma is not None:
            at, text = self.tree.end(comma), between + items + ","
        else:
            at, text = self.tree.end(last), "," + between + items
        return Edit(at, at, text.text, rank=self.rank, slots=text.slots)

    def _append(self, call: Call | None, text: Fragment) -> list[Edit]:
        """Add an argument at the end of a call."""
        if call is None:
            raise Misfit("it is no call")
        given = [keyword_of(argument.node) for argument in call.arguments]
        check_order([*given, *_keywords(text.text)])
        closing = call.trailer.children[-1]
        if not given:
            start = self.tree.start(closing)
            return [Edit(start, start, text.text, rank=self.rank, between=", ", slots=text.slots)]
        last = closing.prev_sibling
        end = self.tree.end(last)
        first = self.tree.start(call.arguments[-1].node)
        head = self.tree.text[self.layout.line_start(first) : first]
        behind = _LINE_BEHIND.match(self.tree.text, end)
        ends = str(last).rstrip().endswith(",")
        alone = len(given) == 1 and code_of((last,)).kind == GENERATOR
        commented = behind is not None and "#" in behind[0] and not alone
        if behind is not None and not head.strip() and (ends or commented):
            # The last argument has a line of its own, and keeps its comment; so has the new one.
            line = head + text + f",{self.layout.newline}"
            at = behind.end()
            comma = [] if ends else [Edit(end, end, ",", rank=self.rank, once=True)]
            return [*comma, Edit(at, at, line.text, rank=self.rank, slots=line.slots)]
        if ends:
            added = " " + text
            return [Edit(end, end, added.text, rank=self.rank, between=",", slots=added.slots)]
        added = self._between(call) + text
        edits = [Edit(end, end, added.text, rank=self.rank, slots=added.slots)]
        if alone:
            span = self.tree.span((last,))
            edits += [
                Edit(span[0], span[0], "(", OPEN, span, self.rank),
                Edit(span[1], span[1], ")", CLOSE, span, self.rank),
            ]
        return edits

    def _between(self, call: Call) -> str:
        """What parts a new argument of a call from the last: the beginning of a line, if each of
        several begins one; the first may stand behind the bracket."""
        starts = [self.tree.start(argument.node) for argument in call.arguments]
        heads = [self.tree.text[self.layout.line_start(start) : start] for start in starts]
        if len(heads) == 1 or any(head.strip() for head in heads[1:]):
            return ", "
        return f",{self.layout.newline}{heads[-1]}"

    def _signature(self, call: Call, name: str) -> _Parameter:
        """A parameter: what all classes, functions and methods that may be called agree on."""
        facts = self.rules.facts
        called = facts.evaluator.names(call.callee, self.rules.module)
        defaults = {
            next((p.default for p in facts.library.parameters(c) if p.name == name), None)
            for c in called
        }
        return _Parameter(facts.position(name, call, self.rules.module), _only(defaults))


def _one_by_one(items: Fragment) -> Iterator[Fragment]:
    """Items that commas part, without these."""
    rows = rows_of(items.text)
    if rows is None or len(rows) != 1:
        yield items
        return
    at = 0
    for part in split_at(rows[0][0], [","]):
        start, at = at, at + sum(len(str(token)) for token in part)
        first = start + len(part[0].before) if start else start
        yield items[first : at - 1 if part[-1].text == "," else at]


def _check_seen(call: Call, name: str) -> None:
    """Raise Misfit if some arguments of a call are not seen: the one that is added may be among
    them, and no function takes an argument twice."""
    hidden = next((argument for argument in call.arguments if argument.star), None)
    if hidden is not None:
        code = f"{hidden.star}{str(hidden.value).strip()}"
        raise Misfit(f"{code} may have the argument {name} already")


def _check_target(expression: Expression, text: str) -> None:
    """Raise Misfit if something is assigned, or deleted, that the new text cannot stand for."""
    if not is_target(expression[0], expression[-1]):
        return
    try:
        ast.parse(f"{text} = _")
    except (SyntaxError, ValueError):
        raise Misfit("something is assigned to it, or it is deleted") from None


def _needs(place: Place, rendered: Rendered, bracketed: bool) -> bool:
    """Whether the whole needs parentheses where it will stand."""
    return not place.takes(rendered.code) or (rendered.breaks and not bracketed)


def _joins(left: str, right: str) -> bool:
    return (left.isalnum() or left == "_") and (right.isalnum() or right in "_\"'")


def _keywords(arguments: str) -> list[str]:
    """The names of arguments, as they are given to a call."""
    read = read_template(arguments.replace("$", "_"), Kind.ARGUMENT)
    return list(read.keywords)


def _definition(expression: Expression) -> LN:
    """The function or class that code is, or stands in, with its decorators. Raises Misfit."""
    around = (expression[0], *ancestors(expression[0])) if expression else ()
    node = next((n for n in around if n.type in (symbols.funcdef, symbols.classdef)), None)
    if node is None:
        raise Misfit("only a function or a class can be decorated")
    return statement_of(node)


def _first_statement(node: LN) -> LN:
    """The statement around a node; of a block the first."""
    if node.type == symbols.suite:
        node = lines_of(node)[0]
    return statement_of(first_in(node))


def _only(found: set[_T]) -> _T | None:
    """The one item of a set; None if it has more or none."""
    return next(iter(found)) if len(found) == 1 else None
