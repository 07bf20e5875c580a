"""The Dask plugin on live clusters: what it records, and what it reports as missing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from distributed import wait

from ingest.dask_plugin import TraceRecorder
from tests.helpers.support import land, rows
from tests.ingest.dask_plugin.clusters import addresses, cluster, origin_ns, sound, stamped


@pytest.fixture(scope="module")
def processes():
    """Two worker processes with nannies and two threads each."""
    with cluster(processes=True) as client:
        yield client


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
    results = {future.key: future.result() for future in leaves + tops}
    folder = Path(TraceRecorder.save(processes))
    landed = land(warehouse, folder)

    assert landed[0].rows["tasks"] == 21
    sound(warehouse)
    origin = origin_ns(folder)
    ((started_at, wall),) = rows(warehouse, "SELECT epoch(started_at), wall_seconds FROM runs")
    assert started_at == pytest.approx(origin / 1e9, abs=1e-5)
    assert 0 < wall < 60
    for key, start, end in rows(warehouse, "SELECT task, t_start, t_end FROM tasks"):
        began, ended = results.pop(key)
        assert origin + start - 2000 < began < ended < origin + end + 2000
    assert not results
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
        link = processes.submit(stamped, link, seconds=0.15, key=f"link-{i}", workers=[first])
        sides.append(processes.submit(stamped, link, key=f"side-{i}", workers=[second]))
    wait([link, *sides])
    land(warehouse, Path(TraceRecorder.save(processes)))
    sound(warehouse)
    waited = """
        SELECT
          made.name,
          sum(least(made.t_end, i.t_end) - i.t_start) / sum(i.t_end - i.t_start)
        FROM worker_idle AS i
        JOIN task_inputs USING (run_id, task)
        JOIN task_data USING (run_id, data)
        JOIN tasks AS made ON task_data.producer = made.task
        WHERE i.worker LIKE ? AND made.t_end > i.t_start
        GROUP BY ALL
    """
    [(name, share)] = rows(warehouse, waited, f"{second}/%")
    assert name == "link"
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
        results, last = {}, []
        for i in range(30):
            place = [first if i % 2 else second]
            last = [client.submit(stamped, *last, key=f"{j}-step-{i}", workers=place) for j in "ab"]
            results |= {future.key: future for future in last}
        results = {key: future.result() for key, future in results.items()}
        folder = Path(TraceRecorder.save(client))
    land(warehouse, folder)
    sound(warehouse)
    origin = origin_ns(folder)
    found = rows(warehouse, "SELECT task, t_start, t_end FROM tasks")
    assert len(found) == 60
    for key, start, end in found:
        began, ended = results[key]
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
