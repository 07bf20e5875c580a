"""Warp traces: the sample, and traces written for single tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "nvbit" / "kernelslist.g"

HEADER = """\
-kernel name = {name}
-kernel id = 1
-grid dim = ({grid},1,1)
-block dim = ({threads},1,1)
-shmem = 0
-nregs = 8
-binary version = {sm}
-cuda stream id = 0
-nvbit version = 1.5.5
-accelsim tracer version = 4
-enable lineinfo = {lines}

#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]

"""  # noqa: E501
LISTED = "MemcpyHtoD,0x00007f2b2d500000,400\n{}\nMemcpyHtoD,0x00007f2b2d500400,400\n{}\n"
# Lanes may go round the shift; all meet at the barrier. PCs are those of sm_61.
HALVE = {
    0x08: "1 R1 S2R 0 0 ",
    0x10: "0 ISETP.GE.AND 1 R1 0 ",
    0x18: "0 BRA 0 0 ",
    0x28: "1 R2 SHL 1 R1 0 ",
    0x30: "1 R3 LDG.E 1 R2 4 1 0x7f2b2d500000 4 ",
    0x38: "0 BAR.SYNC 0 0 ",
    0x48: "0 STG.E 2 R2 R3 4 2 0x7f2b2d500400 0 0 ",
    0x50: "0 EXIT 0 0 ",
}
THROUGH = (0x08, 0x10, 0x18, 0x28, 0x30, 0x38, 0x48, 0x50)
ROUND = (0x08, 0x10, 0x18, 0x38, 0x48, 0x50)
JUMPS = ("BRA", "EXIT")
Off = Callable[[int, int], bool]


def follower(pc: int, sm: int = 61) -> int:
    """Return the PC after an instruction, if control goes on there."""
    if sm >= 70:
        return pc + 16
    return pc + 8 if (pc + 8) % 32 else pc + 16


def trace(
    *blocks: Sequence[Sequence[int]], code: Mapping[int, str] = HALVE, name: str = "halve",
    sm: int = 61, lines: bool = False, off: Off = lambda pc, thread: False,
) -> str:  # fmt: skip
    """Write a trace: of every thread block the way of each thread, as PCs.

    Lanes at the smallest PC go first, which is lock step with reconvergence. `off` is which
    thread's predicate switches an instruction off; a branch that is not taken is off anyway.
    """
    text = [
        HEADER.format(name=name, grid=len(blocks), threads=len(blocks[0]), sm=sm, lines=int(lines))
    ]
    for number, paths in enumerate(blocks):
        text.append(f"\n#BEGIN_TB\n\nthread block = {number},0,0\n\n")
        for first in range(0, len(paths), 32):
            body = _warp(paths[first : first + 32], first, code, sm, lines, off)
            text.append(f"warp = {first // 32}\ninsts = {len(body)}\n{''.join(body)}\n")
        text.append("#END_TB\n")
    return "".join(text)


def _warp(
    paths: Sequence[Sequence[int]], first: int, code: Mapping[int, str], sm: int, lines: bool,
    off: Off,
) -> list[str]:  # fmt: skip
    at = [0] * len(paths)
    body = []
    while left := [k for k, path in enumerate(paths) if at[k] < len(path)]:
        pc = min(paths[k][at[k]] for k in left)
        mask = 0
        for k in left:
            if paths[k][at[k]] != pc:
                continue
            at[k] += 1
            stays = at[k] < len(paths[k]) and paths[k][at[k]] == follower(pc, sm)
            jump = any(f" {name} " in f" {code[pc]}" for name in JUMPS)
            if not (jump and stays) and not off(pc, first + k):
                mask |= 1 << k
        number = f"{pc} " if lines else ""
        body.append(f"{number}{pc:04x} {mask:08x} {code[pc]}\n")
    return body


def sample(times: int = 1) -> dict[str, str]:
    """Write the sample, its second launch made `times` as large."""
    return {
        "kernelslist.g": LISTED.format("kernel-1.traceg", "kernel-2.traceg"),
        "kernel-1.traceg": trace([THROUGH] * 33 + [ROUND]),
        "kernel-2.traceg": trace(*([THROUGH] * 4 for _ in range(2 * times))),
    }


def enlarge(folder: Path, times: int) -> Path:
    """Write the sample with a larger grid."""
    for name, text in sample(times * 6).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "kernelslist.g"


CASE = Case(
    reader="nvbit",
    sample=SAMPLE,
    golden=(
        (
            "SELECT left(run_id, 6), tags['sm'], tags['tracer'] FROM runs",
            [("nvbit-", "sm_61", "NVBit 1.5.5")],
        ),
        (
            "SELECT launch, kernel, grid, block_dim, block_size, warp_size, granularity, "
            "instructions, warp_instructions FROM bb_launches ORDER BY launch",
            [
                (0, "halve", [1, 1, 1], [34, 1, 1], 34, 32, "thread", 237, 16),
                (1, "halve", [2, 1, 1], [4, 1, 1], 4, 32, "thread", 56, 16),
            ],
        ),
        (
            "SELECT launch, bb, sum(visits), sum(instructions) FROM bb_visits "
            "GROUP BY ALL ORDER BY ALL",
            [
                (0, 0, 34, 69),
                (0, 1, 33, 66),
                (0, 2, 34, 102),
                (1, 0, 8, 16),
                (1, 1, 8, 16),
                (1, 2, 8, 24),
            ],
        ),
        (
            "SELECT block, warp, thread, bb, visits, instructions FROM bb_visits "
            "WHERE launch = 0 AND thread >= 32 ORDER BY ALL",
            [
                (0, 1, 32, 0, 1, 2),
                (0, 1, 32, 1, 1, 2),
                (0, 1, 32, 2, 1, 3),
                (0, 1, 33, 0, 1, 3),
                (0, 1, 33, 2, 1, 3),
            ],
        ),
        (
            "SELECT launch, block, thread, src, dst, count FROM bb_edges ORDER BY ALL",
            [
                (0, None, None, 0, 1, 33),
                (0, None, None, 0, 2, 1),
                (0, None, None, 1, 2, 33),
                (1, None, None, 0, 1, 8),
                (1, None, None, 1, 2, 8),
            ],
        ),
        (
            "SELECT kernel, bb, size, barriers, pc_first, pc_last, function, source_file, "
            "source_line FROM bb_blocks ORDER BY bb",
            [
                ("halve", 0, 3, 0, 8, 24, "halve", None, None),
                ("halve", 1, 2, 0, 40, 48, "halve", None, None),
                ("halve", 2, 3, 1, 56, 80, "halve", None, None),
            ],
        ),
        (
            "SELECT bb, opcode, count FROM bb_opcodes WHERE launch = 0 ORDER BY ALL",
            [
                (0, "BRA", 1),
                (0, "ISETP.GE.AND", 34),
                (0, "S2R", 34),
                (1, "LDG.E", 33),
                (1, "SHL", 33),
                (2, "BAR.SYNC", 34),
                (2, "EXIT", 34),
                (2, "STG.E", 34),
            ],
        ),
        (
            "SELECT bb, distance, count FROM bb_dependences WHERE launch = 0 ORDER BY ALL",
            [(0, 1, 34), (0, None, 68), (1, 1, 33), (1, 3, 33), (2, 2, 33), (2, None, 69)],
        ),
    ),
    enlarge=enlarge,
    cut_may_land=True,  # a list of traces that ends after a line is as good as whole
)
