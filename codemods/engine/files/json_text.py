"""json_text: JSON that can be read, and printed."""

from __future__ import annotations

import json
from typing import Any


def json_text(data: Any) -> str:
    """``data`` as JSON, with a line end. What cannot be seen, and half surrogate pairs, are escaped
    as JSON does it; they can stand in strings only."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    if not text.replace("\n", "").isprintable():
        text = "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
    return f"{text}\n"
