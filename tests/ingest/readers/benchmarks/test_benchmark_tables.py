"""Tables that benchmarks print, and older files of Google Benchmark."""

from __future__ import annotations

import json

import pytest

from tests.helpers.support import land, rows
from tests.ingest.cases.benchmarks import SAMPLE
from warehouse.errors import InputError

VALUES = "SELECT metric, repetition, value, unit, better FROM metrics ORDER BY rowid"


def test_google_benchmarks_table(warehouse):
    (done,) = land(warehouse, SAMPLE.with_name("google.txt"))
    found = rows(warehouse, VALUES)
    assert found[:4] == [
        ("BM_sort/64", 0, pytest.approx(316e-9), "s", "lower"),
        ("BM_sort/64 cpu_time", 0, pytest.approx(311e-9), "s", "lower"),
        # 3.21667 million sorts of 64 numbers of 4 bytes
        (
            "BM_sort/64 bytes_per_second",
            0,
            pytest.approx(3.21667e6 * 256, rel=1e-5),
            "B/s",
            "higher",
        ),
        ("BM_sort/64 rate", 0, pytest.approx(3.21667e6), None, None),
    ]
    assert not [name for name, *_ in found if name.split()[0].endswith(("_mean", "_cv", "_BigO"))]
    assert done.left_out == "3 benchmarks (failed or skipped)"
    query = "SELECT app, strftime(started_at, '%Y-%m-%d') FROM runs"
    assert rows(warehouse, query) == [("gb", "2026-11-22")]


@pytest.mark.parametrize(
    "text",
    [
        # of 1.33481G/s
        "Benchmark  Time  CPU  Iterations\nBM_a  5 ns  5 ns  100 bytes_per_second=1.33",
        "| Command | Mean [ms] | Min [ms] |\n|:---|---:|---:|\n| `",
    ],
)
def test_a_table_that_was_cut_off_is_refused(text, warehouse, tmp_path):
    (tmp_path / "cut.txt").write_text(text)
    with pytest.raises(InputError, match="the last line has no end"):
        land(warehouse, tmp_path / "cut.txt")


def test_google_benchmarks_rates_had_no_names_before_1_4(warehouse, tmp_path):
    path = tmp_path / "console.txt"
    path.write_text(
        "Benchmark             Time           CPU Iterations\n"
        "---------------------------------------------------\n"
        "BM_create            23 ns         23 ns   31119000   1.2GB/s   5M items/s\n"
        "BM_copy/8            54 ns         54 ns   12834000   141.3MB/s at 3GB/second\n"
    )
    land(warehouse, path)
    counters = "SELECT metric, value FROM metrics WHERE unit IS DISTINCT FROM 's' ORDER BY rowid"
    assert rows(warehouse, counters) == [
        ("BM_create bytes_per_second", pytest.approx(1.2 * 2**30)),
        ("BM_create items_per_second", pytest.approx(5 * 2**20)),
        ("BM_copy/8 bytes_per_second", pytest.approx(141.3 * 2**20)),
    ]


_GOOGLE_0 = """\
Benchmark        Time             CPU   Iterations UserCounters...
A/1          0.000 us        0.001 us     58096903 items_per_second=3.96386G/s
"""
_HYPERFINE_0 = """\
| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |
|:---|---:|---:|---:|---:|
| `true` | 0.0 ± 0.1 | 0.0 | 0.1 | 1.00 |
"""
_JMH_0 = """\
Benchmark  Mode  Cnt  Score   Error  Units
A.sort     avgt    5  0.000 ± 0.001   s/op
"""


@pytest.mark.parametrize(
    ("name", "text", "known"),
    [
        (
            "google.txt",
            _GOOGLE_0,
            [("A/1 cpu_time", 1e-9), ("A/1 items_per_second", 3963860000.0)],
        ),
        ("hyperfine.md", _HYPERFINE_0, []),
        ("jmh.txt", _JMH_0, []),
    ],
)
def test_times_that_tables_rounded_to_nothing_are_unknown(warehouse, tmp_path, name, text, known):
    path = tmp_path / name
    path.write_text(text)
    land(warehouse, path)
    first, *others = rows(warehouse, "SELECT metric, value FROM metrics ORDER BY ALL")
    assert first[1] is None
    assert others == known


def test_google_benchmarks_columns_of_counters(warehouse, tmp_path):
    path = tmp_path / "tabular.txt"
    path.write_text(
        "Benchmark             Time             CPU   Iterations bytes_per_second   left\n"
        "BM_sort/64          558 ns          179 ns       156090       1.33481G/s     -3\n"
        "Benchmark             Time             CPU   Iterations\n"
        "BM_push             323 ns          118 ns       241027\n"
    )
    land(warehouse, path)
    counters = "SELECT metric, value FROM metrics WHERE unit IS DISTINCT FROM 's' ORDER BY rowid"
    assert rows(warehouse, counters) == [
        ("BM_sort/64 bytes_per_second", pytest.approx(1.33481 * 2**30)),
        ("BM_sort/64 left", -3.0),
    ]


