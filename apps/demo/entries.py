"""The recordings that ship with pwh for its demo, and the options with which each is ingested.

tests/apps/demo/programs/record.sh makes them. The history of `stencil`, `sorter`, `spmv` and
`kernels` is generated and tagged as such, as are the counters of a Sunway and its model
(tests/apps/demo/programs/generate_sunway.py); everything else was measured.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "recordings"
VERSIONS = ("1.0", "1.1", "1.2", "1.3", "1.4", "1.5")
_HISTORY = "history"
_MACHINE = "demo-vm"
_GENERATED = {"generated": "true"}
# perf and Dask record when a run began; the other tools do not.
_RECORDED_AT = datetime(2026, 11, 21, 2, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A recording's file or folder, and its options of `pwh ingest`."""

    file: str
    facts: Mapping[str, Any]
    run_id: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """The path of the file."""
        return FOLDER / self.file


def _of_heat(version: str, file: str) -> Entry:
    """Return the entry of a recording of heat; counters and profile of a version are one run."""
    return Entry(
        file=file,
        run_id=f"heat-{version}",
        facts={"app": "heat", "version": version, "machine": _MACHINE},
    )


def _of_app(app: str, file: str, **facts: Any) -> Entry:
    return Entry(file=file, facts={"app": app, "machine": _MACHINE, **facts})


def _history() -> Iterator[Entry]:
    """Yield the generated runs; traces and counters name their runs."""
    with (FOLDER / _HISTORY / "runs.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            run_id = row["run_id"]
            facts: dict[str, Any] = {
                "app": row["app"],
                "version": row["version"],
                "machine": "generated",
                "started_at": datetime.fromisoformat(row["started_at"]),
                "wall_seconds": float(row["wall_seconds"]),
            }
            if row["ranks"]:
                facts |= {"ranks": int(row["ranks"]), "problem_size": float(row["problem_size"])}
            tags = {**_GENERATED, "compiler": row["compiler"]}
            yield Entry(file=f"{_HISTORY}/{run_id}.csv", run_id=run_id, facts=facts, tags=tags)
            traces = f"{_HISTORY}/{run_id}.tasks"
            if (FOLDER / traces).exists():
                yield Entry(file=traces, run_id=run_id, facts={}, tags=tags)
    for name in ("counters", "visits", "edges", "blocks", "scaling"):
        tags = _GENERATED | ({"issue_width": "4"} if name == "counters" else {})
        yield Entry(file=f"{_HISTORY}/stencil_{name}.csv", facts={}, tags=tags)
    yield Entry(file=f"{_HISTORY}/kernels.csv", facts={}, tags=_GENERATED)


ENTRIES = (
    *(_of_heat(version, f"heat-{version}.perf.csv") for version in VERSIONS),
    *(_of_heat(version, f"heat-{version}.pstats") for version in VERSIONS),
    _of_app("heat-processes", "heat_scaling.jsonl", started_at=_RECORDED_AT),
    _of_app("heat-tasks", "heat_tasks.msgpack.gz"),
    _of_app("heat-c", "heat.bb", started_at=_RECORDED_AT, threads=3),
    _of_app("heat-c", "heat_blocks.csv", started_at=_RECORDED_AT),
    *_history(),
)
_OF_SUNWAY = FOLDER.parent / "sunway"
SUNWAY_MODEL = _OF_SUNWAY / "model.parquet"
SUNWAY = Entry(
    file=str(_OF_SUNWAY / "counters.csv"), facts={}, tags=_GENERATED | {"issue_width": "2"}
)
