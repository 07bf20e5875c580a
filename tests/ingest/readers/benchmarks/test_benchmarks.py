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


@pytest.mark.usefixtures("analyses")
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


def test_hyperfine_has_no_time_of_runs_that_failed(warehouse, tmp_path):
    results = [
        {"command": "a", "times": [1, 2, 3], "exit_codes": [0, 3, None], "mean": 2, "user": 0.1},
        {"command": "b", "times": [4], "exit_codes": [0], "mean": 4, "user": 0.2},
    ]
    path = tmp_path / "h.json"
    path.write_text(json.dumps({"results": results}))
    (landed,) = land(warehouse, path)
    assert landed.left_out == "3 times (the command failed)"
    assert rows(warehouse, "SELECT metric, repetition, value FROM metrics") == [
        *(("a", 0, 1), ("a", 1, None), ("a", 2, None), ("a user", None, None)),
        *(("b", 0, 4), ("b user", None, 0.2)),
    ]


def test_go_results_behind_what_the_benchmark_printed(warehouse, tmp_path):
    path = tmp_path / "go.txt"
    path.write_text(
        "goos: linux\npkg: example.com/p\n"
        "BenchmarkServe-8   \t2026/11/23 10:11:12 starting\n"
        "Benchmarking now\n"
        "     100\t  11923456 ns/op\t    1024 B/op\n"
        "BenchmarkOther-8   \t    2000\t    923456 ns/op\n"
        "     100\t  1 ns/op\n"
    )
    land(warehouse, path)
    assert rows(warehouse, "SELECT metric, round(value * 1e9) FROM metrics WHERE unit = 's'") == [
        ("Serve", 11923456.0),
        ("Other", 923456.0),
    ]


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


@pytest.mark.usefixtures("analyses")
def test_a_history_of_commits_is_runs_with_directions(warehouse):
    land(warehouse, SAMPLE.parent / "data.js")
    query = """
        SELECT app, version, epoch_ms(started_at), metric, value, unit FROM run_metrics
        ORDER BY app, started_at
    """
    go, scores = (f"example.org/sums: {suite}" for suite in ("Go Benchmark", "Scores"))
    assert rows(warehouse, query) == [
        (go, "aaaaaaaaaaaaaaaa1", 1700000000000, "metric:BenchmarkSum", 402.1, "ns/op"),
        (go, "bbbbbbbbbbbbbbbb2", 1700000600000, "metric:BenchmarkSum", 455.0, "ns/op"),
        (scores, "aaaaaaaaaaaaaaaa1", 1700000000000, "metric:score", 50.0, "points"),
    ]
    query = "SELECT DISTINCT _better(NULL, app, metric, unit) FROM run_metrics ORDER BY 1"
    assert rows(warehouse, query) == [("higher",), ("lower",)]
    assert rows(warehouse, VALUES)[2][-1] == 0.1


def test_a_program_outside_of_a_repository_has_no_version(warehouse, tmp_path):
    document = json.loads(SAMPLE.with_name("pytest.json").read_text())
    document["commit_info"] = {"id": "unversioned", "branch": "(unknown)", "project": "app"}
    (tmp_path / "b.json").write_text(json.dumps(document))
    land(warehouse, tmp_path / "b.json")
    assert rows(warehouse, "SELECT app, version, tags FROM runs") == [("app", None, {})]


@pytest.mark.usefixtures("analyses")
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
        ("command,mean,stddev,median,user,system,min,max\nls,1,2\n", "there are 3 values"),
        ("command,mean,stddev,median,user,system,min,max\nls,1,,1,1,1,1", "there are 7 values"),
        ('{"benchmarks":[{"runs":[{}]}]}', "'name' is missing"),
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
    assert "Benchmarks\nmetric " in text and "BM_sort/64 cpu_time" in text


def test_jmh_has_iterations_of_all_forks_and_throughput_is_no_time(warehouse):
    land(warehouse, SAMPLE.parent / "jmh.json")
    sort, total = "org.example.SortBench.sort(size=1000)", "org.example.SortBench.sum"
    assert rows(warehouse, VALUES) == [
        (sort, 0, pytest.approx(30e-6), "s", "lower", None),
        (sort, 1, pytest.approx(30.5e-6), "s", "lower", None),
        (sort, 2, pytest.approx(29.5e-6), "s", "lower", None),
        (sort, 3, pytest.approx(31e-6), "s", "lower", None),
        (f"{sort} gc.alloc.rate", 0, 128.5, "MB/sec", None, None),
        (f"{total} thrpt", 0, 410.5, "ops/ms", "higher", None),
        (f"{total} thrpt", 1, 415.0, "ops/ms", "higher", None),
        (f"{total} sample", None, pytest.approx(2.5e-3), "s", "lower", None),
    ]


