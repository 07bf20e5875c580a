"""Extra-P's JSON Lines: one measured time a line, equal lines but for the value are repetitions.

Source: Extra-P's docs/file-formats.md. A run alone is no series, so all runs are written that pwh
models together with it: of its application, version and machine.
"""

from __future__ import annotations

import json
from collections import defaultdict

from apps.exports import Exported
from apps.output.numbers import counted
from apps.queries.base import ask
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.session import Connection

# Extra-P warns of models from fewer points.
_LEAST = 5

Point = tuple[int, float | None]


def export(con: Connection, run_id: str, event: str | None) -> Exported:
    """Return the series of a run's set; see `apps.exports.export_run`."""
    if event is not None:
        raise UsageError("the series are times", hint="Leave --event out.")
    series: defaultdict[str, defaultdict[Point, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for function, count, size, seconds in ask(con, "export/series", run_id=run_id).fetchall():
        series[function][count, size].append(seconds)
    points = {point for measured in series.values() for point in measured}
    counts = {count for count, _ in points}
    if len(counts) < 2:
        found = f"only at {next(iter(counts))}" if counts else "at no known count"
        raise NothingToAnalyse(
            f"the run {run_id} has no scaling series: its set has times of functions {found}",
            hint="Measure the same version at several counts of processes or threads, and land "
            "them with --ranks or --threads.",
        )
    # The problem size is a parameter of its own where it varies at equal counts.
    by_size = len(points) > len(counts) and all(size is not None for _, size in points)
    where = {point: point if by_size else (point[0], None) for point in points}
    wanted = set(where.values())
    lines, missing = [], []
    for function, measured in series.items():
        if {where[point] for point in measured} != wanted:
            missing.append(function)
            continue
        lines += [
            _line(function, where[point], seconds)
            for point, values in measured.items()
            for seconds in values
        ]
    if not lines:
        raise NothingToAnalyse(
            f"no function of the set of {run_id} was measured at all {len(wanted)} points",
            hint="Extra-P needs every function at every point. pwh scale models them as they are.",
        )
    return Exported(["".join(lines).encode()], _notes(missing, len(counts)))


def _line(function: str, point: Point, seconds: float) -> str:
    count, size = point
    params = {"p": count} if size is None else {"p": count, "size": size}
    record = {"params": params, "callpath": function, "metric": "time", "value": seconds}
    return json.dumps(record) + "\n"


def _notes(missing: list[str], counts: int) -> list[str]:
    notes = []
    if missing:
        notes.append(
            f"{counted(len(missing), 'function')} left out that were not measured at all points: "
            + ", ".join(missing[:3])
            + (" ..." if len(missing) > 3 else "")
        )
    if counts < _LEAST:
        notes.append(
            f"Extra-P warns of models from fewer than {_LEAST} counts, and these are {counts}"
        )
    return notes
