"""What the Dask plugin makes of the notes that processes sent it."""

from __future__ import annotations

import subprocess
import sys
from itertools import chain
from typing import ClassVar

import duckdb
import msgpack
import pytest

pytest.importorskip("distributed")


from ingest.dask_plugin.record import Graphs, Process, Record
from ingest.dask_plugin.tables import Rows, write
from tests.ingest.dask_plugin.clusters import notes


def process(rows=(), reported=(), *, farewell=False):
    """A process that sent one batch: its guess was 2 s from 100 s on, 3 s from 200 s on."""
    batch = [*chain(*rows)], [], [], [0.0, 2.0, 200.0, 3.0]
    return Process(
        address="tcp://a:1",
        threads=1,
        loop_thread=7,
        joined=100.0,
        offset=(0.0, 0.0),
        said_farewell=farewell,
        batches=[msgpack.packb(batch)],
        reported=[*chain(*reported)],
    )


def run_row(key, start, stop, turned, stored, began, thread=1):
    return key, thread, start, stop, turned, stored, began, 8, True, False, True


def times_of(process):
    table = Rows([process]).tables["run"].select(["key", "pooled", "t_start", "t_end"])
    return [
        (row["key"], row["pooled"], row["t_start"] / 1e9, row["t_end"] / 1e9)
        for row in table.to_pylist()
    ]


def test_the_guess_is_that_of_the_moment_at_which_the_task_was_handed_over():
    given = [
        run_row("before", 153.0, 154.0, 150.0, 153.0, 150.5),
        run_row("across", 201.5, 204.0, 199.0, 202.5, 199.25),
        run_row("after", 254.0, 255.0, 250.0, 253.0, 250.5),
        run_row("in the loop", 264.0, 265.0, 260.0, 263.0, 260.5, thread=7),
    ]
    assert times_of(process(given)) == [
        ("before", True, 151.0, 152.0),
        ("across", True, 199.5, 202.0),
        ("after", True, 251.0, 252.0),
        ("in the loop", False, 261.0, 262.0),
    ]


def test_a_run_without_times_of_its_own_is_bounded_by_what_the_worker_did():
    given = [
        run_row("rescheduled", None, None, 150.0, 153.0, 150.5),
        run_row("shows an earlier run", 122.0, 123.0, 150.0, 153.0, 150.5),
        run_row("never began", None, None, 150.0, 153.0, None),
        run_row("began before the record", 103.0, 154.0, None, 153.0, 101.0),
    ]
    assert [times for _, _, *times in times_of(process(given))] == [
        [150.5, 153.0],
        [150.5, 153.0],
        [150.0, 153.0],
        [101.0, 152.0],
    ]


def test_what_a_worker_did_not_live_to_report_is_filled_in_once():
    def heard(key, start, stop, stamp):
        return key, 1, start, stop, f"task-finished-{stamp}", 8, True

    reported = run_row("a", 253.0, 254.0, 250.0, 251.0, 250.0)
    scheduler = [
        heard("a", 253.0, 254.0, 251.0),
        heard(("b", 1), 254.0, 255.0, 252.25),
        heard("c", 255.0, 255.5, 252.5),
    ]
    dead = process([reported], scheduler)
    assert times_of(dead) == [
        ("a", True, 250.0, 251.0),
        ("c", True, 252.0, 252.5),
        # Reported after c had begun on the same thread.
        ("('b', 1)", True, 251.0, 252.0),
    ]
    assert Rows([dead]).filled_in == 2
    assert Rows([process([reported], scheduler, farewell=True)]).filled_in == 0


class NoTasks:
    """A scheduler that knows nothing yet."""

    tasks: ClassVar[dict] = {}


def test_versions_and_clocks(tmp_path):
    """`k` ran on a, then on b, whose clock is 50 s ahead; c got b's version, a kept its own."""
    graphs = Graphs(NoTasks())
    for key, t, needs in (("k", 100.0, []), ("on-a", 120.0, ["k"]), ("on-c", 120.0, ["k"])):
        graphs.keys.append(key)
        graphs.names.append(key)
        graphs.times.append(t)
        graphs.counts.append(len(needs))
        graphs.needs += needs

    def node(name, ahead, runs, arrivals=()):
        batch = [*chain(*runs)], [*chain(*arrivals)], [], [0.0, 0.0]
        return Process(
            address=name,
            threads=1,
            loop_thread=7,
            joined=90.0 + ahead,
            heard=200.0 + ahead,
            offset=(0.001, ahead),
            said_farewell=True,
            batches=[msgpack.packb(batch)],
        )

    def ran(key, start, ahead):
        return run_row(key, start + ahead, start + 1 + ahead, start + ahead, start + 1 + ahead, 1.0)

    processes = [
        node("a", 0.0, [ran("k", 101.0, 0.0), ran("on-a", 130.0, 0.0)]),
        node("b", 50.0, [ran("k", 110.0, 50.0)]),
        node("c", -20.0, [ran("on-c", 130.0, -20.0)], [("b", "k", 105.0, 106.0, 8)]),
    ]
    write(Record(processes=processes, graphs=graphs, silent=["d"], running=2), tmp_path)

    def table(name, columns, order):
        query = f"SELECT {columns} FROM '{tmp_path / name}.parquet' ORDER BY {order}"
        return duckdb.sql(query).fetchall()

    second = 10**9
    assert table("nodes", "*", "node_id") == [
        ("a", 0),
        ("b", 50 * second),
        ("c", -20 * second),
    ]
    assert table("inputs", "*", "fragment_id") == [("on-a", "k"), ("on-c", "k#2")]
    assert table("transfers", "COLUMNS(* EXCLUDE nbytes)", "ALL") == [
        # requested at 125 s and there at 126 s: on the sender's clock, and on the receiver's
        ("k#2", "b", "c", 75 * second, 6 * second)
    ]
    assert table("fragments", "fragment_id, worker_id, t_submit, t_start", "fragment_id") == [
        ("k", "a/t0", 0, 1 * second),
        ("k#2", "b/t0", 50 * second, 60 * second),
        ("on-a", "a/t0", 20 * second, 30 * second),
        ("on-c", "c/t0", 0, 10 * second),
    ]
    assert table("workers", "worker_id, t_begin, t_end", "worker_id") == [
        ("a/t0", 0, 31 * second),
        ("b/t0", 50 * second, 81 * second),
        ("c/t0", -20 * second, 11 * second),
    ]
    written = notes(tmp_path)
    assert "b: its clock is ahead by 50000000 us, give or take 1000 us." in written
    assert "d was there, but recorded nothing." in written
    assert "2 tasks were still under way and are missing." in written


def test_without_distributed_the_message_names_what_to_install():
    code = "import sys; sys.modules['distributed'] = None; import ingest.dask_plugin"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ImportError: Recording a Dask run needs the package distributed" in done.stderr
    assert "pip install 'pwh[dask]'" in done.stderr
