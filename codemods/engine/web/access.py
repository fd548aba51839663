"""Access: who may see the pages, and whose decisions these are.

On loopback whoever has the token that the command printed; behind a proxy whoever it names in a
header. A request that changes something has to come from a page of ours.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp

_COOKIE = "pinsetter"
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # With no-referrer a browser does not say where a form is from.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_NO_TOKEN = "Open the address that the command printed: it has a token.\n"


@dataclass(frozen=True)
class Access:
    """``hosts`` are what a browser may call the server; ``header`` is the one in which a proxy says
    who somebody is, else everybody is ``by``, with the ``token``."""

    hosts: frozenset[str]
    by: str
    header: str | None = None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    def who(self, request: Request) -> str | None:
        """Whose request it is; None: nobody's."""
        if self.header is not None:
            named = request.headers.get(self.header, "").strip()
            return named if named and named.isprintable() else None
        given = request.cookies.get(_COOKIE, "")
        return self.by if hmac.compare_digest(given.encode(), self.token.encode()) else None

    def form_token(self, who: str) -> str:
        """What a form has to bring along, for one person."""
        return hmac.new(self.token.encode(), who.encode(), hashlib.sha256).hexdigest()

    def is_ours(self, request: Request, who: str, given: str) -> bool:
        """Whether what is to be changed was asked for by a page of ours."""
        origin = request.headers.get("origin")
        same = origin is None or origin.partition("://")[2] in self.hosts
        return same and hmac.compare_digest(given.encode(), self.form_token(who).encode())


class Guarded(BaseHTTPMiddleware):
    """Lets nobody else in, and sends what keeps browsers from running what is shown."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        super().__init__(app)
        self._access = access

    async def dispatch(
        self, request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        response = self._refused(request) or await call_next(request)
        for name, value in _HEADERS.items():
            response.headers[name] = value
        return response

    def _refused(self, request: Request) -> Response | None:
        access = self._access
        # Another name for this machine may be somebody else's page (DNS rebinding).
        if request.headers.get("host", "") not in access.hosts:
            return PlainTextResponse("This server is not called so here.\n", 421)
        given = request.query_params.get("token")
        if access.header is None and given is not None:
            if not hmac.compare_digest(given.encode(), access.token.encode()):
                return PlainTextResponse(_NO_TOKEN, 403)
            answer = RedirectResponse(request.url.path, 303)
            answer.set_cookie(_COOKIE, access.token, httponly=True, samesite="strict")
            return answer
        who = access.who(request)
        if who is None:
            text = _NO_TOKEN if access.header is None else "The proxy names nobody.\n"
            return PlainTextResponse(text, 403)
        request.state.who = who
        return None
