"""The review of a campaign in a real browser: keys, several reviewers, hostile names and contents,
and who is let in."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from browser import Page, browser
from campaigning import OLD, Home, Repo
from commands import BIN

from pinsetter.codemods.engine.records import campaigns, hunks, listing
from pinsetter.codemods.engine.records.recorded import Found
from pinsetter.codemods.engine.records.store import Store, opened, parsed

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
PATIENCE = 20.0
ODD = ("/hunks?page=0", "/hunks?page=99999", "/hunks?page=x", "/hunks?kind=x", "/hunks?equal_to=x",
       "/hunks?text=%25_%5C", "/hunks?text=%00%ff", "/hunks/99", "/events?after=x")  # fmt: skip
RUNNING = "document.querySelectorAll('img[src=x], main script, b').length"
HOSTILE = "<img src=x onerror=alert(1)>"


@dataclass
class Served:
    """A server that runs, and who asks."""

    address: str
    cookie: str = ""
    more: dict[str, str] = field(default_factory=dict)

    def ask(
        self, path: str, data: dict[str, str] | None = None, **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        """The code, the text and the headers of an answer."""
        where = urlsplit(self.address)
        connection = http.client.HTTPConnection(where.netloc, timeout=PATIENCE)
        sent = {"Cookie": self.cookie, **self.more, **headers}
        body = urlencode(data) if data is not None else None
        connection.request("POST" if data is not None else "GET", path, body, sent)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, {key.lower(): value for key, value in answer.getheaders()}

    def form_token(self) -> str:
        found = re.search(r'name="form-token" content="(\w+)"', self.ask("/")[1])
        assert found is not None
        return found[1]


@contextmanager
def serving(home: Home, *options: str) -> Iterator[Served]:
    env = {**os.environ, "PINSETTER_CAMPAIGNS": str(home.folder)}
    command = [str(BIN / "pinsetter"), "serve", "utc", "--port", "0", *options]
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        served = Served(address)
        where = urlsplit(address)
        if where.query:
            _, _, headers = served.ask(f"{where.path}?{where.query}")
            served.cookie = headers["set-cookie"].partition(";")[0]
        yield served
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) in (0, 130)


def until(page: Page, script: str) -> None:
    """Wait until something is so in a page."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(script):
        assert time.monotonic() < end, (script, page.evaluate("document.body.innerText"))
        time.sleep(0.05)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.of(tmp_path / "repo", {f"f{number}.py": OLD for number in range(4)})


KINDS = "[...document.querySelectorAll('.hunk .kind')].map((each) => each.textContent).join()"
SAID = "document.getElementById('said').textContent"


def test_keys(home: Home, repo: Repo) -> None:
    home.start(repo)
    with serving(home) as served, browser() as page:
        page.visit(served.address)
        page.visit(served.address.partition("?")[0] + "hunks?kind=open")
        assert page.evaluate(KINDS) == "open,open,open,open"
        page.press("y", "y")
        until(page, f"{KINDS} === 'accepted,open,open,open'")
        page.press("n", "n")
        until(page, f"{KINDS} === 'accepted,refused,open,open'")
        page.press("=", "=")
        until(page, f"{KINDS} === 'accepted,refused,accepted,accepted'")
        page.press("u", "u")
        until(page, f"{KINDS} === 'accepted,refused,open,open'")
        page.press("u", "u")
        until(page, f"{KINDS} === 'accepted,open,open,open'")
        page.press("k", "k")
        page.press("k", "k")
        page.press("k", "k")
        page.press("r", "r")
        until(page, f"{KINDS} === 'open,open,open,open'")
        page.press("c", "c")
        page.evaluate("document.activeElement.value = 'Why not'")
        page.evaluate("document.activeElement.blur()")
        page.press("n", "n")
        until(page, f"{KINDS} === 'refused,open,open,open'")
        assert "Why not" in page.evaluate("document.querySelector('.hunk .said').textContent")
        page.press("?", "?")
        assert page.evaluate("document.getElementById('keys').open")
        assert page.complaints == []
        assert all(url.startswith(served.address.partition("?")[0]) for url in page.requests)
    hunks = home.status("utc", "--hunks")["hunks"]
    assert [one["kind"] for one in hunks] == ["refused", "open", "open", "open"]
    assert (hunks[0]["by"], hunks[0]["comment"]) == ("First <first@example.org>", "Why not")


