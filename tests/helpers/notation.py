"""Schedules in one line: for tests in which many small traces have a known truth.

Parts are separated by semicolons, times are in ms:

    A:n0                 the worker A is on the node n0; A:n0 0-100 with its window
    A a 0-10             the task a, of the type of its name's letters, ran on A from 0 to 10
    A b 20-30 <a,x @5    it read what a made, and the datum x; it was submitted at 5
    A ~10-20             the runtime worked on A; A ~10-20/3: 3 ms somewhere within
    x=7                  the datum x, which no task made, existed from 7 on; x=?: unknown when
    a>n1 10-15           what a made went to the node n1 from 10 to 15; a>n1 ?-15: left unknown
"""

from __future__ import annotations

import re

from tests.helpers.schedules import Schedule

_MS = 1_000_000
_PARTS = {
    "workers": re.compile(r"(?P<worker>\w+):(?P<node>\w+)( (?P<start>[\d.]+)-(?P<end>[\d.]+))?"),
    "runtime": re.compile(
        r"(?P<worker>\w+) ~(?P<start>[\d.]+)-(?P<end>[\d.]+)(/(?P<total>[\d.]+))?"
    ),
    "data": re.compile(r"(?P<data>\w+)=(?P<ready>[\d.]+|\?)"),
    "transfers": re.compile(r"(?P<data>\w+)>(?P<node>\w+) (?P<start>[\d.]+|\?)-(?P<end>[\d.]+)"),
    "fragments": re.compile(
        r"(?P<worker>\w+) (?P<task>\w+) (?P<start>[\d.]+)-(?P<end>[\d.]+)"
        r"( <(?P<inputs>[\w,]+))?( @(?P<submit>[\d.]+))?"
    ),
}


def schedule(text: str) -> Schedule:
    """Return the schedule that a line describes."""
    found: Schedule = {name: [] for name in (*_PARTS, "inputs")}
    for part in filter(None, map(str.strip, text.split(";"))):
        for name, pattern in _PARTS.items():
            if match := pattern.fullmatch(part):
                _add(found, name, {k: v for k, v in match.groupdict().items() if v is not None})
                break
        else:
            raise ValueError(part)
    made = {row["fragment_id"] for row in found["fragments"]}
    read = {row["data_id"] for row in found["inputs"]}
    found["data"] += [{"data_id": d, "producer_fragment": d} for d in sorted(made & read)]
    return found


def _add(found: Schedule, name: str, part: dict[str, str]) -> None:
    times = {
        f"t_{which}": round(float(part[which]) * _MS)
        for which in ("start", "end", "ready", "submit")
        if part.get(which, "?") != "?"
    }
    match name:
        case "workers":
            window = {
                f"t_{a}": times.get(f"t_{b}") for a, b in (("begin", "start"), ("end", "end"))
            }
            found[name].append({"worker_id": part["worker"], "node_id": part["node"], **window})
        case "runtime":
            total = round(float(part["total"]) * _MS) if "total" in part else None
            found[name].append({"worker_id": part["worker"], "total_ns": total, **times})
        case "data":
            found[name].append({"data_id": part["data"], **times})
        case "transfers":
            row = {"data_id": part["data"], "dst_node": part["node"], "t_recv": times["t_end"]}
            found[name].append({**row, "t_send": times.get("t_start")})
        case _:
            task = {"fragment_id": part["task"], "worker_id": part["worker"], **times}
            found[name].append({**task, "ftype": part["task"].rstrip("0123456789")})
            found["inputs"] += [
                {"fragment_id": part["task"], "data_id": data}
                for data in part.get("inputs", "").split(",")
                if data
            ]
