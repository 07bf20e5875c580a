"""Imbalance across the threads of a CPU process, in sentences and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from apps.output.numbers import amount, percent, short_count
from apps.output.tables import Row, table
from apps.output.text import cell
from apps.queries.base import ask_dicts
from apps.reports.flags import flag_text
from warehouse.session import Connection

# Less than this imbalance is not worth a search for its function.
_EVEN = 0.01
_NAME = 40
_UNKNOWN = "code whose function is not known"


def thread_imbalance_sentences(con: Connection, run_id: str) -> list[str]:
    """Return how evenly the threads of a run share its work; nothing where threads are unknown."""
    processes = ask_dicts(con, "threads/imbalance", run_id=run_id)
    return imbalance_sentences(processes, ask_dicts(con, "threads/functions", run_id=run_id))


def imbalance_sentences(processes: Iterable[Row], functions: Sequence[Row]) -> list[str]:
    """Return for each measure how uneven the most uneven process is, and in which function.

    `processes` are the rows of `thread_imbalance`, `functions` those of `imbalance_functions`.
    """
    worst: dict[str, Row] = {}
    for process in processes:
        worst.setdefault(process["measure"], process)
    sentences = []
    for process in worst.values():
        sentences += _process(process)
        if process["imbalance"] is not None and process["imbalance"] >= _EVEN:
            sentences += _function(process, functions)
    return sentences


def _process(process: Row) -> list[str]:
    measure, threads = process["measure"], process["threads"]
    place = "" if process["rank"] is None else f" of rank {process['rank']}"
    sentences = []
    if process["imbalance"] is None:
        sentences.append(
            f"Imbalance between threads{place} in {measure}: {flag_text(process['note'])}."
        )
    else:
        mean, most = (_value(process[name], measure) for name in ("mean_value", "max_value"))
        uneven = percent(process["imbalance"])
        spent = "execute" if measure == "instructions" else "spend"
        bound = "at least " if process["is_bound"] else ""
        even = ": the work is shared evenly"
        if process["imbalance"] >= _EVEN or process["is_bound"]:
            even = ""
        sentences.append(
            f"The {threads} threads{place} {spent} {mean} on average, the busiest, thread "
            f"{process['busiest_thread']}, {bound}{most}, an imbalance of {bound}{uneven}{even}."
        )
        if process["note"]:
            sentences.append(f"Note: {flag_text(process['note'])}.")
    if process["first_thread"] is not None:
        sentences.append(
            f"Thread {process['first_thread']} is left out, as it takes hardly any part in the "
            f"work of the others: {_value(process['first_thread_value'], measure)}."
        )
    return sentences


def _function(process: Row, functions: Sequence[Row]) -> list[str]:
    keys = ("measure", "rank", "parallelism", "repetition")
    of_process = [row for row in functions if all(row[key] == process[key] for key in keys)]
    first = max(of_process, key=lambda row: row["excess"], default=None)
    if first is None or first["excess"] <= 0:
        return []
    measure = process["measure"]
    mean = first["mean_value"]
    most = _value(mean + first["excess"], measure)
    text = (
        f"Most of the imbalance is in {_name(first['function'])}: {most} on thread "
        f"{process['busiest_thread']}, {_value(mean, measure)} on average"
    )
    if first["excess_share"] > 1 + _EVEN:
        return [f"{text}; elsewhere that thread has less than the mean."]
    return [f"{text}, {percent(first['excess_share'])} of its excess."]


def _value(value: float, measure: str) -> str:
    return amount(value, "s") if measure == "seconds" else f"{short_count(round(value))} {measure}"


def _name(function: str | None) -> str:
    return _UNKNOWN if function is None else cell(function, _NAME)


def _of(name: str) -> Callable[[Row], str]:
    """Return what a row has under a name, in words."""
    return lambda row: _short(row[name], row["measure"])


FUNCTIONS = table(
    "measure rank function called_on mean_value max_value busiest_thread imbalance excess "
    "excess_share",
    function=lambda row: row["function"] or _UNKNOWN,
    mean_value=_of("mean_value"),
    max_value=_of("max_value"),
    excess=_of("excess"),
)


def _short(value: float, measure: str) -> str:
    if measure == "seconds":
        return amount(value, "s")
    sign = "-" if value < 0 else ""
    return sign + short_count(round(abs(value)))
