"""Times of a command: GNU time (`/usr/bin/time -v`, its default, -p) and the shells' `time`.

Sources: time(1) of GNU time 1.9, macOS and FreeBSD; bash(1), reserved word time; zshparam(1),
TIMEFMT; tcsh(1), variable time; fish's timer.cpp. Output of the command itself may come before.
Each timing is a run: its elapsed time is the wall time, and a command that failed has the tag
`exit_code`, 128 and the number of the signal where one ended it. What lands in `metrics`:

- user and system, s. GNU time writes two digits: less than 5 ms is 0. Of pwh record also run_delay,
  s: how long the first thread was ready to run and waited for a processor (proc(5), schedstat).
- with -v and by default, and of time -l (macOS, FreeBSD): max_rss (bytes), page faults, context
  switches, file system inputs and outputs (blocks of 512 bytes). What Linux does not record (shared
  text size, swaps, signals ...) is always 0 there and left alone. time -l does not say that max_rss
  is in KiB on FreeBSD: it lands where values that only macOS has show the system.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.base import Head, Item, LeftOut, Run, SingleFile
from ingest.parsing.app_names import program_name
from ingest.parsing.lines import numbered_lines, unexpected
from ingest.parsing.metric_values import Value, rows
from ingest.recording import Recording
from warehouse.errors import InputError

_SHORT = re.compile(
    r"([\d.]+)user ([\d.]+)system ([\d:.]+)elapsed \S+CPU "
    r"\(\d+avgtext\+\d+avgdata (\d+)maxresident\)k"
)
_SHORT_REST = re.compile(r"(\d+)inputs\+(\d+)outputs \((\d+)major\+(\d+)minor\)pagefaults \d+swaps")
_COMMAND = re.compile(r'[ \t]+Command being timed: "(.*)"')
# pwh record writes it before a timing, and the run delay among its lines.
_ENVIRONMENT = re.compile(r"Environment ([\w:.-]+?): (.+)")
_LABEL = re.compile(r"[ \t]+(.+?): (\S+)")
_WORD = re.compile(r"(real|user|sys)\s+(?:(\d{1,9})m)?(\d{1,12}[.,]\d+)s?")
# Of the default of zsh, csh and BSD's time: which group is which time, and the command of zsh.
_SHELLS = (
    re.compile(
        r"(?:(?P<command>\S.*)  )?(?P<user>[\d.,]+)s user (?P<system>[\d.,]+)s system \d+% cpu "
        r"(?P<elapsed>[\d:.,]+) total"
    ),
    re.compile(r"(?P<user>[\d.]+)u (?P<system>[\d.]+)s (?P<elapsed>[\d:.]+) [\d.]+%.*"),
    re.compile(r" +(?P<elapsed>[\d.,]+) real +(?P<user>[\d.,]+) user +(?P<system>[\d.,]+) sys *"),
)
_FISH = re.compile(
    r"(Executed in|   usr time|   sys time) +([\d.,]+) (min|sec|milli|micro)[a-z]*\b.*"
)
_FISH_LINES = {"Executed in": "elapsed", "   usr time": "user", "   sys time": "system"}
_FISH_UNITS = {"min": 60.0, "sec": 1.0, "milli": 1e-3, "micro": 1e-6}
_BSD_LABEL = re.compile(r" +(\d+)  (\D+)")
_START = re.compile(
    rb"^(?:[ \t]+Command being timed: |[\d.]+user [\d.]+system [\d:.]+elapsed "
    rb"|[^\n]*[\d.,]+s user [\d.,]+s system \d+% cpu [\d:.,]+ total\r?$"
    rb"|Executed in +[\d.,]+ (?:min|sec|milli|micro)[a-z]*\b[^\n]*\n   usr time "
    rb"|[\d.]+u [\d.]+s [\d:.]+ [\d.]+%| +[\d.,]+ real +[\d.,]+ user +[\d.,]+ sys"
    rb"|real\s+(?:\d+m)?\d+[.,]\d+s?\r?\nuser\s+(?:\d+m)?\d+[.,]\d+s?\r?\n)",
    re.MULTILINE,
)
# What -v writes: metric, factor and unit.
_LABELS: dict[str, tuple[str, float, str | None]] = {
    "User time (seconds)": ("user", 1.0, "s"),
    "System time (seconds)": ("system", 1.0, "s"),
    "Run delay (seconds)": ("run_delay", 1.0, "s"),
    "Maximum resident set size (kbytes)": ("max_rss", 1024.0, "bytes"),
    "Major (requiring I/O) page faults": ("major_page_faults", 1.0, None),
    "Minor (reclaiming a frame) page faults": ("minor_page_faults", 1.0, None),
    "Voluntary context switches": ("voluntary_context_switches", 1.0, None),
    "Involuntary context switches": ("involuntary_context_switches", 1.0, None),
    "File system inputs": ("file_system_inputs", 1.0, None),
    "File system outputs": ("file_system_outputs", 1.0, None),
}
# What -l of BSD's time writes.
_BSD_LABELS: dict[str, tuple[str, str | None]] = {
    "page reclaims": ("minor_page_faults", None),
    "page faults": ("major_page_faults", None),
    "block input operations": ("file_system_inputs", None),
    "block output operations": ("file_system_outputs", None),
    "voluntary context switches": ("voluntary_context_switches", None),
    "involuntary context switches": ("involuntary_context_switches", None),
    "instructions retired": ("instructions", None),
    "cycles elapsed": ("cycles", None),
    "peak memory footprint": ("peak_memory_footprint", "bytes"),
}
_BSD_RESIDENT = "maximum resident set size"
_OF_MACOS = ("cycles", "peak_memory_footprint")
_ELAPSED = "Elapsed (wall clock) time (h:mm:ss or m:ss)"
_LAST = "Exit status"
_FAILED = re.compile(r"Command (?:terminated by signal|exited with non-zero status) (\d{1,3})")
_WORDS = {"real": "elapsed", "user": "user", "sys": "system"}

_Lines = Iterator[tuple[int, str]]


@dataclass(slots=True)
class _Timing:
    """Facts of one command: its line, and values with their unit by metric."""

    command: str | None = None
    exit_code: str = "0"
    resident: float | None = None  # in bytes or KiB
    values: dict[str, tuple[float, str | None]] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, key: str | None) -> Run:
        """Return the facts of the run."""
        tags = {"command": self.command} if self.command else {}
        if self.exit_code != "0":
            tags["exit_code"] = self.exit_code
        return Run(
            key=key,
            app=program_name(self.command) if self.command else None,
            wall_seconds=self.values["elapsed"][0] or None,  # 0.00 is less than was measured
            tags=tags,
            environment=self.environment,
        )


class GnuTime(SingleFile):
    """Reads what `time` prints of commands."""

    NAME = "time"
    DESCRIPTION = "times and memory of commands: /usr/bin/time (-v, -p), time of the shells"
    PATTERNS = ("time.txt", "*.time")
    TABLES = ("metrics",)

    def sniff(self, head: Head) -> bool:
        """Recognise the first words of a timing."""
        return b"\0" not in head.data and _START.search(head.data) is not None

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield a run and its values for each timing.

        Raises `InputError` where a timing lacks its end, or there is none.
        """
        timings = list(_timings(numbered_lines(recording, must_end=_is_whole)))
        if not timings:
            raise InputError("there is no timing", expected="what /usr/bin/time -v or time prints")
        for number, timing in enumerate(timings):
            yield timing.run(str(number) if len(timings) > 1 else None)
        yield rows(
            [
                Value(metric, value, unit, "lower", run=number)
                for number, timing in enumerate(timings)
                for metric, (value, unit) in timing.values.items()
                if metric != "elapsed"
            ]
        )
        unknown = sum(t.resident is not None and "max_rss" not in t.values for t in timings)
        yield LeftOut(unknown, _BSD_RESIDENT, "in bytes or KiB, which differs by the system")


