"""Long series: parts of 2000 runs are searched, each of which begins 1000 after the one before."""

from __future__ import annotations

import pytest

from ingest.analyse import analyse, until_analysed
from ingest.scalars import files_of_runs, keep_all_scalars
from tests.helpers.support import by_hand, compute_only, rows
from warehouse.transactions import transaction

# Runs an hour apart around 100, as even and as uneven in all of it.
RUNS = """
    INSERT INTO runs (run_id, app, version, machine, started_at, wall_seconds)
    SELECT 'r' || i, 'heat', i, 'm', TIMESTAMPTZ '2020-01-01' + to_hours(i::INTEGER),
        100 + (i * 7919 % 101) / 50 + len(list_filter($steps, lambda step: i >= step)) * 10
    FROM range($first, $until) AS t (i)
"""


@pytest.fixture(autouse=True)
def _only_series(monkeypatch):
    """Compare no versions, of which there is one a run."""
    compute_only(monkeypatch, {"run_groups", "_series_parts", "series", "_change_events"})


def runs(con, first, until, *steps):
    con.execute(RUNS, {"first": first, "until": until, "steps": list(steps) or [10**9]})


def land(con, first, until, *steps):
    """Add runs and compute what depends on them, as a landing does; return the parts computed."""
    parts = "SELECT key, digest FROM analysis_states WHERE analysis = '_series_parts'"
    was = set(con.execute(parts).fetchall())

    def work(failed):
        with transaction(con):
            runs(con, first, until, *steps)
            names = [f"r{i}" for i in range(first, until)]
            keep_all_scalars(con, files_of_runs(con, names))
            analyse(con, names, failed)

    until_analysed(work)
    by_hand(con)
    now = set(con.execute(parts).fetchall())
    return sorted(int(key.split()[1]) for key, _ in now - was)


def test_changes_of_a_long_series_are_found_once_wherever_they_are(warehouse):
    # next to where parts take over: 1500, 2500
    steps = (750, 1495, 1800, 2500, 2520, 4400)
    runs(warehouse, 0, 4500, *steps)
    found = rows(
        warehouse,
        'SELECT "index", run_id, previous_run_id, round("before"), round("after"), points '
        'FROM change_points ORDER BY "index"',
    )
    assert found == [
        (at, f"r{at}", f"r{at - 1}", 101 + 10 * i, 111 + 10 * i, 4500) for i, at in enumerate(steps)
    ]
    following = "SELECT sides.next_run_id FROM _found_changes ORDER BY started_at"
    assert rows(warehouse, following) == [*((f"r{at}",) for at in steps[1:]), (None,)]
    assert rows(warehouse, "SELECT part, points FROM _series_parts ORDER BY part") == [
        (0, 2000),
        (1, 2000),
        (2, 2000),
        (3, 1500),
    ]
    state = "SELECT state, changes, round(level), round(overall_change, 1) FROM series_states"
    assert rows(warehouse, state) == [("steady", 6, 161, 0.5)]


def test_without_a_change_a_long_series_has_none(warehouse):
    runs(warehouse, 0, 4500)
    assert rows(warehouse, "SELECT points, changes, provisional FROM series_states") == [
        (4500, 0, 0)
    ]
    assert rows(warehouse, "FROM change_points") == []


def test_a_new_run_touches_the_last_part_only(warehouse):
    assert land(warehouse, 0, 1999, 1500) == [0]
    assert land(warehouse, 1999, 2000, 0) == [0]  # still one
    assert land(warehouse, 2000, 2001, 0) == [0, 1]
    assert land(warehouse, 2001, 2100, 0) == [1]
    assert land(warehouse, 2100, 2110, 0, 0) == [1]
    changes = rows(warehouse, 'SELECT "index" FROM change_points ORDER BY 1')
    assert changes == [(1500,), (2100,)]
    # one that ran long ago
    warehouse.execute(
        "UPDATE runs SET started_at = TIMESTAMPTZ '2019-12-31' WHERE run_id = 'r2005'"
    )

    def work(failed):
        with transaction(warehouse):
            analyse(warehouse, ["r2005"], failed)

    until_analysed(work)
    by_hand(warehouse)
    assert rows(warehouse, 'SELECT "index" FROM change_points ORDER BY 1') == [(1501,), (2100,)]


@pytest.mark.parametrize("measured", [0, 9])
def test_what_is_rarely_measured_is_one_part(measured, warehouse):
    runs(warehouse, 0, 4500)
    warehouse.execute(
        "INSERT INTO metrics (run_id, source_id, metric, value) "
        "SELECT run_id, 1, 'rare', if(version::INTEGER < 3000, 5, 7) FROM runs "
        "WHERE version::INTEGER % 250 = $1",
        [measured],
    )
    found = rows(
        warehouse,
        'SELECT points, "index", version FROM change_points WHERE metric = $1',
        "metric:rare",
    )
    assert found == [(18, 12, str(3000 + measured))]
