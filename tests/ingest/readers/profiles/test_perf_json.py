"""Samples of perf as JSON: the same rows as of what perf script prints of them."""

from __future__ import annotations

import json

import pytest

from tests.helpers.support import land, rows
from tests.ingest.case import SAMPLES

SAMPLE = SAMPLES / "json-profile" / "perf.json"
VALUES = "SELECT thread, region, value, inclusive FROM pmu_samples ORDER BY ALL"
HEAD = {"linux-perf-json-version": 1, "headers": {"cmdline": ["perf", "record", "./prog"]}}


def entry(symbol=None, dso=None):
    known = {"ip": "0x1", "symbol": symbol, "dso": dso}
    return {name: value for name, value in known.items() if value is not None}


def sample(*leaf_first, tid=71, **more):
    chain = [entry(name, "prog") if name else entry() for name in leaf_first]
    return {"timestamp": 5, "pid": 71, "tid": tid, "comm": "prog", "callchain": chain} | more


@pytest.fixture
def landed(warehouse, tmp_path):
    """Land samples and return the rows of a query."""

    def do(samples, query=VALUES):
        (tmp_path / "p.json").write_text(json.dumps({**HEAD, "samples": samples}, indent="\t"))
        land(warehouse, tmp_path / "p.json")
        return rows(warehouse, query)

    return do


def test_recorded_samples(warehouse):
    # perf report -i perf.data --no-children -F sample,sym of the recording.
    land(warehouse, SAMPLE)
    assert rows(warehouse, "SELECT app, machine, tags['recorder'] FROM runs") == [
        ("w", "node1", "perf 6.1.187")
    ]
    query = """
        SELECT function, own, inclusive FROM function_totals
        WHERE own > 1 OR function = 'main' ORDER BY function
    """
    assert rows(warehouse, query) == [
        ("__sin_fma", 30.0, 30.0),
        ("dot", 2.0, 2.0),
        ("main", 0.0, 32.0),
    ]
    assert rows(warehouse, "SELECT sum(value) FROM pmu_samples") == [(36.0,)]


def test_paths_begin_with_the_command(landed):
    samples = [sample("work", "main"), sample("main"), sample("main", tid=-1), sample(None, "main")]
    assert landed(samples) == [
        (71, "command prog", 0.0, 3.0),
        (71, "command prog->main", 1.0, 3.0),
        (71, "command prog->main->[unknown]", 1.0, 1.0),
        (71, "command prog->main->work", 1.0, 1.0),
        (None, "command prog", 0.0, 1.0),
        (None, "command prog->main", 1.0, 1.0),
    ]


def test_without_a_call_graph_there_are_no_callers(landed):
    assert landed([sample("work"), sample("work"), sample("main")]) == [
        (71, "main", 1.0, None),
        (71, "work", 2.0, None),
    ]


def test_what_is_left_out_is_said(landed):
    samples = [sample("work", "main"), sample()]
    query = "SELECT app, left_out FROM runs, sources"
    assert landed(samples, query) == [("prog", "1 sample (without a stack)")]


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([], "'samples' is empty"),
        ([7], "sample 0: 7.0 was found"),
        ([sample("main"), {"tid": 1}], "sample 1: 'callchain' is missing"),
        ([sample("main"), sample("main", callchain=[{}])], "sample 1: 'ip' is missing"),
        ([sample("main", tid="x")], "sample 0: 'tid' is \"x\""),
        ([sample()], "no measurements"),
    ],
)
def test_damage_is_refused_with_its_place(refusal, samples, message):
    text = json.dumps({**HEAD, "samples": samples})
    assert message in refusal(text.encode(), "p.json", reader="json-profile")
