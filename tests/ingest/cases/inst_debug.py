"""inst_debug files of GPGPU-Sim: the sample, and files written for single tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "gpgpusim-inst-debug" / "inst_debug.txt"

# By line of the PTX file: threads may go round lines 16 and 17; lines 15 and 18 have labels.
HALVE = {
    12: "ld.param.u64 %rd1, [halve_param_0];",
    13: "setp.ge.u32 %p1, %r1, 33;",
    14: "@%p1 bra $L2;",
    16: "shl.b32 %r2, %r1, 2;",
    17: "mov.u32 %r3, %tid.x;",
    19: "bar.sync 0;",
    20: "ret;",
}
THROUGH = (12, 13, 14, 16, 17, 19, 20)
ROUND = (12, 13, 14, 19, 20)
REGISTERS = (
    "Output Registers:\n      %r1   .b32 0x00000020\nRegister File Contents:\n      %p1   .pred 1\n"
)


def debugged(
    paths: Sequence[Sequence[int]], code: Mapping[int, str] = HALVE, *, first: int = 1,
    file: str = "halve.1.sm_75.ptx",
) -> str:  # fmt: skip
    """Write what threads in lock step execute; every path is that of one thread."""
    at = [0] * len(paths)
    text = []
    while left := [k for k, path in enumerate(paths) if at[k] < len(path)]:
        line = min(paths[k][at[k]] for k in left)
        for k in left:
            if paths[k][at[k]] == line:
                at[k] += 1
                text.append(f"[thd={first + k}] : ({file}:{line} - {code[line]})\n{REGISTERS}")
    return "".join(text)


def enlarge(folder: Path, times: int) -> Path:
    """Write the sample with more threads."""
    path = folder / "inst_debug.txt"
    with path.open("w", encoding="utf-8") as file:
        for number in range(times * 4):
            file.write(debugged([THROUGH, THROUGH, ROUND], first=1 + 3 * number))
    return path


CASE = Case(
    reader="gpgpusim-inst-debug",
    sample=SAMPLE,
    golden=(
        (
            "SELECT launch, kernel, grid, block_size, warp_size, granularity, instructions, "
            "warp_instructions FROM bb_launches",
            [(0, "halve", None, None, None, "thread", 19, None)],
        ),
        (
            "SELECT kernel, block, warp, thread, bb, visits, instructions FROM bb_visits "
            "ORDER BY ALL",
            [
                ("halve", None, None, 1, 0, 1, 3),
                ("halve", None, None, 1, 1, 1, 2),
                ("halve", None, None, 1, 2, 1, 2),
                ("halve", None, None, 2, 0, 1, 3),
                ("halve", None, None, 2, 1, 1, 2),
                ("halve", None, None, 2, 2, 1, 2),
                ("halve", None, None, 3, 0, 1, 3),
                ("halve", None, None, 3, 2, 1, 2),
            ],
        ),
        (
            "SELECT block, thread, src, dst, count FROM bb_edges ORDER BY ALL",
            [(None, None, 0, 1, 2), (None, None, 0, 2, 1), (None, None, 1, 2, 2)],
        ),
        (
            "SELECT kernel, bb, size, barriers, pc_first, pc_last, function, source_file, "
            "source_line FROM bb_blocks ORDER BY bb",
            [
                ("halve", 0, 3, 0, None, None, "halve", "halve.1.sm_75.ptx", 12),
                ("halve", 1, 2, 0, None, None, "halve", "halve.1.sm_75.ptx", 16),
                ("halve", 2, 2, 1, None, None, "halve", "halve.1.sm_75.ptx", 19),
            ],
        ),
        (
            "SELECT bb, opcode, count FROM bb_opcodes ORDER BY ALL",
            [
                (0, "bra", 3),
                (0, "ld.param.u64", 3),
                (0, "setp.ge.u32", 3),
                (1, "mov.u32", 2),
                (1, "shl.b32", 2),
                (2, "bar.sync", 3),
                (2, "ret", 3),
            ],
        ),
        (
            "SELECT bb, distance, count FROM bb_dependences ORDER BY ALL",
            [(0, 1, 3), (0, None, 6), (1, None, 4), (2, None, 6)],
        ),
    ),
    enlarge=enlarge,
    cut_may_land=True,  # after a thread's last instruction a file is as good as whole
)
