"""HPCToolkit's experiment.xml (versions until 2021): metrics, call paths and statements.

Source: the DTD at the start of each file. A procedure frame (PF) contains call sites (C), loops
(L), inlined procedures (Pr) and statements (S); its callees are in its call sites. Statements have
the costs: the exclusive values of all other scopes are sums over them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from ingest.parsing.call_paths import UNKNOWN, CallPaths, frame_name
from ingest.parsing.xml import read_elements
from ingest.readers.profiles.hpctoolkit.metrics import Metric, metric
from ingest.recording import Recording
from warehouse.errors import InputError

_FRAMES = ("PF", "Pr")
_SCOPES = (*_FRAMES, "C", "L", "S")
_NO_NAME = "<unknown procedure>"


@dataclass(slots=True)
class Experiment:
    """An experiment.xml.

    `exclusive` are the metrics of the file by their number, `stored` those of the metric-db files
    by their place there, of `columns` in all; both without inclusive ones, which follow. `nodes`
    and `node_paths` are the numbers of all statements and of their call paths, `values` the sums
    over statements by metric and path.
    """

    name: str | None = None
    exclusive: dict[str, Metric] = field(default_factory=dict)
    stored: dict[int, Metric] = field(default_factory=dict)
    columns: int = 0
    paths: CallPaths = field(default_factory=CallPaths)
    nodes: list[int] = field(default_factory=list)
    node_paths: list[int] = field(default_factory=list)
    values: dict[str, defaultdict[int, float]] = field(default_factory=dict)
    statistics: int = 0


def read(recording: Recording) -> Experiment:
    """Read an experiment.xml; raises `InputError` with the line where it is not right."""
    reading = _Reading()
    read_elements(recording, reading.start, reading.end, expected="a whole experiment.xml")
    return reading.found


class _Reading:
    """Takes the elements of the file in turn."""

    def __init__(self) -> None:
        self.found = Experiment()
        self._names: dict[str, dict[str, str]] = defaultdict(dict)
        # Of the scopes around an element: the kind and the number of the call path.
        self._scopes: list[tuple[str, int]] = []

    def start(self, kind: str, attributes: Mapping[str, str]) -> None:
        """Take the start of an element."""
        if kind in _SCOPES:
            self._scope(kind, attributes)
        elif kind == "M":
            self._value(attributes)
        elif kind in ("Procedure", "LoadModule"):
            self._names[kind][_text(attributes, "i")] = _text(attributes, "n")
        elif kind == "Metric":
            self._metric(attributes)
        elif kind == "MetricDB":
            self._stored(attributes)
        elif kind == "Header":
            self.found.name = frame_name(_text(attributes, "n"))

    def end(self, kind: str) -> None:
        """Take the end of an element."""
        if kind in _SCOPES:
            self._scopes.pop()

    def _metric(self, attributes: Mapping[str, str]) -> None:
        one = metric(_text(attributes, "n"))
        if one.statistic not in (None, "Sum"):
            self.found.statistics += 1
        elif attributes.get("t") == "exclusive":
            self.found.exclusive[_text(attributes, "i")] = one

    def _stored(self, attributes: Mapping[str, str]) -> None:
        self.found.columns = _whole(attributes, "db-num-metrics")
        if attributes.get("t") == "exclusive":
            self.found.stored[_whole(attributes, "db-id")] = metric(_text(attributes, "n"))

    def _scope(self, kind: str, attributes: Mapping[str, str]) -> None:
        path = self._scopes[-1][1] if self._scopes else -1
        if kind in _FRAMES:
            path = self.found.paths.below(path, self._function(attributes))
        elif kind == "S" and path >= 0 and "i" in attributes:
            self.found.nodes.append(_whole(attributes, "i"))
            self.found.node_paths.append(path)
        self._scopes.append((kind, path))

    def _function(self, attributes: Mapping[str, str]) -> str:
        number = _text(attributes, "n")
        name = self._names["Procedure"].get(number, number)
        if name != _NO_NAME:
            return frame_name(name)
        module = attributes.get("lm", "")
        file = PurePath(self._names["LoadModule"].get(module, module)).name
        return frame_name(f"[{file}]") if file else UNKNOWN

    def _value(self, attributes: Mapping[str, str]) -> None:
        if not self._scopes or self._scopes[-1][0] != "S":
            return
        number, text = _text(attributes, "n"), _text(attributes, "v")
        if number not in self.found.exclusive:
            return
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value < 1 << 63:
            raise InputError(f"the value of a metric is {text}", expected="a number of 0 or more")
        sums = self.found.values.setdefault(number, defaultdict(float))
        sums[self._scopes[-1][1]] += value


def _text(attributes: Mapping[str, str], name: str) -> str:
    if name not in attributes:
        raise InputError(f"an element has no attribute {name}", expected=f'{name}="..."')
    return attributes[name]


def _whole(attributes: Mapping[str, str], name: str) -> int:
    text = _text(attributes, name)
    if not re.fullmatch(r"\d{1,9}", text):
        raise InputError(f"{name} is {text!r}", expected="a whole number")
    return int(text)
