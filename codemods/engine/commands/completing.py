"""completing: the names of codemods and rules for a shell's completion."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from ..console.terminal import echo_document


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print what completes names of commands, options, codemods and rules in a SHELL.

    For bash: `pinsetter completion bash > ~/.local/share/bash-completion/completions/pinsetter`.
    """
    made = get_completion_class(shell)
    assert made is not None
    name = "pinsetter"
    echo_document(made(context.find_root().command, {}, name, "_PINSETTER_COMPLETE").source())


def complete_codemod(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """The codemods that come with Pinsetter, else files."""
    from .named_packs import bundled_names

    names = [CompletionItem(name) for name in bundled_names() if name.startswith(begun)]
    return names or [CompletionItem(begun, type="file")]


def complete_rule(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """The rules of the codemod that the command line names, or else of all."""
    from pinsetter.patterns.packs import pack as packs
    from pinsetter.patterns.packs import pack_files

    from .named_packs import bundled_names

    given = str(context.params.get("codemod") or "").replace("_", "-")
    names = [given] if given in bundled_names() else bundled_names()
    paths: list[Path] = [path for name in names if (path := pack_files.find(name)) is not None]
    loaded = [found for path in paths if not isinstance(found := packs.load_all(path), list)]
    rules = {rule.id for pack in chain.from_iterable(loaded) for rule in pack.rules}
    return [CompletionItem(rule) for rule in sorted(rules) if rule.startswith(begun)]
