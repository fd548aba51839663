"""The registry of predicates is the one that the schema describes."""

from pinsetter.patterns.pack import schema
from pinsetter.patterns.predicates import PREDICATES


def test_the_schema_knows_every_predicate_and_no_other() -> None:
    assert set(schema()["$defs"]["condition"]["properties"]) == set(PREDICATES)


def test_every_predicate_says_what_it_asks() -> None:
    assert [name for name, function in PREDICATES.items() if not function.__doc__] == []
