"""A trace of ten instructions of two threads, written for the tests."""

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "instruction-trace" / "trace.csv"


def enlarge(folder: Path, times: int) -> Path:
    header, rest = SAMPLE.read_bytes().split(b"\n", 1)
    path = folder / "trace.csv"
    path.write_bytes(header + b"\n" + rest * times)
    return path


CASE = Case(
    reader="instruction-trace",
    sample=SAMPLE,
    golden=(
        # thread 1 runs, then 2, then 1 again
        (
            "SELECT segment, thread, instructions, cycles, n_int, n_div, n_fp, n_load, n_store, "
            "n_branch, taken, serialising FROM segments ORDER BY segment",
            [
                (0, 1, 4, 5.0, 2, 0, 1, 1, 0, 0, None, 0),
                (1, 2, 2, 2.0, 0, 0, 0, 0, 0, 1, 1, 1),
                (2, 1, 4, 4.0, 2, 1, 0, 0, 1, 0, None, 0),
            ],
        ),
        # add -> ldr -> add is a chain of three; the second add's nearest producer is two back
        (
            "SELECT critical_path[:4], distances[:3], issued FROM segments WHERE segment = 0",
            [([0, 0, 1, 0], [1, 1, 0], [2, 2, 1])],
        ),
        # x1 and x3, written in an earlier segment, are no dependence; x7 is
        (
            "SELECT critical_path[:2], distances FROM segments WHERE segment = 2",
            [([0, 1], [1, 0, 0, 0, 0, 0, 0, 0])],
        ),
    ),
    enlarge=enlarge,
    cut_may_land=True,
)
