"""app: the pages of a campaign's review, and what they change."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from jinja2 import Environment, PackageLoader
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from pinsetter.patterns.packs.pack import Pack
from pinsetter.patterns.packs.packs_digest import packs_digest

from ..campaign.burndown import burndown
from ..campaign.counting import counted, forecast
from ..campaign.deciding import Answer, answered, keep_answer, meanwhile, taken_back
from ..records import campaigns, hunks, listing
from ..records.listing import Listed, Wanted
from ..records.recorded import KINDS, Campaign, HunkState, Known
from ..records.store import RecordsError, Store
from ..report.html import counted as number_of
from ..report.html import shown
from ..review.explain import conditions
from ..state.decision import Verdict, day, now
from .access import Access, Guarded
from .colouring import coloured, rows
from .own_answers import Pieces, facts_of

# How many hunks a page shows.
_PAGE = 25
_KEYS = ("y accept", "n reject", "= accept all that are equal", "u undo", "j next", "k previous",
         "a accept the rest of this file",
         "d reject it", "A accept all of this rule", "D reject it", "e edit what it writes",
         "s split it into parts", "r reopen", "c comment", "/ search",
         "b side by side or not", "? keys")  # fmt: skip


@dataclass(frozen=True)
class Review:
    """A campaign whose pages are served; ``digest`` is that of its packs."""

    store: Store
    campaign: Campaign
    digest: str
    access: Access
    templates: Environment
    packs: tuple[Pack, ...]
    pieces: Pieces

    def page(self, request: Request, name: str, **about: Any) -> Response:
        who = request.state.who
        text = self.templates.get_template(name).render(
            campaign=self.campaign, who=who, form_token=self.access.form_token(who), keys=_KEYS,
            **about,
        )  # fmt: skip
        return Response(text, media_type="text/html; charset=utf-8")

    def overview(self, request: Request) -> Response:
        with self.store.look() as connection:
            repositories = campaigns.repositories(connection, self.campaign.id)
            shards = [
                (repository, shard)
                for repository in repositories
                for shard in campaigns.shards(connection, repository.id)
            ]
            found = counted(hunks.counts(connection, self.campaign.id))
            scans = campaigns.scans(connection, self.campaign.id)
        owners: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(KINDS, 0))
        for _, shard in shards:
            for owner in shard.owners or ("",):
                for name, count in found.shards.get(shard.id, {}).items():
                    owners[owner][name] += count
        return self.page(
            request, "overview.html", shards=shards, found=found, owners=dict(owners),
            scans=scans, guess=forecast(scans, now()), kinds=KINDS,
            several=len(repositories) > 1,
            unknown=[one.name for one in repositories if not one.is_understood],
        )  # fmt: skip

    def hunks(self, request: Request) -> Response:
        given = _given(request.query_params.items())
        wanted = _wanted(given)
        with self.store.look() as connection:
            number = _number(given.get("page", "1")) or 1
            found = listing.page_of(connection, self.campaign.id, wanted, number, _PAGE)
            newest = campaigns.last_event(connection, self.campaign.id)
        given.pop("page", None)
        return self.page(
            request, "hunks.html", listed=[_card(one) for one in found.listed], found=found,
            wanted=wanted, kinds=KINDS, newest=newest, query=urlencode(given),
        )  # fmt: skip

    def one(self, request: Request) -> Response:
        with self.store.look() as connection:
            found = listing.by_ids(connection, self.campaign.id, [request.path_params["id"]])
            if not found:
                return self.page(request, "missing.html")
            keys = {*found[0].known.found.requires, *found[0].known.found.alternatives}
            told = campaigns.events(connection, self.campaign.id, found[0].known.id)
            shard = hunks.known(connection, shards=[found[0].known.shard])
            newest = campaigns.last_event(connection, self.campaign.id)
        others = {one.found.key: one for one in shard if one.found.key in keys}
        return self.page(request, "one.html", one=_card(found[0]), events=told, others=others,
                         newest=newest,
                         conditions=self._conditions(found[0].known.found.rule))  # fmt: skip

    def facts(self, request: Request) -> Response:
        with self.store.look() as connection:
            found = listing.by_ids(connection, self.campaign.id, [request.path_params["id"]])
            all_of_them = campaigns.repositories(connection, self.campaign.id)
        if not found:
            return self.page(request, "missing.html")
        card = _card(found[0])
        scanned = next(one for one in all_of_them if one.name == found[0].repository)
        said = facts_of(scanned.path, scanned.commit, card["path"], found[0].known.found.line)
        return self.page(request, "facts.html", one=card, said=said.splitlines())

    def edit_page(self, request: Request) -> Response:
        """The text that a hunk writes, to be changed."""
        return self.piece_page(request, request.path_params["id"], "edit")

    def split_page(self, request: Request) -> Response:
        """The parts of a hunk, to be accepted one by one."""
        return self.piece_page(request, request.path_params["id"], "split")

    def piece_page(
        self, request: Request, id: int | None, command: str, problem: str = "", text: str = ""
    ) -> Response:
        one = self._by_id(id)
        if one is None:
            return self.page(request, "missing.html")
        found: dict[str, Any] = {"text": text or None, "parts": []}
        try:
            if not text:
                found |= self._piece(one, command, ["--show"] if command == "edit" else [])
        except ValueError as error:
            problem = problem or str(error)
        for part in found["parts"]:
            part["diff"] = "\n".join(part["diff"])
        return self.page(request, f"{command}.html", one=_card(one), problem=problem, **found)

    def _by_id(self, id: int | None) -> Listed | None:
        with self.store.look() as connection:
            found = listing.by_ids(connection, self.campaign.id, [] if id is None else [id])
        return found[0] if found else None

    def _piece(
        self, one: Listed, command: str, options: Sequence[str], text: str = ""
    ) -> dict[str, Any]:
        return self.pieces.asked(command, one.repository, one.known.found.key, options, text)

    def edit(self, who: str, given: Mapping[str, str]) -> dict[str, Any]:
        """Accept a hunk with another text. Raises ValueError."""
        return self._take(who, given, "edit", ["--text=-"], given.get("text", ""))

    def split(self, who: str, given: Mapping[str, str]) -> dict[str, Any]:
        """Accept some parts of a hunk, and reject the others. Raises ValueError."""
        numbers = [name.removeprefix("part-") for name in given if name.startswith("part-")]
        return self._take(who, given, "split", [f"--accept={','.join(numbers) or '0'}"])

    def _take(
        self,
        who: str,
        given: Mapping[str, str],
        command: str,
        options: Sequence[str],
        text: str = "",
    ) -> dict[str, Any]:
        one = self._by_id(_number(given.get("hunk", "")))
        if one is None:
            raise ValueError("there is no such hunk")
        whose = [f"--by={who}", f"--seen={given.get('seen', '')}"]
        self._piece(one, command, [*options, *whose], text.replace("\r\n", "\n"))
        return self._changed([one.known.id], [])

    def rules(self, request: Request) -> Response:
        with self.store.look() as connection:
            known = listing.rules(connection, self.campaign.id)
        found = {name: _rule(*told) for name, told in sorted(known.items())}
        return self.page(request, "rules.html", rules=found, kinds=KINDS)

    def rule(self, request: Request) -> Response:
        """What a rule does, and how much of it was rejected, by owner."""
        name = request.path_params["name"]
        with self.store.look() as connection:
            known = listing.rules(connection, self.campaign.id)
            counts = listing.by_shard(connection, self.campaign.id, name)
            shards = [
                shard
                for repository in campaigns.repositories(connection, self.campaign.id)
                for shard in campaigns.shards(connection, repository.id)
            ]
        if name not in known:
            return self.page(request, "missing.html")
        title, why, _ = known[name]
        owners: dict[str, Counter[str]] = defaultdict(Counter)
        for shard in shards:
            for owner in (shard.owners or ("",)) if shard.id in counts else ():
                owners[owner].update(counts[shard.id])
        return self.page(
            request, "rule.html", rule=name, one=_rule(*known[name]), kinds=KINDS,
            conditions=self._conditions(name),
            owners={owner: _rule(title, why, some) for owner, some in sorted(owners.items())},
        )  # fmt: skip

    def _conditions(self, name: str) -> list[tuple[str, list[str]]]:
        rule = next((r for pack in self.packs for r in pack.rules if r.id == name), None)
        return list(conditions(rule)) if rule is not None else []

    def picture(self, _: Request) -> Response:
        with self.store.look() as connection:
            scans = campaigns.scans(connection, self.campaign.id)
        return Response(burndown(scans), media_type="image/svg+xml")

    def events(self, request: Request) -> Response:
        """What was decided since, for the pages that are open."""
        after = _number(request.query_params.get("after", "")) or 0
        with self.store.look() as connection:
            found = campaigns.events(connection, self.campaign.id, after=after)[-_MANY:]
            ids = {one.hunk for one in found if one.hunk is not None}
            cards = listing.by_ids(connection, self.campaign.id, ids)
            newest = campaigns.last_event(connection, self.campaign.id)
        return JSONResponse({"newest": newest, "hunks": [_told(one) for one in cards]})

    def decide(self, who: str, given: Mapping[str, str]) -> dict[str, Any]:
        """Give an answer to a hunk, or to all that are like it. Raises ValueError."""
        verdict, _, like = given.get("answer", "").partition(" ")
        answer = Answer(verdict)
        id = _number(given.get("hunk", ""))
        if id is None:
            raise ValueError("no hunk is named")
        with self.store.change() as connection:
            # Who answers at the same time waits, and sees what was said.
            campaigns.alone(connection, self.campaign.id)
            found = listing.by_ids(connection, self.campaign.id, [id])
            if not found or found[0].known.state is not HunkState.PROPOSED:
                raise ValueError("this hunk is not proposed any more; load the page again")
            one = found[0].known
            if given.get("seen", "") != (one.verdict or ""):
                raise ValueError(meanwhile(one))
            ids = {id}
            if like:
                ids |= set(listing.open_like(connection, self.campaign.id, id, like))
            known = hunks.known(
                connection, shards=hunks.shards_of(connection, ids), states=[HunkState.PROPOSED]
            )
            result = answered([each for each in known if each.id in ids], known, answer)
            keep_answer(
                connection, self.campaign.id, result.changed, answer, self.digest, who,
                given.get("comment", "")[:_LONGEST],
            )  # fmt: skip
        left = [f"line {each.found.line}: {why}" for each, why in result.left]
        return self._changed([each.id for each in result.changed], left)

    def undo(self, who: str) -> dict[str, Any]:
        """Take back the last answer of a person. Raises ValueError."""
        with self.store.change() as connection:
            campaigns.alone(connection, self.campaign.id)
            said = campaigns.last_answer(connection, self.campaign.id, who)
            ids = [event.hunk for event in said if event.hunk is not None]
            known = [one.known for one in listing.by_ids(connection, self.campaign.id, ids)]
            changed = taken_back(connection, self.campaign.id, known, said, who)
        if not changed:
            raise ValueError("there is nothing to take back")
        return self._changed(changed, [])

    def _changed(self, ids: list[int], left: list[str]) -> dict[str, Any]:
        with self.store.look() as connection:
            cards = listing.by_ids(connection, self.campaign.id, ids[:_MANY])
        return {"count": len(ids), "left": left, "hunks": [_told(one) for one in cards]}


_OPEN = "/hunks?kind=open"
# How many hunks are told of at once.
_MANY = 500
# More than this, in bytes, nobody has to send.
_MOST = 1_000_000
# How long a comment may be.
_LONGEST = 2_000


def app(
    store: Store,
    campaign: Campaign,
    packs: tuple[Pack, ...],
    access: Access,
    environment: Mapping[str, str],
) -> Starlette:
    """The pages of a campaign, for whoever ``access`` lets in. ``environment`` says to this program
    where campaigns are."""
    templates = Environment(
        loader=PackageLoader(__package__, "templates"), autoescape=True, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    templates.filters |= {"shown": shown, "counted": number_of, "day": day}
    templates.globals |= {"coloured": coloured, "rows": rows, "rows_of": _rows_of}
    review = Review(
        store, campaign, packs_digest(packs), access, templates, packs,
        Pieces(campaign.name, environment),
    )  # fmt: skip

    async def changing(request: Request) -> Response:
        body = b""
        async for some in request.stream():
            body += some
            if len(body) > _MOST:
                return _answer(request, {"error": "that is too much"}, 413)
        given = _given(parse_qsl(body.decode("utf-8", "replace")))
        who = request.state.who
        if not access.is_ours(request, who, given.pop("form_token", "")):
            return _answer(request, {"error": "this did not come from a page of this review"}, 403)
        command = request.url.path.removeprefix("/")
        takes = {"decide": review.decide, "edit": review.edit, "split": review.split}
        pieces = command in ("edit", "split")
        try:
            if command == "undo":
                done = await run_in_threadpool(review.undo, who)
            else:
                done = await run_in_threadpool(takes[command], who, given)
        except ValueError as error:
            if pieces and not _by_script(request):
                # What somebody wrote is not lost.
                return await run_in_threadpool(
                    review.piece_page, request, _number(given.get("hunk", "")), command,
                    str(error), given.get("text", ""),
                )  # fmt: skip
            return _answer(request, {"error": str(error)}, 409)
        return _answer(request, done, 200, f"/hunks/{given['hunk']}" if pieces else _OPEN)

    def failed(request: Request, error: Exception) -> Response:
        said = str(error.problem) if isinstance(error, RecordsError) else "something went wrong"
        return _answer(request, {"error": said}, 500)

    static = os.path.join(os.path.dirname(__file__), "static")
    return Starlette(
        routes=[
            Route("/", review.overview),
            Route("/hunks", review.hunks),
            Route("/hunks/{id:int}", review.one),
            Route("/hunks/{id:int}/facts", review.facts),
            Route("/hunks/{id:int}/edit", review.edit_page),
            Route("/hunks/{id:int}/split", review.split_page),
            Route("/rules", review.rules),
            Route("/rules/{name:path}", review.rule),
            Route("/burndown.svg", review.picture),
            Route("/events", review.events),
            Route("/decide", changing, methods=["POST"]),
            Route("/undo", changing, methods=["POST"]),
            Route("/edit", changing, methods=["POST"]),
            Route("/split", changing, methods=["POST"]),
            Mount("/static", StaticFiles(directory=static)),
        ],
        middleware=[Middleware(Guarded, access=access)],
        exception_handlers={RecordsError: failed, Exception: failed},
    )


def _answer(request: Request, done: Mapping[str, Any], code: int, back: str = _OPEN) -> Response:
    """What a script gets; a form without one goes back to where it was sent from."""
    if _by_script(request) or code != 200:
        return Response(json.dumps(done), code, media_type="application/json")
    return RedirectResponse(back, 303)


def _by_script(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _rows_of(text: str) -> int:
    """How many lines a field for a text has."""
    return min(max(text.count("\n") + 2, 6), 40)


def _given(fields: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What is filled in; no database has to keep zeros."""
    return {key: text for key, value in fields if (text := value.replace("\0", ""))}


