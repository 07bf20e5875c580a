"""I/O of a job by Darshan: the text of `darshan-parser FILE` (its default, --base).

Source: Darshan's documentation of darshan-parser, "Guide to darshan-parser output". A line is a
counter of a module (POSIX, MPI-IO, STDIO, LUSTRE ...) for one file on one rank. What lands:

- pmu_samples: `event` is the counter, `region` the file's name as Darshan has it, `rank` the MPI
  rank, NULL (Darshan: -1) where the file was shared by all and Darshan added them up. Bytes and
  seconds (_F_..._TIME) have their unit; counters that Darshan did not measure (-1) are NULL.
- the run: program (of the command line), ranks, start, elapsed time, job id.

- The lines of --total, without a region, where there are none of files. Of --perf, in metrics: the
  rates of each module (agg_perf_by_slowest ...) and its bytes.

What cannot be added up over files and ranks is left out: moments (_TIMESTAMP), numbers of ranks,
largest and slowest ones, sizes of strides, alignments and stripes. So are the other lines of --perf
and those of --file, which follow from the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from ingest.base import Item, LeftOut, Run, SingleFile, implausible
from ingest.parsing.app_names import program_name
from ingest.parsing.counter_table import Sample, batches, number
from ingest.parsing.lines import numbered_lines, quoted, unexpected
from ingest.parsing.metric_values import Value, rows
from ingest.recording import Recording
from warehouse.errors import InputError

_FACT = re.compile(r"# (exe|jobid|start_time|nprocs|run time|darshan log version): *(.*)")
_NOT_AMOUNTS = re.compile(
    r"_TIMESTAMP$|_(?:FASTEST|SLOWEST)_RANK|_VARIANCE|_RENAMED_FROM$|_MODE$|_ALIGNMENT$|_MAX_|"
    r"_STRIDE\d_STRIDE$|_ACCESS\d_ACCESS$|^LUSTRE_"
)
_TOTAL = re.compile(r"total_(\S+): (-?\S+)")
_MODULE = re.compile(r"# (\S+) module data")
_RATE = re.compile(r"# (total_bytes|agg_perf_by_\w+): (\d+(?:\.\d*)?)(?: # MiB/s)?\s*")
_FIELDS = 8


class Darshan(SingleFile):
    """Reads what darshan-parser prints."""

    NAME = "darshan"
    DESCRIPTION = "Darshan: I/O of a job by file and rank (darshan-parser FILE > NEW.txt)"
    PATTERNS = ("*.darshan.txt",)
    TABLES = ("pmu_samples", "metrics")
    START = re.compile(rb"\s*# darshan log version: \S")

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its counters; see `Reader.read`."""
        facts: dict[str, str] = {}
        left_out = [0]
        rates: list[Value] = []
        landed = 0
        for batch in batches(_samples(recording, facts, rates, left_out)):
            yield _run(facts)
            landed += batch.batch.num_rows
            yield batch
        if rates:
            yield _run(facts)
            yield rows(rates)
        if not landed and not rates:
            raise InputError(
                "there are no counters",
                where="end of the file",
                expected="lines `POSIX 0 123 POSIX_OPENS 16 /path ...`",
                hint="Let darshan-parser print them: with --base, --total, or with no option.",
            )
        yield LeftOut(left_out[0], "counter", "no amount that adds up")


def _samples(
    recording: Recording, facts: dict[str, str], rates: list[Value], left_out: list[int]
) -> Iterator[Sample]:
    totals: list[Sample] = []
    files = 0
    module = ""
    for line, text in numbered_lines(recording, must_end=_is_whole):
        if found := _FACT.fullmatch(text):
            if found[2].strip() != facts.setdefault(found[1], found[2].strip()):
                raise InputError(
                    f"the {found[1]} is {quoted(found[2])}, and above {quoted(facts[found[1]])}",
                    where=f"line {line}",
                    expected="what darshan-parser prints of one job",
                    hint="Keep each job in a file of its own.",
                )
        elif found := _MODULE.match(text):
            module = f"{found[1]} "
        elif found := _RATE.fullmatch(text):
            of = ("bytes", None) if found[1] == "total_bytes" else ("MiB/s", "higher")
            rates.append(Value(f"{module}{found[1]}", float(found[2]), *of))
        elif (found := _TOTAL.fullmatch(text)) and not _NOT_AMOUNTS.search(found[1]):
            totals.append(_sample(None, None, found[1], number(found[2], f"line {line}", found[1])))
        fields = text.split("\t")
        if text.startswith("#") or len(fields) == 1:
            continue
        where = f"line {line}"
        if len(fields) != _FIELDS or not re.fullmatch(r"-1|\d{1,9}", fields[1]):
            raise unexpected(
                text,
                where,
                "module, rank, record id, counter, value, file, mount point and its type",
                "Is the file cut off or damaged? Let darshan-parser print it again.",
            )
        _, rank, _, counter, value, file, _, _ = fields
        if _NOT_AMOUNTS.search(counter):
            left_out[0] += 1
            continue
        files += 1
        own = None if rank == "-1" else int(rank)
        yield _sample(own, file, counter, number(value, where, counter))
    if not files:
        yield from totals


def _sample(rank: int | None, file: str | None, counter: str, amount: float | None) -> Sample:
    return {
        "rank": rank,
        "region": file,
        "event": counter,
        "value": None if amount is not None and amount < 0 else amount,
        "unit": _unit(counter),
    }


def _unit(counter: str) -> str | None:
    if "_F_" in counter and counter.endswith("_TIME"):
        return "s"
    return "bytes" if "_BYTES_" in counter else None


def _run(facts: dict[str, str]) -> Run:
    """Return the facts of the job; those that are implausible are unknown."""
    command = facts.get("exe", "")
    seconds = _number(facts.get("run time"))
    ranks, start = _number(facts.get("nprocs")), _number(facts.get("start_time"))
    known = {
        "ranks": None if ranks is None else int(ranks),
        "wall_seconds": seconds,
        "started_at": None if start is None else datetime.fromtimestamp(start, UTC),
    }
    plausible = {
        name: value
        for name, value in known.items()
        if value is not None and implausible({name: value}) is None
    }
    tags = {"command": command, "job": facts.get("jobid", "")}
    return Run(
        app=program_name(command),
        tags={name: text for name, text in tags.items() if text},
        **plausible,  # type: ignore[arg-type]
    )


def _number(text: str | None) -> float | None:
    return float(text) if text and re.fullmatch(r"\d{1,11}(?:\.\d*)?", text) else None


def _is_whole(line: str) -> bool:
    is_row = line.count("\t") == _FIELDS - 1
    return is_row or any(form.fullmatch(line) for form in (_FACT, _RATE, _TOTAL))
