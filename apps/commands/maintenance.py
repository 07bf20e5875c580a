"""The commands forget, migrate, refresh, retention, maintain and doctor."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import closing, nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from apps.commands import options
from apps.output.numbers import counted
from apps.output.progress import watched
from apps.output.streams import note, print_data
from apps.output.writing import emit_columns
from apps.queries.base import ask_column
from apps.queries.runs import resolve_forgettable, resolve_runs
from warehouse.address import Address
from warehouse.errors import PwhError, UsageError, WarehouseOutdated
from warehouse.session import Connection

if TYPE_CHECKING:
    from ingest.refresh import Outdated
    from ingest.retention import Expired


def forget(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A run, a source, or the path of a source.")],
    wait: options.WaitOption = None,
) -> None:
    """Delete a run or an ingested file and all its rows from the warehouse."""
    from ingest.analyse import until_analysed
    from ingest.forget import forget_run, forget_source
    from warehouse.transactions import transaction

    with options.writing(context, wait) as con:
        kind, names = resolve_forgettable(con, name)

        def take_out(found: str, failed: Mapping[str, str]) -> dict[str, int]:
            with transaction(con):
                if kind == "run":
                    return forget_run(con, found, failed)
                return forget_source(con, int(found), failed)

        for found in names:
            gone = until_analysed(partial(take_out, found))
            rows = ", ".join(f"{table} {count}" for table, count in gone.items())
            print_data(f"forgot {kind} {found}: {rows or 'no rows'}")


OnOption = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="CLUSTER",
        help="Let Dask workers attribute idle time: a number of processes here, local (one per "
        "core), or the scheduler: dask://HOST:PORT, tcp://, tls:// ..., or its JSON file.",
    ),
]


def migrate(context: typer.Context, on: OnOption = None, wait: options.WaitOption = None) -> None:
    """Update the tables, views, shipped rows and stored results of a warehouse to this pwh."""
    from warehouse.connection import MEMORY, open_unchecked
    from warehouse.replacement import replacement

    if on is not None:
        options.need("dask")
    where = context.obj
    is_file = isinstance(where, Path) and str(where) != MEMORY
    lines: list[str] = []
    is_changed, failures = False, list[PwhError]()
    try:
        if not is_file:
            with closing(open_unchecked(where, create=False, wait=wait, on_wait=note)) as con:
                is_changed, failures = _migrate(con, where, on, print_data)
        elif not _is_current(where, wait):
            with replacement(where, wait=wait, on_wait=note) as con:
                is_changed, failures = _migrate(con, where, on, lines.append)
    except KeyboardInterrupt:
        remains = f"nothing has changed in {where}" if is_file else "what was stored remains"
        note(f"stopped; {remains}, run it again")
        raise
    for line in lines:
        print_data(line)
    if not is_changed:
        print_data(f"{where} is up to date")
    options.end_with(failures)


def _is_current(file: Path, wait: float | None) -> bool:
    """Return whether nothing is to be done in a warehouse."""
    from ingest.analyse import outdated_keys
    from ingest.refresh import Outdated, outdated
    from warehouse import connect

    try:
        with closing(connect(file, create=False, wait=wait, on_wait=note)) as con:
            return outdated(con) == Outdated([], [], []) and not outdated_keys(con)
    except WarehouseOutdated:
        return False


def _migrate(
    con: Connection, where: Address, on: str | None, report: Callable[[str], None]
) -> tuple[bool, list[PwhError]]:
    """Bring a warehouse up to date; return whether anything was done, and what could not be."""
    from ingest.refresh import outdated
    from warehouse import migrations, modules, shipped
    from warehouse.lake import stamp
    from warehouse.lake.writers import alone
    from warehouse.transactions import in_lake, transaction

    done: tuple[str, ...] = ()
    with alone(con), in_lake(con):
        try:
            migrations.check(con, str(where))
        except WarehouseOutdated:
            done = migrations.migrate(con)
        views = modules.refresh(con)
        added = shipped.refresh(con)
        stamp.write(con, is_whole=False)
    for name in done:
        report(f"applied {name}")
    if views:
        report("updated the views")
    if added:
        report("added the metric sets and models that come with pwh")
    is_refreshed, failures = _refresh(con, outdated(con), on, report)
    with transaction(con):
        stamp.write(con, is_whole=True)
    return bool(done or views or added or is_refreshed), failures


def refresh(
    context: typer.Context,
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Runs of which all is computed anew: ids or their beginnings, APP@VERSION, "
            "latest. Without any: what is missing or outdated, as after changing rows by hand."
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All of all runs.")] = False,
    on: OnOption = None,
    wait: options.WaitOption = None,
) -> None:
    """Compute anew what is stored of runs: idle attribution, decoded machine code, scalars."""
    from ingest.refresh import all_of, outdated
    from ingest.scalars import differing_scalars

    if on is not None:
        options.need("dask")
    if runs and every:
        raise UsageError("--all is all runs, so name none", hint="Leave --all or the names out.")
    with options.writing(context, wait) as con:
        if every:
            asked = all_of(con, ask_column(con, "runs/ids"))
        elif runs:
            named = dict.fromkeys(run for name in runs for run in resolve_runs(con, name))
            asked = all_of(con, list(named))
        else:
            differing = watched(differing_scalars(con), "adding up scalars")
            asked = outdated(con, differing)
        try:
            is_refreshed, failures = _refresh(con, asked, on, print_data)
        except KeyboardInterrupt:
            note("stopped; what was stored remains, run it again for the rest")
            raise
    options.end_with(failures)
    if not is_refreshed:
        print_data(f"what is stored of the runs of {context.obj} is up to date")


def _refresh(
    con: Connection, asked: Outdated, on: str | None, report: Callable[[str], None]
) -> tuple[bool, list[PwhError]]:
    """Compute anew what is asked for, and report what was done.

    Return whether anything was, and what could not be.
    """
    from ingest.analyse import analyse_all
    from ingest.cluster import open_cluster
    from ingest.refresh import Refreshed, refresh

    done = Refreshed()
    try:
        with nullcontext() if on is None else open_cluster(on) as cluster:
            for _ in watched(refresh(con, asked, done, cluster), "computing"):
                pass
        answers = sum(analyse_all(con).values())
    finally:
        if done.decoded:
            report(f"decoded the machine code of {counted(done.decoded, 'file')} again")
        if done.attributed:
            report(f"attributed the idle time of {counted(done.attributed, 'run')}")
        if done.kept:
            report(f"computed the scalars of {counted(done.kept, 'run')}")
    if answers:
        report(f"computed {counted(answers, 'answer')}")
    return bool(done.decoded or done.kept or answers), done.failures


def _gone(con: Connection, rows: Collection[Expired]) -> list[str]:
    """Return what goes by each rule, in words."""
    from ingest.retention import LIMIT, added_up, megabytes

    return [
        f"{'by --most' if number == LIMIT else f'by rule {number}'}: "
        f"{counted(sum(gone.rows.values()), 'row')} of {counted(len(gone.runs), 'run')}, "
        f"about {megabytes(con, gone):.3g} MB "
        f"({'runs' if None in gone.rows else ', '.join(sorted(filter(None, gone.rows)))})"
        for number, gone in added_up(rows).items()
    ]


retention = options.group(
    "retention",
    "Set what pwh maintain deletes, by rules: of which applications and branches, how old.",
)


@retention.command()
def add(
    context: typer.Context,
    keep: Annotated[
        Literal["all", "answers", "nothing"],
        typer.Option(
            help="answers: scalars, what was computed, and the rows of runs that a change is "
            "stated by; nothing: the runs go; all: no other rule applies."
        ),
    ],
    days: Annotated[
        float | None, typer.Option(min=0, help="Only runs that started so many days ago.")
    ] = None,
    app: Annotated[
        str, typer.Option(help="Only this application, or a pattern with * and ?.")
    ] = "*",
    branch: Annotated[str, typer.Option(help="Only runs of this branch, or a pattern.")] = "*",
    rows: Annotated[
        str, typer.Option(help="Only rows of this landing table, or a pattern, such as bb_*.")
    ] = "*",
    wait: options.WaitOption = None,
) -> None:
    """Add a rule, or change its age; what an event, a label or an acknowledgement is of stays."""
    from fnmatch import filter as matching

    from warehouse.catalog import counted as tables
    from warehouse.transactions import transaction

    if (days is None) != (keep == "all"):
        raise UsageError(
            f"--keep {keep} {'needs --days' if days is None else 'has no --days'}",
            hint="Such as: pwh retention add --keep answers --days 90",
        )
    if rows != "*" and keep == "nothing":
        raise UsageError("--keep nothing deletes runs, so it has no --rows")
    if not matching(tables(), rows):
        raise UsageError(
            f"no landing table is called {rows}", hint="pwh schema lists them, as fn_timings."
        )
    rule = [keep, app, branch, rows, days or 0.0]
    with options.writing(context, wait) as con, transaction(con):
        # of two with different ages that of the smaller one would always win
        (number,) = (
            con.execute(
                "UPDATE retention_rules SET days = $5 "
                'WHERE (keeps, app, branch, "rows") = ($1, $2, $3, $4) RETURNING rule_id',
                rule,
            ).fetchone()
            or con.execute(
                "INSERT INTO retention_rules SELECT coalesce(max(rule_id), 0) + 1, ?, ?, ?, ?, ? "
                "FROM retention_rules RETURNING rule_id",
                rule,
            ).fetchone()
            or (0,)
        )
    print_data(f"rule {number} set; pwh maintain applies it")


options.rule_commands(
    retention, "retention_rules", "maintenance/rules", "what it deleted stays deleted"
)


def maintain(
    context: typer.Context,
    keep_days: Annotated[
        float,
        typer.Option(
            min=0, help="Days for which --as-of can go back afterwards, in DuckLake; 0: none."
        ),
    ] = 30.0,
    most: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Size that the warehouse may have, such as 500MB: of the oldest runs only the "
            "answers stay, until it fits.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what rules would delete, and change nothing.")
    ] = False,
    wait: options.WaitOption = None,
) -> None:
    """Delete what the rules say (pwh retention), and compact the warehouse; no answer changes."""
    from ingest.retention import apply, expired
    from warehouse.connection import MEMORY
    from warehouse.maintenance import check_local, maintain, size_of
    from warehouse.replacement import compact

    where, now = context.obj, datetime.now(UTC)
    limit = None if most is None else options.parse_size(most, "--most")
    if dry_run:
        with options.reading(context, wait) as con:
            check_local(con)
            lines = _gone(con, expired(con, now, limit))
        for line in lines or ["nothing"]:
            print_data(f"would delete {line}")
        return
    with options.writing(context, wait) as con:
        check_local(con)
        # how many bytes rows take is known while they are there
        lines = _gone(con, expired(con, now, limit))
        apply(con, now, limit)
        for line in lines:
            print_data(f"deleted {line}")
        done = maintain(con, keep_days)
        left = size_of(con)
    if done is None and str(where) != MEMORY:
        before, after = (size / 1e6 for size in compact(where, wait=wait, on_wait=note))
        saved = f"{before:.1f} MB before, {after:.1f} MB after"
        print_data(f"{where}: {saved if after < before else f'{before:.1f} MB, compact already'}")
        left = after * 1e6
    if limit is not None and left > limit:
        note(
            f"it is still larger than {most}: the rest is answers, and rows that events, labels, "
            "acknowledgements or rules keep"
        )
    if done is None:
        return
    print_data(
        f"{counted(done.files_before, 'file')} before, {counted(done.files_after, 'file')} after; "
        f"{counted(done.snapshots_expired, 'snapshot')} expired, "
        f"{counted(done.files_deleted, 'file')} deleted"
    )


def doctor(
    context: typer.Context,
    style: options.FormatOption = "table",
    output: options.OutputOption = None,
) -> None:
    """Check the installation and the warehouse; exit with code 4 if a check fails."""
    from apps.reports.doctor import examine

    findings = examine(context.obj)
    names = ("check", "status", "detail")
    emit_columns(style, output, **{name: [getattr(f, name) for f in findings] for name in names})
    if any(finding.status == "wrong" for finding in findings):
        raise typer.Exit(4)
