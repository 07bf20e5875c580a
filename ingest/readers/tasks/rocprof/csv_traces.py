"""CSV traces of rocprofv3, and the older rocprof's results."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from ingest.compressed import path_text
from ingest.parsing.lines import check_line_end
from ingest.parsing.timelines.gpu_calls import waits
from ingest.parsing.timelines.slices import Role, Worker
from ingest.parsing.timelines.tables import Table
from ingest.recording import Recording
from udfs.arrays import Integers
from warehouse.errors import InputError

_HOST = "host"
_INT, _TEXT = pa.int64(), pa.string()
_TYPES = {
    "start_timestamp": _INT,
    "end_timestamp": _INT,
    "beginns": _INT,
    "endns": _INT,
    "correlation_id": _INT,
    "thread_id": _INT,
    "process_id": _INT,
}
_MARKERS = "MARKER"


Columns = dict[str, pa.Array]


def csv_table(columns: Columns, part: Path) -> Table | None:
    """Return the events of a table, None where it has only counters.

    Raises `InputError` where it does not match its columns.
    """
    try:
        if "kernelname" in columns:
            if "beginns" not in columns:
                return None
            return _device(columns, "kernel", "kernelname", "gpu-id", ("beginns", "endns"))
        if "counter_name" in columns:
            return None
        if "kernel_name" in columns:
            agent = "agent_id" if "agent_id" in columns else "gpu_id"
            return _device(columns, "kernel", "kernel_name", agent)
        if "direction" in columns:
            agent = _agents(columns)
            columns["agent_id"] = agent
            columns["direction"] = pc.utf8_lower(columns["direction"])
            return _device(columns, "memory_copy", "direction", "agent_id")
        return _calls(columns)
    except KeyError as error:
        raise InputError(
            f"the column {error.args[0]} is missing",
            path=path_text(part),
            where="line 1",
            expected="the columns that rocprof writes",
        ) from None


def read_columns(recording: Recording, part: Path) -> tuple[Columns, dict[str, str]]:
    """Return the columns of a file by their names in lower case, and their own names.

    Times and ids are numbers. Raises `InputError` where it is no such table.
    """
    with recording.open(part) as file:
        header = file.peek(1 << 14).split(b"\n", 1)[0].decode("utf-8", "replace")
        names = [name.strip().strip('"') for name in header.strip().split(",")]
        types = {name: _TYPES.get(name.lower(), _TEXT) for name in names}
        try:
            table = pa_csv.read_csv(
                file,
                convert_options=pa_csv.ConvertOptions(
                    column_types=types, strings_can_be_null=False
                ),
                parse_options=pa_csv.ParseOptions(newlines_in_values=False),
            )
            table.validate(full=True)
            columns = {name.lower(): table[name].combine_chunks() for name in table.column_names}
            own = {name.lower(): name for name in table.column_names}
        except (pa.ArrowException, KeyError, UnicodeDecodeError) as error:
            raise InputError(
                f"the table cannot be read ({str(error).splitlines()[0][:160]})",
                path=path_text(part),
                expected="CSV with whole numbers as times",
                hint="Is the end of the file missing?",
            ) from None
    with Path(recording.plain(part)).open("rb") as plain:
        plain.seek(-1, os.SEEK_END)
        check_line_end(recording, plain.read().decode("latin-1"), part=part)
    return columns, own


def _device(
    columns: Columns,
    kind: str,
    name: str,
    agent: str,
    times: tuple[str, str] = ("start_timestamp", "end_timestamp"),
) -> Table:
    start, end = (_numbers(columns[time], time) for time in times)
    names, name_of = _coded(columns[name])
    queue = columns.get("stream_id", columns.get("queue_id", columns.get("queue-id")))
    what = "stream" if "stream_id" in columns else "queue"
    agents, place = _coded(columns[agent])
    devices = pa.array(map(_gpu, agents), pa.string()).take(pa.array(place))
    label = devices if queue is None else pc.binary_join_element_wise(devices, queue, f" {what} ")
    workers, worker = _coded(label)
    first = np.unique(worker, return_index=True)[1]
    return Table(
        kind=kind,
        role=np.full(len(start), Role.DEVICE),
        start=start,
        end=end,
        names=names,
        name=name_of,
        workers=[
            Worker(text, _HOST, device=on.as_py())
            for text, on in zip(workers, devices.take(pa.array(first)), strict=True)
        ],
        worker=worker,
        link=_link(columns, len(start)),
        process=np.zeros(len(start), np.int64),
    )


def _gpu(text: str) -> str:
    """Return a GPU's name: the number alone is the agent's."""
    return f"Agent {text}" if text[:1].isdigit() else text


def _agents(columns: Columns) -> pa.Array:
    """Return which agent copies: the destination, or the source where that is the host."""
    to_host = pc.match_substring(pc.utf8_lower(columns["direction"]), "to_host")
    return pc.if_else(to_host, columns["source_agent_id"], columns["destination_agent_id"])


def _calls(columns: Columns) -> Table:
    start = _numbers(columns["start_timestamp"], "Start_Timestamp")
    end = _numbers(columns["end_timestamp"], "End_Timestamp")
    names, name = _coded(columns["function"])
    thread = _numbers(columns["thread_id"], "Thread_Id")
    numbers, worker = np.unique(thread, return_inverse=True)
    domains, domain = _coded(columns["domain"])
    is_range = np.array([text.startswith(_MARKERS) for text in domains], bool)[domain]
    role = np.array([Role.WAIT if waits(text) else Role.WORK for text in names], np.int64)[name]
    return Table(
        kind=domains[0].lower() if domains else "call",
        role=np.where(is_range, Role.SPAN, role),
        start=start,
        end=end,
        names=names,
        name=name,
        workers=[Worker(f"thread {number}", _HOST, number) for number in numbers.tolist()],
        worker=worker,
        link=np.where(is_range, 0, _link(columns, len(start))),
        process=np.zeros(len(start), np.int64),
    )


def _link(columns: Columns, count: int) -> Integers:
    found = columns.get("correlation_id")
    return np.zeros(count, np.int64) if found is None else _numbers(found, "Correlation_Id")


def _numbers(column: pa.Array, name: str) -> Integers:
    if column.null_count:
        raise InputError(
            f"{name} is empty",
            where=f"line {pc.index(pc.is_null(column), True).as_py() + 2}",
            expected="a whole number",
        )
    numbers: Integers = column.to_numpy().astype(np.int64)
    return numbers


def _coded(column: pa.Array) -> tuple[list[str], Integers]:
    """Return the distinct texts, and which of them each row has."""
    coded = pc.fill_null(column, "").dictionary_encode()
    return coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64)
