"""Histories of runs as files, for the tests of trend, compare and gate."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

# Ten runs of about the same level, without a pattern.
SHAKE = (1.000, 1.011, 0.992, 1.003, 0.988, 1.006, 0.997, 1.012, 0.991, 1.002)
HEADER = "run_id,app,version,machine,started_at,function,seconds"


def runs(
    version: str,
    functions: dict[str, float],
    *,
    first_day: int,
    count: int = 10,
    machine: str = "m1",
) -> list[str]:
    """Return lines of fn_timings: a run a day, each function at about its level."""
    return [
        f"{version}-{machine}-{i},heat,{version},{machine},2026-01-{first_day + i:02}T06:00:00Z,"
        f"{name},{level * SHAKE[(i + 3 * place) % len(SHAKE)]}"
        for i in range(count)
        for place, (name, level) in enumerate(functions.items())
    ]


def write(path: Path, lines: Iterable[str]) -> Path:
    """Write a CSV file for `pwh ingest`."""
    path.write_text("\n".join([HEADER, *lines]) + "\n")
    return path
