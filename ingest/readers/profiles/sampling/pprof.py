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
from datetime import UTC, datetime
from typing import Any

from ingest.base import Head, Item, LeftOut, Run, SingleFile, implausible
from ingest.parsing.call_paths import UNKNOWN, frame_name
from ingest.parsing.protobuf import decoded, decoded_head, has_unknown_fields, messages
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
_TYPE_NAME = b"\x08"  # tag of a sample type's name, which no text has
_TIMES = ("cpu", "wall", "time", "cpu-time", "wall-time", "cpu_time", "wall_time", "process_cpu")
_BY_FILE = (".py", ".pyx", ".rb", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".php")
_THREAD_LABELS = ("thread", "tid", "thread id", "thread_id")


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
        if _TYPE_NAME not in head.data:
            return False
        profile = decoded_head(messages("pprof").Profile, head.data)
        types = profile.sample_type
        return (
            len(profile.ListFields()) > 1
            and len(types) > 0
            and all(one.type for one in types)
            and not any(map(has_unknown_fields, (profile, *types)))
        )

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run and its rows; see `Reader.read`."""
        with recording.open() as file:
            data = file.read(_LIMIT + 1)
        if len(data) > _LIMIT:
            raise InputError(f"the profile is larger than {_LIMIT >> 20} MiB")
        profile = _Profile(data)
        yield profile.run()
        yield from profile.items()


class _Profile:
    """A decoded profile: its tables, by which samples are resolved."""

    def __init__(self, data: bytes) -> None:
        self._whole = whole = decoded(messages("pprof").Profile, data)
        self._strings: list[str] = list(whole.string_table)
        if not self._strings or self._strings[0]:
            raise _damaged("the table of strings does not begin with an empty one")
        self._default = self._string(whole.default_sample_type)
        self._objects = {one.id: self._string(one.filename) for one in whole.mapping}
        self._function_names = {one.id: self._function(one) for one in whole.function}
        self._stacks = Stacks()
        self._locations = {one.id: self._location(one) for one in whole.location}

    def run(self) -> Run:
        """Return when the program started and how long it was profiled."""
        started, duration = self._whole.time_nanos / 1e9, self._whole.duration_nanos / 1e9
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
        for number, sample in enumerate(self._whole.sample):
            where = f"sample {number}"
            locations, weights = tuple(sample.location_id), sample.value
            if len(weights) != len(measures):
                raise InputError(
                    f"{len(weights)} values", where=where, expected=f"{len(measures)}, one a type"
                )
            values = [check_weight(weight, where) for weight in weights]
            if not locations:
                without += 1
                continue
            path = paths.get(locations)
            if path is None:
                path = paths[locations] = self._path(locations, where)
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
        for one in self._whole.sample_type:
            name, unit = self._string(one.type), self._string(one.unit)
            per_second = PER_SECOND.get(unit) if name in _TIMES else None
            event = Measure(frame_name(name), None if unit in ("", "count") else unit, per_second)
            found.append(event)
        if not found:
            raise _damaged("the profile has no sample types")
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

    def _labels(self, sample: Any) -> tuple[int, bool]:
        """Return the thread of a sample, and whether it has other labels."""
        thread, others = NO_THREAD, False
        for label in sample.label:
            if self._string(label.key) in _THREAD_LABELS and label.num > 0:
                thread = label.num
            else:
                others = True
        return thread, others

    def _path(self, locations: tuple[int, ...], where: str) -> int:
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

    def _location(self, location: Any) -> list[str]:
        """Return the functions of a location from the outermost."""
        names = []
        for line in location.line:
            if line.function_id not in self._function_names:
                raise _damaged(f"there is no function {line.function_id}")
            names.append(self._function_names[line.function_id])
        file = self._objects.get(location.mapping_id)
        unnamed = f"[{file.rsplit('/', 1)[-1].strip('[]')}]" if file else UNKNOWN
        return [name or frame_name(unnamed) for name in names][::-1] or [frame_name(unnamed)]

    def _function(self, function: Any) -> str:
        """Return the name of a function; empty if it has none."""
        name = self._string(function.name) or self._string(function.system_name)
        file = self._string(function.filename)
        if name and file.endswith(_BY_FILE):
            return located(name, file)
        return frame_name(name) if name else ""

    def _string(self, number: int) -> str:
        if not 0 <= number < len(self._strings):
            raise _damaged(f"there is no string {number}")
        return self._strings[number]


def _damaged(problem: str) -> InputError:
    return InputError(
        problem, expected="a whole profile", hint="Is the file damaged? Copy or record it again."
    )
