"""Two sets of runs compared: what got worse, by how much, and what is unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from apps.output.numbers import (
    amount,
    amounts,
    counted,
    interval,
    percent,
    ratio_percent,
)
from apps.output.tables import Row, Table, dicts, table
from apps.output.text import cell, first_names
from apps.queries.base import ask_dicts
from apps.queries.comparison import run_comparison
from apps.reports.changes import ANOTHER_RUN, HARDLY_VARIES
from apps.reports.gpu import device_part
from apps.reports.series import TOTALS, series_name, shown_fields
from warehouse.session import Connection

_TOPICS = (
    ("Devices", ("device",)),
    ("Functions", ("seconds", "cost")),
    ("Counters", ("counter", "per_cycle")),
    ("Workers and their idle time", ("tasks", "idle")),
    ("Blocks and instruction streams", ("blocks", "segments")),
)
_SOURCES = {
    "history": "from the other runs of its history",
    "other side": "from the runs of the other side",
    "usual": "from what such metrics usually do between equal runs of this application",
    "repetitions": "from repetitions within the run: it holds for this machine at this time",
    "counts": "from how little the counts of such a tool vary",
}
_WITHIN_NOISE = ("same", "uncertain")
_BEYOND_NOISE = ("worse", "better", "changed")
_ONE_SIDED = ("new", "gone")
_VERDICTS = {
    "same": "no change beyond the noise",
    "uncertain": "not certain to differ",
    "unknown": "the noise is unknown, so there is no verdict",
}
_DEVICES = "device:window"
_LEAST_PART, _MOST_PARTS = 0.05, 6  # of the change of the time of devices
_NAMED = 3
_MOST_TOTALS = 4
_LINES = 15
_METRIC_WIDTH = 40


def comparison_text(title: str, rows: Sequence[Row], level: float, notes: Sequence[str]) -> str:
    """Return the comparison: verdicts first, then notes, then one table per topic."""
    sentences = [*comparison_sentences(rows, level), *notes]
    parts = [title, "\n".join(f"* {sentence}" for sentence in sentences)]
    shown = _metrics(_distinguishing_fields(rows))
    parts += [shown.text(found, topic, most=_LINES) for topic, found in topics(both_sides(rows))]
    return "\n\n".join(parts)


def comparison_notes(
    con: Connection,
    sides: Sequence[tuple[str, list[str]]],
    level: float,
) -> list[str]:
    """Return what else has to be known of two sides, each a name and its runs."""
    first, second = (runs for _, runs in sides)
    return [
        *_environment_notes(con, first, second),
        *_clock_notes(con, [*first, *second]),
        *_return_notes(con, sides, level),
    ]


def _environment_notes(con: Connection, before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return what of the environments of two sides differs."""
    found = ask_dicts(con, "comparison/environments", before=before, after=after)
    fields = [
        f"{cell(row['field'])} from {cell(row['before_label'])} to {cell(row['after_label'])}"
        for row in found
    ]
    return [f"Note: the environment differs, too: {'; '.join(fields)}."] if fields else []


def _return_notes(
    con: Connection, sides: Sequence[tuple[str, list[str]]], level: float
) -> list[str]:
    """Return of a side that ran before and after the other whether its own runs differ."""
    (_, before), (_, after) = sides
    notes = []
    for row in ask_dicts(con, "comparison/came_back", before=before, after=after):
        other, own = (name for name, _ in (sides if row["is_after"] else reversed(sides)))
        changes = dicts(run_comparison(con, row["earlier"], row["later"], level))
        found = [one for one in changes if one["verdict"] in _BEYOND_NOISE]
        earlier, later = (counted(len(row[part]), "run") for part in ("earlier", "later"))
        differ = (
            f"differ by themselves: {_names(found)}. Something other than the version changed."
            if found
            else "do not differ beyond the noise."
        )
        notes.append(
            f"Note: {own} ran before and after {other}: its {earlier} before and {later} after "
            f"count together, and {differ}"
        )
    return notes


def _clock_notes(con: Connection, runs: Sequence[str]) -> list[str]:
    """Return why metrics of runs are not compared whose nodes have clocks that are apart."""
    return [
        f"Note: the clocks of {cell(row['node'])} and {cell(row['other'])} are "
        f"{amount(row['apart_seconds'], 's')} apart in {cell(row['run_id'])}"
        + (f" and others in {row['runs'] - 1} more" if row["runs"] > 1 else "")
        + ", so where the time of workers went is not compared: pwh idle RUN says what to do."
        for row in ask_dicts(con, "comparison/clocks", runs=list(runs))
    ]


def comparison_sentences(rows: Sequence[Row], level: float) -> list[str]:
    """Return what changed, by how much, and what of it is unknown."""
    if rows and all(row["verdict"] in _ONE_SIDED for row in rows):
        first = ["Nothing can be compared: the sides have no metric in common."]
    else:
        first = [*_device_sentences(rows), *_total_sentences(rows, level)]
    return [
        *first,
        *_verdict_sentences(rows),
        *_difference_sentences(rows),
        *_noise_sentences(rows),
    ]


