"""Caliper profiles: what is time, of whom, and what is left of it without the callees."""

from __future__ import annotations

import json

import pytest

from tests.helpers.support import land, rows
from tests.ingest.streams import stream
from warehouse.errors import InputError

TIMES = "SELECT callpath, seconds, inclusive_seconds FROM fn_timings ORDER BY rowid"
OWN = "sum#sum#time.duration"
INCLUSIVE = "inclusive#sum#time.duration"
ALL_RANKS = "sum#inclusive#sum#time.duration"
MEAN = "avg#inclusive#sum#time.duration"
SECONDS = {"units": dict.fromkeys((OWN, INCLUSIVE, ALL_RANKS, MEAN), "sec")}


def test_own_time_is_the_inclusive_time_without_the_callees(landed):
    text = stream(
        [
            ("main", {INCLUSIVE: 10}),
            ("main/solve", {INCLUSIVE: 6}),
            ("main/solve/dot", {INCLUSIVE: 1.5}),
            ("main/io", {INCLUSIVE: 1}),
        ],
        **SECONDS,
    )
    assert landed(text, TIMES) == [
        ("main", 3.0, 10.0),
        ("main->solve", 4.5, 6.0),
        ("main->solve->dot", 1.5, 1.5),
        ("main->io", 1.0, 1.0),
    ]


def test_regions_of_an_attribute_named_path(landed):
    text = stream([("main", {INCLUSIVE: 10}), ("main/solve", {INCLUSIVE: 6})], **SECONDS)
    assert landed(text.replace("data=region", "data=path"), TIMES) == [
        ("main", 4.0, 10.0),
        ("main->solve", 6.0, 6.0),
    ]


def test_an_arrow_in_the_name_of_a_region_parts_no_call_path(landed):
    text = stream([("main", {INCLUSIVE: 10}), ("main/host->device", {INCLUSIVE: 6})], **SECONDS)
    assert landed(text, TIMES) == [("main", 4.0, 10.0), ("main->host\u2192device", 6.0, 6.0)]


def test_own_time_that_the_file_has_is_taken(landed):
    text = stream(
        [("main", {INCLUSIVE: 10, OWN: 3.25}), ("main/solve", {INCLUSIVE: 6, OWN: 6})], **SECONDS
    )
    assert landed(text, TIMES) == [("main", 3.25, 10.0), ("main->solve", 6.0, 6.0)]


def test_a_path_that_was_not_recorded_hides_no_time(landed):
    text = stream([("main", {INCLUSIVE: 10}), ("main/solve/dot", {INCLUSIVE: 4})], **SECONDS)
    assert landed(text, TIMES) == [("main", 6.0, 10.0), ("main->solve->dot", 4.0, 4.0)]


def test_each_rank_and_thread_by_itself(landed):
    text = stream(
        [
            ("main", {INCLUSIVE: 10, "mpi.rank": 0, "omp.thread.id": 0}),
            ("main", {INCLUSIVE: 9, "mpi.rank": 0, "omp.thread.id": 1}),
            ("main", {INCLUSIVE: 8, "mpi.rank": 3, "omp.thread.id": 0}),
            ("main/solve", {INCLUSIVE: 2, "mpi.rank": 0, "omp.thread.id": 0}),
            ("main/solve", {INCLUSIVE: 1, "mpi.rank": 3, "omp.thread.id": 0}),
        ],
        types={"omp.thread.id": "int"},
        **SECONDS,
    )
    sql = """
        SELECT function, rank, thread, parallelism, seconds FROM fn_timings ORDER BY rowid
    """
    assert landed(text, sql) == [
        ("main", 0, 0, 2, 8.0),
        ("main", 0, 1, 2, 9.0),
        ("main", 3, 0, 2, 7.0),
        ("solve", 0, 0, 2, 2.0),
        ("solve", 3, 0, 2, 1.0),
    ]


def test_without_ranks_the_time_is_the_mean_over_all_of_them(landed):
    # MPI_Gather ran on one of four ranks: 2 s there are half a second a rank.
    text = stream(
        [
            ("main", {ALL_RANKS: 40, MEAN: 10}),
            ("main/MPI_Gather", {ALL_RANKS: 2, MEAN: 2}),
        ],
        **SECONDS,
        jobsize=4,
    )
    assert landed(text, TIMES) == [("main", 9.5, 10.0), ("main->MPI_Gather", 0.5, 0.5)]