def test_pytest_benchmarks_csv_of_parametrized_tests(warehouse, tmp_path):
    path = tmp_path / "compared.csv"
    path.write_text(
        "name,param:n,min,max,mean,stddev\na.py::test,,1,3,2,1\na.py::test[x],x,2,4,3,1\n"
    )
    land(warehouse, path)
    assert rows(warehouse, "SELECT metric, value FROM metrics ORDER BY rowid") == [
        ("a.py::test", 2.0),
        ("a.py::test[x]", 3.0),
    ]


def test_hyperfines_table_in_markdown(warehouse):
    land(warehouse, SAMPLE.with_name("hyperfine.md"))
    query = "SELECT metric, value, deviation FROM metrics ORDER BY rowid"
    assert rows(warehouse, query) == [
        ("../w 100", pytest.approx(0.0038), pytest.approx(1.5 / 3.8)),
        ("../w 200", pytest.approx(0.0044), pytest.approx(1.5 / 4.4)),
    ]


def test_suites_of_machines(warehouse):
    (done,) = land(warehouse, SAMPLE.with_name("suites.txt"))
    found = rows(
        warehouse,
        "SELECT threads, metric, value, unit, better FROM metrics JOIN runs USING (run_id) "
        "WHERE NOT metric SIMILAR TO '.* (?:min|max) time' "
        "ORDER BY metrics.rowid",
    )
    assert found == [
        (4, "Copy", 20000.5, "MB/s", "higher"),
        (4, "Copy avg time", 0.00825, "s", "lower"),
        (4, "Triad", 21000, "MB/s", "higher"),
        (4, "Triad avg time", 0.0117, "s", "lower"),
        (8, "Copy", 30000.5, "MB/s", "higher"),
        (8, "Copy avg time", 0.0055, "s", "lower"),
        *(
            (8, f"OSU MPI Allreduce Latency {which} Latency(size=4)", *time)
            for which, time in (
                ("Avg", (pytest.approx(10.05e-6), "s", "lower")),
                ("Min", (pytest.approx(9.15e-6), "s", "lower")),
                ("Max", (pytest.approx(11.25e-6), "s", "lower")),
            )
        ),
        (8, "OSU MPI Bandwidth(size=1)", 2.05, "MB/s", "higher"),
        (8, "OSU MPI Bandwidth(size=1024)", 2017.25, "MB/s", "higher"),
        (8, "PingPong t(processes=2,size=0)", pytest.approx(2.25e-6), "s", "lower"),
        (8, "PingPong MB/s(processes=2,size=0)", 0, "MB/s", "higher"),
        (8, "PingPong t(processes=2,size=512)", pytest.approx(4e-6), "s", "lower"),
        (8, "PingPong MB/s(processes=2,size=512)", 128, "MB/s", "higher"),
        (8, "HPL(N=2000,NB=64,P=1,Q=2,variant=WR00L2L2)", 6.375, "Gflop/s", "higher"),
        (8, "HPL time(N=2000,NB=64,P=1,Q=2,variant=WR00L2L2)", 0.8, "s", "lower"),
        (8, "find, in order", pytest.approx(1250e-9), "s", "lower"),
        (8, "find, in order instructions", 4000.5, None, None),
        (8, "hash", pytest.approx(2.5e-9), "s", "lower"),
        (8, "hash instructions", 9, None, None),
    ]
    assert done.left_out == "1 result (its residual is too large)"
    calls = (
        "SELECT threads, function, parallelism, seconds FROM fn_timings JOIN runs USING (run_id)"
    )
    assert rows(warehouse, f"{calls} ORDER BY fn_timings.rowid") == [
        (8, "MPI_Allreduce(size=4)", None, pytest.approx(10.05e-6)),
        (8, "MPI_PingPong(size=0)", 2, pytest.approx(2.25e-6)),
        (8, "MPI_PingPong(size=512)", 2, pytest.approx(4e-6)),
    ]


@pytest.mark.usefixtures("analyses")
def test_times_of_calls_are_modelled_over_the_processes_of_the_file(warehouse, tmp_path):
    path = tmp_path / "imb.txt"
    path.write_text(
        "".join(
            f"# Benchmarking Allreduce\n# #processes = {p}\n"
            "  #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
            f"       8         1000         {p}.5         {p}.7         {p}.6\n"
            for p in (2, 4, 8)
        )
    )
    land(warehouse, path)
    assert rows(warehouse, "SELECT app, function, kind, x, y FROM scaling_series") == [
        (
            "imb",
            "MPI_Allreduce(size=8)",
            "n-to-n collective",
            [2, 4, 8],
            pytest.approx([2.6e-6, 4.6e-6, 8.6e-6]),
        )
    ]


