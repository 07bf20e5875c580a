"""The landing tables of a run as CSV or Parquet, with what is known of the run in each row.

`pwh ingest` reads them back: their columns are those of a landing table.
"""

from __future__ import annotations

from pathlib import Path

from apps.output.formats import Format
from apps.output.numbers import counted
from apps.output.writing import emit
from apps.queries.runs import row_counts, run_facts
from warehouse.catalog import RUN_COLUMNS, landing
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.session import Connection, Relation


def export_tables(
    con: Connection, run_id: str, style: Format, path: Path | None, table: str | None
) -> list[str]:
    """Write one table of a run to a file or stdout, or all to a folder; return notes.

    Raises `NothingToAnalyse` where the run has no rows in it, `UsageError` where a file cannot be
    written, or where there are several tables and `path` is no folder.
    """
    counts = row_counts(con, run_id)
    if table is not None and table not in counts:
        raise NothingToAnalyse(
            f"the run {run_id} has no rows in {table!r}",
            hint=f"It has {', '.join(counts) or 'no rows'}.",
        )
    if not counts:
        raise NothingToAnalyse(f"the run {run_id} has no rows")
    chosen = table or next(iter(counts))
    if table is not None or (len(counts) == 1 and path is not None and path.suffix):
        emit(con, _rows(con, run_id, chosen), style, path)
        return []
    if path is None or path.suffix in (".csv", ".parquet"):
        raise UsageError(
            f"the run {run_id} has {len(counts)} tables ({', '.join(counts)}), a file each",
            hint="Name a folder for all of them: -o FOLDER. Or choose one: --table NAME.",
        )
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {path}: {error.strerror}") from None
    for name in counts:
        emit(con, _rows(con, run_id, name), style, path / f"{name}.{style}")
    lines = [f"{name}.{style}: {counted(rows, 'row')}" for name, rows in counts.items()]
    return [*lines, *_not_in_tables(con, run_id)]


def _rows(con: Connection, run_id: str, table: str) -> Relation:
    """Return the rows of one landing table of a run, with what is known of the run."""
    own = [column.name for column in landing()[table]]
    facts = [name for name in RUN_COLUMNS if name not in own]
    # Names of tables and columns are those of the migrations.
    columns = [f'r."{name}"' for name in facts] + [f't."{name}"' for name in own]
    query = (
        f"SELECT {', '.join(columns)} FROM {table} AS t JOIN runs AS r USING (run_id) "
        "WHERE run_id = $run_id"
    )
    con.execute("CREATE OR REPLACE TEMP TABLE _exported AS " + query, {"run_id": run_id})
    return con.table("_exported")


def _not_in_tables(con: Connection, run_id: str) -> list[str]:
    """Return what is known of a run that no column has, and how it comes back."""
    facts = run_facts(con, run_id)
    options = {"wall_seconds": "--wall-seconds", "tags": "--tag"}
    found = [name for name in options if name in facts]
    if not found:
        return []
    back = " and ".join(options[name] for name in found)
    return [f"{' and '.join(found)} are in no table; state them again at pwh ingest: {back}"]
