"""The contract's case of the reader ncu-source; the sample is written here, in ncu's syntax."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "ncu-source" / "source_page.csv"

COLUMNS = (
    *("Address", "Source", "Warp Stall Sampling (All Cycles)", "Instructions Executed"),
    *("# Samples", "Instructions Executed", "Thread Instructions Executed", "Divergent Branches"),
)
CODE = (
    ("      S2R R0, SR_TID.X ", 8, 256),
    ("      ISETP.GE.AND P0, PT, R0, c[0x0][0x160], PT ", 8, 256),
    ("@P0   BRA 0x7f1000000050 ", 8, 256),
    ("      BAR.SYNC.DEFER_BLOCKING 0x0 ", 6, 180),
    ("@!P0  BRA 0x7f1000000060 ", 2, 40),
    ("      EXIT ", 8, 256),
)


def page(name: str = "sum(float *, int)", code: tuple[tuple[str, int, int], ...] = CODE) -> str:
    """Write a kernel's page."""
    lines = [("Kernel Name", name), COLUMNS]
    for number, (source, warps, threads) in enumerate(code):
        fields = (f"0x7f10000000{16 * number:02x}", source, 3, warps, 3, warps, threads, 0)
        lines.append(tuple(str(value) for value in fields))
    return "".join(",".join(f'"{field}"' for field in line) + "\n" for line in lines)


COPY = (
    ("      S2R R0, SR_TID.X ", 9, 288),
    ("      LDG.E R1, [R2.64] ", 9, 288),
    ("      IADD3 R1, R1, 0x1, RZ ", 9, 288),
    ("      STG.E [R2.64], R1 ", 9, 288),
    ("      EXIT ", 9, 288),
    ("      BRA 0x7f1000000050 ", 0, 0),
)


def sample() -> str:
    """Write the sample. Its second kernel is the shorter half: cut in the middle, one is whole."""
    return f"{page()}\n{page('copy(float *)', COPY)}"


def enlarge(folder: Path, times: int) -> Path:
    """Write a page with more kernels."""
    path = folder / "source_page.csv"
    path.write_text("\n".join(page(f"kernel{k}") for k in range(2 * times)), encoding="utf-8")
    return path


CASE = Case(
    reader="ncu-source",
    sample=SAMPLE,
    golden=(
        (
            "SELECT launch, kernel, grid, block_size, warp_size, granularity, instructions, "
            "warp_instructions FROM bb_launches ORDER BY launch",
            [
                (0, "sum(float *, int)", None, None, 32, "warp", 1244, 40),
                (1, "copy(float *)", None, None, 32, "warp", 1440, 45),
            ],
        ),
        (
            "SELECT launch, bb, opcode, count FROM bb_opcodes ORDER BY ALL",
            [
                (0, None, "BAR.SYNC.DEFER_BLOCKING", 180),
                (0, None, "BRA", 296),
                (0, None, "EXIT", 256),
                (0, None, "ISETP.GE.AND", 256),
                (0, None, "S2R", 256),
                (1, None, "BRA", 0),
                (1, None, "EXIT", 288),
                (1, None, "IADD3", 288),
                (1, None, "LDG.E", 288),
                (1, None, "S2R", 288),
                (1, None, "STG.E", 288),
            ],
        ),
    ),
    enlarge=enlarge,
    cut_may_land=True,  # a page that ends after a row is as good as whole
)
