"""One file of callgrind: what each instruction cost, and where calls and jumps went."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ingest.parsing.lines import check_line_end, chunks
from ingest.readers.profiles.callgrind.call_graph import Calls
from ingest.readers.profiles.callgrind.costs import ADDRESS_BITS, Costs, cost_lines
from ingest.readers.profiles.callgrind.header import Header, read_header
from ingest.readers.profiles.callgrind.names import FILE, NAME, OBJECT, UNKNOWN, Names
from ingest.recording import Recording
from udfs.arrays import Flags, Integers
from warehouse.errors import InputError

_WORDS = re.compile(rb"^(?:([a-z]+)([=:])[ ]?([^\n]*?) ?|[^-+*\d#\n][^\n]*)$", re.MULTILINE)
_FLOW = re.compile(
    rb"(\d{1,18})(?:/(\d{1,18}))?(?:[ \t]+(?:(\*)|([+-]?)(0x[0-9a-fA-F]{1,16}|\d{1,18})))?"
    rb"(?:[ \t]+.*)?"
)
_NEXT_PART = re.compile(
    rb"^(?:version|creator|pid|cmd|part|thread|desc|positions|events?):", re.MULTILINE
)
_TOTAL = re.compile(r"-?\d{1,19}")
_KINDS = {
    **dict.fromkeys((b"ob", b"cob", b"job"), OBJECT),
    **dict.fromkeys((b"fl", b"fi", b"fe", b"cfl", b"cfi", b"jfi", b"jfl"), FILE),
    **dict.fromkeys((b"fn", b"cfn", b"jfn"), NAME),
}
_PLACES = {b"ob": 0, b"fl": 1, b"fi": 1, b"fe": 1, b"fn": 2}
_FLOWS = (b"calls", b"jcnd", b"jump")
_LARGEST = float(1 << 62)
_HINT = "Is the file cut off or damaged? Let the program end under callgrind, and copy all of it."
_OTHERS_HINT = (
    "Is the file cut off? If it is whole, its writer left lines out (stackprof does that of C "
    "functions): let it write another form that pwh reads (pwh readers)."
)


@dataclass(frozen=True, slots=True)
class Rows:
    """A part of a profile: what instructions cost, by place in the code.

    `code` is `object << 48 | address`, `costs` (events, rows); an instruction may come again.
    """

    code: Integers
    line: Integers
    file: Integers
    function: Integers
    costs: Integers


class Flow(NamedTuple):
    """A call or jump from one instruction to another, `taken` of `executed` times.

    `kind` is calls, jump or jcnd.
    """

    kind: bytes
    start: int
    target: int
    taken: int
    executed: int


@dataclass(slots=True)
class Profile:
    """Content of one part of a file about one thread.

    `flows` are calls and jumps by address, empty in profiles by source line.
    """

    header: Header
    path: Path
    rows: list[Rows] = field(default_factory=list)
    calls: list[Calls] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    total: tuple[int, ...] = ()


class _Pending(NamedTuple):
    """A line of a call or jump, whose own position is in the line after it."""

    begin: int
    end: int
    kind: bytes
    found: re.Match[bytes]
    object: int
    function: int


def read_profiles(recording: Recording, part: Path, names: Names) -> list[Profile]:
    """Read a file; raises `InputError` with the line where it is damaged or not whole."""
    names.begin_file()
    profiles: list[Profile] = []
    reading: _Reading | None = None
    lines = 0
    last = b""
    for piece in _functions(recording, part):
        last = piece.rpartition(b"\n")[2]
        # valgrind itself leaves out the last line's end; the totals show whether the file is whole.
        text = piece + b"\n" if last else piece
        while text:
            if reading is None:
                before = profiles[-1].header if profiles else None
                header, size = read_header(text, part.name, lines, before)
                lines += text.count(b"\n", 0, size)
                text = text[size:]
                reading = _Reading(Profile(header, part), names, lines)
                profiles.append(reading.profile)
            follows = _NEXT_PART.search(text)
            end = len(text) if follows is None else follows.start()
            body, text = text[:end], text[end:]
            if body:
                reading.take(body)
                lines += body.count(b"\n")
            if follows is not None:
                reading.finish()
                reading = None
    if reading is not None:
        reading.finish()
        if header.by_yappi:
            # It never ends its last line, but names all functions before the first has its costs.
            reading.check_functions()
        elif not (reading.has_totals or header.by_valgrind):
            check_line_end(recording, last.decode("utf-8", "replace") or "\n", part=part)
    return profiles


def _functions(recording: Recording, part: Path) -> Iterator[bytes]:
    """Yield the file in pieces that end before a function begins."""
    rest = b""
    for chunk in chunks(recording, part):
        piece = chunk.data.replace(b"\r\n", b"\n") if b"\r" in chunk.data else chunk.data
        cut = piece.rfind(b"\nfn=") + 1
        if cut:
            yield rest + piece[:cut]
            rest = piece[cut:]
        else:
            rest += piece
    if rest:
        yield rest


class _Reading:
    """The state of reading one part of a file."""

    def __init__(self, profile: Profile, names: Names, lines: int) -> None:
        positions = profile.header.positions
        self.profile = profile
        self._names = names
        self._lines = lines
        self._before = np.zeros(len(positions), np.int64)
        self._limits = np.array(
            [1 << (31 if name == "line" else ADDRESS_BITS) for name in positions]
        )
        unknown = [names.number(kind, UNKNOWN) or 0 for kind in (OBJECT, FILE, NAME)]
        self._place = [*unknown[:2], names.function(*unknown)]
        self._called: dict[bytes, int] = {}
        self._named: set[int] = set()
        self._totals: bytes | None = None
        self._summary = profile.header.summary
        self._sums = [0] * len(profile.header.events)

    @property
    def has_totals(self) -> bool:
        """Whether the line of totals was read, which ends a part."""
        return self._totals is not None

    def take(self, text: bytes) -> None:
        """Take whole functions."""
        costs = cost_lines(text, self._before, self._limits, len(self._sums))
        if costs.wrong is not None:
            raise self._fault(text, costs.wrong, "the cost line cannot be read")
        places = [(0, *self._place)]
        pending: list[_Pending] = []
        for found in _WORDS.finditer(text):
            self._word(text, found, places, pending)
        if costs.start.size:
            self._add(text, costs, np.array(places), pending)
            self._before = costs.positions[:, -1]
        elif pending:
            raise self._fault(text, pending[0].end, "the line after a call or jump is missing")
        self._lines += text.count(b"\n")

    def finish(self) -> None:
        """Check that the part is whole, by the sums at its end; note what it is to sum up to.

        Only valgrind itself and Xdebug always write such sums: where they are missing, the file was
        cut. Those of Xdebug may be more than its lines.
        """
        expected = " ".join(map(str, self._sums))
        header = self.profile.header
        summary = self._numbers(self._summary)
        if self._called:
            raise self._fault(b"", 0, "the calls of a called function are missing")
        if self._totals is None:
            by_xdebug = (header.creator or "").startswith("xdebug ")
            whole = summary is not None if by_xdebug else not header.by_valgrind
            whole = whole or summary == self._sums
            problem = "the line of totals at the end is missing"
        else:
            totals = self._totals.decode("utf-8", "replace")
            whole = self._numbers(totals) == self._sums
            problem = f"the costs add up to {expected}, the totals are {totals[:60]}"
        if not whole:
            raise InputError(
                problem,
                where=f"{self.profile.path.name}, line {max(self._lines, 1)}",
                expected=f"totals: {expected}",
                hint=_HINT if header.by_valgrind else _OTHERS_HINT,
            )
        self.profile.total = tuple(summary or self._sums)

    def check_functions(self) -> None:
        """Raise `InputError` where a function that the part names has no costs."""
        functions = self._names.functions()
        found = {functions[row].name for rows in self.profile.rows for row in rows.function}
        if missing := self._named - found:
            name = self._names.all(NAME)[min(missing)]
            raise self._fault(b"", 0, f"the costs of {name} are missing")

    def _numbers(self, text: str | None) -> list[int] | None:
        """Return costs of all events, those left out at the end being 0; None for no costs."""
        words = (text or "").split()
        if not words or len(words) > len(self._sums) or not all(map(_TOTAL.fullmatch, words)):
            return None
        return [int(word) for word in words] + [0] * (len(self._sums) - len(words))

    def _fault(self, text: bytes, at: int, problem: str) -> InputError:
        line = self._lines + text.count(b"\n", 0, at) + 1
        return InputError(
            problem,
            where=f"{self.profile.path.name}, line {line}",
            expected="fn=(1) main, 0x401136 12 3, calls=1 0x401156 20, jcnd=3/4 -13 *",
            hint=_HINT,
        )

    def _word(
        self, text: bytes, found: re.Match[bytes], places: list[tuple[int, ...]],
        pending: list[_Pending],
    ) -> None:  # fmt: skip
        """Take a line that is no cost line."""
        key, value = (found[1], found[3]) if found[2] == b"=" else (b"", b"")
        if key in _KINDS:
            number = self._names.number(_KINDS[key], value)
            if number is None:
                raise self._fault(text, found.start(), "the number has no name, or another one")
            if key == b"fn":
                self._named.add(number)
                number = self._names.function(self._place[0], self._place[1], number)
            if key in _PLACES:
                self._place[_PLACES[key]] = number
                places.append((found.start(), *self._place))
            else:
                self._called[key] = number
        elif key in _FLOWS and (flow := _FLOW.fullmatch(value)):
            called, self._called = self._called, {}
            other = called.get(b"cob" if key == b"calls" else b"job", self._place[0])
            function = self._place[2]
            if key == b"calls" and b"cfn" in called:
                file = called.get(b"cfi", called.get(b"cfl", self._place[1]))
                function = self._names.function(other, file, called[b"cfn"])
            pending.append(_Pending(found.start(), found.end() + 1, key, flow, other, function))
        elif found[1] == b"totals" and found[2] == b":" and self._totals is None:
            self._totals = found[3]
        elif found[1] == b"summary" and found[2] == b":" and self._summary is None:
            self._summary = found[3].decode("utf-8", "replace")
        else:
            raise self._fault(text, found.start(), "the line is none of a profile")

    def _add(self, text: bytes, costs: Costs, places: Integers, pending: list[_Pending]) -> None:
        """Take cost lines, and the calls and jumps at their places."""
        place = np.searchsorted(places[:, 0], costs.start, side="right") - 1
        begins = [flow.begin for flow in pending]
        after = np.searchsorted(costs.start, begins)
        beyond = after >= costs.start.size
        lost = beyond | (costs.start[np.where(beyond, 0, after)] != [flow.end for flow in pending])
        if lost.any():
            at = pending[int(np.flatnonzero(lost)[0])].end
            raise self._fault(
                text, min(at, len(text) - 1), "the place of a call or jump is missing"
            )
        own: Flags = np.ones(costs.start.size, np.bool_)
        own[after] = False
        objects, files, functions = places[place, 1], places[place, 2], places[place, 3]
        for flow in pending:
            self._check_times(text, flow)
        names = self.profile.header.positions
        code = np.zeros_like(objects)
        if "instr" in names:
            code = objects << ADDRESS_BITS | costs.positions[0]
            former = np.concatenate((self._before[:1], costs.positions[0]))
            for flow, k in zip(pending, after.tolist(), strict=True):
                self._flow(text, flow, int(code[k]), int(former[k]))
        line = costs.positions[-1] if "line" in names else np.zeros_like(code)
        mine = costs.costs[:, own]
        sums = mine.sum(axis=1).tolist()
        if mine.size and float(mine.sum(dtype=np.float64)) + max(self._sums) >= _LARGEST:
            raise self._fault(
                text, int(costs.start[0]), "the costs are beyond 64 bits from here on"
            )
        self._sums = [before + more for before, more in zip(self._sums, sums, strict=True)]
        self.profile.rows.append(Rows(code[own], line[own], files[own], functions[own], mine))
        called = [(flow, k) for flow, k in zip(pending, after.tolist(), strict=True)
                  if flow.kind == b"calls"]  # fmt: skip
        if called:
            lines = np.array([k for _, k in called])
            callee = np.array([flow.function for flow, _ in called])
            times = np.array([int(flow.found[1]) for flow, _ in called])
            self.profile.calls.append(Calls(functions[lines], callee, times, costs.costs[:, lines]))

    def _check_times(self, text: bytes, flow: _Pending) -> None:
        """Raise `InputError` where a jump is taken more often than executed."""
        executed = flow.found[2]
        if (flow.kind == b"jcnd") == (executed is None) or int(flow.found[1]) > int(
            executed or flow.found[1]
        ):
            raise self._fault(
                text, flow.begin, "more jumps are taken than executed, or one is missing"
            )

    def _flow(self, text: bytes, flow: _Pending, start: int, former: int) -> None:
        """Take a call or jump; `former` is the address of the cost line before."""
        times, executed, here, sign, number = flow.found.groups()
        if here is None and number is None:
            raise self._fault(text, flow.begin, "the target is no address")
        address = int(number or b"0", 0)
        if here is not None or sign:
            address = former + (-address if sign == b"-" else address)
        if not 0 <= address < 1 << ADDRESS_BITS:
            raise self._fault(text, flow.begin, "the target is no address")
        target = flow.object << ADDRESS_BITS | address
        self.profile.flows.append(
            Flow(flow.kind, start, target, int(times), int(executed or times))
        )
