"""TAU's packed profiles: known facts of real ones, and what is refused."""

from __future__ import annotations

import struct

import pytest

from ingest.readers.profiles.tau.packed import TauPacked
from ingest.recording import Recording
from tests.helpers.support import land, rows, shared
from tests.ingest.cases.tau_packed import SAMPLE
from tests.ingest.profiles import packed_bytes, write_packed
from warehouse.errors import InputError

FUNCTIONS = [
    ("main", "TAU_USER"),
    ("MPI_Send()", "MPI"),
    ("main => MPI_Send()", "TAU_CALLPATH|MPI"),
]
ROWS = [(0, 1, 10.0, 40.0), (1, 8, 30.0, 30.0), (2, 8, 30.0, 30.0)]
THREADS = {(0, 0, 0): ROWS, (1, 0, 0): ROWS[:1]}


def read(folder, data):
    return list(TauPacked().read(Recording((write_packed(folder / "x.ppk", data),))))


def refused(folder, data):
    with pytest.raises(InputError) as caught:
        read(folder, data)
    return caught.value


def test_what_lands(warehouse, tmp_path):
    data = packed_bytes(THREADS, FUNCTIONS, events=["Message size"])
    land(warehouse, write_packed(tmp_path / "x.ppk", data))
    sql = """
        SELECT rank, thread, parallelism, function, callpath, seconds * 1e6,
            inclusive_seconds * 1e6, calls
        FROM fn_timings ORDER BY rank, calls
    """
    assert rows(warehouse, sql) == [
        (0, 0, 2, "main", None, 10.0, 40.0, 1),
        (0, 0, 2, "MPI_Send()", "main->MPI_Send()", 30.0, 30.0, 8),
        (1, 0, 2, "main", None, 10.0, 40.0, 1),
    ]
    assert rows(warehouse, "SELECT app = $1, ranks, threads FROM runs", tmp_path.name) == [
        (True, 2, 1)
    ]


def test_the_packed_sample_lands_as_the_text_does(another):
    packed, text = another(), another()
    land(packed, SAMPLE)
    land(text, SAMPLE.parents[1] / "tau" / "times")
    land(text, SAMPLE.parents[1] / "tau" / "cycles")
    times = "SELECT * EXCLUDE (run_id, source_id) FROM fn_timings ORDER BY ALL"
    cycles = """
        SELECT * EXCLUDE (run_id, source_id) FROM pmu_samples WHERE rank = 0 ORDER BY ALL
    """
    assert rows(packed, times) == rows(text, times)
    assert rows(packed, cycles) == rows(text, cycles)


def test_names_beyond_ascii_in_the_way_of_java(warehouse, tmp_path):
    data = packed_bytes({(0, 0, 0): [(0, 1, 1.0, 1.0)]}, [("löse\0𝛼", "TAU_USER")])
    land(warehouse, write_packed(tmp_path / "x.ppk", data))
    assert rows(warehouse, "SELECT function FROM fn_timings") == [("löse\ufffd𝛼",)]


def test_gromacs_from_2_to_256_ranks_is_one_scaling_set(warehouse):
    land(warehouse, shared("scaling/tau_gromacs"))
    facts = """
        SELECT ranks, count(DISTINCT function), max(inclusive_seconds),
            round(sum(seconds) FILTER (function = 'MPI_Allreduce()'), 4),
            sum(calls) FILTER (function = 'MPI_Allreduce()'), count(DISTINCT rank),
            max(wall_seconds)
        FROM fn_timings JOIN runs USING (run_id)
        WHERE app = 'mdrun' AND parallelism = ranks AND threads = 1
        GROUP BY ranks ORDER BY ranks
    """
    assert rows(warehouse, facts) == [
        (2, 598, 638.304974, 0.8725, 2020, 2, 638.304974),
        (4, 612, 352.63888, 5.552, 4040, 4, 352.63888),
        (8, 613, 204.587407, 21.2213, 8080, 8, 204.587407),
        (16, 645, 164.046608, 12.0551, 10146, 16, 164.046608),
        (32, 643, 101.229866, 39.2393, 20332, 32, 101.229866),
        (64, 639, 65.118657, 119.9987, 46419, 64, 65.118657),
        (128, 639, 45.293116, 102.6307, 80251, 128, 45.293116),
        (256, 640, 49.513899, 389.7491, 173742, 256, 49.513899),
    ]
    roots = """
        SELECT count(*), max(abs(own - root) / root)
        FROM (
            SELECT sum(seconds) AS own, max(inclusive_seconds) AS root
            FROM fn_timings GROUP BY run_id, rank
        )
    """
    ((processes, worst),) = rows(warehouse, roots)
    assert processes == 510
    assert worst < 1e-12


