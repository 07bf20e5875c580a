"""The Dask plugin on live clusters: what it records, and what it says of what it could not."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import ClassVar

import duckdb
import msgpack
import pytest

pytest.importorskip("distributed")

from distributed import Client, LocalCluster, get_worker, secede, wait

from ingest.dask_plugin import TraceRecorder, worker
from ingest.dask_plugin.columns import Rows
from ingest.dask_plugin.record import Graphs, Process, Record
from ingest.dask_plugin.tables import write
from tests.support import land, rows

NO_OVERLAP = """
    SELECT count(*) FROM (
      SELECT t_start < lag(t_end) OVER (PARTITION BY worker ORDER BY t_start, t_end) AS early
      FROM tasks
    ) WHERE early
"""
OUTSIDE = """
    SELECT count(*) FROM tasks JOIN workers USING (run_id, worker)
    WHERE tasks.t_start < t_begin OR tasks.t_end > workers.t_end
"""
# Inputs whose datum neither was made on the reader's node nor came there before it began.
NOT_THERE = """
    SELECT count(*)
    FROM task_inputs AS i
    JOIN tasks AS t USING (run_id, task)
    JOIN workers AS w USING (run_id, worker)
    JOIN task_data AS d USING (run_id, data)
    LEFT JOIN tasks AS made ON d.producer = made.task
    LEFT JOIN workers AS host ON made.worker = host.worker
    WHERE coalesce(d.node, host.node) <> w.node AND NOT EXISTS (
      FROM transfers AS x WHERE x.data = i.data AND x.to_node = w.node AND x.t_recv <= t.t_start
    )
"""


@contextmanager
def cluster(**options):
    options = {"n_workers": 2, "threads_per_worker": 2, "processes": False, **options}
    with (
        LocalCluster(dashboard_address=":0", silence_logs=50, **options) as local,
        Client(local) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def processes():
    """Two worker processes with nannies and two threads each."""
    with cluster(processes=True) as client:
        yield client


def stamped(*inputs, seconds=0.01):
    """Work, and tell when by the worker's clock, in ns."""
    began = time.time_ns()
    time.sleep(seconds)
    return began, time.time_ns()


def addresses(client):
    return list(client.scheduler_info(n_workers=-1)["workers"])


def origin_ns(folder):
    began = re.search(r"--started-at (\S+?)\)", notes(folder))[1]
    return int(datetime.fromisoformat(began).timestamp() * 1e6) * 1000


def notes(folder):
    return (folder / "recording.txt").read_text()


def sound(con):
    """Check what holds in every recording."""
    assert rows(con, NO_OVERLAP) == [(0,)]
    assert rows(con, OUTSIDE) == [(0,)]
    assert rows(con, NOT_THERE) == [(0,)]
    assert rows(con, "FROM transfers WHERE t_send > t_recv OR from_node = to_node") == []
    assert rows(con, "FROM tasks WHERE t_submit > t_start") == []
    assert rows(con, "FROM worker_summary WHERE busy_seconds < 0 OR idle_seconds < 0") == []


