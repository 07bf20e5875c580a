"""Files of labels: the classes of samples, for one fit."""

from __future__ import annotations

import difflib
from pathlib import Path

import numpy as np
import pyarrow as pa

from apps.fitting.samples import LABEL_COLUMNS
from ingest.parsing.columns import numbered_rows
from ingest.parsing.scratch import scratch
from udfs.bottleneck.training import CLASSES
from warehouse.duckdb_texts import CSV_LINE
from warehouse.errors import InputError

_NEEDED = ("run_id", "class")
_PLACE = ("run_id", "rank", "thread", "region", "sample")
_WHO = "who"
_WHOLE = r"^[+-]?\d{1,18}(\.0*)?$"
_NUMBER = r"^(?i:[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|nan)$"
_UNLABELLED = "unknown"


def read_labels(path: Path) -> tuple[pa.Table, str]:
    """Return the labels in a CSV or Parquet file (LABEL_COLUMNS), and who assigned them.

    Raises `InputError`, with the row, where a value is not as expected.
    """
    import duckdb

    try:
        _, source, params = numbered_rows(path, lambda _: "VARCHAR")
        with scratch() as con:
            table = con.execute(f"SELECT * {source}", params).to_arrow_table()
        return _checked_labels(table)
    except InputError as error:
        error.path = str(path)
        raise
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=str(path)) from None
    except duckdb.Error as error:
        line = CSV_LINE.search(str(error))
        raise InputError(
            "the row does not have the header's columns" if line else "cannot be read as a table",
            path=str(path),
            where=f"line {line[1]}" if line else None,
            expected="CSV in UTF-8 with a header, or Parquet",
        ) from None


def _checked_labels(table: pa.Table) -> tuple[pa.Table, str]:
    table = table.rename_columns([name.strip().lower() for name in table.column_names])
    for needed in _NEEDED:
        if needed not in table.column_names:
            close = difflib.get_close_matches(needed, table.column_names, 1)
            raise InputError(
                f"there is no column {needed}",
                where="the header",
                expected=f"columns {', '.join(_NEEDED)}, and any of "
                f"{', '.join(name for name in (*LABEL_COLUMNS, _WHO) if name not in _NEEDED)}",
                hint=f"Is it {close[0]!r}?" if close else None,
            )
    columns = {
        name: _column(table, name, kind) if name in table.column_names
        else pa.nulls(len(table), pa.type_for_alias(kind))
        for name, kind in LABEL_COLUMNS.items()
    }  # fmt: skip
    columns["class"] = _classes(columns["class"])
    labels = pa.table(columns)
    if labels["run_id"].null_count:
        raise _row_error(
            labels["run_id"].is_null(), "there is no run_id", "the run that the label is of"
        )
    _check_duplicates(labels)
    who = _column(table, _WHO, "string").unique() if _WHO in table.column_names else pa.array([])
    return labels, ", ".join(sorted(name for name in who.to_pylist() if name is not None))


def _column(table: pa.Table, name: str, kind: str) -> pa.ChunkedArray:
    """Return a column in its type; blank text is NULL, as are shares that are NaN."""
    import pyarrow.compute as pc

    text = pc.utf8_trim_whitespace(table[name].cast(pa.string()))
    text = pc.if_else(pc.equal(text, ""), None, text)
    if kind == "string":
        return text
    whole = kind == "int64"
    wrong = pc.invert(pc.match_substring_regex(text, _WHOLE if whole else _NUMBER))
    if pc.any(wrong).as_py():
        expected = "a whole number" if whole else "a share of the cycles, up to 1"
        raise _row_error(wrong, f"{name} is {_first(text, wrong)!r}", expected)
    if whole:
        return pc.replace_substring_regex(text, r"^\+|\.0*$", "").cast(pa.int64())
    share = text.cast(pa.float64())
    above = pc.greater(share, 1)
    if pc.any(above).as_py():
        raise _row_error(
            above, f"{name} is {_first(text, above)}", "a share of the cycles, up to 1"
        )
    return pc.if_else(pc.is_nan(share), None, share)


def _classes(given: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return classes in the spelling of models; NULL for Unknown, from which nothing is learned."""
    import pyarrow.compute as pc

    lower = pc.utf8_lower(given)
    place = pc.index_in(lower, value_set=pa.array([name.lower() for name in CLASSES]))
    wrong = pc.and_(pc.is_null(place), pc.not_equal(lower, _UNLABELLED))
    if pc.any(wrong).as_py():
        raise _row_error(wrong, f"there is no class {_first(given, wrong)!r}", ", ".join(CLASSES))
    return pa.chunked_array([pa.array(CLASSES).take(place.combine_chunks())])


def _check_duplicates(labels: pa.Table) -> None:
    """Raise `InputError` where one place has two classes."""
    import pyarrow.compute as pc

    rows = labels.append_column("row", pa.array(np.arange(1, len(labels) + 1)))
    by_place = rows.filter(pc.is_valid(rows["class"])).group_by(list(_PLACE))
    found = by_place.aggregate([("class", "count_distinct"), ("row", "min"), ("row", "max")])
    duplicates = found.filter(pc.greater(found["class_count_distinct"], 1))
    if len(duplicates):
        raise InputError(
            "one place has several classes",
            where=f"rows {duplicates['row_min'][0]} to {duplicates['row_max'][0]} after the header",
            expected="one class for a run, rank, thread, region and sample",
        )


def _first(column: pa.ChunkedArray, wrong: pa.ChunkedArray) -> str:
    return str(column.filter(wrong)[0].as_py())


def _row_error(wrong: pa.ChunkedArray, problem: str, expected: str) -> InputError:
    row = wrong.index(True).as_py() + 1
    return InputError(problem, where=f"row {row} after the header", expected=expected)
