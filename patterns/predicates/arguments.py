"""What a predicate takes in a pack: pieces of the JSON schema, which is put together from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]


def _defined(name: str) -> Schema:
    """What ``pack.schema.json`` has under this name, with a text for whoever gets it wrong."""
    return {"$ref": f"#/$defs/{name}"}


CONDITION = _defined("condition")
CONDITIONS = _defined("conditions")
CAPTURE = _defined("capture")
GIVEN = _defined("given")
NAMES = _defined("names")
CLASSES = _defined("classes")
FUNCTIONS = _defined("functions")
MAKERS = _defined("makers")
ROLE = _defined("role")
# Texts that are read when a pack is: regular expressions, and code with captures.
REGEX = _defined("regex")
CODE = _defined("code")
QUALIFIED = _defined("qualified")
FLOW = _defined("flow")
CAPTURE_AND_CLASSES = _defined("captureAndClasses")
CAPTURE_AND_FUNCTIONS = _defined("captureAndFunctions")
CAPTURE_AND_MAKERS = _defined("captureAndMakers")
CAPTURE_AND_NAMES = _defined("captureAndNames")
CAPTURE_AND_REGEXES = _defined("captureAndRegexes")
CAPTURE_AND_TEXTS = _defined("captureAndTexts")
CAPTURE_AND_MARKS = _defined("captureAndMarks")
FLAG: Schema = {"type": "boolean"}
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
INTEGER: Schema = {"type": "integer"}
INDEX: Schema = {"type": "integer", "minimum": 0}


def one_of(*values: str | int) -> Schema:
    return {"enum": [*values]}


def either(*schemas: Schema) -> Schema:
    return {"anyOf": [*schemas]}


def pair(first: Schema, second: Schema) -> Schema:
    return {"type": "array", "prefixItems": [first, second], "minItems": 2, "maxItems": 2}


def list_of(item: Schema, first: Schema | None = None) -> Schema:
    """A list of one or more, behind a ``first`` that is something else if that is given."""
    if first is None:
        return {"type": "array", "items": item, "minItems": 1}
    return {"type": "array", "prefixItems": [first], "items": item, "minItems": 2}


def keys(required: Mapping[str, Schema], others: Mapping[str, Schema] | None = None) -> Schema:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [*required],
        "properties": {**required, **(others or {})},
    }


def mapping(value: Schema) -> Schema:
    """Names without $, each with a value."""
    return {"type": "object", "propertyNames": GIVEN, "additionalProperties": value}


def by_capture(value: Schema) -> Schema:
    """Captures, at least one, each with a value."""
    return {
        "type": "object",
        "minProperties": 1,
        "propertyNames": CAPTURE,
        "additionalProperties": value,
    }