def test_a_graph_is_recorded_whole(processes, warehouse, tmp_path):
    processes.register_plugin(TraceRecorder(tmp_path / "trace"))
    first, second = addresses(processes)
    leaves = [
        processes.submit(stamped, key=f"leaf-{i}", workers=[first if i % 2 else second])
        for i in range(12)
    ]
    tops = [
        processes.submit(stamped, *leaves[i : i + 4], key=f"top-{i}", workers=[first])
        for i in range(9)
    ]
    told = {future.key: future.result() for future in leaves + tops}
    folder = Path(TraceRecorder.save(processes))
    landed = land(warehouse, folder)

    assert landed[0].rows["tasks"] == 21
    sound(warehouse)
    origin = origin_ns(folder)
    for key, start, end in rows(warehouse, "SELECT task, t_start, t_end FROM tasks"):
        began, ended = told.pop(key)
        assert origin + start - 2000 < began < ended < origin + end + 2000
    assert not told
    assert set(rows(warehouse, "SELECT task, data FROM task_inputs")) == {
        (f"top-{i}", f"leaf-{i + j}") for i in range(9) for j in range(4)
    }
    # What ran on the second worker came over, each datum once.
    assert rows(warehouse, "SELECT data, from_node, to_node FROM transfers ORDER BY data") == [
        (f"leaf-{i}", second, first) for i in sorted(range(0, 12, 2), key=str)
    ]
    assert rows(warehouse, "SELECT DISTINCT name FROM tasks ORDER BY name") == [("leaf",), ("top",)]
    assert rows(warehouse, "SELECT DISTINCT bytes > 0 FROM task_data") == [(True,)]
    assert rows(warehouse, "SELECT worker FROM workers ORDER BY worker") == [
        (f"{address}/t{slot}",) for address in sorted([first, second]) for slot in (0, 1)
    ]
    assert rows(warehouse, "SELECT clock_offset_ns FROM nodes") == [(0,), (0,)]
    # pre ends where its task starts, and post starts where it ends.
    around = "SELECT count(*) FROM runtime_intervals AS o JOIN tasks AS t USING (worker) WHERE "
    assert rows(warehouse, around + "o.t_end = t.t_start") == [(21,)]
    assert rows(warehouse, around + "o.t_start = t.t_end") == [(21,)]


def test_the_others_wait_for_a_chain_on_one_worker(processes, warehouse, tmp_path):
    processes.register_plugin(TraceRecorder(tmp_path / "trace"))
    first, second = addresses(processes)
    link, sides = None, []
    for i in range(8):
        link = processes.submit(stamped, link, seconds=0.03, key=f"link-{i}", workers=[first])
        sides.append(processes.submit(stamped, link, key=f"side-{i}", workers=[second]))
    wait([link, *sides])
    land(warehouse, Path(TraceRecorder.save(processes)))
    sound(warehouse)
    waited = """
        SELECT
          made.name, count(*),
          sum(least(made.t_end, i.t_end) - i.t_start) / sum(i.t_end - i.t_start)
        FROM worker_idle AS i
        JOIN task_inputs USING (run_id, task)
        JOIN task_data USING (run_id, data)
        JOIN tasks AS made ON task_data.producer = made.task
        WHERE i.worker LIKE ? AND made.t_end > i.t_start
        GROUP BY ALL
    """
    [(name, count, share)] = rows(warehouse, waited, f"{second}/%")
    assert name == "link"
    assert count >= 7
    assert share > 0.5
    [(chain, others)] = rows(
        warehouse,
        "SELECT sum(busy_seconds) FILTER (node = ?), sum(busy_seconds) FILTER (node <> ?) "
        "FROM worker_summary",
        first,
        first,
    )
    assert chain > 2 * others


def test_bursts_have_their_times_of_submission(processes, warehouse, tmp_path):
    processes.register_plugin(TraceRecorder(tmp_path / "trace"))
    asked = []
    for burst in range(3):
        asked.append(time.time_ns())
        processes.gather(
            [processes.submit(stamped, key=f"burst{burst}-{i}", pure=False) for i in range(4)]
        )
        time.sleep(0.1)
    folder = Path(TraceRecorder.save(processes))
    land(warehouse, folder)
    sound(warehouse)
    submitted = rows(warehouse, "SELECT name, min(t_submit) FROM tasks GROUP BY name ORDER BY name")
    assert [name for name, _ in submitted] == ["burst0", "burst1", "burst2"]
    for (_, t), ns in zip(submitted, asked, strict=True):
        assert -1e6 < origin_ns(folder) + t - ns < 90e6
    gaps = "FROM worker_idle AS i JOIN tasks USING (task) WHERE t_submit > i.t_start"
    assert len(rows(warehouse, gaps)) >= 4


def jump(dask_worker):
    """Make Dask's guess at the clock offset jump with each heartbeat."""
    timer = dask_worker.periodic_callbacks["heartbeat"]
    original, guesses = timer.callback, iter([1.5, -0.7, 0.3] * 100)

    async def heartbeat():
        await original()
        dask_worker.scheduler_delay = next(guesses)
        timer.callback_time = 60

    timer.callback, timer.callback_time = heartbeat, 60


