"""speedscope's own format, sampled and evented.

Source: speedscope's wiki, "Importing from custom sources", and its file-format-spec.ts; files of
py-spy 0.4 and pyinstrument 5. Weights in a unit of time are times in fn_timings; those in bytes or
without unit land as the event `weight`. Of sampled profiles lands the number of samples, too.

A profile of the file is a thread: by its number, where its name has one (Thread 344), else by its
place in the file. Functions are named with their file; the line, which of many tools is the one
that ran, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ingest.base import Item, LeftOut, Run
from ingest.parsing.json_values import checked, field
from ingest.parsing.units import PER_SECOND
from ingest.readers.profiles.sampling.stacks import (
    NO_THREAD,
    Measure,
    Stacks,
    check_weight,
    located,
)
from warehouse.errors import InputError

_SELF = "[self]"
_THREAD = re.compile(r"\bThread (0[xX][0-9a-fA-F]{1,15}|\d{1,18})\b", re.IGNORECASE)


def items(document: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the run and its rows."""
    exporter = document.get("exporter")
    yield Run(tags={"recorder": exporter} if isinstance(exporter, str) and exporter else {})
    profiles = field(document, "profiles", list, "the file")
    frames = _frames(field(field(document, "shared", dict, "the file"), "frames", list, "shared"))
    threads = _threads(profiles)
    reader = _Reader(frames)
    for number, (profile, thread) in enumerate(zip(profiles, threads, strict=True)):
        reader.take(profile, thread, f"profile {number}")
    yield from reader.items()


def _frames(found: Sequence[Any]) -> list[str]:
    names = []
    for number, frame in enumerate(found):
        file = checked(frame, dict, "a frame", f"frame {number}").get("file")
        name = field(frame, "name", str, f"frame {number}")
        names.append(located(name, file if isinstance(file, str) else None))
    return names


def _threads(profiles: Sequence[Any]) -> list[int]:
    """Return the number of the thread of each profile."""
    names = [str(one.get("name")) if isinstance(one, dict) else "" for one in profiles]
    numbers = [int(found[1], 0) for name in names if (found := _THREAD.search(name))]
    if len(set(numbers)) == len(names):
        return numbers
    return list(range(len(names))) if len(names) > 1 else [NO_THREAD]


class _Reader:
    """Adds up the profiles of a file."""

    def __init__(self, frames: Sequence[str]) -> None:
        self._frames = frames
        self._stacks = Stacks()
        self._measures = {
            "time": Measure("time", per_second=1.0),
            "samples": Measure("samples", "samples"),
        }
        self._without = 0

    def take(self, profile: Any, thread: int, where: str) -> None:
        """Add a profile; raise `InputError` where it is damaged."""
        kind = field(profile, "type", str, where)
        unit = profile.get("unit", "none")
        if not isinstance(unit, str) or (unit not in PER_SECOND and unit not in ("none", "bytes")):
            raise InputError(
                f"the unit is {unit!r}", where=where, expected="none, bytes, or a unit of time"
            )
        scale = PER_SECOND.get(unit, 1.0)
        if unit in PER_SECOND:
            measure = self._measures["time"]
        else:
            stated = None if unit == "none" else unit
            measure = self._measures.setdefault(unit, Measure("weight", stated))
        forms = {"sampled": self._sampled, "evented": self._evented}
        if kind not in forms:
            raise InputError(f"the type is {kind!r}", where=where, expected="sampled or evented")
        for path, weight in forms[kind](profile, thread, where):
            if weight:
                measure.sums[thread, path] += weight / scale

    def items(self) -> Iterator[Item]:
        """Yield the rows."""
        yield from self._stacks.items(list(self._measures.values()))
        yield LeftOut(self._without, "sample", "without a stack")

    def _sampled(
        self, profile: Mapping[str, Any], thread: int, where: str
    ) -> Iterator[tuple[int, float]]:
        samples, weights = profile.get("samples"), profile.get("weights")
        if not isinstance(samples, list) or not isinstance(weights, list):
            raise InputError("samples or weights are missing", where=where, expected="two lists")
        if len(samples) != len(weights):
            raise InputError(
                f"{len(samples)} samples have {len(weights)} weights",
                where=where,
                expected="a weight for each sample",
            )
        known: dict[tuple[Any, ...], int] = {}
        counts = self._measures["samples"].sums
        for number, (sample, weight) in enumerate(zip(samples, weights, strict=True)):
            place = f"{where}, sample {number}"
            value = check_weight(checked(weight, float, "a weight", place), place)
            if not isinstance(sample, list) or not all(isinstance(at, float) for at in sample):
                raise InputError("a sample is no list of frames", where=place, expected="[0, 1]")
            if not sample:
                self._without += 1
                continue
            path = known.get(tuple(sample))
            if path is None:
                path = self._path(sample, place)
                known[tuple(sample)] = path
            counts[thread, path] += 1
            yield path, value

    def _evented(
        self, profile: Mapping[str, Any], _thread: int, where: str
    ) -> Iterator[tuple[int, float]]:
        """Yield the time between two events with the stack that was open."""
        now = checked(profile.get("startValue", 0.0), float, "startValue", where)
        opened: list[float] = []
        for number, event in enumerate(field(profile, "events", list, where)):
            place = f"{where}, event {number}"
            at, frame = (field(event, name, float, place) for name in ("at", "frame"))
            if opened:
                yield self._path(opened, place), check_weight(at - now, place)
            elif at < now:
                raise InputError(f"it is at {at:g}, after {now:g}", where=place, expected="order")
            now = at
            kind = event.get("type")
            if kind == "O":
                opened.append(frame)
            elif kind == "C" and opened and opened[-1] == frame:
                opened.pop()
            else:
                raise InputError(
                    f"{kind!r} of frame {frame:g} is no part of what is open",
                    where=place,
                    expected="O, or C of the frame that was opened last",
                )
        if opened:
            raise InputError(
                f"{len(opened)} frames are never closed",
                where=where,
                expected="C for every O",
                hint="Is the end of the file missing?",
            )

    def _path(self, frames: Sequence[float], place: str) -> int:
        names = [self._name(at, place) for at in frames]
        # pyinstrument's function of this name is the one above it.
        return self._stacks.path([name for name in names if name != _SELF] or names)

    def _name(self, at: float, place: str) -> str:
        if not (at.is_integer() and 0 <= at < len(self._frames)):
            raise InputError(
                f"there is no frame {at:g}", where=place, expected=f"0 to {len(self._frames) - 1}"
            )
        return self._frames[int(at)]
