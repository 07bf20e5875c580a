"""Load tests: the values that each tool prints, in seconds and a second."""

from __future__ import annotations

import json
from fnmatch import fnmatch

import pytest

from tests.helpers.support import land, rows
from tests.ingest.cases.load_tests import FOLDER
from warehouse.errors import InputError


@pytest.mark.parametrize(
    ("name", "values"),
    [
        (
            "wrk.txt",
            {"requests": 1238.02, "latency p99": 0.00628, "transfer": 2.20 * 1024**2},
        ),
        ("ab.txt", {"requests": 940.86, "latency": 0.002126, "latency p95": 0.006}),
        ("pgbench.txt", {"transactions": 392.53236, "latency": 0.005095}),
        ("redis.csv", {"SET": 58823.53, "GET latency p99": 0.001319}),
        ("stress.yaml", {"cpu": 863.887748}),
        ("cyclictest.json", {"thread 1 latency": 120.07e-6, "latency max": 2976e-6}),
        ("perf-bench.txt", {"mem/memcpy x86-64-movsb": 54.253472 * 1024**3}),
        ("vegeta.json", {"latency p50": 0.002854306, "throughput": 101.00012489812}),
        ("locust_stats.csv", {"GET / latency p99.9": 0.08, "Aggregated requests": 12.1}),
    ],
)
def test_what_the_tools_print(warehouse, name, values):
    land(warehouse, FOLDER / name)
    found = dict(rows(warehouse, "SELECT metric, value FROM metrics"))
    assert {metric: found.get(metric) for metric in values} == pytest.approx(values)
    wrong = (
        "SELECT metric FROM metrics WHERE (unit = 's') <> (better = 'lower') AND unit IS NOT NULL"
    )
    assert rows(warehouse, wrong) == []


def test_how_the_load_was_made_tells_histories_apart(warehouse, tmp_path):
    text = (FOLDER / "pgbench.txt").read_text()
    other = text.replace("TPC-B (sort of)", "select only").replace("clients: 2", "clients: 8")
    (tmp_path / "two.txt").write_text(text + other)
    land(warehouse, tmp_path / "two.txt")
    assert rows(warehouse, "SELECT threads, tags['arguments'] FROM runs ORDER BY ALL") == [
        (2, "TPC-B (sort of), scale 1, 2 clients"),
        (2, "select only, scale 1, 8 clients"),
    ]


SETTINGS = {
    "sysbench 1.0.20\nTarget transaction rate: 9/sec\nPrime numbers limit: 50\n  avg:  1.5\n": (
        "at most 9/sec, primes up to 50"
    ),
    "sysbench 1.0.20\n  block size: 1KiB\n  operation: write\n  scope: global\n  avg:  1.5\n": (
        "blocks of 1KiB, write, global"
    ),
    "sysbench 1.0.20\n2MiB total file size\nBlock size 4KiB\nDoing random r/w test\n avg: 1.5\n": (
        "2MiB of files, blocks of 4KiB, random r/w"
    ),
    "Running 2s test @ http://[::1]:80/a?b=1\n  1 threads and 3 connections\n"
    "  Thread Stats   Avg      Stdev     Max   +/- Stdev\nRequests/sec:    5.5\n": (
        "/a?b=1, 1 threads and 3 connections"
    ),
    "This is ApacheBench, Version 2.3\nDocument Path:  /a\nConcurrency Level:  5\n  99%  2\n": (
        "/a, 5 clients"
    ),
    "This is ApacheBench, Version 2.3\nDocument Path:  /a\nConcurrency Level:  5\n"
    "Failed requests:  0\nKeep-Alive requests:  9\n  99%  2\n": "/a, 5 clients, Keep-Alive",
    "pgbench (15.18)\ntransaction type: <builtin: select only>\nscaling factor: 1\n"
    "number of clients: 1\nnumber of threads: 1\n"
    "number of transactions above the 50.0 ms latency limit: 18/398 (4.523%)\n"
    "latency average = 18.697 ms\nrate limit schedule lag: avg 14.596 (max 49.788) ms\n"
    "tps = 198.820465 (including reconnection times)\n": (
        "select only, scale 1, 1 clients, latency limit 50.0 ms, rate limit, reconnection for each"
    ),
    "stress-ng: info:  [9] dispatching hogs: 2 cpu\n"
    "stress-ng: metrc: [9] cpu     415      2.02      0.35      0.00       204.99   1177.01\n": (
        "2 cpu"
    ),
}


