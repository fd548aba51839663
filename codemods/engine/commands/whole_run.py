"""Imports what a run imports when it comes to it, for who forks a process for each of many runs."""

from __future__ import annotations

import jsonschema  # noqa: F401

from pinsetter.analyzer.programs import requirements  # noqa: F401
from pinsetter.patterns.checking import pack_checks  # noqa: F401
from pinsetter.patterns.reading import code_pattern  # noqa: F401

from ..formatting import formatted_edits, formatter  # noqa: F401
from ..propose import part_work, scope  # noqa: F401
from ..running import pack_query, patch, run  # noqa: F401
from ..stream import planning_process  # noqa: F401
from ..watchdog import attempt  # noqa: F401
from . import configuration, delivery, run_command  # noqa: F401
