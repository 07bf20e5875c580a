"""Small tables of counters: records with their lines, numbers, rows of pmu_samples."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator

from ingest.base import Rows
from ingest.parsing.lines import numbered_lines, quoted
from ingest.recording import Recording
from warehouse.errors import InputError

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_UNKNOWN = ("", "-", "n/a", "nan", "-nan", "inf", "-inf", "none", "null")
_BATCH = 1 << 16
_COLUMNS = (
    *("region", "event", "unit", "rank", "cpu", "thread", "sample", "t_start", "t_end"),
    *("value", "running", "deviation", "seconds"),
)

Sample = dict[str, object]


def records(recording: Recording, separators: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield (line number from 1, fields) of each line of a file with one of some separators.

    It is that which the first line that is no comment has most of. Raises `InputError` at a line
    that is not UTF-8, and at a quote without its end.
    """
    delimiter = separators if len(separators) == 1 else ""
    for number, text in numbered_lines(recording, must_end=True):
        if not delimiter and text.strip() and not text.startswith("#"):
            delimiter = max(separators, key=text.count)
        try:
            yield number, next(csv.reader([text], delimiter=delimiter or ",", strict=True), [])
        except csv.Error:
            raise InputError(
                f"quotes do not match in {quoted(text)}",
                where=f"line {number}",
                expected="fields separated by commas, a quoted one closed on its line",
            ) from None


def number(text: str, where: str, name: str) -> float | None:
    """Read a number; what tools write for "not measured" is None.

    Raises `InputError` where the text is no finite number.
    """
    text = text.strip()
    if text.lower() in _UNKNOWN:
        return None
    if _NUMBER.fullmatch(text) is None or not math.isfinite(value := float(text)):
        raise InputError(
            f"{name} is {quoted(text)}",
            where=where,
            expected="a plain number with a decimal point",
            hint="Numbers with decimal commas: record with LC_ALL=C.",
        )
    return value


def batches(samples: Iterator[Sample]) -> Iterator[Rows]:
    """Yield rows of pmu_samples in batches; a column that a sample lacks is NULL there."""
    pending: list[Sample] = []

    def rows() -> Rows:
        columns = {name: [one.get(name) for one in pending] for name in _COLUMNS}
        return Rows.of_columns("pmu_samples", **columns)

    for sample in samples:
        pending.append(sample)
        if len(pending) == _BATCH:
            yield rows()
            pending.clear()
    if pending:
        yield rows()
