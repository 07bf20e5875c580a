"""gem5's statistics as segments of instruction streams: one dump, one segment of each core."""

from __future__ import annotations

import pytest

from tests.helpers.support import land, rows, shared

DUMP = """---------- Begin Simulation Statistics ----------
cpu0.numIssuedDist::samples 10 # c (Count)
cpu0.numIssuedDist::mean 1.300000 # c (Count)
cpu0.numIssuedDist::0 4 40.00% 40.00% # c (Count)
cpu0.numIssuedDist::1 2 20.00% 60.00% # c (Count)
cpu0.numIssuedDist::2 1 10.00% 70.00% # c (Count)
cpu0.numIssuedDist::3 3 30.00% 100.00% # c (Count)
cpu0.numIssuedDist::overflows 0 0.00% 100.00% # c (Count)
cpu0.commitStats0.numInsts 9 # c (Count)
cpu0.commit.branches 2 # c (Count)
cpu0.commitStats0.committedInstType::IntAlu 5 # c (Count)
cpu0.commitStats0.committedInstType::IntDiv 1 # c (Count)
cpu0.commitStats0.committedInstType::FloatSqrt 1 # c (Count)
cpu0.commitStats0.committedInstType::SimdFloatAdd 2 # c (Count)
cpu0.commitStats0.committedInstType::FloatMemRead 1 # c (Count)
cpu0.commitStats0.committedInstType::SimdUnitStrideStore 1 # c (Count)
cpu0.commitStats0.committedInstType::No_OpClass 1 # c (Count)
cpu0.commitStats0.committedInstType::total 12 # c (Count)
cpu0.commit.committedInstType_0::IntAlu 5 # c (Count)
cpu1.numIssuedDist::0 0 # c (Count)
cpu1.numIssuedDist::1 0 # c (Count)
cpu2.iq.issued_per_cycle::0 7 # c (Count)
cpu2.iq.issued_per_cycle::1 5 # c (Count)
---------- End Simulation Statistics   ----------
"""


def test_a_dump_is_a_segment_of_each_core_that_issued(warehouse, tmp_path):
    (tmp_path / "stats.txt").write_text(DUMP + DUMP.replace(" 7 #", " 8 #"))
    land(warehouse, tmp_path / "stats.txt")
    assert rows(
        warehouse,
        """
        SELECT thread, segment, cycles, instructions, uops, issued
        FROM segments ORDER BY thread, segment
        """,
    ) == [
        (0, 0, 10, 9, 12, [4, 2, 1, 3]),
        (0, 1, 10, 9, 12, [4, 2, 1, 3]),
        (2, 0, 12, None, None, [7, 5]),
        (2, 1, 13, None, None, [8, 5]),
    ]
    assert rows(
        warehouse,
        """
        SELECT n_int, n_mul, n_div, n_fp, n_fp_div, n_simd, n_load, n_store, n_branch, n_other
        FROM segments WHERE thread = 0 AND segment = 0
        """,
    ) == [(4, 0, 1, 1, 1, 2, 1, 1, 2, 1)]


@pytest.mark.usefixtures("analyses")
def test_a_recording_reaches_what_its_statistics_say(warehouse):
    land(warehouse, shared("uarch/gem5_stats_d_stride_A.txt"))
    assert rows(
        warehouse,
        """
        SELECT segment, cycles, instructions, uops, n_int + n_branch, n_load, n_other
        FROM segments ORDER BY segment
        """,
    ) == [(0, 13338, 10002, 17114, 16670, 222, 222), (1, 13378, 10000, 17111, 16665, 223, 223)]
    # Its stalls are misses, which what the code could reach leaves out.
    assert rows(
        warehouse,
        "SELECT round(measured, 3), measured < low, measured < predicted "
        "FROM throughput_predictions ORDER BY segment",
    ) == [(0.75, True, True), (0.747, True, True)]