@pytest.mark.parametrize(
    ("name", "expected", "left_out"),
    [
        (
            "dotnet.md",
            [
                ("Sum(Runtime=.NET 6.0,N=100)", 80e-9, "s", 0.01),
                ("Sum(Runtime=.NET 6.0,N=100) allocated", 104, "bytes", None),
                ("Sum(Runtime=.NET 8.0,N=100)", 1250.5e-6, "s", 0.782 / 1250.5),
                ("Sum(Runtime=.NET 8.0,N=100) allocated", 1536, "bytes", None),
            ],
            "1 benchmark (failed)",
        ),
        (
            "dotnet.csv",
            [
                ("Old lock, parallel(N=10)", 568767e-9, "s", 12307.846 / 568767),
                ("Old lock, parallel(N=10) allocated", 4650, "bytes", None),
                ("Sum(N=20)", 80.5e-9, "s", 0.01),
            ],
            None,
        ),
    ],
)
def test_tables_of_benchmarkdotnet(warehouse, name, expected, left_out):
    (done,) = land(warehouse, SAMPLE.with_name(name))
    found = rows(warehouse, "SELECT metric, value, unit, deviation FROM metrics ORDER BY rowid")
    assert found == [
        (metric, pytest.approx(value), unit, pytest.approx(deviation))
        for metric, value, unit, deviation in expected
    ]
    assert done.left_out == left_out


def test_commas_of_benchmarkdotnet_that_may_be_decimal_ones(refusal):
    text = SAMPLE.with_name("dotnet.csv").read_text().replace(",", "").replace(".", ",")
    assert "the commas may be decimal ones" in refusal(text.replace(",NET", ".NET").encode())


def test_jmhs_table(warehouse):
    land(warehouse, SAMPLE.with_name("jmh.txt"))
    assert rows(warehouse, VALUES) == [
        ("Sample.sort(size=100) avgt", None, pytest.approx(12.123e-9), "s", "lower"),
        ("Sample.sort(size=100) avgt gc.alloc.rate", None, 1234.123, "MB/sec", None),
        ("Sample.sort(size=100) thrpt", None, 12123.123, "ops/s", "higher"),
        ("Sample.start", None, pytest.approx(1.23e-3), "s", "lower"),
        ("Sample.wait", None, pytest.approx(34.12e-6), "s", "lower"),
        ("Sample.wait wait·p0.99", None, pytest.approx(44.12e-6), "s", None),
        ("Sample.tiny", None, None, "s", "lower"),
    ]
    assert rows(warehouse, "SELECT tags['recorder'] FROM runs") == [("jmh 1.36",)]


def test_each_execution_of_google_benchmark_is_a_run(warehouse, tmp_path):
    execution = """\
2023-03-01T10:1{0}:12+01:00
Running ./{1}
Run on (8 X 3600 MHz CPU s)
Benchmark           Time             CPU   Iterations
-----------------------------------------------------
BM_sort/64       {0}34 ns         {0}30 ns       567890
"""
    (tmp_path / "log.txt").write_text(execution.format(1, "before") + execution.format(2, "after"))
    land(warehouse, tmp_path / "log.txt")
    values = "SELECT app, minute(started_at), metric, repetition, value FROM metrics JOIN runs "
    assert rows(warehouse, f"{values} USING (run_id) WHERE metric NOT LIKE '%cpu%' ORDER BY 2") == [
        ("before", 11, "BM_sort/64", 0, pytest.approx(134e-9)),
        ("after", 12, "BM_sort/64", 0, pytest.approx(234e-9)),
    ]


def test_a_name_that_comes_again_begins_another_run_of_criterion(warehouse, tmp_path):
    log = "sort/a time:   [{0}1 ns {0}2 ns {0}3 ns]\nsort/b time:   [1 us 2 us 3 us]\n\n"
    (tmp_path / "log.txt").write_text(log.format(1) + log.format(2))
    land(warehouse, tmp_path / "log.txt")
    values = "SELECT run_id[-1], metric, value FROM metrics WHERE metric = 'sort/a' ORDER BY rowid"
    assert rows(warehouse, values) == [
        ("0", "sort/a", pytest.approx(12e-9)),
        ("1", "sort/a", pytest.approx(22e-9)),
    ]


