"""Accounting of Slurm: sacct -P (or --delimiter=,) with JobID, Elapsed and what else was asked for.

Source: sacct(1) of Slurm 23. Each job that has ended is a run, by its number:

- JobName is the app, NNodes the nodes, the NTasks of its largest step the ranks, Elapsed the wall
  time, Start when it began (its zone is not known, and taken for UTC), Cluster the machine.
- A job that failed has the tag `exit_code`, 128 and the number of the signal where one ended it;
  one that was cancelled, ran out of time or memory or lost a node has `interrupted`. Its state, and
  other columns of a job (Partition, NodeList, NCPUS ...), are tags.

The wall time is that of one function, too, so that `pwh scale` models it. What lands in `metrics`:
cpu_time (s; 0 is unknown), max_rss (bytes, of the step and task that had most) and energy (J).
Steps (101.batch, 101.0) are parts of their job.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ingest.base import Head, Item, LeftOut, Rows, Run, SingleFile
from ingest.parsing.dates import written_date
from ingest.parsing.lines import named_cells, numbered_lines, quoted, unexpected
from ingest.parsing.metric_values import Value, rows
from ingest.recording import Recording
from warehouse.errors import InputError

_HEADING = re.compile(r"(?=.*\bJobID(?:Raw)?\b)(?=.*\bElapsed(?:Raw)?\b)\w+(?:([|,])\w+)+\|?")
_DURATION = re.compile(r"(?:(\d{1,6})-)?(?:(\d{1,6}):)?(\d{1,6}):(\d\d(?:\.\d+)?)")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([KMGT]?)")
_EXIT = re.compile(r"(\d{1,9}):(\d{1,9})")
_CUT_SHORT = ("CANCELLED", "TIMEOUT", "DEADLINE", "NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "OUT_OF_")
_ENDED = ("COMPLETED", "FAILED", *_CUT_SHORT)
_WHOLE_PROGRAM = "whole program"  # as tables of runs have it: a function of the kind total
_TAGS = ("State", "Partition", "Account", "User", "QOS", "NodeList", "NCPUS", "AllocCPUS")
_UNITS = {"cpu_time": "s", "max_rss": "bytes", "energy": "J"}


@dataclass(slots=True)
class _Job:
    """Cells of a job and of its steps."""

    line: int
    cells: Mapping[str, str]
    ranks: int | None = None
    values: dict[str, float] = field(default_factory=dict)


class Slurm(SingleFile):
    """Jobs of Slurm as runs."""

    NAME = "slurm"
    DESCRIPTION = "jobs of Slurm: sacct -P -o JobID,JobName,NNodes,NTasks,Elapsed,State,..."
    PATTERNS = ("sacct*.txt", "sacct*.csv")
    TABLES = ("fn_timings", "metrics")

    def sniff(self, head: Head) -> bool:
        """Recognise the heading."""
        first = head.data.split(b"\n", 1)[0].decode("utf-8", "replace").strip()
        return _HEADING.fullmatch(first) is not None

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield a run and its values for each job that has ended."""
        jobs = _jobs(numbered_lines(recording, must_end=True))
        ended = {key: job for key, job in jobs.items() if _has_ended(job.cells)}
        if not ended:
            raise InputError("no job has ended", expected="a line with its Elapsed time")
        runs = [_run(key, job) for key, job in ended.items()]
        yield from runs
        whole = [
            (number, _WHOLE_PROGRAM, "total", run.wall_seconds) for number, run in enumerate(runs)
        ]
        yield Rows.of_records("fn_timings", ("run", "function", "kind", "seconds"), whole)
        yield rows(
            [
                Value(name, value, _UNITS[name], "lower", run=number)
                for number, job in enumerate(ended.values())
                for name, value in job.values.items()
            ]
        )
        yield LeftOut(len(jobs) - len(ended), "job", "it has not ended")


