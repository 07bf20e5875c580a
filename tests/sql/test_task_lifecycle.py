"""Life cycle of tasks (submitted, inputs ready, running, done) and of data (made ... consumed)."""

from __future__ import annotations

from tests.helpers.notation import schedule
from tests.helpers.schedules import land_schedule
from tests.helpers.support import rows

STAGES = "t_submit, t_ready, wait_for_inputs_ns, wait_to_run_ns, run_ns"


def task(name, start, end, submit=None, worker="w"):
    return {
        "fragment_id": name,
        "worker_id": worker,
        "t_start": start,
        "t_end": end,
        "t_submit": submit,
        "ftype": name[0],
    }


def lifecycle(con, name="m"):
    (row,) = rows(con, f"SELECT {STAGES} FROM task_lifecycle WHERE task = ?", name)
    return row


def land(con, *tasks, data=(), inputs=(), **tables):
    land_schedule(
        con,
        {
            "workers": [{"worker_id": "w", "node_id": "n"}],
            "fragments": list(tasks),
            "data": [dict(zip(("data_id", "producer_fragment"), row, strict=True)) for row in data],
            "inputs": [{"fragment_id": "m", "data_id": name} for name in inputs],
            **tables,
        },
    )


def test_stages_follow_the_clock_of_the_node(warehouse):
    land(
        warehouse,
        task("p", 10, 30, 0),
        task("m", 50, 60, 5),
        data=[("x", "p")],
        inputs=["x"],
        nodes=[{"node_id": "n", "clock_offset_ns": 5}],
    )
    assert lifecycle(warehouse) == (0, 25, 25, 20, 10)
    assert rows(
        warehouse,
        "SELECT name, known_tasks, wait_for_inputs_ns, wait_to_run_ns, run_ns, run_percent "
        "FROM task_lifecycle_by_type ORDER BY name",
    ) == [("m", 1, 25, 20, 10, 100 * 10 / 55), ("p", 1, 0, 10, 20, 100 * 20 / 30)]


def test_a_task_without_inputs_is_ready_when_it_is_submitted(warehouse):
    land(warehouse, task("m", 50, 60, 5), data=[("there", None)], inputs=["there"])
    assert lifecycle(warehouse) == (5, 5, 0, 45, 10)


def test_unknown_stays_unknown(warehouse):
    land(warehouse, task("m", 50, 60, 5), data=[("x", "lost")], inputs=["x"])
    assert lifecycle(warehouse) == (5, None, None, None, 10)


def test_an_unlisted_input_is_unknown(warehouse):
    land(warehouse, task("p", 10, 30), task("m", 50, 60, 5), inputs=["never-listed"])
    assert lifecycle(warehouse) == (5, None, None, None, 10)
    assert lifecycle(warehouse, "p") == (None, None, None, None, 20)


def test_a_task_that_ran_before_its_inputs_has_no_waits(warehouse):
    land(warehouse, task("p", 10, 80, 0), task("m", 50, 60, 5), data=[("x", "p")], inputs=["x"])
    assert lifecycle(warehouse) == (5, 80, None, None, 10)


def test_where_no_inputs_are_recorded_it_is_unknown_when_they_were_ready(warehouse):
    land(warehouse, task("m", 50, 60, 5))
    assert lifecycle(warehouse) == (5, None, None, None, 10)


def test_data_are_made_sent_received_and_consumed(warehouse):
    """On one node, on another, by a way not recorded, backwards in time, and read by nobody."""
    text = (
        "A:n0; B:n1; A p 0-10; A m 30-40 <p; B k 50-60 <p; p>n1 15-45; A q 40-44; B l 70-80 <q;"
        "A s 44-48; B j 80-90 <s; s>n1 60-50"
    )
    told = schedule(text)
    told["data"].append({"data_id": "left", "producer_fragment": "q"})
    land_schedule(warehouse, told)
    ms = ", ".join(
        f"{column} / 1000000" for column in ("wait_to_send_ns", "transit_ns", "wait_to_consume_ns")
    )
    assert rows(
        warehouse, f"SELECT data, reader, {ms} FROM data_lifecycle ORDER BY data, reader"
    ) == [
        ("left", None, None, None, None),
        ("p", "k", 5, 30, 5),
        ("p", "m", None, None, 20),
        ("q", "l", None, None, None),
        ("s", "j", 12, None, 30),
    ]
