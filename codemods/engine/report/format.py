"""Format: the forms of a report."""

from __future__ import annotations

from enum import Enum


class Format(str, Enum):
    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    HTML = "html"
    GITLAB = "gitlab"