def both_sides(rows: Sequence[Row]) -> list[Row]:
    """Return the rows whose configuration was run on both sides."""
    return [row for row in rows if _paired(row)]


def _paired(row: Row) -> bool:
    return row["fields_before"] is not None and row["fields_after"] is not None


def _fields(row: Row) -> dict[str, str]:
    found: dict[str, str] = row["fields_after"]
    return row["fields_before"] if found is None else found


def _distinguishing_fields(rows: Sequence[Row]) -> set[str]:
    """Return the fields in which the configurations differ."""
    every = [_fields(row) for row in both_sides(rows)]
    names = {name for fields in every for name in fields}
    return {name for name in names if len({fields.get(name) for fields in every}) > 1}


def change_text(row: Row, level: float) -> str:
    """Return how much a metric changed, with its interval where there is one."""
    size = ratio_percent(row["ratio"]) or "no ratio"
    about = " to ".join(amounts([row["before"], row["after"]], row["unit"]))
    within = interval(row["low"], row["high"])
    return f"{size} ({about}" + (f"; {within} at {percent(level)})" if within else ")")


def _total_sentences(rows: Sequence[Row], level: float) -> list[str]:
    sentences = []
    apart = _distinguishing_fields(rows)
    totals = [
        row
        for row in both_sides(rows)
        if row["metric"] in TOTALS and row["verdict"] not in _ONE_SIDED
    ]
    for row in totals[:_MOST_TOTALS]:
        verdict = _VERDICTS.get(row["verdict"], row["verdict"])
        name = series_name(row["metric"], {k: v for k, v in _fields(row).items() if k in apart})
        sentences.append(f"{name}: {verdict}: {change_text(row, level)}.{_more_runs(row)}")
    if len(totals) > _MOST_TOTALS:
        more = counted(len(totals) - _MOST_TOTALS, "more total time")
        sentences.append(f"{more}: see the table.")
    return sentences


def _device_sentences(rows: Sequence[Row]) -> list[str]:
    """Return how much longer devices took, and which parts of their time add up to that."""
    sentences = []
    paired = both_sides(rows)
    apart = _distinguishing_fields(rows)
    for row in paired:
        if row["metric"] != _DEVICES or not (row["runs_before"] and row["runs_after"]):
            continue
        change = row["after"] - row["before"]
        parts = sorted(
            (
                (part["after"] - part["before"], device_part(part["metric"]))
                for part in paired
                if part["metric"].startswith("device:")
                and part["metric"] != _DEVICES
                and _fields(part) == _fields(row)
            ),
            key=lambda part: -abs(part[0]),
        )
        shown = [part for part in parts if abs(part[0]) >= _LEAST_PART * abs(change)][:_MOST_PARTS]
        rest = sum(more for more, _ in parts[len(shown) :])
        every = ", ".join(
            f"{name} {'+' if more > 0 else ''}{amount(more, 's')}"
            + (f" ({percent(more / change)})" if change else "")
            for more, name in [*shown, *([(rest, "other")] if rest else [])]
        )
        before, after = amounts([row["before"], row["after"]], row["unit"])
        of = {name: value for name, value in _fields(row).items() if name in apart}
        sentences.append(
            f"{series_name('Devices', of)} took {after} from the first work to the last instead of "
            f"{before}, {_VERDICTS.get(row['verdict'], row['verdict'])}: {every}."
        )
    return sentences


def _more_runs(row: Row) -> str:
    """Return how many more runs would settle a metric that may or may not have changed."""
    if row["verdict"] not in _WITHIN_NOISE or row["noise"] != "runs" or row["ratio"] in (None, 1):
        return ""
    if row["runs_to_settle"] is None:
        return " Not even 1,000 more runs of each are likely to show a difference this small."
    runs = counted(row["runs_to_settle"], "more run")
    return f" If it is real, about {runs} of each side would show it."


def _verdict_sentences(rows: Sequence[Row]) -> list[str]:
    """Return how many metrics got worse or better, with the names of the first."""
    counts = Counter(row["verdict"] for row in rows)
    tested = sum(counts[v] for v in (*_BEYOND_NOISE, *_WITHIN_NOISE))
    sentences = []
    if tested and not counts["worse"]:
        unsure = counts["uncertain"]
        hidden = f", but that of {counted(unsure, 'metric')} may hide 10 %" if unsure else ""
        sentences.append(
            f"Nothing got worse beyond the noise{hidden}; metrics compared: {tested}, corrected "
            "for their number."
        )
    for verdict in _ONE_SIDED:
        if found := [row for row in both_sides(rows) if row["verdict"] == verdict]:
            metrics = counted(len(found), "metric")
            are = "is" if len(found) == 1 else "are"
            sentences.append(f"{metrics} {are} {verdict}: {_names(found)}.")
    for verdict, outcome in (
        ("worse", "got worse beyond the noise"),
        ("changed", "changed, not known to be better or worse"),
        ("better", "got better"),
    ):
        if found := [row for row in rows if row["verdict"] == verdict]:
            metrics = counted(tested, "metric")
            sentences.append(f"{len(found)} of {metrics} {outcome}: {_names(found)}.")
    return sentences


