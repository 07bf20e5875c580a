"""What names of parameters and metrics are taken for."""

from __future__ import annotations

import pytest

from ingest.parsing.parameters import Parameters
from ingest.readers.profiles.extrap.experiment import Metric
from tests.helpers.support import land, rows


@pytest.mark.parametrize(
    ("names", "parallel", "size"),
    [
        (["x"], "x", None),
        (["x", "y"], "x", "y"),
        (["x", "P"], "P", "x"),
        (["n", "p"], "p", "n"),
        (["n", "x"], "x", "n"),
        (["nodes", "procs", "theta"], "procs", "theta"),
        (["threads", "size", "x"], "threads", "size"),
        (["theta", "nodes", "problem_size"], "nodes", "problem_size"),
        (["size"], "size", "size"),
    ],
)
def test_parallelism_and_problem_size(names, parallel, size):
    parameters = Parameters(names)
    assert names[parameters.parallel] == parallel
    assert (None if parameters.size is None else names[parameters.size]) == size


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("p", (4, None, None, None)),
        ("x", (None, None, None, None)),
        ("threads", (None, 4, None, None)),
        ("nodes", (None, None, 4, None)),
        ("cores", (None, None, None, None)),
        ("size", (None, None, None, 4.0)),
    ],
)
def test_facts_of_the_run(warehouse, tmp_path, names, expected):
    path = tmp_path / "experiment.txt"
    path.write_text(f"PARAMETER {names}\nPOINTS (4)\nMETRIC time\nDATA 1\n")
    land(warehouse, path, reader="extrap-text")
    assert rows(warehouse, "SELECT ranks, threads, nodes, problem_size FROM runs") == [expected]
    assert rows(warehouse, "SELECT parallelism FROM fn_timings") == [(4,)]


def test_a_parameter_without_a_telling_name_need_not_be_whole(warehouse, tmp_path):
    path = tmp_path / "experiment.txt"
    path.write_text("PARAMETER theta\nPOINTS (0.5) (2)\nMETRIC time\nDATA 1\nDATA 2\n")
    land(warehouse, path, reader="extrap-text")
    sql = "SELECT parallelism, tags FROM fn_timings JOIN runs USING (run_id) ORDER BY seconds"
    what = {"scaled_by": "theta", "parameter:theta": "other"}
    assert rows(warehouse, sql) == [(None, {"theta": "0.5"} | what), (2, {"theta": "2"} | what)]


@pytest.mark.parametrize(
    ("name", "column", "scale"),
    [
        ("", None, 1),
        ("time", "seconds", 1),
        ("metr", None, 1),
        ("runtime", "seconds", 1),
        ("time_ms", "seconds", 1e-3),
        ("Time (us)", "seconds", 1e-6),
        ("wall_time [ns]", "seconds", 1e-9),
        ("inclusive time", "inclusive_seconds", 1),
        ("max_time", None, 1),
        ("visits", None, 1),
        ("PAPI_TOT_CYC", None, 1),
        ("bytes_sent", None, 1),
        ("FLOPS", None, 1),
        ("flops per second", None, 1),
        ("instructions", None, 1),
        ("memory", None, 1),
        ("energy", None, 1),
    ],
)
def test_metrics_are_times_where_their_name_says_so(name, column, scale):
    metric = Metric(name)
    assert (metric.column, metric.scale) == (column, scale)


def test_one_time_of_a_function_wins_and_the_others_stay_metrics(warehouse, tmp_path):
    path = tmp_path / "experiment.txt"
    path.write_text(
        "PARAMETER p\nPOINTS (4)\nREGION f\nMETRIC quality\nDATA 9\nMETRIC cpu_time_ms\nDATA 8000\n"
        "METRIC time\nDATA 7\nMETRIC inclusive_time\nDATA 10\n"
    )
    land(warehouse, path, reader="extrap-text")
    assert rows(warehouse, "SELECT seconds, inclusive_seconds FROM fn_timings ORDER BY 1") == [
        (7.0, None),
        (None, 10.0),
    ]
    assert rows(warehouse, "SELECT region, event, value, unit FROM pmu_samples ORDER BY 2") == [
        ("f", "cpu_time_ms", 8.0, "s"),
        ("f", "quality", 9.0, None),
    ]


def test_only_gauges_may_be_below_zero():
    assert [
        name for name in ("time", "visits", "memory_delta", "energy") if Metric(name).signed
    ] == ["memory_delta"]
