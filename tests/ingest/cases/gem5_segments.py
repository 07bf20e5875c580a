"""Segments in the words of gem5's statistics, written for the tests."""

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "gem5-segments" / "segments.csv"


def enlarge(folder: Path, times: int) -> Path:
    header, rest = SAMPLE.read_bytes().split(b"\n", 1)
    path = folder / "segments.csv"
    path.write_bytes(header + b"\n" + rest * times)
    return path


CASE = Case(
    reader="gem5-segments",
    sample=SAMPLE,
    golden=(
        (
            "SELECT segment, instructions, uops, cycles, n_int, n_mul, n_div, n_fp, n_fp_div, "
            "serialising, n_nonspeculative, rob, chain_latency FROM segments ORDER BY segment",
            [
                (0, 3000, 4000, 1300.0, 2100, 100, 0, 320, 20, 0, 0, 128, 9.5),
                (1, 3100, 4000, 1320.0, 2100, 100, 0, 320, 20, 0, 0, 128, 9.6),
                (2, 3000, 4000, 1490.0, 2100, 100, 0, 320, 20, 0, 0, 64, 9.5),
                (3, 2500, 3200, 1900.0, 1540, 0, 40, 0, 0, 6, 1, 128, 17.25),
                (4, 2400, 3200, 600.0, 1540, 0, 40, 0, 0, 6, 1, 128, 17.25),
            ],
        ),
        (
            "SELECT critical_path, front_end, issued, distances FROM segments WHERE segment = 0",
            [
                (
                    [0, 0, 0, 10, 60, 20, 8, 2, 0, 0],
                    [120, 60, 40, 20, 920],
                    [100, 50, 150, 100, 900],
                    [1500, 300, 100, 400, 300, 200, 100, 500],
                )
            ],
        ),
        # the data flow of segment 2 is that of the same segment on the other core
        (
            "SELECT flow_unlimited, flow_64, flow_128 FROM segments WHERE segment = 2",
            [(300.0, 900.0, 600.0)],
        ),
        (
            "SELECT app, machine, tags FROM runs ORDER BY run_id",
            [
                ("sort", "gem5-E", {"config": "E"}),
                ("stencil", "gem5-E", {"args": "512", "config": "E"}),
                ("stencil", "gem5-F", {"args": "512", "config": "F"}),
            ],
        ),
    ),
    enlarge=enlarge,
    cut_may_land=True,
)