@pytest.mark.parametrize(("text", "arguments"), SETTINGS.items())
def test_what_was_asked_for_is_the_tag_arguments(text, arguments, warehouse, tmp_path):
    (tmp_path / "x.txt").write_text(text)
    land(warehouse, tmp_path / "x.txt")
    assert rows(warehouse, "SELECT tags['arguments'] FROM runs") == [(arguments,)]


def test_h2load(warehouse, tmp_path):
    (tmp_path / "x.txt").write_text(
        "starting benchmark...\nspawning thread #0: 4 total client(s). 500 total requests\n"
        "Application protocol: h2c\nprogress: 100% done\n\n"
        "finished in 16.14ms, 30984.69 req/s, 592.20MB/s\n"
        "requests: 500 total, 500 started, 500 done, 2 failed, 0 timeout\n"
        "                     min         max         mean         sd        +/- sd\n"
        "time for request:      159us      4.73ms       811us      1.07ms    92.00%\n"
        "time for connect:      124us      4.23ms      1.21ms      2.01ms    75.00%\n"
    )
    land(warehouse, tmp_path / "x.txt")
    assert rows(warehouse, "SELECT tags['arguments'] FROM runs") == [("4 clients, h2c",)]
    asked = "SELECT metric, value, unit, better FROM metrics ORDER BY metric"
    assert rows(warehouse, asked) == [
        ("failed requests", 2, None, "lower"),
        ("latency", pytest.approx(811e-6), "s", "lower"),
        ("latency max", pytest.approx(4.73e-3), "s", "lower"),
        ("requests", 30984.69, "1/s", "higher"),
        ("transfer", pytest.approx(592.20 * 1024**2), "B/s", "higher"),
    ]


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [("sysbench.txt", "wrk.txt", "wrk"), ("wrk.txt", "ab.txt", "ab")],
)
def test_results_of_two_tools_in_a_file_are_refused(warehouse, tmp_path, first, second, name):
    (tmp_path / "all.txt").write_text((FOLDER / first).read_text() + (FOLDER / second).read_text())
    with pytest.raises(InputError, match=f"results of {name} begin here"):
        land(warehouse, tmp_path / "all.txt")


def test_k6_in_both_forms(warehouse, tmp_path):
    flat = {
        "http_req_duration": {"avg": 5.5, "min": 1, "med": 4, "max": 20, "p(90)": 8, "p(95)": 9},
        "http_reqs": {"count": 100, "rate": 10.5},
        "http_req_failed": {"passes": 1, "fails": 99, "value": 0.01},
    }
    kinds = {"http_req_duration": ("trend", "time"), "http_reqs": ("counter", "default")}
    whole = {
        name: {
            **dict(zip(("type", "contains"), kinds.get(name, ("rate", "default")), strict=True)),
            "values": {("rate" if key == "value" else key): value for key, value in found.items()},
        }
        for name, found in flat.items()
    }
    for number, metrics in enumerate((flat, whole)):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps({"root_group": {}, "metrics": metrics}))
        land(warehouse, path, run_id=f"r{number}")
    for run_id in ("r0", "r1"):
        assert rows(
            warehouse,
            "SELECT metric, round(value, 6), unit, better FROM metrics "
            f"WHERE run_id = '{run_id}' ORDER BY ALL",
        ) == [
            ("http_req_duration", 0.0055, "s", "lower"),
            ("http_req_duration max", 0.02, "s", "lower"),
            ("http_req_duration p50", 0.004, "s", "lower"),
            ("http_req_duration p90", 0.008, "s", "lower"),
            ("http_req_duration p95", 0.009, "s", "lower"),
            ("http_req_failed", 0.01, None, "lower"),
            ("http_reqs", 10.5, "1/s", "higher"),
        ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# Running sched/pipe benchmark...\n     Total time: 5.125 [sec]\n\n"
            "# Running mem/memcpy benchmark...\n# function 'default' (glibc)\n       2.5 GB/sec\n",
            {"sched/pipe": 5.125, "mem/memcpy default": 2.5 * 2**30},
        ),
        # Of two decimals, 0.00 is not known.
        (
            "sysbench 1.0.20 \n  avg:  0.00\n  max:  8.04\n  95th percentile:  0.00\n",
            {"latency": None, "latency max": 0.00804, "latency p95": None},
        ),
        (
            "This is ApacheBench, Version 2.3\n  50%      0\n  99%      2\n",
            {"latency p50": None, "latency p99": 0.002},
        ),
    ],
)
def test_other_ways_to_print_the_same(text, expected, warehouse, tmp_path):
    (tmp_path / "x.txt").write_text(text)
    land(warehouse, tmp_path / "x.txt")
    found = dict(rows(warehouse, "SELECT metric, value FROM metrics"))
    assert found == pytest.approx(expected)


