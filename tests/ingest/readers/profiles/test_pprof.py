"""pprof: sample types, inlined functions, names, labels, and damage."""

from __future__ import annotations

import gzip

import pytest

from ingest.base import Head
from ingest.readers.profiles.sampling.pprof import Pprof
from tests.helpers.support import land, rows
from tests.ingest.case import SAMPLES
from tests.ingest.pprof_files import number, part, profile

CPU = [("samples", "count"), ("cpu", "nanoseconds")]
TIMES = "SELECT callpath, seconds, inclusive_seconds, thread FROM fn_timings ORDER BY 1"


@pytest.fixture
def landed(warehouse, tmp_path):
    """Land a profile and return the rows of a query."""

    def do(data, query):
        path = tmp_path / "x.pb.gz"
        path.write_bytes(gzip.compress(data))
        land(warehouse, path)
        return rows(warehouse, query)

    return do


def test_processor_time_is_time_and_other_types_are_events(landed, warehouse):
    data = profile(CPU, [(["main", "f"], [3, 30_000_000]), (["main"], [1, 10_000_000])])
    assert landed(data, TIMES) == [("main", 0.01, 0.04, None), ("main->f", 0.03, 0.03, None)]
    query = "SELECT region, event, value, inclusive, unit FROM pmu_samples ORDER BY 1"
    assert rows(warehouse, query) == [
        ("main", "samples", 1, 4, None),
        ("main->f", "samples", 3, 3, None),
    ]


def test_the_default_type_lands_as_time(landed, warehouse):
    types = [("cpu", "nanoseconds"), ("wall", "nanoseconds")]
    # The texts are numbered as met: cpu 1, nanoseconds 2, wall 3.
    data = profile(types, [(["main"], [1_000_000, 5_000_000])], more=number(14, 3))
    assert landed(data, TIMES) == [("main", 0.005, 0.005, None)]
    query = "SELECT event, value, unit FROM pmu_samples"
    assert rows(warehouse, query) == [("cpu", 0.001, "s")]


def test_waiting_is_no_time_of_functions(landed, warehouse):
    types = [("contentions", "count"), ("delay", "nanoseconds")]
    data = profile(types, [(["main", "lock"], [7, 2_000_000_000])])
    assert landed(data, TIMES) == []
    query = "SELECT event, function, cost, unit FROM function_costs WHERE cost > 0"
    assert rows(warehouse, query) == [("delay", "lock", 2.0, "s")]


def test_allocations_of_go_are_what_the_profile_shows_first(landed, warehouse):
    types = [("alloc_space", "bytes"), ("inuse_space", "bytes")]
    # go test -memprofile; the texts are numbered as met: alloc_space 1, bytes 2.
    landed(profile(types, [(["main", "f"], [900, 7])], more=number(14, 1)), TIMES)
    query = "SELECT event, function, cost FROM function_costs WHERE cost > 0"
    assert rows(warehouse, query) == [("alloc_space", "f", 900)]
    stored = "SELECT metric, value FROM run_scalars WHERE metric = 'cost:f'"
    assert rows(warehouse, stored) == [("cost:f", 900)]


def test_heap_profiles_of_go(warehouse):
    land(warehouse, SAMPLES / "pprof" / "heap.pb.gz")
    query = "SELECT event, function, cost, unit FROM function_costs ORDER BY cost DESC LIMIT 1"
    assert rows(warehouse, query) == [("inuse_space", "main.(*counter).add", 1595426, "bytes")]


def test_inlined_functions_are_functions(landed):
    data = profile(CPU, [(["main", "f+g+h"], [1, 1_000_000])])
    assert landed(data, TIMES)[-1] == ("main->f->g->h", 0.001, 0.001, None)


def test_names_have_the_file_where_languages_scope_by_it(landed):
    files = {"run": "/home/user/a.py", "main.f": "/home/user/a.go"}
    data = profile(CPU, [(["main.f", "run"], [1, 1])], files=files)
    assert landed(data, TIMES)[-1][0] == "main.f->run (/home/user/a.py)"


def test_labels(landed, warehouse):
    data = profile(CPU, [(["f"], [1, 1_000])], labels={"tid": 77, "request": 5})
    assert landed(data, TIMES) == [("f", 1e-6, 1e-6, 77)]
    assert rows(warehouse, "SELECT left_out FROM sources") == [("1 sample's labels (not kept)",)]


def test_functions_without_name_are_their_object(landed):
    # Location 9 has no line, and is in mapping 1, whose file is text 6.
    mapping = part(3, number(1, 1) + number(5, 6))
    more = mapping + part(4, number(1, 9) + number(2, 1)) + part(6, b"/usr/lib/libc.so.6")
    more += part(2, part(1, bytes([9, 1])) + part(2, bytes([1, 2])))
    assert landed(profile(CPU, [(["f"], [1, 1])], more=more), TIMES)[-1][0] == "f->[libc.so.6]"


def test_start_and_duration(landed):
    more = number(9, 1_700_000_000_000_000_000) + number(10, 2_500_000_000)
    query = "SELECT epoch(started_at), wall_seconds FROM runs"
    assert landed(profile(CPU, [(["f"], [1, 1])], more=more), query) == [(1.7e9, 2.5)]


GOOD = profile(CPU, [(["main", "f"], [1, 5])])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (GOOD[:-1], "the file is no whole Profile"),
        (GOOD[:-3], "there is no string 6"),
        (GOOD[: len(GOOD) // 2], "Is the file cut off or damaged?"),
        (GOOD + part(2, part(1, b"\x63") + part(2, b"\1\1")), "there is no location 99"),
        (GOOD + part(2, part(1, b"\1") + part(2, b"\1")), "1 values"),
        (GOOD + part(5, number(1, 9) + number(2, 99)), "there is no string 99"),
        (GOOD + part(4, number(1, 9) + part(4, number(1, 77))), "there is no function 77"),
        (GOOD + part(6, b"\xff"), "the file is no whole Profile"),
        (profile(CPU, [(["main"], [1, -5])]), "the weight is -5"),
        (profile(CPU, []), "no measurements"),
    ],
)
def test_damage_is_refused(refusal, data, message):
    assert message in refusal(data, "x.pb", reader="pprof")


def test_a_profile_compressed_once_more_lands_the_same(warehouse, tmp_path):
    data = profile(CPU, [(["main"], [1, 10_000_000])])
    (tmp_path / "cpu.pprof.gz").write_bytes(gzip.compress(gzip.compress(data)))
    land(warehouse, tmp_path / "cpu.pprof.gz")
    assert rows(warehouse, TIMES) == [("main", 0.01, 0.01, None)]


def test_fields_of_later_versions_are_passed_over(warehouse, tmp_path):
    (tmp_path / "x.pb").write_bytes(GOOD + number(16, 1) + part(17, b"new"))
    land(warehouse, tmp_path / "x.pb", reader="pprof")
    assert rows(warehouse, TIMES)[-1] == ("main->f", 5e-9, 5e-9, None)


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (GOOD, True),
        (GOOD[:30], True),  # the head of a larger file ends anywhere
        (GOOD[:12], False),  # types alone
        (number(16, 1) + GOOD, False),
        (b"\n\x05hello world", False),
        (b"phase,seconds\nload,1.5\n", False),
        (b"H\x08\n\x04text", False),
    ],
)
def test_recognition(head, known, tmp_path):
    assert Pprof().sniff(Head(head, tmp_path / "x.pb")) is known
