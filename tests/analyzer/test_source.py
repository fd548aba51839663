"""Source: bytes are read once and can be written back unchanged; what cannot is a Problem."""

from __future__ import annotations

import codecs
import os
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinsetter.analyzer.files import disk
from pinsetter.analyzer.files.source import Source, decode, read
from pinsetter.analyzer.messages.problem import Problem

FILE = Path("file.py")


def problem(data: bytes) -> Problem:
    found = decode(FILE, data)
    assert isinstance(found, Problem)
    return found


def source(data: bytes) -> Source:
    found = decode(FILE, data)
    assert isinstance(found, Source), found
    return found


# ---------------------------------------------------------------- what is refused


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    found = read(tmp_path / "none.py")
    assert isinstance(found, Problem)
    assert found.path == tmp_path / "none.py"
    assert "cannot be read" in found.reason


def test_a_folder_is_a_problem(tmp_path: Path) -> None:
    assert isinstance(read(tmp_path), Problem)


def test_a_broken_link_and_a_link_to_itself_are_problems(tmp_path: Path) -> None:
    (tmp_path / "broken.py").symlink_to(tmp_path / "none.py")
    (tmp_path / "circle.py").symlink_to(tmp_path / "circle.py")
    assert isinstance(read(tmp_path / "broken.py"), Problem)
    assert isinstance(read(tmp_path / "circle.py"), Problem)


def test_an_unreadable_file_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "secret.py"
    path.write_bytes(b"x = 1\n")

    def refuse(path: Path) -> NoReturn:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(disk, "opened", refuse)
    found = read(path)
    assert isinstance(found, Problem)
    assert "Permission denied" in found.reason


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_a_file_without_permission_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "secret.py"
    path.write_bytes(b"x = 1\n")
    path.chmod(0)
    assert isinstance(read(path), Problem)


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"\xff", 1),
        (b"x = 1\ny = '\xe9'\n", 2),
        (b"x = 1\r\n\r\ny = '\xe9'\r\n", 3),
        (b"x = 1\ry = 2\rz = '\xe9'\r", 3),
        (b"# a\ny = '\xe9'\n", 2),
        (b"a\r\nb\rc\n'\xe9'\n", 4),
        (b"# coding: ascii\n\n'\xc3\xa9'\n", 3),
    ],
)
def test_bytes_that_do_not_decode_are_reported_with_their_line(data: bytes, line: int) -> None:
    assert problem(data).line == line


def test_an_unknown_codec_is_a_problem() -> None:
    assert problem(b"# coding: klingon\n").line == 1


@pytest.mark.parametrize("codec", ["rot13", "hex", "base64", "zip", "idna", "utf-16", "utf-7"])
def test_a_codec_that_is_no_encoding_of_text_never_raises(codec: str) -> None:
    data = f"# coding: {codec}\nx = 1\n".encode()
    found = decode(FILE, data)
    assert isinstance(found, Problem) or found.encode(found.text) == data


def test_a_byte_order_mark_that_contradicts_the_cookie_is_a_problem() -> None:
    assert problem(codecs.BOM_UTF8 + b"# coding: latin-1\n").line == 1


def test_utf_16_is_a_problem() -> None:
    assert isinstance(decode(FILE, "x = 1\n".encode("utf-16")), Problem)


# ---------------------------------------------------------------- what is kept


def test_an_empty_file_is_a_source() -> None:
    found = source(b"")
    assert (found.text, found.newline, found.bom) == ("", "\n", False)


@pytest.mark.parametrize(
    ("data", "newline"),
    [
        (b"x = 1", "\n"),
        (b"x = 1\n", "\n"),
        (b"x = 1\r\ny = 2\r\n", "\r\n"),
        (b"x = 1\ry = 2\r", "\r"),
        (b"a\r\nb\r\nc\n", "\r\n"),
        (b"a\nb\nc\r\n", "\n"),
        (b"a\rb\rc\r\n", "\r"),
    ],
)
def test_the_newline_is_the_commonest_one(data: bytes, newline: str) -> None:
    found = source(data)
    assert found.newline == newline
    assert found.text.encode() == data


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "é"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n", "€"),
        (b"# coding: utf-8\nx = '\xc3\xa9'\n", "é"),
        ("# coding: euc-jp\nx = '日本'\n".encode("euc-jp"), "日本"),
    ],
)
def test_the_cookie_is_obeyed(data: bytes, text: str) -> None:
    found = source(data)
    assert f"'{text}'" in found.text
    assert found.encode(found.text) == data


def test_a_cookie_on_the_third_line_is_a_comment() -> None:
    assert source("\n\n# coding: latin-1\nx = 'é'\n".encode()).encoding == "utf-8"


def test_the_byte_order_mark_stays_in_the_text() -> None:
    data = codecs.BOM_UTF8 + b"x = 1\n"
    found = source(data)
    assert found.bom
    assert found.text == "\ufeffx = 1\n"
    assert found.encode(found.text) == data


def test_a_character_that_the_encoding_lacks_is_an_encode_error() -> None:
    with pytest.raises(UnicodeEncodeError):
        source(b"# coding: latin-1\n").encode("'日本'")


COOKIES = [b"", b"# coding: latin-1\n", b"# coding: utf-8\r\n", codecs.BOM_UTF8]


@given(st.sampled_from(COOKIES), st.binary(max_size=60))
def test_any_bytes_are_a_problem_or_come_back(start: bytes, rest: bytes) -> None:
    data = start + rest
    found = decode(FILE, data)
    assert isinstance(found, Problem) or found.encode(found.text) == found.data == data


@given(st.text(st.sampled_from("x =é日\n\r\t\f\\'#"), max_size=40))
def test_utf_8_text_always_comes_back(text: str) -> None:
    found = source(b"\n\n" + text.encode())
    assert found.text == "\n\n" + text
