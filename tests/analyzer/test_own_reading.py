"""Code as this Python itself reads it."""

from __future__ import annotations

import ast
import warnings

import pytest

from pinsetter.analyzer.syntax.own_reading import expression_of, literal_value


def test_escapes_that_are_none_are_no_matter_of_ours() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert literal_value(r"'\d'") == r"\d"
        assert literal_value(r"b'\u'") == rb"\u"
        assert isinstance(expression_of(r"f('\d')"), ast.Call)


@pytest.mark.parametrize("code", ["a", "0777", "ur'a'", "f'{a}'", "(", "'a' + 1", "-" * 100_000])
def test_what_is_no_literal(code: str) -> None:
    with pytest.raises(ValueError, match="no literal"):
        literal_value(code)


@pytest.mark.parametrize("code", ["a b", "(", "x = 1", "\0"])
def test_what_is_no_expression(code: str) -> None:
    with pytest.raises(ValueError, match="no expression"):
        expression_of(code)
