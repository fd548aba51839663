"""Keeper: where the decisions of a review are saved."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from pinsetter.analyzer.messages.problem import Problem

from ..state.opening import open_database
from ..state.sessions import Sessions, SessionState, Subject

if TYPE_CHECKING:
    from ..state.database import Database
    from ..state.decision import SavedDecision
    from ..state.folder import StateFolder


class Keeper(Protocol):
    """Each method does the whole of what it is told, or returns why it did nothing of it."""

    @property
    def has_begun(self) -> bool:
        """Whether something was saved, now or before."""

    def put(self, decided: Sequence[SavedDecision], gone: Sequence[str]) -> Problem | None:
        """Save decisions in the place of earlier ones on the same hunks, and forget others."""

    def carry_out(
        self, run: int, done: Mapping[str, int], left: Sequence[SavedDecision]
    ) -> Problem | None:
        """Note that a run of the journal carries out decisions, and how others stand then."""

    def end(self, state: SessionState) -> Problem | None:
        """Note how the review ended."""

    def close(self) -> None: ...


class InFolder:
    """A session in a state folder, which is made with the first answer, if there is no ``id``."""

    def __init__(self, folder: StateFolder, subject: Subject, id: int | None = None) -> None:
        self._folder, self._subject, self.id = folder, subject, id
        self._database: Database | None = None

    @property
    def has_begun(self) -> bool:
        return self.id is not None

    def put(self, decided: Sequence[SavedDecision], gone: Sequence[str]) -> Problem | None:
        return self._tried(lambda sessions, id: sessions.put(id, decided, gone))

    def carry_out(
        self, run: int, done: Mapping[str, int], left: Sequence[SavedDecision]
    ) -> Problem | None:
        return self._tried(lambda sessions, id: sessions.carry_out(id, run, done, left))

    def end(self, state: SessionState) -> Problem | None:
        return self._tried(lambda sessions, id: sessions.end(id, state))

    def close(self) -> None:
        if self._database is not None:
            self._database.close()

    def _tried(self, action: Callable[[Sessions, int], None]) -> Problem | None:
        if self._database is None:
            opened = open_database(self._folder)
            if isinstance(opened, Problem):
                return opened
            self._database = opened
        sessions = Sessions(self._database)
        try:
            if self.id is None:
                self.id = sessions.start(self._subject)
            action(sessions, self.id)
        except sqlite3.Error as error:
            return self._database.failure(error)
        return None