def _is_whole(line: str) -> bool:
    forms = (_SHORT, _SHORT_REST, _LABEL, _WORD, *_SHELLS, _FISH, _BSD_LABEL)
    return any(form.fullmatch(line) for form in forms)


def _timings(lines: _Lines) -> Iterator[_Timing]:
    failure = "0"
    timing: _Timing | None = None
    environment: dict[str, str] = {}
    for number, line in lines:
        if found := _ENVIRONMENT.fullmatch(line):
            environment[found[1]] = found[2]
            continue
        if found := _FAILED.fullmatch(line):
            # Of a command that a signal ended, -v prints the status 0.
            failure = str(int(found[1]) + (128 if "signal" in line else 0))
            continue
        if found := _COMMAND.fullmatch(line):
            timing = _verbose(found[1], lines, number)
        elif found := _SHORT.fullmatch(line):
            timing = _short(found, lines, number)
        elif (found := _WORD.fullmatch(line)) and found[1] == "real":
            timing = _words(found, lines, number)
        elif (found := _FISH.fullmatch(line)) and found[1] == "Executed in":
            timing = _fish(found, lines, number)
        elif found := next(filter(None, (form.fullmatch(line) for form in _SHELLS)), None):
            timing = _shell(found, number)
        else:
            if timing and (found := _BSD_LABEL.fullmatch(line)):
                _take_bsd(timing, float(found[1]), found[2])
            continue
        if timing.exit_code == "0":
            timing.exit_code = failure
        timing.environment = environment
        yield timing
        failure, environment = "0", {}


