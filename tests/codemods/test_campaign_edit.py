"""Another text for a hunk of a campaign, and parts of it: as commands and on the pages."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import reviewing
from browser import browser
from campaigning import NEW, OLD, PLAIN, Home, Repo
from commands import BIN, REPOSITORY
from test_campaign_pages import Served, serving, until

TEXT = "    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)\n"
OTHER = "    return zoned(datetime.datetime.now())\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.of(tmp_path / "repo", {"x.py": OLD, "y.py": PLAIN})


@pytest.fixture
def parts(tmp_path: Path) -> Repo:
    """A repository with a hunk that has two parts, and a pack beside it."""
    (tmp_path / "review.yaml").write_text(reviewing.PACK)
    return Repo.of(tmp_path / "parts", {"lines.py": reviewing.SCRIPT})


PAIR = "check-pair"


def start_pairs(home: Home, parts: Repo) -> None:
    home.run("start", "utc", "--pack", parts.folder.parent / "review.yaml", parts.folder)


def pair(home: Home) -> dict[str, Any]:
    """The first hunk of a rule, which has two parts."""
    found = [one for one in home.status("utc", "--hunks")["hunks"] if one["rule"] == PAIR]
    return dict(min(found, key=lambda one: int(one["line"])))


def only(home: Home) -> str:
    (one,) = home.status("utc", "--hunks")["hunks"]
    return str(one["id"])


def edit(home: Home, id: str, text: str, file: Path, *more: str, code: int = 0) -> str:
    file.write_text(text)
    return home.run("edit", "utc", id, "--text", str(file), *more, code=code).said


def test_another_text(home: Home, repo: Repo, tmp_path: Path) -> None:
    home.start(repo)
    id = only(home)
    shown = home.run("edit", "utc", id, "--show").out.decode()
    assert TEXT in shown
    assert str(repo.folder / "x.py") in shown
    assert home.counts() == {"open": 1}
    said = edit(home, id, shown.replace(TEXT, OTHER), tmp_path / "text")
    assert f"+{OTHER}" in said
    assert home.counts() == {"accepted": 1}
    # It is edited from there on.
    assert OTHER in home.run("edit", "utc", id, "--show").out.decode()
    repo.commit({"x.py": "# moved\n" + OLD})
    home.run("scan", "utc")
    home.run("apply", "utc")
    branch = repo.git("branch", "--list", "--format=%(refname:short)", "pinsetter/*")
    assert repo.show(branch, "x.py") == "# moved\n" + OLD.replace(
        "    return datetime.datetime.utcnow()\n", OTHER
    )


def test_nothing_is_changed(home: Home, repo: Repo, tmp_path: Path) -> None:
    home.start(repo)
    shown = home.run("edit", "utc", only(home), "--show").out.decode()
    for text in (shown, shown.replace(TEXT, ""), "", "\n"):
        assert "stays as it was" in edit(home, only(home), text, tmp_path / "text")
    assert home.counts() == {"open": 1}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace(TEXT, "    return (\n"), "would not parse"),
        (lambda text: text.replace("#| line 5:\n", ""), "is missing"),
        (lambda text: "x = 1\n" + text, "there is code above"),
    ],
)
def test_a_text_that_does_not_do(
    home: Home, repo: Repo, tmp_path: Path, change: Any, said: str
) -> None:
    home.start(repo)
    shown = home.run("edit", "utc", only(home), "--show").out.decode()
    told = edit(home, only(home), change(shown), tmp_path / "text", code=2)
    assert said in told
    assert f"{repo.folder}/x.py:5" in told
    assert home.counts() == {"open": 1}


def test_an_editor(home: Home, repo: Repo, tmp_path: Path) -> None:
    home.start(repo)
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/replace(tzinfo=None)/date()/' \"$1\"\n")
    editor.chmod(0o755)
    home.run("edit", "utc", only(home), env={"EDITOR": str(editor), "VISUAL": str(editor)})
    assert ".date()" in home.run("edit", "utc", only(home), "--show").out.decode()
    assert home.counts() == {"accepted": 1}
    home.run("decide", "utc", "reopen", "--hunk", only(home))
    assert TEXT in home.run("edit", "utc", only(home), "--show").out.decode()


def test_use_it_wrong(home: Home, repo: Repo, tmp_path: Path) -> None:
    home.start(repo)
    id = only(home)
    for command in ("edit", "split"):
        assert "There is no hunk 'x'" in home.run(command, "utc", "x", code=3).said
        assert "There is no hunk" in home.run(command, "utc", id, "--repository=no", code=3).said
        assert "meanwhile it is open" in home.run(command, "utc", id, "--seen=a", code=2).said
        assert "there is no campaign" in home.run(command, "none", id, code=2).said
    assert "cannot be split" in home.run("split", "utc", id, code=2).said
    assert "is not of the form" in home.run("split", "utc", id, "--accept=x", code=3).said
    home.run("edit", "utc", id, "--text", str(tmp_path / "none"), code=3)
    repo.commit({"x.py": NEW})
    home.run("scan", "utc")
    assert "There is no hunk" in home.run("edit", "utc", id, "--show", code=3).said


def test_one_of_several_repositories(home: Home, repo: Repo, tmp_path: Path) -> None:
    other = Repo.of(tmp_path / "other", {"x.py": OLD})
    home.start(repo, str(other.folder))
    ids = {one["id"] for one in home.status("utc", "--hunks")["hunks"]}
    (id,) = ids
    assert "say which: --repository" in home.run("edit", "utc", id, "--show", code=3).said
    shown = home.run("edit", "utc", id, "--show", "--repository=other").said
    assert str(other.folder / "x.py") in shown


def test_parts(home: Home, parts: Repo) -> None:
    start_pairs(home, parts)
    one, before = pair(home), home.counts()
    shown = home.run("split", "utc", one["id"]).said
    assert [line for line in shown.splitlines() if line.endswith("open")] == ["1  open", "2  open"]
    assert home.counts()["open"] == before["open"]
    assert "There is no part 3" in home.run("split", "utc", one["id"], "--accept=3", code=3).said
    assert home.counts() == before
    done = home.run("split", "utc", one["id"], "--accept=2", "--json", "--by=Second")
    assert [part["verdict"] for part in json.loads(done.out)["parts"]] == ["rejected", "accepted"]
    found = pair(home)
    assert (found["kind"], found["by"]) == ("accepted", "Second")
    # Once more, otherwise.
    again = json.loads(home.run("split", "utc", one["id"], "--json").out)["parts"]
    assert [part["verdict"] for part in again] == ["rejected", "accepted"]
    home.run("split", "utc", one["id"], "--accept=0")
    again = json.loads(home.run("split", "utc", one["id"], "--json").out)["parts"]
    assert [part["verdict"] for part in again] == ["rejected", "rejected"]


def test_what_is_split_has_no_text_as_a_whole(home: Home, parts: Repo, tmp_path: Path) -> None:
    start_pairs(home, parts)
    id = pair(home)["id"]
    text = home.run("edit", "utc", id, "--show").out.decode()
    home.run("split", "utc", id, "--accept=1,2")
    assert "it is split; reopen it" in home.run("edit", "utc", id, "--show", code=2).said
    assert "it is split; reopen it" in edit(home, id, text, tmp_path / "text", code=2)
    home.run("decide", "utc", "reopen", "--hunk", id)
    assert home.run("edit", "utc", id, "--show").out.decode() == text


def test_somebody_decides_while_the_text_is_written(home: Home, repo: Repo, tmp_path: Path) -> None:
    """The editor is open for a while; here somebody rejects the hunk in it."""
    home.start(repo)
    id = only(home)
    editor = tmp_path / "editor"
    editor.write_text(
        f"#!/bin/sh\n{BIN}/pinsetter campaign decide utc reject --hunk {id}\n"
        "sed -i 's/replace(tzinfo=None)/date()/' \"$1\"\n"
    )
    editor.chmod(0o755)
    done = home.run("edit", "utc", id, code=2, env={"EDITOR": str(editor), "VISUAL": str(editor)})
    assert "meanwhile it is rejected by First" in done.said
    assert home.counts() == {"refused": 1}


def test_parts_that_need_each_other(home: Home, tmp_path: Path) -> None:
    """What cannot be leaves all as it was."""
    folder = REPOSITORY / "fixtures" / "programs" / "fit_or_steps"
    repo = Repo.of(tmp_path / "steps", {"main.py": (folder / "main.py").read_text()})
    home.run("start", "utc", "--pack", "distribute", repo.folder)
    before = home.counts()
    hunks = home.status("utc", "--hunks")["hunks"]
    (id,) = [one["id"] for one in hunks if one["rule"] == "broadcast-before-fit"]
    said = home.run("split", "utc", id, "--accept=2", code=2).said
    assert "part 2 is not accepted: what it requires is not" in said
    assert home.counts() == before
    parts = json.loads(home.run("split", "utc", id, "--json").out)["parts"]
    assert [part["verdict"] for part in parts] == ["open", "open"]


def fields(text: str) -> dict[str, str]:
    """What a form has in it."""
    found = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text))
    area = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", text, re.DOTALL)
    return {**found, **({"text": html.unescape(area[1])} if area else {})}


def post(served: Served, path: str, given: Mapping[str, str]) -> tuple[int, str, dict[str, str]]:
    sent = {"Content-Type": "application/x-www-form-urlencoded"}
    return served.ask(path, dict(given), **sent)


def test_a_page_without_scripts(home: Home, repo: Repo) -> None:
    home.start(repo)
    with serving(home) as served:
        (id,) = re.findall(r'data-id="(\d+)"', served.ask("/hunks")[1])
        given = fields(served.ask(f"/hunks/{id}/edit")[1])
        assert TEXT in given["text"]
        bad = {**given, "text": given["text"].replace(TEXT, "    return (</textarea><b>\n")}
        code, text, _ = post(served, "/edit", bad)
        assert "would not parse" in text
        assert fields(text)["text"] == bad["text"], "what was written is there still"
        assert "<b>" not in text
        assert home.counts() == {"open": 1}
        good = {**given, "text": given["text"].replace(TEXT, OTHER).replace("\n", "\r\n")}
        code, _, headers = post(served, "/edit", good)
        assert (code, headers["location"]) == (303, f"/hunks/{id}")
        assert "with another text" in served.ask(f"/hunks/{id}")[1]
        # Somebody else's page is old now.
        code, text, _ = post(served, "/edit", good)
        assert "meanwhile it is accepted by First" in text
        assert "cannot be split" in served.ask(f"/hunks/{id}/split")[1]
        assert post(served, "/edit", {**good, "form_token": "x"})[0] == 403
        assert "no such hunk" in post(served, "/edit", {**good, "hunk": "99"})[1]
        assert served.ask("/hunks/99/edit")[0] == 200
    assert home.counts() == {"accepted": 1}


def test_parts_on_a_page(home: Home, parts: Repo) -> None:
    start_pairs(home, parts)
    with serving(home) as served:
        id, *_ = re.findall(r'data-id="(\d+)"', served.ask(f"/hunks?rule={PAIR}")[1])
        text = served.ask(f"/hunks/{id}/split")[1]
        assert re.findall(r'name="(part-\d)"( checked)?', text) == [("part-1", ""), ("part-2", "")]
        code, told, _ = post(served, "/split", {**fields(text), "part-1": "on"})
        assert code == 303, told
        assert "in parts" in served.ask(f"/hunks/{id}")[1]
        text = served.ask(f"/hunks/{id}/split")[1]
        assert re.findall(r'name="(part-\d)"( checked)?', text) == [
            ("part-1", " checked"), ("part-2", ""),
        ]  # fmt: skip


def test_keys(home: Home, repo: Repo) -> None:
    home.start(repo)
    here = "location.pathname"
    with serving(home) as served, browser() as page:
        page.visit(served.address)
        page.visit(served.address.partition("?")[0] + "hunks?kind=open")
        page.press("e", "e")
        until(page, f"{here}.endsWith('/edit') && document.activeElement?.id === 'text'")
        page.evaluate("document.activeElement.value += '    # by hand\\n'")
        page.evaluate("document.getElementById('edit').requestSubmit()")
        until(page, f"!{here}.endsWith('/edit')")
        until(page, "document.body?.innerText.includes('another text')")
        until(page, "document.querySelector('.hunk.current') !== null")
        page.press("s", "s")
        until(page, f"{here}.endsWith('/split') && !!document.querySelector('[role=alert]')")
        assert page.complaints == []
    assert "# by hand" in home.run("edit", "utc", only(home), "--show").out.decode()


def test_what_lies_in_the_current_folder_is_not_executed(
    home: Home, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page asks this program in a process of its own."""
    ran = tmp_path / "ran"
    for name in ("yaml", "json", "click", "pinsetter", "re"):
        (repo.folder / f"{name}.py").write_text(f"open({str(ran)!r}, 'a').write('x')\n")
    monkeypatch.chdir(repo.folder)
    home.start(repo)
    with serving(home) as served:
        (id,) = re.findall(r'data-id="(\d+)"', served.ask("/hunks")[1])
        assert TEXT in html.unescape(served.ask(f"/hunks/{id}/edit")[1])
        assert served.ask(f"/hunks/{id}/facts")[0] == 200
    assert not ran.exists()