def _names(rows: Sequence[Row]) -> str:
    def one(row: Row) -> str:
        size = ratio_percent(row["ratio"])
        if row["verdict"] in _ONE_SIDED:
            share = row["share_after" if row["verdict"] == "new" else "share_before"]
            whole = "the time" if row["unit"] == "s" else f"all {row['unit']}"
            size = None if share is None else f"({percent(share)} of {whole})"
        return cell(row["metric"]) + (f" {size}" if size else "")

    return first_names([one(row) for row in rows], _NAMED)


def _difference_sentences(rows: Sequence[Row]) -> list[str]:
    """Return what the sides differ in besides the version, and what only one of them has."""
    sentences = []
    apart: dict[str, tuple[str | None, str | None]] = {}
    for row in filter(_paired, rows):
        old, new = shown_fields(row["fields_before"]), shown_fields(row["fields_after"])
        for field in sorted({*old, *new}):
            if old.get(field) != new.get(field):
                apart[field] = (old.get(field), new.get(field))
    for field, (before, after) in apart.items():
        sentences.append(f"Note: the sides differ in {field}: {cell(before)} and {cell(after)}.")
    alone = {(cell(_fields(row)), row["verdict"]) for row in rows if not _paired(row)}
    for fields, verdict in sorted(alone):
        sentences.append(
            f"Left out, as measured only {'after' if verdict == 'new' else 'before'}: {fields}."
        )
    return sentences


def noise_source(noise: str | None) -> str | None:
    """Return where the noise of a single run is from; None where runs of both sides show it."""
    return _SOURCES.get(noise or "")


def _noise_sentences(rows: Sequence[Row]) -> list[str]:
    """Return what the figures are of, and where the noise is from."""
    unknown = sum(row["verdict"] == "unknown" for row in rows)
    sentences = []
    if any(max(row["runs_before"], row["runs_after"]) > 1 for row in rows):
        sentences.append(
            "Each run counts once: before and after are geometric means over runs, or means where "
            "a value is 0 or less; of six runs or more rare outliers are clipped."
        )
    if unknown:
        sentences.append(
            f"The noise between runs of {counted(unknown, 'metric')} is unknown, so there is no "
            "verdict: measure 4 more runs of each."
        )
    if steps := sum(row["noise"] == "step" for row in rows):
        sentences.append(
            f"The history has a step between the two sides in {counted(steps, 'metric')}: the "
            "figures are those of its levels (pwh trend)."
        )
    if drifting := sum(row["noise"] == "drift" for row in rows):
        sentences.append(
            f"A drift of the machine can be what differs in {counted(drifting, 'metric')}, as one "
            "side was measured after the other: interleave them (pwh record --against)."
        )
    counts = Counter(row["noise"] for row in rows if row["noise"] in _SOURCES)
    for noise, metrics in counts.items():
        sentences.append(
            f"A single run shows no noise: that of {counted(metrics, 'metric')} is taken "
            f"{_SOURCES[noise]}."
        )
    return [*sentences, *another_run(row for row in rows if row["verdict"] in _BEYOND_NOISE)]


def another_run(changed: Iterable[Row], low: str = "low", high: str = "high") -> list[str]:
    """Return what is said of changes of which one is that of a single run, in a metric that varies.

    `low` and `high` are the columns of the interval.
    """
    for row in changed:
        ends = row[low], row[high]
        hardly_varies = None not in ends and ends[1] - ends[0] <= HARDLY_VARIES
        if row["noise"] in _SOURCES and not hardly_varies:
            return [ANOTHER_RUN]
    return []


def topics(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Return metrics by topic, those without a topic last; empty topics are left out."""
    found: dict[str, list[Row]] = {"Total times": []}
    found |= {title: [] for title, _ in _TOPICS} | {"Other metrics": []}
    for row in rows:
        prefix = row["metric"].partition(":")[0]
        title = next((one for one, prefixes in _TOPICS if prefix in prefixes), "Other metrics")
        found["Total times" if row["metric"] in TOTALS else title].append(row)
    return [(title, metrics) for title, metrics in found.items() if metrics]


def _metrics(apart: Collection[str]) -> Table:
    """Return the table of metrics, whose names have the fields in which runs differ."""

    def metric(row: Row) -> str:
        fields = row["fields_after"] or row["fields_before"] or {}
        return series_name(row["metric"], {k: v for k, v in fields.items() if k in apart})

    return table(
        "metric verdict before after unit change interval p_value runs",
        {} if apart else {"metric": _METRIC_WIDTH},
        metric=metric,
        change=lambda row: ratio_percent(row["ratio"]),
        interval=lambda row: interval(row["low"], row["high"]),
        p_value=lambda row: None if row["p_value"] is None else f"{row['p_value']:.2g}",
        runs=lambda row: f"{row['runs_before']}, {row['runs_after']}",
    )
