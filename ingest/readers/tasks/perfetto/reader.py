"""Perfetto's own traces (protobuf), through its trace processor where that is installed.

What lands, and how nested slices and flows become tasks and dependences, is in
`ingest.parsing.timelines.landing`. Every thread with slices is a worker. Where no thread has any,
as in a recording of the scheduler alone, the CPUs are workers and what they ran are tasks, named by
thread. Queues of GPUs are workers of a device. Slices of other tracks, which are asynchronous, land
with their elapsed times only. Counters are metrics: those that only grow (times of CPUs,
interrupts) with their increase, others with mean over time and maximum. Samples of stacks and of
heaps are counted as left out. What `pwh export` wrote carries its tables along, and needs no trace
processor.

Source: perfetto.dev, "PerfettoSQL prelude" (tables of the trace
processor), and "Trace Processor command-line reference" (-q of the classic interface).
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.base import DEVICE_TABLES, Head, Item, SingleFile
from ingest.parsing.carried_tables import MARK
from ingest.parsing.protobuf import decoded, messages
from ingest.recording import Recording
from ingest.unread_formats import unread_formats
from warehouse.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


# The trace processor reads all versions of traces. It is asked once, since loading a trace takes
# far longer than a question, and prints one table for all kinds of records. Texts come in
# hexadecimal, as its CSV escapes nothing.
_PROGRAMS = ("trace_processor_shell", "trace_processor")
_QUESTION = Path(__file__).parent / "question.sql"
_SECONDS = 3600


def program() -> str | None:
    """Return the path of the trace processor, None where it is not installed."""
    return next((found for name in _PROGRAMS if (found := shutil.which(name))), None)


def answer(recording: Recording) -> pa.Table:
    """Return the records of a trace as question.sql names them, one row a record.

    Raises `InputError` where the trace processor cannot read the file.
    """
    import pyarrow as pa
    from pyarrow import csv

    command = [program() or _PROGRAMS[0], "-q", str(_QUESTION), recording.plain()]
    printed = recording.scratch() / "records.csv"
    _run(command, printed)
    text = pa.dictionary(pa.int32(), pa.binary())
    kinds = {"record": text, "name": text, "kind": text, "value": pa.string()}
    numbers = dict.fromkeys(("number", "place", "at", "length"), pa.int64())
    try:
        return csv.read_csv(
            printed,
            convert_options=csv.ConvertOptions(
                column_types=kinds | numbers, null_values=["[NULL]"], strings_can_be_null=True
            ),
        )
    except pa.ArrowInvalid as error:
        raise InputError(f"the answer of {command[0]} is not as expected ({error})") from None


def _run(command: list[str], printed: Path) -> None:
    try:
        with printed.open("wb") as output:
            done = subprocess.run(  # noqa: S603
                command, stdout=output, stderr=subprocess.PIPE, check=False, timeout=_SECONDS
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"Perfetto's trace processor failed: {error}") from None
    if done.returncode or not printed.stat().st_size:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(
            f"Perfetto's trace processor cannot read it: {said[-1] if said else 'no output'}",
            expected="a whole trace",
        )


_PACKET = b"\n"  # a trace is a repeated field 1
_BEGINNING = 64  # bytes, within which a trace of pwh says that it is one


class Perfetto(SingleFile):
    """Reads what Perfetto, Chromium and Android record, by Perfetto's own program."""

    NAME = "perfetto"
    DESCRIPTION = "Perfetto traces (protobuf), where its trace_processor is installed"
    PATTERNS = ("*.pftrace", "*.perfetto-trace")
    TABLES = (*DEVICE_TABLES, "fn_timings", "metrics")

    def sniff(self, head: Head) -> bool:
        """Recognise a snapshot of clocks or the name, where the trace processor is installed.

        Traces of pwh are recognised anyway.
        """
        if not head.data.startswith(_PACKET):
            return False
        return _is_own(head.data) or (
            unread_formats()["a trace of Perfetto"].fits(head) and program() is not None
        )

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, then its rows; the trace processor reads the whole trace first."""
        from ingest.parsing.carried_tables import carried_items
        from ingest.readers.tasks.perfetto.items import trace_items

        with recording.open(recording.path) as file:
            beginning = file.read(_BEGINNING)
            own = beginning + file.read() if _is_own(beginning) else None
        if own is None:
            yield from trace_items(answer(recording))
        else:
            yield from carried_items(_carried(own))


def _is_own(beginning: bytes) -> bool:
    return MARK in beginning[:_BEGINNING]


def _carried(trace: bytes) -> Iterator[bytes]:
    """Yield the tables that a trace of pwh carries."""
    for packet in decoded(messages("perfetto").Trace, trace).packet:
        if packet.HasField("landing_table"):
            yield packet.landing_table[len(MARK) :]
