"""The command line: ``pinsetter run``, and the entry point of the scripts in ``codemods/``."""

from __future__ import annotations

import codecs
import difflib
import gc
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from pinsetter.patterns import pack as packs
from pinsetter.patterns.pack import Pack

from .earlier import OPTIONS as EARLIER_OPTIONS
from .earlier import earlier_of
from .limits import Limits
from .main import THRESHOLDS
from .query import PackQuery
from .report.output import OPTIONS, report_of
from .report.patch import print_patch
from .report.place import printable
from .run import ExitCode, Mode, Outcome, run
from .state_option import state_option
from .summary import print_problems, print_summary
from .writing import Kept

_INTERRUPTED = "Interrupted; nothing more is written."
Hook = Callable[[str, Any], "bool | None"]

_SHARD = "shard"
_MODES = [
    click.option("--write", is_flag=True, help="Accept every hunk and write."),
    click.option("--diff", is_flag=True, help="Print a patch with its reasons."),
    click.option("--check", is_flag=True, help="Write nothing; exit 1 if there is a hunk."),
    click.option(
        "--skip", multiple=True, metavar="RULE",
        help="Propose no hunk of this rule, nor what requires it. May be repeated."),
    click.option(
        f"--{_SHARD}", is_flag=True,
        help="Give each worker its own part of the training data, where the pack knows how to; the "
             f"same as --option {_SHARD}."),
    click.option(
        "--option", "options", multiple=True, metavar="NAME",
        help="Turn on an option of the pack's own. May be repeated."),
    click.option(
        "--include-generated", is_flag=True,
        help="Rewrite files, too, that say that they are generated."),
    click.option(
        "--require-clean", is_flag=True,
        help="Write nothing, and exit 2, if a file to be written has uncommitted changes in git."),
    *OPTIONS,
    *EARLIER_OPTIONS,
    state_option,
    click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]..."),
]  # fmt: skip


def _options(command: Any) -> Any:
    for option in reversed(_MODES):
        command = option(command)
    return command


class _Commands(click.Group):
    """Imports a command when it is asked for: most runs need one of them."""

    elsewhere: ClassVar = {
        "check": ("check", "check_command"),
        "decisions": ("decisions_command", "decisions_group"),
        "facts": ("facts", "facts_command"),
        "recover": ("recover", "recover_command"),
        "undo": ("undo", "undo_command"),
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *self.elsewhere])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.elsewhere:
            return super().get_command(ctx, cmd_name)
        module, name = self.elsewhere[cmd_name]
        found: click.Command = getattr(import_module(f".{module}", __package__), name)
        return found


@click.group(cls=_Commands)
@click.version_option(package_name="pinsetter")
def pinsetter() -> None:
    """Rewrite machine-learning Python by rule, one reviewable hunk at a time."""


@pinsetter.command("run")
@click.argument("codemod")
@_options
def run_command(codemod: str, **given: Any) -> None:
    """Run CODEMOD (a name, or the path of a pack) on files and folders.

    Without --write, --diff or --check every hunk is shown and asked about.
    """
    sys.exit(_run_with(codemod, Path(codemod).stem, progress=True, **given))


def run_codemod(name: str, hooks: Sequence[Hook] = ()) -> NoReturn:
    """Run a pack, or a choice of packs, with the arguments of the command line.

    What ``main()`` of a script calls.

    Exits with the run's code: ``bowler run`` would lose a returned value.
    """

    @click.command(name, context_settings={"help_option_names": ["-h", "--help"]})
    @_options
    def command(**given: Any) -> None:
        sys.exit(_run_with(name, name, hooks=hooks, **given))

    _invoke(command, sys.argv[1:], name)


def _run_with(
    codemod: str,
    called: str,
    *,
    skip: Sequence[str],
    shard: bool,
    options: Sequence[str],
    format: str | None,
    output: Path | None,
    state: Path | None,
    resume: bool,
    decisions: Path | None,
    paths: Sequence[Path],
    progress: bool = False,
    hooks: Sequence[Hook] = (),
    **modes: bool,
) -> int:
    """Run with the options of the command line; ``called`` is the run's name in the journal."""
    options = list(dict.fromkeys([*options, *([_SHARD] if shard else [])]))
    mode, limits = _mode(modes)
    report = report_of(format, output, mode)
    earlier = earlier_of(resume, decisions, mode is Mode.REVIEW, skip, options)
    chosen = _load(codemod, options)
    _check_rules(skip, chosen)
    if not paths:
        raise click.UsageError("Give at least one file or folder.")
    queries = [PackQuery(pack, [str(path) for path in paths], options) for pack in chosen]
    for query in queries:
        for hook in hooks:
            query.process(hook)
    bar = _Progress() if progress else None
    try:
        outcome: Outcome = run(
            queries, paths, mode, frozenset(skip),
            loaded=bar.advance if bar is not None else None,
            planned=bar.stop if bar is not None else None,
            show=print_patch if report is None else _show_nothing, limits=limits,
            kept=Kept(called, state), earlier=earlier,
        )  # fmt: skip
        problem = report.deliver(outcome, chosen) if report is not None else None
    except BrokenPipeError:
        # The reader of the patch has gone; click would exit with 1, which says "proposed" here.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FAILED
    finally:
        if bar is not None:
            bar.stop()
    print_summary(outcome)
    if problem is not None:
        print_problems([problem])
        return ExitCode.FAILED
    return int(outcome.exit_code)


