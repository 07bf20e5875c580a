"""Function times at several counts, for the tests of scaling models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from warehouse.session import Connection

Times = Mapping[int, float | Sequence[float]]


def measured(
    con: Connection,
    functions: Mapping[str, Times],
    *,
    app: str = "stencil",
    version: str | None = "1",
    size: Callable[[int], float | None] = lambda count: 1.0,
    kind: str | None = None,
) -> None:
    """Insert a set of runs: per function the seconds by count, or repetitions."""
    runs: dict[str, int] = {}
    for function, times in functions.items():
        for count, seconds in times.items():
            repeated = seconds if isinstance(seconds, Sequence) else [seconds]
            for repetition, value in enumerate(repeated):
                run = f"{app}-{version}-{size(count)}-{count}-{repetition}"
                runs[run] = count
                con.execute(
                    "INSERT INTO fn_timings (run_id, source_id, function, kind, seconds) "
                    "VALUES (?, 1, ?, ?, ?)",
                    [run, function, kind, value],
                )
    for run, count in runs.items():
        con.execute(
            "INSERT INTO runs (run_id, app, version, machine, ranks, problem_size) "
            "VALUES (?, ?, ?, 'm', ?, ?)",
            [run, app, version, count, size(count)],
        )


def law(*terms: tuple[float, float], counts: Sequence[int] = (2, 4, 8, 16, 32)) -> dict[int, float]:
    """Return the sum of factor * p^exponent at some counts."""
    return {p: sum(factor * p**exponent for factor, exponent in terms) for p in counts}


def check_stored_forecasts(con: Connection, counts: Sequence[int]) -> None:
    """Check that what is predicted from stored forecasts is what is predicted without any."""
    questions = [
        f"FROM {macro}({list(counts)}) ORDER BY ALL"
        for macro in ("scaling_predict", "program_predict")
    ]
    stored = [con.execute(question).fetchall() for question in questions]
    con.execute("BEGIN")
    con.execute("DELETE FROM _forecasts")
    for found, question in zip(stored, questions, strict=True):
        computed = con.execute(question).fetchall()
        assert len(found) == len(computed) > 0
        for one, other in zip(found, computed, strict=True):
            assert one == tuple(
                pytest.approx(value) if isinstance(value, float) else value for value in other
            )
    con.execute("ROLLBACK")
