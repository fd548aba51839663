"""Write the library facts as JSON; ``generate.py`` above this folder runs it."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import Any

from layouts import installed
from marks import mark_facts
from recorded_classes import class_facts, function_facts, method_facts
from recorded_names import Layout, public_api, spelled
from results import attribute_facts, return_facts


def main() -> int:
    """Write the facts and say what was written."""
    parser = argparse.ArgumentParser(
        prog="generate.py", description="Write the facts of an installed library as JSON."
    )
    parser.add_argument(
        "library",
        nargs="?",
        default="tensorflow",
        choices=("tensorflow", "keras", "horovod"),
        help="what to describe (default: tensorflow)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="where to write (default: <library>-<major.minor>.json beside generate.py)",
    )
    parser.add_argument(
        "--names",
        action="store_true",
        help="write the public names of each module instead: names/<library>-<major.minor>.json",
    )
    arguments = parser.parse_args()

    del sys.argv[1:]  # TF 1 parses the command line by itself
    layout = installed(arguments.library)
    if arguments.names:
        return _write(arguments.out, layout, spelled(layout), "names")
    tf = importlib.import_module("tensorflow")
    api = public_api(layout)
    classes = class_facts(api)
    functions = function_facts(api)
    facts = {
        "provenance": layout.provenance,
        "module_aliases": api.module_aliases,
        "classes": classes,
        "functions": functions,
        "methods": method_facts(api),
        "returns": return_facts(tf, api, classes, functions),
        "attributes": attribute_facts(tf, api, classes),
        "marks": mark_facts(api, classes, functions),
    }
    for entry in (*classes.values(), *functions.values()):
        for key in [key for key in entry if not entry[key]]:
            del entry[key]
    return _write(arguments.out, layout, facts)


def _write(out: Path | None, layout: Layout, facts: dict[str, Any], folder: str = "") -> int:
    """Write facts to a file, by default beside generate.py, or in a folder there, and say so."""
    if out is None:
        version = ".".join(layout.provenance[layout.library].split(".")[:2])
        home = Path(__file__).resolve().parents[1] / folder
        out = home / f"{layout.library}-{version}.json"
    text = as_text(facts) + "\n"
    out.write_bytes(text.encode("utf-8"))
    counts = ", ".join(f"{len(facts[key])} {key}" for key in facts if key != "provenance")
    print(f"wrote {out}: {counts}; {len(text):,} bytes")
    return 0


def as_text(value: Any, indent: str = "") -> str:
    """Return JSON with sorted keys; a list of plain values stands on one line."""
    deeper = indent + " "
    if isinstance(value, dict) and value:
        rows = [
            f"{deeper}{json.dumps(key)}: {as_text(value[key], deeper)}" for key in sorted(value)
        ]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, list) for item in value):
        rows = [deeper + as_text(item, deeper) for item in value]
        return "[\n" + ",\n".join(rows) + f"\n{indent}]"
    return json.dumps(value)


if __name__ == "__main__":
    sys.exit(main())
