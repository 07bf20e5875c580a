"""Benchmarks that load a machine: the values that each tool prints, in seconds and a second."""

from __future__ import annotations

from fnmatch import fnmatch

import pytest

from tests.helpers.support import land, rows
from tests.ingest.cases.load_tests import FOLDER
from warehouse.errors import InputError


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sysbench.txt", {"events": 1676.85, "latency p95": 0.00235}),
        ("stress.yaml", {"cpu": 863.887748}),
        ("perf-bench.txt", {"mem/memcpy x86-64-movsb": 54.253472 * 1024**3}),
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


def test_results_of_two_tools_in_a_file_are_refused(warehouse, tmp_path):
    logs = ("sysbench.txt", "perf-bench.txt")
    (tmp_path / "all.txt").write_text("".join((FOLDER / log).read_text() for log in logs))
    with pytest.raises(InputError, match="results of perf bench begin here"):
        land(warehouse, tmp_path / "all.txt")


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
        (STRESS_TEXT, [], "1 miscellaneous metric (*1 count of --perf ("),
    ],
)
def test_what_tools_measure_besides_is_told(text, rate, left_out, warehouse, tmp_path):
    (tmp_path / "x.txt").write_text(text)
    (landed,) = land(warehouse, tmp_path / "x.txt")
    found = rows(warehouse, "SELECT metric, value, better FROM metrics WHERE metric <> 'hdd'")
    assert found == rate
    assert fnmatch(landed.left_out, f"{left_out}*")