def test_counters_of_real_profiles(warehouse):
    land(warehouse, shared("pmu/tau_papi/mpas.ppk"))
    land(warehouse, shared("pmu/tau_papi/xgc-nosamples.ppk"))
    sql = """
        SELECT app, event, count(DISTINCT rank), count(DISTINCT region)
        FROM pmu_samples JOIN runs USING (run_id) GROUP BY ALL ORDER BY ALL
    """
    assert rows(warehouse, sql) == [
        ("ocean_model.tau", "PAPI_BR_MSP", 128, 78),
        ("ocean_model.tau", "PAPI_FP_INS", 128, 78),
        ("ocean_model.tau", "PAPI_L1_DCM", 128, 78),
        ("ocean_model.tau", "PAPI_TOT_INS", 128, 78),
        ("xgc2", "PAPI_BR_MSP", 16, 42),
        ("xgc2", "PAPI_FP_INS", 16, 42),
        ("xgc2", "PAPI_L1_DCM", 16, 42),
        ("xgc2", "PAPI_TOT_CYC", 16, 42),
        ("xgc2", "PAPI_TOT_INS", 16, 42),
    ]
    assert rows(warehouse, "SELECT count(DISTINCT function) FROM fn_timings") == [(78,)]


BAD = float("nan")
NONE = packed_bytes({}, FUNCTIONS)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"PPK", "the file ends within the magic number"),
        (b"\0P\0P\0L", "this is no packed profile"),
        (packed_bytes(THREADS, FUNCTIONS, version=(1, 1)), "this is version 1"),
        (packed_bytes(THREADS, FUNCTIONS, version=(4, 3)), "this is version 4"),
        (NONE, "the profile has no threads"),
        (packed_bytes(THREADS, [("f", "X")]), "the number of functions is 3"),
        (packed_bytes(THREADS, FUNCTIONS, ()), "the profile has no functions or no metric"),
        (packed_bytes(THREADS, FUNCTIONS, ("TIME", "TIME")), "a metric has the name of another"),
        (packed_bytes({(0, 0, 0): [(3, 1, 1.0, 1.0)]}, FUNCTIONS), "function 3 was found"),
        (packed_bytes({(0, 0, 0): [(-1, 1, 1.0, 1.0)]}, FUNCTIONS), "function -1 was found"),
        (packed_bytes({(0, 0, 0): ROWS[:1] * 2}, FUNCTIONS), "function 0 was found"),
        (packed_bytes({(-1, 0, 0): ROWS}, FUNCTIONS), "the node is -1"),
        (packed_bytes({(0, 0, 0): [(0, 1, -1.0, 1.0)]}, FUNCTIONS), "exclusive time of main: -1"),
        (packed_bytes({(0, 0, 0): [(0, 1, 1.0, BAD)]}, FUNCTIONS), "inclusive time of main: nan"),
        (packed_bytes({(0, 0, 0): [(0, -1, 1.0, 1.0)]}, FUNCTIONS), "calls of main: -1"),
        (packed_bytes({(0, 0, 0): [(0, 1e20, 1.0, 1.0)]}, FUNCTIONS), "calls of main: 1e+20"),
        (packed_bytes(THREADS, FUNCTIONS) + b"\0", "there are more bytes after the last thread"),
        (packed_bytes(THREADS, FUNCTIONS)[:-3], "the file ends within the number of user events"),
    ],
)
def test_what_is_refused(tmp_path, data, problem):
    assert problem in refused(tmp_path, data).problem


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        # The list of threads in the metadata, and before the values.
        (struct.pack(">i", 2), struct.pack(">i", 3), "the threads are not those of the metadata"),
        (struct.pack(">3i", 1, 0, 0), struct.pack(">3i", 7, 0, 0), "thread (7, 0, 0) was found"),
    ],
)
def test_repeated_facts_must_agree(tmp_path, old, new, problem):
    head, found, tail = packed_bytes(THREADS, FUNCTIONS).rpartition(old)
    if len(old) == 4:
        at = (head + found + tail).rindex(b"MPI_Send()") + len(b"MPI_Send()") + 16
        data = head + found + tail
        assert data[at : at + 4] == old
        head, tail = data[:at], data[at + 4 :]
    assert problem in refused(tmp_path, head + new + tail).problem
