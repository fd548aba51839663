"""A real browser for tests, without a window, spoken to through its debugging pipe.

Chromium reads commands from file descriptor 3 and answers on 4: JSON, each ended by a zero byte.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
VARIABLE = "PINSETTER_BROWSER"
_OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-sync", "--disable-background-networking", "--disable-component-update",
    "--disable-dev-shm-usage", "--remote-debugging-pipe",
]  # fmt: skip
_SECONDS = 40.0


def find() -> str | None:
    """The browser's program, if there is one that starts: some systems have a stand-in that only
    says how to install it."""
    given = os.environ.get(VARIABLE)
    if given:
        return given
    return next((found for name in NAMES if (found := shutil.which(name)) and _starts(found)), None)


def _starts(program: str) -> bool:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


class Page:
    """One page of the browser, with all that it asked for and complained about."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._waiting = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a file and wait until that is done."""
        self.visit(path.as_uri() + fragment)

    def visit(self, address: str) -> None:
        """Load what is at an address and wait until that is done.

        A browser may hang (once in thousands of navigations), so there is a second try, with a
        warning; a server that does not answer will not answer that either.
        """
        try:
            self._visit(address)
        except TimeoutError as error:
            warnings.warn(f"{address} is asked for a second time: {error}", stacklevel=2)
            self._visit(address)

    def _visit(self, address: str) -> None:
        self.events.clear()
        self.call("Page.navigate", url=address)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._receive(time.monotonic() + _SECONDS)

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                         awaitPromise=True)  # fmt: skip
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def press(self, key: str, text: str = "") -> None:
        """Press a key, such as Tab or Enter; ``text`` is what it types."""
        code = {"Tab": 9, "Enter": 13, " ": 32}.get(key, 0)
        what = {"key": key, "code": key, "windowsVirtualKeyCode": code, "text": text}
        self.call("Input.dispatchKeyEvent", type="keyDown", **what)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{**what, "text": ""})

    @property
    def requests(self) -> list[str]:
        """The addresses that were asked for, but for the data that the page has in itself."""
        sent = (e["params"] for e in self.events if e["method"] == "Network.requestWillBeSent")
        urls = (event["request"]["url"] for event in sent)
        return [url for url in urls if not url.startswith("data:")]

    @property
    def complaints(self) -> list[Any]:
        """Errors of scripts, and what the content security policy stopped."""
        wrong = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")
        return [event["params"] for event in self.events if event["method"] in wrong]

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command; returns its result."""
        self._number += 1
        number = self._number
        session = {"sessionId": self._session} if self._session else {}
        command = {"id": number, "method": method, "params": parameters, **session}
        os.write(self._writing, json.dumps(command).encode() + b"\0")
        until = time.monotonic() + _SECONDS
        while True:
            answer = self._receive(until)
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer)
                result = answer["result"]
                assert isinstance(result, dict)
                return result

    def _receive(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._waiting:
            ready, _, _ = select.select([self._reading], [], [], max(0, until - time.monotonic()))
            if not ready:
                last = [event["method"] for event in self.events[-5:]]
                raise TimeoutError(f"the browser says nothing for {_SECONDS:.0f} s after {last}")
            data = os.read(self._reading, 1 << 16)
            assert data, "the browser has ended; what it said of that is above"
            self._waiting += data
        line, _, self._waiting = self._waiting.partition(b"\0")
        message = json.loads(line)
        assert isinstance(message, dict)
        if "method" in message:
            self.events.append(message)
        return message


@contextlib.contextmanager
def browser() -> Iterator[Page]:
    """A page of a browser that is started for it; skips the test where there is none."""
    program = find()
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} starts, and {VARIABLE} is not set")
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        tempfile.TemporaryFile() as said,
    ):
        commands, answers = os.pipe(), os.pipe()
        # The shell puts the ends of the pipes where the browser looks for them.
        script = f'exec "$0" "$@" 3<&{commands[0]} 4>&{answers[1]}'
        process = subprocess.Popen(
            ["bash", "-c", script, program, *_OPTIONS, f"--user-data-dir={profile}"],
            pass_fds=(commands[0], answers[1]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        os.close(commands[0])
        os.close(answers[1])
        try:
            yield Page(answers[0], commands[1])
        except (AssertionError, OSError):
            said.seek(0)
            print(f"the browser ({process.poll()}):", said.read().decode(errors="replace")[-4000:])
            raise
        finally:
            os.close(commands[1])
            os.close(answers[0])
            try:
                process.wait(10)  # it ends when its pipe does
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
