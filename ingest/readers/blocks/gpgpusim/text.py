"""Words of a GPGPU-Sim log: PTX instructions, launches, basic-block listings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warehouse.errors import InputError

_LOCATED = re.compile(r"(?P<file>.*):(?P<line>\d+) - (?P<code>.*)", re.DOTALL)
_CODE = re.compile(
    r"(?:@!?(?P<guard>\S+)\s+)?(?P<opcode>\S+?);?(?:\s+(?P<operands>.*))?", re.DOTALL
)
_REGISTER = re.compile(r"%[A-Za-z_$][\w$]*")
# Read-only special registers (PTX ISA, "Special Registers") have no writer to depend on.
_SPECIAL = re.compile(
    r"%(?:n?tid|n?warpid|laneid|n?ctaid|n?smid|gridid|lanemask_\w+|clock\w*|pm\d\w*|envreg\d+"
    r"|globaltimer\w*|total_smem_size|aggr_smem_size|dynamic_smem_size|is_explicit_cluster"
    r"|n?clusterid|cluster_\w+|reserved_\w+|current_graph_exec)"
)
_WITHOUT_RESULT = frozenset(
    (
        *("st", "stu", "red", "sust", "stmatrix", "prefetch", "prefetchu", "cp", "discard"),
        *("bra", "brx", "call", "callp", "ret", "retp", "exit", "break", "trap", "brkpt", "nop"),
        *("bar", "barrier", "membar", "fence", "nanosleep", "pmevent", "applypriority"),
    )
)
# The instructions after which GPGPU-Sim itself begins a block (ptx_ir.cc, create_basic_blocks).
_ENDS_BLOCK = frozenset(("bra", "brx", "ret", "retp", "exit", "break", "trap"))


@dataclass(frozen=True, slots=True)
class Instruction:
    """One static PTX instruction.

    `text` is `file:line - code` as the log writes it. `ends_block` is whether whatever runs next
    begins a block; `ends_thread` that nothing runs next in a kernel without calls.
    """

    pc: int
    text: str
    file: str
    line: int
    opcode: str
    kind: str
    guarded: bool
    writes: tuple[str, ...]
    reads: tuple[str, ...]

    @property
    def is_call(self) -> bool:
        """A call of a device function; what follows it is not in this function."""
        return self.kind in {"call", "callp"}

    @property
    def is_return(self) -> bool:
        """A return, maybe from a device function."""
        return self.kind in {"ret", "retp"}

    @property
    def is_barrier(self) -> bool:
        """A barrier among threads."""
        return self.kind in {"bar", "barrier"}

    @property
    def ends_block(self) -> bool:
        """Control may go elsewhere after it."""
        return self.kind in _ENDS_BLOCK

    @property
    def ends_thread(self) -> bool:
        """The thread is over after it."""
        return self.kind in {"ret", "exit"} and not self.guarded


def instruction(pc: int, text: str) -> Instruction | None:
    """Read an instruction from `file:line - code`; None where it is not of that form."""
    located = _LOCATED.fullmatch(text)
    parsed = _CODE.fullmatch(located["code"]) if located else None
    if located is None or parsed is None or len(located["line"]) > 9:
        return None
    kind = parsed["opcode"].split(".")[0]
    results, sources = _operands(kind, parsed["operands"] or "")
    guard = parsed["guard"]
    return Instruction(
        pc, text, located["file"], int(located["line"]), parsed["opcode"], kind,
        guarded=guard is not None,
        writes=_registers(results),
        reads=_registers(f"{guard or ''} {sources}"),
    )  # fmt: skip


def _operands(kind: str, operands: str) -> tuple[str, str]:
    """Split operands into the result (the first, be it a vector) and the sources."""
    if kind in _WITHOUT_RESULT or operands.startswith("["):
        return "", operands
    if operands.startswith("{"):
        result, brace, sources = operands.partition("}")
        return result + brace, sources
    result, _, sources = operands.partition(",")
    return result, sources


def _registers(operands: str) -> tuple[str, ...]:
    names = dict.fromkeys(_REGISTER.findall(operands))
    return tuple(name for name in names if not _SPECIAL.fullmatch(name))


class Listing:
    """The basic blocks of functions as GPGPU-Sim lists them at PTX_SIM_DEBUG=50.

    `blocks` maps a function whose listing is complete to its instructions in order, each with the
    number of its block.
    """

    _TITLE = re.compile(r"Printing basic blocks for function '(.*)':\s*")
    _SUMMARY = re.compile(r"Summary of basic blocks for '(.*)':\s*")
    _CODE = re.compile(r"bb_(\d{1,9})\s*:\s+PC=0x([0-9a-f]{1,8}) \((.*):(\d{1,9})\) (.*?)\s*")
    _LABEL = re.compile(r"bb_(\d{1,9})\s*:\s+\(.*:\d+\) .*")
    _OTHER = re.compile(r"bb_\d+\s*:\s+first: \S+\s+last: \S+\s*")

    def __init__(self) -> None:
        self.blocks: dict[str, list[tuple[int, Instruction]]] = {}
        self._function: str | None = None
        self._entries: list[tuple[int, Instruction]] = []
        self._number = 0

    def add(self, line: str, where: str) -> None:
        """Take one line of a listing; others are skipped."""
        if title := self._TITLE.fullmatch(line):
            self.end(where)
            self._function, self._entries, self._number = title[1], [], 0
        elif (summary := self._SUMMARY.fullmatch(line)) and self._function is not None:
            if not self._entries or summary[1] != self._function:
                raise _damaged_listing(f"'{self._function}' has no blocks", where)
            if self.blocks.setdefault(self._function, self._entries) != self._entries:
                raise _damaged_listing(f"'{self._function}' is listed twice, differently", where)
            self._function = None
        elif code := self._CODE.fullmatch(line):
            self._add_code(code, where)
        elif label := self._LABEL.fullmatch(line):
            self._count(int(label[1]), where)
        elif line.startswith("bb_") and not self._OTHER.fullmatch(line):
            raise _damaged_listing("the line does not name a block and its instruction", where)

    def end(self, where: str) -> None:
        """Raise where a listing is not complete."""
        if self._function is not None:
            raise _damaged_listing(f"the listing of '{self._function}' is cut off", where)

    def _add_code(self, code: re.Match[str], where: str) -> None:
        found = instruction(int(code[2], 16), f"{code[3]}:{code[4]} - {code[5]}")
        if self._function is None or found is None:
            raise _damaged_listing("the block belongs to no function", where)
        before = self._entries[-1][1].pc if self._entries else None
        if before is not None and found.pc != before + 8:
            raise _damaged_listing(f"PC={found.pc:#05x} comes after {before:#05x}", where)
        self._count(int(code[1]), where)
        self._entries.append((int(code[1]), found))

    def _count(self, number: int, where: str) -> None:
        """Take the number of a block, which may contain labels only: they have no PC."""
        if not 0 <= number - self._number <= 1:
            raise _damaged_listing(f"block {number} comes after block {self._number}", where)
        self._number = number


def _damaged_listing(problem: str, where: str) -> InputError:
    return InputError(
        problem,
        where=where,
        expected="bb_01 :  PC=0x050 (FILE.ptx:44) INSTRUCTION;",
        hint="Save the whole listing, from 'Printing basic blocks' to 'done pre-decoding'.",
    )


@dataclass(frozen=True, slots=True)
class Push:
    """A kernel was launched; sizes are x, y, z."""

    kernel: str
    grid: tuple[int, int, int]
    block_dim: tuple[int, int, int]


_PUSH = re.compile(
    r"GPGPU-Sim PTX: pushing kernel '(.*)' to stream \d+, "
    r"gridDim= ?\((\d+),(\d+),(\d+)\) blockDim ?= ?\((\d+),(\d+),(\d+)\)\s*"
)


def push(line: bytes, where: str) -> Push:
    """Read the line that announces a launch."""
    found = _PUSH.fullmatch(line.decode())
    sizes = [int(size) for size in found.groups()[1:]] if found else []
    if found is None or not all(0 < size < 1 << 31 for size in sizes):
        raise InputError(
            "the launch line is damaged",
            where=where,
            expected="... pushing kernel 'NAME' to stream 0, gridDim= (4,1,1) blockDim = (128,1,1)",
            hint="Copy or record the log again.",
        )
    if sizes[3] * sizes[4] * sizes[5] > 1 << 16:
        raise InputError(
            f"a thread block of {sizes[3]} x {sizes[4]} x {sizes[5]} threads is not possible",
            where=where,
            expected="at most 1024 threads",
            hint="Copy or record the log again.",
        )
    return Push(found[1], (sizes[0], sizes[1], sizes[2]), (sizes[3], sizes[4], sizes[5]))