def test_asv_has_a_value_at_each_point_and_says_what_failed(warehouse):
    (landed,) = land(warehouse, SAMPLE.parent / "asv.json")
    found = rows(warehouse, "SELECT metric, value, unit, better FROM metrics ORDER BY rowid")
    assert found == [
        ("bench.Sort.time_sorted(100, 'up')", 8.03200964583084e-07, "s", "lower"),
        ("bench.Sort.time_sorted(100, 'down')", 8.589995559304953e-07, "s", "lower"),
        ("bench.Sort.time_sorted(1000, 'up')", 4.430399712873623e-06, "s", "lower"),
        ("bench.Sort.time_sorted(1000, 'down')", 4.7310008085332814e-06, "s", "lower"),
        ("bench.mem_list", 2104.0, "bytes", "lower"),
        ("bench.peakmem_list", 24793088.0, "bytes", "lower"),
        ("bench.track_ratio", 1.5, None, None),
    ]
    assert landed.left_out == "1 benchmark (failed or skipped)"
    assert rows(warehouse, "SELECT version[:8], machine FROM runs") == [("31c09462", "node1")]


def test_asv_skips_points_and_keeps_samples(warehouse, tmp_path):
    document = json.loads((SAMPLE.parent / "asv.json").read_text())
    entry = document["results"]["bench.Sort.time_sorted"]
    entry[0][1] = float("nan")
    entry += [[[1e-6, 2e-6], None, None, None]]
    (tmp_path / "a.json").write_text(json.dumps(document))
    (landed,) = land(warehouse, tmp_path / "a.json")
    assert landed.left_out == "2 benchmarks (failed or skipped)"
    assert rows(warehouse, VALUES)[:2] == [
        ("bench.Sort.time_sorted(100, 'up')", 0, 1e-6, "s", "lower", None),
        ("bench.Sort.time_sorted(100, 'up')", 1, 2e-6, "s", "lower", None),
    ]


def test_go_events_are_the_lines_that_go_prints(warehouse):
    land(warehouse, SAMPLE.parent / "go.json")
    assert rows(warehouse, VALUES)[:3] == [
        ("Sum", 0, pytest.approx(276e-9), "s", "lower", None),
        ("Sum", 1, pytest.approx(276.1e-9), "s", "lower", None),
        ("Append", 0, pytest.approx(10705e-9), "s", "lower", None),
    ]
    assert rows(warehouse, "SELECT app, threads FROM runs") == [("example.com/sum", 2)]


def test_rust_prints_estimates_and_throughput_but_changes_are_no_times(warehouse, another):
    land(warehouse, SAMPLE.parent / "criterion.txt")
    long = "from_elem/a long name of a parameter"
    assert rows(warehouse, VALUES) == [
        ("fib 20", None, pytest.approx(26.251e-6), "s", "lower", None),
        (long, None, pytest.approx(62.001e-9), "s", "lower", None),
        (f"{long} throughput", None, 15.754, "GiB/s", "higher", None),
    ]
    libtest = another()
    land(libtest, SAMPLE.parent / "libtest.txt")
    assert rows(libtest, VALUES) == [
        ("sums::bench_add", None, pytest.approx(1234e-9), "s", "lower", None),
        ("sums::copy", None, pytest.approx(82.5e-9), "s", "lower", None),
        ("sums::copy throughput", None, 12412.0, "MB/s", "higher", None),
    ]


LIBTEST_JSON = """\
{ "type": "suite", "event": "started", "test_count": 2 }
{ "type": "test", "event": "started", "name": "t::copy" }
{ "type": "bench", "name": "t::copy", "median": 160.125, "deviation": 9.5, "mib_per_second": 50000 }
{ "type": "bench", "name": "t::sum", "median": 2256.25, "deviation": 4273.4 }
{ "type": "suite", "event": "ok", "passed": 0, "failed": 0, "ignored": 0, "measured": 2 }
"""


def test_rust_in_json_has_throughput_in_mb_in_spite_of_the_name_of_its_field(warehouse, tmp_path):
    (tmp_path / "bench.json").write_text(LIBTEST_JSON)
    land(warehouse, tmp_path / "bench.json")
    assert rows(warehouse, VALUES) == [
        ("t::copy", None, pytest.approx(160.125e-9), "s", "lower", None),
        ("t::copy throughput", None, 50000.0, "MB/s", "higher", None),
        ("t::sum", None, pytest.approx(2256.25e-9), "s", "lower", None),
    ]


def test_a_negative_time_is_refused(warehouse, tmp_path):
    (tmp_path / "go.txt").write_text("BenchmarkX-8  100  -5 ns/op\nPASS\n")
    with pytest.raises(InputError, match="X took -5e-09 s"):
        land(warehouse, tmp_path / "go.txt")


