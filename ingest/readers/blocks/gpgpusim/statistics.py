"""The statistics that GPGPU-Sim and Accel-Sim print after each kernel, in any log of theirs.

Cycles, instructions, instructions per cycle and occupancy are those of the kernel. Counts of caches
go on from kernel to kernel, so that those of the last one are the whole run's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from ingest.base import Item, Rows
from ingest.parsing.lines import numbered_lines
from ingest.recording import Recording
from warehouse.errors import InputError

_LINE = re.compile(r"\s*(\w+)\s*=\s*(\S+)")
_KERNEL, _LAST = "kernel_name", "gpgpu_simulation_rate"
# What is of a kernel, and its unit. Counts of a whole GPU have names of their own:
# what is said of cycles and instructions is of cores.
_OF_KERNELS = {
    "gpu_sim_cycle": None,
    "gpu_sim_insn": None,
    "gpu_ipc": None,
    "gpu_occupancy": "%",
}
_OF_RUN = re.compile(r"L[12][A-Z]?_total_cache_(?:accesses|misses|miss_rate)")


def statistics(recording: Recording) -> Iterator[Item]:
    """Yield the rows of the kernels' statistics, nothing where the log has none.

    Raises `InputError` where the log ends within those of a kernel.
    """
    rows: list[dict[str, Any]] = []
    of_run: dict[str, float] = {}
    launches: Counter[str] = Counter()
    kernel, is_open, number = None, False, 0
    for number, line in numbered_lines(recording):
        if (found := _LINE.match(line)) is None:
            continue
        name, text = found.groups()
        if name == _KERNEL:
            kernel = text
        elif name == _LAST:
            kernel, is_open = None, False
        elif kernel is not None and name in _OF_KERNELS:
            if name == "gpu_sim_cycle":
                launches[kernel] += 1
                is_open = True
            unit = _OF_KERNELS[name]
            value = _number(text.removesuffix("%"), number)
            sample = launches[kernel] - 1
            rows.append(
                {"region": kernel, "sample": sample, "event": name, "value": value, "unit": unit}
            )
        elif kernel is not None and _OF_RUN.fullmatch(name):
            of_run[name] = _number(text, number)
    if is_open:
        raise InputError(
            f"the log ends within the statistics of {kernel}",
            where=f"line {number}",
            expected=_LAST,
            hint="Is the end of it missing?",
        )
    rows += [
        {"region": None, "sample": None, "event": name, "value": value, "unit": None}
        for name, value in of_run.items()
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
    }
)


def _number(text: str, line: int) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"{text[:40]!r} was found", where=f"line {line}", expected="a number"
        ) from None
