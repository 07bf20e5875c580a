"""One file of callgrind: what each instruction cost, and where calls and jumps went."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ingest.parsing.lines import chunks
from ingest.readers.callgrind.costs import ADDRESS_BITS, Costs, Integers, Mask, cost_lines
from ingest.readers.callgrind.header import Header, read_header
from ingest.readers.callgrind.names import FILE, FUNCTION, OBJECT, UNKNOWN, Names
from ingest.recording import Recording
from warehouse.errors import InputError

_WORDS = re.compile(rb"^(?:([a-z]+)([=:])[ ]?([^\n]*?) ?|[^-+*\d#\n][^\n]*)$", re.MULTILINE)
_FLOW = re.compile(
    rb"(\d{1,18})(?:/(\d{1,18}))? (?:(\*)|([+-]?)(0x[0-9a-f]{1,16}|\d{1,18}))(?: .*)?"
)
_KINDS = {
    **dict.fromkeys((b"ob", b"cob", b"job"), OBJECT),
    **dict.fromkeys((b"fl", b"fi", b"fe", b"cfl", b"cfi", b"jfi", b"jfl"), FILE),
    **dict.fromkeys((b"fn", b"cfn", b"jfn"), FUNCTION),
}
_PLACES = {b"ob": 0, b"fl": 1, b"fi": 1, b"fe": 1, b"fn": 2}
_FLOWS = (b"calls", b"jcnd", b"jump")
_HEADER = (b"version", b"part", b"thread", b"pid", b"events", b"positions", b"summary")
_LARGEST = float(1 << 62)
_COMBINED = "Record without --combine-dumps=yes, which puts all profiles into one file."
_HINT = "Is the file cut off or damaged? Let the program end under callgrind, and copy all of it."


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

    `kind` is calls, jump or jcnd, `function` the one that is called.
    """

    kind: bytes
    function: int
    start: int
    target: int
    taken: int
    executed: int


@dataclass(slots=True)
class Profile:
    """What one file contains about one thread."""

    header: Header
    part: Path
    rows: list[Rows] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)


class _Pending(NamedTuple):
    """A line of a call or jump, whose own position is in the line after it."""

    begin: int
    end: int
    kind: bytes
    found: re.Match[bytes]
    object: int
    function: int


def read_profile(recording: Recording, part: Path, names: Names) -> Profile:
    """Read a file; raises `InputError` with the line where it is damaged or not whole."""
    pieces = _functions(recording, part)
    first = next(pieces, b"")
    header, size = read_header(first, part.name)
    reading = _Reading(Profile(header, part), names, first.count(b"\n", 0, size))
    reading.take(first[size:])
    for piece in pieces:
        reading.take(piece)
    reading.finish()
    return reading.profile


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
    """The state of reading one file."""

    def __init__(self, profile: Profile, names: Names, lines: int) -> None:
        self.profile = profile
        self._names = names
        self._names.begin_file()
        self._lines = lines
        self._before = np.zeros(len(profile.header.positions), np.int64)
        self._place = [names.number(kind, UNKNOWN) or 0 for kind in (OBJECT, FILE, FUNCTION)]
        self._called: dict[bytes, int] = {}
        self._totals: bytes | None = None
        self._sums = [0] * len(profile.header.events)

    def take(self, text: bytes) -> None:
        """Take whole functions."""
        # valgrind itself leaves out the last line's end; the totals show whether the file is whole.
        text += b"" if text.endswith(b"\n") else b"\n"
        costs = cost_lines(text, self._before, len(self._sums))
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
        """Check that the file is whole, by the sums at its end."""
        expected = [str(total) for total in self._sums]
        if self._totals is None:
            problem = "the line of totals at the end is missing"
        elif self._totals.decode("utf-8", "replace").split() != expected:
            problem = f"the costs add up to {' '.join(expected)}, not to the totals"
        else:
            return
        raise InputError(
            problem,
            where=f"{self.profile.part.name}, line {max(self._lines, 1)}",
            expected=f"totals: {' '.join(expected)}",
            hint=_HINT,
        )

    def _fault(self, text: bytes, at: int, problem: str, hint: str = _HINT) -> InputError:
        line = self._lines + text.count(b"\n", 0, at) + 1
        return InputError(
            problem,
            where=f"{self.profile.part.name}, line {line}",
            expected="fn=(1) main, 0x401136 12 3, calls=1 0x401156 20, jcnd=3/4 -13 *",
            hint=hint,
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
            if key in _PLACES:
                self._place[_PLACES[key]] = number
                places.append((found.start(), *self._place))
            else:
                self._called[key] = number
        elif key in _FLOWS and (flow := _FLOW.fullmatch(value)):
            called, self._called = self._called, {}
            other = called.get(b"cob" if key == b"calls" else b"job", self._place[0])
            function = called.get(b"cfn", self._place[2])
            pending.append(_Pending(found.start(), found.end() + 1, key, flow, other, function))
        elif found[1] == b"totals" and found[2] == b":" and self._totals is None:
            self._totals = found[3]
        elif found[1] in _HEADER and found[2] == b":":
            problem = "a second profile begins in the same file"
            raise self._fault(text, found.start(), problem, _COMBINED)
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
        own: Mask = np.ones(costs.start.size, np.bool_)
        own[after] = False
        objects, files, functions = places[place, 1], places[place, 2], places[place, 3]
        names = self.profile.header.positions
        if "instr" in names:
            code = objects << ADDRESS_BITS | costs.positions[0]
            former = np.concatenate((self._before[:1], costs.positions[0]))
            for flow, k in zip(pending, after.tolist(), strict=True):
                self._flow(text, flow, int(code[k]), int(former[k]))
        else:
            code = np.zeros_like(objects)
            for flow in pending:
                self._flow(text, flow, 0, 0)
        line = costs.positions[-1] if "line" in names else np.zeros_like(code)
        mine = costs.costs[:, own]
        sums = mine.sum(axis=1).tolist()
        if mine.size and float(mine.sum(dtype=np.float64)) + max(self._sums) >= _LARGEST:
            raise self._fault(
                text, int(costs.start[0]), "the costs are beyond 64 bits from here on"
            )
        self._sums = [before + more for before, more in zip(self._sums, sums, strict=True)]
        self.profile.rows.append(Rows(code[own], line[own], files[own], functions[own], mine))

    def _flow(self, text: bytes, flow: _Pending, start: int, former: int) -> None:
        """Take a call or jump; `former` is the address of the cost line before."""
        times, executed, _, sign, number = flow.found.groups()
        address = int(number or b"0", 0)
        if sign is None or sign:
            address = former + (-address if sign == b"-" else address)
        conditional = flow.kind == b"jcnd"
        taken = int(times)
        if conditional == (executed is None) or taken > int(executed or times):
            raise self._fault(
                text, flow.begin, "more jumps are taken than executed, or one is missing"
            )
        if not 0 <= address < 1 << ADDRESS_BITS:
            raise self._fault(text, flow.begin, "the target is no address")
        target = flow.object << ADDRESS_BITS | address
        self.profile.flows.append(
            Flow(flow.kind, flow.function, start, target, taken, int(executed or times))
        )
