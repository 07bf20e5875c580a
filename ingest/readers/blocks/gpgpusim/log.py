"""A GPGPU-Sim log from begin to end: which launch is running, and whether the log is whole."""

from __future__ import annotations

import math
import re
from functools import partial

import numpy as np

from ingest.readers.blocks.gpgpusim.fields import Fields
from ingest.readers.blocks.gpgpusim.launch import Launch, Summary
from ingest.readers.blocks.gpgpusim.program import Program
from ingest.readers.blocks.gpgpusim.text import Listing, Push, push
from ingest.readers.blocks.gpgpusim.threads import Spool
from udfs.arrays import Integers
from warehouse.errors import InputError

_BRANCH = re.compile(rb"GPGPU-Sim PTX: +\d+ \(potential\) branch divergence @.*")
_JOIN = re.compile(rb"GPGPU-Sim PTX: +immediate post dominator +@ (.*)")
_JOIN_PLACE = re.compile(r" ?PC=0x([0-9a-f]{1,8}) \((.*):(\d{1,9})\) (.*?)\s*")
_LAST_BRANCH = b"GPGPU-Sim PTX: ... end of reconvergence points"


class ProgramNotes:
    """Adds post-dominators to the program, and lines to the listing."""

    def __init__(self, program: Program, listing: Listing) -> None:
        self._program = program
        self._listing = listing
        self._branch: str | None = None

    def take(self, line: bytes, where: str) -> None:
        """Take a line that describes the program."""
        if line.startswith((b"Printing basic blocks", b"Summary of basic blocks", b"bb_")):
            self._listing.add(line.decode(), where)
        elif found := _JOIN.fullmatch(line):
            self._join(found[1].decode(), where)
        elif _BRANCH.fullmatch(line) or line.startswith(_LAST_BRANCH):
            if self._branch is not None:
                raise InputError(
                    "the branch has no post-dominator line",
                    where=self._branch,
                    expected="'immediate post dominator' in the line after it",
                    hint="Copy or record the log again.",
                )
            self._branch = None if line.startswith(_LAST_BRANCH) else where

    def _join(self, place: str, where: str) -> None:
        """Take an immediate post-dominator, where the paths of a branch join."""
        self._branch = None
        if not place.strip():
            return
        found = _JOIN_PLACE.fullmatch(place)
        if found is None:
            raise InputError(
                "the post-dominator cannot be read",
                where=where,
                expected="PC=0x0a8 (FILE.ptx:57) INSTRUCTION;",
                hint="Copy or record the log again.",
            )
        self._program.add_join(int(found[1], 16), f"{found[2]}:{found[3]} - {found[4]}", where)


_TRANSFER = re.compile(
    rb"(?:GPGPU-Sim API: stream \d+ performing )?kernel (?:(\d+): )?'(.*)' "
    rb"transfer to GPU hardware scheduler.*"
)
_FUNCTIONAL = re.compile(
    rb"GPGPU-Sim: Performing Functional Simulation, executing kernel (.*)\.\.\."
)
_DONE = re.compile(
    rb"GPGPU-Sim: Done functional simulation \((\d{1,18}) instructions simulated\).*"
)
_END = re.compile(rb"kernel_launch_uid = (\d+)\s*")
_VERSION = re.compile(rb" +\*\*\* GPGPU-Sim Simulator Version (\S+) .*")
_WARP_SIZES = (4, 8, 16, 32, 64, 128)
_WARP_SIZE = re.compile(rb"-gpgpu_shader_core_pipeline +\d+:(\d{1,4})\b.*")

_CUT = "Let the simulation end before saving its log, and save all of it."


