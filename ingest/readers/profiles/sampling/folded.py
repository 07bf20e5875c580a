"""Folded (collapsed) stacks: main;solve;dot 42, one line a stack, from the root to the leaf.

Source: FlameGraph's README and its stackcollapse-*.pl; what py-spy 0.4 (raw), rbspy and
async-profiler write. The number is samples, a period, microseconds or bytes: the file does not
state which. So it lands as the event `weight`, without unit.

- py-spy and rbspy name a function with the line that ran, `main (app.py:12)`: the line is left
  out, so that a function is one function. So are the marks of stackcollapse-perf.pl ([k], [i], [j],
  [w]) and the separators - and --.
- The threads of py-spy -t are `thread`; its processes (-s) are named by their command, not by
  their number, which is another one each time.
- Two numbers in every line are a difference (difffolded.pl): two runs, before and after.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from ingest.base import Head, Item, LeftOut, Run, SingleFile
from ingest.parsing.call_paths import frame_name
from ingest.parsing.lines import chunks, unexpected
from ingest.readers.profiles.sampling.stacks import NO_THREAD, Measure, Stacks, check_weight
from ingest.recording import Recording

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_ONE = re.compile(rf"(.*\S)?[ \t]+({_NUMBER})\s*")
_TWO = re.compile(rf"(.*\S)[ \t]+({_NUMBER})[ \t]+({_NUMBER})\s*")
_SEEN = re.compile(r"\d+:|[\d.,:+-]*$")
_WHERE = re.compile(r"(.+) (?:\((.+?)(?::\d+)+\)|- (.+):\d+)")
_MARK = re.compile(r"(.+)_\[[kijw]\]")
_THREAD = re.compile(r"thread \((0[xX][0-9a-fA-F]{1,15}|\d{1,18})\)(?:: .*)?")
_PROCESS = re.compile(r"process \d+:(.+)")
_SEPARATORS = ("-", "--", "")
_MOST_KNOWN = 1 << 18


class FoldedStacks(SingleFile):
    """Reads stacks as flame graphs are drawn from."""

    NAME = "folded-stacks"
    DESCRIPTION = "folded stacks (stackcollapse, py-spy raw, async-profiler): main;solve;dot 42"
    PATTERNS = ("*.folded", "*.collapsed", "out.perf-folded")
    TABLES = ("pmu_samples",)

    def sniff(self, head: Head) -> bool:
        """Recognise lines that all end with a number, most of them of several functions."""
        text = head.data.decode("utf-8", "replace")
        lines = [line for line in text.split("\n")[:-1] if line.strip() and line[0] != "#"]
        stacks = [found[1] or "" for line in lines if (found := _ONE.fullmatch(line))]
        several = [stack for stack in stacks if ";" in stack.strip(";")]
        return (
            bool(several)
            and len(stacks) == len(lines)
            and 2 * len(several) >= len(lines)
            and not all(_SEEN.match(stack.split(";")[0]) for stack in several)
        )

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run, or before and after, and the rows; see `Reader.read`."""
        runs = ("before", "after") if _is_difference(recording) else (None,)
        measures = [Measure("weight") for _ in runs]
        stacks, names, zeros, without = Stacks(), _Names(), 0, 0.0
        for number, line in _lines(recording):
            frames, weights = _parsed(line, f"line {number}", len(runs))
            thread, functions = names.split(frames)
            if not functions:
                without += sum(weights)
                continue
            place = thread, stacks.path(functions)
            zeros += not any(weights)
            for measure, weight in zip(measures, weights, strict=True):
                if weight:
                    measure.sums[place] += weight
        for run, (key, measure) in enumerate(zip(runs, measures, strict=True)):
            yield Run(key=key)
            yield from stacks.items([measure], None if key is None else run)
        yield LeftOut(zeros, "stack", "with a weight of 0")
        yield LeftOut(math.ceil(without), "unit of weight", "without a stack", "units of weight")


def _lines(recording: Recording) -> Iterator[tuple[int, str]]:
    for chunk in chunks(recording, must_end=True):
        for number, line in chunk.lines():
            if line.strip() and not line.startswith("#"):
                yield number, line


def _is_difference(recording: Recording) -> bool:
    """Return whether every line has two numbers: a function's name alone can end with one."""
    for chunk in chunks(recording):
        lines = (line for _, line in chunk.lines() if line.strip() and line[0] != "#")
        if not all(map(_TWO.fullmatch, lines)):
            return False
    return True


def _parsed(line: str, where: str, numbers: int) -> tuple[list[str], list[float]]:
    """Return the frames of a line and its weights; raise `InputError` where it has none."""
    found = (_TWO if numbers == 2 else _ONE).fullmatch(line)
    if found is None:
        raise unexpected(
            line,
            where,
            "a stack and its weight: main;solve;dot 42",
            "Is the file cut off or damaged here?",
        )
    return (found[1] or "").split(";"), [
        check_weight(float(text), where) for text in found.groups()[1:]
    ]


class _Names:
    """Returns the thread and functions of frames; what was seen before is not parsed again."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def split(self, frames: list[str]) -> tuple[int, list[str]]:
        """Return the thread (NO_THREAD where it is not stated) and the functions of a stack."""
        thread = NO_THREAD
        for at, frame in enumerate(frames[:2]):
            if found := _THREAD.fullmatch(frame):
                thread = int(found[1], 0)
                frames = [*frames[:at], *frames[at + 1 :]]
                break
        names = [self._name(frame) for frame in frames if frame not in _SEPARATORS]
        return thread, names

    def _name(self, frame: str) -> str:
        name = self._known.get(frame)
        if name is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            name = self._known[frame] = _function(frame)
        return name


def _function(frame: str) -> str:
    """Return the name of a function without the line that ran, and without marks."""
    if marked := _MARK.fullmatch(frame):
        frame = marked[1]
    if found := _WHERE.fullmatch(frame):
        frame = f"{found[1]} ({found[2] or found[3]})"
    elif found := _PROCESS.fullmatch(frame):
        frame = f"process {found[1]}"
    return frame_name(frame)
