"""Blocks of machine code in BHive's form, written for the tests."""

from tests.ingest.case import SAMPLES, Case, repeated

SAMPLE = SAMPLES / "machine-code" / "blocks.csv"


CASE = Case(
    reader="machine-code",
    sample=SAMPLE,
    golden=(
        (
            "SELECT segment, cycles, hex FROM segments ORDER BY segment",
            [
                (0, 1.0, "4801d8"),
                (1, 1.0425, "4883c0014839d875f7"),
                (2, 4.12, "f20f590678"),
                (3, 2.055, "c5fd5806c5fd594620c5fd110748"),
                (4, 6.23, "e8000000004885c0740a488b3d10270000"),
                (5, 62.1375, "0faef0"),
                (6, 4.31, "4989fc4c8b6f10498b4508488378180074284883c018"),
                (7, 0.25, "90"),
            ],
        ),
        ("SELECT count(*), count(thread), count(instructions) FROM segments", [(8, 0, 6)]),
        ("SELECT count(*), count(app) FROM runs", [(1, 0)]),
    ),
    enlarge=repeated(SAMPLE),
    cut_may_land=True,
)
