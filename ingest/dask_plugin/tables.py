"""From what `ingest.dask_plugin` gathered to a folder of neutral task tables, in Parquet.

Dask's guess of when a task began is taken out, and times are whole ns.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from itertools import repeat
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pyarrow as pa

from ingest.dask_plugin.record import REPORTED_WIDTH, STORED_WIDTH, Graphs, Process, Record, stamp
from ingest.dask_plugin.worker import ARRIVAL_WIDTH, PLACED_WIDTH, RUN_WIDTH, key_text
from warehouse.session import Connection

_ROUNDING = 1e-6
_INF = float("inf")
_NO_GUESS = [-_INF, 0.0]
# Columns of the same name have the same type; all others are whole numbers.
_TYPES = {
    **dict.fromkeys(("address", "key", "name"), pa.string()),
    **dict.fromkeys(("pooled", "seceded", "made"), pa.bool_()),
}


def _schema(names: str) -> pa.Schema:
    return pa.schema([(name, _TYPES.get(name, pa.int64())) for name in names.split()])


_PROCESSES = _schema("p address threads joined gone clock_offset")
_RUNS = _schema("p key thread pooled seceded made turned t_start t_end stored bytes")
_ARRIVALS = _schema("p address key t_send t_recv bytes")
_PLACED = _schema("p key t bytes")
_SUBMISSIONS = _schema("s key name t")
_NEEDS = _schema("s key")
_STORED = _schema("key address bytes")


class Rows:
    """Records of all processes as Arrow tables; `filled_in` counts runs that one did not.

    `tables` has run, arrival and placed: rows of the processes one after the other.
    """

    def __init__(self, processes: Sequence[Process]) -> None:
        self.filled_in = 0
        parts: dict[str, list[pa.Table]] = {"run": [], "arrival": [], "placed": []}
        for number, process in enumerate(processes):
            runs, arrivals, placed, guesses = _unpacked(process)
            unreported = _unreported(process, runs)
            self.filled_in += len(unreported) // RUN_WIDTH
            parts["run"].append(_runs(number, process, runs + unreported, guesses))
            parts["arrival"].append(_arrivals(number, arrivals))
            parts["placed"].append(_placed(number, placed))
        schemas = {"run": _RUNS, "arrival": _ARRIVALS, "placed": _PLACED}
        self.tables = {
            name: pa.concat_tables([schema.empty_table(), *parts[name]])
            for name, schema in schemas.items()
        }


def graph_tables(graphs: Graphs) -> dict[str, pa.Table]:
    """Return what was submitted: the tables submission, need and stored."""
    numbers = np.arange(len(graphs.counts))
    keys = map(key_text, graphs.keys)
    needed_by = np.repeat(numbers, graphs.counts)
    return {
        "submission": _table(_SUBMISSIONS, (numbers, keys, graphs.names, _ns(graphs.times))),
        "need": _table(_NEEDS, (needed_by, map(key_text, graphs.needs))),
        "stored": _table(_STORED, _columns(graphs.stored, STORED_WIDTH)),
    }


def process_table(processes: Sequence[Process]) -> pa.Table:
    """Return the processes; one without a farewell left when the scheduler saw it."""
    gone: list[float | None] = []
    for process in processes:
        ahead = process.offset[1] if process.offset else 0.0
        if process.said_farewell:
            gone.append(process.heard)
        else:
            gone.append(None if process.removed is None else process.removed + ahead)
    columns = (
        np.arange(len(processes)),
        [process.address for process in processes],
        [process.threads for process in processes],
        _ns([process.joined for process in processes]),
        _ns(gone),
        [None if p.offset is None else round(p.offset[1] * 1e9) for p in processes],
    )
    return _table(_PROCESSES, columns)


def _runs(number: int, process: Process, values: list[Any], guesses: list[Any]) -> pa.Table:
    """Take Dask's guess out of the times; what is not known of a run is bounded by the rest."""
    keys, threads, *times, nbytes, made, seceded, pooled = _columns(values, RUN_WIDTH)
    start, stop, turned, stored, began = np.array(times, dtype=np.float64)
    since, guess = np.array(_columns(_NO_GUESS + guesses, 2))
    in_force = np.searchsorted(since, np.where(np.isnan(began), stored, began), "right") - 1
    start, stop = start - guess[in_force], stop - guess[in_force]
    # Dask has no times of a run that was to be repeated, and shows those of the key's last one.
    unknown = np.isnan(start) | (stop < turned - _ROUNDING)
    start = np.where(unknown, np.where(np.isnan(began), turned, began), start)
    stop = np.where(unknown, stored, stop)
    start = np.fmin(np.fmax(start, turned), np.fmin(stop, stored))
    stop = np.fmax(np.fmin(stop, stored), start)
    is_pooled = [
        known and thread is not None and thread != process.loop_thread
        for known, thread in zip(pooled, threads, strict=True)
    ]
    return _table(
        _RUNS,
        (
            repeat(number, len(keys)),
            *(keys, threads, is_pooled, seceded, made),
            _ns(turned),
            _ns(start),
            _ns(stop),
            _ns(stored),
            map(_size, nbytes),
        ),
    )


