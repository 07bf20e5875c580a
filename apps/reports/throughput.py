"""What a run's code could sustain: the verdict in sentences, and the tables behind it."""

from __future__ import annotations

from math import inf, log, prod

from apps.output.numbers import counted, percent, three_digits
from apps.output.tables import Row, table
from apps.queries.base import ask_dicts, ask_value
from apps.reports.flags import flag_text, labels_of_flags
from warehouse.errors import NothingToAnalyse
from warehouse.session import Connection

# A sentence names at most so many groups of features, whose log factors are over this.
_MOST_EFFECTS, _SLIGHT = 3, 0.05
# Below this share a difference rounds to nothing.
_AS_PREDICTED = 0.005

_LIMIT_NAMES = {
    "front end": "the front end",
    "critical path": "its dependence chains",
    "functional units": "its functional units",
    "serialising instructions": "its serialising instructions",
    "interplay": "the interplay of several limits",
}
_BLOCK_LIMITS = {
    "width_bound": "the front end",
    "critical_path_bound": "the longest dependence chain",
    "unit_bound": "the busiest functional units",
}
# Those without which there would be a prediction.
_LEAVES_OUT = {
    *("undecodable", "other_isa", "like_aarch64", "unknown_core", "not_on_core", "empty"),
    *("system_instruction", "unknown_cycles", "no_features", "no_model", "short", "implausible"),
}


def throughput_sentences(con: Connection, run_id: str) -> list[str]:
    """Return what the run could reach, what it reaches and what limits it.

    Raises `NothingToAnalyse` where nothing can be predicted for its segments.
    """
    threads = ask_dicts(con, "throughput/threads", run_id=run_id)
    if not threads:
        raise NothingToAnalyse(
            f"the run {run_id} has no segments of instruction streams",
            hint="pwh throughput is for machine code (BHive, a column hex), traces of "
            "instructions and tables of segments.",
        )
    flags = ask_dicts(con, "throughput/flags", run_id=run_id)
    total = _total(threads)
    if total["predicted"] is None and total["tightest_bound"] is None:
        why = "; ".join(_flag(row) for row in flags if row["flag"]["code"] in _LEAVES_OUT)
        raise NothingToAnalyse(f"nothing can be predicted for the run {run_id}: {why}")
    limits = ask_dicts(con, "throughput/limits", run_id=run_id)
    verdict = _verdict(total, limits)
    if any(row["flag"]["code"] == "other_core" for row in flags):
        # What the run reaches on its own core tells nothing of what it could on another.
        verdict = (
            "On a core that the machine of the run is not known to have, "
            f"{verdict[0].lower()}{verdict[1:]}"
        )
        total |= {"predicted": None, "predicted_where_measured": None}
    lines = [verdict]
    if total["measured"] is not None:
        lines.append(_measured(total))
    if (ipc := ask_value(con, "throughput/counters", run_id=run_id)) is not None:
        text = f"Its counters show {ipc:.2f} instructions per cycle, cache misses included"
        lines.append(f"{text}{_attained(ipc, total['predicted'])}.")
    lines += [
        f"Bounds without a prediction are of {row['core']}, by: {row['source'] or 'its user'}."
        for row in ask_dicts(con, "throughput/cores", run_id=run_id)
    ]
    return [*lines, *(f"{_flag(row)}." for row in flags)]


def effects_sentence(rows: list[Row]) -> str | None:
    """Return the feature contributions to the cycles of a run's segments; None without rows."""
    if not rows:
        return None
    longer = prod(row["factor"] for row in rows)
    largest = sorted(rows, key=lambda row: abs(log(row["factor"])), reverse=True)
    parts = [
        f"{row['feature_group']} x{row['factor']:.2f}"
        for row in largest[:_MOST_EFFECTS]
        if abs(log(row["factor"])) > _SLIGHT
    ]
    text = (
        f"The model predicts {longer:.2f} times the cycles per instruction of a typical segment "
        "(geometric mean)"
    )
    return f"{text}: {', '.join(parts)}." if parts else f"{text}; no group of features stands out."


