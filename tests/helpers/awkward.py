"""Schedules that nearly could have run, with everything at equal times that can be.

Where `random_schedule` throws times anywhere, these have chains of waits: workers free at the same
moment, tasks of no length, data read twice, sent twice, by detours, backwards, or by nobody known.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.helpers.schedules import Row, Schedule

_LETTERS = ("t", "é", "Z", "_", "\U0001f600")


def awkward_schedule(seed: int) -> Schedule:
    """Make a small awkward schedule."""
    return _Awkward(random.Random(seed)).schedule()


@dataclass
class _Awkward:
    rng: random.Random
    tables: Schedule = field(
        default_factory=lambda: {t: [] for t in ("fragments", "inputs", "transfers", "runtime")}
    )
    # name, when it was made, on which node
    made: list[tuple[str, int, str | None]] = field(default_factory=list)
    data: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        rng = self.rng
        self.span = rng.choice([4, 10, 60, 1000])
        self.nodes = [f"n{i}" for i in range(rng.randint(1, 4))]
        self.home = {f"w{i}": rng.choice([*self.nodes * 3, None]) for i in range(rng.randint(2, 5))}
        self.free = dict.fromkeys(self.home, 0)

    def some(self) -> int:
        """Return a length, often none at all."""
        return self.rng.choice([0, 0, 1, self.rng.randint(0, self.span)])

    def schedule(self) -> Schedule:
        rng = self.rng
        for number in range(rng.randint(2, 40)):
            self.task(number)
        return self.tables | {
            "data": self.data,
            "nodes": [
                {"node_id": n, "clock_offset_ns": rng.choice([0, 0, rng.randint(-3, 3)])}
                for n in self.nodes
                if rng.random() < 0.9
            ],
            "workers": [
                {
                    "worker_id": worker,
                    "node_id": node,
                    "t_begin": rng.choice([None, 0, -2, 2]),
                    "t_end": rng.choice([None, None, self.span * 5]),
                }
                for worker, node in self.home.items()
                if rng.random() < 0.95
            ],
        }

    def task(self, number: int) -> None:
        """Add a task, what it reads, what it makes, and runtime work around its time."""
        rng, worker = self.rng, self.rng.choice([*self.home])
        in_turn = rng.random() < 0.85
        start = self.free[worker] + self.some() if in_turn else rng.randint(0, 3 * self.span)
        end = start + self.some()
        self.free[worker] = max(self.free[worker], end)
        name = f"{rng.choice(_LETTERS)}{number}"
        self.tables["fragments"].append(
            {
                "fragment_id": name,
                "worker_id": worker,
                "t_start": start,
                "t_end": end,
                "ftype": rng.choice("ab"),
                "t_submit": rng.choice([None, start, start - 1, 0, end]),
            }
        )
        for datum in rng.sample(self.made, min(len(self.made), rng.randint(0, 4))):
            self.read(name, worker, *datum)
        if rng.random() < 0.1:
            self.read(name, worker, f"nobody{rng.randint(0, 2)}", start, None)
        for _ in range(rng.choice([0, 1, 1, 2])):
            self.make(name, worker, start, end)
        for _ in range(rng.choice([0, 0, 1, 2])):
            self.work(start)

    def read(self, task: str, worker: str, datum: str, made: int, source: str | None) -> None:
        """Add a task's input, once or twice, and its transfer over some hops."""
        rng = self.rng
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            self.tables["inputs"].append({"fragment_id": task, "data_id": datum})
        ways = [self.home[worker], *(rng.choice(self.nodes) for _ in range(rng.randint(0, 2)))]
        for node, before in zip(ways, [*ways[1:], source], strict=True):
            if node is not None and rng.random() < 0.7:
                sent = made + rng.randint(-1, self.span // 2 + 1)
                self.tables["transfers"].append(
                    {
                        "data_id": datum,
                        "src_node": rng.choice([before, before, None, *self.nodes]),
                        "dst_node": node,
                        "t_send": rng.choice([sent, sent, None]),
                        "t_recv": sent + rng.choice([-1, self.some(), self.some()]),
                    }
                )

    def make(self, task: str, worker: str, start: int, end: int) -> None:
        """Add a datum, mostly of the task."""
        rng, name = self.rng, f"{self.rng.choice('xaÉ')}{len(self.data)}"
        row: Row = {"data_id": name, "producer_fragment": task}
        if rng.random() < 0.1:
            row["producer_fragment"] = rng.choice([None, "ghost"])
        if rng.random() < 0.1:
            row["node_id"] = rng.choice(self.nodes)
        if rng.random() < 0.1:
            row["t_ready"] = rng.choice([start, end, end + 1, start - 1])
        self.data.append(row)
        self.made.append((name, end, self.home[worker]))

    def work(self, near: int) -> None:
        """Add runtime work of any worker, exact or a total, that may exceed its window."""
        rng, start = self.rng, near + self.rng.randint(-self.span, self.span)
        self.tables["runtime"].append(
            {
                "worker_id": rng.choice([*self.home]),
                "t_start": start,
                "t_end": start + self.some(),
                "total_ns": rng.choice([None, None, None, 0, 1, self.some(), 10**18]),
            }
        )
