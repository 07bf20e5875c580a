"""Collects the values of Extra-P's line formats as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from ingest.readers.profiles.extrap.experiment import ROOT, Codes, Experiment
from udfs.arrays import Floats, Integers
from warehouse.errors import InputError


class Columns:
    """The values of all lines so far, with names and points as codes.

    `parameters` are the parameters' names; `lists` is whether the first value was a list.
    """

    def __init__(self) -> None:
        self.parameters: tuple[str, ...] = ()
        self.lists = False
        self._callpaths: dict[str, int] = {}
        self._metrics: dict[str, int] = {}
        self._points: dict[tuple[float, ...], int] = {}
        self._columns: list[tuple[Codes, Codes, Codes, Floats, Integers]] = []

    def add_lines(self, chunk: bytes, line: int, params: str, needed: Sequence[str]) -> bool:
        """Take JSON lines, the first of which is number `line`, with Arrow's reader.

        Takes nothing and returns False where the lines are of uncommon make, or where only a look
        at each of them shows what is wrong.
        """
        place = _places(chunk, line)
        found = self._table(chunk, params)
        if found is None or found.num_rows != len(place):
            return False
        if any(found[name].null_count for name in (params, "value", *needed)):
            return False
        if self.lists:
            repeats = pc.list_value_length(found["value"]).to_numpy()
            row = np.repeat(np.arange(len(place)), repeats)
            values = pc.list_flatten(found["value"])
            if values.null_count or not repeats.all():
                return False
            found = found.drop_columns("value").take(pa.array(row)).append_column("value", values)
            place = place[row]
        struct = found[params].combine_chunks()
        coordinates = [struct.field(index) for index in range(len(self.parameters))]
        if any(column.null_count for column in coordinates):
            return False
        points = np.column_stack([column.to_numpy() for column in coordinates])
        values = found["value"].to_numpy()
        if not (np.isfinite(values).all() and np.isfinite(points).all()):
            return False
        self._add(found["callpath"], found["metric"], points, values, place)
        return True

    def _table(self, chunk: bytes, params: str) -> Any:
        """Parse JSON lines; None where they have other fields or types than the first line."""
        # Arrow 26 crashes the interpreter where a line is only null.
        if b"null" in chunk:
            return None
        schema = pa.schema(
            {
                params: pa.struct([(name, pa.float64()) for name in self.parameters]),
                "metric": pa.string(),
                "callpath": pa.string(),
                "value": pa.list_(pa.float64()) if self.lists else pa.float64(),
            }
        )
        options = pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
        try:
            return pj.read_json(pa.BufferReader(chunk), parse_options=options).combine_chunks()
        except pa.ArrowException:
            return None

    def add_rows(
        self, rows: Sequence[tuple[str | None, str | None, list[float], float, int]]
    ) -> None:
        """Take values with call path, metric, point and line."""
        callpath, metric, points, values, place = zip(*rows, strict=True)
        self._add(
            pa.chunked_array([pa.array(callpath, pa.string())]),
            pa.chunked_array([pa.array(metric, pa.string())]),
            np.array(points),
            np.array(values),
            np.array(place),
        )

    def _add(
        self, callpath: Any, metric: Any, points: Floats, values: Floats, place: Integers
    ) -> None:
        codes = _codes(callpath, self._callpaths, ROOT), _codes(metric, self._metrics, "")
        self._columns.append((*codes, self._point_codes(points), values, place))

    def _point_codes(self, points: Floats) -> Codes:
        """Number points in the order in which they first appear."""
        code = np.zeros(len(points), dtype=np.int64)
        for column in points.T:
            _, value = np.unique(column, return_inverse=True)
            _, code = np.unique(code * (value.max() + 1) + value, return_inverse=True)
        _, first = np.unique(code, return_index=True)
        known = np.empty(len(first), dtype=np.int32)
        for index in np.argsort(first):
            point = tuple((points[first[index]] + 0.0).tolist())
            known[index] = self._points.setdefault(point, len(self._points))
        return known[code]

    def experiment(self) -> Experiment:
        """Return what was collected."""
        if not self._columns:
            raise InputError("the file contains no measurements", hint="Was the experiment run?")
        callpath, metric, point, value, place = map(
            np.concatenate, zip(*self._columns, strict=True)
        )
        return Experiment(
            parameters=self.parameters,
            points=np.array(list(self._points)),
            callpaths=list(self._callpaths),
            metrics=list(self._metrics),
            callpath=callpath,
            metric=metric,
            point=point,
            value=value,
            place=place,
        )


def _codes(column: Any, known: dict[str, int], default: str) -> Codes:
    """Number the texts of an Arrow column; empty ones are the default."""
    encoded = pc.fill_null(column, "").combine_chunks().dictionary_encode()
    names = encoded.dictionary.to_pylist()
    codes = np.array([known.setdefault(n or default, len(known)) for n in names], dtype=np.int32)
    found: Codes = codes[encoded.indices.to_numpy()]
    return found


def _places(chunk: bytes, line: int) -> Integers:
    """Return the numbers of the lines that are not empty."""
    text = np.frombuffer(chunk, dtype=np.uint8)
    ends = np.flatnonzero(text == ord("\n"))
    if not chunk.endswith(b"\n"):
        ends = np.append(ends, len(text))
    lengths = np.diff(ends, prepend=-1) - 1
    returns = (lengths == 1) & (text[ends - 1] == ord("\r"))
    found: Integers = np.flatnonzero((lengths > 0) & ~returns) + line
    return found
