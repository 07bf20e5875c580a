"""GPGPU-Sim logs: the sample, and logs written for single tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "gpgpusim" / "halve.log"

HEAD = """\
This log was written for tests, in the syntax of GPGPU-Sim 4.
        *** GPGPU-Sim Simulator Version 4.2.0  [build none] ***
GPGPU-Sim PTX: setting debug level to 5
-gpgpu_shader_core_pipeline              1024:32 # shader core pipeline config
"""
# The last thread goes round the shift; all meet at the barrier.
HALVE = {
    0: "halve.ptx:12 - mov.u32 %r1, %tid.x;",
    8: "halve.ptx:13 - setp.ge.u32 %p1, %r1, 33;",
    16: "halve.ptx:14 - @%p1 bra $L2;",
    24: "halve.ptx:16 - shl.b32 %r2, %r1, 2;",
    32: "halve.ptx:19 - bar.sync 0;",
    40: "halve.ptx:20 - ret;",
}
THROUGH = (0, 8, 16, 24, 32, 40)
ROUND = (0, 8, 16, 32, 40)
JOIN = """\
GPGPU-Sim PTX: reconvergence points for halve...
GPGPU-Sim PTX:  1 (potential) branch divergence @  PC=0x010 (halve.ptx:14) @%p1 bra $L2;
GPGPU-Sim PTX:    immediate post dominator      @  PC=0x020 (halve.ptx:19) bar.sync 0;
GPGPU-Sim PTX: ... end of reconvergence points for halve
"""
LISTING = """\
Printing basic blocks for function 'halve':
bb_00\t:  PC=0x000 (halve.ptx:12) mov.u32 %r1, %tid.x;
bb_00\t:  PC=0x008 (halve.ptx:13) setp.ge.u32 %p1, %r1, 33;
bb_00\t:  PC=0x010 (halve.ptx:14) @%p1 bra $L2;

bb_01\t:  PC=0x018 (halve.ptx:16) shl.b32 %r2, %r1, 2;

bb_02\t:                 (halve.ptx:19) bar.sync 0;
bb_02\t:  PC=0x020 (halve.ptx:19) bar.sync 0;
bb_02\t:  PC=0x028 (halve.ptx:20) ret;

Summary of basic blocks for 'halve':
bb_00\t: first: mov\t last: bra\t
bb_03\t: first: NULL\t last: NULL\t

Printing basic blocks links for function 'halve':
ID: 0\t:Successors: 1 2
"""


class Writer:
    """Writes instruction lines, numbering instructions and threads as the simulator does."""

    def __init__(self) -> None:
        self.number = 0
        self.uid = 1

    def lines(
        self, paths: Sequence[Sequence[int]], code: dict[int, str] = HALVE, *,
        grid: int = 1, first_block: int = 0,
    ) -> str:  # fmt: skip
        """Run thread blocks, one after another; every path is that of one thread of each."""
        text = []
        for block in range(first_block, first_block + grid):
            for start in range(0, len(paths), 32):
                text += self._warp(range(start, min(start + 32, len(paths))), paths, block, code)
            self.uid += len(paths)
        return "".join(text)

    def _warp(
        self, lanes: range, paths: Sequence[Sequence[int]], block: int, code: dict[int, str]
    ) -> list[str]:
        # Lanes at the smallest pc go first, which is lock step with reconvergence.
        at = dict.fromkeys(lanes, 0)
        text = []
        while left := [lane for lane in lanes if at[lane] < len(paths[lane])]:
            pc = min(paths[lane][at[lane]] for lane in left)
            for lane in left:
                if paths[lane][at[lane]] == pc:
                    at[lane] += 1
                    text.append(
                        f"{self.number} [thd={self.uid + lane}][i={pc // 8 + 1}] : "
                        f"ctaid=({block},0,0) tid=({lane},0,0) icount={at[lane]} [pc={pc}] "
                        f"({code[pc]})  [0x{lane:x}]\n"
                    )
                    self.number += 1
        return text


def launch(writer: Writer, paths: Sequence[Sequence[int]], grid: int = 1) -> str:
    """Write a launch of `halve` in functional simulation."""
    body = writer.lines(paths, grid=grid)
    return f"{begin(len(paths), grid)}{body}{done(writer)}"


def begin(threads: int, grid: int = 1, kernel: str = "halve") -> str:
    """Write the lines before the first instruction of a launch."""
    return (
        f"GPGPU-Sim PTX: pushing kernel '{kernel}' to stream 0, "
        f"gridDim= ({grid},1,1) blockDim = ({threads},1,1) \n"
        f"GPGPU-Sim: Performing Functional Simulation, executing kernel {kernel}...\n"
    )


def done(writer: Writer) -> str:
    """Write the end of a launch."""
    return f"GPGPU-Sim: Done functional simulation ({writer.number} instructions simulated).\n"


def whole(times: int = 1) -> str:
    """Write the sample, its second launch made `times` as large."""
    new = Writer()
    return (
        HEAD
        + JOIN
        + launch(new, [THROUGH] * 33 + [ROUND])
        + launch(new, [THROUGH] * 4, grid=2 * times)
    )


def enlarge(folder: Path, times: int) -> Path:
    """Write the sample with a larger grid."""
    path = folder / "halve.log"
    path.write_text(whole(times * 6))
    return path


CASE = Case(
    reader="gpgpusim",
    sample=SAMPLE,
    golden=(
        (
            "SELECT launch, kernel, grid, block_dim, block_size, warp_size, granularity, "
            "instructions, warp_instructions FROM bb_launches ORDER BY launch",
            [
                (0, "halve", [1, 1, 1], [34, 1, 1], 34, 32, "thread", 203, 12),
                (1, "halve", [2, 1, 1], [4, 1, 1], 4, 32, "thread", 48, 12),
            ],
        ),
        (
            "SELECT launch, bb, sum(visits), sum(instructions) FROM bb_visits "
            "GROUP BY ALL ORDER BY ALL",
            [
                (0, 0, 34, 102),
                (0, 1, 33, 33),
                (0, 2, 34, 68),
                (1, 0, 8, 24),
                (1, 1, 8, 8),
                (1, 2, 8, 16),
            ],
        ),
        (
            "SELECT block, warp, thread, bb, visits, instructions FROM bb_visits "
            "WHERE launch = 0 AND thread >= 32 ORDER BY ALL",
            [
                (0, 1, 32, 0, 1, 3),
                (0, 1, 32, 1, 1, 1),
                (0, 1, 32, 2, 1, 2),
                (0, 1, 33, 0, 1, 3),
                (0, 1, 33, 2, 1, 2),
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
                ("halve", 0, 3, 0, 0, 16, "halve", "halve.ptx", 12),
                ("halve", 1, 1, 0, 24, 24, "halve", "halve.ptx", 16),
                ("halve", 2, 2, 1, 32, 40, "halve", "halve.ptx", 19),
            ],
        ),
        (
            "SELECT bb, opcode, count FROM bb_opcodes WHERE launch = 0 ORDER BY ALL",
            [
                (0, "bra", 34),
                (0, "mov.u32", 34),
                (0, "setp.ge.u32", 34),
                (1, "shl.b32", 33),
                (2, "bar.sync", 34),
                (2, "ret", 34),
            ],
        ),
        (
            "SELECT bb, distance, count FROM bb_dependences WHERE launch = 0 ORDER BY ALL",
            [(0, 1, 68), (0, None, 34), (1, 3, 33), (2, None, 68)],
        ),
    ),
    enlarge=enlarge,
    others=(SAMPLE.with_name("statistics.log"),),
    cut_may_land=True,  # at the end of a launch a log is as good as whole
)
