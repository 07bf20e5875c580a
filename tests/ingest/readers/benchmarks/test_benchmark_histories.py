"""Files of whole histories: asv of both versions, github-action-benchmark, ReFrame."""

from __future__ import annotations

import json

import pytest

from tests.helpers.support import land, rows
from tests.ingest.cases.benchmarks import SAMPLE

SAMPLES = SAMPLE.parent
VALUES = "SELECT metric, value, unit, better FROM metrics ORDER BY rowid"


@pytest.fixture
def project(tmp_path):
    """Return a folder of asv's results: results/MACHINE/FILE."""
    folder = tmp_path / "photutils-benchmarks" / "results" / "box"
    folder.mkdir(parents=True)
    name = "7810d6d7-py2.7-Cython-astropy0.4.1.json"
    (folder / name).write_bytes((SAMPLES / "asv-1.json").read_bytes())
    (folder / "machine.json").write_text('{"machine": "box", "version": 1}')
    (folder.parent / "benchmarks.json").write_text(
        '{"b.time_a": {"name": "b.time_a"}, "version": 1}'
    )
    return folder.parents[1]


def test_asv_of_version_1_has_its_commit_and_environment(warehouse, project):
    (landed,) = land(warehouse, project)
    assert landed.left_out == "2 benchmarks (failed or skipped)"
    assert rows(warehouse, VALUES) == [
        ("b.time_a", 0.098, "s", "lower"),
        ("b.mem_p(1)", 10, "bytes", "lower"),
    ]
    query = """
        SELECT app, machine, "commit"[:8], epoch_ms(committed_at), tags['environment'],
          environment['astropy'], environment['interpreter'] FROM runs
    """
    assert rows(warehouse, query) == [
        (
            *("photutils-benchmarks", "tom-laptop", "7810d6d7", 1410541006000),
            *("py2.7-Cython-astropy0.4.1", "0.4.1", "2.7"),
        )
    ]
    assert rows(warehouse, 'SELECT "commit"[:8], epoch_ms(committed_at) FROM commits') == [
        ("7810d6d7", 1410541006000)
    ]


@pytest.mark.parametrize("lines", [True, False])
def test_the_settings_of_asv_name_the_project(warehouse, project, lines):
    comment = '\n  // "title": "x", "project": "old",\n' if lines else " "
    end = ",\n" if lines else ", "
    (project / "asv.conf.json").write_text(
        f'{{{comment}"version": 1{end}"project": "photutils"{end}'
        f'"show_commit_url": "http://example.org/commit/"{end}}}\n'
    )
    land(warehouse, project)
    assert rows(warehouse, "SELECT app, tags['url'][:33] FROM runs") == [
        ("photutils", "http://example.org/commit/7810d6d")
    ]


@pytest.mark.parametrize(
    "of_benchmarks", [{}, {"benchmark_version": {f"b.time_{n:05}": "1" * 64 for n in range(4000)}}]
)
def test_asv_of_version_1_may_begin_with_facts_of_all_benchmarks(
    warehouse, tmp_path, of_benchmarks
):
    document = json.loads((SAMPLES / "asv-1.json").read_text())
    times = {f"b.time_{n:05}": 1410541007000 + n for n in range(4000)}
    document |= {"ended_at": times, "started_at": times, "env_name": "py3"} | of_benchmarks
    file = tmp_path / "a.json"
    file.write_text(json.dumps(document, sort_keys=True, indent=4))
    land(warehouse, file)
    query = "SELECT epoch_ms(started_at), tags['environment'] FROM runs"
    assert rows(warehouse, query) == [(1410541007000, "py3")]


