"""The command ingest: files into the warehouse."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace as replaced
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer

from apps.commands import options
from apps.interrupts import prompt_interrupts
from apps.output.numbers import amount, counted
from apps.output.progress import Countdown
from apps.output.streams import note, print_data
from warehouse.address import Address
from warehouse.errors import InputError, UsageError, WarehouseError

if TYPE_CHECKING:
    from ingest.base import Reader
    from ingest.parsed import Options
    from ingest.walk import Found
    from ingest.writer import Landed

_LOOK_SECONDS = 1.0  # between two looks at folders that are watched


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"--started-at {text!r} is no time",
            hint="For example: --started-at 2026-11-22T16:30:00+01:00",
        ) from None


def _zone(text: str) -> ZoneInfo:
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(
            f"--time-zone {text!r} is no time zone", hint="For example: --time-zone Europe/Berlin"
        ) from None


def ingest(
    context: typer.Context,
    paths: Annotated[list[str], typer.Argument(help="Files, folders or globs.", metavar="PATH...")],
    reader: Annotated[
        str | None, typer.Option(help="Read all files as this format (pwh readers).")
    ] = None,
    run: Annotated[str | None, typer.Option(help="Run that the files belong to.")] = None,
    app: Annotated[str | None, typer.Option(help="Application.")] = None,
    version: Annotated[str | None, typer.Option(help="Version of the application.")] = None,
    machine: Annotated[str | None, typer.Option(help="Machine it ran on.")] = None,
    started_at: Annotated[
        datetime | None,
        typer.Option(
            parser=_time,
            help="When the run started (ISO 8601; of --time-zone unless it has an offset).",
            metavar="TIME",
        ),
    ] = None,
    commit: Annotated[
        str | None, typer.Option(help="Commit of the code that ran; else what files or git say.")
    ] = None,
    branch: Annotated[str | None, typer.Option(help="Branch of the code that ran.")] = None,
    time_zone: Annotated[
        ZoneInfo | None,
        typer.Option(
            parser=_zone,
            help="Zone of times that state none, such as Europe/Berlin; UTC unless stated.",
            metavar="ZONE",
        ),
    ] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes used.")] = None,
    ranks: Annotated[int | None, typer.Option(min=1, help="Processes (MPI ranks).")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads per process.")] = None,
    problem_size: Annotated[float | None, typer.Option(help="Size of the problem.")] = None,
    wall_seconds: Annotated[
        float | None, typer.Option(help="Wall-clock time of the run, s.")
    ] = None,
    tag: options.TagOption = None,
    parameter: options.ParameterOption = None,
    clock_offset: Annotated[
        list[str] | None,
        typer.Option(
            help="What a node's clock is ahead by, s; repeatable.", metavar="NODE=SECONDS"
        ),
    ] = None,
    align_clocks: Annotated[
        bool,
        typer.Option(
            "--align-clocks",
            help="Estimate how far the clocks of nodes are apart, from messages both ways.",
        ),
    ] = False,
    lenient: Annotated[
        bool,
        typer.Option(
            "--lenient",
            help="Truncated traces: take tasks and data that they do not list for unknown.",
        ),
    ] = False,
    max_size: Annotated[
        str | None,
        typer.Option(
            help="What a compressed file may contain; 20GB unless stated, and half of the free "
            "space.",
            metavar="SIZE",
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace files that have landed before.")
    ] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Continue after a rejected file.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show what would land of every file, and land nothing."),
    ] = False,
    list_skipped: Annotated[
        bool,
        typer.Option("--list-skipped", help="Name each file of a folder that is skipped, and why."),
    ] = False,
    reject_unknown: Annotated[
        bool,
        typer.Option(
            "--reject-unknown", help="Reject what no reader recognises in a folder, too: no skips."
        ),
    ] = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Land what arrives in the folders, each file once it is complete, until stopped.",
        ),
    ] = False,
    wait: options.WaitOption = None,
) -> None:
    """Ingest files: recognise the format of each, read it, and store it whole or not at all."""
    from ingest.parsed import Options
    from ingest.parsing.parameters import KIND_OF
    from ingest.recording import MAX_BYTES
    from ingest.walk import find, reader_named

    kinds = options.parse_parameters(parameter or [])
    if started_at is not None and started_at.tzinfo is None:
        started_at = started_at.replace(tzinfo=time_zone or UTC)
    facts = {
        "app": app,
        "version": version,
        "machine": machine,
        "started_at": started_at,
        "commit": commit,
        "branch": branch,
        "nodes": nodes,
        "ranks": ranks,
        "threads": threads,
        "problem_size": problem_size,
        "wall_seconds": wall_seconds,
    }
    how = Options(
        run_id=run,
        facts={name: value for name, value in facts.items() if value is not None},
        tags=options.parse_tags(tag or [])
        | {f"{KIND_OF}{name}": kind for name, kind in kinds.items()},
        parameters=kinds,
        replace=replace,
        clock_offsets=dict(map(_clock_offset, clock_offset or [])),
        align_clocks=align_clocks,
        lenient=lenient,
        time_zone=time_zone,
        max_bytes=MAX_BYTES if max_size is None else options.parse_size(max_size, "--max-size"),
    )
    chosen = None if reader is None else reader_named(reader)
    if watch:
        if dry_run:
            raise UsageError("--watch and --dry-run exclude each other")
        _watch(context.obj, paths, chosen, how, wait)
        return
    with prompt_interrupts():
        found = list(find(paths, chosen))
        failed = _land_all(
            context.obj,
            [replaced(one, skipped=False) for one in found] if reject_unknown else found,
            how,
            wait,
            dry_run=dry_run,
            keep_going=keep_going or dry_run,
            list_skipped=list_skipped or dry_run,
        )
    if failed:
        raise typer.Exit(InputError.exit_code)


def _watch(
    db: Address,
    paths: list[str],
    reader: Reader | None,
    how: Options,
    wait: float | None,
) -> None:
    """Land what arrives in folders until a signal ends it, after the file that is landing.

    Raises `UsageError` for what is no folder.
    """
    from ingest.arriving import Arriving
    from ingest.walk import find

    for path in paths:
        if not Path(path).is_dir():
            raise UsageError(f"{path} is no folder to watch")
    stop = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: stop.set())
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    arriving = Arriving([Path(path) for path in paths])
    note(f"watching {', '.join(paths)}; Ctrl-C ends")
    try:
        while not stop.is_set():
            if ready := arriving.look():
                skipped = []
                for one in find(paths, reader):
                    if stop.is_set():
                        break
                    parts = set(one.parts or (one.path,))
                    # All parts are complete, or have landed with another one before.
                    if not parts & ready or arriving.incomplete(parts):
                        continue
                    if one.skipped:
                        skipped.append(one)
                    elif not _land_arrived(db, one, how, wait):
                        break
                    ready -= parts
                    arriving.done(parts)
                else:
                    arriving.done({path for path in ready if not arriving.incomplete({path})})
                _note_skipped(skipped, list_skipped=True)
            stop.wait(_LOOK_SECONDS)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    note("stopped")


def _land_arrived(db: Address, one: Found, how: Options, wait: float | None) -> bool:
    """Land a recording, or report why not; return False where it has to be tried again."""
    try:
        _land_all(db, [one], how, wait, dry_run=False, keep_going=True, list_skipped=False)
    except WarehouseError as error:
        note(f"{error.problem}; {one.path} will be tried again")
        return False
    return True


def _clock_offset(text: str) -> tuple[str, int]:
    """Return node and ns; node names may contain =, numbers do not."""
    node, mark, value = text.rpartition("=")
    try:
        ns = Decimal(value) * 10**9
    except InvalidOperation:
        ns = Decimal("NaN")
    if not mark or not node or not ns.is_finite() or abs(ns) >= 1 << 62:
        raise UsageError(
            f"--clock-offset {text!r} is not of the form NODE=SECONDS",
            hint="For a clock that is 2.5 ms ahead: --clock-offset node1=0.0025",
        )
    return node, round(ns)


def _land_all(
    db: Address,
    found: list[Found],
    how: Options,
    wait: float | None,
    *,
    dry_run: bool,
    keep_going: bool,
    list_skipped: bool,
) -> bool:
    """Land every recording; return whether any was rejected."""
    from apps.landing import Lander
    from ingest.compressed import path_text

    readable = [one for one in found if one.reader is not None]
    rejected = [one for one in found if one.error is not None and not one.skipped]
    skipped = [one for one in found if one.skipped]
    if not readable and not rejected:
        if len(skipped) == 1 and skipped[0].error is not None:
            raise skipped[0].error
        raise InputError(
            f"no reader recognises any of the {counted(len(skipped), 'file')} found",
            hint="pwh readers lists the formats; ingest a single file to see why it is not read.",
        )
    failed = False
    without_zone: list[Found] = []
    countdown = Countdown(len(found), "files")
    with Lander(db, wait, dry_run) as lander:
        landings = lander.land_all((one, how) for one in found)
        for number, (one, landed) in enumerate(landings, 1):
            if not isinstance(landed, InputError):
                _report(one, landed, dry_run)
                if landed.without_zone:
                    without_zone.append(one)
            elif not one.skipped:
                failed = True
                note(f"rejected {landed}")
                if not keep_going:
                    if unread := len(found) - number:
                        note(f"{counted(unread, 'file')} after it not read; --keep-going goes on")
                    break
            elif list_skipped:
                print_data(f"skipped  {path_text(one.path)}  {landed.problem}")
            if (left := countdown.after(number)) is not None:
                note(left)
    _note_skipped(skipped, list_skipped)
    if without_zone:
        files = f"{without_zone[0].path.name}" + (", ..." if len(without_zone) > 1 else "")
        note(f"times without a zone were taken as UTC ({files}): --time-zone states another")
    return failed


def _note_skipped(skipped: list[Found], list_skipped: bool) -> None:
    """Report how many files were skipped, empty ones by themselves; no advice if `list_skipped`."""
    from ingest.sniff import EmptyFile

    empty = [one for one in skipped if isinstance(one.error, EmptyFile)]
    others = [one for one in skipped if one not in empty]
    if empty:
        note(f"skipped {counted(len(empty), 'empty file')} ({_first(empty)})")
    if others:
        files = counted(len(others), "file")
        advice = "" if list_skipped else "; --list-skipped says why"
        note(f"skipped {files} that no reader recognises ({_first(others)}){advice}")


def _first(skipped: list[Found]) -> str:
    names = ", ".join(one.path.name for one in skipped[:3])
    return names + (", ..." if len(skipped) > 3 else "")


def _report(found: Found, landed: Landed, dry_run: bool) -> None:
    """Print what became of one recording."""
    from ingest.compressed import path_text

    path = path_text(found.path)
    reader = found.reader.NAME if found.reader is not None else ""
    runs = landed.runs[0] if len(landed.runs) == 1 else f"{len(landed.runs)} runs"
    if landed.known:
        advice = "--replace reads it again"
        if landed.differs:
            advice = f"its {landed.differs}: --run NAME lands it as another run, {advice}"
        print_data(f"known    {path}  {reader}  {runs}  ({advice})")
        return
    counts = landed.rows or {"runs": len(landed.runs)}
    rows = ", ".join(f"{table} {count}" for table, count in counts.items())
    verb = "would land" if dry_run else "landed  "
    print_data(f"{verb} {path}  {reader}  {runs}  {landed.seconds:.2f} s\n         {rows}")
    if landed.left_out is not None:
        print_data(f"         left out: {landed.left_out}")
    if landed.unended:
        note(
            f"{path} ends without a line break: its last line was taken for whole, but a value cut "
            "off there would look the same"
        )
    if landed.repeats is not None:
        note(f"{path} contains duplicates: {landed.repeats}")
    if landed.named_after is not None:
        note(
            f"{path} names no application: its times at several counts are of "
            f"{landed.named_after!r} (--app NAME --replace names another)"
        )
    for clock in landed.clocks:
        error = f", give or take {amount(clock.error_ns / 1e9, 's')}" if clock.error_ns else ""
        note(f"clock of {clock.node}: ahead by {amount(clock.ahead_ns / 1e9, 's')}{error}")
    if landed.unlisted:
        columns = ", ".join(f"{column} {count}" for column, count in landed.unlisted.items())
        references = counted(sum(landed.unlisted.values()), "reference")
        note(f"{references} to what the trace does not list, taken for unknown ({columns})")