def _arrivals(number: int, values: list[Any]) -> pa.Table:
    who, keys, start, stop, nbytes = _columns(values, ARRIVAL_WIDTH)
    return _table(
        _ARRIVALS,
        (repeat(number, len(keys)), who, keys, _ns(start), _ns(stop), map(_size, nbytes)),
    )


def _placed(number: int, values: list[Any]) -> pa.Table:
    keys, times, nbytes = _columns(values, PLACED_WIDTH)
    return _table(_PLACED, (repeat(number, len(keys)), keys, _ns(times), map(_size, nbytes)))


def _columns(values: list[Any], width: int) -> list[list[Any]]:
    return [values[column::width] for column in range(width)]


def _unpacked(process: Process) -> tuple[list[Any], ...]:
    """Return the values of runs, arrivals and scattered data, and of Dask's guesses in force."""
    kinds: tuple[list[Any], ...] = [], [], [], []
    for batch in process.batches:
        for kind, values in zip(kinds, msgpack.unpackb(batch), strict=True):
            kind.extend(values)
    return kinds


def _unreported(process: Process, runs: list[Any]) -> list[Any]:
    """Return what the scheduler heard of runs that the process did not live to report itself.

    Shaped as its own report, with a begin before all guesses. The stimulus bears the worker's own
    time just after the run: its end is taken to be then, or when its thread's next run began.
    """
    if process.said_farewell:
        return []
    known = set(zip(runs[::RUN_WIDTH], runs[2::RUN_WIDTH], strict=True))
    values: list[Any] = []
    next_start: dict[int | None, float] = {}
    reported = _columns(process.reported_before + process.reported, REPORTED_WIDTH)
    for key, thread, start, stop, stimulus, nbytes, made in reversed(
        [*zip(*reported, strict=True)]
    ):
        text = key_text(key)
        if (text, start) not in known:
            end = stamp(stimulus) or stop
            if thread not in (None, process.loop_thread):
                end = min(end, next_start.get(thread, _INF))
                next_start[thread] = end - (stop - start)
            times = end - (stop - start), end, None, None, -_INF
            values += text, thread, *times, nbytes, made, False, True
    return values


def _table(schema: pa.Schema, columns: Iterable[Any]) -> pa.Table:
    """Return a table of columns in the schema's order."""
    arrays = [
        column if isinstance(column, pa.Array) else pa.array(column, kind)
        for column, kind in zip(columns, schema.types, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _ns(times: Any) -> pa.Array:
    """Return times in s of the epoch as whole ns, without what a float of ns would lose."""
    seconds = np.array(times, dtype=np.float64)
    missing = np.isnan(seconds)
    seconds[missing] = 0.0
    whole = np.floor(seconds)
    ns = whole.astype(np.int64) * 10**9 + np.rint((seconds - whole) * 1e9).astype(np.int64)
    return pa.array(ns, mask=missing)


def _size(nbytes: int | None) -> int | None:
    """Return a size in bytes; what is no size is unknown."""
    return nbytes if nbytes is not None and 0 <= nbytes < 1 << 63 else None


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
