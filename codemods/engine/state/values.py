"""values: what is read from the state database, checked.

SQLite stores anything in any column. What is not what a run has written there is an ``Unsound``.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from enum import Enum
from typing import Any, TypeVar

from . import strict_json

_Kind = TypeVar("_Kind", bound=Enum)

# Far more than a source has. What is packed may claim to be a thousand times its size.
LARGEST = 1 << 28
# The end of the year 9998, in seconds since 1970: all that a calendar can show everywhere.
LATEST = 253_370_764_800


class Unsound(sqlite3.DatabaseError):
    """The database has what no run has written."""


def text(row: Any, name: str) -> str:
    """Raises Unsound, as all of these do."""
    value = row[name]
    if not isinstance(value, str):
        raise Unsound(f"{name} is no text")
    return value


def blob(row: Any, name: str) -> bytes:
    value = row[name]
    if not isinstance(value, bytes):
        raise Unsound(f"{name} is no bytes")
    return value


def number(row: Any, name: str, least: int = 0) -> int:
    value = row[name]
    if not isinstance(value, int) or value < least:
        raise Unsound(f"{name} is no number, or too small")
    return value


def time(row: Any, name: str) -> float:
    """Seconds since 1970."""
    value = row[name]
    if not isinstance(value, (int, float)) or not 0 <= value < LATEST:
        raise Unsound(f"{name} is no time")
    return value


def member(row: Any, name: str, kind: type[_Kind]) -> _Kind:
    """One of the values of an enum."""
    try:
        return kind(row[name])
    except ValueError:
        raise Unsound(f"{name} is none of those that there are") from None


def items(row: Any, name: str) -> list[Any]:
    """A list that is stored as JSON; what is in it is to be checked."""
    value = text(row, name)
    try:
        found = strict_json.parse(value)
    except strict_json.NotStrict:
        found = None
    if not isinstance(found, list):
        raise Unsound(f"{name} is no list")
    return found


def texts(row: Any, name: str) -> list[str]:
    found = items(row, name)
    if not all(isinstance(item, str) for item in found):
        raise Unsound(f"{name} has what is no text")
    return found


def numbers(row: Any, name: str) -> list[int]:
    found = items(row, name)
    if not all(type(item) is int and item >= 0 for item in found):
        raise Unsound(f"{name} has what is no number")
    return found


def packed(data: bytes) -> bytes:
    """Bytes as they are stored."""
    if len(data) > LARGEST:
        raise Unsound(f"a file of more than {LARGEST >> 20} MB cannot be kept")
    return zlib.compress(data)


def unpacked(row: Any, name: str, digest: bytes) -> bytes:
    """Bytes that ``packed`` stored, whose digest is this."""
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(blob(row, name), LARGEST)
    except zlib.error as error:
        raise Unsound(f"{name} cannot be unpacked") from error
    if not unpacking.eof or digest_of(data) != digest:
        raise Unsound(f"{name} is not what was stored")
    return data


def digest_of(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
