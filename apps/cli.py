"""The command line `pwh`: its commands, and the exit codes of errors."""

from __future__ import annotations

import codecs
import gc
import io
import os
import re
import shlex
import sys
from collections import UserDict
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from apps.commands import COMMANDS, Entry
from apps.commands.options import EXTRAS, PLAIN
from apps.output.streams import note
from apps.output.text import spelled
from warehouse.address import in_the_past, parse_address
from warehouse.errors import PwhError, ReadingInterrupted, UsageError
from warehouse.unneeded import unneeded_hidden
from warehouse.version import __version__

_COMMENT = re.compile(r"--(\s|.*\n)")


class _Imported(UserDict[str, Any]):
    """Commands by name, each imported when it is first looked up.

    All of them take longer to import, and for typer to make of their functions, than most commands
    take to run.
    """

    def __getitem__(self, name: str) -> Any:
        found = super().__getitem__(name)
        if isinstance(found, Entry):
            found = self[name] = _command(found)
        return found


def _command(entry: Entry) -> Any:
    """Return what typer makes of a command: a function, or a group of them."""
    found = getattr(import_module(f"apps.commands.{entry.module}"), entry.name.replace("-", "_"))
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(**PLAIN)
        alone.command(entry.name, cls=_Command)(found)
        found = alone
    return typer.main.get_command(found)


class _Command(TyperCommand):
    """A command, of whose arguments SQL that begins with a comment is no option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments; what is behind -- is left as it is."""
        end = args.index("--") if "--" in args else len(args)
        given = [f" {one}" if _COMMENT.match(one) else one for one in args[:end]]
        return super().parse_args(ctx, given + args[end:])


class _Group(TyperGroup):
    """The group of all commands; its help imports none of them."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Imported({entry.name: entry for entry in COMMANDS})

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the names in the order of COMMANDS."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write what each command is for."""
        with formatter.section("Commands"):
            formatter.write_dl([(entry.name, entry.summary) for entry in COMMANDS])


app = typer.Typer(
    name="pwh",
    cls=_Group,
    no_args_is_help=True,
    help="A performance data warehouse: ingest counters, profiles and traces, and query them with "
    "SQL.",
    epilog="Exit codes: 0 success, 1 a gate failed, 2 usage, 3 input rejected, 4 warehouse busy or "
    "unusable, 5 nothing to analyse, 6 a gate needs another run.",
    **PLAIN,
)


def _version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"pwh {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    db: Annotated[
        str,
        typer.Option(
            "--db",
            envvar="PWH_DB",
            metavar="ADDRESS",
            help="The warehouse: a DuckDB file, quack:HOST[:PORT] of pwh serve, or "
            "ducklake:postgres:dbname=NAME.",
        ),
    ] = "pwh.duckdb",
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="TIME",
            help="Read the warehouse as it was then (DuckLake). A date is the end of that "
            "day, in UTC.",
        ),
    ] = None,
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Set what all commands share."""
    context.obj = parse_address(db) if as_of is None else in_the_past(parse_address(db), as_of)


@cache
def command_line() -> Callable[[], object]:
    """Return `pwh` with all its commands."""
    return typer.main.get_command(app)


def _run() -> None:
    """Run the command, again where it read while a writer waited for two seconds."""
    while True:
        try:
            command_line()()
        except ReadingInterrupted as error:
            note(f"{error.problem}; starting again behind it")
        else:
            return


def main() -> None:
    """Run `pwh`; every `PwhError` becomes a message on stderr and an exit code."""
    # NumPy's threads, which hardly any command needs, would wait for their first work in a loop.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    # What is imported stays: to look for garbage among it takes a twentieth of a short command.
    gc.set_threshold(20_000)
    if isinstance(sys.stdout, io.TextIOWrapper):
        codecs.register_error("pwh", spelled)
        sys.stdout.reconfigure(errors="pwh")
    try:
        with unneeded_hidden():
            _run()
    except PwhError as error:
        note(str(error))
        sys.exit(error.exit_code)
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        extra = next((extra for extra, names in EXTRAS.items() if package in names), None)
        if extra is None:
            raise
        line = f"{shlex.quote(sys.executable)} -m pip install 'pwh[{extra}]'"
        note(f"this command needs the package {package}, which is not installed\n  Type: {line}")
        sys.exit(UsageError.exit_code)
    except BrokenPipeError:
        # The reader of the output has gone (`| head`); keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        from warehouse.damage import damage
        from warehouse.duckdb_texts import INTERRUPTED

        damaged = damage(error)
        if damaged is not None:
            note(str(damaged))
            sys.exit(damaged.exit_code)
        # DuckDB turns a Ctrl-C during a query into this; typer handles it elsewhere.
        if str(error) != INTERRUPTED:
            raise
        note("stopped; files not reported as landed have not landed")
        sys.exit(130)


if __name__ == "__main__":
    main()
