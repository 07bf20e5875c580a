"""What an mpiP report contains about the tasks: their time up to MPI_Finalize, and that in MPI."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ingest.readers.mpip.header import Header
from ingest.readers.mpip.sections import NUMBER, Floats, Section

# Times are printed with three digits.
ROUNDING = 0.011
_TASK = rf"^\s*(?P<task>\d+|\*)\s+(?P<app>{NUMBER})\s+(?P<mpi>{NUMBER})\s+(?:{NUMBER})\s*$"
_STATISTIC = rf"^(?P<what>\S+)\s+(?P<app>{NUMBER})\s+(?P<mpi>{NUMBER})(?:\s+(?:{NUMBER}))*\s*$"


@dataclass(frozen=True, slots=True)
class Tasks:
    """Times of the tasks, s, in all and in MPI: by rank, or one entry that is their mean."""

    count: int
    app: Floats
    mpi: Floats
    longest: float

    @property
    def by_rank(self) -> bool:
        """Whether the times are those of every rank."""
        return len(self.app) == self.count


def of_tasks(section: Section, header: Header) -> Tasks:
    """Read the times of every task; the last row is their sum."""
    table = section.filled(_TASK, "task, AppTime, MPITime and MPI%")
    app, mpi = table.floats("app", "AppTime"), table.floats("mpi", "MPITime")
    task = table.text("task").to_pylist()
    count = len(task) - 1
    wrong = next((row for row in range(count) if task[row] != str(row)), count)
    if wrong < count or count < 1 or task[-1] != "*":
        raise table.error(f"task {task[wrong]} was found", wrong, "tasks from 0, then *")
    if header.hosts and len(header.hosts) != count:
        raise table.error(f"{count} tasks are listed", 0, f"{len(header.hosts)}, as assigned")
    for column, what in ((app, "AppTime"), (mpi, "MPITime")):
        slack = ROUNDING * column[-1] + 0.001 * count
        if abs(column[:-1].sum() - column[-1]) > slack:
            raise table.error(f"the {what} of the tasks does not sum up to this", count, "the sum")
    over = np.flatnonzero(mpi > app * (1 + ROUNDING) + 0.001)
    if len(over):
        raise table.error("MPITime is more than AppTime", int(over[0]), "at most AppTime")
    return Tasks(count, app[:-1], mpi[:-1], float(app[:-1].max()))


def means_of(section: Section) -> Tasks:
    """Read the statistics that a concise report has in place of the tasks' times."""
    table = section.filled(_STATISTIC, "a statistic of AppTime and MPITime")
    app, mpi = table.floats("app", "AppTime"), table.floats("mpi", "MPITime")
    rows = {what: row for row, what in enumerate(table.text("what").to_pylist())}
    if not {"Max", "Mean", "Aggregate"} <= rows.keys() or not app[rows["Mean"]] > 0:
        raise table.error("a statistic is missing", 0, "Max, Mean, Min, Stddev and Aggregate")
    mean, total = rows["Mean"], rows["Aggregate"]
    tasks = app[total] / app[mean]
    count = round(tasks)
    if not 1 <= count < 1 << 31 or abs(tasks - count) > 0.01:
        raise table.error("Aggregate is no multiple of Mean", total, "the sum over all tasks")
    return Tasks(count, app[[mean]], mpi[[mean]], float(app[rows["Max"]]))