def _total(threads: list[Row]) -> Row:
    """Return the rates of all threads together: instructions over cycles."""
    names = ("predicted", "low", "high", "measured", "predicted_where_measured", "tightest_bound")
    total: Row = {}
    for name in names:
        known = [row for row in threads if row[name]]
        cycles = sum(row["instructions"] / row[name] for row in known)
        total[name] = sum(row["instructions"] for row in known) / cycles if cycles else None
    return total


def _verdict(total: Row, limits: list[Row]) -> str:
    if total["predicted"] is None:
        text = "No model predicts the code; by its bounds it can sustain at most "
        text += f"{total['tightest_bound']:.2f} instructions per cycle"
    else:
        text = f"The code could sustain {total['predicted']:.2f} instructions per cycle"
    if total["low"] is not None and total["high"] is not None:
        text += f" (between {total['low']:.2f} and {total['high']:.2f})"
    if limits:
        first = limits[0]
        limit = _LIMIT_NAMES[first["component"]]
        text += f", limited by {limit} ({percent(first['share'])} of its cycles)"
    return f"{text}."


def _measured(total: Row) -> str:
    reached, could = total["measured"], total["predicted_where_measured"]
    return f"It reaches {reached:.2f} where that was measured{_attained(reached, could)}."


def _attained(reached: float, could: float | None) -> str:
    if could is None:
        return ""
    share = reached / could
    if abs(share - 1) < _AS_PREDICTED:
        return ": as predicted"
    if share > 1:
        return f": {percent(share - 1)} more than predicted"
    return f": {percent(share)} of what it could"


def _flag(row: Row) -> str:
    return f"{counted(row['segments'], 'segment')} flagged {flag_text(row['flag'])}"


def block_sentences(row: Row) -> list[str]:
    """Return what a block of machine code can sustain and what limits it, in words."""
    if row["tightest_bound"] is None:
        return []
    limit = min(_BLOCK_LIMITS, key=lambda name: row[name] or inf)
    cycles = row["instructions"] / row[limit]
    bound = f"{_BLOCK_LIMITS[limit]}: at least {three_digits(cycles)} cycles a pass"
    if row["predicted"] is None:
        return [f"What limits it: {bound} ({three_digits(row[limit])} instructions per cycle)."]
    if row["predicted_cycles"] > 2 * cycles:  # as throughput_contributions has it
        bound = (
            f"{_LIMIT_NAMES['interplay']}, or a cost that no bound covers; of the bounds {bound}"
        )
    return [
        f"One pass of {counted(row['instructions'], 'instruction')} takes "
        f"{three_digits(row['predicted_cycles'])} cycles on {row['core']} "
        f"(90 % band {three_digits(row['instructions'] / row['high'])} to "
        f"{three_digits(row['instructions'] / row['low'])}), "
        f"{three_digits(row['predicted'])} instructions per cycle.",
        f"What limits it: {bound}.",
    ]


def block_reasons(row: Row) -> list[str]:
    """Return what to keep in mind of a block of machine code, a line for each of its flags."""
    return [f"* {flag_text(flag)}." for flag in row["flags"]]


def _place(row: Row) -> str | None:
    """Return where in the program a segment is: function and source line, else its address."""
    line = "" if row["source_line"] is None else f":{row['source_line']}"
    source = "" if row["source_file"] is None else f"{row['source_file'].split('/')[-1]}{line}"
    named = " ".join(part for part in (row["function"], source) if part)
    return named or (None if row["address"] is None else f"{row['address']:#x}")


_RATES = "predicted low high measured width_bound critical_path_bound unit_bound serialising_bound"
THREADS = table(f"thread segments used instructions {_RATES} flags", flags=labels_of_flags)
SEGMENTS = table(
    f"thread segment place executions {_RATES} predicted_cycles cycles_to_gain flags",
    place=_place,
    flags=labels_of_flags,
)
LIMITS = table("component share segments")
EFFECTS = table(
    "feature_group factor largest_in",
    factor=lambda row: f"x{row['factor']:.2f}",
)
