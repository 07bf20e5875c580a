"""Statistics of the gem5 simulator: stats.txt, and config.ini next to it.

Source: src/base/stats/text.cc of gem5 (all that its text output can contain), versions 19 to 24.
What lands in pmu_samples:

- One dump (Begin to End Simulation Statistics) is one sample, numbered from 0. `t_start` and
  `t_end` are on the simulated clock, in ns: finalTick is the end, simTicks the length; NULL where
  a dump lacks simTicks, finalTick or simFreq (before gem5 21: sim_ticks, final_tick, sim_freq).
- `event` is the statistic's full name with its bucket (system.l2.overallMisses::total); shares and
  running sums that gem5 prints behind the values of a vector are left out. The values of a vector
  that gem5 prints on one line are name::0, name::1 ...
- `value` is NULL for nan and inf. `unit` is what gem5 gives in brackets at the end, without the
  outer ones; NULL if there is none or it is Unspecified.

Where an out-of-order core counts what it issued in each cycle, the dump is a segment of it, too:
the cycles in which 0, 1, 2 ... micro-operations were issued (numIssuedDist; before gem5 21
iq.issued_per_cycle), and the committed micro-operations by class. Branches are among gem5's
integer operations and are taken out of them.

config.ini gives the app (file name of the workload's program) and the tags command, cpu_type,
cpus, clock_ticks (period of the CPUs' clock) and mem_mode.
"""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.base import Head, Item, Rows, Run
from ingest.compressed import bare_name, sibling
from ingest.parsing.lines import LineArray, chunks, quoted, whole_text
from ingest.readers.counters.gem5.dump import TICKS, rows
from ingest.recording import Recording, read_head
from warehouse.errors import InputError

_ISSUED = r"^(?P<core>.+)\.(?:numIssuedDist|iq\.issued_per_cycle)::(?P<bucket>\d+)$"
# Where gem5 counts committed operations by class, newest version first.
_CLASSES = ("commitStats0.committedInstType", "commit.committedInstType_0", "commit.op_class_0")
_INSTRUCTIONS = ("commitStats0.numInsts", "commit.instsCommitted", "committedInsts")
_BRANCHES = (
    "commitStats0.numControl",
    "commit.branches",
    "commitStats0.committedControl::IsControl",
)
# Column by class; the first that matches counts.
_COLUMNS = (
    ("n_load", re.compile(r".*(?:MemRead|Load)")),
    ("n_store", re.compile(r".*(?:MemWrite|Store)")),
    ("n_simd", re.compile(r"Simd|Matrix")),
    ("n_fp", re.compile(r"Float")),
    ("n_int", re.compile(r"Int")),
    ("n_other", re.compile(r"(?!total$)")),
)
_WIDEST = 1024  # micro-operations a cycle
_MOST = 2**53  # a sum of classes fits 64 bits
_DIVISIONS = {"n_mul": ("IntMult",), "n_div": ("IntDiv",), "n_fp_div": ("FloatDiv", "FloatSqrt")}


def segments(sample: int, batch: pa.RecordBatch) -> list[dict[str, object]]:
    """Return the segments of a dump as rows of that table; `batch` are its statistics."""
    parts = pc.extract_regex(batch["event"], _ISSUED)
    if parts.null_count == len(parts):
        return []
    table = pa.table({"core": pc.struct_field(parts, "core"), "value": batch["value"]})
    table = table.append_column("bucket", pc.struct_field(parts, "bucket")).drop_null()
    issued: dict[str, dict[int, int]] = {}
    for row in table.to_pylist():
        name = f"{row['core']} in the distribution of issued micro-operations"
        bucket = _count(float(row["bucket"]), f"bucket of {name}", _WIDEST)
        issued.setdefault(row["core"], {})[bucket] = _count(row["value"], name)
    known = dict(zip(batch["event"].to_pylist(), batch["value"].to_pylist(), strict=True))
    return [
        {"thread": thread, "segment": sample, **_segment(core, buckets, known)}
        for thread, (core, buckets) in enumerate(sorted(issued.items()))
        if sum(buckets.values())
    ]


