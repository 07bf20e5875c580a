"""Cycles of blocks of machine code, measured on this machine by `blocks.c`."""

from __future__ import annotations

import os
import platform
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import iced_x86 as ix

from apps.recording.designed_blocks import is_straight
from udfs.progress import Progress, silent
from warehouse.errors import UsageError

_SOURCE = Path(__file__).with_name("blocks.c")
_COMPILERS = ("cc", "gcc", "clang")
# Bytes of a block laid out many times in a row, which first-level caches of all kinds hold.
_BYTES, _FEWEST, _MOST = 4096, 8, 400
_LONGEST_BLOCK = 2048
# Rounds over all blocks: what else runs on the core, unseen, lasts longer than a block takes.
_ROUNDS = 3
# The lowest passes that agree: so many, within so much of the least of them.
_AGREEING, _WITHIN = 3, 0.03
# Of the address that all registers begin with (blocks.c).
_ADDRESS = 0x12345800
# Share of the time that other programs may have the core of the blocks.
_OTHERS = 0.1
# In less time, s, nothing can be said of it: the system counts ticks of 10 ms.
_LEAST_SECONDS = 0.3
_STEPS = {ix.Mnemonic.ADD: 1, ix.Mnemonic.SUB: -1, ix.Mnemonic.INC: 1, ix.Mnemonic.DEC: -1}
_INFO = ix.InstructionInfoFactory()


class Measured(NamedTuple):
    """A block, the cycles of one pass, the relative spread of the passes, and why there are none.

    `problem` is empty where there are cycles; else no_machine_code, too_long, not_straight (calls,
    system calls, other branches than back to its start, addresses relative to its own), no_counter
    (of a loop that does not count in a register by a constant), too_slow, unstable (no three passes
    agree), or the signal that ended it.
    """

    hex: str
    cycles: float | None
    spread: float | None
    problem: str


class _Load:
    """Load of the core of a processor from now on, on any of its hardware threads."""

    def __init__(self, processor: int) -> None:
        self.threads = {f"cpu{k}" for k in _siblings(processor)}
        self.began, self.busy, self.own = time.monotonic(), self._busy(), _own_seconds()

    def of_others(self) -> float:
        """Return how much of the time other programs, or other virtual machines, had."""
        time.sleep(max(0.0, self.began + _LEAST_SECONDS - time.monotonic()))
        own = _own_seconds() - self.own
        return (self._busy() - self.busy - own) / max(time.monotonic() - self.began, 1e-9)

    def _busy(self) -> float:
        """Return the seconds in which the core was busy so far (proc_stat(5))."""
        rows = [line.split() for line in Path("/proc/stat").read_text("ascii").splitlines()]
        # user, nice, system, (idle, iowait,) irq, softirq, steal
        times = [row[1:4] + row[6:9] for row in rows if row and row[0] in self.threads]
        return sum(int(ticks) for row in times for ticks in row) / os.sysconf("SC_CLK_TCK")


def _siblings(processor: int) -> set[int]:
    """Return the hardware threads of a processor's core; itself where the system names none."""
    topology = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
    try:
        parts = [part.partition("-") for part in topology.read_text("ascii").strip().split(",")]
    except OSError:
        return {processor}
    return {k for low, _, high in parts for k in range(int(low), int(high or low) + 1)}