def test_the_mean_of_the_file_lands_where_the_number_of_ranks_is_unknown(landed):
    text = stream([("main", {ALL_RANKS: 40, MEAN: 10})], **SECONDS)
    assert landed(text, TIMES) == [("main", 10.0, 10.0)]


def test_time_outside_of_all_regions_is_kept(landed):
    text = stream([("", {OWN: 2}), ("main", {OWN: 3})], **SECONDS)
    sql = "SELECT function, callpath, seconds FROM fn_timings ORDER BY rowid"
    assert landed(text, sql) == [("<outside of regions>", None, 2.0), ("main", "main", 3.0)]


def test_records_that_differ_in_other_attributes_add_up(landed):
    text = stream(
        [("main", {OWN: 2, "iteration#main": 1}), ("main", {OWN: 3, "iteration#main": 2})],
        types={"iteration#main": "int"},
        **SECONDS,
    )
    assert landed(text, TIMES) == [("main", 5.0, None)]


@pytest.mark.parametrize(
    ("name", "unit", "value", "seconds"),
    [
        ("sum#time.duration", "sec", 2.5, 2.5),
        ("sum#time.duration", "usec", 2500000, 2.5),
        ("sum#sum#time.duration.ns", None, 2500000000, 2.5),
        ("sum#scale#sum#time.duration.ns", None, 2.5, 2.5),
        ("time", None, 2.5, 2.5),
        # Caliper once counted in whole microseconds, then in seconds with six digits.
        ("sum#time.duration", None, "2500000.000000", 2.5),
        ("sum#time.duration", None, "2.500000", 2.5),
        ("time.duration", None, 2500000, 2.5),
    ],
)
def test_units_of_time(landed, name, unit, value, seconds):
    text = stream([("main", {name: value})], units={name: unit} if unit else {})
    assert landed(text, TIMES) == [("main", seconds, None)]


def test_what_is_no_sum_is_no_time_of_a_function(landed):
    other = dict.fromkeys(("min#time.duration", "max#time.duration", "avg#time.duration"), 9.5)
    text = stream([("main", {OWN: 2, "count": 7, "sum#region.count": 3} | other)], **SECONDS)
    sql = "SELECT seconds, inclusive_seconds, calls FROM fn_timings"
    assert landed(text, sql) == [(2.0, None, 3)]


def test_rounding_is_no_negative_time_but_implausible_times_are_unknown(warehouse, landed):
    text = stream(
        [
            ("near", {INCLUSIVE: 1}),
            ("near/f", {INCLUSIVE: 1.000001}),
            ("far", {INCLUSIVE: 1}),
            ("far/f", {INCLUSIVE: 1.5}),
        ],
        **SECONDS,
    )
    assert landed(text, TIMES) == [
        ("near", 0.0, 1.0),
        ("near->f", 1.000001, 1.000001),
        ("far", None, 1.0),
        ("far->f", 1.5, 1.5),
    ]
    assert rows(warehouse, "SELECT tags['below_zero'] FROM runs") == [
        ("time.duration: 1 of 4 own values, left unknown",)
    ]


def test_counters_and_shares_are_samples_of_their_call_path(landed):
    text = stream(
        [
            ("main", {"inclusive#sum#papi.PAPI_TOT_INS": 100, "mpi.rank": 1}),
            ("main/f", {"inclusive#sum#papi.PAPI_TOT_INS": 70, "mpi.rank": 1}),
            ("main/f", {"any#topdown.l2_bound": -0.012, "any#Bytes/Rep": 64, "any#Reps": 5}),
        ],
    )
    sql = "SELECT region, rank, sample, event, value, unit FROM pmu_samples ORDER BY rowid"
    assert landed(text, sql) == [
        ("main", 1, 0, "PAPI_TOT_INS", 30.0, None),
        ("main->f", 1, 0, "PAPI_TOT_INS", 70.0, None),
        ("main->f", None, 0, "topdown.l2_bound", -0.012, "ratio"),
        ("main->f", None, 0, "Bytes/Rep", 64.0, "Bytes/Rep"),
        ("main->f", None, 0, "Reps", 5.0, None),
    ]


def test_a_counter_that_lost_counts_is_unknown_where_it_did(landed):
    name = "inclusive#sum#papi.PAPI_L2_DCM"
    text = stream([("main", {name: 100}), ("main/f", {name: 101})])
    sql = (
        "SELECT region, value, tags['below_zero'] FROM pmu_samples JOIN runs USING (run_id) "
        "ORDER BY region"
    )
    message = "PAPI_L2_DCM: 1 of 2 own values, left unknown"
    assert landed(text, sql) == [("main", None, message), ("main->f", 101.0, message)]


