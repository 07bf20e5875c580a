"""Idle time within windows: the pieces of idle intervals, and the parts of those that are cut."""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs.arrays import Flags, Integers
from udfs.arrow import Column, contiguous, numbers, returned
from udfs.idle import Attribution, Gaps, Intervals

_PIECES = returned("idle_pieces")
_CUTS = returned("idle_cuts")


def idle_pieces(names: Column, gaps: Column, exact: Column, flights: Column) -> pa.ListArray:
    """Return the pieces on the time axis that idle intervals consist of, in every reading.

    Args:
        names: r lists of VARCHAR, the workers of a run, by their numbers from 1.
        gaps: r lists of structs, the idle intervals of a run by worker and time, as `Gaps`;
            is_wanted, 1 for those whose pieces are, else 0.
        exact, flights: r lists of structs w, p, q by w and p: exact runtime work, and stretches
            after s1 in which data were in transit, ns.

    Returns:
        r lists of structs: mode and latency_rule; worker; t_start, t_end, ns; class (S, C, X, L or
        R).
    """
    out = []
    workers = contiguous(names).to_pylist()
    for own, (found, wanted) in zip(
        workers, map(_attribution, *_runs(gaps, exact, flights)), strict=True
    ):
        w, rows = found.gaps.w[wanted], []
        for mode, rule, pieces in found.pieces(np.flatnonzero(wanted)):
            columns = {"t_start": pieces.p, "t_end": pieces.q, "class": pieces.name}
            rows += _rows(mode, rule, [own[number - 1] for number in w[pieces.gap]], columns)
        out.append(rows)
    return pa.array(out, _PIECES)


def idle_cuts(
    names: Column,
    gaps: Column,
    exact: Column,
    flights: Column,
    totals: Column,
    t0: Column,
    t1: Column,
) -> pa.ListArray:
    """Return the parts of idle intervals within a window, in every reading.

    The share of runtime totals has no place on the time axis: up to a moment it is computed as if
    the idle interval ended there, so that adjacent windows add up.

    Args:
        names, gaps, exact, flights: as `idle_pieces` has them; wanted are those that are cut.
        totals: r lists of structs w, p, q and total: runtime work that is known as a total, ns.
        t0, t1: r BIGINT, the window, ns.

    Returns:
        r lists of structs: mode, latency_rule, worker, a (when the idle interval began), and the
        parts of it, ns, as in idle_attribution: own_latency, without what is inherited, and
        unrecorded, of ov_concrete what is inherited from idle intervals whose causes are not
        recorded.
    """
    out = []
    lists = _runs(gaps, exact, flights, totals)
    of_runs = zip(*(contiguous(column).to_pylist() for column in (names, t0, t1)), strict=True)
    for (found, wanted), (own, *window) in zip(map(_attribution, *lists), of_runs, strict=True):
        places, rows = np.flatnonzero(wanted), []
        workers = [own[number - 1] for number in found.gaps.w[places]]
        low, high = (_until(found, places, moment) for moment in window)
        for reading, until in high.items():
            parts = {name: until[name] - low[reading][name] for name in until}
            starved = parts["starvation1"] - parts["ov_concrete"] - parts["lat_inherited"]
            parts["ov_uniform"] = np.clip(parts["ov_uniform"], 0, starved)
            rows += _rows(*reading, workers, {"a": found.gaps.a[places]} | parts)
        out.append(rows)
    return pa.array(out, _CUTS)


def _rows(
    mode: str, rule: str, workers: list[str], columns: dict[str, NDArray[Any]]
) -> list[dict[str, Any]]:
    """Return the rows of one reading."""
    names = ("mode", "latency_rule", "worker", *columns)
    lists = (repeat(mode), repeat(rule), workers, *(column.tolist() for column in columns.values()))
    return [dict(zip(names, values, strict=True)) for values in zip(*lists, strict=False)]


def _until(
    idle: Attribution, places: Integers, moment: int
) -> dict[tuple[str, str], dict[str, Integers]]:
    """Return by reading the parts of some idle intervals up to a moment."""
    cut = idle.gaps.until(places, moment)
    parts, none = idle.parts(cut, places), np.zeros(len(places), np.int64)
    own = {
        "union": (parts["latency"], parts["unsubmitted"]),
        "last_arrival": (cut.la - cut.s1, np.maximum(cut.u - cut.la, 0)),
    }
    return {
        (mode, rule): {
            "starvation1": cut.s1 - cut.a,
            "ov_concrete": parts["direct" if mode == "direct" else f"c_{rule[0]}"],
            "ov_uniform": parts["ov_uniform" if mode == "direct" else f"{mode}_{rule[0]}"],
            "ov_rest": cut.b - cut.s1 - latency,
            "ov_unsubmitted": unsubmitted,
            "lat_inherited": parts[f"x_{rule[0]}"] if mode == "transitive" else none,
            "own_latency": latency,
            "unrecorded": none if mode == "direct" else parts[f"n_{rule[0]}"],
        }
        for rule, (latency, unsubmitted) in own.items()
        for mode in ("direct", "propagated", "transitive")
    }


def _runs(*columns: Column) -> list[list[Any]]:
    """Return the lists of runs as arrays of structs, by column."""
    return [[one.values for one in contiguous(column)] for column in columns]


def _attribution(
    gaps: pa.StructArray,
    exact: pa.StructArray,
    flights: pa.StructArray,
    totals: pa.StructArray | None = None,
) -> tuple[Attribution, Flags]:
    """Return the idle intervals on the time axis, and which are wanted."""
    columns = {name: numbers(gaps.field(name)) for name in (*Gaps.__slots__, "is_wanted")}
    wanted = columns.pop("is_wanted") > 0
    columns["is_recorded"] = columns["is_recorded"] > 0

    def stretches(rows: pa.StructArray | None) -> Intervals:
        fields = [np.empty(0, np.int64) if rows is None else numbers(rows.field(n)) for n in "wpq"]
        return fields[0], fields[1], fields[2]

    work = np.empty(0, np.int64) if totals is None else numbers(totals.field("total"))
    workers = int(max(columns["w"].max(initial=0), columns["v"].max(initial=0))) + 1
    sets = stretches(exact), stretches(flights), stretches(totals)
    return Attribution(workers, Gaps(**columns), *sets, work), wanted