def _verbose(command: str, lines: _Lines, number: int) -> _Timing:
    """Read the lines of -v, to the exit status."""
    timing = _Timing(command)
    last = number
    for last, line in lines:
        found = _LABEL.fullmatch(line)
        if found is None:
            break
        label, text = found.groups()
        if label == _ELAPSED:
            timing.values["elapsed"] = (_elapsed(text, last), "s")
        elif label in _LABELS:
            metric, factor, unit = _LABELS[label]
            timing.values[metric] = (_number(text, last) * factor, unit)
        elif label == _LAST:
            timing.exit_code = text
            if "elapsed" in timing.values:
                return timing
    raise _incomplete(last, "the lines of -v to `Exit status`")


def _short(found: re.Match[str], lines: _Lines, number: int) -> _Timing:
    """Read the two lines of GNU time's default."""
    user, system, elapsed, resident = found.groups()
    rest = _SHORT_REST.fullmatch(next(lines, (0, ""))[1])
    if rest is None:
        raise _incomplete(number, "a second line `0inputs+0outputs (0major+99minor)pagefaults`")
    timing = _Timing()
    timing.values["elapsed"] = (_elapsed(elapsed, number), "s")
    timing.values["user"] = (_number(user, number), "s")
    timing.values["system"] = (_number(system, number), "s")
    timing.values["max_rss"] = (_number(resident, number) * 1024, "bytes")
    names = (
        *("file_system_inputs", "file_system_outputs"),
        *("major_page_faults", "minor_page_faults"),
    )
    for metric, text in zip(names, rest.groups(), strict=True):
        timing.values[metric] = (_number(text, number), None)
    return timing


def _words(found: re.Match[str] | None, lines: _Lines, number: int) -> _Timing:
    """Read the three lines of -p and of shells."""
    timing = _Timing()
    for word, metric in _WORDS.items():
        if found is None or found[1] != word:
            raise _incomplete(number, f"a line `{word}` of real, user and sys")
        minutes = 60.0 * int(found[2] or 0)
        seconds = minutes + _number(found[3].replace(",", "."), number)
        timing.values[metric] = (seconds, "s")
        if word != "sys":
            number, line = next(lines, (number, ""))
            found = _WORD.fullmatch(line)
    return timing


def _fish(found: re.Match[str] | None, lines: _Lines, number: int) -> _Timing:
    """Read the three lines of fish; the first time of each is that of all."""
    timing = _Timing()
    for head, metric in _FISH_LINES.items():
        if found is None or found[1] != head:
            raise _incomplete(number, f"a line `{head.strip()}` of Executed in, usr and sys time")
        value = _number(found[2].replace(",", "."), number)
        timing.values[metric] = (value * _FISH_UNITS[found[3]], "s")
        if metric != "system":
            number, line = next(lines, (number, ""))
            found = _FISH.fullmatch(line)
    return timing


def _shell(found: re.Match[str], number: int) -> _Timing:
    """Read the line of zsh, csh and BSD's time."""
    parts = {name: text for name, text in found.groupdict().items() if text}
    timing = _Timing(parts.pop("command", None))
    for metric, text in parts.items():
        timing.values[metric] = (_elapsed(text.replace(",", "."), number), "s")
    return timing


def _take_bsd(timing: _Timing, value: float, label: str) -> None:
    """Take a line of BSD's time -l, which follow its times."""
    if label == _BSD_RESIDENT:
        timing.resident = value
    elif label in _BSD_LABELS:
        metric, unit = _BSD_LABELS[label]
        timing.values[metric] = (value, unit)
        if metric in _OF_MACOS and timing.resident is not None:
            timing.values["max_rss"] = (timing.resident, "bytes")


def _elapsed(text: str, number: int) -> float:
    """Return the seconds of h:mm:ss or m:ss."""
    seconds = 0.0
    for part in text.split(":"):
        seconds = 60 * seconds + _number(part, number)
    return seconds


def _number(text: str, number: int) -> float:
    if re.fullmatch(r"\d{1,18}(?:\.\d*)?", text):
        return float(text)
    raise unexpected(text, number, "a number")


def _incomplete(number: int, expected: str) -> InputError:
    return InputError(
        "the timing is not whole",
        where=f"line {number}",
        expected=expected,
        hint="Is the file cut off, or did output of the command come between?",
    )