def test_a_ratio_over_nothing_is_no_value(landed):
    text = stream([("main", {OWN: 1, "any#topdown.retiring": "-nan"})])
    assert landed(text, "SELECT count(*) FROM pmu_samples") == [(0,)]


def test_facts_of_the_run(landed):
    text = stream(
        [("main", {OWN: 1})],
        executablepath="/opt/apps/lulesh2.0",
        version="2.0.3",
        cluster="atlas",
        launchdate=1772352000,
        jobsize=8,
        numhosts=2,
        threads=4,
        problem_size=30,
        walltime=12.5,
        cali__caliper__version="2.11.0",
        compiler_flags=r"-O3\,-march\=native",
        omp_max_threads=72,
    )
    sql = """
        SELECT app, version, machine, epoch(started_at), ranks, nodes, threads, problem_size,
            wall_seconds, tags
        FROM runs
    """
    tags = {
        "cali.caliper.version": "2.11.0",
        "compiler_flags": "-O3,-march=native",
        "omp_max_threads": "72",
    }
    assert landed(text, sql) == [
        ("lulesh2.0", "2.0.3", "atlas", 1772352000.0, 8, 2, 4, 30.0, 12.5, tags)
    ]


def test_implausible_facts_stay_tags(landed):
    text = stream([("main", {OWN: 1})], jobsize=0, problem_size="large", launchdate="today")
    facts = "SELECT ranks, problem_size, started_at, tags FROM run_facts WHERE stated_by = 'file'"
    assert landed(text, facts) == [
        (None, None, None, {"jobsize": "0", "problem_size": "large", "launchdate": "today"})
    ]


def test_the_program_is_named_by_its_command_or_by_the_folder(warehouse, tmp_path):
    folder = tmp_path / "jacobi"
    folder.mkdir()
    (folder / "a.cali").write_text(stream([("main", {OWN: 1})], cmdline=r"[./heat\,-n\,8]"))
    (folder / "b.cali").write_text(stream([("main", {OWN: 1})], jobsize=8))
    (folder / "c.cali").write_text(stream([("main", {OWN: 1})], jobsize=16))
    land(warehouse, folder)
    sql = "SELECT app, list(ranks ORDER BY ranks) FROM runs GROUP BY app ORDER BY app"
    assert rows(warehouse, sql) == [("heat", [None]), ("jacobi", [8, 16])]


def test_rates_of_blocks_of_time_do_not_add_up(landed):
    # A time series writes its axis into each record, an attribute even twice.
    rate, axis = "sum#bandwidth", "loop.start_iteration"
    text = stream(
        [
            ("main", {OWN: 2, rate: 22000, axis: 0}),
            ("main", {OWN: 3, rate: 22400, axis: 10}),
        ],
        types={axis: "int"},
        units={rate: "MB/s", OWN: "sec"},
    )
    query = "SELECT sample, event, value, unit FROM pmu_samples ORDER BY ALL"
    assert landed(text, query) == [
        (0, "bandwidth", 22000.0, "MB/s"),
        (1, "bandwidth", 22400.0, "MB/s"),
    ]
    assert landed(text, TIMES) == [("main", 5.0, None)]


def test_an_attribute_twice_in_a_record(warehouse, landed):
    text = stream([("main", {OWN: 2, "sum#mem": 7})], **SECONDS)
    lines = text.splitlines()
    record = next(line for line in lines if line.startswith("__rec=ctx"))
    number = record.partition("attr=")[2].partition(",")[0].split("=")[1]
    for more in ("7", "8"):
        twice = record.replace(",data=", f"={number},data=") + f"={more}"
        landed(text.replace(record, twice), "SELECT 1", f"{more}.cali")
    assert rows(warehouse, "SELECT value FROM pmu_samples ORDER BY ALL") == [(7.0,), (8.0,)]
    note = "1 value (of an attribute that the record has again, with the value that landed)"
    query = "SELECT left_out FROM sources ORDER BY path"
    assert rows(warehouse, query) == [(None,), (note,)]


def test_smallest_largest_and_counts_are_events_by_their_whole_name(landed):
    least, most = "min#inclusive#sum#time.duration", "max#inclusive#sum#time.duration"
    slot = "min#min#aggregate.slot"  # the order of nodes
    values = [{OWN: 2, least: value, most: value, "count": 2, slot: value} for value in (3, 4)]
    records = [("main", of) for of in values]
    query = "SELECT event, value FROM pmu_samples ORDER BY ALL"
    assert landed(stream(records, **SECONDS), query) == [("count", 4.0), (most, 4.0), (least, 3.0)]


