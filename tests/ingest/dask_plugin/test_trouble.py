"""The Dask plugin where things go wrong: failures, departures, other clocks."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from distributed import get_worker, secede, wait

from ingest.dask_plugin import TraceRecorder, worker
from tests.helpers.support import land, rows
from tests.ingest.dask_plugin.clusters import (
    NO_OVERLAP,
    OUTSIDE,
    addresses,
    cluster,
    notes,
    origin_ns,
    sound,
    stamped,
)


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
        [scattered] = client.scatter([[1] * 100])
        client.register_plugin(TraceRecorder(tmp_path / "trace"))
        [everywhere] = client.scatter([[2] * 100], broadcast=True)
        wait(
            [
                client.submit(stamped, scattered, everywhere, key=f"on-{i}", workers=[address])
                for i, address in enumerate(addresses(client))
            ]
        )
        folder = Path(TraceRecorder.save(client))
    land(warehouse, folder)
    sound(warehouse)
    assert sorted(rows(warehouse, "SELECT data, producer, node IS NULL FROM task_data")) == sorted(
        [("on-0", "on-0", True), ("on-1", "on-1", True)]
        + [(future.key, None, False) for future in (scattered, everywhere)]
    )
    ready = "SELECT data, t_ready IS NULL FROM task_data WHERE producer IS NULL"
    assert dict(rows(warehouse, ready)) == {scattered.key: True, everywhere.key: False}
    assert rows(warehouse, "SELECT count(*) FROM task_inputs") == [(4,)]
    came = rows(warehouse, "SELECT data, t_send IS NULL, from_node IS NULL FROM transfers")
    assert sorted(came) == sorted([(scattered.key, False, False), (everywhere.key, True, True)])


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


def test_a_worker_that_dies_is_recorded_up_to_its_end_and_noted(warehouse, tmp_path):
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


def test_what_is_wrong_is_reported_at_once(tmp_path):
    with cluster(n_workers=1) as client:
        with pytest.raises(RuntimeError, match="Nothing is recorded"):
            TraceRecorder.save(client)
        client.register_plugin(TraceRecorder(tmp_path / "a"))
        client.register_plugin(TraceRecorder(tmp_path / "b"))
        assert (tmp_path / "a" / "fragments.parquet").exists()
        with pytest.raises(FileExistsError, match="contains a recording already"):
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
