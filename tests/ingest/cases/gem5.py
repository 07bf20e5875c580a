"""gem5: dumps and config.ini, written by hand in the manner of gem5 24's text output.

One sample has two dumps of a simple core, the other a dump of three out-of-order cores.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "gem5-stats" / "stats.txt"
CORES = SAMPLES / "gem5-stats-o3" / "stats.txt"


def _repeat(sample: Path, folder: Path, times: int) -> Path:
    path = folder / "stats.txt"
    path.write_text(sample.read_text() * times)
    return path


SIMPLE = Case(
    reader="gem5-stats",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT event, list(value ORDER BY sample), any_value(unit) FROM pmu_samples
            WHERE event LIKE 'sim%' OR event LIKE 'system.cpu.%' GROUP BY event ORDER BY event
            """,
            [
                ("simFreq", [1e12, 1e12], "Tick/Second"),
                ("simInsts", [6000.0, 0.0], "Count"),
                ("simSeconds", [4e-06, 3e-06], "Second"),
                ("simTicks", [4000000.0, 2500500.0], "Tick"),
                (
                    "system.cpu.commitStats0.committedInstType::IntAlu",
                    [6000.0, 0.0],
                    "Count",
                ),
                ("system.cpu.commitStats0.committedInstType::total", [6000.0, 0.0], "Count"),
                ("system.cpu.cpi", [1.333333, None], "Cycle/Count"),
                ("system.cpu.dcache.avgBlocked::no_mshrs", [None, None], "Cycle/Count"),
                ("system.cpu.dcache.overallMisses::cpu.data", [31.0, 0.0], "Count"),
                ("system.cpu.lsq.loadToUse::mean", [6.25, 6.25], None),
                ("system.cpu.numCycles", [8000.0, 5001.0], "Cycle"),
                (
                    "system.cpu.power_state.pwrStateResidencyTicks::ON",
                    [4000000.0, 2500500.0],
                    "Tick",
                ),
            ],
        ),
        (
            """
            SELECT event, value, unit FROM pmu_samples
            WHERE sample = 0 AND (event LIKE '%snoopFanout%' OR event LIKE '%ruby%')
            ORDER BY event
            """,
            [
                ("system.membus.snoopFanout::0", 4.0, "Count"),
                ("system.membus.snoopFanout::1", 4.0, "Count"),
                ("system.membus.snoopFanout::mean", 0.5, "Count"),
                ("system.membus.snoopFanout::samples", 8.0, "Count"),
                ("system.ruby.link_utilization::0", 3.0, "Ratio"),
                ("system.ruby.link_utilization::1", 7.0, "Ratio"),
            ],
        ),
        (
            """
            SELECT sample, t_start, t_end, count(*), count(rank), count(thread), count(region)
            FROM pmu_samples GROUP BY ALL ORDER BY sample
            """,
            [(0, 6000, 10000, 19, 0, 0, 0), (1, 10000, 12500, 19, 0, 0, 0)],
        ),
    ),
    enlarge=partial(_repeat, SAMPLE),
    cut_may_land=True,
)

OUT_OF_ORDER = Case(
    reader="gem5-stats",
    sample=CORES,
    golden=(
        (
            """
            SELECT thread, segment, cycles, instructions, issued, n_int, n_branch
            FROM segments ORDER BY thread
            """,
            [(0, 0, 10, 9, [4, 2, 1, 3], 4, 2), (2, 0, 12, None, [7, 5], None, None)],
        ),
    ),
    enlarge=partial(_repeat, CORES),
    cut_may_land=True,
)
CASES = (SIMPLE, OUT_OF_ORDER)