def test_keys_for_many(home: Home, tmp_path: Path) -> None:
    two = OLD + OLD.replace("now()", "then()", 1)
    Repo.of(tmp_path / "repo", {"a.py": two, "b.py": two})
    home.run("start", "utc", "--pack", "utcnow", tmp_path / "repo")
    with serving(home) as served, browser() as page:
        page.visit(served.address)
        page.visit(served.address.partition("?")[0] + "hunks")
        assert page.evaluate(KINDS) == "open,open,open,open"
        page.press("a", "a")
        until(page, f"{KINDS} === 'accepted,accepted,open,open'")
        page.press("d", "d")
        until(page, f"{KINDS} === 'accepted,accepted,refused,refused'")
        page.press("u", "u")
        until(page, f"{KINDS} === 'accepted,accepted,open,open'")
        page.evaluate("window.confirm = (said) => { window.asked = said; return false; }")
        page.press("A", "A")
        until(page, "window.asked === 'accept all open hunks of naive-utcnow?'")
        page.evaluate("window.confirm = () => true")
        page.press("D", "D")
        until(page, f"{KINDS} === 'accepted,accepted,refused,refused'")
        code, text, _ = served.ask("/rules/naive-utcnow")
        assert (code, "50 % of what was decided" in text) == (200, True)
        assert "<h3>match</h3>" in text
        assert served.ask("/rules/none")[0] == 200
        odd = {"hunk": "1", "seen": "accepted", "form_token": served.form_token()}
        for answer in ("accept x", "x", ""):
            assert served.ask("/decide", {**odd, "answer": answer})[0] == 409


