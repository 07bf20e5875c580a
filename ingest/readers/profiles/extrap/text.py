"""Extra-P's text format: PARAMETER, POINTS, REGION, METRIC and DATA lines."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator

import numpy as np

from ingest.base import Head, Item, SingleFile
from ingest.parsing.lines import chunks
from ingest.readers.profiles.extrap.experiment import ROOT, Experiment, as_text
from ingest.readers.profiles.extrap.rows import items
from ingest.recording import Recording
from warehouse.errors import InputError

_KEYWORDS = (b"PARAMETER", b"POINTS", b"METRIC", b"REGION", b"DATA")
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_NUMBERS = re.compile(rf"{_NUMBER}(?:\s+{_NUMBER})*", re.ASCII)
_BRACED_NUMBER = re.compile(rf"\(\s*({_NUMBER})\s*\)", re.ASCII)
_NESTED = re.compile(r"\(\s*\(")
_GROUP = re.compile(r"\(([^()]*)\)")
_FIRST_LINES = re.compile(
    rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*"
    rb"PARAMETER[ \t]+([^\n]*)(?:\n\s*([A-Z#]*))?"
)


class ExtrapText(SingleFile):
    """Reads Extra-P's text format, whose DATA lines follow the order of the POINTS."""

    NAME = "extrap-text"
    DESCRIPTION = "Extra-P text: repeated times of functions at the points of a scaling experiment"
    PATTERNS = ("*.txt", "*.extrap")
    TABLES = ("fn_timings", "pmu_samples")

    def sniff(self, head: Head) -> bool:
        """Recognise a PARAMETER line with another line of the format after it."""
        found = _FIRST_LINES.match(head.data)
        if found is None or found[1].startswith(b"("):  # that is Fortran
            return False
        second = found[2] or b""
        cut = found.end() == len(head.data)
        return second.startswith(b"#") or any(
            second == word or (cut and word.startswith(second)) for word in _KEYWORDS
        )

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the runs and rows; see `Reader.read`."""
        parser = _Parser()
        cut = False
        for chunk in chunks(recording, must_end=True):
            for number, line in chunk.lines():
                parser.line(number, line)
            cut = not chunk.whole
        yield from items(parser.finish(cut=cut), recording.parameters)


class _Parser:
    """Takes line after line and collects the experiment."""

    def __init__(self) -> None:
        self._take = {
            "PARAMETER": self._take_parameter,
            "POINTS": self._take_points,
            "METRIC": self._take_metric,
            "REGION": self._take_region,
            "DATA": self._take_data,
        }
        self._number = 0
        self._parameters: list[str] = []
        self._points: dict[tuple[float, ...], int] = {}
        self._metrics: dict[str, int] = {}
        self._callpaths: dict[str, int] = {}
        self._metric = ""
        self._region = ROOT
        self._pending: set[str] = set()
        self._block: list[int] = []
        self._blocks: set[tuple[str, str]] = set()
        self._value = array("d")
        # callpath, metric, point, values and line of each DATA line
        self._data = tuple(array("q") for _ in range(5))

    def line(self, number: int, text: str) -> None:
        """Take one line of the file."""
        self._number = number
        text = text.strip()
        if not text or text.startswith("#"):
            return
        keyword, _, rest = (text + " ").replace("\t", " ").partition(" ")
        rest = rest.strip()
        if keyword not in self._take:
            raise self._error(
                f"the line starts with {keyword[:40]!r}", "one of " + ", ".join(self._take)
            )
        if not rest:
            raise self._error(f"nothing follows {keyword}", f"{keyword} with its content")
        self._take[keyword](rest)

    def _take_parameter(self, rest: str) -> None:
        if self._points:
            raise self._error("PARAMETER is after POINTS", "all parameters first")
        self._parameters += rest.split()

    def _take_points(self, rest: str) -> None:
        if self._blocks:
            raise self._error("POINTS is after DATA", "all points first")
        if not self._parameters:
            raise self._error("POINTS is before PARAMETER", "all parameters first")
        for point in self._coordinates(rest):
            if point in self._points:
                named = zip(self._parameters, map(as_text, point), strict=True)
                shown = ", ".join(f"{name}={value}" for name, value in named)
                raise self._error(f"the point {shown} is a duplicate", "each point once")
            self._points[point] = len(self._points)

    def _coordinates(self, rest: str) -> Iterator[tuple[float, ...]]:
        """Split `( 20 1 ) ( 20 2 )`; a single number may do without parentheses or have two."""
        wanted = len(self._parameters)
        nested = _NESTED.search(rest) is not None
        plain = _BRACED_NUMBER.sub(r" \1 ", rest) if nested or wanted == 1 else rest
        if wanted == 1:
            groups = _BRACED_NUMBER.sub(r" \1 ", plain).split()
        else:
            groups = _GROUP.findall(plain)
            if not groups or _GROUP.sub("", plain).strip(" ()\t"):
                raise self._error("a point is not in parentheses", "POINTS ( 4 10 ) ( 4 20 ) ...")
        for group in groups:
            point = tuple(self._numbers(group.replace(",", " ").strip()))
            if len(point) != wanted:
                raise self._error(
                    f"a point has {len(point)} numbers", f"{wanted}, one for each PARAMETER"
                )
            yield point

    def _take_metric(self, rest: str) -> None:
        self._end_block("METRIC")
        self._metric = " ".join(rest.split())

    def _take_region(self, rest: str) -> None:
        self._end_block("REGION")
        self._region = " ".join(rest.split())

    def _end_block(self, keyword: str | None) -> None:
        """Check that the DATA lines so far are one for each point."""
        if self._block and len(self._block) < len(self._points):
            raise self._error(
                f"{self._region} has {len(self._block)} DATA lines",
                f"{len(self._points)}, one for each of the POINTS",
                "Is a part of the file missing?",
            )
        if self._pending and (keyword is None or keyword in self._pending):
            raise self._error(
                f"no DATA follow the last {keyword or min(self._pending)}",
                f"{len(self._points)} DATA lines",
                "Is a part of the file missing?",
            )
        self._block = []
        if keyword is not None:
            self._pending.add(keyword)

    def _take_data(self, rest: str) -> None:
        if not self._points:
            raise self._error("DATA is before POINTS", "PARAMETER and POINTS first")
        if len(self._block) == len(self._points):
            raise self._error(
                f"{self._region} has more DATA lines than there are POINTS",
                f"{len(self._points)}, one for each of the POINTS",
            )
        if not self._block:
            if (self._region, self._metric) in self._blocks:
                raise self._error(
                    f"{self._region} has this metric a second time",
                    "all repetitions of a point on one DATA line",
                )
            self._blocks.add((self._region, self._metric))
            self._pending.clear()
        values = self._numbers(rest)
        row = (
            self._callpaths.setdefault(self._region, len(self._callpaths)),
            self._metrics.setdefault(self._metric, len(self._metrics)),
            len(self._block),
            len(values),
            self._number,
        )
        for column, item in zip(self._data, row, strict=True):
            column.append(item)
        self._block.append(len(values))
        self._value.extend(values)

    def _numbers(self, text: str) -> list[float]:
        if _NUMBERS.fullmatch(text) is None:
            raise self._error(f"{text[:40]!r} are not only numbers", "numbers such as 3.5 or 2e-3")
        return [float(part) for part in text.split()]

    def finish(self, cut: bool) -> Experiment:
        """Return the experiment; `cut` is whether the last line has no line end."""
        if cut and len(self._block) > 1 and self._block[-1] < min(self._block[:-1]):
            raise self._error(
                f"the last line has {self._block[-1]} values and no line end, it seems cut off",
                f"{min(self._block[:-1])} values as on the lines before",
                "If the file is whole, end its last line with a line break.",
            )
        self._end_block(None)
        callpath, metric, point, repeats, line = (np.array(column) for column in self._data)
        return Experiment(
            parameters=self._parameters,
            points=np.array(list(self._points), dtype=float),
            callpaths=list(self._callpaths),
            metrics=list(self._metrics),
            callpath=np.repeat(callpath, repeats).astype(np.int32),
            metric=np.repeat(metric, repeats).astype(np.int32),
            point=np.repeat(point, repeats).astype(np.int32),
            value=np.array(self._value),
            place=np.repeat(line, repeats),
        )

    def _error(self, problem: str, expected: str, hint: str | None = None) -> InputError:
        return InputError(problem, where=f"line {self._number}", expected=expected, hint=hint)
