"""Histories measured in any order are told as if in order; PWH_THOROUGH=1 tries 50 shuffles."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from tests.helpers.support import land, rows
from tests.helpers.thorough import cases

COMMITS, FILES = 40, 6
TOLD = (
    *("change_points", "provisional_changes", "series_states", "disturbances", "change_events"),
    *("version_comparisons", "series", "change_explanations", "explanations"),
)
IDS = {"event_id", "change_id", "triage"}
HEADER = (
    *("run_id", "app", "version", "commit", "branch", "committed_at", "started_at", "machine"),
    *("metric", "value", "unit"),
)
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def history(seed):
    """Return runs (name, commit, branch, values): re-runs, another branch, steps and noisy days."""
    draw = np.random.default_rng(seed)
    level, out = 10.0, []
    for commit in range(COMMITS):
        if commit in (14, 28):
            level *= draw.choice([1, 1.1, 1.25, 0.85])
        day = draw.normal(0, 0.01)
        for again in range(draw.choice([1, 1, 1, 2, 3])):
            values = {
                "a": level * np.exp(day + draw.normal(0, 0.006)),
                "b": 5 * np.exp(draw.normal(0, 0.02)),
                "exact": 7 + (commit >= 20),
            }
            out.append((f"r{commit}x{again}", commit, "main", values))
        if draw.random() < 0.15:
            slow = {name: value * 1.3 for name, value in values.items()}
            out.append((f"r{commit}x9", commit, "topic", slow))
    return out


def landed(con, folder, runs, order, hours, commits_of_version, files=1):
    """Land runs in so many files, in an order, each measured at an hour."""
    for part in np.array_split(order, files):
        path = folder / "runs.csv"
        with path.open("w", newline="") as file:
            out = csv.writer(file)
            out.writerow(HEADER)
            for i in part:
                name, commit, branch, values = runs[i]
                facts = (
                    *(name, "x", f"v{commit // commits_of_version:03}{branch[:5]}"),
                    *(f"{commit:07x}{'ab'[branch == 'topic']}", branch),
                    (BEGAN + timedelta(hours=commit)).isoformat(),
                    (BEGAN + timedelta(days=90, hours=int(hours[i]))).isoformat(),
                    "m",
                )
                out.writerows((*facts, name, float(of), "s") for name, of in values.items())
        land(con, path)


def shuffled(draw, runs):
    """Return hours in which runs are measured in another order, those of one commit in theirs."""
    hours = draw.permutation(len(runs))
    for commit in {(commit, branch) for _, commit, branch, _ in runs}:
        own = [i for i, (_, *of, _) in enumerate(runs) if tuple(of) == commit]
        hours[own] = np.sort(hours[own])
    return hours


def told(con):
    """Return what is stored of a history, but for ids, with the commits of runs for their names."""
    found = {}
    for view in TOLD:
        names = [name for name, *_ in rows(con, f"SELECT column_name FROM (DESCRIBE {view})")]
        found[view] = sorted(
            [
                (name, re.sub(r"\b(r\d+)x\d", r"\1", repr(plain(value))))
                for name, value in zip(names, row, strict=True)
                if name not in IDS
            ]
            for row in rows(con, f"FROM {view}")
        )
    return found


def plain(value):
    """Return a value with nine digits, and lists of names in order."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {name: plain(of) for name, of in value.items()}
    if isinstance(value, list):
        of = [plain(one) for one in value]
        return sorted(of) if all(isinstance(one, str) for one in of) else of
    return value


@pytest.mark.parametrize("seed", range(cases(2, 50)))
def test_a_history_measured_and_landed_in_any_order_is_told_as_if_in_order(
    in_memory, tmp_path, seed
):
    runs, draw = history(seed), np.random.default_rng(seed + 1000)
    ordered = np.arange(len(runs))
    answers = []
    shuffle = draw.permutation(ordered), shuffled(draw, runs), (1, 4)[seed % 2], FILES
    for how in ((ordered, ordered, (1, 4)[seed % 2]), shuffle):
        con = in_memory()
        landed(con, tmp_path, runs, *how)
        answers.append(told(con))
        con.close()
    for view in TOLD:
        assert answers[1][view] == answers[0][view], view
    assert answers[0]["change_points"] and answers[0]["version_comparisons"]
