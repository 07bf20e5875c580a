"""Shared by commands: options, and opening the warehouse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from apps.output.files import check_output, is_stdout
from apps.output.formats import Format, format_of
from apps.output.streams import note, print_data, printed_afterwards
from warehouse.address import Address, Lake, Served
from warehouse.errors import NothingToAnalyse, PwhError, ReadingInterrupted, UsageError
from warehouse.unneeded import show_unneeded

if TYPE_CHECKING:
    from warehouse.session import Connection

# What a plain installation of pwh lacks: packages as they are imported, by extra.
EXTRAS = {
    "dask": ("distributed",),
    "fit": ("torch",),
    "login": ("authlib",),
    "mcp": ("mcp",),
    "notify": ("apprise",),
    "ui": ("altair", "polars", "streamlit"),
}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)B?", re.IGNORECASE)
PLAIN: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
}


def _chosen_format(context: typer.Context, option: typer.CallbackParam, style: Format) -> Format:
    """Return the format of the rows; where none is named, that of the file of --output.

    What is typed is read before what is not, so that the file is known.
    """
    source = context.get_parameter_source(str(option.name))
    target: str | None = context.params.get("output")
    is_named = source is not None and source.name != "DEFAULT"
    return style if is_named or target is None else format_of(Path(target))


FormatOption = Annotated[
    Format,
    typer.Option(
        "--format",
        "-f",
        callback=_chosen_format,
        help="Format of the rows; else that of the file of -o, by its end (.csv, .json, .jsonl, "
        ".parquet; .csv.gz).",
    ),
]


def writable(target: Path | None) -> Path | None:
    """Return the file that an option names for output, once it is known to be no warehouse.

    Raises `UsageError` before anything is done.
    """
    if target is not None:
        check_output(target)
    return target


def _chosen_output(target: Path | None) -> Path | None:
    """Return the file of --output; None where that is stdout, as /dev/stdout is."""
    return None if target is None or is_stdout(target) else writable(target)


OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", callback=_chosen_output, help="Write to this file instead of stdout."
    ),
]
RunArgument = Annotated[
    str,
    typer.Argument(help="A run: its id or the beginning of it, APP, APP@VERSION, or latest."),
]
ParameterOption = Annotated[
    list[str] | None,
    typer.Option(
        help="What a parameter of scaling runs is: processes, threads, nodes, blocks, size or "
        "other; repeatable.",
        metavar="NAME=KIND",
    ),
]
ProgramOption = Annotated[
    str | None,
    typer.Option("--app", help="Application; else the name of the program or script."),
]
HardwareOption = Annotated[
    str | None, typer.Option("--machine", help="Machine; else its processor, cores and governor.")
]
MachineOption = Annotated[
    str | None, typer.Option(help="Only this machine, or a pattern with * and ?.")
]
LabellerOption = Annotated[str | None, typer.Option("--by", help="Who assigns the label.")]
SpeakerOption = Annotated[str | None, typer.Option("--by", help="Who says so.")]
NoteOption = Annotated[str | None, typer.Option("--note", help="Anything else.")]
TagOption = Annotated[
    list[str] | None, typer.Option(help="Anything else; repeatable.", metavar="KEY=VALUE")
]
WaitOption = Annotated[
    float | None,
    typer.Option(
        "--wait",
        min=0,
        help="Seconds to wait while others use the warehouse; without it, readers wait for 60 s "
        "and writers until it is their turn.",
    ),
]


_SMALL = 1 << 25  # bytes


_INTERRUPTED: list[ReadingInterrupted] = []
"""How often the command was interrupted, which `pwh` then carries out again."""


@contextmanager
def reading(
    context: typer.Context,
    wait: float | None = None,
    *,
    all_threads: bool = False,
    after_changes: bool = False,
) -> Iterator[Connection]:
    """Open the warehouse for reading, briefly.

    Where a writer waits for it, the command is interrupted and carried out again, unless it reads
    only `after_changes` of its own. One thread reads a small one: waking others for each of many
    short queries takes a quarter of their processor time.
    """
    import warehouse
    from apps.reports.freshness import not_fresh
    from warehouse import yielding
    from warehouse.connection import DEFAULT_WAIT
    from warehouse.lake.attach import is_lake

    seconds = DEFAULT_WAIT if wait is None else wait
    how: dict[str, Any] = {"wait": seconds, "on_wait": note}
    opened: AbstractContextManager[Connection]
    if after_changes:
        opened = warehouse.connect(context.obj, read_only=True, **how)
    else:
        opened = yielding.reading(context.obj, interrupted=len(_INTERRUPTED), **how)
    try:
        with printed_afterwards(), opened as con:
            if not all_threads and _is_small(con, context.obj):
                con.execute("SET threads = 1")
            for sentence in not_fresh(con):
                note(sentence)
            if is_lake(con):
                # All questions of a command read one state, which others change meanwhile.
                con.execute("BEGIN")
            yield con
    except ReadingInterrupted as error:
        _INTERRUPTED.append(error)
        raise


def _is_small(con: Connection, address: Address) -> bool:
    """Return whether a file or a lake is; how large one is that others serve is theirs to know."""
    from warehouse.lake.attach import stored_bytes

    match address:
        case Path():
            return address.is_file() and address.stat().st_size < _SMALL
        case Lake():
            return stored_bytes(con) < _SMALL
        case Served():
            return False


@contextmanager
def writing(
    context: typer.Context, wait: float | None = None, *, create: bool = False
) -> Iterator[Connection]:
    """Open the warehouse for writing; `create` makes it where it is missing."""
    import warehouse
    from warehouse.opened import closing_in_place

    con = warehouse.connect(context.obj, create=create, wait=wait, on_wait=note)
    with closing_in_place(con):
        yield con


def need(extra: str) -> None:
    """Raise `ModuleNotFoundError` where a package of an extra is missing; imports none."""
    show_unneeded()
    for package in EXTRAS[extra]:
        if find_spec(package) is None:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)


MetricOption = Annotated[
    list[str] | None,
    typer.Option("--metric", help="Only this metric, or a pattern with * and ?; repeatable."),
]


LevelOption = Annotated[
    float, typer.Option(min=0.5, max=0.9999, help="Probability that all intervals hold together.")
]


def end_with(failures: Sequence[PwhError]) -> None:
    """Print what could not be done, and exit with the code of the last, where there is one."""
    for failure in failures:
        note(str(failure))
    if failures:
        raise typer.Exit(failures[-1].exit_code)


def group(name: str, help: str) -> typer.Typer:  # noqa: A002
    """Return a command that has commands of its own."""
    return typer.Typer(name=name, no_args_is_help=True, help=help, **PLAIN)


def rule_commands(of: typer.Typer, table: str, query: str, stays: str) -> None:
    """Add the commands rules and remove to a group; `stays` is what remains when a rule goes.

    The rules are in `table`, and `query` lists them.
    """
    name = of.info.name
    which: Any = typer.Argument(help=f"Number of the rule (pwh {name} rules).")

    @of.command(help="List the rules.")
    def rules(
        context: typer.Context, style: FormatOption = "table", output: OutputOption = None
    ) -> None:
        from apps.output.writing import emit
        from apps.queries.base import ask

        with reading(context) as con:
            emit(con, ask(con, query), style, output)

    @of.command(help=f"Remove a rule; {stays}.")
    def remove(context: typer.Context, number: int = which, wait: WaitOption = None) -> None:
        with writing(context, wait) as con:
            gone = con.execute(f"DELETE FROM {table} WHERE rule_id = $1", [number]).fetchone()
        if not (gone or (0,))[0]:
            raise NothingToAnalyse(
                f"there is no rule {number}", hint=f"pwh {name} rules lists them."
            )
        print_data("1 rule removed")


def parse_size(text: str, option: str) -> int:
    """Return the bytes of a size such as 200MB; units are powers of 1000."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"{option} {text!r} is no size", hint=f"For example: {option} 200MB")
    number, unit = found.groups()
    return int(float(number) * 1000 ** float(" KMGT".index(unit.upper() or " ")))


