"""Packed profiles of ParaProf and PerfDMF (.ppk), which contain all threads of a run in one file.

Source: TAU's tools/src/perfdmf, DataSourceExport.java and PackedProfileDataSource.java. Inside
gzip, everything big-endian: "PPK" in 16-bit characters, version and lowest compatible version,
the metadata of the run and of each thread, the names of metrics, groups, functions and user
events, and per thread the functions' calls, subroutines and, per metric, exclusive and inclusive
value, then the user events. User events (message sizes and the like) are not landed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ingest.base import Head, Item, SingleFile
from ingest.readers.profiles.tau.facts import Collected, Location, Metadata, layout, run_of
from ingest.readers.profiles.tau.names import Names, names_of
from ingest.readers.profiles.tau.rows import Place, Tables, Values
from ingest.recording import Recording
from warehouse.errors import InputError

_INT_LIMIT = 1 << 31


class BigEndian:
    """Reads values one after another; `position` is that of the next byte, from 0."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self.position = 0

    def take(self, size: int, what: str) -> bytes:
        """Return so many bytes; raises `InputError` where the file ends before."""
        data = self._file.read(size)
        if len(data) < size:
            raise self.error(f"the file ends within {what}", f"{size} bytes")
        self.position += size
        return data

    def count(self, what: str, most: int = _INT_LIMIT - 1) -> int:
        """Return a whole number of 32 bits, which must be from 0 to `most`."""
        value = int.from_bytes(self.take(4, what), "big", signed=True)
        if not 0 <= value <= most:
            self.position -= 4
            raise self.error(f"{what} is {value}", f"a whole number from 0 to {most}")
        return value

    def text(self, what: str) -> str:
        """Return a text of at most 65535 bytes, in Java's modified UTF-8."""
        start = self.position
        raw = self.take(int.from_bytes(self.take(2, what), "big"), what)
        try:
            # Java writes characters beyond 16 bits as two halves.
            halves = raw.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
            text = halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            self.position = start
            raise self.error(f"{what} is not text", "modified UTF-8") from None
        return text.replace("\0", "\N{REPLACEMENT CHARACTER}")

    def texts(self, what: str) -> list[str]:
        """Return a counted list of texts."""
        return [self.text(what) for _ in range(self.count(f"the number of {what}s"))]

    def at_end(self) -> bool:
        """Return whether nothing follows."""
        return not self._file.read(1)

    def error(self, problem: str, expected: str) -> InputError:
        """Return an error that names the byte."""
        return InputError(
            problem,
            where=f"byte {self.position}",
            expected=expected,
            hint="The file is cut off or damaged: copy it again.",
        )


_MAGIC = "PPK".encode("utf-16-be")
_NEWEST = 2
_EVENT_BYTES = 2 * 4 + 4 * 8


@dataclass(frozen=True, slots=True)
class _Header:
    """Header before the values; `threads` has the metadata of each, in the file's order."""

    threads: dict[Location, Metadata]
    metrics: list[str]
    names: Names
    events: int

    @property
    def functions(self) -> int:
        return len(self.names.code)


