"""Schedules that could have run: tasks wait for data, data for the network, all for the runtime.

The truth is found nanosecond by nanosecond from what the simulation did, without intervals.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.helpers.schedules import Row, Schedule


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What a schedule is made of; times in ns."""

    tasks: int = 40
    nodes: int = 3
    workers: int = 2  # of each node
    fan_in: int = 3
    reach: int = 12  # how far back a task looks for its inputs
    compute: int = 20
    network: int = 8
    dispatch: int = 3  # runtime work around a task
    detours: float = 0.0  # share of data that come by a third node
    skew: int = 0  # clocks of the nodes are off by up to so much
    totals: float = 0.0  # share of workers whose runtime work is known only as a total


@dataclass
class Simulation:
    """A schedule in its recorded form, and what truly went on (on one clock)."""

    recorded: Schedule
    truth: list[Row] = field(default_factory=list)  # worker, t_start, t_end, task, parts


def simulate(machine: Machine, seed: int) -> Simulation:
    """Run a random program on a machine."""
    rng = random.Random(seed)
    run = _Run(machine, rng)
    for number in range(machine.tasks):
        run.one(number)
    ahead = {n: rng.randint(-machine.skew, machine.skew) for n in run.nodes}
    total = {w for w in run.free if rng.random() < machine.totals}
    return Simulation(run.recorded(ahead, total), run.truth() if not total else [])


class _Run:
    def __init__(self, machine: Machine, rng: random.Random) -> None:
        self.machine, self.rng = machine, rng
        self.nodes = [f"n{i}" for i in range(machine.nodes)]
        self.home = {f"{n}w{i}": n for n in self.nodes for i in range(machine.workers)}
        self.free = dict.fromkeys(self.home, 0)
        self.tasks: list[Row] = []
        self.runtime: list[Row] = []
        self.hops: list[Row] = []
        self.inputs: dict[str, list[str]] = {}
        self.arrived: dict[tuple[str, str], int] = {}

    def one(self, number: int) -> None:
        """Run the next task where it may start first, or anywhere."""
        machine, rng = self.machine, self.rng
        names = [t["task"] for t in self.tasks[-machine.reach :]]
        inputs = rng.sample(names, min(len(names), rng.randint(0, machine.fan_in)))
        worker = rng.choice([min(self.free, key=self.free.__getitem__), rng.choice([*self.free])])
        ready = [self.bring(name, self.home[worker]) for name in inputs]
        called = max([self.free[worker], *ready]) + rng.randint(0, machine.dispatch)
        start = called + rng.randint(0, machine.dispatch)
        end = start + rng.choice([0, *(rng.randint(1, 2 * machine.compute) for _ in range(9))])
        after = end + rng.randint(0, machine.dispatch)
        task = f"f{number:03}"
        for p, q in ((called, start), (end, after)):
            if p < q:
                self.runtime.append({"worker": worker, "p": p, "q": q})
        self.tasks.append({"task": task, "worker": worker, "p": start, "q": end})
        self.inputs[task] = inputs
        self.free[worker] = after

    def bring(self, name: str, node: str) -> int:
        """Send a task's result to a node unless it is there; return when it arrives."""
        made = next(t for t in self.tasks if t["task"] == name)
        home = self.home[made["worker"]]
        if node == home:
            return made["q"]
        if (name, node) not in self.arrived:
            others = [n for n in self.nodes if n not in (node, home)]
            detour = others and self.rng.random() < self.machine.detours
            via = self.rng.choice(others) if detour else home
            there = made["q"] if via == home else self.bring(name, via)
            send = there + self.rng.randint(0, 3)
            recv = send + self.rng.randint(1, 2 * self.machine.network)
            self.hops.append({"data": name, "src": via, "dst": node, "p": send, "q": recv})
            self.arrived[name, node] = recv
        return self.arrived[name, node]

    def recorded(self, ahead: dict[str, int], total: set[str]) -> Schedule:
        """Return what a trace would say, each time on the clock of its node."""
        end = max(self.free.values())
        exact = [r for r in self.runtime if r["worker"] not in total]
        sums = {w: sum(r["q"] - r["p"] for r in self.runtime if r["worker"] == w) for w in total}
        at = {w: ahead[n] for w, n in self.home.items()}
        return {
            "nodes": [{"node_id": n, "clock_offset_ns": v} for n, v in ahead.items()],
            "workers": [
                {"worker_id": w, "node_id": n, "t_begin": at[w], "t_end": end + at[w]}
                for w, n in self.home.items()
            ],
            "fragments": [
                {
                    "fragment_id": t["task"],
                    "worker_id": t["worker"],
                    "t_start": t["p"] + at[t["worker"]],
                    "t_end": t["q"] + at[t["worker"]],
                }
                for t in self.tasks
            ],
            "data": [{"data_id": t["task"], "producer_fragment": t["task"]} for t in self.tasks],
            "inputs": [
                {"fragment_id": task, "data_id": name}
                for task, names in self.inputs.items()
                for name in names
            ],
            "transfers": [
                {
                    "data_id": h["data"],
                    "src_node": h["src"],
                    "dst_node": h["dst"],
                    "t_send": h["p"] + ahead[h["src"]],
                    "t_recv": h["q"] + ahead[h["dst"]],
                }
                for h in self.hops
            ],
            "runtime": [
                {
                    "worker_id": r["worker"],
                    "t_start": r["p"] + at[r["worker"]],
                    "t_end": r["q"] + at[r["worker"]],
                }
                for r in exact
            ]
            + [
                {"worker_id": w, "t_start": at[w], "t_end": end + at[w], "total_ns": sums[w]}
                for w in sorted(total)
            ],
        }

    def truth(self) -> list[Row]:
        """Return every idle interval with its parts in the direct mode, by asking every ns."""
        end = max(self.free.values())
        rows = []
        for worker in self.home:
            at = 0
            for task in sorted(
                (t for t in self.tasks if t["worker"] == worker), key=lambda t: (t["p"], t["task"])
            ):
                if task["p"] > at:
                    rows.append(self.asked(worker, at, task["p"], task["task"]))
                at = max(at, task["q"])
            if end > at:
                rows.append((worker, at, end, None, end - at, 0, 0))
        return rows

    def asked(self, worker: str, a: int, b: int, task: str) -> Row:
        made = {t["task"]: t for t in self.tasks}
        inputs = self.inputs[task]
        last = min(inputs, key=lambda name: (-made[name]["q"], name), default=None)
        parts = {"S": 0, "L": 0, "O": 0}
        for t in range(a, b):
            if last is not None and t < made[last]["q"]:
                there = made[last]["worker"]
                busy = any(r["worker"] == there and r["p"] <= t < r["q"] for r in self.runtime)
                parts["O" if busy else "S"] += 1
            else:
                flying = any(self.flies(name, self.home[worker], t) for name in inputs)
                parts["L" if flying else "O"] += 1
        return (worker, a, b, task, parts["S"], parts["L"], parts["O"])

    def flies(self, name: str, node: str, t: int) -> bool:
        """Return whether a datum is in transit to a node, on any leg of its route."""
        hop = next((h for h in self.hops if (h["data"], h["dst"]) == (name, node)), None)
        if hop is None:
            return False
        return hop["p"] <= t < hop["q"] or self.flies(name, hop["src"], t)
