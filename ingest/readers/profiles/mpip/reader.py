"""Reports of mpiP: MPI time by call site and task, and the time outside MPI.

Source: report.c of mpiP up to 3.5, both styles of report. What lands:

- One row per call site and rank, function MPI_Xxx, its time as count times mean time, which mpiP
  prints with three digits. `callpath` is the stack of the call site: `halo (mini.c:9)->MPI_Irecv`.
- One row per rank, function `outside MPI`: the time between MPI_Init and MPI_Finalize (AppTime,
  as inclusive time) without MPITime.
- A concise report (MPIP="-c") knows no ranks: its rows are means over all ranks, rank is NULL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.base import Item, Rows, Run, SingleFile
from ingest.parsing.app_names import folder_app, program_name
from ingest.parsing.call_paths import ARROW, UNKNOWN, frame_name
from ingest.parsing.dates import in_zone
from ingest.parsing.lines import unexpected
from ingest.readers.profiles.mpip.sections import NUMBER, Section, Table, sections
from ingest.recording import Recording
from udfs.arrays import Floats
from warehouse.errors import InputError

# Times are printed with three digits.
ROUNDING = 0.011
_TASK = rf"^\s*(?P<task>\d+|\*)\s+(?P<app>{NUMBER})\s+(?P<mpi>{NUMBER})\s+(?:{NUMBER})\s*$"
_STATISTIC = rf"^(?P<what>\S+)\s+(?P<app>{NUMBER})\s+(?P<mpi>{NUMBER})(?:\s+(?:{NUMBER}))*\s*$"
_FACT = re.compile(r"@ (?P<name>[^:]*?)\s*: ?(?P<value>.*?)\s*")
_TASK_LINE = re.compile(r"(\d{1,9}) (\S+)")
_THRESHOLD = re.compile(r"(?:^|\s)-t\b")


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


# ID, level, file and line or an address, function, and on level 0 the MPI call.
_FRAME = re.compile(
    r"(?P<site>\d{1,9}) (?P<level>\d{1,9}) "
    r"(?:(?P<address>0x[0-9a-fA-F]+)|(?P<file>\S.*?) (?P<line>\d+)) (?P<rest>\S.*)"
)
_CALL = re.compile(r"(?P<function>\S.*) (?P<call>[A-Z]\w*)")


def call_paths(section: Section) -> dict[int, str]:
    """Return the path of functions, outermost first, that each call site was reached by.

    A function comes with its place, `halo (mini.c:9)`; where mpiP does not know the function,
    its address is its name.
    """
    frames: dict[int, list[str]] = {}
    for at, line in enumerate(section.lines.text.to_pylist()[1:], section.lines.first + 1):
        words = " ".join(line.split())
        if not words:
            continue
        found = _FRAME.fullmatch(words)
        level = int(found["level"]) if found else 0
        called = _CALL.fullmatch(found["rest"]) if found and level == 0 else None
        if found is None or (level == 0) != (called is not None):
            raise unexpected(line, at, "ID, level, file, line, function and MPI call")
        site = int(found["site"])
        function = called["function"] if called else found["rest"]
        if level != len(frames.setdefault(site, [])):
            raise unexpected(line, at, f"level {len(frames[site])} of call site {site}")
        frames[site].append(_frame(found, function))
    if section.counted() not in (None, len(frames)):
        raise InputError(
            f"{len(frames)} call sites are listed",
            where=f"line {section.lines.first}",
            expected=f"{section.counted()}, as in the title",
        )
    return {site: ARROW.join(reversed(path)) for site, path in frames.items()}


def _frame(found: re.Match[str], function: str) -> str:
    if found["address"]:
        return found["address"] if function == UNKNOWN else frame_name(function)
    return frame_name(f"{function} ({found['file']}:{found['line']})")


OUTSIDE = "outside MPI"
_TIME = rf"\s+(?P<max>{NUMBER})\s+(?P<mean>{NUMBER})\s+(?P<min>{NUMBER})"
_SITE = r"^(?P<name>\S+)\s+(?P<site>\d+)\s+"
_BY_RANK = rf"{_SITE}(?P<rank>\d+|\*)\s+(?P<count>\d+){_TIME}\s+(?:{NUMBER})\s+(?:{NUMBER})\s*$"
_CONCISE = rf"{_SITE}(?P<count>\d+){_TIME}\s+-?\d+\s+-?\d+\s*$"
_TASKS, _STATISTICS = "MPI Time (seconds)", "Task Time Statistics (seconds)"
_ALL = "Callsite Time statistics (all, milliseconds)"
_ALL_SITES = "Callsite Time statistics (all callsites, milliseconds)"


class MpiP(SingleFile):
    """Reads mpiP reports."""

    NAME = "mpip"
    DESCRIPTION = "mpiP report (*.mpiP): MPI time by call site and rank, and time outside MPI"
    PATTERNS = ("*.mpiP",)
    TABLES = ("fn_timings",)
    START = re.compile(rb"@ mpiP\b")

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run and its rows; see `Reader.read`."""
        first, *others = sections(recording)
        header = header_of(first)
        concise = _some(others, _STATISTICS)
        tasks = means_of(concise) if concise else of_tasks(_one(others, _TASKS), header)
        listed = _some(others, "Callsites")
        sites = call_paths(listed) if listed else None
        name = _ALL_SITES if concise else _ALL
        calls = _one(others, name).table(_CONCISE if concise else _BY_RANK, "a call site")
        if sites is not None:
            _check_same_sites(calls, sites)
        if not concise:
            calls = _of_ranks(calls, header)
        tags = {"command": header.command, "mpip_version": header.facts.get("Version", "")}
        if header.leaves_out:
            tags["mpip_options"] = header.facts["MPIP env var"]
        yield Run(
            app=program_name(header.command) or folder_app(recording.path.parent),
            started_at=header.started_at,
            nodes=len(set(header.hosts.values())) or None,
            ranks=tasks.count,
            wall_seconds=tasks.longest,
            tags={key: value for key, value in tags.items() if value},
        )
        inside = _inside(calls, tasks, sites)
        if not (concise or header.leaves_out):
            _check_sums(inside, tasks, calls)
        yield _outside(tasks)
        yield Rows("fn_timings", inside)


