"""Overview: counts, applications, latest runs and verdicts."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest

import warehouse as pwh
from tests.apps.pages.conftest import run_ids, texts
from tests.helpers.support import given, keep


def test_it_counts_what_there_is(open_page, demo_warehouse):
    app = open_page("overview", demo_warehouse)
    con = pwh.connect(demo_warehouse, read_only=True)
    runs = con.execute("SELECT count(*) FROM runs").fetchone()[0]
    con.close()
    assert app.metric[0].label == "Runs"
    assert app.metric[0].value == str(runs)


def test_every_application_is_watched(open_page, demo_warehouse):
    rows = open_page("overview", demo_warehouse).dataframe[0].value.to_dict("records")
    assert rows[0]["app"].endswith("&app=stencil")
    assert rows[0]["state"] == "worse: +17.8 % since 1.23"
    points = re.search('points="([^"]*)"', unquote(rows[0]["history"]))[1].split()
    assert len(points) == 22
    states = {row["app"].rpartition("=")[2]: row["state"] for row in rows}
    assert (states["sorter"], states["heat"]) == ("no change", "too few runs (6 of 10)")


def test_latest_is_by_start(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    known = {
        "path": "f",
        "sha256": "0",
        "bytes": 1,
        "reader": "plain",
        "rows": 1,
        "pwh_version": "0",
    }
    given(con, "sources", "source_id ingested_at\n1 2026-05-01\n2 2026-06-01", **known)
    runs = "run_id app started_at landed_at\nnew a 2026-04-02 2026-05-01\n"
    given(con, "runs", runs + "old a 2026-04-01 2026-06-01\nnone a NULL 2026-05-01")
    facts = "run_id source_id position\nnew 1 0\nold 2 0\nnone 1 1"
    given(con, "run_facts", facts, stated_by="file")
    con.close()
    app = open_page("overview", new_warehouse)
    assert run_ids(app.dataframe[0].value) == ["none", "new", "old"]
    assert "have no counters, profiles or traces" in texts(app)


def test_the_latest_traces_are_summed_up_kind_by_kind(open_page, demo_warehouse):
    text = texts(open_page("overview", demo_warehouse))
    for kind in ("Counters", "Functions", "Idle time", "Threads", "Throughput"):
        assert f"**{kind}** of" in text


def test_an_empty_warehouse_shows_how_to_fill_it(open_page, empty_warehouse):
    app = open_page("overview", empty_warehouse)
    assert "No run has landed yet" in texts(app)
    assert "ingest FILES" in texts(app)


def test_a_large_trace_is_not_read_before_it_is_asked_for(open_page, demo_warehouse, monkeypatch):
    monkeypatch.setattr("apps.pages.overview._ROWS_AT_ONCE", 50)
    app = open_page("overview", demo_warehouse)
    assert app.toggle("segments").label == "Analyse 51 rows"
    assert "51 segments" not in texts(app)
    assert "51 segments" in texts(app.toggle("segments").set_value(True).run())


@pytest.fixture
def benchmarks(new_warehouse):
    """Return a warehouse of an application of which only results of benchmarks are known."""
    con = pwh.connect(new_warehouse)
    con.execute(
        "INSERT INTO runs (run_id, app, version, machine, started_at) SELECT 'r' || i, 'lib', "
        "'v' || i, 'm', TIMESTAMPTZ '2026-01-01' + to_days(CAST(i AS INTEGER)) FROM range(20) t (i)"
    )
    con.execute(
        "INSERT INTO metrics (run_id, source_id, metric, value, unit, better) "
        "SELECT 'r' || i, 1, name, level * (100 + hash(i, name) % 10 / 5), 'us', 'lower' "
        "FROM range(20) t (i), LATERAL (VALUES ('first', if(i < 8, 9, 5)), "
        "('parse', if(i < 12, 1, 1.5)), ('sort', 3)) m (name, level)"
    )
    keep(con)
    con.close()
    return new_warehouse


def test_of_benchmarks_the_one_that_got_worse_is_watched(open_page, benchmarks):
    (row,) = open_page("overview", benchmarks).dataframe[0].value.to_dict("records")
    assert (row["metric"], row["last"]) == ("metric:parse", "152 µs")
    assert re.fullmatch(r"worse: \+\d+(\.\d)? % since v12", row["state"])
    trend = open_page("trends", benchmarks, app="lib")
    assert "metric:parse: +" in texts(trend) and "metric:first" not in texts(trend)


def test_a_change_that_is_neither_worse_nor_better_is_one(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    con.execute(
        "INSERT INTO runs (run_id, app, started_at) SELECT 'r' || i, 'gpu', "
        "TIMESTAMPTZ '2026-01-01' + to_days(CAST(i AS INTEGER)) FROM range(20) t (i)"
    )
    con.execute(
        "INSERT INTO pmu_samples (run_id, source_id, event, unit, value) SELECT 'r' || i, 1, name, "
        "'W', if(name = 'power.draw' AND i > 11, 300, 200) + hash(i) % 7 "
        "FROM range(20) t (i), (VALUES ('fan.speed'), ('power.draw')) e (name)"
    )
    keep(con)
    con.close()
    (row,) = open_page("overview", new_warehouse).dataframe[0].value.to_dict("records")
    assert row["metric"] == "counter:power.draw"
    assert row["state"].startswith("changed: +") and row["state"].endswith(" since r12")
    text = texts(open_page("trends", new_warehouse, app="gpu"))
    assert "counter:power.draw: +" in text and ", not known to be better or worse, since " in text


def test_names_from_traces_are_text(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    given(con, "runs", "run_id app version\nr1 <b>heat</b> *1*")
    given(con, "run_facts", "run_id stated_by position\nr1 file 0")
    given(
        con,
        "sources",
        """
        path  sha256  bytes  reader  ingested_at           rows  pwh_version
        f     0       1      plain   2026-01-01T00:00:00Z  1     0
        """,
    )
    given(con, "pmu_samples", "event value sample\ncycles 10 0")
    con.close()
    app = open_page("overview", new_warehouse)
    shown = "\n".join(markdown.value for markdown in app.markdown)
    assert r"\<b\>heat\<\/b\> \*1\*" in shown
    assert not any(markdown.allow_html for markdown in app.markdown)


def test_samples_of_a_profile_are_no_counters_to_be_shown(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    given(con, "runs", "run_id app\nr1 heat")
    given(con, "run_facts", "run_id stated_by position\nr1 file 0")
    known = {"sha256": "0", "bytes": 1, "reader": "perf-script", "rows": 1, "pwh_version": "0"}
    given(con, "sources", "path ingested_at\nf 2026-01-01", **known)
    given(con, "pmu_samples", "event value region\nsamples 10 solve")
    given(con, "fn_timings", "function seconds\nsolve 0.01")
    con.close()
    text = texts(open_page("overview", new_warehouse))
    assert "**Functions** of heat" in text and "Counters" not in text
