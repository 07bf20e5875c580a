"""Life cycle of tasks: submitted, inputs ready, running, done."""

from __future__ import annotations

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