def _some(found: Sequence[Section], name: str) -> Section | None:
    """Return the section of that name, if there is one."""
    named = [section for section in found if re.sub(r": \d+$", "", section.title) == name]
    if len(named) > 1:
        where = f"line {named[1].lines.first}"
        raise InputError(f"{name!r} is a duplicate", where=where, expected="each section once")
    return named[0] if named else None


def _one(found: Sequence[Section], name: str) -> Section:
    """Return the section of that name, which must be there."""
    section = _some(found, name)
    if section is None:
        raise InputError(
            f"the report has no section {name!r}",
            expected="a section on the time of call sites, and one on the time of tasks",
            hint="Let mpiP write it: MPIP must not have -d, which leaves out details.",
        )
    return section


def _of_ranks(table: Table, header: Header) -> Table:
    """Return the rows of ranks, which must account for the calls in the rows of all ranks (*)."""
    is_sum = pc.equal(table.text("rank"), "*").to_numpy(zero_copy_only=False)
    count = table.integers("count", "count").to_numpy()
    site = pc.binary_join_element_wise(table.text("name"), table.text("site"), " ")
    code = site.dictionary_encode().indices.to_numpy()
    listed = np.bincount(code[~is_sum], count[~is_sum], minlength=code.max(initial=-1) + 1)
    stated = np.bincount(code[is_sum], count[is_sum], minlength=code.max(initial=-1) + 1)
    wrong = np.flatnonzero(listed > stated if header.leaves_out else listed != stated)
    if len(wrong):
        row = int(np.flatnonzero(code == wrong[0])[-1])
        raise table.error(
            f"the ranks called {site[row].as_py()} {listed[wrong[0]]:.0f} times",
            row,
            f"{stated[wrong[0]]:.0f} times, as in the row of all ranks",
        )
    return table.where(~is_sum)


def _outside(tasks: Tasks) -> Rows:
    """Return the time outside MPI."""
    return Rows.of_columns(
        "fn_timings",
        function=OUTSIDE,
        rank=range(tasks.count) if tasks.by_rank else None,
        parallelism=tasks.count,
        # Where all time is MPI, rounding can leave less than nothing.
        seconds=np.maximum(tasks.app - tasks.mpi, 0.0),
        inclusive_seconds=tasks.app,
    )


