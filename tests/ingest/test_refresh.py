"""What is stored of runs, computed anew: in this process, and by the workers of a real cluster."""

from __future__ import annotations

import os
import shutil
import signal
import socket
from importlib import import_module

import pytest

import ingest.refresh
from apps.demo.entries import FOLDER
from ingest import worker
from ingest.cluster import Cluster, open_cluster
from ingest.forget import forget_run
from ingest.refresh import Refreshed, all_of, outdated, refresh
from tests.helpers.support import given, keep, land, rows
from warehouse import connect
from warehouse.errors import ClusterError, InputError, UsageError

DERIVED = {
    table: f"SELECT * EXCLUDE (source_id) FROM {table} ORDER BY ALL"
    for table in ("idle_intervals", "idle_latency", "idle_segments", "segment_features")
}
SCALARS = "FROM run_scalars ORDER BY ALL"
KEPT = "SELECT run_id FROM kept_runs ORDER BY ALL"
FAR = 9 * 10**18


def refreshed(con, asked, cluster=None):
    done = Refreshed()
    shares = [share for share, _ in refresh(con, asked, done, cluster)]
    assert shares == sorted(shares) and (not shares or shares[-1] == 1)
    return done


def stored(con):
    return {table: rows(con, sql) for table, sql in DERIVED.items()}


def wipe(con):
    for table in (*DERIVED, "run_scalars", "kept_runs"):
        con.execute(f"DELETE FROM {table}")


@pytest.fixture(scope="module")
def traces(template, tmp_path_factory):
    """Return a warehouse with a few task traces, machine code and counters; copy it."""
    path = shutil.copy(template, tmp_path_factory.mktemp("traces") / "traces.duckdb")
    with connect(path) as con:
        for name in ("heat_tasks.msgpack.gz", "heat_blocks.csv", "heat-1.0.perf.csv"):
            land(con, FOLDER / name)
        for run in ("a", "b", "c"):
            by_hand(con, run)
        keep(con)
        refreshed(con, all_of(con, ["a", "b", "c"]))
    return path


def by_hand(con, run, shift=0):
    """Write a run whose second task waits for a datum of the first."""
    given(con, "runs", f"run_id\n{run}")
    given(con, "tasks", f"""
        task worker t_start t_end
        t1   w1     {shift}  {shift + 60}
        t2   w2     {shift + 70} {shift + 100}
    """, run_id=run)  # fmt: skip
    given(con, "task_data", "data producer\nd1 t1", run_id=run)
    given(con, "task_inputs", "task data\nt2 d1", run_id=run)


@pytest.fixture
def con(traces, tmp_path):
    with connect(shutil.copy(traces, tmp_path / "w.duckdb")) as con:
        yield con


def test_all_that_ingest_stores_is_computed_anew(con):
    before, scalars = stored(con), rows(con, SCALARS)
    assert all(before.values()) and scalars
    assert refreshed(con, outdated(con)) == Refreshed()

    wipe(con)
    done = refreshed(con, outdated(con))
    assert (done.attributed, done.decoded, done.kept) == (4, 1, 6)
    assert stored(con) == before
    assert rows(con, SCALARS) == scalars
    assert refreshed(con, outdated(con)) == Refreshed()


def test_runs_written_by_hand_are_attributed(warehouse):
    by_hand(warehouse, "r")
    given(warehouse, "runs", "run_id\nempty")
    assert refreshed(warehouse, outdated(warehouse)).kept == 2
    found = rows(warehouse, "SELECT task, starvation1 FROM idle_intervals WHERE kind = 'lead'")
    assert found == [("t2", 60)]
    assert rows(warehouse, KEPT) == [("empty",), ("r",)]


def test_what_is_stored_goes_with_the_rows_that_it_was_computed_from(warehouse):
    by_hand(warehouse, "r")
    refreshed(warehouse, outdated(warehouse))
    for table in ("tasks", "task_data", "task_inputs"):
        warehouse.execute(f"DELETE FROM {table}")
    done = refreshed(warehouse, all_of(warehouse, ["r"]))
    assert (done.attributed, done.kept) == (0, 1)
    assert rows(warehouse, "FROM idle_intervals") == rows(warehouse, SCALARS) == []


def test_a_run_that_cannot_be_attributed_does_not_keep_others_from_it(warehouse):
    for run, shift in (("a", 0), ("far", -FAR), ("z", 0)):
        by_hand(warehouse, run, shift)
    given(warehouse, "tasks", f"task worker t_start t_end\nt3 w3 {FAR} {FAR}", run_id="far")
    done = refreshed(warehouse, outdated(warehouse))
    (failure,) = done.failures
    assert isinstance(failure, InputError)
    assert "nothing is stored anew of far: the times of a run lie too far" in str(failure)
    assert (done.attributed, done.kept) == (2, 2)
    attributed = rows(warehouse, "SELECT DISTINCT run_id FROM idle_intervals ORDER BY ALL")
    assert attributed == rows(warehouse, KEPT) == [("a",), ("z",)]
    assert outdated(warehouse).whole == ["far"]