def test_what_is_found_in_code_is_not_counted_to_the_end(
    home: Home, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.start(repo)
    url = parsed(str(home.folder / "campaigns.db"))
    assert url is not None
    store = opened(url)
    assert isinstance(store, Store)
    wanted = listing.Wanted(text="utcnow", in_code=True)
    with store.look() as connection:
        found = listing.page_of(connection, 1, wanted, 9, 3)
        assert [one.known.found.path for one in found.listed] == [b"f3.py"]
        assert (found.total, found.number, found.last, found.more) == (4, 2, 2, False)
        monkeypatch.setattr(listing, "MANY", 2)
        found = listing.page_of(connection, 1, wanted, 1, 3)
        assert [one.known.found.path for one in found.listed] == [b"f0.py", b"f1.py"]
        assert (found.total, found.more) == (2, True)
        none = listing.page_of(connection, 1, replace(wanted, text="nowhere"), 1, 3)
        assert (none.listed, none.total, none.number, none.last) == ([], 0, 1, 1)
        # By its path nothing is read to the end.
        by_path = listing.page_of(connection, 1, listing.Wanted(text="f"), 2, 3)
        assert ([one.known.found.path for one in by_path.listed], by_path.total) == ([b"f3.py"], 4)
    store.close()
    with serving(home) as served:
        text = served.ask("/hunks?text=utcnow&in_code=1&page=7")[1]
        assert "<h2>4 hunks</h2>" in text
        assert len(re.findall(r'data-id="', text)) == 4


def test_two_reviewers_see_each_other(home: Home, repo: Repo) -> None:
    home.start(repo)
    with serving(home, "--user-header", "X-User") as served, browser() as page:
        page.call("Network.setExtraHTTPHeaders", headers={"X-User": "first"})
        page.visit(served.address + "hunks?kind=open")
        second = Served(served.address, more={"X-User": "second"})
        ids = re.findall(r'data-id="(\d+)"', second.ask("/hunks")[1])
        given = {"hunk": ids[0], "answer": "reject", "seen": "", "form_token": second.form_token()}
        assert second.ask("/decide", given, Accept="application/json")[0] == 200
        page.press("y", "y")  # what the first sees is what it was
        until(page, f"{SAID}.includes('by second')")
        until(page, f"{KINDS} === 'refused,open,open,open'")
        second.ask("/decide", {**given, "hunk": ids[1]}, Accept="application/json")
        until(page, f"{KINDS} === 'refused,refused,open,open'")
        page.press("u", "u")
        until(page, f"{SAID}.includes('nothing to take back')")
        code, text, _ = second.ask("/decide", given, Accept="application/json")
        assert (code, "meanwhile it is rejected by second" in text) == (409, True)
        code, text, _ = second.ask(f"/hunks/{ids[0]}")
        assert "decided rejected, second" in " ".join(text.split())


def test_what_others_said_since_is_not_taken_back(home: Home, repo: Repo) -> None:
    home.start(repo)
    with serving(home, "--user-header", "X-User") as served:
        first, second = (Served(served.address, more={"X-User": n}) for n in ("first", "second"))
        ids = re.findall(r'data-id="(\d+)"', first.ask("/hunks")[1])
        given = {"hunk": ids[0], "answer": "accept equal", "seen": ""}
        assert first.ask("/decide", {**given, "form_token": first.form_token()})[0] == 303
        assert home.counts() == {"accepted": 4}
        given = {"hunk": ids[1], "answer": "reject", "seen": "accepted"}
        assert second.ask("/decide", {**given, "form_token": second.form_token()})[0] == 303
        assert first.ask("/undo", {"form_token": first.form_token()})[0] == 303
        assert home.counts() == {"open": 3, "refused": 1}
        assert second.ask("/undo", {"form_token": second.form_token()})[0] == 303
        assert home.counts() == {"open": 3, "accepted": 1}  # as it was before the second spoke


def test_who_is_let_in(home: Home, repo: Repo) -> None:
    home.start(repo)
    with serving(home) as served:
        nobody = Served(served.address)
        assert nobody.ask("/")[0] == 403
        assert nobody.ask("/?token=wrong")[0] == 403
        assert nobody.ask("/static/review.js")[0] == 403
        assert Served(served.address, "pinsetter=wrong").ask("/")[0] == 403
        assert served.ask("/", Host="evil.example")[0] == 421
        code, _, headers = served.ask("/")
        assert code == 200
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        given = {"hunk": "1", "answer": "accept", "seen": ""}
        assert served.ask("/decide", given)[0] == 403
        assert served.ask("/decide", {**given, "form_token": "wrong"})[0] == 403
        good = {**given, "form_token": served.form_token()}
        assert served.ask("/decide", good, Origin="http://evil.example")[0] == 403
        assert home.counts() == {"open": 4}
        assert served.ask("/decide", {**good, "answer": "maybe"})[0] == 409
        assert served.ask("/decide", {**good, "hunk": "99"})[0] == 409
        assert served.ask("/decide", {**good, "hunk": "1;"})[0] == 409
        assert served.ask("/decide", {**good, "comment": "x" * 2_000_000})[0] == 413
        assert served.ask("/undo", good)[0] == 409
        assert served.ask("/decide", good)[0] == 303  # a form without a script
        assert home.counts() == {"open": 3, "accepted": 1}
        for path in ODD:
            assert served.ask(path)[0] == 200, path
        assert served.ask("/static/../app.py")[0] == 404
        assert served.ask("/no")[0] == 404


def test_what_a_repository_holds_is_text(home: Home, tmp_path: Path) -> None:
    name = f"{HOSTILE}.py".replace("/", "")
    code = OLD.replace("utcnow()", f"utcnow()  # {HOSTILE}</td><script>alert(2)</script>\u202e")
    repo = Repo.of(tmp_path / "repo", {name: code, "CODEOWNERS": "* @<b>x</b>\n"})
    home.start(repo)
    with serving(home) as served, browser() as page:
        page.visit(served.address)
        address = served.address.partition("?")[0]
        for path in ("", "hunks", "hunks/1", "hunks/1/facts", "rules"):
            page.visit(address + path)
            assert page.evaluate(RUNNING) == 0
            assert page.complaints == []
            if path in ("hunks", "hunks/1"):
                assert HOSTILE in page.evaluate("document.querySelector('.diff').textContent")
                assert "U+202E" in page.evaluate("document.querySelector('.diff').textContent")


def test_a_narrow_window_and_without_script(home: Home, repo: Repo) -> None:
    home.start(repo)
    with serving(home) as served, browser() as page:
        page.visit(served.address)
        page.call("Emulation.setDeviceMetricsOverride", width=360, height=700,
                  deviceScaleFactor=1, mobile=True)  # fmt: skip
        address = served.address.partition("?")[0]
        for path in ("", "hunks", "rules"):
            page.visit(address + path)
            wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth + 1"
            assert not page.evaluate(wide), path
        page.call("Emulation.setDeviceMetricsOverride", width=1200, height=2000,
                  deviceScaleFactor=1, mobile=False)  # fmt: skip
        page.visit(address + "hunks?kind=open")
        box = "(({x, y}) => [x + 5, y + 5])(document.querySelector('{}').getBoundingClientRect())"
        x, y = page.evaluate(box.replace("{}", "button[value=accept]"))
        page.call("Emulation.setScriptExecutionDisabled", value=True)
        page.visit(address + "hunks?kind=open")
        for kind in ("mousePressed", "mouseReleased"):
            page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        end = time.monotonic() + PATIENCE
        while home.counts() != {"open": 3, "accepted": 1} and time.monotonic() < end:
            time.sleep(0.1)
        assert home.counts() == {"open": 3, "accepted": 1}


def test_a_port_that_is_taken(home: Home, repo: Repo) -> None:
    home.start(repo)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = home.run("--help").out  # the command is there
        assert done
        served = subprocess.run(
            [str(BIN / "pinsetter"), "serve", "utc", "--port", port],
            env={**os.environ, "PINSETTER_CAMPAIGNS": str(home.folder)},
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert (served.returncode, "--port NUMBER" in served.stderr) == (2, True)
    open_to_all = subprocess.run(
        [str(BIN / "pinsetter"), "serve", "utc", "--host", "0.0.0.0"],
        env={**os.environ, "PINSETTER_CAMPAIGNS": str(home.folder)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (open_to_all.returncode, "--user-header" in open_to_all.stderr) == (3, True)


def test_what_is_decided_on_pages_is_applied(home: Home, repo: Repo) -> None:
    home.start(repo)
    with serving(home) as served:
        ids = re.findall(r'data-id="(\d+)"', served.ask("/hunks")[1])
        given = {"hunk": ids[0], "answer": "accept", "seen": "", "form_token": served.form_token()}
        assert served.ask("/decide", given)[0] == 303
        home.run("apply", "utc")  # while it is served
    assert repo.git("diff", "--name-only", "main", "pinsetter/utc/no-owner") == "f0.py"


def test_what_a_hunk_rests_on(home: Home, tmp_path: Path) -> None:
    demo = Path(__file__).parents[2] / "fixtures" / "demo"
    files = {str(path.relative_to(demo)): path.read_text() for path in demo.rglob("*.py")}
    repo = Repo.of(tmp_path / "repo", files)
    home.run("start", "utc", "--pack", "tf2_gradient_tape", repo.folder)
    with serving(home) as served:
        text = served.ask("/hunks?rule=scale-learning-rate")[1]
        (id,) = re.findall(r'data-id="(\d+)"', text)
        code, text, _ = served.ask(f"/hunks/{id}")
        assert (code, "<h3>where</h3>" in text) == (200, True)
        assert "It requires" in text
        code, text, _ = served.ask(f"/hunks/{id}/facts")
        assert code == 200
        assert "optimizer self.optimizer (proved)" in text
        assert str(repo.folder) not in text
        assert served.ask("/hunks/9999/facts")[0] == 200
        # It is of the commit that was scanned, whatever is there now.
        for path in repo.folder.rglob("*.py"):
            path.unlink()
        assert "optimizer self.optimizer (proved)" in served.ask(f"/hunks/{id}/facts")[1]
        repo.folder.rename(tmp_path / "elsewhere")
        assert "not on this machine" in served.ask(f"/hunks/{id}/facts")[1]


def test_ten_thousand_hunks(home: Home, repo: Repo) -> None:
    home.start(repo)
    url = parsed(str(home.folder / "campaigns.db"))
    assert url is not None
    store = opened(url)
    assert isinstance(store, Store)
    diff = "@@ -1,1 +1,1 @@\n-old()\n+new()"
    with store.change() as connection:
        (made,) = campaigns.repositories(connection, 1)
        shard = campaigns.add_shard(connection, made.id, "many", ["@many"], "pinsetter/utc/many")
        hunks.put(connection, 1, made.id, (
            (None, shard, Found(f"{n:012x}", f"d/f{n // 20}.py".encode(), f"rule-{n % 3}", "T", "W",
                                (), n % 20 + 1, diff, "same", f"{n:016x}"))
            for n in range(10_000)
        ), 1)  # fmt: skip
    store.close()
    with serving(home) as served, browser() as page:
        page.visit(served.address)
        address = served.address.partition("?")[0]
        page.visit(address + "hunks?kind=open&rule=rule-1")
        assert page.evaluate("document.querySelector('h2').textContent") == "3333 hunks"
        assert page.evaluate("document.querySelectorAll('.hunk').length") == 25
        page.press("=", "=")
        until(page, f"{SAID}.startsWith('3333 hunks changed')")
        assert page.evaluate("document.querySelectorAll('.hunk.accepted').length") == 25
        page.press("u", "u")
        until(page, f"{SAID}.startsWith('3333 hunks changed')")
        until(page, "document.querySelectorAll('.hunk.accepted').length === 0")
        page.visit(address + "hunks?kind=open&page=400")
        assert page.evaluate("document.querySelectorAll('.hunk').length") == 25
        page.press("y", "y")
        until(page, "document.querySelectorAll('.hunk.accepted').length === 1")
        assert page.complaints == []
    assert home.counts() == {"open": 10_003, "accepted": 1}