def _jobs(lines: Iterator[tuple[int, str]]) -> dict[str, _Job]:
    """Return the jobs by number, each with what its steps had."""
    _, heading = next(lines, (1, ""))
    found = _HEADING.fullmatch(heading.strip())
    if found is None:
        raise InputError("there is no heading", where="line 1", expected="JobID|JobName|Elapsed")
    names = heading.strip().removesuffix("|").split(found[1])
    jobs: dict[str, _Job] = {}
    for line, text in lines:
        cells = text.rstrip("\r\n").removesuffix("|" if heading.rstrip().endswith("|") else "")
        of = named_cells(names, cells.split(found[1]), f"line {line}")
        key, _, step = (of.get("JobID") or of["JobIDRaw"]).partition(".")
        if (key in jobs) is not bool(step):
            problem = f"the job {quoted(key)} is {'missing' if step else 'a duplicate'}"
            expected = "each job once, above its steps: sacct without -D"
            raise InputError(problem, where=f"line {line}", expected=expected)
        _add(jobs.setdefault(key, _Job(line, of)), of, f"line {line}")
    return jobs


def _add(job: _Job, of: Mapping[str, str], where: str) -> None:
    """Take the largest values of a job and its steps; those of a job contain its steps'."""
    if tasks := of.get("NTasks", ""):
        job.ranks = max(job.ranks or 1, int(_number(tasks, "NTasks", where)))
    if seconds := _seconds(of.get("TotalCPU") or "00:00", where):
        job.values["cpu_time"] = max(job.values.get("cpu_time", 0), seconds)
    if text := of.get("MaxRSS", ""):
        size = _SIZE.fullmatch(text)
        if size is None:
            raise InputError(f"MaxRSS is {quoted(text)}", where=where, expected="1200K")
        most = float(size[1]) * 1024 ** " KMGT".index(size[2] or " ")
        job.values["max_rss"] = max(job.values.get("max_rss", 0), most)
    if text := of.get("ConsumedEnergyRaw", ""):
        joules = _number(text, "ConsumedEnergyRaw", where)
        job.values["energy"] = max(job.values.get("energy", 0), joules)


def _has_ended(of: Mapping[str, str]) -> bool:
    return of.get("State", "COMPLETED").startswith(_ENDED)


def _run(key: str, job: _Job) -> Run:
    of, where = job.cells, f"line {job.line}"
    tags = {name.lower(): of[name] for name in _TAGS if of.get(name)} | {"job": key}
    code = _EXIT.fullmatch(of.get("ExitCode", ""))
    failed = of.get("State", "").startswith("FAILED")
    if code and (failed or code[0] != "0:0"):
        status = int(code[1]) or (128 + int(code[2]) if int(code[2]) else 0)
        tags["exit_code"] = str(status or 1)
    elif failed:
        tags["exit_code"] = "1"
    if of.get("State", "").startswith(_CUT_SHORT):
        tags["interrupted"] = "true"
    raw = of.get("ElapsedRaw", "")
    nodes = of.get("NNodes") or of.get("AllocNodes") or ""
    return Run(
        key=key,
        app=of.get("JobName") or None,
        machine=of.get("Cluster") or None,
        started_at=written_date(of.get("Start")),
        nodes=int(_number(nodes, "NNodes", where)) or None if nodes else None,
        ranks=job.ranks,
        wall_seconds=_number(raw, "ElapsedRaw", where) if raw else _seconds(of["Elapsed"], where),
        tags=tags,
    )


def _number(text: str, name: str, where: str) -> float:
    if not re.fullmatch(r"\d{1,15}", text):
        raise InputError(f"{name} is {quoted(text)}", where=where, expected="a whole number")
    return float(text)


def _seconds(text: str, where: str) -> float:
    found = _DURATION.fullmatch(text)
    if found is None:
        raise unexpected(text, where, "a time: 1-02:03:04")
    days, hours, minutes, seconds = found.groups(default="0")
    return ((int(days) * 24 + int(hours)) * 60 + int(minutes)) * 60 + float(seconds)
