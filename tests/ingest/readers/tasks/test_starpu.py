"""StarPU traces: versions of data, states of workers, and exactness against the norm tables."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ingest.base import Head
from ingest.readers.tasks.starpu.reader import StarPU
from tests.helpers.support import land, rows, shared
from tests.ingest.case import SAMPLES
from warehouse.errors import InputError

SAMPLE = SAMPLES / "starpu"
TABLES = {
    "workers": "worker, node, t_begin, t_end",
    "tasks": "task, worker, name, t_submit, t_start, t_end",
    "task_data": "data, producer, node, t_ready, bytes",
    "task_inputs": "task, data",
    "transfers": "data, from_node, to_node, t_send, t_recv, bytes",
    "runtime_intervals": "worker, t_start, t_end, total_ns",
}


def task(job: str, start: float, end: float, handles: str, modes: str, **fields: str) -> str:
    """Return a record of a task on worker 0, submitted at 1 ms, each of its data of 8 bytes."""
    sizes = " ".join("8" for _ in handles.split(" "))
    lines = {
        "Name": "k",
        "JobId": job,
        "WorkerId": "0",
        "SubmitTime": "1.000000",
        "StartTime": f"{start:.6f}",
        "EndTime": f"{end:.6f}",
        "Handles": handles,
        "Modes": modes,
        "Sizes": sizes,
        "MPIRank": "-1",
        **fields,
    }
    return "".join(f"{name}: {value}\n" for name, value in lines.items() if value) + "\n"


def trace(folder: Path, tasks: str, states: str = "") -> Path:
    """Write tasks.rec, and paje.trace with the head of the sample's where states are given."""
    (folder / "tasks.rec").write_text(tasks, encoding="utf-8")
    if states:
        head, _, _ = (SAMPLE / "paje.trace").read_text(encoding="utf-8").partition("\n   ")
        events = "\n".join("\t".join(line.split()) for line in states.strip().splitlines())
        (folder / "paje.trace").write_text(head + "\n" + events + "\n", encoding="utf-8")
    return folder


