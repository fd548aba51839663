"""``pinsetter language-server``: packs in an editor, checked as they are written."""

from __future__ import annotations

import click


@click.command("language-server")
def server_command() -> None:
    """Speak the language server protocol on standard input and output, for editors: what is wrong
    with a pack as it is written, and what predicates and keys are and mean."""
    try:
        from ..authoring.language_server import serve
    except ImportError as error:
        raise click.UsageError(f"{error}; pip install 'pinsetter[editor]'") from None
    serve()
