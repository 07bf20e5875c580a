"""The gate in a simulated CI: how many regressions it blocks, how many good runs, what of outliers.

python -m tests.bench.bench_gate [--runs 200] [--seeds 1 2 3] [--good 30]

A project of 60 metrics is measured once a commit: noise of .3 to 4 %, in a fifth autocorrelated;
older steps up and down that someone acknowledged, drifts, a noisy week, re-runs, failed runs. A
regression counts that is at least 7 % and 4.2 times the noise; it is blocked where the gate says no
at one of its first three runs. A lone outlier is one run that is off by 30 % and more in a third of
the metrics. Each run judged is the last one of an application of its own, so that all land at once.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import warehouse
from apps.output.tables import dicts
from apps.reports.gate import failing_metrics, find_sides, judge_metrics, needs_run
from tests.helpers.support import keep

METRICS = 60
BURN = 30
LIMIT, SEEN = 0.07, 4.2
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class History:
    """A simulated CI: values (metrics, runs), and what is true of the runs."""

    values: NDArray[np.float64]
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
        until = at + 10 if kind == "reverted" else runs
        logs[chosen, at:until] += -size if kind == "better" else size
        if kind != "better":
            clear = [int(m) for m in chosen if np.expm1(size) >= SEEN * noise[m]]
            if clear:
                found.regressions.append((at, clear))
            found.bad.update(range(at, at + 10))
            if kind == "worse":
                found.known.append(at)
        at += int(draw.integers(16, 28))
    found.values = np.exp(logs)
    return found


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--good", type=int, default=30)
    asked = parser.parse_args()
    caught = regressions = blocked = good = red = outliers = again = missed = 0
    for seed in asked.seeds:
        history = simulate(seed, asked.runs)
        draw = np.random.default_rng(seed + 1000)
        off = history.bad | set(history.outliers)
        calm = [run for run in range(BURN, asked.runs) if run not in off]
        chosen = sorted(draw.choice(calm, min(asked.good, len(calm)), replace=False).tolist())
        firsts = [at + k for at, _ in history.regressions for k in range(3)]
        judged = judge(history, sorted({*chosen, *firsts, *history.outliers}))
        for at, clear in history.regressions:
            names = {f"metric:m{m}" for m in clear}
            hits = [{row["metric"] for row in judged[at + k][0]} & names for k in range(3)]
            regressions += 1
            caught += any(hits)
            missed += not any(hits) and not any(judged[at + k][1] for k in range(3))
        good += len(chosen)
        for run in chosen:
            if judged[run][0]:
                blocked += 1
                print(
                    seed,
                    run,
                    [(r["metric"], r["ratio"], r["p_value"], r["noise"]) for r in judged[run][0]],
                )
        outliers += len(history.outliers)
        red += sum(bool(judged[run][0]) for run in history.outliers)
        again += sum(judged[run][1] for run in history.outliers)
    print(f"regressions blocked within three runs: {caught} of {regressions}; {missed} not seen")
    print(f"good runs blocked: {blocked} of {good}")
    print(f"lone outliers blocked: {red} of {outliers}; told to be run again: {again}")


def judge(history: History, chosen: list[int]) -> dict[int, tuple[list[dict[str, object]], bool]]:
    """Return what fails at each run, and whether it is to be run again."""
    con = warehouse.connect(":memory:")
    runs, values = [], []
    for last in chosen:
        for run in range(max(0, last - 120), last + 1):
            began = BEGAN + timedelta(days=run)
            runs.append((f"{last}-{run}", f"a{last}", f"v{run}", "m", began))
            values += [
                (f"{last}-{run}", f"m{m}", float(history.values[m, run]), "s")
                for m in range(METRICS)
            ]
        for at in history.known:
            if at + 10 <= last:
                con.execute(
                    "INSERT INTO acknowledgements "
                    "(run_id, app, version, started_at, metric, reason, said_at) "
                    "VALUES (?, ?, ?, ?, '*', 'expected', now())",
                    [f"{last}-{at}", f"a{last}", f"v{at}", BEGAN + timedelta(days=at)],
                )
    table = pa.table(
        list(zip(*runs, strict=True)), ["run_id", "app", "version", "machine", "started_at"]
    )
    con.register("these_runs", table)
    con.execute("INSERT INTO runs BY NAME FROM these_runs")
    table = pa.table(list(zip(*values, strict=True)), ["run_id", "metric", "value", "unit"])
    con.register("these_values", table)
    con.execute("INSERT INTO metrics BY NAME SELECT 1 AS source_id, * FROM these_values")
    keep(con)
    out = {}
    for last in chosen:
        sides = find_sides(con, f"a{last}", None, "latest")
        rows = dicts(judge_metrics(con, sides, [], 0.05, 0.95))
        out[last] = failing_metrics(rows), needs_run(rows)
    return out


if __name__ == "__main__":
    main()
