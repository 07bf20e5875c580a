"""Attribution of the idle time of the runs in _idle_run: SQL and arrays in turn.

SQL joins by name and returns numbers; arrays do what goes by number and time (udfs.idle_inputs,
udfs.idle); SQL stores the rows. What is large is let go as soon as the next step has it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ingest.memory import modest, registered
from warehouse import sqlfiles

if TYPE_CHECKING:
    import pyarrow as pa

    from udfs.arrays import Integers
    from udfs.idle import Intervals
    from udfs.idle_inputs import Hops, Inputs, Last, Maybe
    from warehouse.session import Connection

# DuckDB's row group: of batches of another size it stores most rows twice.
_BATCH = 122_880
_SMALL = 500_000
_CUTS = ("w", "a", "s1", "b", "la", "u", "v", "is_recorded")
_OPEN = frozenset({"d", "c", "from_x", "t_send", "t_recv"})
# Runs of more idle intervals have no pieces stored.
_MOST_FOR_PIECES = 10_000


def store_intervals(con: Connection) -> None:
    """Find the idle intervals, measure their parts on the time axis, store both."""
    con.execute(sqlfiles.read("derived/idle_1_workers"))
    ((rows,),) = con.execute(sqlfiles.read("derived/idle_size")).fetchall()
    # To set a limit returns all memory that is free, of which small traces use the same again.
    limit = modest if rows > _SMALL else _unlimited
    with limit(con, "4GB"):
        cuts, labels, flights = _waits(con)
    with limit(con, "2GB"):
        work = _columns(con, "idle_work", ("total_ns",))
    with limit(con, "1GB"):
        parts, islands, pieces = _parts(con, cuts, flights, work)
        tables = {"_idle_measured": labels | cuts | parts, "_idle_island": islands}
        with _registered(con, **tables, _idle_piece=pieces):
            con.execute(sqlfiles.read("derived/idle_8_rows"))
            con.execute(sqlfiles.read("derived/idle_segments"), {"most": _MOST_FOR_PIECES})
    con.execute(sqlfiles.read("derived/idle_9_clear"))


@contextmanager
def _unlimited(*_: object) -> Iterator[None]:
    yield


def _parts(
    con: Connection,
    cuts: dict[str, Any],
    flights: Intervals,
    work: dict[str, Any],
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Measure the parts of idle intervals; return them, the latency and the pieces of small runs.

    With the workers' names.
    """
    import numpy as np

    from udfs.idle import Attribution, Gaps

    total = work.pop("total_ns")
    w, p, q = work.values()
    exact, totals = ((w[of], p[of], q[of]) for of in (~total.known, total.known))
    names, ns = _table(con, "idle_names"), total.values[total.known]
    idle = Attribution(len(names) + 1, Gaps(**cuts), exact, flights, totals, ns)
    del exact, w, p, q
    work.clear()
    parts, islands = idle.parts(), idle.flights()
    run = np.concatenate([[0], names["r"].to_numpy()])[cuts["w"]]
    few = np.flatnonzero(np.bincount(run)[run] <= _MOST_FOR_PIECES)
    pieces = [
        {"mode": [mode] * len(found.p), "latency_rule": [rule] * len(found.p)}
        | {
            "w": cuts["w"][few[found.gap]],
            "t_start": found.p,
            "t_end": found.q,
            "class": found.name,
        }
        for mode, rule, found in idle.pieces(few)
    ]
    joined = {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
    blamed = {"blamed_worker": _named(names, cuts["v"])["worker"]}
    return (
        _named(names, cuts["w"]) | blamed | parts,
        _named(names, islands["w"]) | islands,
        _named(names, joined["w"]) | joined,
    )


def _waits(con: Connection) -> tuple[dict[str, Any], dict[str, Any], Intervals]:
    """Return the idle intervals in order, as cuts and labels, and the latency after starvation."""
    import numpy as np

    gap, datum = _gaps_and_data(con)
    with _registered(con, _idle_datum=datum):
        last, hops = _inputs(con, gap)
        with _registered(con, _idle_gap=gap | last):
            del gap, last, datum
            found = _table(con, "idle_6_cuts")
    cuts = {name: found[name].to_numpy() for name in _CUTS}
    place = found["i"].to_numpy()
    by_number = {name: np.empty_like(cuts[name]) for name in ("w", "s1", "b")}
    for name, column in by_number.items():
        column[place] = cuts[name]
    labels = {name: found[name] for name in found.column_names if name not in (*_CUTS, "i")}
    return cuts, labels, hops.within(*by_number.values())


def _gaps_and_data(con: Connection) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the idle intervals that end with a task, and the data, both numbered from 0."""
    with _registered(con, _idle_task=_by_name(_table(con, "idle_2_tasks"))):
        con.execute(sqlfiles.read("derived/idle_3_windows"))
        datum = _by_name(_table(con, "idle_4_data"), "d")
        return _by_name(_table(con, "idle_5_gaps"), "i"), datum


def _inputs(con: Connection, gap: dict[str, Any]) -> tuple[dict[str, Any], Hops]:
    """Return what is known of the inputs of each idle interval, and the hops that brought them."""
    import numpy as np

    from udfs.idle_inputs import Inputs

    with _registered(con, _idle_gap=gap):
        columns = _columns(con, "idle_inputs", _OPEN)
        every = columns["i"]
        of_any = {
            "has_inputs": every,
            "is_unlisted": every[columns.pop("unlisted")],
            "is_drawn": every[columns.pop("drawn")],
        }
        marks = {name: np.zeros(len(gap["i"]), bool) for name in of_any}
        for name, places in of_any.items():
            marks[name][places] = True
        del every, of_any
        inputs = Inputs(**columns).by_first_hop()
        del columns
        hops, detours = inputs.hops(), _detours(con, inputs[inputs.onward])
    last = inputs.last(len(gap["i"]), hops, detours)
    del inputs
    _break_ties(con, last)
    known = {
        "d": last.d,
        "c": _nullable(last.c),
        "t_arrival": _nullable(last.t_arrival),
        "is_missing": last.is_missing,
        "is_negative": last.is_negative,
        **marks,
    }
    return known, hops.with_others(detours)


def _detours(con: Connection, onward: Inputs) -> Hops:
    """Return the hops on the way of inputs that did not come from where they were made."""
    from udfs.idle_inputs import Hops

    if not len(onward.n):
        return Hops.none()
    ends = {"c": _nullable(onward.c), "from_x": _nullable(onward.from_x)}
    with _registered(con, _idle_onward={"n": onward.n, "i": onward.i, **ends}):
        return Hops.of(**_columns(con, "idle_detours", _OPEN - {"t_recv"}))


def _break_ties(con: Connection, last: Last) -> None:
    """Choose by name among data that were made last at the same time."""
    i, d = last.ties
    if len(i):
        with _registered(con, _idle_tie={"i": i, "d": d}):
            chosen = _columns(con, "idle_ties")
        last.d[chosen["i"]] = chosen["d"]


def _named(names: pa.Table, workers: Integers) -> dict[str, Any]:
    """Return run, source and name of numbered workers (1 ..), NULL for others; without copies."""
    import pyarrow as pa

    known = pa.array(workers - 1, pa.int32(), mask=workers < 1)
    return {
        name: pa.DictionaryArray.from_arrays(known, names[name].combine_chunks())
        for name in names.column_names
    }


def _nullable(numbers: Maybe) -> pa.Array:
    import pyarrow as pa

    return pa.array(numbers.values, mask=~numbers.known)


def _table(con: Connection, name: str) -> pa.Table:
    """Run sql/derived/<name>.sql; return its rows."""
    # A relation is turned into Arrow by all threads; the result of `execute` by one.
    return con.sql(sqlfiles.read(f"derived/{name}")).to_arrow_table(_BATCH)


def _by_name(table: pa.Table, number: str | None = None) -> dict[str, Any]:
    """Return the columns of a table by name, with one that numbers the rows from 0."""
    import numpy as np

    columns = {name: table[name] for name in table.column_names}
    return {number: np.arange(len(table)), **columns} if number else columns


def _columns(con: Connection, name: str, may_be_unknown: Collection[str] = ()) -> dict[str, Any]:
    """Run sql/derived/<name>.sql; return its columns as arrays, or as `Maybe` where NULL may be."""
    from udfs.idle_inputs import Maybe

    table = _table(con, name)
    columns: dict[str, Any] = {}
    for column in table.column_names:
        numbers = table[column]
        # One after the other, because there may be a gigabyte of them.
        table = table.drop_columns([column])
        if column in may_be_unknown:
            columns[column] = Maybe(numbers.fill_null(0).to_numpy(), numbers.is_valid().to_numpy())
        else:
            columns[column] = numbers.to_numpy()
    return columns


@contextmanager
def _registered(con: Connection, **tables: Mapping[str, Any]) -> Iterator[None]:
    """Let SQL see some tables, given by their columns."""
    with registered(con, **{name: _in_batches(columns) for name, columns in tables.items()}):
        yield


def _in_batches(columns: Mapping[str, Any]) -> pa.Table:
    """Return a table in batches, because each is read by one thread."""
    import pyarrow as pa

    whole = pa.table(dict(columns))
    return pa.Table.from_batches(whole.to_batches(max_chunksize=_BATCH), whole.schema)
