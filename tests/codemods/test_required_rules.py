"""What a rule requires is proposed with it or done already; else it is not proposed itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import BIN, TRAIN, run

from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.packs import pack_files
from pinsetter.patterns.packs.pack import Pack, load

# A client by another package: calls need the import, which has one form here.
PACK = """\
pack: client
summary: For a test.
names: [httpx, requests]
options: {old: Whether old imports are wanted.}
rules:
  - id: import-client
    title: Import the client
    why: It is another package.
    query: import_name< 'import' name='requests' >
    edit: {replace: $name, with: httpx}
    examples:
      - unchanged: import os, requests
      - {before: import requests, after: import httpx}
  - id: call-client
    title: Call the client
    why: It is another package.
    match: requests.get($...args)
    edit: {insert: httpx.get(1), place: before}
    requires: [import-client]
    examples:
      - unchanged: get(1)
"""
DONE = "    done: [{imports: [httpx]}]\n    examples:\n      - unchanged: import os, requests"
WITH_DONE = PACK.replace("    examples:\n      - unchanged: import os, requests", DONE)
CALL = "requests.get(1)\n"


def planned(folder: Path, pack: str = WITH_DONE, **files: str) -> Planned:
    (folder / "pack.yaml").write_text(pack)
    loaded = load(folder / "pack.yaml")
    assert isinstance(loaded, Pack), loaded
    code = folder / "code"
    code.mkdir(exist_ok=True)
    for name, text in files.items():
        (code / f"{name}.py").write_text(text)
    return make_plan([PackQuery(loaded, [str(code)])], [code])


def proposed(found: Planned) -> list[str]:
    return sorted(hunk.rule for hunk in found.plan.hunks)


def notes(found: Planned) -> list[str]:
    return [f"{r.rule.id}:{r.line}: {r.text}" for r in found.reports]


@pytest.mark.parametrize(
    "code",
    [
        "import os, requests\n" + CALL,
        "import requests as requests\n" + CALL,
        "from a import requests\n" + CALL,
        "import httpx2, requests.api\n" + CALL,
        "from . import httpx\nfrom a import requests\n" + CALL,
        CALL,
    ],
)
def test_nothing_without_what_it_requires(tmp_path: Path, code: str) -> None:
    found = planned(tmp_path, main=code)
    assert proposed(found) == []
    text = "Not proposed: it requires import-client, which proposes nothing here, and is not done"
    line = code.count("\n")
    assert notes(found) == [f"call-client:{line}: {text} already."]


def test_nothing_that_another_program_proposes(tmp_path: Path) -> None:
    found = planned(tmp_path, main="import os, requests\n" + CALL, other="import requests\n")
    assert proposed(found) == ["import-client"]


def test_without_done_nothing_counts_as_done(tmp_path: Path) -> None:
    found = planned(tmp_path, PACK, main="import httpx\nimport os, requests\n" + CALL)
    assert proposed(found) == []
    assert "has no `done` to say whether it is there already" in notes(found)[0]


def test_what_an_option_leaves_out_is_not_there(tmp_path: Path) -> None:
    pack = WITH_DONE.replace("    query:", "    option: old\n    query:")
    found = planned(tmp_path, pack, main="import requests\n" + CALL)
    assert proposed(found) == []
    assert "which the options of this run leave out" in notes(found)[0]


def test_what_requires_it_in_turn_goes_with_it(tmp_path: Path) -> None:
    third = PACK[PACK.index("  - id: call-client") :].replace("call-client", "third")
    pack = WITH_DONE + third.replace("[import-client]", "[call-client]").replace(".get(", ".put(")
    found = planned(tmp_path, pack, main="import os, requests\n" + CALL + "requests.put(1)\n")
    assert proposed(found) == []
    assert [note.partition(":")[0] for note in notes(found)] == ["call-client", "third"]


def test_with_the_hunk_of_the_same_file(tmp_path: Path) -> None:
    found = planned(tmp_path, main="import requests\n" + CALL)
    first, second = found.plan.hunks
    assert (first.rule, second.rule) == ("import-client", "call-client")
    assert second.requires == {first.id}
    assert notes(found) == []


def test_with_the_hunk_of_the_program(tmp_path: Path) -> None:
    found = planned(tmp_path, main="import requests\nimport part\n", part=CALL)
    assert proposed(found) == ["call-client", "import-client"]


@pytest.mark.parametrize("line", ["import httpx", "import os, httpx", "import httpx as h",
                                  "import httpx.api", "from httpx import get"])  # fmt: skip
def test_where_it_is_done(tmp_path: Path, line: str) -> None:
    found = planned(tmp_path, main=f"{line}\nimport os, requests\n{CALL}")
    assert proposed(found) == ["call-client"]
    assert not found.plan.hunks[0].requires


def test_an_empty_done_is_done_where_nothing_is_proposed(tmp_path: Path) -> None:
    pack = WITH_DONE.replace("[{imports: [httpx]}]", "[]")
    assert proposed(planned(tmp_path, pack, main=CALL)) == ["call-client"]
    both = planned(tmp_path, pack, main="import requests\n" + CALL)
    assert both.plan.hunks[1].requires == {both.plan.hunks[0].id}


def test_another_rule_that_provides_it_may_be_done(tmp_path: Path) -> None:
    second = WITH_DONE[WITH_DONE.index("  - id: import-client") : WITH_DONE.index("  - id: call")]
    second = second.replace("id: import-client", "id: other").replace("[httpx]", "[aiohttp]")
    second = second.replace("    done:", "    provides: import-client\n    done:")
    found = planned(tmp_path, WITH_DONE + second, main="import aiohttp\n" + CALL)
    assert proposed(found) == ["call-client"]


def test_the_rest_of_a_program_is_proposed_after_a_part_was_accepted(tmp_path: Path) -> None:
    path = pack_files.find("tf2-gradient-tape")
    assert path is not None
    pack = load(path)
    assert isinstance(pack, Pack)
    file = tmp_path / "train.py"
    file.write_text("import tensorflow as tf\nimport horovod.tensorflow as hvd\nhvd.init()\n"
                    + TRAIN.partition("\n")[2])  # fmt: skip
    found = make_plan([PackQuery(pack, [str(file)])], [file])
    rules = {hunk.rule for hunk in found.plan.hunks}
    assert {"average-gradients", "broadcast-after-first-step", "print-on-first-worker"} <= rules
    assert "initialise-horovod" not in rules
    assert not any("requires" in report.text for report in found.reports)


def test_the_command_says_why(tmp_path: Path) -> None:
    (tmp_path / "client.yaml").write_text(WITH_DONE)
    (tmp_path / "main.py").write_text("import os, requests\n" + CALL)
    command = [str(BIN / "pinsetter"), "run", "client.yaml"]
    done = run("main.py", "--check", command=command, cwd=tmp_path)
    assert done.code == 0
    assert "main.py:2: note: call-client: Not proposed: it requires import-client" in done.err


@pytest.mark.parametrize("path", pack_files.bundled(), ids=lambda path: path.stem)
def test_all_that_is_required_says_when_it_is_done(path: Path) -> None:
    pack = load(path)
    assert isinstance(pack, Pack)
    required = {name for rule in pack.rules for name in rule.requires}
    assert required or not pack.training_apis
    assert {n for n in required if all(r.done is None for r in pack.called(n))} == set()
