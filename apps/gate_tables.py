"""The gate's summary in Markdown, for the page that a CI job writes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from apps.gate import Row, Sides, closing
from apps.history_words import amount, interval, ratio_percent, series_name
from apps.output import cell

_LINES = 40
_SPECIAL = re.compile(r"[\\`*\[\]|$~]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", "#": "&#35;"}
_WORDS = {
    "worse": "**worse**",
    "uncertain": "uncertain",
    "unknown": "noise unknown",
    "fine": "fine",
}


def escaped(value: Any) -> str:
    """Write text so that Markdown takes nothing in it for markup, a mention or a table's edge."""
    text = _SPECIAL.sub(lambda found: "\\" + found[0], cell(value, None))
    return "".join(_ENTITIES.get(letter, letter) for letter in text)


def markdown(app: str, of: Sides, rows: Sequence[Row], level: float) -> str:
    """Give the summary: whether the gate is open, why, and a table of the metrics."""
    failed = closing(rows)
    title = f"## {escaped(app)}: {'regression' if failed else 'no certain regression'}"
    runs = (
        f"Baseline {escaped(of.baseline_name)} ({_count(of.baseline)}), candidate "
        f"{escaped(of.candidate_name)} ({_count(of.candidate)}). Intervals hold for all metrics "
        f"together with {level:.3g} probability."
    )
    lines = [title, "", _why(rows, failed), "", runs, ""]
    lines += [
        "| metric | verdict | baseline | candidate | change | interval | limit |",
        "| --- | --- | ---: | ---: | ---: | --- | ---: |",
        *(_line(one) for one in rows[:_LINES]),
    ]
    if len(rows) > _LINES:
        lines += ["", f"... and {len(rows) - _LINES} more metrics: --format csv gives all."]
    return "\n".join(lines)


def _count(runs: Sequence[str]) -> str:
    return "1 run" if len(runs) == 1 else f"{len(runs)} runs"


def _why(rows: Sequence[Row], failed: Sequence[Row]) -> str:
    if failed:
        named = ", ".join(
            f"{_name(one)} {escaped(ratio_percent(one['ratio']))}" for one in failed[:3]
        )
        more = f" and {len(failed) - 3} more" if len(failed) > 3 else ""
        return f"Worse than the limit allows, for certain: {named}{more}."
    counts = Counter(row["verdict"] for row in rows if row["decides"])
    said = ["Nothing is worse than the limit allows for certain."]
    if counts["uncertain"]:
        said.append(
            f"Of {counts['uncertain']} metrics the noise is too large to rule it out: more "
            "repetitions would tell."
        )
    if counts["unknown"]:
        said.append(
            f"Of {counts['unknown']} metrics the noise is unknown: run each side at least "
            "twice, or keep a history of 8 runs."
        )
    return " ".join(said)


def _name(row: Row) -> str:
    return escaped(series_name(row["metric"], row["fields"]))


def _line(row: Row) -> str:
    verdict = _WORDS[row["verdict"]]
    if not row["decides"]:
        why = "direction unknown" if row["better"] is None else "less than 1 % of the time"
        verdict = f"{verdict.strip('*')} ({why})"
    cells = (
        _name(row),
        verdict,
        escaped(amount(row["baseline"], row["unit"])),
        escaped(amount(row["candidate"], row["unit"])),
        escaped(ratio_percent(row["ratio"])),
        escaped(interval(row["low"], row["high"])),
        f"{100 * row['limit']:.3g} %",
    )
    return f"| {' | '.join(cells)} |"
