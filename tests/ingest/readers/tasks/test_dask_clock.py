"""Finding Dask's guess at the clock offset again."""

from __future__ import annotations

import csv
import gzip
import json
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from ingest.readers.tasks.dask_dump.runs import Bound, Guesses
from tests.helpers.support import shared


def test_bounds_that_agree_are_taken_together():
    guesses = Guesses([Bound(1, -0.5, 0.3), Bound(2, 0.1, 0.9), Bound(3, 2.0, 2.2)])
    assert guesses.at(0) == guesses.at(2.5) == pytest.approx(0.2)
    assert guesses.at(3) == guesses.at(99) == pytest.approx(2.1)


def test_an_exact_bound_decides():
    guesses = Guesses([Bound(1, -0.5, 0.3), Bound(2, 0.25, 0.25)])
    assert guesses.at(1) == pytest.approx(0.25, abs=1e-6)


@pytest.mark.parametrize(
    ("bounds", "guess"),
    [
        ([], 0.0),
        ([Bound(1, -inf, inf)], 0.0),
        ([Bound(1, 0.4, inf)], 0.4),
        ([Bound(1, -inf, -0.4)], -0.4),
        ([Bound(1, 0.4, 0.2)], 0.3),
    ],
)
def test_what_is_known_is_used(bounds, guess):
    assert Guesses(bounds).at(1) == pytest.approx(guess, abs=1e-5)


def load(folder: Path, name: str) -> Any:
    return json.loads(gzip.decompress((folder / "raw" / f"{name}.json.gz").read_bytes()))


def errors_us(folder: Path) -> list[float]:
    """Return how far starts of tasks are from the norm's, whose guesses were recorded, in us."""
    executing = {
        (worker, row[0]): row[-1]
        for worker, log in load(folder, "worker_state_log").items()
        for row in log
        if len(row) == 7 and row[3] == "executing"
    }
    bounds: dict[str, list[Bound]] = {}
    for worker, entries in load(folder, "transfers")["outgoing"].items():
        for entry in entries:
            guess = (entry["start"] + entry["stop"]) / 2 - entry["middle"]
            bounds.setdefault(worker, []).append(Bound(entry["stop"] - guess, guess, guess))
    runs = []
    for record in load(folder, "task_stream"):
        span = next(s for s in record["startstops"] if s["action"] == "compute")
        began = executing[record["worker"], record["key"]]
        finished = float(record["stimulus_id"].rpartition("-")[2])
        bound = Bound(began, span["stop"] - finished, span["start"] - began)
        bounds.setdefault(record["worker"], []).append(bound)
        runs.append((record["worker"], record["key"], began, span["start"]))
    guesses = {worker: Guesses(found) for worker, found in bounds.items()}
    base = load(folder, "scheduler_plugin")["graphs"][0]["time"]
    with (folder / "norm" / "fragments.csv").open() as file:
        true = {row["fragment_id"]: int(row["t_start"]) for row in csv.DictReader(file)}
    return [
        abs((start - guesses[worker].at(began) - base) * 1e9 - true[key]) / 1e3
        for worker, key, began, start in runs
    ]


@pytest.mark.parametrize("name", ["dask_tree_reduce", "dask_transfer_heavy", "dask_tiny_tasks"])
def test_workers_that_sent_data_show_the_guess_exactly(name):
    assert median(errors_us(shared(f"slo/{name}"))) < 1


@pytest.mark.parametrize("name", ["dask_map_wide", "dask_late_submit", "dask_chain_starve"])
def test_else_it_is_known_to_a_few_hundred_microseconds(name):
    assert median(errors_us(shared(f"slo/{name}"))) < 500