def test_tests_one_after_the_other_are_runs(warehouse, tmp_path):
    text = (FOLDER / "sysbench.txt").read_text()
    path = tmp_path / "threads.txt"
    path.write_text(text + text.replace("threads: 1", "threads: 8").replace("1676.85", "9000.5"))
    land(warehouse, path)
    query = "SELECT threads, value FROM metrics JOIN runs USING (run_id) WHERE metric = 'events'"
    assert rows(warehouse, f"{query} ORDER BY ALL") == [(1, 1676.85), (8, 9000.5)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "sysbench 1.0.20 (using system LuaJIT 2.1.0)\n\nThreads started!\n",
            "no result of sysbench",
        ),
        ('"test","rps"\n"SET","fast"\n', "'fast' was found"),
        ('"test","rps"\n"SET"\n', "there is 1 value"),
        ('{"latencies": {"total": 1}, "success": 1}', "'throughput' is missing"),
    ],
)
def test_what_is_not_whole(warehouse, tmp_path, text, problem):
    path = tmp_path / "x.txt"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        land(warehouse, path)
    assert problem in str(error.value)


def test_tests_whose_figures_are_not_known_are_told(warehouse, tmp_path):
    (tmp_path / "x.txt").write_text(
        "# Running sched/pipe benchmark...\n     Total time: 5.125 [sec]\n\n"
        "# Running futex/wake benchmark...\nWokeup 2 of 2 threads in 0.2069 ms (+-69.76%)\n"
    )
    (landed,) = land(warehouse, tmp_path / "x.txt")
    assert landed.left_out == "1 test of perf bench (without a figure that is known: futex/wake)"


STRESS = """stress-ng-version: 0.15.06
      ticks-per-second: 100
metrics:
    - stressor: hdd
      bogo-ops-per-second-usr-sys-time: 21873.395140
      bogo-ops-per-second-real-time: 2585.063831
      mbsec-write-rate: 500.878100
perfstats:
    - stressor: hdd
      cpu_cycles_total: 488
      cpu_cycles_per_second: 175.676222
      filemap_page-cache_add_total: 3
"""
STRESS_TEXT = """stress-ng: metrc: [9] hdd     3237     1.25     0.08     0.07     2585.06   9.40
stress-ng: metrc: [9] hdd                  500.88 MB/sec write rate (geometic mean of 1 instances)
stress-ng: info:  [9]                        488 CPU Cycles            173.695 K/sec
"""


@pytest.mark.parametrize(
    ("text", "rate", "left_out"),
    [
        (STRESS, [("hdd mbsec-write-rate", 500.8781, "higher")], "2 counts of --perf"),
        (
            "pgbench (15.18)\nlatency average = 0.588 ms\nstatement latencies in milliseconds:\n"
            "         0.037           0  BEGIN;\n         0.189           0  END;\n",
            [("latency", 0.000588, "lower")],
            "2 latencies of statements",
        ),
        (STRESS_TEXT, [], "1 miscellaneous metric (*1 count of --perf ("),
    ],
)
def test_what_tools_measure_besides_is_told(text, rate, left_out, warehouse, tmp_path):
    (tmp_path / "x.txt").write_text(text)
    (landed,) = land(warehouse, tmp_path / "x.txt")
    found = rows(warehouse, "SELECT metric, value, better FROM metrics WHERE metric <> 'hdd'")
    assert found == rate
    assert fnmatch(landed.left_out, f"{left_out}*")
