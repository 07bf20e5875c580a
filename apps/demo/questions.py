"""The questions of the tour: SQL, and a summary of its answer in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from statistics import correlation

from apps.output.numbers import counted, percent
from apps.output.tables import Row

_SQL = Path(__file__).parent / "sql"


@dataclass(frozen=True, slots=True)
class Question:
    """A file of SQL whose first line is a comment with the question, and its summary."""

    name: str
    summarise: Callable[[Sequence[Row]], str]

    @property
    def title(self) -> str:
        """The question."""
        return self._text().split("\n", 1)[0].removeprefix("-- ")

    @property
    def sql(self) -> str:
        """The statement, as a user types it between double quotes."""
        return self._text().split("\n", 1)[1].strip()

    def _text(self) -> str:
        return (_SQL / f"{self.name}.sql").read_text(encoding="utf-8")


def _overview(rows: Sequence[Row]) -> str:
    files, landed = (sum(row[name] for row in rows) for name in ("files", "rows"))
    return (
        f"{files} recordings in {len(rows)} formats became {counted(landed, 'row')} of one schema."
    )


def _slower(rows: Sequence[Row]) -> str:
    worst = max(rows[1:], key=lambda row: row["times_the_one_before"])
    return (
        f"Since {worst['version']}: it took {worst['times_the_one_before']:.1f} times the "
        "processor time of the version before."
    )


def _function(rows: Sequence[Row]) -> str:
    worst = rows[0]
    return (
        f"{worst['function']}: it took {worst['more']:.2f} s more in {worst['version']} than in "
        f"the version before, in {worst['calls']:.0f} calls."
    )


def _join(rows: Sequence[Row]) -> str:
    saves, faults = ([float(row[name]) for row in rows] for name in ("saves", "page_faults"))
    return (
        f"Page faults correlate with its calls: r = {correlation(saves, faults):.2f}. perf "
        "counted the former, cProfile the latter."
    )


def _scaling(rows: Sequence[Row]) -> str:
    best = max(rows, key=lambda row: row["speedup"])
    top = rows[0]
    share = top["on_4"] / sum(row["on_4"] for row in rows)
    return (
        f"{best['function']} is {best['speedup']:.1f} times as fast on 4 processes as on 1; there "
        f"{top['function']} takes {percent(share)} of the time."
    )


def _tasks(rows: Sequence[Row]) -> str:
    until = sum(row["seconds_until_made"] for row in rows)
    after = sum(row["seconds_from_then_on"] for row in rows)
    share = (rows[0]["seconds_until_made"] + rows[0]["seconds_from_then_on"]) / (until + after)
    return (
        f"{until:.2f} s until the last input of a task is made, {after:.2f} s from then on until "
        f"it starts;\n   {percent(share)} of it all after a {rows[0]['last_input']}."
    )


def _blocks(rows: Sequence[Row]) -> str:
    first, second = (sum(row[f"thread_{n}"] or 0 for row in rows) for n in (1, 2))
    surplus = {row["function"]: row["thread_1"] - (row["thread_2"] or 0) for row in rows}
    top = max(surplus, key=surplus.__getitem__)
    return (
        f"Thread 1 executes {first / second:.1f} times the instructions of thread 2 in these "
        f"functions;\n   {percent(surplus[top] / (first - second))} of the difference is in {top}."
    )


def _since(rows: Sequence[Row]) -> str:
    if len(rows) != 1:
        return f"{len(rows)} changes."
    row = rows[0]
    return (
        f"Only {row['app']}: since {row['version']} it takes {row['percent']:.1f} % longer. "
        "The slow runs of the others are noise."
    )


def _cycles(rows: Sequence[Row]) -> str:
    before, after = max(pairwise(rows), key=_more_reads)
    return (
        f"{before['instructions_per_cycle']} instructions in {before['version']}, "
        f"{after['instructions_per_cycle']} in {after['version']}, which reads "
        f"{_more_reads((before, after)):.0f} times as often from main memory."
    )


def _more_reads(pair: tuple[Row, Row]) -> float:
    return float(pair[1]["memory_reads_per_cycle"] / pair[0]["memory_reads_per_cycle"])


def _why(rows: Sequence[Row]) -> str:
    worst = rows[0]
    moved = next(row for row in rows if row["topic"] == "bottleneck")
    return (
        f"{worst['percent_of_loss']:.0f} % of the loss is in {worst['subject']}, whose "
        f"bottleneck moved from {moved['before_label']} to {moved['after_label']}."
    )


def _cured(rows: Sequence[Row]) -> str:
    best = max(rows, key=lambda row: row["percent_since_first"])
    first = next(row for row in rows if row["app"] == best["app"])
    return (
        f"{best['app']} gained most: {first['class']} was cured, and version {best['version']} is "
        f"{best['percent_since_first']:.0f} % faster than the first."
    )


def _everywhere(rows: Sequence[Row]) -> str:
    traces = {row["trace"] for row in rows}
    percents = itemgetter("percent")
    low, high = min(rows, key=percents), max(rows, key=percents)
    return (
        f"From {low['percent']:.0f} % ({low['app']}) to {high['percent']:.0f} % "
        f"({high['app']}), seen in {len(traces)} kinds of trace by one statement."
    )


QUESTIONS = (
    Question("1_overview", _overview),
    Question("2_slower", _slower),
    Question("3_function", _function),
    Question("4_join", _join),
    Question("5_scaling", _scaling),
    Question("6_tasks", _tasks),
    Question("7_blocks", _blocks),
    Question("8_since", _since),
    Question("9_cycles", _cycles),
    Question("10_why", _why),
    Question("11_everywhere", _everywhere),
)
SUNWAY_QUESTION = Question("sunway", _cured)
