"""Dask cluster dumps: what is taken from them, and how damaged ones are refused."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import msgpack
import pytest

from ingest.base import Head
from ingest.readers.tasks.dask_dump.dump import DaskDump
from tests.helpers.support import land, rows, shared
from tests.ingest.cases.dask_dump import packed, unpacked
from warehouse.errors import InputError


def changed(folder: Path, change: Any) -> Path:
    """Write the sample with a change made to it."""
    dump = unpacked()
    change(dump)
    return packed(dump, folder / "cluster_dump.msgpack.gz")


def first(dump: dict[str, Any]) -> dict[str, Any]:
    """Return the first worker of a dump."""
    return next(iter(dump["workers"].values()))


def refused(con, path: Path) -> str:
    with pytest.raises(InputError) as caught:
        land(con, path)
    assert rows(con, "SELECT count(*) FROM tasks") == [(0,)]
    return str(caught.value)


def test_the_real_dump(warehouse):
    (landed,) = land(warehouse, shared("slo/dask_dump/cluster_dump.msgpack.gz"))
    assert landed.rows == {
        "nodes": 3,
        "workers": 3,
        "tasks": 31,
        "task_data": 31,
        "task_inputs": 30,
        "transfers": 13,
        "runtime_intervals": 62,
    }
    assert rows(warehouse, "SELECT name, count(*) FROM tasks GROUP BY name ORDER BY name") == [
        ("comb", 15),
        ("leaf", 16),
    ]


def test_with_the_guessed_offsets_out_causes_come_before_effects(warehouse):
    land(warehouse, shared("slo/dask_dump/cluster_dump.msgpack.gz"))
    overlaps = """
        SELECT a.task, b.task FROM tasks a JOIN tasks b USING (worker)
        WHERE a.t_start < b.t_start AND b.t_start < a.t_end
    """
    assert rows(warehouse, overlaps) == []
    wrong = """
        SELECT i.task, i.data FROM task_inputs i
        JOIN tasks reader ON reader.task = i.task JOIN workers USING (worker)
        JOIN tasks maker ON maker.task = i.data
        LEFT JOIN transfers t ON t.data = i.data AND t.to_node = workers.node
        WHERE t.t_send < maker.t_end OR t.t_recv > reader.t_start OR maker.t_end > reader.t_start
    """
    assert rows(warehouse, wrong) == []


def test_a_repeated_key_gets_a_number_and_a_failed_run_makes_no_datum(warehouse, tmp_path):
    land(warehouse, changed(tmp_path, lambda dump: None))
    assert rows(warehouse, "SELECT task FROM tasks WHERE name = 'flaky' ORDER BY t_start") == [
        ("flaky-0",),
        ("flaky-0#2",),
    ]
    assert rows(warehouse, "SELECT data FROM task_data WHERE data LIKE 'flaky%'") == [
        ("flaky-0#2",),
    ]
    assert rows(warehouse, "SELECT data FROM task_inputs WHERE task = 'total' ORDER BY data") == [
        ("('add', 0)",),
        ("('add', 1)",),
        ("('add', 2)",),
        ("flaky-0#2",),
    ]


def test_one_transfer_of_several_keys_gives_a_row_for_each(warehouse, tmp_path):
    def two_keys(dump):
        for worker in dump["workers"].values():
            for entry in worker["transfer_incoming_log"]:
                if "load-1" in entry["keys"]:
                    entry["keys"] = {"load-1": 40000, "load-5": 40000}

    land(warehouse, changed(tmp_path, two_keys))
    sql = "SELECT data FROM transfers GROUP BY t_recv, data HAVING t_recv < 62000000 ORDER BY data"
    assert rows(warehouse, sql) == [("load-1",), ("load-5",)]


def test_tasks_share_the_threads_of_a_worker(warehouse, tmp_path):
    def two_threads(dump):
        for worker in dump["workers"].values():
            worker["nthreads"] = 2
            for name in ("stimulus_log", "log", "tasks"):
                worker[name] = later(worker[name], "load-4", -0.015)

    def later(value, key, by):
        """Move what concerns one key in time."""
        if isinstance(value, list):
            mine = value[:1] == [key]
            return [x + by if mine and type(x) is float else later(x, key, by) for x in value]
        if isinstance(value, dict):
            mine = value.get("key") == key
            return {
                k: v + by if mine and type(v) is float and v > 1e9 else later(v, key, by)
                for k, v in value.items()
                if k != "startstops"
            }
        return value

    land(warehouse, changed(tmp_path, two_threads))
    sql = "SELECT worker FROM tasks WHERE task IN ('load-2', 'load-4') ORDER BY task"
    assert rows(warehouse, sql) == [("0/t0",), ("0/t1",)]
    assert rows(warehouse, "SELECT count(*) FROM workers") == [(4,)]


def test_a_worker_that_did_not_answer_is_named(warehouse, tmp_path):
    def silent(dump):
        address = list(dump["workers"])[-1]
        dump["workers"][address] = "OSError('Timed out')"

    land(warehouse, changed(tmp_path, silent))
    (tags,) = rows(warehouse, "SELECT tags['no_answer_from'] LIKE 'tcp://%' FROM runs")
    assert tags == (True,)
    assert rows(warehouse, "SELECT count(DISTINCT node) FROM workers") == [(1,)]


def test_a_datum_whose_making_is_not_known_has_no_producer(warehouse, tmp_path):
    def forget(dump):
        for worker in dump["workers"].values():
            worker["stimulus_log"] = [e for e in worker["stimulus_log"] if e.get("key") != "load-1"]
            worker["tasks"].pop("load-1", None)

    land(warehouse, changed(tmp_path, forget))
    assert rows(warehouse, "SELECT producer, node FROM task_data WHERE data = 'load-1'") == [
        (None, "1"),
    ]


def test_a_full_log_is_reported(warehouse, tmp_path):
    def short(dump):
        first(dump)["config"]["distributed"]["admin"]["low-level-log-length"] = 5

    land(warehouse, changed(tmp_path, short))
    assert rows(warehouse, "SELECT tags['log_full'] LIKE 'tcp://%' FROM runs") == [(True,)]


def test_hosts_other_than_the_schedulers_have_clocks_of_their_own(warehouse, tmp_path):
    def elsewhere(dump):
        dump["scheduler"]["address"] = "tcp://10.0.0.1:8786"

    land(warehouse, changed(tmp_path, elsewhere))
    assert rows(warehouse, "SELECT DISTINCT clock_offset_ns FROM nodes") == [(None,)]


def test_older_dumps_without_stimulus_log_give_the_tasks_still_in_memory(warehouse, tmp_path):
    def older(dump):
        for worker in dump["workers"].values():
            del worker["stimulus_log"]

    land(warehouse, changed(tmp_path, older))
    # The worker had dropped load-2: it is made by nobody, and came from where it was stored.
    assert rows(warehouse, "SELECT task FROM tasks WHERE name = 'load' ORDER BY task") == [
        ("load-0",),
        ("load-1",),
        ("load-3",),
        ("load-4",),
        ("load-5",),
    ]
    assert rows(warehouse, "SELECT producer, node FROM task_data WHERE data = 'load-2'") == [
        (None, "0"),
    ]


def test_a_dump_whose_tasks_are_forgotten_is_refused_with_advice(warehouse, tmp_path):
    path = changed(tmp_path, lambda dump: dump["scheduler"]["tasks"].clear())
    assert "Dump before the futures are released" in refused(warehouse, path)


def test_yaml_is_refused_with_advice(warehouse, tmp_path):
    path = tmp_path / "cluster_dump.yaml"
    path.write_text("scheduler:\n  address: tcp://127.0.0.1:8786\n  clients: {}\nworkers: {}\n")
    assert 'format="msgpack"' in refused(warehouse, path)


def set_row(name: str, position: int, value: Any) -> Any:
    """Return a change of one value in the first row of a log of the first worker."""

    def change(dump):
        first(dump)[name][0][position] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_row("log", -1, "noon"), "row 1 of the log of tcp"),
        (set_row("log", -1, -5.0), "the time is '-5.0'"),
        (set_row("log", -1, float("nan")), "the time is 'nan'"),
        (set_row("transfer_incoming_log", "stop", 1.6e9), "lies before start"),
        (set_row("transfer_incoming_log", "keys", {"load-1": -7}), "nbytes is '-7'"),
        (set_row("transfer_incoming_log", "keys", 3), "this is no transfer"),
        (lambda dump: first(dump).update(nthreads=0), "nthreads is 0"),
        (lambda dump: dump.update(scheduler=[1]), "scheduler is not a map"),
        (lambda dump: first(dump).update(log="all well"), "log is not a list"),
        (
            lambda dump: dump["scheduler"]["tasks"]["total"].update(dependencies=["what?"]),
            "a dependency is no task",
        ),
        (
            lambda dump: dump["scheduler"]["tasks"]["total"].update(
                dependencies=["<TaskState 'gone' memory>"]
            ),
            "which is not among the scheduler's tasks",
        ),
        (
            lambda dump: dump["scheduler"]["transition_log"][0].__setitem__(0, None),
            "a task's key is 'None'",
        ),
    ],
)
def test_wrong_values_are_refused_with_their_place(warehouse, tmp_path, change, message):
    assert message in refused(warehouse, changed(tmp_path, change))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (msgpack.packb(unpacked())[:-9], "the dump ends too early"),
        (msgpack.packb(unpacked()) + b"\x00", "there are data after its end"),
        (b"\x81\xa9scheduler\xdf\xff\xff\xff\xff", "the dump ends too early"),
        (b"\x81\xa9scheduler\x81\xa4logs\xdb\xff\xff\xff\xff", "the dump ends too early"),
        (b"\x81\xa9scheduler\xc1", "scheduler is not a map"),
        (b"\x81\xa9scheduler\x81\xa4logs" + b"\x91" * 5000, "no well-formed dump"),
        (b"\x81\xa9scheduler\x81\x90\xc0", "'[]' is the key of a map"),
    ],
)
def test_damaged_dumps_are_refused(warehouse, tmp_path, data, message):
    path = tmp_path / "cluster_dump.msgpack.gz"
    path.write_bytes(gzip.compress(data))
    assert message in refused(warehouse, path)


def test_sniff_leaves_other_files_alone(tmp_path):
    reader = DaskDump()
    assert reader.sniff(Head(b"\x83\xa9scheduler\xde", tmp_path / "a"))
    assert not reader.sniff(Head(b"scheduler: slurm\nnodes: 4\n", tmp_path / "a.yaml"))
    assert not reader.sniff(Head(b"<!doctype html><title>scheduler</title>", tmp_path / "a.html"))
    assert not reader.sniff(Head(b"\x83\xa4name\xa9scheduler", tmp_path / "a"))