@pytest.mark.parametrize("prefix", ["", "window.BENCHMARK_DATA = "])
def test_a_null_and_units_of_go_cost_no_other_value(warehouse, tmp_path, prefix):
    text = (SAMPLES / "action.json").read_text()
    file = tmp_path / "data.js"
    file.write_text(prefix + text)
    (landed,) = land(warehouse, file)
    assert landed.left_out == "1 value (null)"
    assert rows(warehouse, VALUES) == [
        ("BenchmarkSum", 402.1, "ns/op", "lower"),
        ("BenchmarkSum B/op", 16, "B/op", "lower"),
        ("BenchmarkSum allocs/op", 2, "allocs/op", "lower"),
    ]
    query = 'SELECT repository, "commit", author, subject, url[-8:], day(committed_at) FROM commits'
    of_file = ("https://github.com/o/r", "aaaaaaaaaaaaaaaa1", "Ann", "Faster", "aaaaaaa1", 14)
    assert rows(warehouse, query) == [of_file]


def test_equal_suites_of_two_repositories_are_two_applications(warehouse, tmp_path):
    text = (SAMPLES / "action.json").read_text()
    named = ("https://github.com/o/r", "https://github.com/o/other.git/", "git@h:o/r", None)
    for place, address in enumerate(named):
        file = tmp_path / f"{place}.json"
        file.write_text(text.replace('"https://github.com/o/r"', json.dumps(address)))
        land(warehouse, file)
    assert rows(warehouse, "SELECT app FROM runs ORDER BY app") == [
        ("Go",),
        ("git@h:o/r: Go",),
        ("github.com/o/other: Go",),
        ("github.com/o/r: Go",),
    ]


def test_the_log_of_reframe_has_a_run_a_line(warehouse):
    (landed,) = land(warehouse, SAMPLES / "reframe.log")
    assert landed.left_out == "1 test (it failed before it was measured)"
    assert rows(warehouse, VALUES) == [
        ("copy_bw", 24939.4, "MB/s", "higher"),
        ("time", 1.5, "s", "lower"),
        ("copy_bw", 19939.4, "MB/s", "higher"),
        ("time", 1.7, "s", "lower"),
    ]
    query = """
        SELECT app, machine, epoch(started_at), tags['benchmark'], tags['environment']
        FROM runs ORDER BY started_at
    """
    test = ("stream_test %threads=4", "gnu")
    assert rows(warehouse, query) == [
        ("stream_test", "generic:default", 1709283600, *test),
        ("stream_test", "generic:default", 1709370000, *test),
    ]
    assert rows(warehouse, "FROM failed_runs") == [], "one that misses its reference was measured"


def test_logs_of_reframe_3_name_each_value(warehouse):
    (landed,) = land(warehouse, SAMPLES / "reframe-3.log")
    assert landed.without_zone
    assert rows(warehouse, VALUES) == [
        ("perf", 49.403965, "Gflop/s", "higher"),
        ("perf", 50.093877, "Gflop/s", "higher"),
    ]
    query = "SELECT app, machine, ranks, tags['environment'] FROM runs ORDER BY started_at"
    assert rows(warehouse, query) == [
        ("Example7Test", "daint:gpu", 1, "PrgEnv-cray"),
        ("Example7Test", "daint:gpu", 1, "PrgEnv-gnu"),
    ]


def test_reports_of_reframe_have_a_run_a_test(warehouse, another, tmp_path):
    (landed,) = land(warehouse, SAMPLES / "reframe.json")
    assert landed.left_out == "1 test (it has no values)"
    assert rows(warehouse, VALUES) == [("copy_bw", 24000.1, "MB/s", "higher")]
    document = json.loads((SAMPLES / "reframe.json").read_text())
    (test, _) = document["runs"][0]["testcases"]
    del test["perfvalues"]
    one = {"name": "copy_bw", "unit": "MB/s", "thres_lower": -0.1, "thres_upper": None}
    test["perfvars"] = [{**one, "reference": 0, "value": 24000.1}]
    file = tmp_path / "r.json"
    file.write_text(json.dumps(document))
    con = another()
    land(con, file)
    query = "SELECT app, machine, epoch(started_at), tags['environment'] FROM runs"
    assert rows(con, VALUES) == rows(warehouse, VALUES)
    assert (
        rows(con, query)
        == rows(warehouse, query)
        == [("stream_test", "generic:default", 1709283600.5, "gnu")]
    )
