"""HPCToolkit's databases: of processes apart, of all together, and damaged ones."""

from __future__ import annotations

import shutil

import pytest

from tests.helpers.support import land, rows, shared
from tests.ingest.case import SAMPLES
from tests.ingest.hpctoolkit_files import HEAD, experiment, thread_file, write
from warehouse.errors import InputError

SAMPLE = SAMPLES / "hpctoolkit"


def landed(con, folder, text):
    (folder / "experiment.xml").write_text(text)
    land(con, folder / "experiment.xml")


def test_sums_over_processes_land_where_values_are_in_the_xml(warehouse, tmp_path):
    landed(warehouse, tmp_path, experiment({5: (0.5, 50), 12: (2.0, 200)}))
    assert rows(warehouse, "SELECT right(callpath, 10), seconds, inclusive_seconds, rank "
                "FROM fn_timings WHERE seconds > 0 ORDER BY rowid") == [
        ("oot>->main", 0.5, 2.5, None),
        ("at<double>", 2.0, 2.0, None),
    ]  # fmt: skip
    assert rows(warehouse, "SELECT sum(value) FROM pmu_samples") == [(250.0,)]
    assert rows(warehouse, "SELECT ranks, threads FROM runs") == [(None, None)]
    left_out = str(rows(warehouse, "SELECT left_out FROM sources"))
    assert "1 metric (means, deviations and extremes over processes: the sums land)" in left_out


def test_a_real_database_has_the_totals_that_its_own_roots_have(warehouse):
    folder = shared("scaling/hatchet_formats/hpctoolkit-cpi-database")
    land(warehouse, folder / "experiment.xml")
    totals = "SELECT rank, round(sum(seconds), 6) FROM fn_timings GROUP BY rank ORDER BY rank"
    assert rows(warehouse, totals) == [(0, 0.999238), (1, 0.99939), (2, 1.000306), (3, 0.999308)]
    roots = "SELECT round(sum(inclusive_seconds), 6) FROM fn_timings WHERE callpath NOT LIKE '%->%'"
    assert rows(warehouse, roots) == [(3.998242,)]
    assert rows(warehouse, "SELECT app, ranks, threads FROM runs") == [("cpi", 4, 1)]


def test_the_unit_of_metrics_is_in_their_names(warehouse, tmp_path):
    text = experiment({5: (500.0, 50)}).replace("CPUTIME (sec)", "REALTIME (usec)")
    landed(warehouse, tmp_path, text.replace("PAPI_TOT_CYC:", "GXCOPY:H2D (B):"))
    assert rows(warehouse, "SELECT max(seconds) FROM fn_timings") == [(0.0005,)]
    assert rows(warehouse, "SELECT DISTINCT event, unit FROM pmu_samples") == [("GXCOPY:H2D", "B")]


def test_threads_of_a_rank_are_told_apart(warehouse, tmp_path):
    write(tmp_path, {(3, 0): {5: (1.0, 1)}, (3, 2): {5: (2.0, 1)}})
    land(warehouse, tmp_path / "experiment.xml")
    places = "SELECT DISTINCT rank, thread FROM fn_timings ORDER BY ALL"
    assert rows(warehouse, places) == [(3, 0), (3, 2)]
    assert rows(warehouse, "SELECT ranks, threads FROM runs") == [(1, 3)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (experiment()[:-30], "is not XML here"),
        (experiment({5: (0, 0)}), "no function has a value"),
        (experiment(), "no function has a value"),
        (experiment({5: (1, 1)}).replace('v="1"', 'v="nan"'), "the value of a metric is nan"),
        (experiment({5: (1, 1)}).replace('v="1"', 'v="-1"'), "the value of a metric is -1"),
        (experiment().replace('<PF i="4" s="11" n="11"', '<PF i="4"'), "no attribute n"),
        (HEAD.replace("]>", '<!ENTITY a "b">]>'), "declares an entity"),
    ],
)
def test_damaged_xml_is_refused(warehouse, tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        landed(warehouse, tmp_path, text)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("x-000000-000-a-1-0.metric-db", thread_file({})[:-1], "359 bytes follow the header"),
        ("x-000000-000-a-1-0.metric-db", thread_file({}, 14), "there are 14 nodes"),
        ("x-000000-000-a-1-0.metric-db", thread_file({5: (-1.0, 0.0)}), "implausible"),
        ("x.metric-db", thread_file({}), "has no rank and no thread"),
    ],
)
def test_damaged_values_are_refused(warehouse, tmp_path, name, data, message):
    shutil.copy(SAMPLE / "experiment.xml", tmp_path)
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=message):
        land(warehouse, tmp_path / "experiment.xml")
