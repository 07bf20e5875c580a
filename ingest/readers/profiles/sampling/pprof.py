"""pprof profiles (profile.proto), as Go, gperftools, Rust, Node.js, Parca and others write them.

Source: github.com/google/pprof, proto/profile.proto and its README; files of Go 1.19. A profile has
several sample types. That of processor or elapsed time (the profile's default type, where that is
one) lands in fn_timings; all others land as events by the name of their type: samples,
alloc_space, delay ... Units of time become seconds.

- A location with several lines is a function and what was inlined into it.
- Functions of languages that scope by file (Python, Ruby, JavaScript, PHP) are named with their
  file. One without a name is its object, [libc.so.6].
- Labels are not kept: samples that differ in them only are added up. A numeric label `thread` or
  `tid` is the thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ingest.base import Head, Item, LeftOut, Run, SingleFile, implausible
from ingest.parsing.call_paths import UNKNOWN, frame_name
from ingest.parsing.protobuf import damaged, fields, signed, varints
from ingest.parsing.units import PER_SECOND
from ingest.readers.profiles.sampling.stacks import (
    NO_THREAD,
    Measure,
    Stacks,
    check_weight,
    located,
)
from ingest.recording import Recording
from warehouse.errors import InputError

_LIMIT = 1 << 30
_TIMES = ("cpu", "wall", "time", "cpu-time", "wall-time", "cpu_time", "wall_time", "process_cpu")
_BY_FILE = (".py", ".pyx", ".rb", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".php")
_THREAD_LABELS = ("thread", "tid", "thread id", "thread_id")
# Fields of a Profile.
_TYPE, _SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _STRING = 1, 2, 3, 4, 5, 6
_TIME, _DURATION, _DEFAULT = 9, 10, 14
# Whether fields are numbers; comments can be single or packed.
_KINDS = (
    dict.fromkeys((1, 2, 3, 4, 5, 6, 11), (False,))
    | dict.fromkeys((7, 8, 9, 10, 12, 14, 15), (True,))
    | {13: (True, False)}
)


class Pprof(SingleFile):
    """Reads profiles in Protocol Buffers, compressed or not."""

    NAME = "pprof"
    DESCRIPTION = (
        "pprof profile (profile.proto) of Go and others: processor time, heap, contention ..."
    )
    PATTERNS = ("*.pb.gz", "*.pprof", "cpu.prof", "pprof.*")
    TABLES = ("fn_timings", "pmu_samples")

    def sniff(self, head: Head) -> bool:
        """Recognise the fields of a profile, with a sample type among them."""
        types = count = 0
        try:
            for number, at, size in fields(head.data):
                if number not in _KINDS or (size < 0) not in _KINDS[number]:
                    return False
                if number == _TYPE and not _is_type(head.data, at, size):
                    return False
                types += number == _TYPE
                count += 1
        except InputError:
            pass  # the head can end within a field
        return types > 0 and count > 2

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run and its rows; see `Reader.read`."""
        with recording.open() as file:
            data = file.read(_LIMIT + 1)
        if len(data) > _LIMIT:
            raise InputError(f"the profile is larger than {_LIMIT >> 20} MiB")
        profile = _Profile(data)
        yield profile.run()
        yield from profile.items()


def _is_type(data: bytes, at: int, size: int) -> bool:
    """Return whether a message is a ValueType: two numbers of strings, of which 0 may lack."""
    found = [(number, length) for number, _, length in fields(data, at, at + size)]
    return 0 < size <= 22 and all(number in (1, 2) and length < 0 for number, length in found)


@dataclass(slots=True)
class _Message:
    """The fields of one message: numbers, lists of numbers, and positions of messages."""

    values: dict[int, int] = field(default_factory=dict)
    lists: dict[int, list[int]] = field(default_factory=dict)
    parts: dict[int, list[tuple[int, int]]] = field(default_factory=dict)


def _message(data: bytes, at: int, size: int, lists: tuple[int, ...] = ()) -> _Message:
    """Decode a message; the fields `lists` are repeated numbers, packed or not."""
    found = _Message()
    for number, value, length in fields(data, at, at + size):
        if number in lists:
            many = [value] if length < 0 else varints(data, value, length)
            found.lists.setdefault(number, []).extend(many)
        elif length < 0:
            found.values[number] = value
        else:
            found.parts.setdefault(number, []).append((value, length))
    return found