def test_the_guess_that_dask_adds_to_times_is_taken_out(warehouse, tmp_path):
    with cluster() as client:
        client.run(jump)
        client.register_plugin(TraceRecorder(tmp_path / "trace"))
        time.sleep(0.6)
        first, second = addresses(client)
        told, last = {}, []
        for i in range(30):
            place = [first if i % 2 else second]
            last = [client.submit(stamped, *last, key=f"{j}-step-{i}", workers=place) for j in "ab"]
            told |= {future.key: future for future in last}
        told = {key: future.result() for key, future in told.items()}
        folder = Path(TraceRecorder.save(client))
    land(warehouse, folder)
    sound(warehouse)
    origin = origin_ns(folder)
    found = rows(warehouse, "SELECT task, t_start, t_end FROM tasks")
    assert len(found) == 60
    for key, start, end in found:
        began, ended = told[key]
        assert origin + start - 2000 < began < ended < origin + end + 2000
    # A transfer lies between the end of what it carries and the begin of who reads it.
    carried = """
        SELECT count(*), bool_and(t_send >= made.t_end AND t_recv <= reader.t_start)
        FROM transfers
        JOIN tasks AS made ON data = made.task
        JOIN task_inputs AS i USING (data)
        JOIN tasks AS reader ON i.task = reader.task
    """
    assert rows(warehouse, carried) == [(116, True)]


def fail_first(folder):
    """Fail the first time."""
    mark = Path(folder) / "failed"
    if not mark.exists():
        mark.touch()
        raise ValueError("first time")
    return 1


def test_a_repeated_key_is_several_tasks_and_a_failed_run_makes_no_datum(warehouse, tmp_path):
    with cluster() as client:
        client.register_plugin(TraceRecorder(tmp_path / "trace"))
        shaky = client.submit(fail_first, tmp_path, key="shaky", retries=2)
        client.submit(stamped, shaky, key="after").result()
        again = client.submit(stamped, key="again")
        wait(again)
        del again
        while client.run_on_scheduler(lambda dask_scheduler: "again" in dask_scheduler.tasks):
            time.sleep(0.01)
        between = time.time_ns()
        client.submit(stamped, key="again").result()
        folder = Path(TraceRecorder.save(client))
    land(warehouse, folder)
    sound(warehouse)
    names = ["after", "again", "again#2", "shaky", "shaky#2"]
    assert rows(warehouse, "SELECT task FROM tasks ORDER BY task") == [(n,) for n in names]
    assert rows(warehouse, "SELECT data FROM task_data ORDER BY data") == [
        (n,) for n in names if n != "shaky"
    ]
    assert rows(warehouse, "FROM task_inputs SELECT task, data") == [("after", "shaky#2")]
    submitted = dict(rows(warehouse, "SELECT task, t_submit FROM tasks"))
    assert submitted["again"] < between - origin_ns(folder) < submitted["again#2"]


def test_scattered_data_have_a_home_and_copies_but_no_producer(warehouse, tmp_path):
    with cluster() as client:
        [held] = client.scatter([[1] * 100])
        client.register_plugin(TraceRecorder(tmp_path / "trace"))
        [everywhere] = client.scatter([[2] * 100], broadcast=True)
        wait(
            [
                client.submit(stamped, held, everywhere, key=f"on-{i}", workers=[address])
                for i, address in enumerate(addresses(client))
            ]
        )
        folder = Path(TraceRecorder.save(client))
    land(warehouse, folder)
    sound(warehouse)
    assert sorted(rows(warehouse, "SELECT data, producer, node IS NULL FROM task_data")) == sorted(
        [("on-0", "on-0", True), ("on-1", "on-1", True)]
        + [(future.key, None, False) for future in (held, everywhere)]
    )
    ready = "SELECT data, t_ready IS NULL FROM task_data WHERE producer IS NULL"
    assert dict(rows(warehouse, ready)) == {held.key: True, everywhere.key: False}
    assert rows(warehouse, "SELECT count(*) FROM task_inputs") == [(4,)]
    came = rows(warehouse, "SELECT data, t_send IS NULL, from_node IS NULL FROM transfers")
    assert sorted(came) == sorted([(held.key, False, False), (everywhere.key, True, True)])


