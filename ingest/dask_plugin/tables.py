"""From what `ingest.dask_plugin` gathered to a folder of neutral task tables, in Parquet."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from ingest.dask_plugin.columns import Rows, graph_tables, process_table
from ingest.dask_plugin.record import Record
from warehouse.session import Connection

# The fragments come last: without them the folder is no recording yet.
_NAMES = ("program", "nodes", "workers", "data", "inputs", "transfers", "runtime", "fragments")
FILES = tuple(f"{name}.parquet" for name in _NAMES)
_NOTES = "recording.txt"
_MEMORY = "1GiB"
_SQL = ("runs.sql", "tables.sql")


def write(record: Record, folder: Path) -> None:
    """Write the tables and a note of what is missing; whole files, the fragments last."""
    import duckdb

    with (
        tempfile.TemporaryDirectory(dir=folder, prefix=".spill-") as spill,
        duckdb.connect(config={"memory_limit": _MEMORY, "temp_directory": spill}) as con,
    ):
        rows = Rows(record.processes)
        gathered = {"process": process_table(record.processes), **graph_tables(record.graphs)}
        for name, table in (gathered | rows.tables).items():
            con.register(name, table)
        for script in _SQL:
            con.execute(files("ingest.dask_plugin").joinpath(script).read_text(encoding="utf-8"))
        for name, file in zip(_NAMES, FILES, strict=True):
            con.table(name).write_parquet(str(folder / f"{file}.part"))
        notes = _notes(con, record, rows.filled_in)
    (folder / _NOTES).write_text("\n".join(notes) + "\n", encoding="utf-8")
    for file in FILES:
        (folder / f"{file}.part").replace(folder / file)


def _notes(con: Connection, record: Record, filled_in: int) -> list[str]:
    """Return when it was, how far clocks can be trusted, and what is missing."""
    (origin,) = con.execute("SELECT t FROM origin").fetchall()[0]
    began = datetime.fromtimestamp(origin / 1e9, UTC).isoformat(timespec="microseconds")
    notes = [
        "A Dask run, recorded for: pwh ingest FOLDER",
        f"Time 0 is the first submission, {began} (pwh ingest FOLDER --started-at {began}).",
    ]
    for process in record.processes:
        who = process.address
        if process.offset is None:
            notes.append(f"{who}: what its clock is ahead by is not known; taken for 0.")
        elif process.offset[0]:
            error, ahead = (round(1e6 * value) for value in process.offset)
            notes.append(f"{who}: its clock is ahead by {ahead} us, give or take {error} us.")
        if not process.said_farewell:
            heard = (process.heard * 1e9 - origin) / 1e9
            notes.append(
                f"{who} ended without a last report. After {heard:.3f} s its transfers, its "
                "runtime intervals, and tasks that it did not finish are missing."
            )
    if filled_in:
        notes.append(f"{filled_in} runs of tasks are known from the scheduler only.")
    notes += [f"{who} was there, but recorded nothing." for who in record.silent]
    if record.running:
        notes.append(f"{record.running} tasks were still under way and are missing.")
    return notes
