"""A file of many runs lands by the same statements as one of few, and holds no more than it has to.

How long 10^5 runs take, and the memory of large profiles, is measured by
`python -m tests.bench.bench_growth`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import warehouse as pwh
from ingest.forget import forget_source
from ingest.load import load
from ingest.memory import registered
from ingest.runs import RunBook
from ingest.walk import find
from tests.bench.bench_growth import runs_of
from tests.helpers.support import land, rows
from tests.ingest.cases.chrome_trace import enlarge_kineto

if TYPE_CHECKING:
    from warehouse.session import Connection


class _Counting:
    """A connection that lists its statements."""

    def __init__(self, con: Connection) -> None:
        self._con = con
        self.statements: list[str] = []

    def execute(self, sql: str, *params: Any) -> Any:
        self.statements.append(sql)
        return self._con.execute(sql, *params)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._con, name)


class _Measuring(_Counting):
    """A connection that adds up the rows that the statements of each kind produce on their way."""

    def __init__(self, con: Connection) -> None:
        super().__init__(con)
        con.execute("PRAGMA enable_profiling = 'no_output'")
        self.work: Counter[str] = Counter()

    def execute(self, sql: str, *params: Any) -> Any:
        done = super().execute(sql, *params)
        kind = " ".join(re.sub(r"--.*\n", "", sql).split()[:3])
        self.work[kind] += _work(json.loads(self._con.get_profiling_information()))
        return done


def _work(operator: dict[str, Any]) -> int:
    """Return the most rows that an operator of a plan produces, or compares each with each."""
    below = operator.get("children", [])
    rows_made = operator.get("operator_cardinality") or 0
    conditions = operator.get("extra_info", {}).get("Conditions", [])
    by_run = {"run_id = run_id", "run_id IS NOT DISTINCT FROM run_id"}
    of_run = {conditions} if isinstance(conditions, str) else set(conditions)
    kind = operator.get("operator_type") or ""
    if kind.endswith(("NL_JOIN", "NESTED_LOOP_JOIN", "CROSS_PRODUCT")) or (
        kind == "HASH_JOIN" and not any(" = " in one for one in of_run - by_run)
    ):
        rows_made = math.prod(one.get("operator_cardinality") or 0 for one in below)
    return max([rows_made, *map(_work, below)])


@pytest.mark.parametrize("kind", ["counters", "functions", "unnamed", "walls", "traces"])
def test_many_runs_land_by_the_statements_of_few(warehouse, tmp_path, monkeypatch, kind):
    listed = []
    monkeypatch.setattr(
        RunBook, "run_ids", property(lambda book: (listed.append(1), tuple(book._runs))[1])
    )
    counts = []
    # of 300 runs on there are more pairs of versions than are compared at once
    for runs in (300, 600):
        con = _Counting(warehouse)
        (found,) = find([runs_of(tmp_path / f"{runs}.csv", runs, kind)])
        recording = found.recording()
        listed.clear()
        with closing(recording):
            landed = load(con, recording, found.reader)  # type: ignore[arg-type]
        assert len(landed.runs) == runs
        # Pairs of versions are compared 25 at a time.
        parts = ("FROM _every WHERE nth", "INSERT INTO version_comparisons")
        statements = [one for one in con.statements if not any(part in one for part in parts)]
        counts.append((len(statements), len(listed)))
        forget_source(warehouse, landed.source_id)
    assert counts[0] == counts[1], "statements, and how often all runs were listed"


def test_a_trace_of_a_gpu_lands_in_proportion_to_its_length(new_warehouses_are_copies, tmp_path):
    work = []
    for times in (10, 40):
        (tmp_path / f"{times}").mkdir()
        (found,) = find([enlarge_kineto(tmp_path / f"{times}", times)])
        # One of its own each: within the transaction DuckDB has no statistics of the first rows.
        with pwh.connect(tmp_path / f"{times}.duckdb") as con, closing(found.recording()) as trace:
            measuring = _Measuring(con)
            load(measuring, trace, found.reader)  # type: ignore[arg-type]
        work.append(measuring.work)
    short, long = work
    assert long["INSERT INTO _task_graphs"] >= long["INSERT INTO tasks"] > 4000
    for kind, rows_made in long.items():
        assert rows_made <= 5 * max(short[kind], 400), kind


def test_what_runs_state_is_right_at_any_number_of_runs(warehouse, tmp_path):
    land(warehouse, runs_of(tmp_path / "x.csv", 300, "walls"), facts={"machine": "m9"})
    assert (
        rows(
            warehouse,
            "SELECT count(*), count(DISTINCT position), max(position), "
            "count(*) FILTER (run_id <> 'r' || position) FROM run_facts GROUP BY stated_by",
        )
        == [(300, 300, 299, 0)] * 2
    )
    assert rows(warehouse, "SELECT DISTINCT machine FROM runs") == [("m9",)]


def test_rows_of_a_batch_are_let_go_before_the_transaction_ends(warehouse):
    warehouse.execute("BEGIN")
    before = pa.total_allocated_bytes()
    for number in range(4):
        batch = pa.table({"run_id": ["r"] * 5000, "event": ["x" * 1000] * 5000})
        batch = batch.append_column("source_id", pa.array([number] * 5000))
        assert pa.total_allocated_bytes() - before < 8_000_000, f"batch {number}"
        with registered(warehouse, _rows=batch):
            del batch
            for _ in range(2):  # as often as the statements like
                warehouse.execute("INSERT INTO pmu_samples BY NAME FROM _rows")
    assert pa.total_allocated_bytes() - before < 1_000_000
    assert rows(warehouse, "SELECT count(*) FROM pmu_samples") == [(40_000,)]
    warehouse.execute("ROLLBACK")


def test_names_that_were_registered_are_free_again(warehouse):
    with registered(warehouse, _rows=pa.table({"a": [1]})):
        assert rows(warehouse, "FROM _rows") == [(1,)]
    with registered(warehouse, _rows=pa.table({"b": ["x"], "c": [2.0]})):
        assert rows(warehouse, "FROM _rows") == [("x", 2.0)]


def test_samples_are_added_up_in_parts_as_at_once(tmp_path, warehouse, monkeypatch):
    from ingest.readers.profiles.sampling import perf_script, stacks
    from tests.bench import bench_perf_script

    monkeypatch.setattr(bench_perf_script, "_STACKS", 40)
    path = tmp_path / "perf.script"
    bench_perf_script.write(path, 1000)
    query = """
        SELECT thread, region, event, value, inclusive FROM pmu_samples
        WHERE run_id = (SELECT max(run_id) FROM runs)
        ORDER BY ALL
    """
    land(warehouse, Path(path), run_id="a")
    at_once = rows(warehouse, query)
    assert sum(row[3] for row in at_once if row[2].startswith("samples")) == 1000
    monkeypatch.setattr(stacks, "_MOST_WAITING", 7)
    for known in ("_MOST_KNOWN", "_MOST_TEXT"):
        monkeypatch.setattr(perf_script, known, 10)
    land(warehouse, Path(path), run_id="b")
    assert rows(warehouse, query) == at_once
    # Without those above sampled paths, whose own weight is 0.
    monkeypatch.setattr(stacks, "_MOST_ROWS", 10)
    land(warehouse, Path(path), run_id="c")
    assert rows(warehouse, query) == [row for row in at_once if row[3]]