def main() -> NoReturn:
    """Entry point of the ``pinsetter`` command."""
    _invoke(pinsetter, sys.argv[1:], "pinsetter")


def _invoke(command: click.Command, arguments: list[str], name: str) -> NoReturn:
    """click's own exit code for usage errors is 2, which says "refused or failed" here."""
    _print_anything()
    gc.set_threshold(*THRESHOLDS)
    try:
        command.main(arguments, prog_name=name, standalone_mode=False)
    except click.Abort:  # what click makes of Ctrl-C
        click.echo(_INTERRUPTED, err=True)
        sys.exit(ExitCode.INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(ExitCode.USAGE)
    except RecursionError:
        click.echo("The analysis gave up: code nested too deeply.", err=True)
        sys.exit(ExitCode.FAILED)
    except KeyboardInterrupt:
        click.echo(_INTERRUPTED, err=True)
        sys.exit(ExitCode.INTERRUPTED)
    sys.exit(ExitCode.OK)


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
    text = printable(error.object[error.start : error.end])
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


def _mode(given: Mapping[str, bool]) -> tuple[Mode, Limits]:
    """The mode that the flags choose, and the limits that they set."""
    names = [field.name for field in fields(Limits)]
    limits = Limits(**{name: given[name] for name in names})
    chosen = [name for name, is_given in given.items() if is_given and name not in names]
    if len(chosen) > 1:
        raise click.UsageError(f"--{' and --'.join(chosen)} exclude each other.")
    mode = Mode(chosen[0]) if chosen else Mode.REVIEW
    if limits.require_clean and mode in (Mode.DIFF, Mode.CHECK):
        raise click.UsageError(
            f"--require-clean has no meaning with --{mode.value}: it writes nothing."
        )
    return mode, limits


def _load(codemod: str, options: Sequence[str]) -> tuple[Pack, ...]:
    name = codemod.replace("_", "-")
    path = Path(codemod)
    if path.suffix == ".py":
        name, path = path.stem.replace("_", "-"), Path()
    elif path.suffix in (".yaml", ".yml"):
        name = ""
    found = packs.find(name) if name else path
    if found is None:
        known = sorted(p.stem for p in [*packs.bundled(), *packs.choices()])
        close = difflib.get_close_matches(name, known, 1)
        hint = f"Did you mean {close[0]}?" if close else f"Known are: {', '.join(known)}."
        raise click.UsageError(f"There is no codemod {codemod!r}. {hint}")
    loaded = packs.load_all(found)
    if isinstance(loaded, list):
        print_problems(loaded)
        sys.exit(ExitCode.FAILED)
    for option in options:
        if not any(option in pack.options for pack in loaded):
            known = sorted({name for pack in loaded for name in pack.options})
            has = f"Its options are: {', '.join(known)}." if known else "It has none."
            raise click.UsageError(f"{codemod} has no option {option!r}. {has}")
    return loaded


def _check_rules(skip: Sequence[str], chosen: Sequence[Pack]) -> None:
    """Raises UsageError for what is no rule of the packs."""
    known = list(dict.fromkeys(rule.id for pack in chosen for rule in pack.rules))
    for rule in skip:
        if rule not in known:
            close = difflib.get_close_matches(rule, known, 1)
            hint = f" Did you mean {close[0]}?" if close else f" Known are: {', '.join(known)}."
            raise click.UsageError(f"There is no rule {rule!r}.{hint}")


def _show_nothing(_: object) -> None:
    """The report is all that is printed."""


class _Progress:
    """The files that were read, on a terminal. Its thread starts with the first of them: before,
    the run may start processes."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[file]}"), console=console, transient=True,
            disable=not console.is_terminal,
        )  # fmt: skip
        self._task: TaskID | None = None
        self._stopped = False

    def advance(self, path: Path) -> None:
        if self._stopped:
            return
        if self._task is None:
            self._task = self._bar.add_task("reading", total=None, file="")
            self._bar.start()
        self._bar.update(self._task, advance=1, file=path.name)

    def stop(self, _: object = None) -> None:
        self._stopped = True
        self._bar.stop()


if __name__ == "__main__":
    main()
