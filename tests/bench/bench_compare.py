"""pwh compare: false alarms between equal versions, what is found, and how long it takes.

python -m tests.bench.bench_compare [--pairs 1000] [--metrics 50] [--runs 100] [--functions 1000]

Equal versions have 3 to 10 repetitions each, with noise of 5 % (log-normal sigma) in every
function; an alarm is a pair in which any function is said to have changed. In the tables of power
one function of all is slower by so much. Then eight metrics, the first the total, of processes that
each repeat their work ten times, at 2 % noise between processes: a run is one value. With a single
run on each side the noise is that of a history, or of equal runs of other versions. The last lines
are times of the macro on generated runs.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa

import warehouse
from tests.bench.comparison_cases import NOISES, Noise, Side, pairs, processes
from udfs.comparison import compare_runs, usual_noise

SLOWER = (0.05, 0.10, 0.20)
SIGMAS = (0.02, 0.05)
REPETITIONS = (3, 5, 10)
HISTORY = 30
USUAL = pa.list_(pa.struct([("variance", pa.float64()), ("freedom", pa.float64())]))
UNKNOWN = {"variance": None, "freedom": None}
WITHIN = pa.list_(
    pa.struct(
        [
            *((name, pa.float64()) for name in ("floor", "variance", "freedom")),
            ("noise", pa.string()),
        ]
    )
)
GENERATE = """
    INSERT INTO runs (run_id, app, version, machine, started_at, wall_seconds)
    SELECT
      'r' || i, 'generated', 'v' || i // 5, 'm',
      TIMESTAMPTZ '2026-01-01 00:00:00Z' + INTERVAL 1 DAY * i, 100 + hash(i) % 1000 / 1000.0
    FROM range({runs}) t(i);
    INSERT INTO fn_timings (run_id, source_id, function, rank, seconds)
    SELECT 'r' || i, 1, 'function' || f, r, 10 + hash(i, f, r) % 1000 / 1000.0
    FROM range({runs}) t(i), range({functions}) u(f), range(10) v(r);
