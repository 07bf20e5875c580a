"""Times of tests in JUnit's XML, as pytest, ctest, googletest, Catch2, Boost and others write it.

Sources: the schema of Jenkins' xUnit plugin, and files by pytest 9 (--junitxml), CTest 3.25
(--output-junit), googletest 1.12 (--gtest_output=xml), Catch2 2.13 (-r junit) and Boost.Test 1.74.
Each test that passed is a metric, named after its class and itself, in seconds, and after the
suites that it is in where tests of others have its name (those of Node.js all have one class).
Tests of one name are repetitions. The time of a test that failed is that of a part of it, and one
of 0 was rounded, to milliseconds by most: neither lands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime

from ingest.base import Item, LeftOut, Run, SingleFile
from ingest.parsing.dates import written_date
from ingest.parsing.metric_values import Value, rows
from ingest.parsing.xml import read_elements
from ingest.recording import Recording
from warehouse.errors import InputError

# Surefire groups thousands: 1,234.567.
_SECONDS = re.compile(r"(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_FAILED, _NOT_RUN = "failed", "skipped or not run"
_OUTCOMES = {"failure": _FAILED, "error": _FAILED, "skipped": _NOT_RUN, "disabled": _NOT_RUN}
_SUITES = ("testsuites", "testsuite")
_NO_HOST = ("", "tbd")  # what CTest and Catch2 write


class JUnit(SingleFile):
    """Reads the results of a run of tests, one or many suites in a file."""

    NAME = "junit"
    DESCRIPTION = "times of tests (JUnit XML): pytest, ctest, googletest, Catch2, Boost, Surefire"
    PATTERNS = ("junit*.xml", "*.junit.xml", "TEST-*.xml")
    TABLES = ("metrics",)
    START = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?s:.*?)-->\s*)*<testsuites?[\s>]")

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and the times of its tests; see `Reader.read`."""
        tests = _Tests()
        read_elements(recording, tests.start, tests.end, expected="a whole file of results")
        if not tests.names:
            raise InputError(
                "no test passed whose time is known", expected='<testcase name="a" time="0.125"/>'
            )
        yield Run(machine=tests.machine, started_at=tests.started_at, tags={"recorder": "junit"})
        values: list[Value] = []
        seen: Counter[str] = Counter()
        for name, seconds in zip(tests.distinct_names(), tests.seconds, strict=True):
            values.append(Value(name, seconds, "s", "lower", seen[name]))
            seen[name] += 1
        yield rows(values)
        for why, count in tests.left_out.items():
            yield LeftOut(count, "test", why)


class _Tests:
    """Takes the elements of the file in turn."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.suites: list[str] = []  # of each test, the names of those around it
        self.seconds: list[float] = []
        self.left_out: Counter[str] = Counter()
        self.machine: str | None = None
        self.started_at: datetime | None = None
        self._around: list[str] = []
        self._test: Mapping[str, str] | None = None
        self._outcome: str | None = None

    def start(self, kind: str, attributes: Mapping[str, str]) -> None:
        """Take the start of a suite, a test, or what happened to one."""
        if kind in _SUITES:
            self._around.append(attributes.get("name", ""))
            host = attributes.get("hostname", "")
            self.machine = self.machine or (None if host in _NO_HOST else host)
            self.started_at = self.started_at or written_date(attributes.get("timestamp"))
        elif kind == "testcase":
            idle = attributes.get("status") in ("notrun", "disabled")
            self._test, self._outcome = attributes, _NOT_RUN if idle else None
        elif self._test is not None:
            self._outcome = self._outcome or _OUTCOMES.get(kind)

    def distinct_names(self) -> list[str]:
        """Return the names of the tests, with their suites where those of several have one."""
        tests = list(zip(self.names, self.suites, strict=True))
        times = Counter(name for name, _ in set(tests))
        return [f"{of} > {name}" if of and times[name] > 1 else name for name, of in tests]

    def end(self, kind: str) -> None:
        """Take the end of a suite or a test."""
        if kind in _SUITES:
            self._around.pop()
        if kind != "testcase" or self._test is None:
            return
        if self._outcome is not None:
            self.left_out[self._outcome] += 1
        elif not (seconds := _seconds(self._test.get("time"))):
            why = "without a time" if seconds is None else "with a time that was rounded to 0"
            self.left_out[why] += 1
        else:
            name, of = self._test.get("name", ""), self._test.get("classname", "")
            self.names.append(f"{of}.{name}" if of not in ("", name) else name)
            self.suites.append(" > ".join(filter(None, self._around)))
            self.seconds.append(seconds)
        self._test = None


def _seconds(text: str | None) -> float | None:
    """Return the time of a test, s; None if there is none.

    Raises `InputError` where it is no number.
    """
    if text is None:
        return None
    if not _SECONDS.fullmatch(text):
        raise InputError(f"the time of a test is {text!r}", expected="seconds: 0.125")
    return float(text.replace(",", ""))