def test_each_table_of_jmh_in_the_log_of_a_build_is_a_run(warehouse, tmp_path):
    log = """\
[info] Benchmark  Mode  Cnt     Score     Error  Units
[info] A.sort    thrpt   20  1387.396 ± 408.463  ops/s
[success] Total time: 101 s

[INFO] Benchmark  Mode  Cnt     Score     Error  Units
[INFO] A.sort    thrpt   20  1450.644 ± 260.385  ops/s
"""
    (tmp_path / "sbt.log").write_text(log)
    land(warehouse, tmp_path / "sbt.log")
    values = "SELECT run_id[-1], metric, value FROM metrics ORDER BY rowid"
    assert rows(warehouse, values) == [("0", "A.sort", 1387.396), ("1", "A.sort", 1450.644)]


def test_tables_of_old_jmh_and_signs_that_a_console_lacks(warehouse, tmp_path):
    for name, text in {
        "0.1.txt": """\
Benchmark        Mode Thr    Cnt  Sec         Mean   Mean error    Units
A.get           thrpt   2      1    5        0.762          NaN ops/msec
A.get           thrpt   8      1    5        1.118        0.021 ops/msec
A.put            avgt   8      5    1       33,180       52,792  msec/op
""",
        "0.9.txt": """\
    Benchmark       (n)  Mode  Samples      Score  Score error  Units
    B.csv            10  avgt      200      9.011        0.008  us/op
    B.csv          1000  avgt      200    793.161        0.698  us/op
""",
        "1.21.txt": """\
Benchmark  Mode  Cnt   Score    Error  Units
C.a        avgt    5  12.123 ?  0.123   s/op
C.b        avgt    5   ? 10??           s/op
""",
    }.items():
        (tmp_path / name).write_text(text)
        land(warehouse, tmp_path / name)
    assert rows(warehouse, VALUES.replace("repetition, ", "")) == [
        ("A.get(threads=2)", 0.762, "ops/msec", "higher"),
        ("A.get(threads=8)", 1.118, "ops/msec", "higher"),
        ("A.put(threads=8)", pytest.approx(33.180e-3), "s", "lower"),
        ("B.csv(n=10)", pytest.approx(9.011e-6), "s", "lower"),
        ("B.csv(n=1000)", pytest.approx(793.161e-6), "s", "lower"),
        ("C.a", 12.123, "s", "lower"),
        ("C.b", None, "s", "lower"),
    ]


def test_jmhs_csv(warehouse):
    land(warehouse, SAMPLE.with_name("jmh.csv"))
    assert rows(warehouse, VALUES) == [
        ("org.Sample.sort(size=100)", None, pytest.approx(12.123e-9), "s", "lower"),
        ("org.Sample.sort(size=100) gc.alloc.rate", None, 1234.123, "MB/sec", None),
        ("org.Sample.start", None, pytest.approx(1.23e-3), "s", "lower"),
    ]
    assert rows(warehouse, "SELECT threads FROM runs") == [(4,)]


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("jmh.csv", ",5,12.123000,", ",5,12,123000,", "has other values"),
        ("jmh.txt", "12.123 ±    0.123   ns/op\n", "twelve  ns/op\n", "was found"),
        ("hyperfine.md", "3.8 ± 1.5", "about 4", "was found"),
    ],
)
def test_damage(warehouse, tmp_path, name, old, new, message):
    text = SAMPLE.with_name(name).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / name).write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        land(warehouse, tmp_path / name)


def test_google_benchmark_before_1_5_marks_no_statistics(warehouse, tmp_path):
    entry = {"iterations": 9, "real_time": 100.0, "cpu_time": 90.0}
    names = ["BM_x", "BM_x", "BM_x_mean", "BM_x_stddev", "BM_mean"]
    document = {
        "context": {"date": "2015/04/02-10:11:12"},
        "benchmarks": [{"name": name, **entry} for name in names],
    }
    (tmp_path / "old.json").write_text(json.dumps(document))
    land(warehouse, tmp_path / "old.json")
    query = (
        "SELECT metric, repetition FROM metrics WHERE metric NOT LIKE '%cpu_time' ORDER BY rowid"
    )
    assert rows(warehouse, query) == [("BM_x", 0), ("BM_x", 1), ("BM_mean", 0)]
    assert rows(warehouse, "SELECT started_at::VARCHAR LIKE '2015-04-02%' FROM runs") == [(True,)]


@pytest.mark.parametrize("heading", ["Time  CPU  Iterations", "Mode  Cnt  Score  Error  Units"])
def test_tables_without_a_row(warehouse, tmp_path, heading):
    (tmp_path / "t.txt").write_text(f"Benchmark  {heading}\n")
    with pytest.raises(InputError, match="the table has no row"):
        land(warehouse, tmp_path / "t.txt")