def _own_seconds() -> float:
    """Return the time that this process and those that it started had on processors."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


class _Count(NamedTuple):
    """A register in which a loop counts: for n passes it begins with base + n * step."""

    register: int
    base: int
    step: int


def measure_blocks(
    hexes: Sequence[str], processor: int | None, progress: Progress = silent
) -> list[Measured]:
    """Return the cycles of each block of machine code in hexadecimal, in their order.

    `processor` is that to measure on, the one that this process is on without one. A warning goes
    to `progress` where others used its core. Raises `UsageError` on a machine that is no x86-64
    Linux, or has no C compiler.
    """
    lines = [_line(text) for text in hexes]
    chosen = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if platform.machine().lower() not in ("x86_64", "amd64") or not chosen:
        raise UsageError(
            f"blocks are measured on x86-64 and Linux, this is {platform.machine()}",
            hint="Measure on that machine with its own tools: a CSV file of hex,cycles.",
        )
    if processor is not None and processor not in chosen:
        raise UsageError(
            f"there is no processor {processor}", hint=f"One of: {', '.join(map(str, chosen))}."
        )
    with tempfile.TemporaryDirectory() as folder:
        program = _compiled(Path(folder))
        processor = chosen[-1] if processor is None else processor
        command = [str(program), str(processor)]
        load = _Load(processor)
        problems = {k: line for k, line in enumerate(lines) if " " not in line}
        passes: dict[int, list[float]] = {k: [] for k in range(len(lines)) if k not in problems}
        began = time.monotonic()
        for number in range(1, _ROUNDS + 1):
            done = (time.monotonic() - began) / max(1, number - 1)
            left = done * (_ROUNDS + 1 - number) if number > 1 else None
            progress(f"measuring {len(passes)} blocks: round {number} of {_ROUNDS}", left)
            some = list(passes)
            for place, signaled, values in _run(command, [lines[k] for k in some]):
                passes[some[place]] += values
                if signaled:
                    problems[some[place]] = _ended_by(signaled)
                    del passes[some[place]]
        if (others := load.of_others()) > _OTHERS:
            progress(
                f"other programs had {100 * others:.0f} % of the time of the core of processor "
                f"{processor}, so that cycles can be too high: measure when it is idle, or "
                "name another processor with --cpu"
            )
    texts = [
        line.split()[0] if " " in line else text for text, line in zip(hexes, lines, strict=True)
    ]
    return [
        Measured(text, None, None, problems[k]) if k in problems else _value(text, passes[k])
        for k, text in enumerate(texts)
    ]


def _compiled(folder: Path) -> Path:
    names = (os.environ.get("CC", ""), *_COMPILERS)
    compiler = next((found for name in names if name and (found := shutil.which(name))), None)
    if compiler is None:
        raise UsageError(
            "there is no C compiler to measure with",
            hint="Install gcc or clang, or name one: CC=PATH pwh measure-blocks",
        )
    program = folder / "blocks"
    command = [compiler, "-O2", "-o", str(program), str(_SOURCE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise UsageError(
            f"{compiler} does not compile {_SOURCE.name}: {done.stderr.strip()[-500:]}",
            hint="Name another compiler: CC=PATH pwh measure-blocks",
        )
    return program


def _run(command: list[str], lines: list[str]) -> Iterator[tuple[int, int, list[float]]]:
    """Yield the place of each line, the signal that ended its block, and the cycles of passes."""
    with tempfile.TemporaryFile("w+") as asked, tempfile.TemporaryFile("w+") as errors:
        asked.write("".join(f"{line}\n" for line in lines))
        asked.seek(0)
        try:
            running = subprocess.Popen(  # noqa: S603
                command, stdin=asked, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        except OSError as error:
            raise UsageError(
                f"{command[0]} cannot be run: {error.strerror}",
                hint="Name a folder where programs can be run: TMPDIR=FOLDER pwh measure-blocks",
            ) from None
        with running:
            for line in running.stdout or ():
                place, number, *values = line.split()
                yield int(place), int(number), [float(value) for value in values]
        if running.returncode:
            errors.seek(0)
            raise UsageError(f"blocks cannot be measured here: {errors.read().strip()[-500:]}")


def _ended_by(number: int) -> str:
    return "too_slow" if number == signal.SIGPROF else signal.Signals(number).name


def _value(text: str, passes: list[float]) -> Measured:
    """Return the mean of the lowest passes that agree."""
    values = sorted(value for value in passes if value > 0)
    for k in range(len(values) - _AGREEING + 1):
        least = values[k]
        if values[k + _AGREEING - 1] <= (1 + _WITHIN) * least:
            group = [value for value in values if least <= value <= (1 + _WITHIN) * least]
            spread = statistics.median(values) / least - 1
            return Measured(text, round(statistics.mean(group), 4), round(spread, 4), "")
    return Measured(text, None, None, "unstable")


def _line(text: str) -> str:
    """Return the line of blocks.c for a block, or, without a blank, why it cannot be measured."""
    try:
        code = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        code = b""
    if len(code) > _LONGEST_BLOCK:
        return "too_long"
    instructions = list(ix.Decoder(64, code))
    if not instructions or any(i.code == ix.Code.INVALID for i in instructions):
        return "no_machine_code"
    *body, last = instructions
    is_loop = bool(body) and last.is_jcc_short_or_near and last.near_branch_target == 0
    if not all(is_straight(i) for i in (body if is_loop else instructions)):
        return "not_straight"
    if not is_loop:
        many = max(_FEWEST, min(_MOST, _BYTES // len(code)))
        return f"{code.hex()} {many // 2} {many} -1 0 0"
    count = _count(body, last)
    runs = f"{code.hex()} {_MOST // 2} {_MOST}"
    return "no_counter" if count is None else f"{runs} {count.register} {count.base} {count.step}"


def _count(body: list[Any], jump: Any) -> _Count | None:
    """Return where a loop counts; None where that is not known."""
    compare = body[-1]
    counted, other = _register(compare, 0), _register(compare, 1)
    step = None if counted is None else _step(body, counted)
    if counted is None or step is None:
        return None
    if compare.mnemonic == ix.Mnemonic.CMP:
        return _compared(compare, body, counted, step)
    is_zero = compare.mnemonic in _STEPS or (
        compare.mnemonic == ix.Mnemonic.TEST and other == counted
    )
    if step and is_zero and jump.condition_code == ix.ConditionCode.NE:
        return _Count(counted, 0, -step)
    return None


def _compared(compare: Any, body: list[Any], counted: int, step: int) -> _Count | None:
    """Return where a loop counts that ends by comparing a register, to which `step` is added."""
    other = _register(compare, 1)
    if other is None:
        is_constant = compare.op1_kind not in (ix.OpKind.REGISTER, ix.OpKind.MEMORY)
        return (
            _Count(counted, _signed(compare.immediate(1)), -step)
            if step and is_constant
            else (None)
        )
    back = _step(body, other)
    if step and back == 0:
        return _Count(other, _ADDRESS, step)
    return _Count(counted, _ADDRESS, back) if back and step == 0 else None


def _register(instruction: Any, place: int) -> int | None:
    """Return the number of the general register of an operand, None for other operands."""
    if instruction.op_count <= place or instruction.op_kind(place) != ix.OpKind.REGISTER:
        return None
    register = instruction.op_register(place)
    is_wide = ix.RegisterExt.is_gpr32(register) or ix.RegisterExt.is_gpr64(register)
    return int(ix.RegisterExt.number(register)) if is_wide else None


def _step(body: list[Any], register: int) -> int | None:
    """Return what a pass adds to a register; None where that is not a constant."""
    total = 0
    for i in body:
        for used in _INFO.info(i).used_registers():
            if ix.RegisterExt.full_register(used.register) != ix.Register.RAX + register:
                continue
            if used.access in (ix.OpAccess.READ, ix.OpAccess.COND_READ):
                continue
            is_added = i.mnemonic in _STEPS and _register(i, 0) == register
            if not is_added or (i.op_count > 1 and i.op1_kind == ix.OpKind.REGISTER):
                return None
            if i.op_count > 1 and i.op1_kind == ix.OpKind.MEMORY:
                return None
            total += _STEPS[i.mnemonic] * (_signed(i.immediate(1)) if i.op_count > 1 else 1)
            break
    return total


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value