class _Profile:
    """A decoded profile: its tables, by which samples are resolved."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        whole = _message(data, 0, len(data))
        self._whole = whole
        self._strings = [_text(data, at, size) for at, size in whole.parts.get(_STRING, [])]
        if not self._strings or self._strings[0]:
            raise damaged("the table of strings does not begin with an empty one", len(data))
        self._default = self._string(signed(whole.values.get(_DEFAULT, 0)), 0)
        self._objects = self._mapped_files()
        self._function_names = self._functions()
        self._stacks = Stacks()
        self._locations: dict[int, list[str]] = {}
        for at, size in whole.parts.get(_LOCATION, []):
            number, names = self._location(at, size)
            self._locations[number] = names

    def run(self) -> Run:
        """Return when the program started and how long it was profiled."""
        values = self._whole.values
        started, duration = (signed(values.get(number, 0)) / 1e9 for number in (_TIME, _DURATION))
        facts = {
            "started_at": datetime.fromtimestamp(started, UTC) if 0 < started < 1e10 else None,
            "wall_seconds": duration if duration > 0 else None,
        }
        kept = {
            name: value
            for name, value in facts.items()
            if value is not None and not implausible({name: value})
        }
        tags = {"recorder": "pprof"} | (
            {"default_sample_type": self._default} if self._default else {}
        )
        return Run(app=self._app(), tags=tags, **kept)  # type: ignore[arg-type]

    def items(self) -> Iterator[Item]:
        """Yield the rows of all sample types, and what was left out."""
        measures = self._measures()
        paths: dict[tuple[int, ...], int] = {}
        without = labelled = 0
        for number, (at, size) in enumerate(self._whole.parts.get(_SAMPLE, [])):
            where = f"sample {number} (byte {at})"
            sample = _message(self._data, at, size, (1, 2))
            locations, weights = sample.lists.get(1, []), sample.lists.get(2, [])
            if len(weights) != len(measures):
                raise InputError(
                    f"{len(weights)} values", where=where, expected=f"{len(measures)}, one a type"
                )
            values = [check_weight(signed(weight), where) for weight in weights]
            if not locations:
                without += 1
                continue
            key = tuple(locations)
            path = paths.get(key)
            if path is None:
                path = paths[key] = self._path(locations, where)
            thread, has_labels = self._labels(sample)
            labelled += has_labels
            for measure, value in zip(measures, values, strict=True):
                if value:
                    measure.sums[thread, path] += value
        yield from self._stacks.items(self._by_preference(measures))
        yield LeftOut(without, "sample", "without a stack")
        yield LeftOut(labelled, "sample's labels", "not kept", "samples' labels")

    def _app(self) -> str | None:
        """Return the program: the file that is mapped first, if it is one."""
        files = [name for name in self._objects.values() if name]
        name = files[0].rsplit("/", 1)[-1] if files else ""
        return name if name and not name.startswith("[") and ".so" not in name else None

    def _measures(self) -> list[Measure]:
        found = []
        for at, size in self._whole.parts.get(_TYPE, []):
            values = _message(self._data, at, size).values
            name, unit = (self._string(values.get(number, 0), at) for number in (1, 2))
            per_second = PER_SECOND.get(unit) if name in _TIMES else None
            event = Measure(frame_name(name), None if unit in ("", "count") else unit, per_second)
            found.append(event)
        if not found:
            raise damaged("the profile has no sample types", 0)
        return found

    def _by_preference(self, measures: list[Measure]) -> list[Measure]:
        """Return the sample types, the default one first; times that no function takes as such."""
        ordered = sorted(measures, key=lambda one: one.event != self._default)
        for one in ordered:
            # Waiting in locks and the like is in units of time, but not the time of a function.
            if one.per_second is None and one.unit in PER_SECOND:
                scale = PER_SECOND[one.unit]
                one.unit = "s"
                for key, value in one.sums.items():
                    one.sums[key] = value / scale
        return ordered

    def _labels(self, sample: _Message) -> tuple[int, bool]:
        """Return the thread of a sample, and whether it has other labels."""
        thread, others = NO_THREAD, False
        for at, size in sample.parts.get(3, []):
            label = _message(self._data, at, size).values
            number = signed(label.get(3, 0))
            if self._string(label.get(1, 0), at) in _THREAD_LABELS and number > 0:
                thread = number
            else:
                others = True
        return thread, others

    def _path(self, locations: list[int], where: str) -> int:
        names: list[str] = []
        for location in reversed(locations):
            if location not in self._locations:
                raise InputError(
                    f"there is no location {location}",
                    where=where,
                    expected="a location of the profile",
                )
            names += self._locations[location]
        return self._stacks.path(names)

    def _location(self, at: int, size: int) -> tuple[int, list[str]]:
        """Return the number of a location, and its functions from the outermost."""
        found = _message(self._data, at, size)
        names = []
        for begin, length in found.parts.get(4, []):
            function = _message(self._data, begin, length).values.get(1, 0)
            if function not in self._function_names:
                raise damaged(f"there is no function {function}", begin)
            names.append(self._function_names[function])
        file = self._objects.get(found.values.get(2, 0))
        unnamed = f"[{file.rsplit('/', 1)[-1].strip('[]')}]" if file else UNKNOWN
        known = [name or frame_name(unnamed) for name in names] or [frame_name(unnamed)]
        return found.values.get(1, 0), known[::-1]

    def _functions(self) -> dict[int, str]:
        """Return the names of functions by number; empty if there is none."""
        functions = {}
        for at, size in self._whole.parts.get(_FUNCTION, []):
            values = _message(self._data, at, size).values
            name = self._string(values.get(2, 0), at) or self._string(values.get(3, 0), at)
            file = self._string(values.get(4, 0), at)
            by_file = bool(name) and file.endswith(_BY_FILE)
            functions[values.get(1, 0)] = (
                located(name, file) if by_file else frame_name(name) if name else ""
            )
        return functions

    def _mapped_files(self) -> dict[int, str]:
        """Return the files that were mapped into memory by their number."""
        entries = (
            (at, _message(self._data, at, size).values)
            for at, size in self._whole.parts.get(_MAPPING, [])
        )
        return {values.get(1, 0): self._string(values.get(5, 0), at) for at, values in entries}

    def _string(self, number: int, at: int) -> str:
        if not 0 <= number < len(self._strings):
            raise damaged(f"there is no string {number}", at)
        return self._strings[number]


def _text(data: bytes, at: int, size: int) -> str:
    try:
        return data[at : at + size].decode()
    except UnicodeDecodeError:
        raise damaged("a string is not UTF-8", at) from None