def _wanted(given: Mapping[str, str]) -> Wanted:
    wanted = Wanted(
        **{name: given[name][:_LONGEST] for name in ("rule", "shard", "owner", "repository", "text")
           if name in given},
        in_code="in_code" in given, assumed="assumed" in given,
        equal_to=_number(given.get("equal_to", "")),
    )  # fmt: skip
    return replace(wanted, kind=given["kind"]) if given.get("kind") in KINDS else wanted


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 16 else None


def _card(one: Listed) -> dict[str, Any]:
    known: Known = one.known
    return {
        "id": known.id, "found": known.found, "path": os.fsdecode(known.found.path), "one": one,
        "verdict": known.verdict or "", "decision": known.decision,
        "kind": known.kind, "changed": _changed_how(known), "diff": known.found.diff,
    }  # fmt: skip


def _rule(title: str, why: str, counts: Mapping[str, int]) -> dict[str, Any]:
    """A rule's counts, and its noise: how many of 100 that were decided were rejected."""
    found = {**dict.fromkeys(KINDS, 0), **counts}
    decided = found["accepted"] + found["merged"] + found["refused"]
    noise = round(100 * found["refused"] / decided) if decided else None
    return {"title": title, "why": why, **found, "noise": noise}


def _changed_how(known: Known) -> str:
    if known.decision is None or not known.decision.pieces:
        return ""
    return "in parts" if known.verdict == Verdict.SPLIT.value else "with another text"


def _told(one: Listed) -> dict[str, Any]:
    known = one.known
    return {
        "id": known.id, "verdict": known.verdict or "",
        "kind": known.kind,
        "by": known.decision.by if known.decision is not None else "",
        "comment": known.decision.comment if known.decision is not None else "",
    }  # fmt: skip
