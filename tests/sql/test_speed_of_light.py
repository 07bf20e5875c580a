"""Kernels of a GPU against its peaks: what limits each, and its share of the time."""

from __future__ import annotations

from tests.helpers.support import given, rows

PEAKS = """
region  sample  seconds  event                          value
copy    0       3        memory~throughput~[%]          92
copy    0       3        Compute~(SM)~Throughput        12
copy    2       1        memory~throughput~[%]          80
copy    2       1        Compute~(SM)~Throughput        20
gemm    1       5        Memory~[%]                     30
gemm    1       5        SM~[%]                         95
fused   3       .5       gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed  85
fused   3       .5       sm__throughput.avg.pct_of_peak_sustained_elapsed  82
tiny    4       .5       memory~throughput~[%]          1
tiny    4       .5       Compute~(SM)~Throughput        2
odd     5       .5       memory~throughput~[%]          90
"""


def test_the_nearer_peak_limits_unless_both_or_neither_is_near(warehouse):
    given(warehouse, "pmu_samples", PEAKS, unit="%")
    warehouse.execute("UPDATE pmu_samples SET event = replace(event, '~', ' ')")
    assert rows(
        warehouse,
        """
        SELECT kernel, launches, seconds, share, round(memory, 4), round(compute, 4), bound
        FROM speed_of_light ORDER BY seconds DESC, kernel
        """,
    ) == [
        ("gemm", 1, 5.0, 0.5, 0.3, 0.95, "compute"),
        ("copy", 2, 4.0, 0.4, 0.89, 0.14, "memory"),
        ("fused", 1, 0.5, 0.05, 0.85, 0.82, "both"),
        ("tiny", 1, 0.5, 0.05, 0.01, 0.02, "latency"),
    ]


def test_a_launch_without_a_time_counts_as_much_as_the_others(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        region  sample  seconds  event        value
        k       0       1e-5     Memory~[%]   90
        k       0       1e-5     SM~[%]       20
        k       1       NULL     Memory~[%]   80
        k       1       NULL     SM~[%]       50
        """,
        unit="%",
    )
    warehouse.execute("UPDATE pmu_samples SET event = replace(event, '~', ' ')")
    query = "SELECT seconds, share, round(memory, 4), round(compute, 4), bound FROM speed_of_light"
    assert rows(warehouse, query) == [(None, None, 0.85, 0.35, "memory")]
