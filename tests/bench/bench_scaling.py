"""Scaling models against Extra-P on public profiles: errors, intervals, program times, speed.

python -m tests.bench.bench_scaling [--data ../shared/data/scaling] [--extrap PYTHON]
    [--weak DATASET,...] [--share 0.005] [--functions 100000] [--left-out]

PYTHON is one that has extrap. The largest count, then the two largest, are left out of every
set, and the largest is predicted; --left-out does so with constants of the ensemble that were
chosen without the data set. Extra-P is taken as it comes, and at its best: fitted to
p*time, but for sets of weak scaling to time. Errors are |predicted - measured| / measured.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

import warehouse
from tests.bench.scaling_data import Case, arrays, cases, landed
from tests.helpers.support import keep
from udfs.scaling import ensemble, scaling_forecast

_MANY = 10_000
CONSTANTS = ((1.0, 1.5, 2.0), (0.2, 0.4, 0.8), (1.0, 1.4, 1.8))
WEAK = "fenics,lulesh,mpi_collectives,relearn"
RUNNER = Path(__file__).with_name("extrap_models.py")
GENERATE = """
    INSERT INTO runs (run_id, app, ranks, problem_size)
    SELECT 'r' || p || '-' || r, 'generated', 2 ** p, 1.0 FROM range(1, 7) t(p), range(5) s(r);
    INSERT INTO fn_timings (run_id, source_id, function, seconds)
    SELECT
      'r' || p || '-' || r, 1, 'function' || f,
      (1 + hash(f) % 100 / 10.0) * pow(2, -p * (hash(f + 7) % 100) / 100.0)
        * (1 + 0.05 * (hash(f * 31 + p * 7 + r) % 100) / 100)
    FROM range(1, 7) t(p), range(5) s(r), range({functions}) u(f);
"""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/scaling"))
    parser.add_argument("--extrap", metavar="PYTHON")
    parser.add_argument("--weak", default=WEAK)
    parser.add_argument("--share", type=float, default=0.005)
    parser.add_argument("--functions", type=int, default=100_000)
    parser.add_argument("--left-out", action="store_true")
    asked = parser.parse_args()
    con = landed(asked.data)
    fitted = {out: cases(con, out, asked.share) for out in (1, 2)}
    for out, every in fitted.items():
        if asked.extrap:
            compare(every, asked.extrap, asked.weak.split(","))
        chosen = [case for case in every if case.chosen]
        print(f"\n{out} step{'s' * (out > 1)} out: {len(chosen)} of {len(every)} functions")
        table(chosen, every)
        print("all functions, whatever their share:")
        table(every, [])
    if asked.left_out:
        left_out(con, asked.share, fitted)
    speed(fitted[1], asked.extrap, asked.functions)


def table(chosen: list[Case], every: list[Case]) -> None:
    """Print errors by data set and over all, and of whole programs."""
    print(f"{'data set':16}  n    median  p90    SMAPE  in 90 %  Extra-P  at best    better")
    names = sorted({case.dataset for case in chosen})
    for name in names if every else []:
        line(name, [case for case in chosen if case.dataset == name])
    line("all", chosen)
    if every:
        programs(every)


def line(name: str, some: list[Case]) -> None:
    """Print one line of a table."""
    truth, fitted, low, high, plain, best = arrays(
        some, "truth", "predicted", "low", "high", "extrap", "extrap_best"
    )
    error, best_error = np.abs(fitted - truth) / truth, np.abs(best - truth) / truth
    held = np.mean((low <= truth) & (truth <= high))
    print(
        f"{name:16} {len(some):4} {np.median(error):7.3f} {np.quantile(error, 0.9):6.2f} "
        f"{smape(fitted, truth):7.3f} {held:7.2f}   {np.median(np.abs(plain - truth) / truth):6.3f}"
        f"  {np.median(best_error):6.3f}/{smape(best, truth):5.3f}"
        f" {np.mean(error < best_error):6.2f}"
    )


def smape(fitted: np.ndarray, truth: np.ndarray) -> float:
    """Return the symmetric mean absolute percentage error, 0..2."""
    return float(np.mean(2 * np.abs(fitted - truth) / (np.abs(fitted) + np.abs(truth))))


def programs(every: list[Case]) -> None:
    """Print the error of whole programs, as sums of the functions that were measured again."""
    won, errors = 0, []
    names = sorted({case.app for case in every})
    for name in names:
        truth, fitted, best = arrays(
            [case for case in every if case.app == name and case.in_program],
            "truth",
            "predicted",
            "extrap_best",
        )
        ours, theirs = (abs(one.sum() - truth.sum()) / truth.sum() for one in (fitted, best))
        won += ours <= theirs
        errors.append((ours, theirs))
    ours, theirs = np.median(errors, axis=0)
    print(
        f"whole programs: median error {ours:.3f}, Extra-P at best {theirs:.3f}; "
        f"no worse in {won} of {len(names)} sets"
    )


def compare(every: list[Case], python: str, weak: list[str]) -> None:
    """Fill in what Extra-P predicts."""
    plain, _ = extrap(python, every, [np.ones(len(case.x)) for case in every])
    factors = [np.ones(len(case.x)) if case.dataset in weak else np.array(case.x) for case in every]
    best, _ = extrap(python, every, factors)
    for case, one, other in zip(every, plain, best, strict=True):
        case.extrap = one
        case.extrap_best = other if case.dataset in weak else other / case.target


def extrap(python: str, some: list[Case], factors: list[np.ndarray]) -> tuple[list[float], float]:
    """Return Extra-P's predictions and the CPU seconds that its modelling took."""
    series = [
        {"x": case.x, "y": list(np.array(case.y) * factor), "at": case.target}
        for case, factor in zip(some, factors, strict=True)
    ]
    done = subprocess.run(
        [python, RUNNER], input=json.dumps(series), capture_output=True, text=True, check=True
    )
    answer = json.loads(done.stdout)
    return answer["seconds"], answer["cpu"]


