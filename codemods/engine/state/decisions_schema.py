"""decisions_schema: whether data fits the schema of files with decisions."""

from __future__ import annotations

import importlib.resources
import json
from functools import cache
from typing import Any


def errors(data: Any) -> list[Any]:
    """What does not fit in the data of a file, as jsonschema says it, in the order of places."""
    found = _validator("").iter_errors(data)
    return sorted(found, key=lambda error: list(map(str, error.absolute_path)))


def has_pieces(data: Any) -> bool:
    """Whether data is what a decision may have as its pieces."""
    return bool(_validator("#/$defs/decision/properties/pieces").is_valid(data))


@cache
def _validator(part: str) -> Any:
    import jsonschema  # a start should not wait for it

    file = importlib.resources.files(__package__).joinpath("decisions.schema.json")
    schema = json.loads(file.read_text("utf-8"))
    if part:
        schema = {"$schema": schema["$schema"], "$defs": schema["$defs"], "$ref": part}
    return jsonschema.Draft202012Validator(schema)
