"""Rooflines: operations and bytes of regions against the peaks of machines."""

from __future__ import annotations

import pytest

from tests.helpers.support import given, land, rows, shared

ROOF = "SELECT flops, bytes, seconds, intensity, attainable, reached, bound FROM roofline"
PEAKS = "machine peak_flops peak_bytes_per_second\nm 1e9 1e8"


@pytest.fixture
def counted(warehouse):
    given(warehouse, "runs", "run_id machine wall_seconds\nr1 m 2")
    return warehouse


def test_low_intensity_is_bound_by_memory(counted):
    given(counted, "machine_settings", PEAKS)
    given(counted, "pmu_samples", "event value\nPAPI_FP_OPS 1e7\nbytes 1e8")
    assert rows(counted, ROOF) == [(1e7, 1e8, 2.0, 0.1, 1e7, 0.5, "memory")]


def test_high_intensity_is_bound_by_computing(counted):
    given(counted, "machine_settings", PEAKS)
    given(counted, "pmu_samples", "event value\nflops 1e9\nbytes 1e7")
    assert rows(counted, ROOF) == [(1e9, 1e7, 2.0, 100.0, 1e9, 0.5, "compute")]


def test_without_peaks_the_roof_is_unknown(counted):
    given(counted, "pmu_samples", "event value\nflops 1e9\nbytes 1e7")
    assert rows(counted, ROOF) == [(1e9, 1e7, 2.0, 100.0, None, None, None)]


def test_without_bytes_there_is_no_intensity(counted):
    given(counted, "machine_settings", PEAKS)
    given(counted, "pmu_samples", "event value\nflops 1e9")
    assert rows(counted, ROOF) == [(1e9, None, 2.0, None, None, None, None)]


def test_vector_instructions_count_for_all_their_operations(counted):
    given(
        counted,
        "pmu_samples",
        """
        event                                     value
        FP_ARITH_INST_RETIRED.SCALAR_DOUBLE       10
        FP_ARITH_INST_RETIRED.256B_PACKED_DOUBLE  10
        """,
    )
    assert rows(counted, "SELECT flops FROM roofline") == [(50.0,)]


def test_ranks_add_up_and_the_longest_counts(counted):
    given(
        counted,
        "pmu_samples",
        """
        rank  region  event  value
        0     f       flops  10
        0     f       bytes  10
        1     f       flops  30
        1     f       bytes  10
        """,
    )
    given(counted, "fn_timings", "function rank seconds\nf 0 2\nf 1 4")
    assert rows(counted, "SELECT flops, bytes, seconds, flops_per_second FROM roofline") == [
        (40.0, 20.0, 4.0, 10.0)
    ]


def test_without_operations_or_bytes_there_is_no_row(counted):
    given(counted, "pmu_samples", "event value\ncycles 10")
    assert rows(counted, "FROM roofline") == []


def test_a_kernel_of_rajaperf(warehouse):
    land(warehouse, shared("pmu/rajaperf_topdown/clang_1406_BaseSeq_O3_8388608_01.cali"))
    ((flops, moved, seconds, intensity),) = rows(
        warehouse,
        "SELECT flops, bytes, seconds, intensity FROM roofline WHERE region LIKE '%Stream_TRIAD'",
    )
    assert (flops, moved) == (16777216 * 1000, 201326592 * 1000)
    assert seconds == pytest.approx(18.642809415)
    assert intensity == pytest.approx(1 / 12)


def test_repetitions_of_a_group_are_those_of_a_region_within_it(counted):
    given(
        counted,
        "pmu_samples",
        """
        region             event      value
        suite              Reps       50
        suite              Bytes/Rep  1e9
        suite->triad       Reps       50
        suite->triad       Bytes/Rep  1e9
        suite->other       flops      7
        """,
    )
    assert rows(counted, "SELECT region, flops, bytes FROM roofline ORDER BY region") == [
        ("suite->other", 7.0, None),
        ("suite->triad", None, 5e10),
    ]


@pytest.mark.parametrize(
    ("event", "unit", "value", "expected"),
    [
        ("uncore_imc_0/cas_count_read/", "MiB", 2.0, 2 * 2.0**20),
        ("uncore_imc_0/cas_count_read/", None, 2.0, 128.0),
        ("unc_m_cas_count.rd", "Bytes", 640.0, 640.0),
        ("amd_umc_0/umc_cas_cmd.rd/", "GB", 3.0, 3e9),
    ],
)
def test_what_perf_scaled_is_in_its_unit(counted, event, unit, value, expected):
    given(counted, "pmu_samples", f"event value\n{event} {value}", unit=unit)
    assert rows(counted, "SELECT bytes FROM roofline") == [(expected,)]