def left_out(con: object, share: float, fitted: dict[int, list[Case]]) -> None:
    """Print errors and coverage of each data set with constants chosen on all the others."""
    print("\nconstants chosen without the data set (cost of a letter, in sample, spread, factor)")
    best = {(out, c.app, c.function): c.extrap_best for out in fitted for c in fitted[out]}
    trials = {chosen: trial(con, share, chosen, best) for chosen in itertools.product(*CONSTANTS)}
    first = next(iter(trials.values()))
    names = np.array([case.dataset for case in first])
    fitted_left: list[Case] = []
    for name in sorted(set(names)):
        rest = names != name
        chosen = min(trials, key=lambda one: np.mean(log_error(trials[one])[0][rest]))
        error, width = log_error(trials[chosen])
        factor = np.quantile((error / width)[rest], 0.9)
        print(f"{name:16} {chosen} {factor:5.2f}  n {np.sum(~rest)}")
        fitted_left += [
            replace(
                case,
                low=case.predicted * (case.low / case.predicted) ** factor,
                high=case.predicted * (case.high / case.predicted) ** factor,
            )
            for case in np.array(trials[chosen])[~rest]
        ]
    for out in fitted:
        print(f"\n{out} step{'s' * (out > 1)} out, each data set left out:")
        table([case for case in fitted_left if case.steps == out], [])


def trial(
    con: object,
    share: float,
    chosen: tuple[float, ...],
    best: dict[tuple[int, str, str], float],
) -> list[Case]:
    """Return the chosen functions as predicted with other constants."""
    names = ("_PARAMETER_COST", "_IN_SAMPLE", "_SPREAD")
    kept = [getattr(ensemble, name) for name in names]
    for name, value in zip(names, chosen, strict=True):
        setattr(ensemble, name, value)
    some = [case for out in (1, 2) for case in cases(con, out, share) if case.chosen]
    for name, value in zip(names, kept, strict=True):
        setattr(ensemble, name, value)
    for case in some:
        case.extrap_best = best[case.steps, case.app, case.function]
    return some


def log_error(some: list[Case]) -> tuple[np.ndarray, np.ndarray]:
    """Return the errors as logarithms, and the half width of the intervals."""
    truth, fitted, high = arrays(some, "truth", "predicted", "high")
    return np.abs(np.log(fitted / truth)), np.log(high / fitted)


def speed(every: list[Case], python: str | None, functions: int) -> None:
    """Print functions per CPU second of both, and the time of the SQL views."""
    rows = [case for case in every if len(case.x) >= 4]
    rows = (rows * (_MANY // len(rows) + 1))[:_MANY]
    columns = [
        pa.array([case.kind for case in rows]),
        pa.array([case.x for case in rows], pa.list_(pa.float64())),
        pa.array([case.y for case in rows], pa.list_(pa.float64())),
        pa.array([0.0] * len(rows)),
        pa.array([[case.target] for case in rows[:1]] * len(rows), pa.list_(pa.float64())),
        pa.array([0.0] * len(rows)),
    ]
    scaling_forecast(*columns)
    began = time.process_time()
    scaling_forecast(*columns)
    ours = len(rows) / (time.process_time() - began)
    print(
        f"\n{len(rows)} functions (those of the public sets, many times): {ours:.0f} per CPU second"
    )
    if python:
        _, cpu = extrap(python, rows[:500], [np.ones(len(case.x)) for case in rows[:500]])
        print(f"Extra-P, 500 of them: {500 / cpu:.0f} per CPU second; ratio {ours * cpu / 500:.0f}")
    con = warehouse.connect(":memory:")
    for statement in GENERATE.format(functions=functions).split(";")[:-1]:
        con.execute(statement)
    began = time.perf_counter()
    keep(con)
    print(f"models of {functions} functions, stored: {time.perf_counter() - began:.1f} s")
    print(f"{functions} functions x 6 counts x 5 repetitions, through SQL:")
    for query in (
        "SELECT formula, flag_sentences(flags) FROM scaling_models",
        "SELECT predicted, low, high FROM scaling_predict([128, 256])",
        "FROM program_predict([128, 256])",
    ):
        began, cpu = time.perf_counter(), time.process_time()
        con.execute(f"CREATE OR REPLACE TEMP TABLE t AS {query}")
        wall, cpu = time.perf_counter() - began, time.process_time() - cpu
        print(f"  {query}: {wall:.1f} s, {functions / cpu:.0f} functions per CPU second")


if __name__ == "__main__":
    main()
