"""The records that `cali-query -j` lists: an object a record, with its path as text.

Source: JsonFormatter of Caliper (src/reader). A path has its regions with slashes between them;
numbers are values, but those of iterations; other texts are attributes that the path does not have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ingest.parsing.json_values import checked

_PATHS = ("path", "region", "function", "annotation")


def as_split(records: Sequence[Any]) -> dict[str, Any]:
    """Return records as a json-split document; raises `InputError` for one that is no object."""
    for number, record in enumerate(records):
        checked(record, dict, "a record", f"row {number} of data")
    named = dict.fromkeys(name for record in records for name in record)
    path = next((name for name in _PATHS if name in named), None)
    values = [name for name in named if name != path and _is_value(name, records)]
    columns = [*([path] if path else []), *values]
    nodes: list[dict[str, Any]] = []
    numbers: dict[tuple[str, ...], float] = {}
    rows = []
    for record in records:
        row: list[Any] = [record.get(name) for name in values]
        if path:
            row.insert(0, _node(str(record.get(path) or ""), nodes, numbers))
        rows.append(row)
    metadata = [{"is_value": name != path} for name in columns]
    return {"data": rows, "columns": columns, "column_metadata": metadata, "nodes": nodes}


def _is_value(name: str, records: Sequence[Any]) -> bool:
    if name.startswith("iteration#"):
        return False
    return all(isinstance(record.get(name), (float, type(None))) for record in records)


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
