"""One change has one verdict: trend, compare, explain, gate, events and SQL agree on it.

PWH_THOROUGH=1 tries 2,000 histories.
"""

from __future__ import annotations

import numpy as np
import pytest

from apps.output.tables import dicts
from apps.queries.base import ask_dicts
from apps.queries.comparison import run_comparison
from apps.queries.explanations import explained_against, explanation
from apps.queries.trend import Series
from apps.reports.gate import failing_metrics, find_sides, judge_metrics
from tests.helpers.support import keep, settle
from tests.helpers.thorough import cases

HISTORIES = cases(8, 2000)
BATCH = min(HISTORIES, 40)  # in one warehouse
SIZE = ("before", "after", "low", "high", "p_value")


def history(seed):
    """Return the values of versions: steps up and down, noise, outliers, drift, or exact counts."""
    draw = np.random.default_rng(seed)
    noise = draw.choice([0, 0.002, 0.01, 0.05])
    drift = draw.choice([0, 0, 0, 0.005])
    level, out = draw.uniform(1, 100), []
    for _ in range(draw.integers(2, 6)):
        level *= draw.choice([1, 1, 1.02, 1.1, 0.9, 2])
        values = level * np.exp(noise * draw.standard_normal(draw.integers(1, 14)))
        values *= np.exp(drift * (np.arange(len(values)) + sum(map(len, out))))
        if draw.random() < 0.2:
            values[draw.integers(len(values))] *= 1.5
        out.append([float(value) for value in values])
    return out


def others(draw, value):
    """Return other metrics of a run, each with its unit: one of two names, a rate, some missing."""
    metrics = {"seconds_again": (value, "s"), "rate": (1 / value, "1/s")}
    metrics["unrelated"] = (float(np.exp(draw.normal(0, 0.02))), "s")
    return {name: one for name, one in metrics.items() if draw.random() < 0.9}


def write(con, app, versions, seed):
    rows, values = [], [(n, value) for n, side in enumerate(versions) for value in side]
    for day, (version, value) in enumerate(values):
        rows.append((f"{app}-{day:03}", app, f"1.{version}", "m", day, value))
    con.executemany(
        "INSERT INTO runs (run_id, app, version, machine, started_at, wall_seconds) VALUES "
        "(?, ?, ?, ?, TIMESTAMPTZ '2026-01-01 00:00:00Z' + INTERVAL 1 DAY * CAST(? AS INTEGER), ?)",
        rows,
    )
    draw = np.random.default_rng(seed)
    if draw.random() < 0.5:
        more = [(row[0], name, *one) for row in rows for name, one in others(draw, row[-1]).items()]
        con.executemany(
            "INSERT INTO metrics (run_id, source_id, metric, value, unit) VALUES (?, 0, ?, ?, ?)",
            more,
        )
    return [row[0] for row in rows]


def size_of(change):
    low, high = change["change_low"], change["change_high"]
    return (change["before"], change["after"], low + 1, high + 1, change["p_value"])


@pytest.mark.parametrize("batch", range(max(HISTORIES // BATCH, 1)))
def test_all_that_judge_a_change_say_the_same(warehouse, batch):
    seeds = range(batch * BATCH, (batch + 1) * BATCH)
    runs = {f"a{seed}": write(warehouse, f"a{seed}", history(seed), seed) for seed in seeds}
    keep(warehouse)
    seen = told = young = 0
    for app, ids in runs.items():
        asked = Series(app, ["wall_seconds"], None).params()
        changes = ask_dicts(warehouse, "trend/changes", **asked)
        changes.sort(key=lambda row: row["index"])
        events = ask_dicts(warehouse, "trend/events", **asked)
        assert {e["run_id"] for e in events} == {c["run_id"] for c in changes}
        bounds = [0, *(change["index"] for change in changes), len(ids)]
        for change, since, until in zip(changes, bounds, bounds[2:], strict=False):
            seen += 1
            at = change["index"]
            sides = ids[since:at], ids[at:until]
            compared = dicts(run_comparison(warehouse, *sides, 0.95))
            (row,) = [one for one in compared if one["metric"] == "wall_seconds"]
            # a rate is the time the other way round
            same = {one["verdict"] for one in compared if one["metric"] == "metric:rate"}
            assert not {row["verdict"], *same} >= {"worse", "better"}
            assert row["verdict"] == change["direction"]
            assert [row[name] for name in SIZE] == pytest.approx(size_of(change), rel=1e-9)
            which = explained_against(warehouse, change["run_id"])
            (main,) = [r for r in dicts(explanation(warehouse, which)) if r["topic"] == "metric"]
            assert main["certain"] and main["direction"] == change["direction"]
            assert [main["before"], main["after"]] == pytest.approx(
                [change["before"], change["after"]], rel=1e-9
            )
            (event,) = [e for e in events if e["run_id"] == change["run_id"]]
            assert (event["change"], event["direction"]) == (change["change"], change["direction"])
        sides = find_sides(warehouse, app, None, "latest")
        rows = dicts(judge_metrics(warehouse, sides, [], 0.01, 0.95))
        worse = [c for c in changes if c["direction"] == "worse" and c["change"] >= 0.01]
        (judged,) = [one for one in rows if one["metric"] == "wall_seconds"]
        if changes and worse and worse[-1] is changes[-1] and judged["noise"] == "step":
            failing = [one for one in failing_metrics(rows) if one["metric"] == "wall_seconds"]
            assert [one["ratio"] for one in failing] == pytest.approx(
                [1 + changes[-1]["change"]], rel=1e-9
            )
        # what versions are for certain, the history says, too: as a change, else with its figures
        early = ask_dicts(warehouse, "trend/provisional", **asked)
        query = "SELECT state, drift FROM series_states WHERE app = $1 AND metric = 'wall_seconds'"
        ((state, drift),) = warehouse.execute(query, [app]).fetchall()
        if drift is None and state != "alternating":
            for level in (level for level in early if level["more_runs"]):
                at, since = level["index"], level["index"] - level["runs_before"]
                compared = dicts(run_comparison(warehouse, ids[since:at], ids[at:], 0.95))
                (row,) = [one for one in compared if one["metric"] == "wall_seconds"]
                levels = [level["before"], level["after"]]
                assert [row["before"], row["after"]] == pytest.approx(levels, rel=1e-9)
                young += 1
        settle(warehouse, "version_comparisons")
        stored = warehouse.sql(
            "SELECT * FROM version_comparisons "
            "WHERE app = $1 AND metric = 'wall_seconds'"
            "  AND verdict IN ('worse', 'better') AND noise <> 'step'"
            "  AND version IN ("
            "    SELECT arg_max(version, version_order) FROM app_versions WHERE app = $1)"
            "  AND (runs_after > 1 OR noise IN ('repetitions', 'counts'))",
            params=[app],
        )
        for row in dicts(stored):
            newest = ids.index(row["runs"][0])
            if not any(abs(change["index"] - newest) <= 4 for change in changes):
                (level,) = [level for level in early if level["index"] == newest]
                assert level["direction"] == row["verdict"]
                figures = [row[name] for name in ("before", "after", "low", "high", "p_value")]
                assert figures == pytest.approx(size_of(level), rel=1e-9)
                told += 1
    assert seen and told and young