def parse_share(text: str, option: str) -> float:
    """Return the share that text such as 5% or 0.05 states; raises `UsageError` for other text."""
    digits = text.strip().removesuffix("%")
    try:
        value = float(digits) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        value = -1
    if not 0 <= value < (10 if text.strip().endswith("%") else 1):
        raise UsageError(f"{option} {text!r} is not a share", hint="Such as 5% or 0.05")
    return value


_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "": 1}


def parse_duration(text: str, option: str) -> float:
    """Return the seconds of text such as 90s, 10m or 1.5h; raises `UsageError` for other text."""
    number = text.strip().rstrip("hmins ")
    try:
        seconds = float(number) * _SECONDS[text.strip()[len(number) :].strip()]
    except (ValueError, KeyError):
        seconds = -1
    if not 0 < seconds < 1e9:
        raise UsageError(f"{option} {text!r} is no time", hint="Such as 90s, 10m or 2h")
    return seconds


def parse_parameters(pairs: list[str]) -> dict[str, str]:
    """Return the kinds of parameters by name; raises `UsageError` for others than NAME=KIND."""
    from ingest.parsing.parameters import KINDS

    kinds = parse_tags(pairs, "--parameter", "NAME=KIND")
    if wrong := next((f"{name}={kind}" for name, kind in kinds.items() if kind not in KINDS), None):
        raise UsageError(
            f"--parameter {wrong!r} states no kind that is known",
            hint=f"One of {', '.join(KINDS)}.",
        )
    return kinds


def parse_tags(pairs: list[str], option: str = "--tag", form: str = "KEY=VALUE") -> dict[str, str]:
    """Return the tags that texts of the form state; raises `UsageError` for others."""
    tags = {}
    for pair in pairs:
        name, mark, value = pair.partition("=")
        if not mark or not name:
            raise UsageError(f"{option} {pair!r} is not of the form {form}")
        tags[name] = value
    return tags
