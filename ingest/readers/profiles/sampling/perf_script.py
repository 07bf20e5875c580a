"""Samples as `perf script` prints them: stacks, one line a function, or functions alone.

Source: perf-script(1), tools/perf/builtin-script.c, and what perf 6.1 prints, by default and with
fields of one's own (-F). Samples with a stack end with an empty line. What lands:

- `cpu-clock` and `task-clock` count nanoseconds: the sums of their periods are the time in
  fn_timings. Periods of other events (cycles, page-faults ...) are sums in pmu_samples, an estimate
  of what the event counted. Both need the period (-F +period; it is there by default).
- The number of samples, in pmu_samples: `samples`, or `samples of EVENT` where the file has several
  events, or nothing else says which it is.
- Of tracepoints, which have no function without -g, only that number, by thread.
- Call paths begin with the command: `command make`. Inlined functions are functions. One without
  a symbol is the object it is in, such as [libc.so.6], or [unknown].
- `thread` is the thread id. Samples without a call graph (no -g) have no callers: their path and
  what functions take with their callees is unknown, and the command name is left out.

With --header the file states machine, processor, kernel, date (local time of an unknown zone, taken
as UTC, at which the recording ended), and the command (tag `command`). The app is the first word of
the command line that samples are named by, else the command of the first thread (by its id), unless
all processors were recorded. Shells, scripts and launchers (mpirun, env ...) only start the
program: where it is one of these, the app is the other command with the most samples.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np

from ingest.base import Head, Item, LeftOut, Rows, Run, SingleFile
from ingest.parsing.call_paths import UNKNOWN, frame_name
from ingest.parsing.dates import ctime_date
from ingest.parsing.lines import Chunk, chunks, unexpected
from ingest.readers.profiles.sampling.commands import (
    BEFORE,
    CLOCK,
    FACT,
    object_name,
    perf_run,
    program,
)
from ingest.readers.profiles.sampling.stacks import NO_THREAD, Measure, Stacks, Tally
from ingest.recording import Recording
from warehouse.errors import InputError

# The fields of a sample's first line, in perf's order. perf pads them to fixed widths: a number
# that is 10 wide is a period, else a thread.
_ESCAPED = rb"\\x[89a-f][0-9a-f]"
_COMM = rb" *(?P<comm>(?:%b|[^\s#])(?:(?:%b|.){0,14}?(?:%b|\S))?) " % ((_ESCAPED,) * 3)
_WIDE = b"|".join(b" {%d}\\d{%d}" % (10 - n, n) for n in range(1, 10)) + rb"|\d{10,18}"
_IDS = rb"(?!(?:" + _WIDE + rb") ) *(?:-?\d{1,7}/)?(?P<tid>-?\d{1,7}) *? "
_TIME = rb" *\d+\.\d{3,9}: "
_PERIOD = rb"(?P<period>" + _WIDE + rb") "
_EVENT = rb" *(?P<event>[^\s\[\d]\S*?):(?: |$)(?P<rest>.*)"
_ALONE = rb" (?=[ 0-9a-f]{16}(?: |$)) *[0-9a-f]{1,16}(?: .*)?"
_NO_EVENT = rb"(?P<rest>" + _ALONE + rb")?"
_CPU = rb"(?:(?P<cpu>\[\d+\]) )?(?:[A-Z]{1,4} *)?"
_Shown = tuple[bool, bool, bool, bool, bool]  # event, time, thread, command, period


@cache
def _forms() -> dict[_Shown, re.Pattern[bytes]]:
    """Return patterns of first lines by what they show; the more, the likelier, and the earlier."""
    return {
        (event, time, ids, comm, period): re.compile(
            (_COMM if comm else b"(?P<comm>)")
            + (_IDS if ids else b"(?P<tid>)")
            + _CPU
            + (_TIME if time else b"")
            + (_PERIOD if period else b"(?P<period>)")
            + (_EVENT if event else b"(?P<event>)" + _NO_EVENT)
        )
        for event, time, ids, comm, period in product((True, False), repeat=5)
    }


_HEADER = b"# ========\n# captured on"
_FRAME = re.compile(r"([0-9a-f]{1,16})(?: (.*))?")
_OFFSET = re.compile(r"(.*)\+0x[0-9a-f]+(?: \((.*)\))?")
_OBJECT = re.compile(r"(?:(.*?) )?\(([^()]*(?: \(deleted\))?)\)")
_PLACED = re.compile(rb"\t(?=[ 0-9a-f]{16}) *[0-9a-f]{1,16}(?: |$)")
_IN_LINE = re.compile(_ALONE)
_RECORD = re.compile(rb"PERF_RECORD_([A-Z_0-9]+)(?: lost (\d+))?")
_BEFORE = tuple(name.encode() for name in BEFORE)
# Of what was seen before, 70 MB in all.
_MOST_KNOWN = 1 << 16
_MOST_TEXT = 24 << 20


class PerfScript(SingleFile):
    """Reads what perf recorded of running programs, sample by sample."""

    NAME = "perf-script"
    DESCRIPTION = "perf script: samples of perf record, with call graphs (-g) or without"
    PATTERNS = ("perf.script", "*.perf", "perf-script.txt")
    TABLES = ("fn_timings", "pmu_samples")

    def sniff(self, head: Head) -> bool:
        """Recognise a first sample: its line, and below it or at its end a function."""
        lines = list(_beginning(head.data))
        if head.data.startswith(_HEADER) and len(lines) < 2:
            return True  # the header is all that is known of the file
        for line, below in lines:
            if _RECORD.search(line) is None:
                if _PLACED.match(below) and b"\0" not in line:
                    return any(form.fullmatch(line) for form in _forms().values())
                return any(
                    _IN_LINE.fullmatch(found["rest"])
                    or (shown[1] and not found["rest"])
                    or (all(shown[:4]) and found["cpu"] and b": " in line)
                    for shown, form in _forms().items()
                    if shown[0] and shown[2] and shown[3] and (found := form.fullmatch(line))
                )
        return False

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run and its rows; see `Reader.read`."""
        samples = _Samples()
        for piece in _whole_samples(recording):
            samples.take(piece)
        yield samples.run()
        yield from samples.items()