def _segment(
    core: str, buckets: Mapping[int, int], known: Mapping[str, float | None]
) -> dict[str, object]:
    """Return the columns of one core's segment."""
    counts = _counts(core, known)
    row: dict[str, object] = {
        "cycles": float(sum(buckets.values())),
        "issued": [buckets.get(k, 0) for k in range(max(buckets) + 1)],
        "instructions": _first(core, _INSTRUCTIONS, known),
    }
    if counts:
        branches = _first(core, _BRANCHES, known)
        row |= {name: sum(counts.get(c, 0) for c in kinds) for name, kinds in _DIVISIONS.items()}
        row |= {name: 0 for name, _ in _COLUMNS}
        for kind, count in counts.items():
            name = next((name for name, pattern in _COLUMNS if pattern.match(kind)), None)
            if name:
                row[name] = row[name] + count  # type: ignore[operator]
        row["uops"] = counts.get("total", sum(counts.values()))
        row["n_branch"] = branches
        row["n_int"] = max(0, row["n_int"] - (branches or 0))  # type: ignore[operator]
    return row


def _counts(core: str, known: Mapping[str, float | None]) -> dict[str, int]:
    """Return committed operations by class; empty where gem5 does not count them."""
    for name in _CLASSES:
        prefix = f"{core}.{name}::"
        found = {
            event.removeprefix(prefix): _count(value, event)
            for event, value in known.items()
            if value is not None and event.startswith(prefix)
        }
        if found:
            return found
    return {}


def _first(core: str, names: tuple[str, ...], known: Mapping[str, float | None]) -> int | None:
    """Return the first of some statistics that there is."""
    for name in names:
        value = known.get(f"{core}.{name}")
        if value is not None:
            return _count(value, f"{core}.{name}")
    return None


def _count(value: float, name: str, most: int = _MOST) -> int:
    """Return a count as a whole number; raise `InputError` where it is too large for one."""
    if abs(value) > most:
        raise InputError(f"{name} is {value:g}", expected=f"a whole number up to {most}")
    return int(value)


def facts(text: str) -> Run:
    """Return the program that ran and the CPUs it ran on, from the text of config.ini."""
    parser = configparser.ConfigParser(
        delimiters=("=",), comment_prefixes=(), interpolation=None, strict=False
    )
    try:
        parser.read_string(text)
    except configparser.Error as error:
        line = getattr(error, "lineno", None) or getattr(error, "errors", [(1, "")])[0][0]
        raise InputError(
            "gem5's configuration, next to its statistics, cannot be read",
            where=f"line {line}",
            expected="[section] lines and name=value lines",
            hint="Take it away to ingest the statistics alone.",
        ) from None
    cpus = [section for section in parser.values() if _is_cpu(section)]
    tags = {
        "cpu_type": ", ".join(sorted({cpu["type"] for cpu in cpus})),
        "cpus": str(len({cpu["cpu_id"] for cpu in cpus})) if cpus else "",
        "clock_ticks": ", ".join(sorted({_clock(parser, cpu) for cpu in cpus} - {""})),
        "mem_mode": parser.get("system", "mem_mode", fallback=""),
    }
    program, command = _workload(parser)
    return Run(
        app=program.rsplit("/", 1)[-1] or None,
        tags={name: value for name, value in {**tags, "command": command}.items() if value},
    )


def _is_cpu(section: configparser.SectionProxy) -> bool:
    return section.get("type", "").endswith("CPU") and "cpu_id" in section


def _clock(parser: configparser.ConfigParser, cpu: configparser.SectionProxy) -> str:
    """Return the period of a CPU's clock in ticks."""
    return parser.get(cpu.get("clk_domain", ""), "clock", fallback="")


def _workload(parser: configparser.ConfigParser) -> tuple[str, str]:
    """Return the first process's program and command line; both empty in full-system mode."""
    for section in parser.values():
        if section.get("type") in ("Process", "LiveProcess", "EmulatedProcess"):
            return section.get("executable", ""), section.get("cmd", "")
    return "", ""


_BEGIN = r"^-{6,} Begin Simulation Statistics +-{6,}$"
_END = r"^-{6,} End Simulation Statistics +-{6,}$"
_ROWS = 20_000
_RECOGNISED = re.compile(
    rf"^(?:-+ (?:Begin|End) Simulation Statistics +-+|(?:{'|'.join(TICKS)}) +\d+ .*)$",
    re.MULTILINE,
)