class Log:
    """Takes a log piece by piece; `finish` checks that it was whole.

    `pushes` are its launches in order, `summaries` what is known of those that are over.
    """

    def __init__(self, listing: Listing, spool: Spool) -> None:
        self.program = Program()
        self.version: str | None = None
        self.warp_size = 32
        self.functional = False
        self.pushes: list[Push] = []
        self.summaries: dict[int, Summary] = {}
        self._spool = spool
        self._listing = listing
        self._notes = ProgramNotes(self.program, listing)
        self._running: dict[int, Launch] = {}
        self._rows = 0
        self._next_number = 0
        self._gap: str | None = None
        self._only_uid: int | None = None
        self._single = True

    def take(self, lines: Fields) -> None:
        """Take the next piece of the log."""
        if lines.damaged is not None:
            raise self._fault_at(lines.damaged, "the instruction line is damaged")
        for row, line in lines.notes:
            self._notes.take(line, f"line {self._rows + row + 1}")
        self.program.add_listing(self._listing)
        ids = self._resolve(lines) if lines.row.size else np.zeros(0, np.int64)
        done = 0
        for row, line in lines.notes:
            upto = int(np.searchsorted(lines.row, row))
            self._advance(lines, ids, done, upto)
            done = upto
            self._note_launch(line, f"line {self._rows + row + 1}")
        self._advance(lines, ids, done, lines.row.size)
        self._rows += lines.rows

    @property
    def whole(self) -> bool:
        """Every instruction of every thread is in the log, not one thread's only."""
        return self._gap is None

    @property
    def has_instructions(self) -> bool:
        """An instruction line was met."""
        return self._only_uid is not None

    def finish(self) -> None:
        """End the log; raises `InputError` where it is not whole."""
        where = f"line {self._rows}"
        for number, launch in enumerate(self.pushes):
            if number not in self.summaries:
                raise InputError(
                    f"the log ends before launch {number}, of '{launch.kernel}', is done",
                    where=where,
                    expected="'Done functional simulation' or the statistics of the kernel",
                    hint=_CUT,
                )
        if not self.has_instructions:
            raise InputError(
                "the log has no instruction lines",
                where=where,
                expected="0 [thd=1][i=1] : ctaid=(0,0,0) tid=(0,0,0) icount=1 [pc=0] (...)",
                hint="Run the simulation with PTX_SIM_DEBUG=5 in the environment.",
            )
        self.program.check_joins()

    def _resolve(self, lines: Fields) -> Integers:
        """Find the instructions, and check that the running numbers have no gap."""
        jumps = lines.number - np.arange(lines.number.size) != self._next_number
        if self._gap is None and jumps.any():
            k = int(np.flatnonzero(jumps)[0])
            self._gap = f"line {self._rows + int(lines.row[k]) + 1}"
        if self._only_uid is None:
            self._only_uid = int(lines.uid[0])
        self._single &= bool((lines.uid == self._only_uid).all())
        # PTX_SIM_DEBUG_THREAD_UID leaves one thread's lines, with gaps; any other gap is a loss.
        if self._gap is not None and not self._single:
            raise InputError(
                "instruction lines are missing before this one: the running number jumps",
                where=self._gap,
                expected="one line per executed instruction, numbered without gaps",
                hint=_CUT,
            )
        return self.program.resolve(lines, partial(self._fault, lines))

    def _fault(self, lines: Fields, index: int, problem: str) -> InputError:
        return self._fault_at(int(lines.row[index]), problem)

    def _fault_at(self, row: int, problem: str) -> InputError:
        return InputError(
            problem,
            where=f"line {self._rows + row + 1}",
            expected="452 [thd=5][i=16] : ctaid=(0,0,0) tid=(4,0,0) icount=15 [pc=112] "
            "(FILE.ptx:43 - INSTRUCTION;)  [0x10]",
            hint="Is the log cut off or damaged here? Copy or record it again.",
        )

    def _advance(self, lines: Fields, ids: Integers, first: int, end: int) -> None:
        """Pass instruction lines to the launch that is running."""
        if first == end:
            return
        self._next_number = int(lines.number[end - 1]) + 1
        where = f"line {self._rows + int(lines.row[first]) + 1}"
        if not self._running:
            self._start(where)
        if len(self._running) > 1:
            names = " and ".join(f"'{launch.push.kernel}'" for launch in self._running.values())
            raise InputError(
                f"{names} run at the same time: their instructions cannot be distinguished",
                where=where,
                expected="one kernel at a time",
                hint="Run the program with CUDA_LAUNCH_BLOCKING=1 in the environment.",
            )
        (launch,) = self._running.values()
        launch.advance(lines, ids, slice(first, end), partial(self._fault, lines))

    def _note_launch(self, line: bytes, where: str) -> None:
        """Take a line about what the simulator does."""
        if line.startswith(b"GPGPU-Sim PTX: pushing kernel"):
            self.pushes.append(push(line, where))
        elif found := _TRANSFER.fullmatch(line):
            self._start(where, found[2], int(found[1]) - 1 if found[1] else None)
        elif found := _FUNCTIONAL.fullmatch(line):
            self.functional = True
            names = {launch.push.kernel.encode() for launch in self._running.values()}
            if found[1] not in names:
                self._start(where, found[1])
            for launch in self._running.values():
                launch.in_order = True
        elif found := _DONE.fullmatch(line):
            self._done(int(found[1]), where)
        elif found := _END.fullmatch(line):
            self._end(int(found[1]) - 1, where)
        elif found := _VERSION.fullmatch(line):
            self.version = found[1].decode()
        elif found := _WARP_SIZE.fullmatch(line):
            self.warp_size = int(found[1])
            if self.warp_size not in _WARP_SIZES:
                raise InputError(
                    f"warps of {self.warp_size} threads are not possible",
                    where=where,
                    expected="-gpgpu_shader_core_pipeline 1024:32",
                    hint="Copy or record the log again.",
                )

    def _start(self, where: str, kernel: bytes | None = None, number: int | None = None) -> None:
        """Let a pushed launch run: the one of that number, else the first of that name waiting."""
        waiting = [
            k
            for k, what in enumerate(self.pushes)
            if k not in self._running
            and k not in self.summaries
            and kernel in (None, what.kernel.encode())
        ]
        if not waiting:
            what = "a kernel" if kernel is None else f"'{kernel.decode()}'"
            raise InputError(
                f"{what} runs that was not launched",
                where=where,
                expected="'pushing kernel' in a line before",
                hint="Save the whole log.",
            )
        k = number if number in waiting else waiting[0]
        self._running[k] = Launch(k, self.pushes[k], self.warp_size, self.program, self._spool)

    def _done(self, count: int, where: str) -> None:
        """End a functional simulation, which shows how many instructions there were in all."""
        if self.whole and count != self._next_number and self._only_uid is not None:
            raise InputError(
                f"the simulator counts {count} instructions up to here, "
                f"but the log has {self._next_number}",
                where=where,
                expected="one line per executed instruction",
                hint=_CUT,
            )
        for number in list(self._running):
            self._end(number, where)

    def _end(self, number: int, where: str) -> None:
        if number not in self._running and len(self._running) == 1:
            number = next(iter(self._running))
        launch = self._running.pop(number, None)
        if launch is None:
            return
        self.summaries[number] = launch.finish(where)
        expected = math.prod((*launch.push.grid, *launch.push.block_dim))
        if self.whole and launch.threads not in (0, expected):
            raise InputError(
                f"{launch.threads} of the {expected} threads of '{launch.push.kernel}' ran",
                where=where,
                expected="every thread of a launch",
                hint="Are lines missing, or was the simulation limited (-gpgpu_max_cta)?",
            )
