"""What a run's code could sustain, in sentences: the verdict first, then what it rests on."""

from __future__ import annotations

from math import log, prod
from typing import TYPE_CHECKING, Any

from apps.output import Row, dicts
from apps.queries.throughput import (
    counted_ipc,
    throughput_flags,
    throughput_limits,
    throughput_threads,
)
from warehouse.errors import NothingToAnalyse

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Groups of features that a sentence names, and how far from 1 the logarithm of a factor has to be.
_MOST_EFFECTS, _SLIGHT = 3, 0.05

_LIMITS = {
    "front end": "the front end",
    "critical path": "its dependence chains",
    "functional units": "its functional units",
    "interplay": "limits that get in each other's way",
}
_MEANING = {
    "undecodable": "cannot be decoded and are left out",
    "empty": "have no instructions and are left out",
    "no_features": "say nothing that a model can go by and are left out",
    "no_model": "have no model to go by (pwh migrate where another pwh landed them, else "
    "pwh fit throughput)",
    "short": "are shorter than throughput_settings.shortest and are left out",
    "implausible": "were measured faster than the core is wide and are left out",
    "uses_measured_issue": "say nothing but what was issued: that is measured, not predicted",
    "no_front_end": "do not say what an ideal front end delivers",
    "no_dependences": "say nothing of dependences: their predictions are rough",
    "assumed_window": "do not say how large the reorder buffer is (throughput_settings.window)",
}


def throughput_sentences(con: DuckDBPyConnection, run_id: str) -> list[str]:
    """Say what the run could reach, what it reaches and what limits it.

    Raises `NothingToAnalyse` where it has no segments that anything can be said of.
    """
    threads = dicts(throughput_threads(con, run_id))
    if not threads:
        raise NothingToAnalyse(
            f"the run {run_id} has no segments of instruction streams",
            hint="pwh throughput is for machine code (BHive, a column hex), traces of "
            "instructions and tables of segments.",
        )
    flags = dicts(throughput_flags(con, run_id))
    total = _total(threads)
    if total["predicted"] is None:
        why = "; ".join(_flag(row) for row in flags)
        raise NothingToAnalyse(f"nothing can be predicted for the run {run_id}: {why}")
    limits = dicts(throughput_limits(con, run_id))
    lines = [_verdict(total, limits)]
    if total["measured"] is not None:
        lines.append(_measured(total))
    if (ipc := counted_ipc(con, run_id)) is not None:
        lines.append(
            f"Its counters say {ipc:.2f} instructions per cycle, misses and all: "
            f"{_share(ipc, total['predicted'])}."
        )
    return [*lines, *(f"{_flag(row)}." for row in flags)]


def effects_sentence(rows: list[Row]) -> str | None:
    """Say what the model holds against a run's segments; None where it cannot say."""
    if not rows:
        return None
    longer = prod(row["factor"] for row in rows)
    told = sorted(rows, key=lambda row: abs(log(row["factor"])), reverse=True)
    parts = [
        f"{row['feature_group']} x{row['factor']:.2f}"
        for row in told[:_MOST_EFFECTS]
        if abs(log(row["factor"])) > _SLIGHT
    ]
    text = (
        f"By the model an instruction takes {longer:.2f} times as long as in a typical segment "
        "(geometric mean)"
    )
    return f"{text}: {', '.join(parts)}." if parts else f"{text}; no group of features stands out."


def _total(threads: list[Row]) -> Row:
    """Add up the threads: instructions over cycles."""
    used = [row for row in threads if row["predicted"]]
    total: Row = {}
    for name in ("predicted", "low", "high", "measured", "predicted_where_measured"):
        known = [row for row in used if row[name]]
        cycles = sum(row["instructions"] / row[name] for row in known)
        total[name] = sum(row["instructions"] for row in known) / cycles if cycles else None
    return total


def _verdict(total: Row, limits: list[Row]) -> str:
    text = f"The code could sustain {total['predicted']:.2f} instructions per cycle"
    if total["low"] is not None and total["high"] is not None:
        text += f" (between {total['low']:.2f} and {total['high']:.2f})"
    if limits:
        first = limits[0]
        text += f", limited by {_LIMITS[first['component']]} ({first['share']:.0%} of its cycles)"
    return f"{text}."


def _measured(total: Row) -> str:
    reached, could = total["measured"], total["predicted_where_measured"]
    return f"It reaches {reached:.2f} where that was measured: {_share(reached, could)}."


def _share(reached: float, could: float) -> str:
    share = reached / could
    if share > 1:
        return f"{share - 1:.0%} more than predicted"
    return f"{share:.0%} of what it could"


def _flag(row: Row) -> str:
    word = "segment" if row["segments"] == 1 else "segments"
    return f"{row['segments']} {word}: they {_MEANING.get(row['flag'], row['flag'])}"


THREADS = (
    "thread", "segments", "used", "instructions", "predicted", "low", "high", "measured",
    "front end", "chains", "units", "flags",
)  # fmt: skip
SEGMENTS = (
    "thread", "segment", "predicted", "low", "high", "measured", "front end", "chains", "units",
    "cycles", "flags",
)  # fmt: skip
EFFECTS = ("group of features", "factor", "segments where largest")
LIMITS = ("limit", "share of cycles", "segments")


def thread_line(row: Row) -> tuple[Any, ...]:
    """Return the line of a thread; rates are instructions per cycle."""
    counts = (row["thread"], row["segments"], row["used"], row["instructions"])
    return (*counts, *_rates(row), _flags(row))


def segment_line(row: Row) -> tuple[Any, ...]:
    """Return the line of a segment; rates are instructions per cycle."""
    return (row["thread"], row["segment"], *_rates(row), _round(row["cycles"]), _flags(row))


def limit_line(row: Row) -> tuple[Any, ...]:
    """Return the line of a limit."""
    return (row["component"], f"{row['share']:.1%}", row["segments"])


def effect_line(row: Row) -> tuple[Any, ...]:
    """Return the line of a group of features: its factor on the cycles of an instruction."""
    return (row["feature_group"], f"x{row['factor']:.2f}", f"{row['largest_in']:,}")


def _rates(row: Row) -> tuple[float | None, ...]:
    names = (
        "predicted", "low", "high", "measured", "width_bound", "critical_path_bound", "unit_bound",
    )  # fmt: skip
    return tuple(_round(row[name]) for name in names)


def _round(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.3g}")


def _flags(row: Row) -> str | None:
    return ", ".join(row["flags"]) or None