class TauPacked(SingleFile):
    """Reads packed profiles."""

    NAME = "tau-packed"
    DESCRIPTION = "TAU packed profile (.ppk): times and counters of functions, all ranks in a file"
    PATTERNS = ("*.ppk",)
    TABLES = ("fn_timings", "pmu_samples")

    def sniff(self, head: Head) -> bool:
        """Recognise the magic number."""
        return head.data.startswith(_MAGIC)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run and its rows, some hundred threads at a time; see `Reader.read`."""
        with recording.open() as file:
            source = BigEndian(file)
            header = _header(source)
            found, metadata = layout(header.threads), next(iter(header.threads.values()))
            yield run_of(found, metadata, recording.path.parent)
            collected = Collected()
            tables = Tables(header.metrics, collected)
            for location in header.threads:
                collected.add(header.threads[location])
                place = Place.of(location, found, metadata, f"thread {location}")
                block = _functions(source, header, location)
                for metric, name in enumerate(header.metrics):
                    yield from tables.add(header.names, _values(block, metric), place, name)
                _skip_events(source, header)
            if not source.at_end():
                raise source.error("there are more bytes after the last thread", "the end")
            yield from tables.rest()
            yield collected.run()


def _header(source: BigEndian) -> _Header:
    if source.take(len(_MAGIC), "the magic number") != _MAGIC:
        raise InputError("this is no packed profile", where="byte 0", expected="PPK")
    version, compatible = source.count("the version"), source.count("the oldest version")
    if version < _NEWEST or compatible > _NEWEST:
        raise InputError(
            f"this is version {version} of the packed format, to be read as {compatible}",
            where="byte 6",
            expected=f"version {_NEWEST}",
            hint="Pack the profiles anew with a ParaProf that writes it: paraprof --pack FILE",
        )
    threads = _metadata(source)
    metrics = source.texts("metric")
    groups = source.texts("group")
    names, joined = [], []
    for _ in range(source.count("the number of functions")):
        names.append(source.text("a function"))
        of_name = source.count("the number of groups", len(groups))
        joined.append(
            "|".join(groups[source.count("a group", len(groups) - 1)] for _ in range(of_name))
        )
    events = len(source.texts("user event"))
    if source.count("the number of threads") != len(threads):
        source.position -= 4
        raise source.error("the threads are not those of the metadata", f"{len(threads)} threads")
    if not metrics or not names:
        raise source.error("the profile has no functions or no metric", "at least one of each")
    duplicates = len(metrics) - len(set(metrics))
    if duplicates:
        raise source.error("a metric has the name of another", "different metrics")
    parts = pa.array(names, pa.string()), pa.array(joined, pa.string())
    return _Header(threads, metrics, names_of(*parts), events)


def _metadata(source: BigEndian) -> dict[Location, Metadata]:
    """Read the facts of the run and of its threads; the run's come with every thread."""
    size = source.count("the size of the metadata")
    start = source.position
    source.take(source.count("the size of an unknown block", size), "an unknown block")
    common = _pairs(source)
    threads: dict[Location, Metadata] = {}
    for _ in range(source.count("the number of threads")):
        location = _location(source)
        if location in threads:
            raise source.error(f"thread {location} is a duplicate", "different threads")
        threads[location] = {**common, **_pairs(source)}
    if not threads:
        raise source.error("the profile has no threads", "at least one")
    if source.position - start != size:
        raise source.error(f"the metadata have {source.position - start} bytes", f"{size} bytes")
    return threads


def _pairs(source: BigEndian) -> dict[str, str]:
    count = source.count("the number of metadata")
    return {source.text("a name"): source.text("a value") for _ in range(count)}


def _location(source: BigEndian) -> Location:
    return source.count("the node"), source.count("the context"), source.count("the thread")


def _functions(source: BigEndian, header: _Header, location: Location) -> npt.NDArray[np.void]:
    """Read the functions of a thread: fields function, calls, subroutines, values."""
    found = _location(source)
    if found != location:
        raise source.error(f"thread {found} was found", f"thread {location}")
    fields = np.dtype(
        [
            ("function", ">i4"),
            ("calls", ">f8"),
            ("subroutines", ">f8"),
            ("values", ">f8", (len(header.metrics), 2)),
        ]
    )
    count = source.count("the number of functions", header.functions)
    start = source.position
    block = np.frombuffer(source.take(count * fields.itemsize, "the functions"), fields)
    function = block["function"]
    known = (function >= 0) & (function < header.functions)
    seen = np.bincount(function[known], minlength=header.functions)
    if not known.all() or seen.max(initial=0) > 1:
        at = int(np.argmin(known)) if not known.all() else int(np.argmax(seen[function] > 1))
        source.position = start + at * fields.itemsize
        raise source.error(
            f"function {function[at]} was found",
            f"each of 0 to {header.functions - 1} once at most",
        )
    return block


def _values(block: npt.NDArray[np.void], metric: int) -> Values:
    return Values(
        row=block["function"].astype(np.int64),
        calls=block["calls"].astype(float),
        exclusive=block["values"][:, metric, 0].astype(float),
        inclusive=block["values"][:, metric, 1].astype(float),
    )


def _skip_events(source: BigEndian, header: _Header) -> None:
    count = source.count("the number of user events", header.events)
    source.take(count * _EVENT_BYTES, "the user events")