"""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--metrics", type=int, default=50)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--functions", type=int, default=1000)
    asked = parser.parse_args()
    print(f"{asked.pairs} equal pairs a cell: pairs with an alarm, %")
    print(f"{'noise':26}{asked.metrics:4} functions   1 metric   1 run to 1, history of {HISTORY}")
    for noise in NOISES:
        many = alarms(noise, asked.pairs, asked.metrics)
        one = alarms(noise, asked.pairs, 1)
        single = alarms(noise, asked.pairs, asked.metrics, history=True)
        print(f"{noise.name:26}{many:14.1f}{one:11.1f}{single:26.1f}")
    for noise in NOISES[:3]:
        power(noise, asked.pairs // 5, asked.metrics)
    grouped(asked.pairs)
    speed(asked.runs, asked.functions)


def found(
    before: Side,
    after: Side,
    history: Side | None = None,
    usual: dict[str, float | None] | None = None,
    leading: bool = False,
) -> list[int]:
    """Return the metrics that are said to have changed; with `leading` the first is the total."""
    kind = pa.list_(pa.list_(pa.float64()))
    past = pa.array([history or [[] for _ in before]], kind)
    sides = (pa.array([before], kind), pa.array([after], kind), past, past)
    typical = pa.array([[usual or UNKNOWN for _ in before]], USUAL)
    of = {"name": "seconds", "is_counted": False, "order": 0}
    family = [{**of, "is_leading": leading and not place} for place in range(len(before))]
    within = pa.array([[None] * len(before)], WITHIN)
    (row,) = compare_runs(*sides, typical, within, pa.array([family]), pa.array([0.95])).to_pylist()
    return [i for i, one in enumerate(row) if (one["p_value"] or 0) < 0.05 and one["noise"]]


def alarms(noise: Noise, count: int, metrics: int, history: bool = False) -> float:
    """Return the per cent of equal pairs in which something is found."""
    if not history:
        every = pairs(noise, seed=1, count=count, metrics=metrics)
        return 100 * float(np.mean([bool(found(*pair)) for pair in every]))
    every = pairs(noise, seed=2, count=count, metrics=metrics, repetitions=HISTORY)
    verdicts = []
    for before, after in every:
        past = [[*a, *b[:-1]][-HISTORY:] for a, b in zip(before, after, strict=True)]
        single = ([[values[i]] for values in after] for i in (-6, -1))
        verdicts.append(bool(found(*single, [v[:-5] + v[-4:] for v in past])))
    return 100 * float(np.mean(verdicts))


def power(noise: Noise, count: int, metrics: int) -> None:
    """Print how often one function that is slower is found, and alarms beside it."""
    print(f"\n{noise.name}, {metrics} functions: one slower is found, % (others too, %)")
    print(f"{'noise, repetitions':24}" + "".join(f"{f'+{100 * s:.0f} %':>16}" for s in SLOWER))
    for sigma in SIGMAS:
        for n in REPETITIONS:
            cells = []
            for slower in SLOWER:
                quiet = replace(noise, sigma=sigma)
                verdicts = []
                for before, after in pairs(
                    quiet, seed=3, count=count, metrics=metrics, repetitions=n
                ):
                    after[0] = [(1 + slower) * value for value in after[0]]
                    verdicts.append(found(before, after))
                hit = 100 * np.mean([0 in row for row in verdicts])
                more = 100 * np.mean([bool(set(row) - {0}) for row in verdicts])
                cells.append(f"{hit:9.1f} ({more:4.1f})")
            print(f"{f'{100 * sigma:.0f} %, {n} each':24}" + "".join(f"{c:>16}" for c in cells))


def grouped(count: int) -> None:
    """Print alarms and power for eight metrics of processes that repeat their work."""
    print(
        "\n8 metrics, 2 % between processes: alarms %, total 10 % slower found %, one of 8 found %"
    )
    for runs in (2, 3, 5, 10):
        pairs_of = partial(processes, count=count, metrics=8, runs=runs)
        alarm = [bool(found(*pair, leading=True)) for pair in pairs_of(seed=11)]
        total, part = [], []
        for before, after in pairs_of(seed=12):
            slower = [[1.1 * v for v in after[0]], *after[1:]]
            total.append(0 in found(before, slower, leading=True))
            slower = [*after[:7], [1.1 * v for v in after[7]]]
            part.append(7 in found(before, slower, leading=True))
        shares = (100 * float(np.mean(x)) for x in (alarm, total, part))
        print(f"{f'{runs} and {runs} runs':24}" + "".join(f"{share:10.1f}" for share in shares))
    for source in ("history of 10", "20 groups of 5"):
        alarm, total = [], []
        every = processes(seed=13, count=count, metrics=8, runs=6)
        others = processes(seed=14, count=count, metrics=8, runs=55)
        for (before, after), (first, second) in zip(every, others, strict=True):
            past, usual = None, None
            if source == "history of 10":
                past = [b[1:] + a[1:] for b, a in zip(before, after, strict=True)]
            else:
                logs = np.log(np.concatenate([first, second], axis=1))[0, :100].reshape(20, 5)
                groups = pa.array([logs.var(axis=1, ddof=1)]), pa.array([[4.0] * len(logs)])
                (usual,) = usual_noise(*groups).to_pylist()
            one, other = [[v[0]] for v in before], [[v[0]] for v in after]
            alarm.append(bool(found(one, other, past, usual, leading=True)))
            slower = [[1.1 * other[0][0]], *other[1:]]
            total.append(0 in found(one, slower, past, usual, leading=True))
        shares = (100 * float(np.mean(x)) for x in (alarm, total))
        print(f"{f'1 and 1, {source}':24}" + "".join(f"{share:10.1f}" for share in shares))


def speed(runs: int, functions: int) -> None:
    """Print how long the macro takes over generated runs of ten ranks."""
    con = warehouse.connect(":memory:")
    con.execute("SET threads = 2")
    con.execute(GENERATE.format(runs=runs, functions=functions))
    con.execute("SELECT verdict FROM comparison(['r0', 'r1'], ['r2', 'r3'])").fetchall()
    print(f"\n{runs} runs of {functions} functions on 10 ranks, fn_timings {runs * functions * 10}")
    for title, before, after in (
        ("two versions of five runs", range(5), range(5, 10)),
        ("two runs, noise from history", (0,), (1,)),
    ):
        sides = [[f"r{i}" for i in side] for side in (before, after)]
        began = time.perf_counter()
        ((count, worse),) = con.execute(
            "SELECT count(*), count(*) FILTER (verdict = 'worse') FROM comparison($1, $2)", sides
        ).fetchall()
        taken = time.perf_counter() - began
        print(f"{title:30} {count} metrics, {worse} worse, {taken:.2f} s")


if __name__ == "__main__":
    main()
