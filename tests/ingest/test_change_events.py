"""Events: ids for life, whatever order runs land in, and what is known of them."""

from __future__ import annotations

import csv
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from ingest.acknowledge import acknowledge, withdraw
from ingest.forget import forget_run
from tests.helpers.support import land, rows
from tests.helpers.thorough import cases
from warehouse.series import Acknowledgement

pytestmark = pytest.mark.usefixtures("only_events")
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def landed(con, folder, values, runs, app="x"):
    """Land a file of some runs of a history: `values` by metric, a day and a version each."""
    path = folder / "runs.csv"
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(
            ("run_id", "app", "version", "machine", "started_at", "metric", "value", "unit")
        )
        for run in runs:
            began = (BEGAN + timedelta(days=int(run))).isoformat()
            for metric, of in values.items():
                out.writerow((f"{app}{run}", app, f"v{run}", "m", began, metric, of[run], "s"))
    land(con, path)
    path.unlink()


def stepped(*steps, points=60, seed=1):
    """Return a history of level 10 that is a factor higher from each place on."""
    values = np.random.default_rng(seed).normal(10, 0.1, points)
    for at, factor in steps:
        values[at:] *= factor
    return values.tolist()


def events(con):
    asked = "SELECT event_id, state, version, metrics FROM change_events ORDER BY event_id"
    return rows(con, asked)


def test_a_boundary_that_later_runs_move_keeps_its_id(warehouse, tmp_path):
    values = {"a": stepped((30, 1.2)), "b": stepped((30, 1.3), seed=2)}
    early = [run for run in range(60) if run not in (28, 29, 30)]
    landed(warehouse, tmp_path, values, early)
    both = ["metric:a", "metric:b"]
    assert events(warehouse) == [(1, "new", "v31", both)]
    acknowledge(warehouse, "x31", Acknowledgement("expected"))
    landed(warehouse, tmp_path, values, (28, 29, 30))
    assert events(warehouse) == [(1, "expected", "v30", both)]
    assert rows(warehouse, "SELECT acknowledged FROM change_events") == [("expected",)]


def test_an_event_that_vanishes_is_withdrawn_and_comes_back_as_itself(warehouse, tmp_path):
    values = {"a": stepped((20, 1.2), (40, 1.2))}
    landed(warehouse, tmp_path, values, range(60))
    before = events(warehouse)
    assert [version for _, _, version, _ in before] == ["v20", "v40"]
    warehouse.execute("INSERT INTO change_thresholds (app, smallest_change) VALUES ('x', .5)")
    landed(warehouse, tmp_path, {"a": stepped()}, range(30), app="y")  # no change: no event
    forget_run(warehouse, "x59")
    assert [(one, state, metrics) for one, state, _, metrics in events(warehouse)] == [
        (1, "withdrawn", None),
        (2, "withdrawn", None),
    ]
    assert rows(warehouse, "SELECT round(change, 1), others FROM change_events") == [(0.2, 0)] * 2
    warehouse.execute("DELETE FROM change_thresholds WHERE NOT shipped")
    forget_run(warehouse, "x58")
    assert events(warehouse) == before


def test_another_application_has_other_ids(warehouse, tmp_path):
    landed(warehouse, tmp_path, {"a": stepped((20, 1.2))}, range(60))
    landed(warehouse, tmp_path, {"a": stepped((20, 1.2))}, range(60), app="y")
    landed(warehouse, tmp_path, {"b": stepped((40, 1.2), seed=3)}, range(60), app="x")
    asked = "SELECT event_id, app, version FROM change_events ORDER BY event_id"
    assert rows(warehouse, asked) == [(1, "x", "v20"), (2, "y", "v20"), (3, "x", "v40")]


def test_an_acknowledgement_follows_its_event_further_than_its_run(warehouse, tmp_path):
    values = {"a": stepped((30, 1.2), points=80)}
    # Of the runs next to the step there are none at first, and then some more each time.
    landed(warehouse, tmp_path, values, [run for run in range(80) if not 29 < run < 36])
    acknowledge(warehouse, "x36", Acknowledgement("expected"))
    for runs in ((34, 35), (32, 33), (30, 31)):
        landed(warehouse, tmp_path, values, runs)
        assert rows(warehouse, "SELECT event_id, version, acknowledged FROM change_events") == [
            (1, f"v{runs[0]}", "expected")
        ]