async def pause(number):
    await asyncio.sleep(0.05)
    return number


def step_out():
    secede()
    time.sleep(0.15)


def test_coroutines_and_tasks_that_leave_the_pool(warehouse, tmp_path):
    with cluster(n_workers=1) as client:
        client.register_plugin(TraceRecorder(tmp_path / "trace"))
        out = [client.submit(step_out, key=f"out-{i}") for i in range(2)]
        time.sleep(0.05)
        wait([*out, *(client.submit(stamped, key=f"in-{i}") for i in range(4))])
        wait([client.submit(pause, i, key=f"pause-{i}") for i in range(2)])
        folder = Path(TraceRecorder.save(client))
    land(warehouse, folder)
    threads = "SELECT right(worker, 2) AS thread, list(task ORDER BY task) FROM tasks GROUP BY ALL"
    ran = dict(rows(warehouse, threads))
    assert ran.pop("x0") == ["pause-0", "pause-1"]
    assert sorted(ran) == ["t0", "t1", "t2", "t3"]
    assert {len(ran["t0"]), len(ran["t1"])} == {1}
    assert rows(warehouse, OUTSIDE) == [(0,)]
    alone = NO_OVERLAP.replace("FROM tasks", "FROM tasks WHERE name <> 'pause'")
    assert rows(warehouse, alone) == [(0,)]
    # The threads that left the pool are gone after their task.
    windows = "SELECT right(worker, 2), t_end < max(t_end) OVER () FROM workers"
    assert {(f"t{i}", i < 2) for i in range(4)} <= set(rows(warehouse, windows))


def test_a_cancelled_task_keeps_its_thread_busy_to_its_end(warehouse, tmp_path):
    with cluster(n_workers=1, threads_per_worker=1) as client:
        client.register_plugin(TraceRecorder(tmp_path / "trace"))
        given_up = client.submit(stamped, seconds=0.2, key="given-up")
        time.sleep(0.05)
        given_up.cancel()
        client.submit(stamped, key="next").result()
        folder = Path(TraceRecorder.save(client))
    land(warehouse, folder)
    sound(warehouse)
    ran = rows(warehouse, "SELECT task, right(worker, 2), t_end - t_start > 1e8 FROM tasks")
    assert sorted(ran) == [("given-up", "t0", True), ("next", "t0", False)]
    assert rows(warehouse, "SELECT data FROM task_data") == [("next",)]


def live(seconds):
    time.sleep(seconds)
    return str(get_worker().address)


def test_a_worker_that_dies_is_recorded_up_to_its_end_and_said(warehouse, tmp_path):
    with cluster(processes=True) as client:
        client.register_plugin(TraceRecorder(tmp_path / "trace"))
        first, second = addresses(client)
        done = [
            client.submit(live, 0.05, key=f"done-{i}", workers=[first], allow_other_workers=True)
            for i in range(4)
        ]
        there = {future.key for future in done if future.result() == first}
        os.kill(client.run(os.getpid)[first], signal.SIGKILL)
        while not (third := {*addresses(client)} - {first, second}):
            time.sleep(0.02)
        [third] = third
        assert client.submit(live, 0.01, key="later", workers=[third]).result() == third
        assert len(client.gather(done)) == 4
        folder = Path(TraceRecorder.save(client))
    land(warehouse, folder)
    sound(warehouse)
    assert f"{first} ended without a last report" in notes(folder)
    assert f"{second} ended" not in notes(folder)
    ran = rows(warehouse, "SELECT task FROM tasks WHERE worker LIKE ? ORDER BY ALL", f"{first}/%")
    assert ran == [(key,) for key in sorted(there)]
    # Lost results were computed again.
    again = rows(warehouse, "SELECT task FROM tasks WHERE task LIKE 'done%#2' ORDER BY task")
    assert again == [(f"{key}#2",) for key in sorted(there)]
    windows = "SELECT node, min(t_begin), max(t_end) FROM workers GROUP BY node"
    begin, end = ({node: x[i] for node, *x in rows(warehouse, windows)} for i in (0, 1))
    assert begin[first] == begin[second] == 0
    assert end[first] < begin[third] < end[second] == end[third]