def test_kernels_of_a_gpu_are_below_their_region(landed):
    text = stream(
        [
            ("main", {OWN: 2, "cupti.kernel.name": "axpy"}),
            ("main", {OWN: 3, "cupti.kernel.name": "dot"}),
        ],
        types={"cupti.kernel.name": "string"},
        **SECONDS,
    )
    assert landed(text, TIMES) == [("main->axpy", 2.0, None), ("main->dot", 3.0, None)]


def test_records_that_cali_query_lists(landed):
    records = [
        {"path": "main", "sum#time.duration": 1.5, "mpi.rank": 0, "iteration#loop": 7},
        {"path": "main/foo", "sum#time.duration": 0.5, "mpi.rank": 0, "mpi.function": "MPI_Send"},
        {"path": "main", "sum#time.duration": 1.25, "mpi.rank": 1},
    ]
    sql = "SELECT callpath, rank, seconds FROM fn_timings ORDER BY rowid"
    assert landed(json.dumps(records), sql, "listed.json") == [
        ("main", 0, 1.5),
        ("main->foo", 0, 0.5),
        ("main", 1, 1.25),
    ]


def test_records_of_an_object_have_globals_and_units_and_numbers_may_be_in_quotes(landed):
    document = {
        "records": [
            {"path": "main", "count": "1", "sum#time.duration": "1500"},
            {"path": "main/foo", "count": "3", "sum#time.duration": "500"},
        ],
        "globals": {"mpi.world.size": "4"},
        "attributes": {
            "path": {"is_nested": True, "is_value": False},
            "sum#time.duration": {"is_value": True, "attribute.unit": "msec"},
        },
    }
    sql = "SELECT callpath, seconds, ranks FROM fn_timings JOIN runs USING (run_id) ORDER BY 1"
    assert landed(json.dumps(document), sql, "object.json") == [
        ("main", 1.5, 4),
        ("main->foo", 0.5, 4),
    ]


def test_globals_of_split_json_are_numbers_or_texts(landed):
    split = {
        "data": [[1.5, 0]],
        "columns": ["sum#time.duration", "path"],
        "column_metadata": [{"is_value": True}, {"is_value": False}],
        "nodes": [{"column": "path", "label": "main"}],
        "jobsize": 8,
        "problem_size": "30",
        "steps": 12.5,
    }
    sql = "SELECT ranks, problem_size, tags['steps'] FROM runs"
    assert landed(json.dumps(split), sql, "split.json") == [(8, 30.0, "12.5")]


def test_listed_records_that_are_damaged(landed):
    with pytest.raises(InputError, match="a record is 7"):
        landed(
            json.dumps([{"path": "main", "sum#time.duration": 1.5}, 7]), TIMES, name="listed.json"
        )


def test_streams_of_caliper_1_have_neither_globals_nor_nested_attributes(landed):
    attributes = {
        20: ("main", "string", 20),
        21: ("iteration", "int", 20),
        22: ("event.set#main", "string", 84),
        23: ("time.inclusive.duration", "uint", 85),
        24: ("cali.caliper.version", "string", 12),
    }
    types = {"string": 3, "int": 1, "uint": 2}
    lines = ["__rec=node,id=0,attr=9,data=usr", "__rec=node,id=11,attr=10,data=148,parent=0"]
    for number, (name, kind, properties) in attributes.items():
        lines += [
            f"__rec=node,id={number + 100},attr=10,data={properties},parent={types[kind]}",
            f"__rec=node,id={number},attr=8,data={name},parent={number + 100}",
        ]
    lines += [
        "__rec=node,id=30,attr=24,data=1.5.dev",
        "__rec=node,id=31,attr=22,data=loop",
        "__rec=node,id=32,attr=20,data=loop",
        "__rec=node,id=33,attr=21,data=0,parent=32",
        "__rec=ctx,ref=31=33=30,attr=23,data=300",
        "__rec=ctx,ref=32=30,attr=23,data=500",
    ]
    rows = "SELECT callpath, seconds FROM fn_timings ORDER BY callpath"
    (first, loop), (second, inner) = landed("\n".join(lines) + "\n", rows)
    assert (first, second) == ("loop", "loop->iteration")
    assert (loop, inner) == pytest.approx((2e-4, 3e-4))
