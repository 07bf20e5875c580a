"""Times of build steps in the log of ninja (.ninja_log).

Source: src/build_log.cc of ninja, versions 4 to 7 of the log: start and end in ms since the build
began, date of the output, output, hash of the command. ninja appends to the log and now and then
rewrites it without order, with the last step of each output. What lands: a row of fn_timings for
each command, named after its outputs, with its last time. Neither which of ninja's jobs ran it nor
which steps are of one build is in the log, so that nothing is known of idle jobs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.base import Item, LeftOut, Rows, Run, SingleFile
from ingest.parsing.lines import numbered_lines, unexpected
from ingest.recording import Recording
from warehouse.errors import InputError

_STEP = re.compile(r"(\d{1,12})\t(\d{1,12})\t(\d{1,19})\t([^\t]+)\t([0-9a-f]{1,16})")


class NinjaLog(SingleFile):
    """Reads the log that ninja keeps in the folder of a build."""

    NAME = "ninja-log"
    DESCRIPTION = "log of the build tool ninja: times of its steps"
    PATTERNS = (".ninja_log", "*.ninja_log")
    TABLES = ("fn_timings",)
    START = re.compile(rb"# ninja log v([4-9])\r?\n")

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its steps; raises `InputError` at a line that is none."""
        last: dict[str, tuple[int, int, str]] = {}
        steps = 0
        for number, line in numbered_lines(recording, must_end=True):
            if number == 1 or not line:
                continue
            found = _STEP.fullmatch(line)
            if found is None or int(found[2]) < int(found[1]):
                raise unexpected(
                    line, number, "start, end, date, output and hash, with tabs between them"
                )
            steps += 1
            last[found[4]] = int(found[1]), int(found[2]), found[5]
        if not last:
            raise InputError("there is no step", expected="a line for each output of a build")
        commands: dict[tuple[int, int, str], list[str]] = {}
        for output, step in last.items():
            commands.setdefault(step, []).append(output)
        yield Run(tags={"recorder": "ninja"})
        yield Rows.of_columns(
            "fn_timings",
            function=[" ".join(outputs) for outputs in commands.values()],
            kind="build step",
            seconds=[(end - start) / 1e3 for start, end, _ in commands],
            calls=1,
        )
        yield LeftOut(steps - len(last), "step", "its output was built again later")