def _beginning(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the first lines that are no comments, each with the line below it."""
    lines = data.split(b"\n", 400)[:-1]
    # Without any field there is only an empty line above the stack.
    begin = next(
        (n for n, line in enumerate(lines) if line.strip() and line[:1] != b"#"), len(lines)
    )
    if 0 < begin < len(lines) and not lines[begin - 1].strip() and lines[begin].startswith(b"\t"):
        begin -= 1
    shown = [line.rstrip(b"\r") for line in lines[begin : begin + 100]]
    yield from zip(shown, [*shown[1:], b""], strict=False)


def _whole_samples(recording: Recording) -> Iterator[Chunk]:
    """Yield the file in pieces that end where a sample ends.

    Raises `InputError` where the file ends within a sample.
    """
    piece, rest, first, stacks = b"", b"", 1, False
    for chunk in chunks(recording, must_end=re.compile(r".*\)\s*").fullmatch):
        data = rest + (chunk.data.replace(b"\r\n", b"\n") if b"\r" in chunk.data else chunk.data)
        stacks = stacks or data.startswith(b"\t") or b"\n\t" in data
        end = data.rfind(b"\n\n") + 2 if stacks else len(data)
        if end > 1:
            piece, rest = data[:end], data[end:]
            yield Chunk(piece, first)
            first += piece.count(b"\n")
        else:
            rest = data
    # Where only an empty line is missing, the last function is the outermost of other samples, too.
    if stacks and rest.strip() and rest.rstrip().rpartition(b"\n")[2] + b"\n\n" in piece:
        rest += b"\n\n"
        recording.unended.add(recording.path)
    elif stacks and any(
        not line.startswith(b"#") and _RECORD.search(line) is None for line in rest.splitlines()
    ):
        raise InputError(
            "the file ends within a stack",
            where=f"line {first + len(rest.splitlines()) - 1}",
            expected="an empty line after the last function of each sample",
            hint="The file seems cut off; if it is whole, add an empty line.",
        )
    if rest:
        yield Chunk(rest, first)


class _Samples:
    """Adds up the samples of a file."""

    def __init__(self) -> None:
        self._stacks = Stacks()
        self._forms: list[re.Pattern[bytes]] = []
        # Thread, event, whether there is a period, and command of samples, numbered.
        self._kinds: dict[tuple[bytes, bytes, bool, bytes], int] = {}
        self._tally = Tally()
        self._facts: dict[str, str] = {}
        self._commands: dict[bytes, str] = {}
        self._samples: Counter[bytes] = Counter()  # of each command
        self._threads: dict[bytes, bytes] = {}  # the command of each thread, as it began
        self._system_wide = False
        self._traced: Counter[tuple[bytes, bytes]] = Counter()  # tracepoints without a function
        self._without_stack = self._lost = self._records = 0
        # What was seen before is not parsed again.
        self._functions: dict[bytes, str] = {}
        self._names: dict[str, str] = {}
        self._callers: dict[tuple[bytes, bytes], int] = {}
        self._leaves: dict[tuple[int, bytes], int] = {}
        self._callers_text = 0
        self._in_line = self._in_stack = False

    def take(self, piece: Chunk) -> None:
        """Take some whole samples; raises `InputError` at a line that belongs to none."""
        begin = 0
        for block in piece.data.split(b"\n\n"):
            line, _, stack = block.partition(b"\n")
            if stack[:1] != b"\t" or not self._whole(line, stack):
                self._lines(piece, begin, block)
            begin += len(block) + 2

    def run(self) -> Run:
        """Return what is known of the run."""
        app = program(
            self._facts.get("cmdline", ""),
            {name: self._samples[raw] for raw, name in self._commands.items()},
            {int(tid): self._commands[raw] for tid, raw in self._threads.items()},
            system_wide=self._system_wide,
        )
        return perf_run(self._facts, app, ctime_date(self._facts.get("captured on", "")))

    def items(self) -> Iterator[Item]:
        """Yield the rows, and what was left out."""
        if self._traced and not self._in_line and not self._in_stack:
            yield self._events()
            yield LeftOut(self._lost, "sample", "lost while they were recorded")
            return
        if not self._in_line and not self._in_stack:
            raise InputError(
                "no sample has a function or a stack"
                if self._without_stack
                else "there are no samples",
                expected="fields ip and sym: perf script -F comm,tid,time,period,event,ip,sym,dso",
            )
        self._stacks.flat = not self._in_stack
        for known in (self._callers, self._leaves, self._functions, self._names):
            known.clear()  # its memory is that of the rows now
        samples, periods = self._measures()
        yield from self._stacks.items([*periods, *samples])
        yield LeftOut(self._without_stack, "sample", "without a stack")
        yield LeftOut(self._lost, "sample", "lost while they were recorded")
        yield LeftOut(self._records, "line", "about processes and mappings, no sample")

    def _events(self) -> Rows:
        """Return how often each thread had each event, of tracepoints that were recorded alone."""
        return Rows.of_columns(
            "pmu_samples",
            thread=[None if tid.startswith(b"-") else int(tid) for tid, _ in self._traced],
            event=[f"samples of {event.decode()}" for _, event in self._traced],
            value=list(self._traced.values()),
            unit="samples",
        )

    def _measures(self) -> tuple[list[Measure], list[Measure]]:
        """Return the numbers of samples and the sums of periods, of each event."""
        kind, path, count, period = self._tally.columns()
        # Threads that had ended, and the idle ones of system-wide recordings, are -1.
        threads = [
            int(tid) if tid and tid[:1] != b"-" else NO_THREAD for tid, _, _, _ in self._kinds
        ]
        thread = np.array(threads, np.int64)[kind]
        has_period = np.array([known for _, _, known, _ in self._kinds])[kind]
        events = list(dict.fromkeys(event for _, event, _, _ in self._kinds))
        number = np.array([events.index(event) for _, event, _, _ in self._kinds])[kind]
        counts: list[Measure] = []
        periods: list[Measure] = []
        for at, raw in enumerate(events):
            event, of_event = raw.decode(), number == at
            clock = CLOCK.fullmatch(event)
            first = next(known for _, one, known, _ in self._kinds if one == raw)
            known = first or clock or not event
            name = "samples" if known and len(events) == 1 else f"samples of {event}"
            sums = thread[of_event], path[of_event], count[of_event]
            counts.append(Measure(name, "samples", arrays=sums))
            if event and (rows := of_event & has_period).any():
                sums = thread[rows], path[rows], period[rows]
                periods.append(Measure(event, per_second=1e9 if clock else None, arrays=sums))
        return counts, periods

    def _whole(self, line: bytes, stack: bytes) -> bool:
        """Take a sample of which nothing else is between two empty lines; False where it is not."""
        found = self._fields(line)
        if found is None:
            return False
        try:
            path = self._path(found["comm"], stack)
        except ValueError:
            return False
        self._in_stack = True
        self._add(found, path)
        return True

    def _add(self, found: re.Match[bytes], path: int) -> None:
        tid, event, period, comm = found.group("tid", "event", "period", "comm")
        self._samples[comm] += 1
        kind = self._kinds.get((tid, event, bool(period), comm))
        if kind is None:
            kind = self._kinds[tid, event, bool(period), comm] = len(self._kinds)
            if tid and comm and self._threads.get(tid, _BEFORE[0]) in _BEFORE:
                self._threads[tid] = comm
        self._tally.add(kind, path, int(period or 0))

    def _path(self, comm: bytes, stack: bytes) -> int:
        """Return the number of the path of a stack, whose leaf comes first.

        Raises `ValueError` where a line is not of a stack.
        """
        leaf, _, callers = stack.partition(b"\n")
        base = self._callers.get((comm, callers))
        if base is None:
            base = self._callers_path(comm, callers)
        path = self._leaves.get((base, leaf))
        if path is None:
            if len(self._leaves) > _MOST_KNOWN:
                self._leaves.clear()
            path = self._leaves[base, leaf] = self._stacks.paths.below(base, self._function(leaf))
        return path

    def _callers_path(self, comm: bytes, callers: bytes) -> int:
        lines = callers.split(b"\n") if callers else []
        if not all(line[:1] == b"\t" for line in lines):
            raise ValueError
        names = [self._function(line) for line in reversed(lines)]
        if comm:
            names.insert(0, frame_name(f"command {self._commands[comm]}"))
        if self._callers_text > _MOST_TEXT:
            self._callers.clear()
            self._callers_text = 0
        self._callers_text += len(callers) + 200
        code = self._callers[comm, callers] = self._stacks.path(names)
        return code

    def _function(self, line: bytes) -> str:
        name = self._functions.get(line)
        if name is None:
            if len(self._functions) > _MOST_KNOWN:
                self._functions.clear()
            name = _function(line)
            name = self._functions[line] = self._names.setdefault(name, name)
        return name

    def _lines(self, piece: Chunk, begin: int, block: bytes) -> None:
        """Take lines one by one: comments, samples without a stack, and what is around them."""
        line: bytes | None = None
        place, stack = begin, []
        for raw in block.split(b"\n"):
            if raw[:1] == b"\t":
                place, line = (begin, b"") if line is None else (place, line)
                stack.append(raw)
            elif raw[:1] == b"#":
                self._comment(raw)
            elif raw[:2] == b"  " and self._is_source(piece, place, line, raw):
                pass
            else:
                self._one(piece, place, line, stack)
                line, place, stack = raw, begin, []
                if record := _RECORD.search(raw):
                    line = None
                    self._records += record[2] is None
                    self._lost += int(record[2] or 0)
            begin += len(raw) + 1
        self._one(piece, place, line, stack)

    def _is_source(self, piece: Chunk, place: int, line: bytes | None, raw: bytes) -> bool:
        """Return whether a line is that of the source of a function above it (-F srcline)."""
        if not line:
            return False
        self._known_fields(piece, place, line)
        return not any(form.fullmatch(raw) for form in self._forms)

    def _one(self, piece: Chunk, begin: int, line: bytes | None, stack: list[bytes]) -> None:
        """Take a sample's first line, and its stack, if it has one."""
        if stack:
            self._known_fields(piece, begin, line or b"")
            if not self._whole(line or b"", b"\n".join(stack)):
                raise self._strange(piece, begin + len(line or b"") + 1, b"\n".join(stack))
        elif line and line.strip():
            found = self._known_fields(piece, begin, line)
            rest = found["rest"] or b""
            if _IN_LINE.fullmatch(rest):
                self._in_line = True
                self._add(found, self._stacks.path([self._function(rest)]))
            else:
                self._without_stack += 1
                if rest and found["tid"] and found["event"]:
                    self._traced[found["tid"], found["event"]] += 1

    def _known_fields(self, piece: Chunk, begin: int, line: bytes) -> re.Match[bytes]:
        """Return the fields of a sample's first line; raise `InputError` where it is none."""
        found = self._fields(line)
        if found is None:
            raise self._strange(piece, begin, line)
        return found

    def _fields(self, line: bytes) -> re.Match[bytes] | None:
        """Return the fields of a sample's first line, None where it is none."""
        if not self._forms:
            first = next((shown for shown, form in _forms().items() if form.fullmatch(line)), None)
            if first is None:
                return None
            # Events without a period, as those of tracepoints, are printed without.
            second = (*first[:4], not first[4])
            self._forms = [_forms()[first], _forms()[second]]
        for form in self._forms:
            if found := form.fullmatch(line):
                comm = found["comm"]
                if comm and comm not in self._commands:
                    self._commands[comm] = comm.decode()
                    self._system_wide |= found["cpu"] is not None
                return found
        return None

    def _strange(self, piece: Chunk, begin: int, lines: bytes) -> InputError:
        """Return the error for a first line, or for the first of a stack that is none."""
        found = lines.split(b"\n")
        wrong = next((n for n, raw in enumerate(found) if not _is_function(raw)), 0)
        number = piece.line_at(begin) + wrong
        text = found[wrong].decode()
        return unexpected(
            text,
            number,
            "a sample (COMMAND TID TIME: PERIOD EVENT:), or a function of its stack "
            "(7f00 main+0x10 (/home/user/program))",
            "Is the file damaged here? Let perf script print it again.",
        )

    def _comment(self, raw: bytes) -> None:
        if found := FACT.fullmatch(raw.decode()):
            self._facts.setdefault(found[1], found[2])


def _is_function(line: bytes) -> bool:
    try:
        _function(line)
    except ValueError:
        return False
    return line.startswith(b"\t")


def _function(line: bytes) -> str:
    """Return the name in a line of a stack; raise `ValueError` where it is none."""
    found = _FRAME.fullmatch(line.decode().strip())
    if found is None:
        raise ValueError
    text = found[2] or ""
    text = text.removesuffix(" (inlined)")
    if placed := _OFFSET.fullmatch(text):
        name, where = placed[1], placed[2]
    elif placed := _OBJECT.fullmatch(text):
        name, where = placed[1] or "", placed[2]
    else:
        name, where = text, None
    if name and name != UNKNOWN:
        return frame_name(name)
    return object_name(where) if where else UNKNOWN