def test_workers_come_and_go_and_closing_writes_the_folder(warehouse, tmp_path):
    with cluster() as client:
        client.register_plugin(TraceRecorder(tmp_path / "trace"))
        wait([client.submit(stamped, key=f"two-{i}") for i in range(8)])
        client.cluster.scale(3)
        client.wait_for_workers(3)
        new = addresses(client)[-1]
        wait([client.submit(stamped, key=f"three-{i}", workers=[new]) for i in range(4)])
        client.retire_workers([new])
        wait([client.submit(stamped, key=f"rest-{i}") for i in range(8)])
    land(warehouse, tmp_path / "trace")
    sound(warehouse)
    assert "ended without" not in notes(tmp_path / "trace")
    assert rows(warehouse, "SELECT name, count(*) FROM tasks GROUP BY name ORDER BY name") == [
        ("rest", 8),
        ("three", 4),
        ("two", 8),
    ]
    inside = "SELECT min(t_begin) > 0, max(t_end) < (SELECT max(t_end) FROM workers) FROM workers"
    assert rows(warehouse, f"{inside} WHERE node = ?", new) == [(True, True)]


def test_what_is_wrong_is_said_at_once(tmp_path):
    with cluster(n_workers=1) as client:
        with pytest.raises(RuntimeError, match="Nothing is recorded"):
            TraceRecorder.save(client)
        client.register_plugin(TraceRecorder(tmp_path / "a"))
        client.register_plugin(TraceRecorder(tmp_path / "b"))
        assert (tmp_path / "a" / "fragments.parquet").exists()
        with pytest.raises(FileExistsError, match="holds a recording already"):
            client.register_plugin(TraceRecorder(tmp_path / "a"))
        assert (tmp_path / "b" / "fragments.parquet").exists()
        client.register_plugin(TraceRecorder(tmp_path / "a", overwrite=True))
        assert TraceRecorder.save(client) == str(tmp_path / "a")
        handlers = client.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.handlers))
        assert worker.HANDLER not in handlers
        plugins = client.run(lambda dask_worker: list(dask_worker.plugins))
        assert all(worker.NAME not in names for names in plugins.values())


def test_a_clock_of_another_machine_is_estimated(monkeypatch, warehouse, tmp_path):
    monkeypatch.setattr(worker, "machine_id", lambda: "another")
    monkeypatch.setattr(worker, "time", lambda: time.time() + 5)
    with cluster(n_workers=1) as client:
        client.register_plugin(TraceRecorder(tmp_path / "trace"))
        client.submit(stamped, key="a").result()
        folder = Path(TraceRecorder.save(client))
    [(offset,)] = rows(warehouse, f"SELECT clock_offset_ns FROM '{folder / 'nodes.parquet'}'")
    assert abs(offset - 5e9) < 50e6
    assert re.search(r"its clock is ahead by \d+ us, give or take \d+ us", notes(folder))


def process(rows=(), told=(), *, farewell=False):
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
        told=[*chain(*told)],
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
    def told(key, start, stop, stamp):
        return key, 1, start, stop, f"task-finished-{stamp}", 8, True

    reported = run_row("a", 253.0, 254.0, 250.0, 251.0, 250.0)
    scheduler = [
        told("a", 253.0, 254.0, 251.0),
        told(("b", 1), 254.0, 255.0, 252.25),
        told("c", 255.0, 255.5, 252.5),
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
        # asked for at 125 s and there at 126 s: on the sender's clock, and on the receiver's
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
    said = notes(tmp_path)
    assert "b: its clock is ahead by 50000000 us, give or take 1000 us." in said
    assert "d was there, but recorded nothing." in said
    assert "2 tasks were still under way and are missing." in said


def test_without_distributed_the_message_says_what_to_install():
    code = "import sys; sys.modules['distributed'] = None; import ingest.dask_plugin"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ImportError: Recording a Dask run needs the package distributed" in done.stderr
    assert "pip install 'pwh[dask]'" in done.stderr
