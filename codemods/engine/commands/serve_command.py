"""The command ``pinsetter serve``: the review of a campaign in a browser."""

from __future__ import annotations

import contextlib
import socket
import sys
from pathlib import Path

import click
import uvicorn

from pinsetter.analyzer.messages.problem import Problem

from ..campaign.campaign_home import Home
from ..console.exit_code import ExitCode
from ..console.terminal import echo
from ..web.access import Access
from ..web.app import app
from .campaign_options import codemod, fail, home_options, looked_at

_USED = "is in use, or not this machine's"


@click.command("serve")
@click.argument("name")
@click.option("--host", default="127.0.0.1", metavar="ADDRESS",
              help="Where to listen; only this machine by default.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8650, metavar="NUMBER",
              help="0 for any that is free; the default is 8650.")  # fmt: skip
@click.option("--user-header", metavar="NAME",
              help="Behind a proxy that says in this header who somebody is, and that nobody can "
                   "pass by.")  # fmt: skip
@click.option("--called", "called", multiple=True, metavar="HOST[:PORT]",
              help="What browsers call the server, behind a proxy. May be repeated.")  # fmt: skip
@home_options
def serve_command(
    name: str, host: str, port: int, user_header: str | None, called: tuple[str, ...], home: Home
) -> None:
    """Serve the review of the campaign NAME, until it is interrupted."""
    if host not in ("127.0.0.1", "localhost", "::1") and user_header is None:
        raise click.UsageError(f"--host {host} needs --user-header: others could reach it.")
    with looked_at(home, name) as workshop:
        campaign = workshop.campaign
        packs = codemod(campaign.pack, campaign.settings, 1).packs
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
            listening.listen()
        except OSError as error:
            listening.close()
            reason = f"{host}:{port} {_USED} ({error.strerror})"
            fail(Problem(Path("serve"), reason, hint="--port NUMBER, or 0 for any"))
        port = listening.getsockname()[1]
        by = workshop.by(workshop.repositories[0])
        hosts = frozenset({*called, *(f"{one}:{port}" for one in _LOOPBACK)})
        access = Access(hosts, by, user_header)
        shown = f"[{host}]" if ":" in host else host
        end = f"?token={access.token}" if user_header is None else ""
        echo(f"http://{shown}:{port}/{end}")
        sys.stdout.flush()
        config = uvicorn.Config(
            app(workshop.store, campaign, packs, access, home.environment), log_level="error",
            access_log=False, server_header=False, lifespan="off",
        )  # fmt: skip
        # Ctrl-C is how it is to end.
        with listening, contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])
    sys.exit(ExitCode.OK)


_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
