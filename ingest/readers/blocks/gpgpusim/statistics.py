"""The statistics that GPGPU-Sim and Accel-Sim print after each kernel, in any log of theirs.

Cycles, instructions, instructions per cycle and occupancy are those of the kernel. Counts of caches
go on from kernel to kernel: those of a kernel are what it adds, the last rate is the whole run's.
Kernels last `seconds` at the clock of the cores, where the log has that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import isnan
from typing import Any

import pyarrow as pa

from ingest.base import Item, Rows
from ingest.parsing.lines import chunks
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