def refused(con, folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        land(con, folder)
    assert rows(con, "SELECT count(*) FROM tasks") == [(0,)]
    return str(caught.value)


@pytest.mark.parametrize("name", ["starpu_chol", "starpu_tiny", "starpu_mpichol"])
def test_real_traces_give_the_norm_tables_exactly(warehouse, name):
    land(warehouse, shared(f"slo/{name}/raw"), run_id="raw")
    land(warehouse, shared(f"slo/{name}/norm"), run_id="norm")
    for table, columns in TABLES.items():
        of = f"SELECT {columns} FROM {table} WHERE run_id ="
        assert rows(warehouse, f"{of} 'raw' EXCEPT ALL {of} 'norm'") == [], table
        assert rows(warehouse, f"{of} 'norm' EXCEPT ALL {of} 'raw'") == [], table


def test_a_write_makes_the_next_version(warehouse, tmp_path):
    records = task("1", 1, 2, "a", "W") + task("2", 3, 4, "a b", "RW R") + task("3", 5, 6, "a", "R")
    land(warehouse, trace(tmp_path, records))
    assert rows(warehouse, "SELECT data, producer, node FROM task_data ORDER BY data") == [
        ("h-1_a@1", "1", None),
        ("h-1_a@2", "2", None),
        ("h-1_b@0", None, "r0"),
    ]
    assert rows(warehouse, "SELECT task, data FROM task_inputs ORDER BY task, data") == [
        ("2", "h-1_a@1"),
        ("2", "h-1_b@0"),
        ("3", "h-1_a@2"),
    ]


def test_a_task_that_names_a_datum_twice_makes_one_version(warehouse, tmp_path):
    land(warehouse, trace(tmp_path, task("1", 1, 2, "a a", "RW R")))
    assert rows(warehouse, "SELECT data FROM task_data ORDER BY data") == [
        ("h-1_a@0",),
        ("h-1_a@1",),
    ]
    assert rows(warehouse, "SELECT data FROM task_inputs") == [("h-1_a@0",), ("h-1_a@0",)]


def test_scratch_and_no_access_make_no_data(warehouse, tmp_path):
    land(warehouse, trace(tmp_path, task("1", 1, 2, "a b", "S ")))
    assert rows(warehouse, "SELECT count(*) FROM task_data") == [(0,)]


def test_records_without_start_are_internal(warehouse, tmp_path):
    records = (
        "Control: WontUse\nJobId: 7\nSubmitTime: 0.500000\nHandles: a\n\n"
        "Name: _starpu_sync_task\nJobId: 8\nSubmitTime: 0.600000\n\n"
    ) + task("1", 1.25, 2, "a", "R")
    land(warehouse, trace(tmp_path, records))
    assert rows(warehouse, "SELECT task, t_submit, t_start FROM tasks") == [("1", 0, 250000)]


def test_times_count_from_the_first_submission_unknown_ones_stay_unknown(warehouse, tmp_path):
    records = task("1", 2, 3, "a", "R", SubmitTime="") + task("2", 4, 5.5, "a", "R")
    land(warehouse, trace(tmp_path, records))
    assert rows(warehouse, "SELECT task, t_submit, t_start FROM tasks ORDER BY task") == [
        ("1", None, 1000000),
        ("2", 0, 3000000),
    ]
    assert rows(warehouse, "SELECT worker, node, t_begin, t_end FROM workers") == [
        ("w0", "r0", 0, 4500000),
    ]


def test_pushed_states_hide_the_one_below_and_an_empty_stack_stays_empty(warehouse, tmp_path):
    states = """
        12 1.000000 w0 WS
        10 1.100000 w0 WS "B"
        11 1.200000 w0 WS Sc
        11 1.300000 w0 WS Su
        12 1.400000 w0 WS
        12 1.500000 w0 WS
        10 1.600000 w0 WS "Fi"
        10 1.700000 w0 WS "C"
        10 2.100000 w0 WS "Sl"
    """
    land(warehouse, trace(tmp_path, task("1", 1, 2, "a", "R"), states))
    sql = "SELECT t_start, t_end, state FROM runtime_intervals ORDER BY t_start"
    assert rows(warehouse, sql) == [
        (100000, 200000, "Overhead"),
        (200000, 300000, "Scheduling"),
        (400000, 500000, "Scheduling"),
        (500000, 600000, "Overhead"),
        (700000, 1100000, "Callback"),
    ]


def test_a_task_named_like_a_state_is_no_runtime(warehouse, tmp_path):
    states = """
        10 1.000000 w0 WS "P"
        20 1.000000 w0 WS P 8 V4 0 0 1 1 0 -1 -1 -1 -1
        10 2.000000 w0 WS "Sl"
    """
    land(warehouse, trace(tmp_path, task("1", 1, 2, "a", "R"), states))
    assert rows(warehouse, "SELECT count(*) FROM runtime_intervals") == [(0,)]


def test_states_of_undeclared_containers_are_skipped(warehouse, tmp_path):
    states = """
        11 1.000000 t99 US Sc
        10 1.100000 ghost WS "B"
        10 2.000000 ghost WS "Sl"
        10 2.000000 w0 WS "Sl"
    """
    land(warehouse, trace(tmp_path, task("1", 1, 2, "a", "R"), states))
    assert rows(warehouse, "SELECT worker FROM workers") == [("w0",)]
    assert rows(warehouse, "SELECT count(*) FROM runtime_intervals") == [(0,)]


def test_a_reader_without_recorded_messages_reads_the_latest_version(warehouse, tmp_path):
    for name in ("tasks.rec", "data.rec"):
        shutil.copy(SAMPLE / name, tmp_path)
    land(warehouse, tmp_path)
    sql = "SELECT DISTINCT task, data FROM task_inputs WHERE data LIKE 't1@%' ORDER BY task"
    assert rows(warehouse, sql) == [("0_2", "t1@1"), ("1_1", "t1@2")]


def test_any_file_of_the_folder_names_it():
    reader = StarPU()
    parts = [reader.parts(SAMPLE / name) for name in ("tasks.rec", "data.rec", "paje.trace")]
    assert [part.name for part in parts[0]] == ["tasks.rec", "data.rec", "paje.trace"]
    assert parts[0] == parts[1] == parts[2]


def test_sniff_leaves_other_traces_alone(tmp_path):
    reader, path = StarPU(), tmp_path / "paje.trace"
    assert not reader.sniff(Head(b"%EventDef PajeSetState 10\n% Time date\n%EndEventDef\n", path))
    assert not reader.sniff(
        Head(b"#\n# E: Event type\n#\n\nE: PushState\n", tmp_path / "trace.rec")
    )
    assert not reader.sniff(Head(b"<html>JobId: 3</html>", tmp_path / "tasks.rec"))


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (task("1", 2, 1, "a", "R"), "line 1: EndTime is '1.000000'"),
        (task("1", 1, 2, "a", "R", EndTime=""), "line 1: a task without EndTime is '1'"),
        (task("1", 1, 2, "a", "R", StartTime=""), "a task without StartTime is '1'"),
        (task("1", 1, 2, "a", "R", StartTime="soon"), "line 1: StartTime is 'soon'"),
        (task("1", 1, 2, "a", "R", StartTime="9999999999"), "StartTime is '9999999999'"),
        (task("1", 1, 2, "a", "R", WorkerId="-4"), "WorkerId is '-4'"),
        (task("1", 1, 2, "a b", "R"), "Modes is 'R'"),
        (task("1", 1, 2, "a", "Q"), "Modes is 'Q'"),
        (task("1", 1, 2, "xyz", "R"), "Handles is 'xyz'"),
        (task("1", 1, 2, "a", "R", Sizes="-8"), "Sizes is '-8'"),
        (task("1", 1, 2, "a", "R") * 2, "row 2 of tasks: the task 1 is a duplicate"),
        (task("1", 1, 2, "a", "R")[:-1], "the last record has no end"),
        (task("1", 1, 2, "a", "R").replace("Name", "?"), "line 1: '?: k' is not what a line"),
        ("Name: k\n" + task("1", 1, 2, "a", "R"), "line 2: the field Name is a duplicate"),
        ("JobId: 1\nSubmitTime: 1.0\n\n", "no task in it ever started"),
    ],
)
def test_wrong_records_are_refused_with_their_line(warehouse, tmp_path, records, message):
    assert message in refused(warehouse, trace(tmp_path, records))


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ('10 1.0 w0 WS "B"\n10 1.5 w0 WS "Sl"', "stops before the last task of the worker w0 ends"),
        ('10 soon w0 WS "B"', "the time is 'soon'"),
        ("10 1.0 w0 WS", "an event of a state is '10'"),
        ("23 1.0 MPIL MPIroot many 0_mpict key 3", "the size is 'many'"),
        ("23 1.0 MPIL MPIroot 8 0_mpict key 3", "there is no data.rec to show what they carry"),
    ],
)
def test_wrong_states_are_refused(warehouse, tmp_path, states, message):
    text = refused(warehouse, trace(tmp_path, task("1", 1, 2, "a", "R"), states))
    assert message in text
    assert "paje.trace" in text


def test_a_trace_without_tasks_is_refused(warehouse, tmp_path):
    shutil.copy(SAMPLE / "data.rec", tmp_path)
    assert "there is no tasks.rec next to this file" in refused(warehouse, tmp_path)
