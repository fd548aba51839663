"""The command line: ``pinsetter run``, and the entry point of the scripts in ``codemods/``."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import click

from pinsetter.analyzer.messages.visible import written_out

from .commands.completing import complete_codemod
from .commands.options import run_options
from .commands.pointed_at import pointed_at
from .commands.revision_option import read_at
from .console.exit_code import ExitCode
from .console.last_resort import finish
from .console.memory import collect_less
from .console.streams import prepare_streams
from .console.terminal import echo, echo_usage
from .stream.read_ahead import Ahead
from .workers.in_order import ClusterError

if TYPE_CHECKING:
    from .commands.run_command import Hook

_INTERRUPTED = "Interrupted; nothing more is written."


class _Commands(click.Group):
    """Imports a command when it is asked for: most runs need one of them."""

    elsewhere: ClassVar = {
        "campaign": ("campaign_command", "campaign_group"),
        "completion": ("completing", "completion_command"),
        "config": ("config_command", "config_command"),
        "decisions": ("decisions_command", "decisions_group"),
        "dump": ("dump_command", "dump_command"),
        "explain": ("explain_command", "explain_command"),
        "facts": ("facts", "facts_command"),
        "language-server": ("server_command", "server_command"),
        "learn": ("learn_command", "learn_command"),
        "list": ("list_command", "list_command"),
        "new": ("new_command", "new_command"),
        "recover": ("recover", "recover_command"),
        "rename": ("rename_command", "rename_command"),
        "restrictions": ("restrictions_command", "restrictions_command"),
        "serve": ("serve_command", "serve_command"),
        "test": ("pack_test_command", "test_command"),
        "try": ("try_command", "try_command"),
        "undo": ("undo", "undo_command"),
        "why": ("why_command", "why_command"),
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *self.elsewhere])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == "check":
            raise click.UsageError(_NO_CHECK, ctx)
        if cmd_name not in self.elsewhere:
            return super().get_command(ctx, cmd_name)
        module, name = self.elsewhere[cmd_name]
        try:
            found: click.Command = getattr(import_module(f".commands.{module}", __package__), name)
        except ModuleNotFoundError as error:
            if cmd_name not in _EXTRAS or (error.name or "").startswith("pinsetter"):
                raise
            return _missing(cmd_name, (error.name or "").partition(".")[0])
        return found


# What a command needs that not everybody has.
_EXTRAS = {"campaign": "campaign", "serve": "campaign"}


def _missing(name: str, needed: str) -> click.Command:
    """A command in the place of one that lacks something: it is listed, and says what to do."""
    install = f"pip install 'pinsetter[{_EXTRAS[name]}]'"

    def say() -> None:
        raise click.UsageError(f"{name} needs {needed}: {install}")

    anything = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
    return click.Command(name, callback=say, short_help=f"Needs {install}.",
                         context_settings=anything)  # fmt: skip


_HELP = {"help_option_names": ["-h", "--help"]}
_NO_CHECK = (
    "There is no command check. `pinsetter run CODEMOD PATH --check` says whether hunks are "
    "proposed, `pinsetter restrictions PATH` where code goes beyond the restrictions of the rules."
)


@click.group(cls=_Commands, context_settings=_HELP)
@click.version_option(None, "-V", "--version", package_name="pinsetter")
def pinsetter() -> None:
    """Rewrite machine-learning Python by rule, one reviewable hunk at a time."""


@pinsetter.command("run")
@click.argument("codemod", shell_complete=complete_codemod)
@click.option("--watch", is_flag=True,
              help="With --diff or --check: again whenever pack or code changes.")  # fmt: skip
@run_options
def run_command(codemod: str, watch: bool, **given: Any) -> None:
    """Run CODEMOD (a name, or the path of a pack) on files and folders.

    Without --write, --diff or --check every hunk is shown and asked about.
    """
    if watch:
        from .commands.watching import run_again

        paths, _ = pointed_at(given["paths"], ())
        run_again(codemod, paths, given["diff"] or given["check"], _obey)
    sys.exit(_run(codemod, Path(codemod).stem, progress=True, **given))


def run_codemod(name: str, hooks: Sequence[Hook] = ()) -> NoReturn:
    """Run a pack, or a choice of packs, with the arguments of the command line.

    What ``main()`` of a script calls.

    Exits with the run's code: ``bowler run`` would lose a returned value.
    """

    @click.command(name, context_settings=_HELP)
    @run_options
    def command(**given: Any) -> None:
        sys.exit(_run(name, name, hooks=hooks, **given))

    _invoke(command, sys.argv[1:], name)


def _run(
    codemod: str, called: str, progress: bool = False, hooks: Sequence[Hook] = (), **given: Any
) -> int:
    """The exit code of a run. What it needs takes a while to be imported; the files are read
    meanwhile."""
    given["paths"], given["places"] = pointed_at(given["paths"], given.pop("evidence"))
    revision = given.pop("revision")
    ahead: Ahead | None = None
    if revision is not None:
        _read_only(given)
        read_at(given["paths"], revision)
    elif given["paths"] and _is_read_ahead(given):
        ahead = Ahead(given["paths"], given["exclude"], given["jobs"])
    from .commands.run_command import RunOptions, run_with

    return run_with(RunOptions.of(codemod, called, given), ahead, progress, hooks)


def _read_only(given: dict[str, Any]) -> None:
    """Raise UsageError for what has no meaning where nothing is written, and nothing is there."""
    if not (given["diff"] or given["check"]):
        raise click.UsageError("--at needs --diff or --check: what is not there is not written.")
    for name in ("since", "staged", "resume", "decisions", "baseline"):
        if given[name]:
            option = "write-baseline" if name == "baseline" else name
            raise click.UsageError(f"--at and --{option} exclude each other.")
    # Its settings need not be those of the revision.
    given["format_with"] = "none"


def _is_read_ahead(given: Mapping[str, Any]) -> bool:
    """Whether a process of its own may read the files from now on: what is written rests on them as
    they are when nobody else can write, except in a review, which looks again."""
    if given["write"] or given["require_clean"]:
        return False
    if given["diff"] or given["check"]:
        return bool(given["jobs"] != 1)
    return sys.stdin.isatty()


def main() -> NoReturn:
    """Entry point of the ``pinsetter`` command."""
    _invoke(pinsetter, sys.argv[1:], "pinsetter")


def _obey(arguments: list[str]) -> NoReturn:
    """Do what the arguments of ``pinsetter`` say, in a process that is set up."""
    finish(partial(obeyed, pinsetter, arguments, "pinsetter"))


def _invoke(command: click.Command, arguments: list[str], name: str) -> NoReturn:
    """End with an exit code of ours, whatever happens."""
    prepare_streams()
    _print_anything()
    collect_less()
    finish(partial(obeyed, command, arguments, name))


def obeyed(command: click.Command, arguments: list[str], name: str) -> ExitCode:
    """Do what the arguments say; the exit code. Raises SystemExit.

    click's own exit code for usage errors is 2, which says "refused or failed" here."""
    try:
        os.getcwd()
    except OSError as error:
        echo(f"The current folder cannot be used: {error.strerror}.", err=True)
        return ExitCode.FAILED
    try:
        command.main(arguments, prog_name=name, standalone_mode=False)
    except click.Abort:  # what click makes of Ctrl-C
        echo(_INTERRUPTED, err=True)
        return ExitCode.INTERRUPTED
    except click.ClickException as error:
        echo_usage(error)
        return ExitCode.USAGE
    except ClusterError as error:
        echo(str(error), err=True)
        return ExitCode.FAILED
    except KeyboardInterrupt:
        echo(_INTERRUPTED, err=True)
        return ExitCode.INTERRUPTED
    return ExitCode.OK


def _print_anything() -> None:
    """File names may be no text at all, and a terminal may know ASCII only."""
    codecs.register_error(_ANYTHING, _as_escapes)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ANYTHING)


_ANYTHING = "pinsetter-escapes"


def _as_escapes(error: UnicodeError) -> tuple[str | bytes, int]:
    """What cannot be printed as backslash escapes; a byte of a file name as ``\\xff``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(written_out, error.object[error.start : error.end])), error.end


if __name__ == "__main__":
    main()
