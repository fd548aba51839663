"""compile_code: a code-shaped pattern with ``$metavariables`` to a lib2to3 pattern.

``$name`` stands for one expression (in front of a trailer, ``$name.method()``, for as much of the
chain as there is), ``$...name`` for any run of arguments, items or statements. A dotted name whose
head is one of the pack's imports (``np.array``) stands for every expression with that
qualified name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from fissix.patcomp import PatternCompiler, PatternSyntaxError
from fissix.pgen2 import token
from fissix.pgen2.tokenize import TokenError
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.syntax import SyntaxProblem, parse
from pinsetter.analyzer.syntax.tree import (
    LN,
    dotted,
)

from .emitter import MANY, METAVARIABLE, ONE, Emitter, PatternProblem, metavariable_in
from .pattern import Following, Pattern, statement_in

# A dotted name that the pack's imports say the meaning of, however it is spelt.
_REFERENCE = "( power< any+ > | NAME )"
_OR_IMPORT = "( power< any+ > | NAME | import_from< any* > )"
# The head of what handles exceptions, which is no statement: `except ($...kinds):`.
_HANDLER = re.compile(r"except\b[^\n]*\S[^\n]*:")
# Packs of one choice share the rules of parts.
_REMEMBERED = 4096


@lru_cache(maxsize=_REMEMBERED)
def compile_query(text: str) -> Pattern:
    """A lib2to3 pattern, as it is; raises PatternProblem."""
    try:
        return Pattern(" ".join(text.split()), compiled=PatternCompiler().compile_pattern(text))
    except (PatternSyntaxError, TokenError) as error:
        raise PatternProblem(f"not a lib2to3 pattern: {error}") from None
    except (AssertionError, LookupError, AttributeError, UnboundLocalError) as error:
        # What PatternCompiler itself trips over: symbols such as `_x`, ranges such as `any{2,1}`.
        raise PatternProblem(f"not a lib2to3 pattern: {text.strip()!r} ({error})") from None


def with_imports(pattern: Pattern) -> Pattern:
    """A reference that fits where the name is imported, too."""
    compiled = PatternCompiler().compile_pattern(_OR_IMPORT)
    return replace(pattern, text=_OR_IMPORT, imports=True, compiled=compiled)


def compile_code(code: str, imports: Mapping[str, str]) -> Pattern:
    """A code-shaped pattern; raises PatternProblem."""
    return _of_code(code, tuple(imports.items()))


@lru_cache(maxsize=_REMEMBERED)
def _of_code(code: str, imports: tuple[tuple[str, str], ...]) -> Pattern:
    plain = METAVARIABLE.sub(lambda m: (MANY if m[1] else ONE) + m[2], code.strip())
    if "$" in plain:
        raise PatternProblem(f"a metavariable is $name or $...name: {code.strip()!r}")
    is_handler = _HANDLER.fullmatch(plain) is not None
    try:
        tree = parse(f"try: pass\n{plain} pass\n" if is_handler else plain)
    except SyntaxProblem as problem:
        raise PatternProblem(f"not Python: line {problem.line}: {problem.reason}") from None
    if is_handler:
        return _of_root(tree.children[0].children[3], dict(imports))
    statements = [child for child in tree.children if child.type != token.ENDMARKER]
    for line in statements:
        if line.type == symbols.simple_stmt and len(line.children) > 2:
            raise PatternProblem("each statement of a pattern has lines of its own")
    if not statements:
        raise PatternProblem("a pattern is an expression or statements")
    root, *others = map(statement_in, statements)
    if others:
        return _of_statements(root, others, dict(imports))
    if metavariable_in(root, ONE) or metavariable_in(root, MANY):
        raise PatternProblem("a metavariable alone fits everything; add code around it")
    name = _qualified(root, dict(imports))
    if name:
        compiled = PatternCompiler().compile_pattern(_REFERENCE)
        return Pattern(_REFERENCE, {"name_1": name}, reference=True, compiled=compiled)
    return _of_root(root, dict(imports))


def _of_root(root: LN, imports: Mapping[str, str]) -> Pattern:
    emitter = Emitter(imports)
    return _pattern(emitter.emit(root, top=True), emitter)


def _of_statements(first: LN, others: list[LN], imports: Mapping[str, str]) -> Pattern:
    """A pattern for statements of one block, in their order."""
    if metavariable_in(first, MANY) or metavariable_in(others[-1], MANY):
        raise PatternProblem("$...name stands for statements between others")
    emitter = Emitter(imports)
    text = emitter.emit(first)
    then: list[Following] = []
    gap = ""
    for statement in others:
        many = metavariable_in(statement, MANY)
        if many and gap:
            raise PatternProblem("two runs of statements side by side are one")
        if metavariable_in(statement, ONE):
            raise PatternProblem("a metavariable alone fits everything; add code around it")
        if many:
            gap = emitter.run(many)
        else:
            form = emitter.emit(statement)
            then.append(Following(gap, form, _compiled(form)))
            gap = ""
    return replace(_pattern(text, emitter), then=tuple(then))


def _compiled(text: str) -> object:
    try:
        return PatternCompiler().compile_pattern(text)
    except (PatternSyntaxError, TokenError, AssertionError, LookupError) as error:
        raise PatternProblem(f"cannot be compiled: {error}: {text}") from None


def _qualified(root: LN, imports: Mapping[str, str]) -> str:
    """What a pattern that is nothing but a dotted name means; nothing for any other."""
    head, *names = dotted((root,)) or ("",)
    return ".".join((imports[head], *names)) if head in imports else ""


def _pattern(text: str, emitter: Emitter) -> Pattern:
    return Pattern(
        text,
        emitter.means,
        tuple(dict.fromkeys(emitter.equal)),
        frozenset(emitter.single),
        frozenset(emitter.chains),
        frozenset(emitter.tuples),
        frozenset(emitter.sets),
        emitter.words,
        emitter.awaits,
        bare=True,
        compiled=_compiled(text),
    )
