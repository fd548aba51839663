"""Functional: an ``if``, ``while`` or ``for`` as a call of functions from values to values.

Its blocks become functions where they stand, as for ``lift``, which get what they need of what was
known before, and give what is read behind them. No line is moved; what was the test goes to the
call behind the last block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.flow.block_state import BlockState, connective, is_truth
from pinsetter.analyzer.flow.suites import BRANCHING, Clause, own_nodes
from pinsetter.analyzer.syntax.tree import LN, first_in, lines_of, outer_call, walk

from ..edits.edit import AFTER, CLOSE, Edit
from ..edits.fragment import Fragment, joined, taken
from ..edits.precedence import Code, code_of
from ..edits.rebuilding import enclosed
from ..edits.rendering import BLOCK, KEPT, Filling, Misfit, Rendered, around, plain
from ..edits.template import Kind
from .counted_loops import Counted, values

if TYPE_CHECKING:
    from .module_rules import ModuleRules

Rank = tuple[int, ...]
Render = Callable[[str, Mapping[str, Filling], Kind], Rendered]
_ONE, _DEFAULTS = "one", "defaults"


class Functional:
    """One statement's, by the templates of an ``edit``."""

    def __init__(
        self, statement: LN, rules: ModuleRules, render: Render, edit: Mapping[str, Any], rank: Rank
    ) -> None:
        if statement.type not in BRANCHING:
            raise Misfit("it is no `if`, `while` or `for`")
        self.statement = statement
        self.rules = rules
        self.render = render
        self.edit = edit
        self.rank = rank
        self.tree = rules.module.tree
        self.layout = rules.layout
        self.text = rules.module.source.text
        self.state = BlockState(statement, rules.module)
        resistance = self.state.resistance(logical="logical" in edit)
        if resistance is not None:
            raise Misfit(str(resistance))
        # In one line of each function, so that others may have one that is called so.
        self.whole = rules.module.fresh("state", frozenset())
        self.names = [self._fresh(self._name(one.word)) for one in self.state.clauses]
        bound = {name for one in self.state.clauses for name in self.state.bound(one)}
        bound.update(self.state.target)
        self.values, self.first_lines = values(edit, bound, render, self._fresh)
        self.counted = self._counted()

    def _counted(self) -> Counted | None:
        if "counted" not in self.edit:
            return None
        if self.state.clauses[0].word != "for":
            raise Misfit("only the turns of a `for` are counted")

        def render(template: str, given: Mapping[str, Filling], kind: Kind) -> Rendered:
            return self.render(template, {**self.values, **given}, kind)

        def in_one_body(name: str) -> str:
            return self.rules.module.fresh(name, frozenset())

        return Counted(self.state, self.edit["counted"], render, in_one_body)

    @property
    def _carried(self) -> tuple[str, ...]:
        """What functions are given: the values, behind the number of a loop that counts its own
        turns."""
        counted = self.counted
        own = (counted.name,) if counted is not None and counted.is_carried else ()
        return (*own, *self.state.inputs)

    def _name(self, word: str) -> str:
        """What the function of a clause is called."""
        return str(self.edit.get("names", {}).get(word, _NAMES[word]))

    def _fresh(self, name: str) -> str:
        return self.rules.names.fresh(name)

    def edits(self) -> list[Edit]:
        """Raises Misfit."""
        edits: list[Edit] = []
        for clause, name in zip(self.state.clauses, self.names, strict=True):
            edits += self._head(clause, name)
            if not self.state.returns:
                edits.append(self._end(clause))
            edits += self._updates(clause.suite)
        for line in self.state.rest:
            edits += self._updates(line)
        return [*edits, *self._returned(), *self._call()]

    # ------------------------------------------------------------ the functions

    @property
    def _parameters(self) -> tuple[str, ...]:
        """What a function is given, without a loop's item."""
        names = self._carried
        if self.edit.get("parameters") == _ONE and len(names) > 1:
            return (self.whole,)
        return names

    def _taken(self) -> str:
        """What stands in the parentheses of a function."""
        if self.edit.get("parameters") == _DEFAULTS:
            return ", ".join(f"{name}={name}" for name in self._parameters)
        return ", ".join(self._parameters)

    def _opening_lines(self) -> list[str]:
        """What a function begins with: its values, where they come as one."""
        if self._parameters == self._carried:
            return []
        return [f"{', '.join(self._carried)} = {self.whole}"]

    def _head(self, clause: Clause, name: str) -> Iterator[Edit]:
        start, end = self.tree.start(clause.keyword), self.tree.end(clause.colon)
        given = self._taken()
        lines: list[Fragment | str] = [*self._opening_lines()]
        if clause.word == "for":
            item, more = self._item(clause)
            given = ", ".join(filter(None, self._in_order(item, given)))
            lines += more
        yield Edit(start, end, f"def {name}({given}):", outer=(start, end), rank=self.rank)
        if lines:
            end = self.tree.end(self.statement)
            yield self.layout.in_front(clause.suite, lines, self.rank, end)

    def _item(self, clause: Clause) -> tuple[str, Sequence[Fragment | str]]:
        """The parameter for a loop's item, and the lines that unpack it."""
        assert clause.target is not None
        if self.counted is not None:
            own = "" if self.counted.is_carried else self.counted.name
            return own, self.counted.opening_lines
        code = self.tree.source((clause.target,)).strip()
        if clause.target.type == token.NAME:
            return code, []
        item = self._fresh("item")
        return item, [f"{code} = {item}"]

    def _in_order(self, item: str, given: str) -> tuple[str, str]:
        return (given, item) if self.edit.get("item") == "last" else (item, given)

    def _end(self, clause: Clause) -> Edit:
        """What a function gives, in a line of its own."""
        made = {*self.state.bound(clause)} - self.state.handed_on(clause)
        line = f"return {self._given(lambda name: name in made)}"
        suite = clause.suite
        if suite.type != symbols.suite:
            parts = [c for c in suite.children if c.type not in (token.NEWLINE, token.SEMI)]
            end = self.tree.end(parts[-1])
            return Edit(end, end, f"; {line}", AFTER, self.tree.span((suite,)), self.rank)
        last = lines_of(suite)[-1]
        indentation = self.layout.indentation(first_in(last))
        at = self.layout.behind_block(last, indentation)
        outer = self.tree.span((suite,))
        return self.layout.behind(at, [line], indentation, outer, self.rank)

    def _given(self, is_made: Callable[[str], bool]) -> str:
        """What a function returns; what it has not made is what it was given, or found."""
        kept = self.edit.get("kept", "$it")
        values = [
            name if is_made(name) else self.render(
                kept, {"it": plain(name)}, Kind.EXPRESSION).text.text
            for name in self.state.names
        ]  # fmt: skip
        if self.counted is not None and self.counted.is_carried:
            values.insert(0, self.counted.following)
        return self._in_template("returns", ", ".join(values), len(values))

    def _in_template(self, key: str, values: str, count: int) -> str:
        template = self.edit.get(key, "$state")
        if template.strip() == "$state":
            return values if count else "()"
        if template.strip() == "$tuple":
            return f"({values},)" if count == 1 else values
        whole = values if count == 1 else f"({values})"
        return self.render(template, {"state": plain(whole)}, Kind.ITEMS).text.text

    def _returned(self) -> Iterator[Edit]:
        """What is returned as it was given is another value, where that has to be."""
        if "kept" not in self.edit or not self.state.returns:
            return
        parts: list[tuple[Sequence[LN], Sequence[str]]] = [
            ((one.suite,), self.state.bound(one)) for one in self.state.clauses
        ]
        parts.append((self.state.rest, self.state.bound_by_rest))
        for lines, bound in parts:
            for node in (one for line in lines for one in own_nodes(line)):
                if node.type == symbols.return_stmt:
                    value = node.children[1]
                    items = value.children if value.type in _TUPLES else [value]
                    for item in items:
                        if item.type == token.NAME and item.value not in (*bound, *_CONSTANTS):
                            yield self._kept(item)

    def _kept(self, name: LN) -> Edit:
        made = self.render(self.edit["kept"], {"it": plain(name.value)}, Kind.EXPRESSION).text
        span = self.tree.span((name,))
        return Edit(*span, made.text, outer=span, rank=self.rank)

    def _updates(self, part: LN) -> Iterator[Edit]:
        """Assignments instead of ``+=``, which may change a value that is shared."""
        if not self.edit.get("plain_updates"):
            return
        for node in own_nodes(part):
            if node.type == symbols.expr_stmt and len(node.children) == 3:
                target, sign, value = node.children
                if sign.type != token.EQUAL and target.type == token.NAME:
                    template = f"{target.value} {sign.value[:-1]} $it"
                    made = self.render(template, {"it": around((value,))}, Kind.EXPRESSION).text
                    before, after = (part.text for part in made.split(KEPT))
                    start, span = self.tree.start(sign), self.tree.span((value,))
                    outer = self.tree.span((node,))
                    yield Edit(start, span[0], f"= {before}", outer=outer, rank=self.rank)
                    if after:
                        yield Edit(span[1], span[1], after, CLOSE, span, self.rank)

    # ------------------------------------------------------------ the call

    def _call(self) -> Sequence[Edit]:
        """The call behind all of it, with functions that are not there yet."""
        lines = [*self.first_lines]
        rest = self.state.rest
        if rest:
            self.names.append(self._fresh(self._name("else")))
        fill = self._filled(lines)
        clauses = self.state.clauses
        if self.state.is_loop:
            call = self.render(self.edit["call"], fill, Kind.EXPRESSION).text
            if self.counted is not None:
                call += self.counted.behind_the_call
        else:
            if clauses[-1].word != "else" and not rest:
                self.names.append(self._unchanged(lines))
            call = self._chosen(0, fill)
        if self.state.returns:
            call = "return " + call
        else:
            target = self._target()
            call = f"{target} = " + call
        lines.append(call)
        if rest:
            head = Fragment(f"def {self.names[-1]}({self._taken()}):")
            lines = [head, Fragment(f"    {BLOCK}"), *lines]
            return enclosed(self.statement, rest, lines, self.layout, self.rank)
        indentation = self.layout.indentation(self.statement)
        at = self.layout.behind_block(self.statement, indentation)
        outer = (self.tree.start(self.statement), at)
        return [self.layout.behind(at, lines, indentation, outer, self.rank)]

    def _target(self) -> str:
        """What the result of the call is assigned to."""
        names = ", ".join(self.state.names)
        if self.counted is not None and self.counted.is_carried:
            return self.counted.in_front + names
        return self._in_template("result", names, len(self.state.names))

    def _filled(self, lines: list[Fragment]) -> dict[str, Filling]:
        counted = self.counted
        own = [counted.first] if counted is not None and counted.is_carried else []
        inputs = [*own, *map(Fragment, self.state.inputs)]
        whole = joined(inputs, ", ")
        as_tuple = "(" + whole + (",)" if len(inputs) == 1 else ")")
        fill = {
            "names": _run([*map(Fragment, self.state.names)]), "inputs": _run(inputs),
            "tuple": _whole(as_tuple), "given": _run([as_tuple] if inputs else []),
            "state": _whole(whole if len(inputs) == 1 else "(" + whole + ")"), **self.values,
        }  # fmt: skip
        if self.state.is_loop:
            fill["body"] = plain(self.names[0])
        if self.state.clauses[0].word == "while" or own:
            fill["condition"] = self._condition(lines)
        return fill

    def _condition(self, lines: list[Fragment]) -> Filling:
        """The test of a loop as a function of the values."""
        asked = self.state.clauses[0].test
        assert asked is not None
        counted = self.counted
        test = self._connected(asked).text if counted is None else counted.test
        opening = self._opening_lines()
        if not opening:
            return Filling(f"lambda {self._taken()}: " + test, Code())
        name = self._fresh(self._name("condition"))
        lines.append(Fragment(f"def {name}({self._taken()}):"))
        lines += [Fragment(f"    {line}") for line in opening]
        lines.append("    return " + test)
        return plain(name)

    def _unchanged(self, lines: list[Fragment]) -> str:
        """A function for the branch that is not there."""
        name = self._fresh(self._name("else"))
        lines.append(Fragment(f"def {name}({self._taken()}):"))
        lines.append(Fragment(f"    return {self._given(lambda _: False)}"))
        return name

    def _chosen(self, at: int, fill: dict[str, Filling]) -> Fragment:
        """The call for the branches from one on."""
        clauses = self.state.clauses
        rest = at + 1
        if rest < len(clauses) and clauses[rest].word == "elif":
            given = f" {self._taken()}" if self._taken() else ""
            otherwise = Filling(f"lambda{given}: " + self._chosen(rest, fill), Code())
        else:
            otherwise = plain(self.names[rest])
        test = clauses[at].test
        assert test is not None
        return self._choice(test, plain(self.names[at]), otherwise, fill)

    def _choice(
        self, test: LN, then: Filling, otherwise: Filling, fill: dict[str, Filling]
    ) -> Fragment:
        """The call for a test. A ``not`` in front of it changes the places of the branches."""
        inner = _inside(test)
        if connective(inner) == "not" and not connective(_inside(inner.children[1])):
            test, then, otherwise = inner.children[1], otherwise, then
        more = {"test": self._connected(test), "then": then, "otherwise": otherwise}
        return self.render(self.edit["call"], {**fill, **more}, Kind.EXPRESSION).text

    def _connected(self, test: LN) -> Filling:
        """A test, with calls in the place of ``and``, ``or`` and ``not``."""
        test = _inside(test)
        word = connective(test)
        if not word:
            return self._test(test)
        logical = self.edit["logical"]
        if word == "not":
            return self._logical(logical["not"], a=self._connected(test.children[1]))
        if word == "<":
            parts = [*map(self._compared, _pairs(test))]
        else:
            parts = [*map(self._connected, test.children[::2])]
        template = logical["or" if word == "or" else "and"]
        return reduce(lambda a, b: self._logical(template, a=a, b=b), parts)

    def _logical(self, template: str, **parts: Filling) -> Filling:
        made = self.render(template, parts, Kind.EXPRESSION)
        return Filling(made.text, made.code)

    def _compared(self, parts: tuple[LN, ...]) -> Filling:
        """A comparison of a chain."""
        texts = [taken(self.text, self.tree.span((part,))) for part in parts]
        return Filling(joined(texts, " "), code_of((parts[0].parent,)))

    def _test(self, test: LN) -> Filling:
        """A test, without the calls around all or parts of it that are to be dropped."""
        start, end = self.tree.span((test,))
        code, at = Fragment(), start
        for a, b in self._dropped(test):
            code, at = code + taken(self.text, (at, a)), b
        code = code + taken(self.text, (at, end))
        if "truth" in self.edit and not is_truth(test):
            kept = Filling(Fragment(KEPT), code_of((test,)), nodes=(test,))
            made = self.render(self.edit["truth"], {"it": kept}, Kind.EXPRESSION)
            before, after = made.text.split(KEPT)
            return Filling(before + code + after, made.code)
        return Filling(code, code_of((test,)))

    def _dropped(self, test: LN) -> Iterator[tuple[int, int]]:
        """The spans of calls that only make a number of Python's of a value."""
        drops = self.edit.get("drops", [])
        for node in walk(test):
            call = outer_call((node,)) if node.type == symbols.power else None
            if call is not None and call.method in drops and not call.arguments:
                first = call.trailer.prev_sibling
                yield self.tree.start(first), self.tree.end(call.trailer)


def _inside(test: LN) -> LN:
    """What stands in parentheses, if it connects parts."""
    found = test
    while found.type == symbols.atom and len(found.children) == 3:
        found = found.children[1]
    return found if connective(found) else test


def _pairs(chain: LN) -> list[tuple[LN, ...]]:
    """The comparisons of a chain."""
    return [tuple(chain.children[at : at + 3]) for at in range(0, len(chain.children) - 2, 2)]


def _run(items: Sequence[Fragment]) -> Filling:
    return Filling(joined(items, ", "), Code(), keywords=("",) * len(items), own=True)


def _whole(text: Fragment) -> Filling:
    return Filling(text, Code(), word=True, own=True)


_NAMES = {
    "if": "then", "elif": "then", "else": "otherwise", "while": "body", "for": "body",
    "condition": "condition",
}  # fmt: skip
_CONSTANTS = ("None", "True", "False")
_TUPLES = {symbols.testlist, symbols.testlist_star_expr, symbols.testlist_gexp}
