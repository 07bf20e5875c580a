"""The commands forget, migrate, maintain and doctor: maintenance of a warehouse."""

from __future__ import annotations

from typing import Annotated

import typer

from apps.commands.options import FormatOption, OutputOption, WaitOption, writing
from apps.output import Format, counted, note, print_data


def forget(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A run, a source, or the path of a source.")],
    wait: WaitOption = None,
) -> None:
    """Delete a run or an ingested file and all its rows from the warehouse."""
    from apps.queries.runs import resolve_forgettable
    from ingest.forget import forget_run, forget_source
    from warehouse.transactions import transaction

    with writing(context, wait) as con:
        kind, names = resolve_forgettable(con, name)
        for found in names:
            with transaction(con):
                is_run = kind == "run"
                gone = forget_run(con, found) if is_run else forget_source(con, int(found))
            rows = ", ".join(f"{table} {count}" for table, count in gone.items())
            print_data(f"forgot {kind} {found}: {rows or 'no rows'}")


def migrate(context: typer.Context, wait: WaitOption = None) -> None:
    """Update the tables, views and shipped rows of a warehouse to this version of pwh."""
    from apps.progress import watched
    from ingest.derive import decode_outdated
    from ingest.scalars import keep_missing_scalars
    from warehouse import migrations, modules, shipped
    from warehouse.connection import open_unchecked
    from warehouse.errors import WarehouseOutdated
    from warehouse.transactions import transaction

    con = open_unchecked(context.obj, create=False, wait=wait, on_wait=note)
    try:
        try:
            migrations.check(con, str(context.obj))
            done: tuple[str, ...] = ()
        except WarehouseOutdated:
            done = migrations.migrate(con)
        for name in done:
            print_data(f"applied {name}")
        views, added = modules.refresh(con), shipped.refresh(con)
        if views:
            print_data("updated the views")
        if added:
            print_data("added the metric sets and models that come with pwh")
        with transaction(con):
            decoded = sum(1 for _ in watched(decode_outdated(con), "decoding machine code"))
            kept = keep_missing_scalars(con)
        if decoded:
            print_data(f"decoded the machine code of {counted(decoded, 'file')} again")
        if kept:
            print_data(f"computed the scalars of {counted(kept, 'run')}")
        if not (done or views or added or decoded or kept):
            print_data(f"{context.obj} is up to date")
    finally:
        con.close()


def maintain(
    context: typer.Context,
    keep_days: Annotated[
        float,
        typer.Option(
            min=0, help="Days for which --as-of can go back afterwards, in DuckLake; 0: none."
        ),
    ] = 30.0,
    wait: WaitOption = None,
) -> None:
    """Merge the small files of a warehouse and delete what nobody reads; answers do not change."""
    from warehouse.maintenance import maintain

    with writing(context, wait) as con:
        done = maintain(con, keep_days)
    if done is None:
        print_data(f"{context.obj}: the log is written into the file")
        return
    print_data(
        f"{counted(done.files_before, 'file')} before, {counted(done.files_after, 'file')} after; "
        f"{counted(done.snapshots_expired, 'snapshot')} expired, "
        f"{counted(done.files_deleted, 'file')} deleted"
    )


def doctor(
    context: typer.Context, style: FormatOption = Format.table, output: OutputOption = None
) -> None:
    """Check the installation and the warehouse; exit with code 4 if a check fails."""
    import duckdb

    from apps.output import emit
    from apps.reports.doctor import examine

    findings = examine(context.obj)
    con = duckdb.connect()
    listing = con.sql(
        'SELECT unnest($c) AS "check", unnest($s) AS status, unnest($d) AS detail',
        params={
            "c": [f.check for f in findings],
            "s": [f.status for f in findings],
            "d": [f.detail for f in findings],
        },
    )
    emit(con, listing, style, output)
    if any(finding.status == "wrong" for finding in findings):
        raise typer.Exit(4)