def test_google_benchmarks_table_is_what_its_json_is(warehouse):
    (done,) = land(warehouse, SAMPLE.parent / "google.csv")
    found = rows(warehouse, VALUES)
    assert found[:4] == [
        ("BM_sort/64", 0, pytest.approx(313.567e-9), "s", "lower", None),
        ("BM_sort/64 cpu_time", 0, pytest.approx(310.899e-9), "s", "lower", None),
        ("BM_sort/64 bytes_per_second", 0, 8.23418e08, "B/s", "higher", None),
        ("BM_sort/64 rate", 0, 3.21647e06, None, None, None),
    ]
    names = {name for name, *_ in found}
    assert not [name for name in names if name.endswith(("_mean", "_cv", "_BigO", "_RMS"))]
    assert [row[1] for row in found if row[0] == "BM_ms/real_time/threads:2"] == [0, 1, 2]
    assert done.left_out == "3 benchmarks (failed or skipped)"


def test_google_benchmarks_table_of_statistics_has_the_means(warehouse, tmp_path):
    table = (SAMPLE.parent / "google.csv").read_text().splitlines()
    kept = [line for line in table if "/64" not in line or "/64_" in line]
    (tmp_path / "g.csv").write_text("\n".join(["Run on 2 CPUs", *kept, ""]))
    land(warehouse, tmp_path / "g.csv")
    spread = pytest.approx(2.90414 / 312.724)
    found = [row for row in rows(warehouse, VALUES) if row[0] == "BM_sort/64"]
    assert found == [("BM_sort/64", None, pytest.approx(312.724e-9), "s", "lower", spread)]


def test_hyperfines_table_has_means(warehouse):
    land(warehouse, SAMPLE.parent / "hyperfine.csv")
    spread = pytest.approx(0.0013447215722008406 / 0.0033633934)
    assert rows(warehouse, VALUES)[:2] == [
        ("./w 100", None, 0.0033633934000000002, "s", "lower", spread),
        ("./w 100 user", None, 0.0024067999999999997, "s", "lower", None),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.csv",
            "command,mean,stddev,median,user,system,min,max\n./w,0.01,0,0.01,0,0,0.01,0.01\n",
        ),
        (
            "a.md",
            "| Command | Mean [ms] | Min [ms] |\n|:---|---:|---:|\n| `./w` | 10 ± 0.0 | 10 |\n",
        ),
    ],
)
def test_a_deviation_of_a_single_time_or_rounded_to_0_is_unknown(name, text, warehouse, tmp_path):
    (tmp_path / name).write_text(text, encoding="utf-8")
    land(warehouse, tmp_path / name)
    assert rows(warehouse, VALUES)[0] == ("./w", None, 0.01, "s", "lower", None)


def test_commands_of_one_name_differ_by_their_parameters(warehouse, tmp_path):
    result = {"command": "sort", "mean": 0.5, "times": [0.5]}
    results = [result | {"parameters": {"n": n}} for n in ("10", "20")]
    (tmp_path / "h.json").write_text(json.dumps({"results": results}))
    land(warehouse, tmp_path / "h.json")
    assert [name for name, *_ in rows(warehouse, VALUES)] == ["sort (n=10)", "sort (n=20)"]


def test_pyperf_has_the_values_of_all_processes(warehouse):
    land(warehouse, SAMPLE.parent / "pyperf.json")
    query = """
        SELECT metric, count(*), count(DISTINCT repetition), round(avg(value) * 1e9) FROM metrics
        GROUP BY ALL ORDER BY ALL
    """
    assert rows(warehouse, query) == [("one", 20, 20, 156.0), ("two", 40, 40, 165.0)]
    query = "SELECT machine, started_at IS NOT NULL FROM runs"
    assert rows(warehouse, query) == [("node1", True)]


def test_pytest_csv_has_means(warehouse):
    land(warehouse, SAMPLE.parent / "pytest.csv")
    query = "SELECT metric, round(value * 1e9, 3), unit, better FROM metrics ORDER BY metric"
    assert rows(warehouse, query) == [
        ("t_b.py::test_a", 18955.176, "s", "lower"),
        ("t_b.py::test_b", 680.18, "s", "lower"),
    ]


def test_what_github_action_benchmark_is_given(warehouse, tmp_path):
    path = tmp_path / "custom.json"
    values = [
        {"name": "build", "unit": "seconds", "value": 12.5, "range": "\u00b1 0.5"},
        {"name": "memory", "unit": "Megabytes", "value": "100", "extra": "peak"},
    ]
    path.write_text(json.dumps(values, indent=4))
    land(warehouse, path)
    query = "SELECT metric, value, unit, better, deviation FROM metrics ORDER BY rowid"
    assert rows(warehouse, query) == [
        ("build", 12.5, "seconds", "lower", 0.04),
        ("memory", 100, "Megabytes", None, None),
    ]
