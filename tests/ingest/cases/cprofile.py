"""cProfile: counting words, recorded with Python 3.11."""

from __future__ import annotations

import marshal
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "cprofile" / "wordcount.pstats"


def _enlarge(folder: Path, times: int) -> Path:
    stats = marshal.loads(SAMPLE.read_bytes())
    path = folder / "large.pstats"
    large = {
        (f"{file}{copy}", line, name): entry
        for copy in range(times)
        for (file, line, name), entry in stats.items()
    }
    path.write_bytes(marshal.dumps(large))
    return path


CASE = Case(
    reader="cprofile",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT function, seconds, inclusive_seconds, calls FROM fn_timings ORDER BY function
            """,
            [
                ("wordcount.py(<lambda>)", 3.6658e-05, 3.6658e-05, 99),
                ("wordcount.py(<listcomp>)", 0.0032239710000000004, 0.0032239710000000004, 1),
                ("wordcount.py(<module>)", 0.00015135500000000002, 0.025750176000000003, 1),
                ("wordcount.py(count)", 0.013709326, 0.022341751, 1),
                ("wordcount.py(depth)", 1.8227e-05, 1.8227e-05, 51),
                ("wordcount.py(main)", 1.4181e-05, 0.025598821, 1),
                ("wordcount.py(split)", 0.0026575, 0.004701814, 20000),
                (
                    "{built-in method builtins.exec}",
                    4.6470000000000006e-06,
                    0.025754823000000003,
                    1,
                ),
                ("{built-in method builtins.len}", 6.91e-07, 6.91e-07, 1),
                ("{built-in method builtins.sorted}", 4.0988e-05, 7.764600000000001e-05, 1),
                ("{method 'disable' of '_lsprof.Profiler' objects}", 1.142e-06, 1.142e-06, 1),
                (
                    "{method 'get' of 'dict' objects}",
                    0.0038529650000000003,
                    0.0038529650000000003,
                    60000,
                ),
                ("{method 'split' of 'str' objects}", 0.002044314, 0.002044314, 20000),
            ],
        ),
        (
            """
            SELECT DISTINCT callpath, kind, parallelism, rank, thread, repetition, wall_seconds
            FROM fn_timings JOIN runs USING (run_id)
            """,
            [(None, None, None, None, None, None, None)],
        ),
    ),
    enlarge=_enlarge,
)