def test_a_run_that_is_forgotten_meanwhile_does_not_come_back(con, monkeypatch):
    asked = all_of(con, ["a", "b"])
    real = ingest.refresh._groups

    def forgotten(files, whole):
        groups = list(real(files, whole))
        forget_run(con, "a")
        con.execute("DELETE FROM runs WHERE run_id = 'a'")
        return groups

    monkeypatch.setattr(ingest.refresh, "_groups", forgotten)
    done = refreshed(con, asked)
    assert (done.attributed, done.kept) == (1, 1)
    for table in ("idle_intervals", "kept_runs", "run_scalars"):
        assert rows(con, f"FROM {table} WHERE run_id = 'a'") == []


# A real cluster


@pytest.fixture(scope="module")
def cluster():
    """Yield a cluster of two processes here."""
    pytest.importorskip("distributed")
    from ingest.cluster import open_cluster

    with open_cluster("2") as found:
        yield found


def test_an_interrupt_of_the_terminal_is_for_no_worker(cluster):
    blocked = cluster._client.run(signal.pthread_sigmask, signal.SIG_BLOCK, ())
    assert [signal.SIGINT in signals for signals in blocked.values()] == [True, True]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def dying(marker, *arguments):
    """Kill the worker, the first time."""
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return worker.attributed(*arguments)


def test_a_cluster_stores_the_same_once_though_a_worker_dies(con, cluster, monkeypatch, tmp_path):
    before, scalars = stored(con), rows(con, SCALARS)
    wipe(con)
    # each run in a group of its own
    monkeypatch.setattr(ingest.refresh, "_ROWS_AT_ONCE", 1)
    monkeypatch.setattr(ingest.refresh, "attributed", dying)
    real, marker = cluster.map, tmp_path / "died"

    def some_die(function, jobs):
        return real(function, ((key, (marker, *args), size) for key, args, size in jobs))

    monkeypatch.setattr(cluster, "map", some_die)
    done = refreshed(con, outdated(con), cluster)
    assert marker.exists()
    assert (done.attributed, done.decoded, done.kept, done.failures) == (4, 1, 6, [])
    assert stored(con) == before
    assert rows(con, SCALARS) == scalars


class Deadly:
    """A cluster on which nobody survives a job of the run b."""

    def map(self, function, jobs):
        from distributed import KilledWorker
        from distributed.client import Future

        class Killed(Future):
            def __init__(self):
                pass

            def result(self):
                raise KilledWorker("pwh-1", None, 3)

            __del__ = __repr__ = lambda _: ""

        for key, arguments, _ in jobs:
            if "b" in key.traced:
                yield key, Cluster(None, "it")._result(Killed())
            else:
                yield key, function(*arguments)


def test_what_no_worker_survives_is_told_and_the_rest_is_stored(con, monkeypatch):
    pytest.importorskip("distributed")
    before = stored(con)
    wipe(con)
    monkeypatch.setattr(ingest.refresh, "_ROWS_AT_ONCE", 1)
    done = refreshed(con, outdated(con), Deadly())
    (failure,) = done.failures
    assert isinstance(failure, ClusterError)
    assert "nothing is stored anew of b: 4 workers ended one after" in str(failure)
    assert (done.attributed, done.kept) == (3, 5)
    assert list(outdated(con).whole) == ["b"]
    assert refreshed(con, outdated(con)).attributed == 1
    assert stored(con) == before


def test_workers_with_another_pwh_are_refused(con, cluster, monkeypatch):
    monkeypatch.setattr(ingest.refresh, "identity", lambda: "9.9 (0)")
    with pytest.raises(ClusterError, match=r"a worker has pwh .*, this is pwh 9\.9 \(0\)"):
        refreshed(con, all_of(con, ["a"]), cluster)


def test_errors_of_a_run_are_those_of_this_process(con, cluster):
    by_hand(con, "far", -FAR)
    given(con, "tasks", f"task worker t_start t_end\nt3 w3 {FAR} {FAR}", run_id="far")
    done = refreshed(con, all_of(con, ["far", "a"]), cluster)
    (failure,) = done.failures
    assert isinstance(failure, InputError) and "stored anew of far" in str(failure)
    assert done.attributed == 1


NO_CLUSTER = {
    "nonsense": UsageError,
    "": UsageError,
    "0": UsageError,
    "foo://h:1": UsageError,
    "tcp://h:99999": UsageError,
    "tcp://h": UsageError,
    __file__: UsageError,
    "tls://127.0.0.1:9": ClusterError,
}


@pytest.mark.parametrize("where", NO_CLUSTER)
def test_what_is_no_cluster_is_told_in_words(where):
    pytest.importorskip("distributed")
    with pytest.raises(NO_CLUSTER[where], match="cluster|processes|scheduler"), open_cluster(where):
        pass


def test_a_port_of_another_program_is_no_scheduler(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("ingest.cluster._CONNECT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as other:
        where = f"dask://127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(ClusterError, match="no Dask scheduler answers at tcp://127.0.0.1"):
            with open_cluster(where):
                pass


def test_a_worker_without_pwh_is_told_in_words(cluster):
    jobs = iter([("key", ("no_pwh",), 0)])
    with pytest.raises(ClusterError, match="a worker of .* has no pwh, or another one .*no_pwh"):
        list(cluster.map(import_module, jobs))
