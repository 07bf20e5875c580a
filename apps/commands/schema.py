"""The commands readers, schema and sql: what the warehouse can contain, and queries."""

from __future__ import annotations

import io
import sys
from contextlib import nullcontext
from typing import Annotated

import typer

from apps.commands.options import FormatOption, OutputOption, WaitOption, reading, writing
from apps.output.files import place_to_write
from apps.output.streams import note
from apps.output.tables import TABLE_ROWS
from apps.output.writing import emit, emit_columns
from apps.queries.schema import FIRST, schema_objects, schema_of
from warehouse.damage import damage
from warehouse.duckdb_texts import READ_ONLY
from warehouse.errors import UsageError
from warehouse.messages import plain_message


def readers(style: FormatOption = "table", output: OutputOption = None) -> None:
    """List the formats that pwh reads."""
    from ingest.readers import all_readers

    rows = []
    for reader in all_readers():
        try:
            facts = (reader.DESCRIPTION, ", ".join(reader.PATTERNS), ", ".join(reader.TABLES))
        except UsageError as error:  # one of another package
            facts = (error.problem, "", "")
        rows.append((reader.NAME, *facts))
    names = ("reader", "reads", "files", "fills")
    columns = map(list, zip(*rows, strict=True))
    emit_columns(style, output, **dict(zip(names, columns, strict=True)))


def schema(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="A table, view, macro or function.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="All, not only what to know first, which is on top.")
    ] = False,
    style: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """List tables, views, macros and functions; or describe one of them."""
    with reading(context) as con:
        rows = schema_objects(con, first=FIRST) if name is None else schema_of(con, name)
        is_part = name is None and not every
        emit(con, rows.limit(len(FIRST)) if is_part else rows, style, output)
    if is_part:
        note(f"these {len(FIRST)} to know first; pwh schema --all lists the rest, too")


def sql(
    context: typer.Context,
    query: Annotated[str | None, typer.Argument(help="SQL, or - to read it from stdin.")] = None,
    style: FormatOption = "table",
    output: OutputOption = None,
    saved: Annotated[
        str | None, typer.Option("--saved", metavar="NAME", help="Run the query of this name.")
    ] = None,
    save: Annotated[
        str | None,
        typer.Option("--save", metavar="NAME", help="Keep the query in the warehouse."),
    ] = None,
    write: Annotated[
        bool,
        typer.Option("--write", help="Open the warehouse for writing; by default it is read-only."),
    ] = False,
    files: Annotated[
        bool,
        typer.Option(
            "--files",
            help="Let SQL read and write files (read_csv, COPY, ATTACH, LOAD), as --write does; "
            "over --db :memory: it reads them without.",
        ),
    ] = False,
    wait: WaitOption = None,
) -> None:
    """Run a SQL query, or one that was saved. It uses no files but the warehouse and that of -o."""
    import duckdb

    from ingest.analyse import analyse_all
    from warehouse.connection import MEMORY, first_rows
    from warehouse.lake.writers import alone
    from warehouse.saved_queries import save_query, saved_query
    from warehouse.terminal_sql import check_files, check_macros, restrict_files

    if (query is None) == (saved is None):
        raise UsageError("a query is needed, or --saved NAME", hint="Such as: pwh sql 'FROM runs'")
    given = query
    if query == "-":
        given = sys.stdin.read()
        # Where the command is interrupted for a writer, it is carried out again.
        sys.stdin = io.StringIO(given)
    with writing(context, wait) if write else reading(context, wait, all_threads=True) as con:
        text = given if given is not None else saved_query(con, str(saved))
        check_macros(con, text)
        may_write_files = write or files
        # A warehouse in memory has nothing but what SQL reads into it.
        may_read_files = may_write_files or str(context.obj) == MEMORY
        if not may_read_files:
            restrict_files(con, [] if output is None else [place_to_write(output)])
        try:
            check_files(con, text, may_write=may_write_files)
            is_short = style == "table"
            with alone(con) if write else nullcontext():
                rows = first_rows(con, text, TABLE_ROWS + 1) if is_short else con.sql(text)
                emit(con, rows, style, output, exact=True)
            if write:
                analyse_all(con)
        except duckdb.Error as error:
            if damage(error) is not None:
                raise
            hint = None
            if READ_ONLY in str(error):
                hint = "To change the warehouse: --write."
            elif isinstance(error, duckdb.PermissionException) and not may_read_files:
                hint = "To read and write other files: --files."
            raise UsageError(plain_message(error), hint=hint) from None
    if save is not None:
        with writing(context, wait) as con:
            save_query(con, save, text)
