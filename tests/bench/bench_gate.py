"""The gate in a simulated CI: how many regressions it blocks, how many good runs, what of outliers.

python -m tests.bench.bench_gate [--runs 200] [--seeds 1 2 3] [--good 30] [--before 120]

A project of 60 metrics is measured once a commit: noise of .3 to 4 %, in a fifth autocorrelated;
older steps up and down that someone acknowledged, reverts, drifts, a noisy week. Of the commits a
tenth are measured twice, and a tenth long after they were made; one in twenty also has a run that
failed, with times of its own, and one in ten a run of a branch that is 15 % slower. Some metrics
have another name from some run on. A regression counts that is at least 7 % and 4.2 times the
noise; it is blocked where the gate says no at one of its first three runs. A lone outlier is one
run that is off by 30 % and more in a third of the metrics. Each run judged is the last one of an
application of its own, some of which land at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import warehouse
from apps.output.tables import dicts
from apps.queries.comparison import LEVEL
from apps.reports.gate import failing_metrics, find_sides, judge_metrics, needs_run
from tests.helpers.support import keep

METRICS = 60
BURN = 30
AT_ONCE = 6
LIMIT, SEEN = 0.07, 4.2
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
        until = at + 10 if kind == "reverted" else runs
        logs[chosen, at:until] += -size if kind == "better" else size
        if kind != "better":
            clear = [
                int(m)
                for m in chosen
                if np.expm1(size) >= SEEN * noise[m] and m not in found.renamed
            ]
            if clear:
                found.regressions.append((at, clear))
            found.bad.update(range(at, at + 10))
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
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--good", type=int, default=30)
    parser.add_argument("--before", type=int, default=120, help="commits before the one judged")
    asked = parser.parse_args()
    caught = regressions = blocked = good = red = outliers = again = missed = 0
    for seed in asked.seeds:
        history = simulate(seed, asked.runs)
        draw = np.random.default_rng(seed + 1000)
        off = history.bad | set(history.outliers)
        calm = [run for run in range(BURN, asked.runs) if run not in off]
        chosen = sorted(draw.choice(calm, min(asked.good, len(calm)), replace=False).tolist())
        firsts = [at + k for at, _ in history.regressions for k in range(3)]
        judged = judge(history, sorted({*chosen, *firsts, *history.outliers}), asked.before)
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


Judged = dict[int, tuple[list[dict[str, object]], bool]]


def judge(history: History, chosen: list[int], before: int) -> Judged:
    """Return what fails at each run, and whether it is to be run again."""
    parts = [chosen[at : at + AT_ONCE] for at in range(0, len(chosen), AT_ONCE)]
    return {run: found for part in parts for run, found in _judge(history, part, before).items()}


def _runs(
    history: History, last: int, before: int
) -> Iterator[tuple[int, str, str, int, NDArray[np.float64]]]:
    """Yield commit, name, branch, day of the measurement and values of the runs up to the last."""
    draw = np.random.default_rng(7)
    for run in range(last + 1):
        again, late, failed, branch = draw.random(4) < (0.1, 0.1, 0.05, 0.1)
        if run < last - before:
            continue
        values = history.values[:, run]
        yield run, "", "main", run + 500 * bool(late and run < last - 3), values
        if again and run not in history.outliers:
            yield run, "again", "main", run, history.again[:, run]
        if failed:
            yield run, "failed", "main", run, values / 3
        if branch:
            yield run, "branch", "topic", run, values * 1.15


def _judge(history: History, chosen: list[int], before: int) -> Judged:
    con = warehouse.connect(":memory:")
    runs, values = [], []
    for last in chosen:
        for run, kind, branch, day, found in _runs(history, last, before):
            name, made = f"{last}-{run}{kind}", BEGAN + timedelta(days=run)
            code = "1" if kind == "failed" else "0"
            facts = (f"v{run}{branch[:5]}", "m", BEGAN + timedelta(days=day), f"{run:07x}{branch}")
            runs.append((name, f"a{last}", *facts, branch, made, [("exit_code", code)]))
            values += [
                (name, f"m{m}{'b' * (run >= history.renamed.get(m, run + 1))}", float(value), "s")
                for m, value in enumerate(found)
            ]
        for at in history.known:
            if at + 10 <= last:
                con.execute(
                    "INSERT INTO acknowledgements "
                    "(run_id, app, version, started_at, metric, reason, said_at) "
                    "VALUES (?, ?, ?, ?, '*', 'expected', now())",
                    [f"{last}-{at}", f"a{last}", f"v{at}main", BEGAN + timedelta(days=at)],
                )
    names = ("run_id", "app", "version", "machine", "started_at", "commit", "branch")
    columns = [pa.array(column) for column in list(zip(*(run[:-1] for run in runs), strict=True))]
    tags = pa.array([run[-1] for run in runs], pa.map_(pa.string(), pa.string()))
    table = pa.table([*columns, tags], [*names, "committed_at", "tags"])
    con.register("these_runs", table)
    con.execute("INSERT INTO runs BY NAME FROM these_runs")
    table = pa.table(list(zip(*values, strict=True)), ["run_id", "metric", "value", "unit"])
    con.register("these_values", table)
    con.execute("INSERT INTO metrics BY NAME SELECT 1 AS source_id, * FROM these_values")
    keep(con)
    out = {}
    for last in chosen:
        sides = find_sides(con, f"a{last}", None, f"v{last}main")
        rows = dicts(judge_metrics(con, sides, [], 0.05, LEVEL))
        out[last] = failing_metrics(rows), needs_run(rows)
    con.close()
    return out


if __name__ == "__main__":
    main()
