"""GPGPU-Sim logs: basic blocks and threads of simulated GPU kernels.

Source: GPGPU-Sim 3 and 4 (github.com/gpgpu-sim/gpgpu-sim_distribution), standard output with
PTX_SIM_DEBUG=5 or more in the environment. The listing of basic blocks (PTX_SIM_DEBUG=50) may be
in the log itself or next to it, in STEM.blocks.txt. The statistics of the kernels land, too, which
Accel-Sim writes as well.

Of the statistics cycles, instructions, instructions per cycle and occupancy are those of the
kernel. Counts of caches go on from kernel to kernel: those of the last one are the whole run's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import Any

import pyarrow as pa

from ingest.base import BLOCK_TABLES, Head, Item, Rows, Run
from ingest.compressed import bare_name, sibling
from ingest.parsing.blocks.spool import parsed
from ingest.parsing.lines import chunks, numbered_lines
from ingest.readers.blocks.gpgpusim.fields import parse
from ingest.readers.blocks.gpgpusim.log import Log
from ingest.readers.blocks.gpgpusim.rows import rows
from ingest.readers.blocks.gpgpusim.text import Listing
from ingest.readers.blocks.gpgpusim.threads import Spool
from ingest.recording import Recording
from warehouse.errors import InputError

_KERNEL, _LAST = "kernel_name", "gpgpu_simulation_rate"
_CLOCK = "GPGPU-Sim uArch: clock freqs"
# What is of a kernel, and its unit. Counts of a whole GPU have names of their own:
# what is said of cycles and instructions is of cores.
_OF_KERNELS = {
    "gpu_sim_cycle": None,
    "gpu_sim_insn": None,
    "gpu_ipc": None,
    "gpu_occupancy": "%",
}
_OF_CACHES = r"L[12][A-Z]?_total_cache_(?:accesses|misses|miss_rate)"
_NAMES = "|".join((_KERNEL, _LAST, _CLOCK, *_OF_KERNELS, _OF_CACHES))
_LINE = re.compile(rf"^[ \t]*({_NAMES})[ \t]*[=:][ \t]*(\S+)".encode(), re.MULTILINE)


def statistics(recording: Recording) -> Iterator[Item]:
    """Yield the rows of the kernels' statistics, nothing where the log has none.

    Counts of caches go on from kernel to kernel: those of a kernel are what it adds, the last rate
    is the whole run's. Kernels last `seconds` at the clock of the cores, where the log has that.

    Raises `InputError` where the log ends within those of a kernel.
    """
    rows: list[dict[str, Any]] = []
    so_far: dict[str, float | None] = {}
    launches: Counter[str] = Counter()
    kernel, is_open, last = None, False, 1
    clock = seconds = None
    for chunk in chunks(recording):
        last = chunk.line_at(len(chunk.data) - 1)
        for found in _LINE.finditer(chunk.data):
            name, text = (part.decode("utf-8", "replace") for part in found.groups())
            if name == _KERNEL:
                kernel = text
            elif name == _LAST:
                kernel, is_open = None, False
            elif name == _CLOCK:
                clock = _number(text.partition(":")[0], chunk.line_at(found.start(2)))
            elif kernel is not None:
                unit = _OF_KERNELS.get(name)
                value = _number(text.removesuffix("%"), chunk.line_at(found.start(2)))
                if name not in _OF_KERNELS:
                    before, so_far[name] = so_far.get(name) or 0, value
                    if name.endswith("_rate"):
                        continue
                    # A count that is lower was set to zero.
                    value = value - before if value and value >= before else value
                if name == "gpu_sim_cycle":
                    launches[kernel] += 1
                    is_open = True
                    seconds = value / clock if value and clock else None
                launch = {"region": kernel, "sample": launches[kernel] - 1, "seconds": seconds}
                rows.append({**launch, "event": name, "value": value, "unit": unit})
    if is_open:
        raise InputError(
            f"the log ends within the statistics of {kernel}",
            where=f"line {last}",
            expected=_LAST,
            hint="Is the end of it missing?",
        )
    rows += [
        {"event": name, "value": value} for name, value in so_far.items() if name.endswith("_rate")
    ]
    if launches:
        yield Rows("pmu_samples", pa.Table.from_pylist(rows, _SCHEMA))


_SCHEMA = pa.schema(
    {
        "region": pa.string(),
        "sample": pa.int64(),
        "event": pa.string(),
        "value": pa.float64(),
        "unit": pa.string(),
        "seconds": pa.float64(),
    }
)


def _number(text: str, line: int) -> float | None:
    """Return a number; None where the simulator divided nothing by nothing."""
    try:
        value = float(text)
    except ValueError:
        raise InputError(
            f"{text[:40]!r} was found", where=f"line {line}", expected="a number"
        ) from None
    return None if isnan(value) else value


_BLOCKS = ".blocks.txt"
_PIECE = 4 << 20
_INSTRUCTION = re.compile(rb"^\d+ \[(?:cyc=\d+\]\[)?thd=\d+\]\[i=\d+\] : ctaid=\(", re.MULTILINE)
_LISTING = re.compile(rb"^Printing basic blocks for function '", re.MULTILINE)
_CHATTER = re.compile(
    rb"^(?:Accel-Sim \[build|GPGPU-Sim(?: PTX| uArch)?: | +\*\*\* GPGPU-Sim )", re.MULTILINE
)


class GpgpuSim:
    """Reads GPGPU-Sim logs."""

    NAME = "gpgpusim"
    DESCRIPTION = "GPGPU-Sim, Accel-Sim logs: statistics, blocks of threads (PTX_SIM_DEBUG=5)"
    PATTERNS = ("*.log", "*.log.gz", "*.log.zst", "*.blocks.txt")
    TABLES = (*BLOCK_TABLES, "pmu_samples")
    WHOLE_FOLDER = False

    def sniff(self, head: Head) -> bool:
        """Recognise GPGPU-Sim's own lines, a listing of blocks, or instruction lines."""
        marks = (_INSTRUCTION, _LISTING, _CHATTER)
        return any(mark.search(head.data) for mark in marks)

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the log and the listing of its blocks, if there is one."""
        name = bare_name(path)
        if name.endswith(_BLOCKS):
            log = _log_of(path, name.removesuffix(_BLOCKS))
            return (path,) if log is None else (log, path)
        stem = name.rpartition(".")[0] or name
        blocks = sibling(path, stem + _BLOCKS)
        return (path, blocks) if blocks and _log_of(path, stem) == path else (path,)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, its launches, and sums over their threads.

        Raises `InputError` where the log is damaged or not whole.
        """
        listing = Listing()
        for part in recording.parts:
            if bare_name(part).endswith(_BLOCKS):
                _read_listing(recording, part, listing)
        if bare_name(recording.path).endswith(_BLOCKS):
            raise InputError(
                "this is a listing of blocks without the log it belongs to",
                expected=f"NAME.log next to NAME{_BLOCKS}",
                hint="Put the log of the same program, with PTX_SIM_DEBUG=5, into its folder.",
            )
        spool = Spool()
        try:
            log = Log(listing, spool)
            for fields in parsed(chunks(recording, size=_PIECE), parse):
                log.take(fields)
            if log.has_instructions:
                log.finish()
            # A functional simulation knows no cycles.
            found = [] if log.functional else list(statistics(recording))
            if not log.has_instructions and not found:
                log.finish()
            yield _run(log)
            yield from found
            if log.has_instructions:
                yield from rows(log, spool)
        finally:
            spool.close()


def _log_of(path: Path, stem: str) -> Path | None:
    """Find the log that a listing STEM.blocks.txt belongs to."""
    names = (f"{stem}.log", f"{stem}.txt", f"{stem}.out", stem)
    return next((found for name in names if (found := sibling(path, name))), None)


def _read_listing(recording: Recording, part: Path, listing: Listing) -> None:
    where = f"{part.name}"
    for number, line in numbered_lines(recording, part):
        where = f"{part.name}, line {number}"
        listing.add(line, where)
    listing.end(where)
    if not listing.blocks:
        raise InputError(
            "the listing names no blocks",
            where=where,
            expected="Printing basic blocks for function 'NAME':",
            hint="Run the simulation with PTX_SIM_DEBUG=50 to have them listed.",
        )


def _run(log: Log) -> Run:
    tags = {"simulation": "functional" if log.functional else "timing"}
    if log.version is not None:
        tags["simulator"] = f"GPGPU-Sim {log.version}"
    return Run(tags=tags)
