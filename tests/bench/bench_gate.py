"""The gate in a simulated CI: how many regressions it blocks, how many good runs, what of outliers.

python -m tests.bench.bench_gate [--runs 300] [--seeds 1 2] [--minutes 20]

A project of 60 metrics is measured once a commit, and each run is landed and judged before the next
one is: noise of .3 to 4 %, in a fifth autocorrelated; steps up and down, reverts, drifts, a noisy
week. Regressions are acknowledged, or reverted, ten commits later. Of the commits a tenth are
measured twice, and a tenth long after they were made; one in twenty also has a run that failed,
with times of its own, and one in ten a run of a branch that is 15 % slower. Some metrics have
another name from some run on. A regression counts that is at least 7 % and 4.2 times the noise; it
is blocked where the gate says no at one of its first three runs. A lone outlier is one run that is
off by 30 % and more in a third of the metrics. Changes are not explained, of which the gate reads
nothing. Last come the median processor times of a landing and of a gate.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import warehouse
from apps.output.tables import dicts
from apps.queries.comparison import LEVEL
from apps.reports.gate import failing_metrics, find_sides, judge_metrics, needs_run
from ingest.analyse import change_of_run
from tests.helpers.support import land
from warehouse import analyses
from warehouse.session import Connection

METRICS = 60
BURN = 30
KNOWN_AFTER = 10
LATE_BY = 20
LIMIT, SEEN = 0.07, 4.2
HEADER = (
    *("run_id", "app", "version", "machine", "started_at", "commit", "branch", "committed_at"),
    *("metric", "value", "unit"),
)
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class History:
    """A simulated CI: values (metrics, runs), and what is true of the runs.

    `again` are values of the same commits, measured again; `renamed` is by metric the first run in
    which it has another name.
    """

    values: NDArray[np.float64]
    again: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    renamed: dict[int, int] = field(default_factory=dict)
    regressions: list[tuple[int, list[int]]] = field(default_factory=list)
    outliers: list[int] = field(default_factory=list)
    known: list[int] = field(default_factory=list)
    bad: set[int] = field(default_factory=set)


def simulate(seed: int, runs: int) -> History:
    """Return a history; regressions are acknowledged, or reverted, ten runs later."""
    draw = np.random.default_rng(seed)
    noise = np.exp(draw.uniform(np.log(0.003), np.log(0.04), METRICS))
    shocks = draw.standard_normal((METRICS, runs))
    week = int(draw.integers(BURN, runs - 10))
    shocks[:, week : week + 6] *= 2
    rho = np.where(np.arange(METRICS) % 5 == 0, 0.5, 0.0)
    apart = shocks.copy()
    for at in range(1, runs):
        apart[:, at] = rho * apart[:, at - 1] + np.sqrt(1 - rho**2) * shocks[:, at]
    logs = noise[:, None] * apart + draw.uniform(0, 5, (METRICS, 1))
    for metric in draw.choice(METRICS, 4, replace=False):
        logs[metric] += draw.choice([-0.1, 0.1]) * np.arange(runs) / runs
    found = History(logs)
    found.renamed = {
        int(m): int(draw.integers(10, runs)) for m in draw.choice(METRICS, 3, replace=False)
    }
    noises = noise[:, None] * apart
    at = BURN + int(draw.integers(0, 8))
    while at < runs - 15:
        kind = draw.choice(["worse", "worse", "better", "outlier", "reverted"])
        chosen = draw.choice(METRICS, int(draw.integers(1, 8)), replace=False)
        if kind == "outlier":
            some = draw.choice(METRICS, METRICS // 3, replace=False)
            logs[some, at] += draw.uniform(0.26, 0.7)
            found.outliers.append(at)
            at += int(draw.integers(6, 12))
            continue
        size = np.log1p(draw.uniform(LIMIT, 0.3))
        until = at + KNOWN_AFTER if kind == "reverted" else runs
        logs[chosen, at:until] += -size if kind == "better" else size
        if kind != "better":
            clear = [
                int(m)
                for m in chosen
                if np.expm1(size) >= SEEN * noise[m] and m not in found.renamed
            ]
            if clear:
                found.regressions.append((at, clear))
            found.bad.update(range(at, at + KNOWN_AFTER))
            if kind == "worse":
                found.known.append(at)
        at += int(draw.integers(16, 28))
    found.values = np.exp(logs)
    fresh = noise[:, None] * draw.standard_normal((METRICS, runs))
    found.again = np.exp(logs - noises + fresh)
    return found


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--minutes", type=float, default=1e3, help="after which a history ends")
    asked = parser.parse_args()
    unexplained = tuple(one for one in analyses.every() if one.name != "change_explanations")
    analyses.every = lambda: unexplained  # type: ignore[assignment]
    caught = regressions = blocked = good = red = outliers = again = missed = 0
    times: list[tuple[float, float]] = []
    for seed in asked.seeds:
        history = simulate(seed, asked.runs)
        judged = judge(history, seed, times, asked.minutes)
        print(f"seed {seed}: {len(judged)} commits judged, up to {max(judged)}")
        for at, clear in history.regressions:
            if at + 2 > max(judged):
                continue
            names = {f"metric:m{m}" for m in clear}
            hits = [{row["metric"] for row in judged[at + k][0]} & names for k in range(3)]
            regressions += 1
            caught += any(hits)
            missed += not any(hits) and not any(judged[at + k][1] for k in range(3))
        chosen = judged.keys() - history.bad - set(history.outliers) - set(range(BURN))
        good += len(chosen)
        for run in sorted(chosen):
            if judged[run][0]:
                blocked += 1
                print(
                    seed,
                    run,
                    [(r["metric"], r["ratio"], r["p_value"], r["noise"]) for r in judged[run][0]],
                )
        alone = judged.keys() & set(history.outliers)
        outliers += len(alone)
        red += sum(bool(judged[run][0]) for run in alone)
        again += sum(judged[run][1] for run in alone)
    print(f"regressions blocked within three runs: {caught} of {regressions}; {missed} not seen")
    print(f"good runs blocked: {blocked} of {good}")
    print(f"lone outliers blocked: {red} of {outliers}; told to be run again: {again}")
    landed, gated = (statistics.median(of) for of in zip(*times, strict=True))
    print(f"processor time: {landed:.2f} s to land a commit, {gated:.2f} s to judge it")


Judged = dict[int, tuple[list[dict[str, object]], bool]]


def judge(history: History, seed: int, times: list[tuple[float, float]], minutes: float) -> Judged:
    """Return what fails at each run, and whether it is to be run again; add the times it took."""
    until = time.monotonic() + 60 * minutes
    draw = np.random.default_rng(seed + 7)
    ours = history.values
    judged_ones = {at + k for at, _ in history.regressions for k in range(3)} | {*history.outliers}
    late: dict[int, int] = {}
    out: Judged = {}
    con = warehouse.connect(":memory:")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.csv"
        for run in range(ours.shape[1]):
            if time.monotonic() > until:
                break
            again, later, failed, branch = draw.random(4) < (0.1, 0.1, 0.05, 0.1)
            for at in history.known:
                if at + KNOWN_AFTER == run:
                    _acknowledge(con, at)
            began = time.process_time()
            runs = [_Run(old, "late", run) for old, due in late.items() if due == run]
            if later and run not in judged_ones:
                late[run] = run + LATE_BY
            else:
                runs.append(_Run(run, "", run))
            if again and run not in history.outliers:
                runs.append(_Run(run, "again", run))
            if branch:
                runs.append(_Run(run, "branch", run))
            _land(con, path, history, runs)
            if failed:
                _land(con, path, history, [_Run(run, "failed", run)], tags={"exit_code": "1"})
            landed = time.process_time()
            if run in late and not again:
                continue
            sides = find_sides(con, "a", None, f"v{run}main")
            if not sides.baseline:
                continue
            rows = dicts(judge_metrics(con, sides, [], 0.05, LEVEL))
            times.append((landed - began, time.process_time() - landed))
            out[run] = failing_metrics(rows), needs_run(rows)
    con.close()
    return out


@dataclass
class _Run:
    """A run of a commit, `kind` of it, measured when the commit `day` is the newest."""

    commit: int
    kind: str
    day: int

    def values(self, history: History) -> NDArray[np.float64]:
        if self.kind == "again":
            return history.again[:, self.commit]
        factor = {"failed": 1 / 3, "branch": 1.15}.get(self.kind, 1)
        out: NDArray[np.float64] = history.values[:, self.commit] * factor
        return out


def _acknowledge(con: Connection, at: int) -> None:
    change_of_run(
        con,
        f"{at}",
        "INSERT INTO acknowledgements (run_id, app, version, started_at, metric, reason, said_at) "
        "VALUES (?, 'a', ?, ?, '*', 'expected', now())",
        [f"{at}", f"v{at}main", BEGAN + timedelta(days=at)],
    )


def _land(
    con: Connection, path: Path, history: History, runs: list[_Run], **options: object
) -> None:
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(HEADER)
        for run in runs:
            branch = "topic" if run.kind == "branch" else "main"
            facts = (
                *(f"{run.commit}{run.kind}", "a", f"v{run.commit}{branch}", "m"),
                (BEGAN + timedelta(days=run.day, minutes=run.kind == "again")).isoformat(),
                *(f"{run.commit:07x}{'b' * (branch == 'topic')}", branch),
                (BEGAN + timedelta(days=run.commit)).isoformat(),
            )
            for m, value in enumerate(run.values(history)):
                renamed = run.commit >= history.renamed.get(m, run.commit + 1)
                out.writerow((*facts, f"m{m}{'b' * renamed}", float(value), "s"))
    if runs:
        land(con, path, **options)


if __name__ == "__main__":
    main()
