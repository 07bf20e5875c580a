"""The idle attribution, computed literally by definition: slow, for tests only."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tests.helpers.schedules import Row, Schedule

Set = list[tuple[int, int]]  # disjoint half-open intervals, sorted
MODES = ("direct", "propagated", "transitive")
RULES = ("union", "last_arrival")
UNFOLLOWED = {"missing_transfer", "unknown_input"}


def union(*sets: Set) -> Set:
    out: Set = []
    for p, q in sorted(i for s in sets for i in s if i[0] < i[1]):
        if out and p <= out[-1][1]:
            out[-1] = (out[-1][0], max(q, out[-1][1]))
        else:
            out.append((p, q))
    return out


def minus(one: Set, other: Set) -> Set:
    out: Set = []
    for p, q in one:
        cuts = [p, *(x for i in other for x in i if p < x < q), q]
        out += [(x, y) for x, y in pairwise(cuts) if not any(s <= x < e for s, e in other)]
    return union(out)


def within(one: Set, other: Set) -> Set:
    return minus(one, minus(one, other))


def size(one: Set) -> int:
    return sum(q - p for p, q in one)


class Reference:
    """Rows of idle_attribution of one schedule, as dicts, and the sets behind them."""

    def __init__(self, schedule: Schedule) -> None:
        get = {
            name: schedule.get(name, [])
            for name in ("nodes", "workers", "fragments", "data", "inputs", "transfers", "runtime")
        }
        self.ahead = {n["node_id"]: n.get("clock_offset_ns") or 0 for n in get["nodes"]}
        self.node = {w["worker_id"]: w.get("node_id") for w in get["workers"]}
        self.workers = {w["worker_id"]: w for w in get["workers"]}
        for f in get["fragments"]:
            self.node.setdefault(f["worker_id"], None)
            self.workers.setdefault(f["worker_id"], {})
        self.tasks = {f["fragment_id"]: self.corrected(f) for f in get["fragments"]}
        self.data = {d["data_id"]: d for d in get["data"]}
        self.inputs: dict[str, set[str]] = {}
        for i in get["inputs"]:
            self.inputs.setdefault(i["fragment_id"], set()).add(i["data_id"])
        self.transfers: dict[tuple[str, str], list[Row]] = {}
        for t in get["transfers"]:
            send = t.get("t_send")
            row = {
                "src": t.get("src_node"),
                "send": None if send is None else send - self.ahead.get(t.get("src_node"), 0),
                "recv": t["t_recv"] - self.ahead.get(t["dst_node"], 0),
            }
            self.transfers.setdefault((t["data_id"], t["dst_node"]), []).append(row)
        self.exact: dict[str, Set] = {}
        self.totals: dict[str, list[tuple[int, int, int]]] = {}
        for r in get["runtime"]:
            ahead = self.ahead.get(self.node.get(r["worker_id"]), 0)
            p, q = r["t_start"] - ahead, r["t_end"] - ahead
            if r.get("total_ns") is None:
                self.exact.setdefault(r["worker_id"], []).append((p, q))
            elif p < q:
                self.totals.setdefault(r["worker_id"], []).append((p, q, r["total_ns"]))
        self.exact = {w: union(s) for w, s in self.exact.items()}
        self.worked = {r["worker_id"] for r in get["runtime"]}

    def corrected(self, f: Row) -> Row:
        ahead = self.ahead.get(self.node[f["worker_id"]], 0)
        times = {k: f[k] - ahead for k in ("t_start", "t_end", "t_submit") if f.get(k) is not None}
        return {**f, **times}

    def home(self, d: str) -> str | None:
        row = self.data.get(d, {})
        made = self.tasks.get(row.get("producer_fragment"))
        return row.get("node_id") or (self.node[made["worker_id"]] if made else None)

    def made_at(self, d: str) -> int | None:
        row = self.data.get(d, {})
        if row.get("t_ready") is not None:
            return row["t_ready"] - self.ahead.get(self.home(d), 0)
        made = self.tasks.get(row.get("producer_fragment"))
        return made["t_end"] if made else None

    def idle(self) -> list[Row]:
        """All idle intervals, unattributed."""
        out = []
        starts = [f["t_start"] for f in self.tasks.values()]
        ends = [f["t_end"] for f in self.tasks.values()]
        for w, row in self.workers.items():
            ahead = self.ahead.get(self.node[w], 0)
            begin = (
                min(starts, default=None) if row.get("t_begin") is None else row["t_begin"] - ahead
            )
            end = max(ends, default=None) if row.get("t_end") is None else row["t_end"] - ahead
            mine = sorted(
                (f for f in self.tasks.values() if f["worker_id"] == w),
                key=lambda f: (f["t_start"], f["fragment_id"].encode()),
            )
            run = begin
            for at, f in enumerate(mine):
                if f["t_start"] > run:
                    kind = "inner" if at else "lead"
                    out.append({"worker": w, "a": run, "b": f["t_start"], "kind": kind, "m": f})
                run = max(run, f["t_end"])
            if run is not None and end is not None and end > run:
                out.append({"worker": w, "a": run, "b": end, "kind": "tail", "m": None})
        return out

    def hops(self, d: str, x: str | None, b: int, flags: set[str]) -> tuple[Set, int | None]:
        """The hops that brought d to x, and when it arrived there."""
        home, c, out, arrival = self.home(d), self.made_at(d), [], None
        if x is None or home == x:
            return [], None
        node, visited = x, {x}
        while True:
            ways = self.transfers.get((d, node), [])
            if not ways:
                if node == x and home is not None:
                    flags.add("missing_transfer")
                break
            way = min(
                ways,
                key=lambda t: (
                    t["recv"],
                    t["recv"] if t["send"] is None else t["send"],
                    (t["src"] or "").encode(),
                    t["send"] is None,
                ),
            )
            known = [t for t in (way["send"], c) if t is not None]
            if known:
                if way["recv"] < max(known):
                    flags.add("neg_transfer")
                out.append((max(known), way["recv"]))
            if node == x:
                arrival = way["recv"]
                if arrival > b:
                    flags.add("late_arrival")
            node = way["src"]
            if node is None or node == home or node in visited:
                break
            visited.add(node)
        return union(out), arrival

    def attribute(self, mode: str, rule: str) -> list[Row]:
        """All rows of one reading; the sets S1, C, X, L, R are in the key `sets`."""
        done: list[Row] = []
        for i in sorted(self.idle(), key=lambda i: i["b"]):
            done.append(self.one(i, mode, rule, done))
        return done

    def one(self, i: Row, mode: str, rule: str, done: list[Row]) -> Row:
        a, b, m = i["a"], i["b"], i["m"]
        row = {
            "worker": i["worker"],
            "t_start": a,
            "t_end": b,
            "kind": i["kind"],
            "task": None,
            "last_data": None,
            "blamed_task": None,
            "blamed_worker": None,
            "flags": [],
        }
        if m is None:
            return self.parts(row, [(a, b)], [], [], [], 0, 0) | {
                "not_recorded": 0,
                "lost": [],
                "is_recorded": True,
            }
        row["task"] = m["fragment_id"]
        inputs = [
            d
            for d in self.inputs.get(m["fragment_id"], ())
            if self.data.get(d, {}).get("producer_fragment") != m["fragment_id"]
        ]
        flags: set[str] = set()
        if any(
            d not in self.data
            or (self.made_at(d) is None and self.data[d].get("producer_fragment") is not None)
            for d in inputs
        ):
            flags.add("unknown_input")
        known = [d for d in inputs if self.made_at(d) is not None]
        n = min(known, key=lambda d: (-self.made_at(d), d.encode()), default=None)
        s1, maker = a, None
        if n is not None:
            row["last_data"] = n
            s1 = max(a, min(b, self.made_at(n)))
            if self.made_at(n) > b:
                flags.add("causality")
            name = self.data[n].get("producer_fragment")
            maker = self.tasks[name]["worker_id"] if name in self.tasks else None
            if s1 > a:
                row["blamed_task"], row["blamed_worker"] = name, maker
        starved: Set = [(a, s1)] if s1 > a else []
        x = self.node[i["worker"]]
        ways = [self.hops(d, x, b, flags) for d in inputs]
        if rule == "union":
            latency = within(union(*(s for s, _ in ways)), union([(s1, b)]))
        else:
            latency = union([(s1, min(b, max((t for _, t in ways if t is not None), default=s1)))])
        rest = minus([(a, b)], union(starved, latency))
        before = [j for j in done if j["worker"] == maker and j["t_end"] < b]
        c = within(starved, self.exact.get(maker, [])) if maker else []
        inherited: Set = []
        if mode != "direct":
            c = union(c, *(within(starved, j["sets"][k]) for j in before for k in "CR"))
        if mode == "transitive":
            inherited = minus(
                union(*(within(starved, j["sets"][k]) for j in before for k in "LX")), c
            )
        uniform = self.uniform(maker, starved, c, inherited)
        submit = m.get("t_submit")
        unsubmitted = 0 if submit is None else size(within(rest, union([(min(a, submit), submit)])))
        row["flags"] = [
            f
            for f in (
                "causality",
                "late_arrival",
                "missing_transfer",
                "neg_transfer",
                "unknown_input",
            )
            if f in flags
        ]
        is_recorded = (inputs or i["worker"] in self.worked) and not flags & UNFOLLOWED
        lost: Set = []
        if mode != "direct" and maker:
            lost = union(*(within(starved, j["lost"]) for j in before))
            lost = minus(lost, self.exact.get(maker, []))
        found = self.parts(row, starved, c, inherited, latency, uniform, unsubmitted)
        found["lost"] = lost if is_recorded else union(lost, rest)
        own = 0 if is_recorded else size(rest) - unsubmitted
        return found | {
            "not_recorded": own + size(lost),
            "is_recorded": bool(is_recorded),
        }

    def uniform(self, maker: str | None, starved: Set, c: Set, inherited: Set) -> int:
        exact = self.exact.get(maker, []) if maker else []
        total = 0
        for p, q, t in self.totals.get(maker, []) if maker else []:
            y = size(minus([(p, q)], exact))
            left = minus(minus(minus(within(starved, [(p, q)]), c), inherited), exact)
            total += min(t, y) * size(left) // y if y else 0
        return min(total, size(minus(minus(starved, c), inherited)))

    def parts(self, row: Row, s1: Set, c: Set, x: Set, lat: Set, uniform: int, unsub: int) -> Row:
        rest = minus([(row["t_start"], row["t_end"])], union(s1, lat))
        left = size(minus(minus(s1, c), x))
        values: dict[str, Any] = {
            "starvation1": size(s1),
            "ov_concrete": size(c),
            "ov_uniform": uniform,
            "ov_rest": size(rest),
            "ov_unsubmitted": unsub,
            "lat_inherited": size(x),
            "starvation": left - uniform,
            "latency": size(lat) + size(x),
            "overhead": size(c) + uniform + size(rest),
            "sets": {"S": minus(minus(s1, c), x), "C": c, "X": x, "L": lat, "R": rest},
        }
        flags = row.pop("flags")
        return {**row, **values, "flags": flags}
