"""Neutral task tables: what is read, what may be missing, what is refused."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from apps.queries.base import ask_dicts
from apps.queries.runs import run_facts
from ingest.base import Head
from ingest.readers.tasks.task_tables.reader import TaskTables
from tests.helpers.support import land, rows, shared
from warehouse.errors import InputError

WORKERS = "worker_id node_id\nw0 n0\n"
FRAGMENTS = "fragment_id worker_id t_start t_end\na w0 10 20\nb w0 30 40\n"


def write(folder: Path, **tables: str) -> Path:
    """Write CSV tables: a header line, then a line a row, columns apart by blanks; - is empty."""
    for name, text in {"workers": WORKERS, "fragments": FRAGMENTS, **tables}.items():
        lines = [
            ",".join("" if value == "-" else value for value in line.split())
            for line in text.strip().splitlines()
        ]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def refused(con, folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        land(con, folder)
    assert rows(con, "SELECT count(*) FROM sources") == [(0,)]
    return str(caught.value)


def test_columns_in_any_order_optional_ones_missing_unknown_ones_ignored(warehouse, tmp_path):
    write(tmp_path, fragments="colour t_end worker_id fragment_id t_start\nred 20 w0 a 10\n")
    land(warehouse, tmp_path)
    assert rows(warehouse, "SELECT task, worker, name, t_submit, t_start, t_end FROM tasks") == [
        ("a", "w0", None, None, 10, 20),
    ]


def test_a_wholly_empty_column_is_unknown_not_text(warehouse, tmp_path):
    write(
        tmp_path,
        fragments="fragment_id worker_id t_start t_end ftype t_submit\na w0 10 20 - -\n",
        data="data_id producer_fragment node_id t_ready nbytes\nd a - - -\n",
    )
    land(warehouse, tmp_path)
    assert rows(warehouse, "SELECT name, t_submit FROM tasks") == [(None, None)]
    assert rows(warehouse, "SELECT producer, node, t_ready, bytes FROM task_data") == [
        ("a", None, None, None),
    ]


def test_lines_before_the_header_that_begin_with_a_hash_are_comments(warehouse, tmp_path):
    write(tmp_path, fragments=f"#_by_hand\n\n{FRAGMENTS}")
    land(warehouse, tmp_path)
    assert rows(warehouse, "SELECT task, t_start FROM tasks") == [("a", 10), ("b", 30)]


def test_other_files_in_the_folder_are_ignored(warehouse, tmp_path):
    write(tmp_path, truth="worker_id t0 t1\nw0 0 10\n")
    (tmp_path / "params.json").write_text(json.dumps({"nodes": 1}))
    assert [landed.rows for landed in land(warehouse, tmp_path)] == [{"workers": 1, "tasks": 2}]


def test_any_table_names_the_folder_and_tables_may_be_compressed(warehouse, tmp_path):
    write(tmp_path)
    plain = tmp_path / "fragments.csv"
    (tmp_path / "fragments.csv.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    land(warehouse, tmp_path / "workers.csv")
    assert rows(warehouse, "SELECT task FROM tasks ORDER BY task") == [("a",), ("b",)]
    assert rows(warehouse, "SELECT parse_filename(path) FROM sources") == [("fragments.csv.gz",)]


def test_parquet_with_floats_for_whole_numbers_with_gaps(warehouse, tmp_path):
    tables = {
        "workers": "SELECT 'w0' AS worker_id, 'n0' AS node_id",
        "fragments": "SELECT 7 AS fragment_id, 'w0' AS worker_id, 10 AS t_start, 20 AS t_end, "
        "CAST('nan' AS DOUBLE) AS t_submit",
        "data": "SELECT 'd' AS data_id, 512.0::DOUBLE AS nbytes, NULL AS t_ready",
    }
    for name, sql in tables.items():
        path = str(tmp_path / f"{name}.parquet")
        warehouse.sql(sql).write_parquet(path)
    land(warehouse, tmp_path)
    assert rows(warehouse, "SELECT task, t_submit, t_start FROM tasks") == [("7", None, 10)]
    assert rows(warehouse, "SELECT bytes, t_ready FROM task_data") == [(512, None)]


def test_sniff_needs_the_name_the_id_column_and_the_fragments(tmp_path):
    reader = TaskTables()
    workers = tmp_path / "workers.csv"
    assert not reader.sniff(Head(b"worker_id,node_id\n", workers))
    write(tmp_path)
    assert reader.sniff(Head(b"worker_id,node_id\n", workers))
    assert not reader.sniff(Head(b"name,salary\n", workers))
    assert not reader.sniff(Head(b"worker_id,node_id\n", tmp_path / "staff.csv"))
    assert not reader.sniff(Head(b"\xff\xfe\x00a\r\rb", workers))


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (
            {"fragments": "fragment_id worker_id t_start t_end\na w0 30 20\n"},
            "row 1 of tasks: the task a ends (20) before it starts (30)",
        ),
        (
            {"fragments": FRAGMENTS + "c w9 50 60\n"},
            "row 3 of tasks: the task c ran on the worker w9, which is not known",
        ),
        ({"fragments": FRAGMENTS + "a w0 50 60\n"}, "row 3 of tasks: the task a is a duplicate"),
        (
            {"workers": "worker_id node_id t_begin t_end\nw0 n0 9 3\n"},
            "row 1 of workers: the window of the worker w0 ends (3) before it begins (9)",
        ),
        ({"workers": WORKERS + "w0 n1\n"}, "row 2 of workers: the worker w0 is a duplicate"),
        ({"nodes": "node_id\nn0\nn0\n"}, "row 2 of nodes: the node n0 is a duplicate"),
        (
            {"inputs": "fragment_id data_id\na d\nz d\n"},
            "row 2 of task_inputs: the task z, which reads d, is not known",
        ),
        (
            {"inputs": "fragment_id data_id\na d\n", "data": "data_id\ne\n"},
            "row 1 of task_inputs: the datum d, which the task a reads, is not known",
        ),
        (
            {"data": "data_id producer_fragment\nd q\n"},
            "row 1 of task_data: the datum d was made by the task q, which is not known",
        ),
        ({"data": "data_id\nd\nd\n"}, "row 2 of task_data: the datum d is a duplicate"),
        ({"data": "data_id nbytes\nd -5\n"}, "the datum d has a size of -5 bytes"),
        (
            {"transfers": "data_id dst_node t_recv\nd n0 5\n", "data": "data_id\ne\n"},
            "row 1 of transfers: the datum d, which is transferred, is not known",
        ),
        (
            {"transfers": "data_id dst_node t_recv nbytes\nd n0 5 -1\n"},
            "a transfer of d has a size of -1 bytes",
        ),
        (
            {"runtime": "worker_id t_start t_end\nw0 5 4\n"},
            "a runtime interval of the worker w0 ends (4) before it starts (5)",
        ),
        (
            {"runtime": "worker_id t_start t_end total_ns\nw0 5 9 -4\n"},
            "a runtime interval of the worker w0 has a total of -4 ns",
        ),
        (
            {"runtime": "worker_id t_start t_end\nw7 5 9\n"},
            "the runtime ran on the worker w7, which is not known",
        ),
        (
            {"fragments": "fragment_id t_start t_end\na 1 2\n"},
            "fragments.csv, line 1: the column worker_id is missing",
        ),
        (
            {"fragments": "fragment_id worker_id worker_id t_start t_end\na w0 w0 1 2\n"},
            "line 1: the column 'worker_id' is a duplicate",
        ),
        (
            {"fragments": FRAGMENTS + "c w0 1.5 2\n"},
            "fragments.csv, row 3: 1.5 in the column t_start",
        ),
        (
            {"runtime": "worker_id t_start t_end\nw0 1 25e-1\n"},
            "runtime.csv, row 1: 25e-1 in the column t_end",
        ),
        ({"fragments": FRAGMENTS + "c w0 x 2\n"}, "line 4: 'x' in the column t_start"),
        ({"fragments": FRAGMENTS + "c w0 1 9223372036854775808\n"}, "within 64 bits"),
        ({"fragments": FRAGMENTS + "- w0 1 2\n"}, "the column task is empty in some row"),
    ],
)
def test_what_would_make_the_analysis_wrong_is_refused(warehouse, tmp_path, tables, message):
    assert message in refused(warehouse, write(tmp_path, **tables))


def test_workers_are_required(warehouse, tmp_path):
    write(tmp_path)
    (tmp_path / "workers.csv").unlink()
    assert "the folder has no table workers" in refused(warehouse, tmp_path)


def test_one_table_in_two_files_is_refused(warehouse, tmp_path):
    write(tmp_path)
    warehouse.sql("SELECT 'w0' AS worker_id").write_parquet(str(tmp_path / "workers.parquet"))
    assert "both workers.csv and workers.parquet" in refused(warehouse, tmp_path)


def test_a_file_cut_inside_its_last_number_can_be_refused(warehouse, tmp_path):
    path = write(tmp_path) / "fragments.csv"
    path.write_bytes(path.read_bytes()[:-2])
    message = refused(warehouse, tmp_path)
    assert "fragments.csv" in message and "before it starts" in message


def test_names_that_look_like_fractions_are_names(warehouse, tmp_path):
    write(
        tmp_path,
        workers="worker_id node_id\n1.5 n0\n",
        fragments="fragment_id worker_id t_start t_end\n2.5 1.5 1 2.0\n",
    )
    land(warehouse, tmp_path)
    assert rows(warehouse, "SELECT task, worker, t_end FROM tasks") == [("2.5", "1.5", 2)]


def test_a_parquet_column_of_another_type_is_refused(warehouse, tmp_path):
    write(tmp_path)
    (tmp_path / "fragments.csv").unlink()
    warehouse.sql(
        "SELECT 'a' AS fragment_id, 'w0' AS worker_id, now() AS t_start, 2 AS t_end"
    ).write_parquet(str(tmp_path / "fragments.parquet"))
    assert "the column t_start is of type timestamp" in refused(warehouse, tmp_path)


def test_a_parquet_file_without_its_end_is_refused(warehouse, tmp_path):
    write(tmp_path)
    path = tmp_path / "data.parquet"
    warehouse.sql("SELECT 'd' AS data_id").write_parquet(str(path))
    path.write_bytes(path.read_bytes()[:40])
    assert "this is no whole Parquet file" in refused(warehouse, tmp_path)


@pytest.mark.parametrize(
    ("name", "fragments"),
    [
        ("dask_map_wide/norm", 320),
        ("dask_tree_reduce/norm", 63),
        ("dask_chain_starve/norm", 70),
        ("dask_transfer_heavy/norm", 54),
        ("dask_tiny_tasks/norm", 3030),
        ("dask_late_submit/norm", 48),
        ("starpu_chol/norm", 364),
        ("starpu_tiny/norm", 1500),
        ("starpu_mpichol/norm", 120),
        ("gen_small", 400),
        ("gen_skew", 400),
    ],
)
def test_the_real_recordings_land(warehouse, name, fragments):
    land(warehouse, shared(f"slo/{name}"))
    assert rows(warehouse, "SELECT count(*) FROM tasks") == [(fragments,)]


TRUNCATED = {
    "fragments": "fragment_id worker_id t_start t_end\na w0 10 20\nb w0 30 40\n",
    "data": "data_id producer_fragment\nx a\ny gone\n",
    "inputs": "fragment_id data_id\nb x\nb y\nb z\nlost x\n",
}


def test_a_truncated_trace_is_refused_with_the_way_out(warehouse, tmp_path):
    message = refused(warehouse, write(tmp_path, **TRUNCATED))
    assert "made by the task gone, which is not known" in message and "--lenient" in message


def test_lenient_takes_what_is_not_listed_for_unknown(warehouse, tmp_path):
    (landed,) = land(warehouse, write(tmp_path, **TRUNCATED), lenient=True)
    assert landed.unlisted == {
        "task_data.producer": 1,
        "task_inputs.task": 1,
        "task_inputs.data": 1,
    }
    assert rows(
        warehouse,
        "SELECT task, last_data, overhead, flag_codes(flags) FROM idle_attribution "
        "WHERE mode = 'direct' AND latency_rule = 'union' AND kind = 'inner'",
    ) == [("b", "x", 10, ["unknown_input"])]


def test_lenient_still_refuses_what_is_wrong(warehouse, tmp_path):
    write(tmp_path, fragments="fragment_id worker_id t_start t_end\na w0 30 20\n")
    with pytest.raises(InputError, match="ends"):
        land(warehouse, tmp_path, lenient=True)


def test_the_wall_time_is_the_makespan(warehouse, tmp_path):
    write(
        tmp_path,
        nodes="node_id clock_offset_ns\nn0 5\nn1 -5\n",
        workers="worker_id node_id\nw0 n0\nw1 n1\n",
        fragments="fragment_id worker_id t_start t_end t_submit\na w0 20 30 15\nb w1 20 60 -\n",
    )
    land(warehouse, tmp_path)
    assert rows(warehouse, "SELECT wall_seconds FROM runs") == [(55e-9,)]


@pytest.mark.parametrize(("end", "wall"), [(60, None), (60_000, 60_000e-9)])
def test_the_makespan_is_unknown_where_clocks_that_are_apart_spoil_it(
    warehouse, tmp_path, end, wall
):
    # n1 is 40 ns ahead: what it gets takes 50 ns, what it sends -30
    write(
        tmp_path,
        workers="worker_id node_id\nw0 n0\nw1 n1\n",
        fragments=f"fragment_id worker_id t_start t_end\na w0 0 10\nb w1 50 {end}\n",
        data="data_id producer_fragment\nx a\ny b\n",
        inputs="fragment_id data_id\nb x\na y\n",
        transfers="data_id src_node dst_node t_send t_recv\nx n0 n1 10 60\ny n1 n0 60 30\n",
    )
    land(warehouse, tmp_path)
    assert rows(warehouse, "SELECT wall_seconds FROM runs") == [(wall,)]


def test_a_stated_wall_time_counts_more(warehouse, tmp_path):
    land(warehouse, write(tmp_path), facts={"wall_seconds": 3.0})
    assert rows(warehouse, "SELECT wall_seconds FROM runs") == [(3.0,)]


def test_the_table_program_has_facts_of_the_run(warehouse, tmp_path):
    write(tmp_path, program="started_at app version\n2026-01-31T12:00:00Z heat 7\n")
    land(warehouse, tmp_path)
    assert rows(warehouse, "SELECT CAST(started_at AS VARCHAR), app, version FROM runs") == [
        ("2026-01-31 12:00:00+00", "heat", "7")
    ]


@pytest.mark.parametrize("notes", [None, "A Dask run\n", "--started-at yesterday)\n"])
def test_without_a_stated_start_the_file_time_counts(warehouse, tmp_path, notes):
    write(tmp_path)
    os.utime(tmp_path / "fragments.csv", (1.7e9, 1.7e9))
    if notes is not None:
        (tmp_path / "recording.txt").write_text(notes, encoding="utf-8")
    land(warehouse, tmp_path)
    assert rows(warehouse, "SELECT epoch(started_at) FROM runs") == [(1.7e9,)]
    ((run_id,),) = rows(warehouse, "SELECT run_id FROM runs")
    # It puts runs in order, and is shown nowhere as a start.
    assert "started_at" not in run_facts(warehouse, run_id)
    assert [row["started_at"] for row in ask_dicts(warehouse, "runs/list", app=None)] == [None]


def test_older_recordings_of_the_dask_plugin_began_as_their_notes_state(warehouse, tmp_path):
    write(tmp_path)
    notes = "Time 0 (pwh ingest FOLDER --started-at 2026-01-31T12:00:00+00:00).\n"
    (tmp_path / "recording.txt").write_text(notes, encoding="utf-8")
    land(warehouse, tmp_path)
    assert rows(warehouse, "SELECT epoch(started_at) FROM runs") == [(1769860800.0,)]