@pytest.mark.parametrize(
    ("level", "found"),
    [(12, [("reopened", "fails", None)]), (10, [("fixed", "holds", "fixed in v60")])],
)
def test_later_runs_check_a_fix(warehouse, tmp_path, level, found):
    values = {"a": [*stepped((30, 1.2)), level, level * 1.01, level * 1.002]}
    landed(warehouse, tmp_path, values, range(60))
    acknowledge(warehouse, "x30", Acknowledgement("fixed", fixed_in="v60", owner="ada"))
    asked = "SELECT state, fix, acknowledged FROM change_events WHERE event_id = 1"
    landed(warehouse, tmp_path, values, (60, 61))
    assert rows(warehouse, asked) == [("fixed", "not measured", "fixed in v60")]
    landed(warehouse, tmp_path, values, (62,))
    assert rows(warehouse, asked) == found


def test_a_run_that_was_called_invalid_comes_back_with_its_event(warehouse, tmp_path):
    landed(warehouse, tmp_path, {"a": stepped((30, 1.2))}, range(60))
    before = events(warehouse)
    acknowledge(warehouse, "x30", Acknowledgement("invalid run"), 1)
    assert [version for *_, version, _ in events(warehouse)] == ["v31"]
    assert withdraw(warehouse, "x31", 1) == 1
    assert events(warehouse) == before


def test_of_neighbouring_events_each_has_its_own_state(warehouse, tmp_path):
    values = {"a": stepped((30, 1.2)), "b": stepped((33, 1.2), seed=2)}
    landed(warehouse, tmp_path, values, range(60))
    acknowledge(warehouse, "x30", Acknowledgement("expected"), 1)
    asked = "SELECT event_id, version, state FROM change_events ORDER BY event_id"
    assert rows(warehouse, asked) == [(1, "v30", "expected"), (2, "v33", "new")]


def test_what_is_not_said_again_stays_and_the_note_is_of_the_state(warehouse, tmp_path):
    landed(warehouse, tmp_path, {"a": stepped((30, 1.2))}, range(60))
    asked = "SELECT state, owner, ticket, note, acknowledged FROM change_events"
    for said, found in (
        (Acknowledgement(None, owner="ada"), ("new", "ada", None, None, None)),
        (
            Acknowledgement("investigating", ticket="https://t/1", note="caches?"),
            ("investigating", "ada", "https://t/1", "caches?", None),
        ),
        (
            Acknowledgement(None, owner="eve"),
            ("investigating", "eve", "https://t/1", "caches?", None),
        ),
        (Acknowledgement("expected"), ("expected", "eve", "https://t/1", None, "expected")),
    ):
        assert acknowledge(warehouse, "x30", said, 1)
        assert rows(warehouse, asked) == [found]
    assert withdraw(warehouse, "x30", 1) == 4
    assert rows(warehouse, asked) == [("new", None, None, None, None)]


@pytest.mark.parametrize("seed", range(cases(2, 50)))
def test_in_whatever_order_runs_land_the_events_are_the_same(warehouse, in_memory, tmp_path, seed):
    draw = np.random.default_rng(seed)
    values = {
        f"m{i}": stepped((20, draw.choice([1, 1.1, 1.3])), (42, draw.choice([1, 0.8])), seed=i)
        for i in range(5)
    }
    landed(warehouse, tmp_path, values, range(60))
    told = (
        "SELECT * EXCLUDE (event_id) FROM change_events WHERE state <> 'withdrawn' ORDER BY run_id"
    )
    wanted = rows(warehouse, told)
    assert wanted
    con = in_memory()
    for part in np.array_split(draw.permutation(60), 6):
        landed(con, tmp_path, values, part.tolist())
    assert rows(con, told) == wanted
    ids = rows(con, "SELECT count(*), count(DISTINCT event_id) FROM change_events")
    assert ids[0][0] == ids[0][1]
    con.close()


def test_an_event_is_named_by_the_function_that_costs_most(warehouse, tmp_path):
    # not by that which is clearest: a tenth of a millisecond is 90 times as long, without noise
    draw = np.random.default_rng(4)
    path = tmp_path / "runs.csv"
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(("run_id", "app", "version", "machine", "started_at", "function", "seconds"))
        for run in range(40):
            run_columns = (f"x{run}", "x", f"v{run}", "m", BEGAN + timedelta(days=run))
            is_slow = run >= 20
            for function, seconds, noise in (
                ("solve", 0.9 if is_slow else 0.6, 0.02),
                ("join", 9e-4 if is_slow else 1e-5, 0.001),
                ("rest", draw.normal(5, 1), 0.02),
            ):
                out.writerow((*run_columns, function, seconds * np.exp(draw.normal(0, noise))))
    land(warehouse, path)
    ((metric, others),) = rows(warehouse, "SELECT metric, others_worse FROM change_events")
    assert (metric, others) == ("seconds:solve", 1)
