"""The tasks of a StarPU trace, from tasks.rec."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ingest.readers.tasks.starpu.rec import (
    LINE,
    nanoseconds,
    read_records,
    refuse_first,
    whole_numbers,
)
from ingest.recording import Recording
from warehouse.errors import InputError

_FIELDS = (
    *("Name", "JobId", "WorkerId", "SubmitTime", "StartTime", "EndTime", "Handles", "Modes"),
    *("Sizes", "MPIRank"),
)
_WITHOUT_MPI = "-1"


@dataclass(frozen=True, slots=True)
class Tasks:
    """The tasks that ran, in the file's order; times in ns on the trace's clock.

    `records` are their fields as text, `rank` is -1 in a run without MPI, `base` the first
    submission and `last` the last end.
    """

    part: Path
    records: pa.Table
    job: pa.Array
    rank: pa.Array
    worker: pa.Array
    submit: pa.Array
    start: pa.Array
    end: pa.Array
    base: int
    last: int

    @property
    def mpi(self) -> bool:
        """Whether the run had MPI ranks."""
        return bool(pc.max(self.rank).as_py() >= 0)

    def landing(self) -> pa.Table:
        """Return the rows of the landing table, times from the first submission on."""
        columns = {
            "task": self.job,
            "worker": self.worker,
            "name": self.records["Name"],
            "t_submit": pc.subtract(self.submit, self.base),
            "t_start": pc.subtract(self.start, self.base),
            "t_end": pc.subtract(self.end, self.base),
        }
        return pa.table(columns)


def read_tasks(recording: Recording, part: Path) -> Tasks:
    """Read the tasks; records without a start (syncs, hints) are StarPU's own and left out.

    Raises `InputError` with the line of the record that is not as it should be.
    """
    table = read_records(recording, part, _FIELDS)
    ran = pc.or_(pc.is_valid(table["StartTime"]), pc.is_valid(table["WorkerId"]))
    table = table.filter(ran).combine_chunks()
    if not len(table):
        raise InputError(
            "no task in it ever started", path=str(part), expected="records with a StartTime"
        )
    for name in ("JobId", "WorkerId", "StartTime", "EndTime"):
        values = table[name].combine_chunks()
        job = table["JobId"].combine_chunks()
        refuse_first(
            pc.is_null(values), job, table[LINE], f"a task without {name}", part, f"the {name}"
        )
    worker = whole_numbers(table["WorkerId"].combine_chunks(), table[LINE], "WorkerId", part)
    ranks = pc.fill_null(table["MPIRank"].combine_chunks(), _WITHOUT_MPI)
    rank = whole_numbers(ranks, table[LINE], "MPIRank", part, least=-1)
    start, end = (nanoseconds(table, name, part) for name in ("StartTime", "EndTime"))
    submit = nanoseconds(table, "SubmitTime", part)
    ends = table["EndTime"].combine_chunks()
    expected = "an end at or after the StartTime"
    refuse_first(pc.less(end, start), ends, table[LINE], "EndTime", part, expected)
    first = [pc.min(times).as_py() for times in (submit, start)]
    return Tasks(
        part=part,
        records=table,
        job=table["JobId"].combine_chunks(),
        rank=rank,
        worker=_names(rank, worker),
        submit=submit,
        start=start,
        end=end,
        base=min(time for time in first if time is not None),
        last=pc.max(end).as_py(),
    )


def _names(rank: pa.Array, worker: pa.Array) -> pa.Array:
    """Name workers as the trace does: `w3`, or `0_w3` on rank 0."""
    number = pc.cast(worker, pa.string())
    alone = pc.binary_join_element_wise("w", number, "")
    ranked = pc.binary_join_element_wise(pc.cast(rank, pa.string()), "_w", number, "")
    return pc.if_else(pc.less(rank, 0), alone, ranked)
