"""What one dump contains about the instruction streams of its out-of-order cores.

A dump is a segment of each core that issued anything: the cycles in which 0, 1, 2 ...
micro-operations were issued (numIssuedDist; before gem5 21 iq.issued_per_cycle), and the committed
micro-operations by class. Branches are among gem5's integer operations and are taken out of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

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
