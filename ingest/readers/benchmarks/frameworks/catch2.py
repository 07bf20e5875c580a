"""Benchmarks of Catch2 in its XML (-r xml): the mean time of a call, and its deviation.

Source: XmlReporter of Catch2, a file of 2.13; values are in nanoseconds. A benchmark is named after
its test case and itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ingest.base import Item, LeftOut, Run
from ingest.parsing.metric_values import Value, relative, rows
from ingest.parsing.xml import read_elements
from ingest.recording import Recording
from warehouse.errors import InputError

_NANO = 1e-9


def items(recording: Recording) -> Iterator[Item]:
    """Yield the run and its values."""
    results = _Results()
    read_elements(recording, results.start, results.end, expected="a whole file of results")
    if not results.values:
        raise InputError("no benchmark has a result", expected='<mean value="262.1" .../>')
    yield Run(app=results.program, tags={"recorder": "catch2"})
    yield rows(results.values)
    yield LeftOut(results.failed, "benchmark", "failed")


class _Results:
    """Takes the elements of the file in turn."""

    def __init__(self) -> None:
        self.program: str | None = None
        self.values: list[Value] = []
        self.failed = 0
        self._case = ""
        self._name: str | None = None
        self._mean: float | None = None
        self._deviation: float | None = None

    def start(self, kind: str, attributes: Mapping[str, str]) -> None:
        """Take the start of a test case, a benchmark, or one of its values."""
        if kind in ("Catch", "Catch2TestRun"):
            self.program = attributes.get("name") or None
        elif kind == "TestCase":
            self._case = attributes.get("name", "")
        elif kind == "BenchmarkResults":
            self._name = f"{self._case} > {attributes.get('name', '')}"
            self._mean = self._deviation = None
        elif kind == "mean" and self._name is not None:
            self._mean = _number(attributes)
        elif kind == "standardDeviation" and self._name is not None:
            self._deviation = _number(attributes)

    def end(self, kind: str) -> None:
        """Take the end of a benchmark."""
        if kind != "BenchmarkResults" or self._name is None:
            return
        if self._mean is None:
            self.failed += 1
        else:
            spread = relative(self._deviation, self._mean)
            self.values.append(Value(self._name, self._mean * _NANO, "s", "lower", None, spread))
        self._name = None


def _number(attributes: Mapping[str, str]) -> float:
    text = attributes.get("value", "")
    try:
        return float(text)
    except ValueError:
        raise InputError(f"a value is {text!r}", expected='nanoseconds: value="262.1"') from None
