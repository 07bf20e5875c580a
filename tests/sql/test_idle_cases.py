"""Single points of the idle attribution, one small schedule each."""

from __future__ import annotations

from typing import Any

from tests.helpers.schedules import land_schedule
from tests.helpers.support import rows

NODES = {"A": "n0", "B": "n1"}


def worker(name: str, **more: Any) -> dict[str, Any]:
    return {"worker_id": name, "node_id": NODES[name], "t_begin": 0, "t_end": 100, **more}


def task(name: str, on: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    return {"fragment_id": name, "worker_id": on, "t_start": start, "t_end": end, **more}


def datum(name: str, maker: str | None = None, **more: Any) -> dict[str, Any]:
    return {"data_id": name, "producer_fragment": maker, **more}


def reads(name: str, *data: str) -> list[dict[str, Any]]:
    return [{"fragment_id": name, "data_id": d} for d in data]


def transfer(data: str, src: str | None, dst: str, send: int | None, recv: int) -> dict[str, Any]:
    return {"data_id": data, "src_node": src, "dst_node": dst, "t_send": send, "t_recv": recv}


def work(on: str, start: int, end: int, total: int | None = None) -> dict[str, Any]:
    return {"worker_id": on, "t_start": start, "t_end": end, "total_ns": total}


def of_m(con, columns, *, mode="direct", rule="union", **schedule):
    """Land a schedule of the workers A (n0) and B (n1); give the interval before task m."""
    land_schedule(con, {"workers": [worker("A"), worker("B")], **schedule})
    (row,) = rows(
        con,
        f"SELECT {columns} FROM idle_attribution WHERE task = 'm' AND mode = ? "
        "AND latency_rule = ?",
        mode,
        rule,
    )
    return row


SLO = "starvation, latency, overhead"


def test_of_equally_late_inputs_the_bytewise_smallest_counts(warehouse):
    found = of_m(
        warehouse,
        "last_data, blamed_task",
        fragments=[task("p", "A", 0, 30), task("m", "B", 50, 60)],
        data=[datum("é", "p"), datum("b", "p"), datum("Z", "p", t_ready=30)],
        inputs=reads("m", "é", "b", "Z"),
    )
    assert found == ("Z", "p")


def test_what_a_task_makes_itself_is_no_input(warehouse):
    found = of_m(
        warehouse,
        "last_data, starvation1, overhead",
        fragments=[task("m", "B", 50, 60)],
        data=[datum("own", "m", t_ready=40)],
        inputs=reads("m", "own"),
    )
    assert found == (None, 0, 50)


def test_data_of_unknown_making_starve_nobody_but_travel(warehouse):
    found = of_m(
        warehouse,
        f"last_data, {SLO}, flag_codes(flags)",
        fragments=[task("m", "B", 50, 60)],
        data=[datum("x")],
        inputs=reads("m", "x", "unheard-of"),
        transfers=[transfer("x", None, "n1", 10, 20), transfer("unheard-of", "n7", "n1", 15, 40)],
    )
    assert found == (None, 0, 30, 20, ["unknown_input"])


def test_ready_before_its_producer_ends_and_on_another_node(warehouse):
    found = of_m(
        warehouse,
        f"starvation1, {SLO}, blamed_worker, flag_codes(flags)",
        fragments=[task("p", "A", 0, 90), task("m", "B", 50, 60)],
        data=[datum("x", "p", t_ready=20, node_id="n1")],
        inputs=reads("m", "x"),
        runtime=[work("A", 5, 8), work("A", 7, 10)],
    )
    assert found == (20, 15, 0, 35, "A", [])


def test_a_producer_that_no_table_knows_is_named_but_separates_nothing(warehouse):
    found = of_m(
        warehouse,
        f"{SLO}, blamed_task, blamed_worker",
        fragments=[task("m", "B", 50, 60)],
        data=[datum("x", "ghost", t_ready=20)],
        inputs=reads("m", "x"),
        runtime=[work("A", 0, 20)],
    )
    assert found == (20, 0, 30, "ghost", None)


def test_the_transfer_that_was_there_first_counts(warehouse):
    found = of_m(
        warehouse,
        SLO,
        fragments=[task("p", "A", 0, 10), task("m", "B", 90, 95)],
        data=[datum("x", "p")],
        inputs=reads("m", "x"),
        transfers=[
            transfer("x", "n0", "n1", 12, 60),
            transfer("x", "n0", "n1", 30, 40),
            transfer("x", "n0", "n1", 20, 40),
        ],
    )
    assert found == (10, 20, 60)


def test_without_a_send_time_the_flight_begins_when_the_datum_is_made(warehouse):
    schedule = {
        "fragments": [task("p", "A", 0, 10), task("m", "B", 90, 95)],
        "data": [datum("x", "p")],
        "inputs": reads("m", "x"),
        "transfers": [transfer("x", "n0", "n1", None, 40)],
    }
    assert of_m(warehouse, SLO, **schedule) == (10, 30, 50)


def test_hops_on_the_way_count_and_a_ring_of_hops_ends(warehouse):
    found = of_m(
        warehouse,
        f"{SLO}, flag_codes(flags)",
        fragments=[task("p", "A", 0, 10), task("m", "B", 90, 95)],
        data=[datum("x", "p")],
        inputs=reads("m", "x"),
        transfers=[
            transfer("x", "n3", "n1", 50, 60),
            transfer("x", "n2", "n3", 30, 40),
            transfer("x", "n3", "n2", 15, 20),
        ],
    )
    assert found == (10, 25, 55, [])


def test_last_arrival_takes_all_up_to_the_last_input(warehouse):
    schedule = {
        "fragments": [task("p", "A", 0, 10), task("m", "B", 90, 95, t_submit=80)],
        "data": [datum("x", "p"), datum("y", "p")],
        "inputs": reads("m", "x", "y"),
        "transfers": [transfer("x", "n0", "n1", 15, 20), transfer("y", "n0", "n1", 40, 70)],
    }
    parts = f"{SLO}, ov_unsubmitted"
    assert of_m(warehouse, parts, **schedule) == (10, 35, 45, 35)
    assert of_m(warehouse, parts, rule="last_arrival", **schedule) == (10, 60, 20, 10)


def test_flags(warehouse):
    found = of_m(
        warehouse,
        f"{SLO}, flag_codes(flags)",
        fragments=[task("p", "A", 0, 60), task("q", "A", 60, 61), task("m", "B", 50, 60)],
        data=[datum("x", "p"), datum("y", None, node_id="n0"), datum("z", None, node_id="n0")],
        inputs=reads("m", "x", "y", "z"),
        transfers=[transfer("x", "n0", "n1", 60, 65), transfer("z", "n0", "n1", 30, 20)],
    )
    flags = ["causality", "late_arrival", "missing_transfer", "neg_transfer"]
    assert found == (50, 0, 0, flags)


def test_every_time_is_corrected_by_the_clock_that_took_it(warehouse):
    found = of_m(
        warehouse,
        f"t_start, t_end, {SLO}, ov_unsubmitted, flag_codes(flags)",
        nodes=[
            {"node_id": "n0", "clock_offset_ns": 1000},
            {"node_id": "n1", "clock_offset_ns": -500},
        ],
        workers=[
            worker("A", t_begin=1000, t_end=1100),
            worker("B", t_begin=-500, t_end=-400),
        ],
        fragments=[
            task("p", "A", 1000, 1030),
            task("m", "B", -440, -430, t_submit=-445),
        ],
        data=[datum("x", "p", t_ready=1025)],
        inputs=reads("m", "x"),
        transfers=[transfer("x", "n0", "n1", 1030, -460)],
        runtime=[work("A", 1005, 1010)],
    )
    assert found == (0, 60, 20, 10, 30, 20, [])


def test_overhead_and_latency_of_the_producers_own_wait_are_passed_on(warehouse):
    schedule = {
        "fragments": [task("o", "B", 0, 10), task("p", "A", 50, 60), task("m", "B", 80, 90)],
        "data": [datum("x", "o"), datum("y", "p")],
        "inputs": [*reads("p", "x"), *reads("m", "y")],
        "transfers": [transfer("x", "n1", "n0", 20, 40), transfer("y", "n0", "n1", 60, 70)],
    }
    parts = f"starvation1, ov_concrete, lat_inherited, {SLO}"
    assert of_m(warehouse, parts, **schedule) == (50, 0, 0, 50, 10, 10)
    assert of_m(warehouse, parts, mode="propagated", **schedule) == (50, 20, 0, 30, 10, 30)
    assert of_m(warehouse, parts, mode="transitive", **schedule) == (50, 20, 20, 10, 30, 30)


def test_only_waits_that_ended_strictly_before_are_passed_on(warehouse):
    found = of_m(
        warehouse,
        SLO,
        mode="transitive",
        fragments=[task("p", "A", 60, 60), task("m", "B", 60, 90)],
        data=[datum("y", "p")],
        inputs=reads("m", "y"),
        transfers=[transfer("y", "n0", "n1", 60, 60)],
    )
    assert found == (60, 0, 0)


def test_products_beyond_64_bits(warehouse):
    huge = 2**61
    found = of_m(
        warehouse,
        "ov_uniform",
        workers=[worker("A", t_end=huge), worker("B", t_end=huge)],
        fragments=[task("p", "A", 0, huge // 2), task("m", "B", huge - 1, huge)],
        data=[datum("y", "p")],
        inputs=reads("m", "y"),
        runtime=[work("A", 0, huge, huge - 5)],
    )
    assert found == ((huge - 5) // 2,)


def test_totals_cannot_take_more_than_the_starvation(warehouse):
    found = of_m(
        warehouse,
        f"ov_uniform, {SLO}",
        fragments=[task("p", "A", 0, 50), task("m", "B", 50, 60)],
        data=[datum("y", "p", node_id="n1")],
        inputs=reads("m", "y"),
        runtime=[work("A", 0, 50, 60), work("A", 20, 40, 15), work("A", 40, 40, 9)],
    )
    assert found == (50, 0, 0, 50)


def test_workers_that_only_tasks_speak_of_have_the_programs_window(warehouse):
    land_schedule(
        warehouse,
        {"workers": [], "fragments": [task("f", "A", 10, 20), task("g", "B", 15, 40)]},
    )
    assert rows(
        warehouse,
        "SELECT worker, t_start, t_end, kind FROM idle_intervals ORDER BY worker, t_start",
    ) == [("A", 20, 40, "tail"), ("B", 10, 15, "lead")]
