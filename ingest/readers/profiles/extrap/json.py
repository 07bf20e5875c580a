"""Extra-P's JSON formats: the newer one by call path, and the older one that refers by ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ingest.base import Item, SingleFile
from ingest.parsing.json_values import checked, field, numbers, read_json
from ingest.recording import Recording
from warehouse.errors import InputError

if TYPE_CHECKING:
    from ingest.readers.profiles.extrap.experiment import Experiment

_LIMIT = 64 << 20
_Row = tuple[int, int, int, float, int]


class ExtrapJson(SingleFile):
    """Reads both of Extra-P's JSON formats."""

    NAME = "extrap-json"
    DESCRIPTION = "Extra-P JSON: repeated times of functions at the points of a scaling experiment"
    PATTERNS = ("*.json",)
    TABLES = ("fn_timings", "pmu_samples")
    START = re.compile(
        rb'\s*\{\s*"(?:'
        rb'callpaths"\s*:\s*\[\s*\{\s*"(?:id|name)"|coordinates"\s*:\s*\[\s*\{\s*"(?:id|parameter_v)'
        rb'|parameters"\s*:\s*\[\s*"[^"]*"[^\]]*\]\s*,\s*"measurements"\s*:\s*\{'
        rb'|measurements"\s*:\s*\{\s*"[^"]*"\s*:\s*\{\s*"[^"]*"\s*:\s*\[\s*\{\s*"(?:point|values)"'
        rb'|parameters"\s*:\s*\[\s*\{\s*"(?:id|name)".{0,4096}"parameter_value_pairs")',
        re.DOTALL,
    )

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the runs and rows; see `Reader.read`."""
        from ingest.readers.profiles.extrap.rows import items

        document = read_json(recording, limit=_LIMIT)
        checked(document, dict, "the file", "its start")
        collected = _Collected()
        if "callpaths" in document:
            _read_older(document, collected)
        else:
            _read_newer(document, collected)
        yield from items(collected.experiment(), recording.parameters)


class _Collected:
    """The values so far, with names and points as codes."""

    def __init__(self) -> None:
        self.parameters: list[str] = []
        self._callpaths: dict[str, int] = {}
        self._metrics: dict[str, int] = {}
        self._points: dict[tuple[float, ...], int] = {}
        self._rows: list[_Row] = []

    def add(
        self, callpath: str, metric: str, point: tuple[float, ...], values: list[float], place: int
    ) -> None:
        """Take the values of one measurement."""
        codes = (
            self._callpaths.setdefault(callpath, len(self._callpaths)),
            self._metrics.setdefault(metric, len(self._metrics)),
            self._points.setdefault(point, len(self._points)),
        )
        self._rows += [(*codes, value, place) for value in values]

    def experiment(self) -> Experiment:
        """Return what was collected."""
        import numpy as np

        from ingest.readers.profiles.extrap.experiment import Experiment

        columns = list(zip(*self._rows, strict=True)) or [()] * 5
        callpath, metric, point = (np.array(column, dtype=np.int32) for column in columns[:3])
        return Experiment(
            parameters=self.parameters,
            points=np.array(list(self._points), dtype=float),
            callpaths=list(self._callpaths),
            metrics=list(self._metrics),
            callpath=callpath,
            metric=metric,
            point=point,
            value=np.array(columns[3], dtype=float),
            place=np.array(columns[4], dtype=np.int64),
            unit="measurement",
        )


def _read_newer(document: dict[str, Any], collected: _Collected) -> None:
    """Read {"parameters": [...], "measurements": {callpath: {metric: [{point, values}]}}}."""
    place = 0
    for name in field(document, "parameters", list, "the file"):
        collected.parameters.append(checked(name, str, "a parameter", "'parameters'"))
    for callpath, metrics in field(document, "measurements", dict, "the file").items():
        for metric, entries in checked(metrics, dict, callpath, "'measurements'").items():
            where = f"{callpath}, {metric}"
            seen: set[tuple[float, ...]] = set()
            for entry in checked(entries, list, "the metric", where):
                place += 1
                where = f"measurement {place} ({callpath}, {metric})"
                point = tuple(
                    numbers(field(entry, "point", (list, float), where), "'point'", where)
                )
                if len(point) != len(collected.parameters):
                    raise InputError(
                        f"the point has {len(point)} numbers",
                        where=where,
                        expected=f"{len(collected.parameters)}, one for each parameter",
                    )
                if point in seen:
                    raise InputError(
                        "the point is there a second time",
                        where=where,
                        expected="all repetitions of a point in one list of values",
                    )
                seen.add(point)
                values = numbers(field(entry, "values", (list, float), where), "'values'", where)
                collected.add(callpath, metric, point, values, place)


def _read_older(document: dict[str, Any], collected: _Collected) -> None:
    """Read lists of parameters, metrics, callpaths, coordinates and measurements, joined by ids."""
    parameters = _names(document, "parameters")
    metrics = _names(document, "metrics")
    callpaths = _names(document, "callpaths")
    points = _points(document, parameters)
    collected.parameters += [parameters[key] for key in sorted(parameters)]
    for place, entry in enumerate(field(document, "measurements", list, "the file"), 1):
        where = f"measurement {place}"
        collected.add(
            _referred(entry, "callpath_id", callpaths, where),
            _referred(entry, "metric_id", metrics, where),
            _referred(entry, "coordinate_id", points, where),
            [field(entry, "value", float, where)],
            place,
        )


def _names(document: dict[str, Any], kind: str) -> dict[float, str]:
    """Return the names of one list by their ids."""
    found: dict[float, str] = {}
    for place, entry in enumerate(field(document, kind, list, "the file"), 1):
        where = f"entry {place} of {kind!r}"
        key = _new_id(entry, found, where)
        found[key] = field(entry, "name", str, where)
    return found


def _points(
    document: dict[str, Any], parameters: dict[float, str]
) -> dict[float, tuple[float, ...]]:
    """Return the points by their ids, coordinates in the order of the parameters' ids."""
    found: dict[float, tuple[float, ...]] = {}
    for place, entry in enumerate(field(document, "coordinates", list, "the file"), 1):
        where = f"entry {place} of 'coordinates'"
        key = _new_id(entry, found, where)
        values = {
            field(pair, "parameter_id", float, where): field(pair, "parameter_value", float, where)
            for pair in field(entry, "parameter_value_pairs", list, where)
        }
        if values.keys() != parameters.keys():
            raise InputError(
                f"the point has values of {len(values)} parameters",
                where=where,
                expected=f"one value of each of the {len(parameters)} parameters",
            )
        found[key] = tuple(values[parameter] for parameter in sorted(parameters))
    return found


def _new_id(entry: Any, known: dict[float, Any], where: str) -> float:
    key: float = field(entry, "id", float, where)
    if key in known:
        raise InputError(f"the id {key:g} is a duplicate", where=where, expected="a new id")
    return key


def _referred(entry: Any, name: str, known: dict[float, Any], where: str) -> Any:
    """Return what an id refers to."""
    key = field(entry, name, float, where)
    if key not in known:
        raise InputError(
            f"there is no {name[:-3]} with id {key:g}", where=where, expected="a known id"
        )
    return known[key]
