"""Results of benchmarks: what each tool's numbers are, and that histories stand on them."""

from __future__ import annotations

import json

import pytest

from apps.reports.runs import run_report
from tests.helpers.support import land, rows
from tests.ingest.cases.benchmarks import SAMPLE
from warehouse.errors import InputError

VALUES = "SELECT metric, repetition, value, unit, better, deviation FROM metrics ORDER BY rowid"


def test_pytest_benchmark_has_its_rounds_or_their_mean(warehouse, another, tmp_path):
    document = json.loads((SAMPLE.parent / "pytest.json").read_text())
    stats = document["benchmarks"][1]["stats"]
    name = "test_b.py::test_sum[10]"
    land(warehouse, SAMPLE.parent / "pytest.json")
    assert [row for row in rows(warehouse, VALUES) if row[0] == name] == [
        (name, number, value, "s", "lower", None) for number, value in enumerate(stats.pop("data"))
    ]
    # --benchmark-save without --benchmark-save-data keeps statistics only.
    means = another()
    (tmp_path / "b.json").write_text(json.dumps(document))
    land(means, tmp_path / "b.json")
    spread = stats["stddev"] / stats["mean"]
    found = [row for row in rows(means, VALUES) if row[0] == name]
    assert found == [(name, None, stats["mean"], "s", "lower", spread)]
    query = "SELECT app, version, machine FROM runs"
    assert rows(warehouse, query) == [("sums", "0f3c2d1", "node1")]


def test_hyperfine_has_every_run_of_a_command(warehouse):
    land(warehouse, SAMPLE.parent / "hyperfine.json")
    found = rows(warehouse, VALUES)
    assert found[:2] == [
        ("true", 0, 0.003894142, "s", "lower", None),
        ("true", 1, 0.016071261, "s", "lower", None),
    ]
    assert ("true user", None, 0.0008342, "s", "lower", None) in found
    query = "SELECT round(value, 12) FROM run_metrics WHERE metric = 'metric:true'"
    assert rows(warehouse, query) == [(0.0054216676,)], "the mean that hyperfine prints"


def test_go_repetitions_units_and_processors(warehouse):
    land(warehouse, SAMPLE.parent / "go.txt")
    assert rows(warehouse, VALUES) == [
        ("Sum/n=10", 0, pytest.approx(4.021e-9), "s", "lower", None),
        ("Sum/n=10", 1, pytest.approx(4.119e-9), "s", "lower", None),
        ("Copy", 0, pytest.approx(801234e-9), "s", "lower", None),
        ("Copy MB/s", 0, 1308.71, "MB/s", "higher", None),
        ("Copy B/op", 0, 16.0, "B/op", "lower", None),
        ("Copy allocs/op", 0, 2.0, "allocs/op", "lower", None),
        ("Hits", 0, pytest.approx(60000e-9), "s", "lower", None),
        ("Hits hits/op", 0, 0.95, "hits/op", None, None),
    ]
    assert rows(warehouse, "SELECT app, threads FROM runs") == [("example.org/sums", 8)]


def test_a_history_of_commits_is_runs_with_directions(warehouse):
    land(warehouse, SAMPLE.parent / "data.js")
    query = """
        SELECT app, version, epoch_ms(started_at), metric, value, unit FROM run_metrics
        ORDER BY app, started_at
    """
    assert rows(warehouse, query) == [
        ("Go Benchmark", "aaaaaaaaaaaaaaaa1", 1700000000000, "metric:BenchmarkSum", 402.1, "ns/op"),
        ("Go Benchmark", "bbbbbbbbbbbbbbbb2", 1700000600000, "metric:BenchmarkSum", 455.0, "ns/op"),
        ("Scores", "aaaaaaaaaaaaaaaa1", 1700000000000, "metric:score", 50.0, "points"),
    ]
    query = "SELECT DISTINCT _better(NULL, metric, unit) FROM run_metrics ORDER BY 1"
    assert rows(warehouse, query) == [("higher",), ("lower",)]
    assert rows(warehouse, VALUES)[2][-1] == 0.1


def test_plain_scalars(warehouse, tmp_path):
    text = "metric,value,unit,better\nthroughput,12.5,req/s,higher\nscore,3,,\n"
    (tmp_path / "m.csv").write_text(text)
    land(warehouse, tmp_path / "m.csv")
    assert rows(warehouse, "SELECT metric, value, unit FROM run_metrics ORDER BY ALL") == [
        ("metric:score", 3.0, None),
        ("metric:throughput", 12.5, "req/s"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("metric,value,better\nscore,3,bigger\n", "bigger"),
        ("metric,value\nscore,inf\n", "inf"),
        ('{"results": [{"command": "a"}]}', "'mean' is missing"),
        ('{"machine_info": {}, "commit_info": 1, "benchmarks": []}', "'benchmarks' is empty"),
        (SAMPLE.read_text().replace('"ns"', "{}"), "the time unit is {}"),
        ("BenchmarkA-8 10 5 ns/op\nBenchmarkB-8 10 5..2 ns/op\n", "'5..2' was found"),
    ],
)
def test_damage_is_reported(text, problem, warehouse, tmp_path):
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises(InputError, match=problem):
        land(warehouse, tmp_path / "m.csv")


def test_failed_benchmarks_and_aggregates_alone(warehouse, tmp_path):
    document = json.loads(SAMPLE.read_text())
    entries = [e for e in document["benchmarks"] if e["run_type"] == "aggregate"]
    failed = {"name": "BM_x", "run_name": "BM_x", "run_type": "iteration", "error_occurred": True}
    (tmp_path / "g.json").write_text(json.dumps(document | {"benchmarks": [*entries, failed]}))
    (done,) = land(warehouse, tmp_path / "g.json")
    assert done.left_out == "1 benchmark (failed or skipped)"
    query = "SELECT metric, repetition, round(value * 1e9, 1), deviation > 0 FROM metrics LIMIT 1"
    assert rows(warehouse, query) == [("BM_sort/8", None, 1623.0, True)]


def test_the_report_of_a_run_shows_its_benchmarks(warehouse):
    (done,) = land(warehouse, SAMPLE)
    text = run_report(warehouse, done.runs[0])
    assert "* 6 metrics of benchmarks." in text
    assert "Benchmarks\nmetric " in text and "BM_sort/64 cpu_time" in text
