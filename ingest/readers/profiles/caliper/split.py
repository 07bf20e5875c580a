"""Caliper's json-split format, which Hatchet reads: rows of data, their columns, a tree of nodes.

A value of a column that is no number is the number of a node; the node's parents are the path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ingest.parsing.json_values import checked, field, read_json
from ingest.readers.profiles.caliper.metrics import Metric, metric
from ingest.readers.profiles.caliper.profile import Place, Profile
from ingest.readers.profiles.caliper.records import RANKS, SAMPLED_PATH, THREADS
from ingest.recording import Recording
from warehouse.errors import InputError

_LIMIT = 64 << 20
_LISTED_PATHS = ("path", "region", "function", "annotation")
_OWN = ("data", "columns", "column_metadata", "nodes")


def read(recording: Recording) -> Profile:
    """Read a json-split file, or listed records; raises `InputError` at what is not right."""
    document = read_json(recording, limit=_LIMIT)
    if isinstance(document, list):
        document = {"records": document}
    if isinstance(document, dict) and "records" in document:
        document = _as_split(document)
    data, names, metadata = (field(document, name, list, "the file") for name in _OWN[:3])
    for number, name in enumerate(names):
        checked(name, str, "a column's name", f"column {number} of columns")
    if len(names) != len(metadata) or len(set(names)) < len(names):
        raise InputError(
            f"there are {len(set(names))} names of columns and {len(metadata)} descriptions",
            where="columns",
            expected="a name of its own and a description for each column",
        )
    paths = _paths(document.get("nodes", []))
    metrics = {
        index: found
        for index, (name, described) in enumerate(zip(names, metadata, strict=True))
        if (found := _metric(name, described)) is not None
    }
    profile = Profile("row {} of data")
    profile.globals = {
        name: str(value)
        for name, value in document.items()
        if name not in _OWN and type(value) in (str, int, float)
    }
    columns = _Columns(names, metadata)
    measured: dict[int, list[tuple[int, float, int]]] = {}
    for number, row in enumerate(data):
        where = f"row {number} of data"
        checked(row, list, "a row", where)
        if len(row) != len(names):
            raise InputError(
                f"a row has {len(row)} values", where=where, expected=f"{len(names)}, as columns"
            )
        values = {
            index: checked(row[index], float, repr(one.name), where)
            for index, one in metrics.items()
            if row[index] is not None
        }
        if not values:
            continue
        place = Place(tuple(columns.path(row, paths, where)), *columns.places(row, where))
        at = profile.row(place, number)
        for index, value in values.items():
            measured.setdefault(index, []).append((at, value, number))
    for index, cells in measured.items():
        rows, counted, taken = (np.array(column) for column in zip(*cells, strict=True))
        profile.add(metrics[index], rows, counted, taken)
    return profile


class _Columns:
    """Finds the call path, rank and thread of a row."""

    def __init__(self, names: Sequence[str], metadata: Sequence[Any]) -> None:
        tree = [
            name
            for name, described in zip(names, metadata, strict=True)
            if not _is_value(described)
        ]
        known = [name for name in ("path", SAMPLED_PATH) if name in tree] or tree
        self._path = names.index(known[0]) if known else None
        self._rank, self._thread = (
            next((names.index(name) for name in wanted if name in names), None)
            for wanted in (RANKS, THREADS)
        )

    def path(self, row: Sequence[Any], paths: Sequence[list[str]], where: str) -> list[str]:
        """Return the row's call path, none where it has no node."""
        if self._path is None or row[self._path] is None:
            return []
        return paths[_index(row[self._path], len(paths), "a path", where)]

    def places(self, row: Sequence[Any], where: str) -> tuple[int | None, int | None]:
        """Return the row's rank and thread."""
        rank, thread = (
            None
            if column is None or row[column] is None
            else _index(row[column], 1 << 31, "a rank or thread", where)
            for column in (self._rank, self._thread)
        )
        return rank, thread


def _metric(name: str, described: Any) -> Metric | None:
    if not _is_value(described):
        return None
    unit = described.get("attribute.unit")
    return metric(name, None, unit if isinstance(unit, str) else None)


def _is_value(described: Any) -> bool:
    return isinstance(described, Mapping) and described.get("is_value") is True


def _paths(nodes: Any) -> list[list[str]]:
    """Return the path down to each node."""
    if not isinstance(nodes, list):
        raise InputError("the nodes are no list", where="nodes", expected="a list of nodes")
    paths: list[list[str]] = []
    for number, node in enumerate(nodes):
        where = f"node {number}"
        label = field(node, "label", str, where)
        parent = node.get("parent")
        above = [] if parent is None else paths[_index(parent, number, "a parent", where)]
        paths.append([*above, label])
    return paths


def _index(value: Any, end: int, what: str, where: str) -> int:
    number = checked(value, float, what, where)
    if not (number.is_integer() and 0 <= number < end):
        raise InputError(
            f"{what} is {number:g}", where=where, expected=f"a whole number from 0 to {end - 1}"
        )
    return int(number)


def _as_split(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return records that `cali-query -j` lists as a json-split document.

    Source: JsonFormatter of Caliper (src/reader), of whose layout `object` are the globals, and
    the units among the attributes. A path has its regions with slashes between them; numbers are
    values, though in quotes, but those of iterations; other texts are attributes that the path does
    not have. Raises `InputError` for a record that is no object.
    """
    records = field(document, "records", list, "the file")
    for number, record in enumerate(records):
        checked(record, dict, "a record", f"row {number} of data")
    named = dict.fromkeys(name for record in records for name in record)
    path = next((name for name in _LISTED_PATHS if name in named), None)
    values = [name for name in named if name != path and _lists_values(name, records)]
    columns = [*([path] if path else []), *values]
    nodes: list[dict[str, Any]] = []
    numbers: dict[tuple[str, ...], float] = {}
    rows = []
    for record in records:
        row: list[Any] = [_value(record.get(name)) for name in values]
        if path:
            row.insert(0, _node(str(record.get(path) or ""), nodes, numbers))
        rows.append(row)
    facts, about = (
        field(document, name, dict, "the file") if document.get(name) else {}
        for name in ("globals", "attributes")
    )
    described = [one if isinstance(one := about.get(name), dict) else {} for name in columns]
    metadata = [
        one | {"is_value": name != path} for name, one in zip(columns, described, strict=True)
    ]
    split = {"data": rows, "columns": columns, "column_metadata": metadata, "nodes": nodes}
    return dict(facts) | split


def _lists_values(name: str, records: Sequence[Any]) -> bool:
    if name.startswith("iteration#"):
        return False
    return all(isinstance(_value(record.get(name)), (float, type(None))) for record in records)


def _value(listed: Any) -> Any:
    """Return a number that may be in quotes, anything else as it is."""
    with suppress(ValueError):
        return float(listed) if isinstance(listed, str) else listed
    return listed


def _node(
    path: str, nodes: list[dict[str, Any]], numbers: dict[tuple[str, ...], float]
) -> float | None:
    """Return the number of a path's node, which is made where it is new; None for no path."""
    names = tuple(filter(None, path.split("/")))
    number: float | None = None
    for depth in range(1, len(names) + 1):
        above, key = number, names[:depth]
        if key not in numbers:
            numbers[key] = float(len(nodes))
            nodes.append({"label": names[depth - 1], "parent": above})
        number = numbers[key]
    return number
