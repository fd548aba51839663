"""Role: a role as roles.yaml describes it, without what it takes to find who has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..library.declared import declared, domain_data
from ..values.value import Certainty


@dataclass(frozen=True)
class Role:
    """A role as roles.yaml describes it."""

    name: str
    isa: tuple[str, ...] = ()
    module: tuple[str, ...] = ()
    items: str | None = None
    asked: frozenset[str] = frozenset()
    given: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True)
class Verdict:
    """Whether something has a role; ``because`` says what an assumption follows from."""

    certainty: Certainty
    because: str = ""


NO = Verdict(Certainty.NO)
PROVED = Verdict(Certainty.PROVED)


@cache
def default_roles() -> tuple[Role, ...]:
    """The roles of training code, as the domains' files roles.yaml have them."""
    return tuple(role for data in domain_data("roles.yaml") for role in read_roles(data))


def read_roles(data: Mapping[str, Mapping[str, Any]]) -> tuple[Role, ...]:
    """The roles that a mapping from names to descriptions gives."""
    return tuple(
        Role(
            name=name,
            isa=tuple(role.get("isa", ())),
            module=tuple(role.get("module", ())),
            items=role.get("items"),
            asked=frozenset(role.get("asked", ())),
            given=frozenset(_parameter(text) for text in role.get("given", ())),
        )
        for name, role in data.items()
    )


def words_of(roles: Sequence[Role]) -> frozenset[str]:
    """Words without any of which a project has nothing that has a role: the libraries' names."""
    names = [name for role in roles for name in (*role.isa, *role.module)]
    return frozenset({name.split(".")[0] for name in names} | declared().words)


def _parameter(text: str) -> tuple[str, str]:
    method, _, parameter = text.partition(".")
    return method, parameter