def _inside(table: Table, tasks: Tasks, sites: dict[int, str] | None) -> pa.Table:
    """Return the time in MPI by call site; `sites` is None where the report does not list them."""
    function = pc.binary_join_element_wise("MPI_", table.text("name"), "")
    count = table.integers("count", "count")
    seconds = count.to_numpy() * table.floats("mean", "mean time") / 1e3
    columns = {"function": function, "callpath": _paths(table, function, sites)}
    if tasks.by_rank and "rank" in [field.name for field in table.fields.type]:
        rank = table.integers("rank", "rank")
        wrong = np.flatnonzero(rank.to_numpy() >= tasks.count)
        if len(wrong):
            raise table.error(f"rank {rank[wrong[0]]}", int(wrong[0]), f"below {tasks.count}")
        columns |= {"rank": rank.cast(pa.int32()), "calls": count}
    else:
        seconds = seconds / tasks.count
    columns |= {"parallelism": tasks.count, "seconds": seconds, "inclusive_seconds": seconds}
    return Rows.of_columns("fn_timings", **columns).batch


def _paths(table: Table, function: pa.StringArray, sites: dict[int, str] | None) -> pa.StringArray:
    if sites is None:
        return pa.nulls(len(function), pa.string())
    site = table.integers("site", "call site").dictionary_encode()
    paths = [sites[number] for number in site.dictionary.to_pylist()]
    path = pa.array(paths, pa.string()).take(site.indices)
    return pc.binary_join_element_wise(path, function, "->")


def _check_same_sites(table: Table, sites: dict[int, str]) -> None:
    """Check that the call sites with times are those that are listed with their places."""
    site = table.integers("site", "call site").to_numpy()
    known = np.isin(site, list(sites))
    if not known.all():
        row = int(np.argmin(known))
        raise table.error(f"call site {site[row]} is not listed", row, "one of 'Callsites'")
    if missing := sites.keys() - set(site.tolist()):
        raise table.error(f"call site {min(missing)} has no times", 0, "all of 'Callsites'")


def _check_sums(inside: pa.Table, tasks: Tasks, table: Table) -> None:
    """Check that the call sites of every rank take the rank's time in MPI."""
    rank = inside["rank"].to_numpy()
    total = np.bincount(rank, inside["seconds"].to_numpy(), minlength=tasks.count)
    calls = np.bincount(rank, inside["calls"].to_numpy(), minlength=tasks.count)
    # In the format of three decimals, a mean is off by half a microsecond.
    slack = ROUNDING * tasks.mpi + 0.5e-6 * calls + 0.001
    wrong = np.flatnonzero(np.abs(total - tasks.mpi) > slack)
    if len(wrong):
        at = int(wrong[0])
        raise table.error(
            f"the call sites of rank {at} take {total[at]:g} s",
            next(iter(np.flatnonzero(rank == at).tolist()), 0),
            f"{tasks.mpi[at]:g} s, as the task's MPITime",
        )


@dataclass(slots=True)
class Header:
    """Facts in the header; `hosts` by task."""

    facts: dict[str, str] = field(default_factory=dict)
    hosts: dict[int, str] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """The command line, empty where it is not stated."""
        return self.facts.get("Command", "")

    @property
    def started_at(self) -> datetime | None:
        """The start; mpiP writes local time without its zone."""
        try:
            text = self.facts.get("Start time", "")
            date = in_zone(datetime.strptime(text, "%Y %m %d %H:%M:%S"))
        except ValueError:
            return None
        return date if 1970 < date.year < 2200 else None

    @property
    def leaves_out(self) -> bool:
        """Whether the report leaves out calls below a threshold (MPIP="-t PERCENT")."""
        return _THRESHOLD.search(self.facts.get("MPIP env var", "")) is not None


def header_of(section: Section) -> Header:
    """Read the lines before the first section."""
    header = Header()
    for line in section.lines.text.to_pylist():
        found = _FACT.fullmatch(line)
        if found is None:
            continue
        if found["name"] != "MPI Task Assignment":
            header.facts[found["name"]] = found["value"]
        elif task := _TASK_LINE.fullmatch(found["value"]):
            header.hosts[int(task[1])] = task[2]
    return header
