"""The parts of campaigns by themselves: hunks known again, shards, answers, counts, records."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from commands import REPOSITORY, tape_pack
from hypothesis import given, settings
from hypothesis import strategies as st

from pinsetter.analyzer.messages.problem import Problem
from pinsetter.codemods.engine.campaign.commit_plan import Proposed
from pinsetter.codemods.engine.campaign.counting import forecast
from pinsetter.codemods.engine.campaign.deciding import Answer, answered
from pinsetter.codemods.engine.campaign.matching import matched
from pinsetter.codemods.engine.campaign.message import message, trailers
from pinsetter.codemods.engine.git.side_repository import Identity
from pinsetter.codemods.engine.hunks.plan import Plan
from pinsetter.codemods.engine.hunks.proposed import Planned
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.records import campaigns, hunks
from pinsetter.codemods.engine.records.recorded import (
    Campaign,
    DecisionRow,
    Found,
    HunkState,
    Known,
    ShardRow,
    kind_of,
)
from pinsetter.codemods.engine.records.store import Store, opened, parsed
from pinsetter.codemods.engine.records.tables import METADATA
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.codemods.engine.shards.owners import owners_of
from pinsetter.codemods.engine.shards.sharding import By, Shard, Unit, readable, sharded, units

PROPOSED, MERGED, GONE = HunkState.PROPOSED, HunkState.MERGED, HunkState.GONE
SUPPRESSED, REPORTED = HunkState.SUPPRESSED, HunkState.REPORTED


def found(
    key: str = "k", path: bytes = b"a.py", rule: str = "r", line: int = 1, code: str = "c",
    around: str = "s", state: HunkState = PROPOSED, requires: Sequence[str] = (),
    alternatives: Sequence[str] = (),
) -> Found:  # fmt: skip
    return Found(key, path, rule, "T", "W", (), line, "-a\n+b", code, around, tuple(requires),
                 tuple(alternatives), state)  # fmt: skip


def known(id: int = 1, verdict: str | None = None, **about: object) -> Known:
    decision = None
    if verdict is not None:
        decision = DecisionRow(id, verdict, ("s",), "d", (), 0, "First")
    return Known(id, found(**about), 1, False, decision)  # type: ignore[arg-type]


def pairs(
    old: Sequence[Known], new: Sequence[Found], unread: Collection[bytes] = (),
    there: Collection[bytes] = (b"a.py", b"b.py"),
) -> tuple[list[tuple[int, str]], list[str], list[int]]:  # fmt: skip
    result = matched(old, new, unread, lambda name: name in there)
    return (sorted((was.id, one.key) for was, one in result.same),
            [one.key for one in result.new], [one.id for one in result.left])  # fmt: skip


NOT_THE_SAME = [
    {"rule": "other"}, {"path": b"b.py"}, {"key": "x", "code": "x", "around": "x"},
    {"state": REPORTED}, {"path": b"b.py", "key": "x"},
]  # fmt: skip


@pytest.mark.parametrize("new", NOT_THE_SAME)
def test_hunks_that_are_not_the_same(new: dict[str, object]) -> None:
    one = found(**{"key": "k", **new})  # type: ignore[arg-type]
    assert pairs([known()], [one]) == ([], [one.key], [1])


def test_nothing_is_found() -> None:
    assert pairs([], []) == ([], [], [])
    assert pairs([known()], []) == ([], [], [1])
    assert pairs([known()], [], unread=[b"a.py"]) == ([], [], [])
    assert pairs([], [found()]) == ([], ["k"], [])


@pytest.mark.parametrize("new", [
    {}, {"line": 9}, {"key": "x", "code": "x"}, {"code": "x", "around": "x"},
    {"key": "x", "around": "x"}, {"state": SUPPRESSED, "key": "x", "code": "x", "around": "x"},
])  # fmt: skip
def test_hunks_that_are_the_same(new: dict[str, object]) -> None:
    one = found(**new)  # type: ignore[arg-type]
    assert pairs([known()], [one]) == ([(1, one.key)], [], [])


def test_a_file_that_moved_and_one_that_was_copied() -> None:
    moved = found("x", b"c.py")
    assert pairs([known()], [moved], there=[b"c.py"]) == ([(1, "x")], [], [])
    assert pairs([known()], [moved, found()]) == ([(1, "k")], ["x"], [])
    assert pairs([known()], [moved]) == ([], ["x"], [1])
    assert pairs([known()], [moved], unread=[b"a.py"], there=[b"c.py"]) == ([], ["x"], [])


def test_equal_places_keep_their_order() -> None:
    old = [known(1, line=1, key="a"), known(2, line=5, key="b")]
    new = [found("b", line=7), found("a", line=3)]
    assert pairs(old, new)[0] == [(1, "a"), (2, "b")]
    assert pairs(old, [found("a", line=3)]) == ([(1, "a")], [], [2])


def test_what_is_there_comes_before_what_is_gone() -> None:
    old = [known(1, state=MERGED), known(2), known(3, state=GONE)]
    assert pairs(old, [found()]) == ([(2, "k")], [], [1, 3])
    assert pairs([old[0]], [found()]) == ([(1, "k")], [], [])


NAMES = st.binary(min_size=1, max_size=3).filter(
    lambda name: b"\0" not in name and b"/" not in name
)


@settings(max_examples=200, deadline=None)
@given(
    st.sets(NAMES, max_size=12), st.lists(st.sets(NAMES, max_size=4), max_size=6),
    st.integers(1, 5), st.sampled_from(By), st.data(),
)  # fmt: skip
def test_shards_split_no_unit_and_lose_no_file(
    files: set[bytes], together: list[set[bytes]], size: int, by: By, data: st.DataObject
) -> None:
    owners = {name: data.draw(st.sampled_from([(), ("@a",), ("@a/b", "@c")])) for name in files}
    made = units(files, together, owners, {})
    assert sorted(file for unit in made for file in unit.files) == sorted(files)
    shards = sharded(made, by, size)
    for unit in made:
        homes = {shard.name for shard in shards if not shard.files.isdisjoint(unit.files)}
        assert len(homes) == 1
    for shard in shards:
        own = [unit for unit in made if unit.files[0] in shard.files]
        assert len(shard.files) <= size or len(own) == 1
        assert by is not By.OWNER or {unit.owners for unit in own} == {shard.owners}
    # A second time, with more: what has a shard stays there.
    more = units({*files, b"zzzz"}, together, owners, {})
    before = {file: shard.name for shard in shards for file in shard.files}
    after = {file: shard.name for shard in sharded(more, by, size, shards) for file in shard.files}
    assert before.items() <= after.items()


def test_the_files_of_a_program_stand_together_whatever_requires_them() -> None:
    demo = REPOSITORY / "fixtures" / "demo"
    planned = make_plan([PackQuery(tape_pack(), [])], [demo])
    alone = Plan(replace(hunk, requires=frozenset()) for hunk in planned.plan.hunks)
    proposed = Proposed(demo, Planned(alone, programs=planned.programs))
    assert any({b"train.py", b"trainer.py"} <= set(group) for group in proposed.together())
    assert list(Proposed(demo, Planned(alone)).together()) == []


def test_what_comes_to_stand_together_goes_to_the_larger_shard() -> None:
    there = [Shard("one", ("@a",), {b"a", b"b"}), Shard("two", ("@b",), {b"c"})]
    unit = Unit((b"a", b"b", b"c"), ("@a", "@b"))
    (made, empty) = sharded([unit], By.OWNER, None, there)
    assert (made.name, made.files, empty.files) == ("one", {b"a", b"b", b"c"}, set())


@pytest.mark.parametrize(
    ("before", "after", "stays"),
    [
        (("@a",), ("@a",), True),
        (("@a",), ("@b",), False),
        (("@a",), (), False),
        ((), ("@a",), False),
        ((), (), True),
        (("@a",), ("@a", "@b"), True),
        (("@a", "@b"), ("@a",), False),
    ],
)
def test_other_owners(before: tuple[str, ...], after: tuple[str, ...], stays: bool) -> None:
    there, unit = Shard("there", before, {b"a"}), Unit((b"a",), after)
    for by, closed, wanted in ((By.OWNER, (), stays), (By.OWNER, ("there",), True),
                               (By.SIZE, (), True)):  # fmt: skip
        made = {shard.name: shard for shard in sharded([unit], by, None, [there], closed)}
        assert (made["there"].files == {b"a"}) == wanted
        assert sum(len(shard.files) for shard in made.values()) == 1


def test_nothing_new_goes_to_what_is_applied() -> None:
    there = [Shard("no-owner", (), {b"a"})]
    made = sharded([Unit((b"a",)), Unit((b"b",))], By.OWNER, None, there, {"no-owner"})
    assert {shard.name: shard.files for shard in made} == {"no-owner": {b"a"}, "no-owner-2": {b"b"}}


def test_owners_that_are_called_nearly_the_same() -> None:
    made = sharded([Unit((b"a",), ("@x/y",)), Unit((b"b",), ("@x.y",))], By.OWNER, None)
    assert len({shard.name for shard in made}) == 2


@pytest.mark.parametrize(("name", "wanted"), [
    ("@org/team", "org.team"), ("a@b.c", "a-b.c"), ("..", "unnamed"), ("x.lock", "x"),
    ("a..b", "a.b"), ("näme", "n-me"), ("-x-", "x"), ("a b~^:?*[\\", "a-b"),
])  # fmt: skip
def test_names_of_branches(name: str, wanted: str) -> None:
    assert readable(name) == wanted


def test_no_codeowners(tmp_path: Path) -> None:
    assert owners_of(tmp_path).of(b"a.py") == ()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "CODEOWNERS").write_text("*.py @a\n/x/ @b @c/d\nx/y.py\n")
    owners = owners_of(tmp_path)
    assert owners.of(b"a.py") == ("@a",)
    assert owners.of(b"x/z.py") == ("@b", "@c/d")
    assert owners.of(b"x/y.py") == ()
    assert owners.problems == ()


def answer(keys: Sequence[str], all_: Sequence[Known], how: Answer) -> tuple[set[str], list[str]]:
    picked = [one for one in all_ if one.found.key in keys]
    result = answered(picked, all_, how)
    return {one.found.key for one in result.changed}, [why for _, why in result.left]


def test_answers_stay_closed() -> None:
    base, top = known(1, key="base"), known(2, key="top", requires=["base"])
    assert answer([], [base, top], Answer.ACCEPT) == (set(), [])
    assert answer(["top"], [base, top], Answer.ACCEPT) == ({"top", "base"}, [])
    assert answer(["base"], [base, top], Answer.ACCEPT) == ({"base"}, [])
    assert answer(["base"], [base, top], Answer.REJECT) == ({"base", "top"}, [])
    rejected = known(1, "rejected", key="base")
    assert answer(["top"], [rejected, top], Answer.ACCEPT)[0] == set()
    accepted = known(2, "accepted", key="top", requires=["base"])
    assert answer(["base"], [base, accepted], Answer.REOPEN) == ({"base", "top"}, [])


def test_of_alternatives_one_is_accepted() -> None:
    one, other = known(1, key="one", alternatives=["other"]), known(2, key="other")
    changed, left = answer(["one", "other"], [one, other], Answer.ACCEPT)
    assert (changed, len(left)) == ({"one"}, 1)
    taken = known(2, "accepted", key="other")
    assert answer(["one"], [one, taken], Answer.ACCEPT) == (
        set(),
        ["an alternative of it is accepted"],
    )


DAY = 86_400_000_000


@pytest.mark.parametrize(("scans", "days"), [
    ([], None), ([(0, 5)], None), ([(0, 5), (DAY // 2, 4)], None), ([(0, 5), (2 * DAY, 5)], None),
    ([(0, 5), (2 * DAY, 7)], None), ([(0, 10), (2 * DAY, 8)], 10), ([(0, 9), (DAY, 0)], 1),
    ([(0, 1000), (20 * DAY, 10), (22 * DAY, 8)], 30),
])  # fmt: skip
def test_forecast(scans: list[tuple[int, int]], days: int | None) -> None:
    made = forecast([(at, {"open": count, "accepted": 0}) for at, count in scans], 0)
    assert made.at == (None if days is None else days * DAY)
    assert made.assumed


def test_kinds() -> None:
    verdicts = (None, "open", "accepted", "split", "rejected", "ignored")
    said = [kind_of(PROPOSED, verdict) for verdict in verdicts]
    assert said == ["open", "open", "accepted", "accepted", "refused", "refused"]
    assert kind_of(MERGED, "accepted") == "merged"


def test_a_message_holds_no_trailers_of_others() -> None:
    campaign = Campaign(1, "c", "p", {}, 0, "First")
    shard = ShardRow(1, "s", (), "b")
    hostile = ["Second <second@x>\nPinsetter-Shard: other", "no address", "Third <third@x>"]
    text = message(campaign, shard, [], hostile, Identity("First", "a@x"))
    assert trailers(text) == {
        "Pinsetter-Campaign": "c", "Pinsetter-Shard": "s", "Co-authored-by": "Third <third@x>",
    }  # fmt: skip


def store_in(path: Path) -> Store:
    url = parsed(os.environ.get("PINSETTER_TEST_DATABASE") or str(path / "campaigns.db"))
    assert url is not None
    made = opened(url)
    assert isinstance(made, Store), made
    return made


def test_migrations_make_the_tables(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    with store.look() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    store.close()


def test_a_change_is_whole_or_nothing(tmp_path: Path) -> None:
    store = store_in(tmp_path)

    def begin_and_fail() -> None:
        with store.change() as connection:
            campaigns.begin(connection, Campaign(0, "c", "p", {}, 0, "First"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        begin_and_fail()
    with store.look() as connection:
        assert campaigns.all_campaigns(connection) == []
    store.close()


def _begin(path: Path, name: str) -> None:
    store = store_in(path)
    for number in range(20):
        with store.change() as connection:
            campaigns.begin(connection, Campaign(0, f"{name}{number}", "p", {}, 0, "First"))
    store.close()


def test_several_processes_make_and_use_one_database(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_begin, args=(tmp_path, name)) for name in "abc"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    store = store_in(tmp_path)
    with store.look() as connection:
        assert len(campaigns.all_campaigns(connection)) == 60
    store.close()


def test_what_a_campaign_has_goes_with_it(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    with store.change() as connection:
        id = campaigns.begin(connection, Campaign(0, "c", "p", {}, 0, "First"))
        repository = campaigns.add_repository(connection, id, tmp_path, "r", "main")
        campaigns.add_shard(connection, repository, "s", [], "b")
    with store.change() as connection:
        campaigns.remove(connection, id)
        tables = list(METADATA.sorted_tables)
        left = [connection.scalar(sa.select(sa.func.count()).select_from(t)) for t in tables]
    assert set(left) == {0}
    store.close()


@pytest.mark.parametrize("text", ["", "x://:::y", "://"])
def test_no_database(text: str) -> None:
    url = parsed(text)
    assert url is None or isinstance(opened(url), Problem)


def test_codeowners_that_is_a_link_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("* @a\n")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "CODEOWNERS").symlink_to(tmp_path / "outside")
    assert owners_of(tmp_path / "tree").of(b"a.py") == ()


def test_what_no_database_has_is_kept_as_text() -> None:
    one = replace(found(), diff="-a\0\udcff", why="\0", warnings=("\ud800",))
    kept = hunks.kept(one)
    assert (kept.diff, kept.why, kept.warnings) == ("-a\\0\\udcff", "\\0", ("\\ud800",))
    assert hunks.kept(kept) == kept
