"""Rows of landing tables from columns and records of plain values, and formats of one pattern."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from ingest.base import Head, Rows, SingleFile


def types(rows: Rows) -> dict[str, str]:
    return {field.name: str(field.type) for field in rows.batch.schema}


def test_one_value_is_that_of_all_rows():
    rows = Rows.of_columns("fn_timings", run=1, function=["a", "b"], kind=None, seconds=[1, None])
    assert rows.batch.to_pylist() == [
        {"run": 1, "function": "a", "kind": None, "seconds": 1.0},
        {"run": 1, "function": "b", "kind": None, "seconds": None},
    ]
    assert types(rows) == {
        "run": "int32",
        "function": "string",
        "kind": "string",
        "seconds": "double",
    }


def test_arrays_keep_their_values_and_whole_numbers_get_the_type_of_the_table():
    value = pa.array(np.array([0.5, np.nan]), from_pandas=True)
    rows = Rows.of_columns("pmu_samples", cpu=np.arange(2), value=value, thread=np.arange(2))
    assert types(rows) == {"cpu": "int32", "value": "double", "thread": "int64"}
    assert rows.batch["value"].to_pylist() == [0.5, None]


def test_records_without_any_are_a_table_without_rows():
    rows = Rows.of_records("metrics", ("metric", "value"), [])
    assert len(rows.batch) == 0 and types(rows) == {"metric": "string", "value": "double"}


@pytest.mark.parametrize(
    ("data", "starts", "has"), [(b"# log", True, True), (b"x # log", False, True)]
)
def test_a_format_shows_by_its_start_or_by_a_sign(data, starts, has):
    head = Head(data, Path("a.log"))
    start = type("Start", (SingleFile,), {"START": re.compile(b"# log")})
    sign = type("Sign", (SingleFile,), {"SIGN": re.compile(b"# log")})
    assert (start().sniff(head), sign().sniff(head)) == (starts, has)
    assert not SingleFile().sniff(head)