class Gem5Stats:
    """Statistics that the gem5 simulator dumps."""

    NAME = "gem5-stats"
    DESCRIPTION = "statistics dumps of the gem5 simulator (stats.txt), with config.ini next to it"
    PATTERNS = ("stats.txt", "config.ini")
    TABLES = ("pmu_samples", "segments")
    WHOLE_FOLDER = False

    def sniff(self, head: Head) -> bool:
        """Recognise the line that begins a dump; config.ini where stats.txt lies next to it."""
        if head.name == "config.ini":
            return _is_config(head.data) and sibling(head.path, "stats.txt") is not None
        text = head.data[:8192].decode("utf-8", "replace").replace("\r\n", "\n")
        return not text.lstrip().startswith("<") and _RECOGNISED.search(text) is not None

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return stats.txt and the config.ini next to it; a file of another name is alone."""
        if bare_name(path) not in ("stats.txt", "config.ini"):
            return (path,)
        stats, config = sibling(path, "stats.txt"), sibling(path, "config.ini")
        if config is None or not _is_config(read_head(config)):
            return (path,)
        return (config,) if stats is None else (stats, config)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, and the rows of one dump after another."""
        config = recording.part("config.ini")
        if config == recording.path:
            raise InputError(
                "this is gem5's configuration, which contains no statistics",
                expected="stats.txt next to it",
            )
        yield Run() if config is None else _facts(recording, config)
        found: list[dict[str, object]] = []
        for table in _joined(_batches(recording, found)):
            yield Rows("pmu_samples", table)
        if found:
            yield Rows("segments", pa.Table.from_pylist(found))


def _is_config(head: bytes) -> bool:
    return re.match(rb"\s*\[root\]\r?\ntype=Root\b", head) is not None


def _facts(recording: Recording, config: Path) -> Run:
    try:
        return facts(whole_text(recording, config))
    except InputError as error:
        error.path = str(config)
        raise


def _dumps(recording: Recording) -> Iterator[LineArray]:
    """Yield the lines of one dump after another, those that begin and end it left out.

    A dump is kept in memory whole: a few MB at most in practice.
    """
    begun: int | None = None
    pending: list[pa.Array] = []
    for chunk in chunks(recording):
        lines = chunk.array()
        text = pc.utf8_rtrim_whitespace(lines.text)
        begins = pc.match_substring_regex(text, _BEGIN).to_numpy(zero_copy_only=False)
        ends = pc.match_substring_regex(text, _END).to_numpy(zero_copy_only=False)
        done = 0
        for at in np.flatnonzero(begins | ends).tolist():
            number = lines.first + at
            if begun is not None:
                if begins[at]:
                    raise _unfinished(begun, f"another begins in line {number}")
                pending.append(text.slice(done, at - done))
                yield LineArray(begun + 1, pa.concat_arrays(pending))
                pending, begun = [], None
            else:
                _check_blank(text.slice(done, at - done), lines.first + done)
                if ends[at]:
                    raise _never_began(number)
                begun = number
            done = at + 1
        if begun is None:
            _check_blank(text.slice(done), lines.first + done)
        else:
            pending.append(text.slice(done))
    if begun is not None:
        raise _unfinished(begun, "the file ends before")


def _batches(recording: Recording, found: list[dict[str, object]]) -> Iterator[pa.RecordBatch]:
    """Yield the statistics of one dump after another; add its segments to `found`."""
    for number, lines in enumerate(_dumps(recording)):
        batch = rows(number, lines)
        found += segments(number, batch)
        yield batch


def _joined(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Join the rows of small dumps, since each insertion has its price."""
    pending: list[pa.RecordBatch] = []
    for batch in batches:
        pending.append(batch)
        if sum(part.num_rows for part in pending) >= _ROWS:
            yield pa.Table.from_batches(pending)
            pending = []
    if pending:
        yield pa.Table.from_batches(pending)


def _unfinished(begun: int, problem: str) -> InputError:
    return InputError(
        f"the dump that begins here has no end: {problem}",
        where=f"line {begun}",
        expected="---------- End Simulation Statistics   ----------",
        hint="The file is cut off, or gem5 is still running. Copy it again when gem5 has ended.",
    )


def _never_began(number: int) -> InputError:
    return InputError(
        "a dump ends that never began",
        where=f"line {number}",
        expected="---------- Begin Simulation Statistics ----------",
    )


def _check_blank(text: pa.StringArray, first: int) -> None:
    at = pc.index(pc.equal(text, ""), False).as_py()
    if at >= 0:
        raise InputError(
            f"{quoted(text[at].as_py())} is outside of a dump",
            where=f"line {first + at}",
            expected="---------- Begin Simulation Statistics ----------",
        )
