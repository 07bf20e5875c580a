"""Warehouses that older versions of pwh made have what a new one would have, once migrated.

Those of tests/faults/older contain the samples of their time, landed by the pwh of their time. They
are compared with the same files landed now.
"""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

import warehouse
from tests.helpers.support import rows
from warehouse import analyses

OLDER = sorted((Path(__file__).parents[2] / "faults" / "older").glob("*.xz"))
# What only reading a file again would add, because its reader has become better since: the older
# warehouse, and the file in tests/samples.
READ_BETTER = {
    # which calls copy from or to pageable memory (gpu_gaps.staging_ns)
    *(
        ("0210_saved_queries", file)
        for file in (
            "chrome-trace/memory.json", "kineto/rank0.pt.trace.json", "nsys/report.sqlite",
            "rocpd/results.db", "rocprof/238_kernel_trace.csv", "rocprof/rocprofv2.csv",
        )
    ),
    # which ends of arrows have no start before them
    ("0210_saved_queries", "chrome-trace/browser.json"),
    # the repository in the name of the application; cache counts of each kernel
    *(
        ("0210_saved_queries", file)
        for file in (
            "benchmarks/action.json", "benchmarks/data.js", "gpgpusim/statistics.log",
        )
    ),
}  # fmt: skip
# Older models remain, so that those of this pwh have other versions.
# Sources are numbered as they land; they are compared by their content.
VARYING = {"path", "ingested_at", "pwh_version", "model", "source_id", "landed_at"}
VERDICTS = ("run_metrics", "bottleneck_verdicts", "slo_by_run", "throughput_predictions")
TABLES = """
    SELECT DISTINCT table_name
    FROM duckdb_columns()
    JOIN duckdb_tables() USING (database_name, table_name)
    WHERE database_name = 'fresh' AND column_name IN ('run_id', 'source_id')
"""
COMMON = """
    CREATE TEMP TABLE contents AS
    SELECT 'main' AS place, source_id, concat_ws(' ', sha256, reader) AS content FROM sources
    UNION ALL
    SELECT 'fresh', source_id, concat_ws(' ', sha256, reader) FROM fresh.sources;

    CREATE TEMP TABLE common AS
    SELECT content, run_id, regexp_extract(path, '/samples/(.*)', 1) AS file
    FROM sources
    JOIN run_facts USING (source_id)
    JOIN contents USING (source_id)
    WHERE place = 'main'
      AND content IN (SELECT content FROM contents WHERE place = 'fresh');
"""
# Files have the times of their copies.
TIMES_OF_FILES = """
    DELETE FROM run_facts WHERE stated_by = 'file_time';
    DELETE FROM fresh.run_facts WHERE stated_by = 'file_time';
    UPDATE runs SET started_at = NULL
    WHERE run_id NOT IN (SELECT run_id FROM run_facts WHERE started_at IS NOT NULL);
    UPDATE fresh.runs SET started_at = NULL
    WHERE run_id NOT IN (SELECT run_id FROM fresh.run_facts WHERE started_at IS NOT NULL);
"""


@pytest.fixture
def both(run, samples_warehouse, tmp_path):
    """Migrate a compressed warehouse; return it with a new one attached as fresh."""
    opened = []

    def both(packed):
        path = tmp_path / "older.duckdb"
        path.write_bytes(lzma.decompress(packed.read_bytes()))
        code, out, _ = run("--db", path, "migrate")
        assert code == 0 and "computed the scalars" in out
        assert run("--db", path, "migrate")[1] == f"{path} is up to date\n"
        assert "the warehouse is whole" in run("--db", path, "doctor")[1]
        fresh = tmp_path / "fresh.duckdb"
        fresh.write_bytes(samples_warehouse.read_bytes())
        opened.append(warehouse.connect(path))
        opened[0].execute(f"ATTACH '{fresh}' AS fresh")
        opened[0].execute(COMMON)
        opened[0].execute(TIMES_OF_FILES)
        return opened[0]

    yield both
    opened[0].close()


def differing(con, table):
    """Return the common files of which a table or view has other rows in both warehouses."""
    kinds = {name: kind for name, kind, *_ in rows(con, f"DESCRIBE fresh.{table}")}
    columns = [
        f'CAST(t."{name}" AS FLOAT) AS "{name}"' if kind == "DOUBLE" else f't."{name}"'
        for name, kind in kinds.items()
        if name not in VARYING
    ]
    key, join = "run_id", ""
    if "source_id" in kinds:
        key, join = "content", "JOIN contents AS c ON c.source_id = t.source_id AND c.place = '{}'"
        columns.append(key)
    here, there = (
        f"(SELECT {', '.join(columns)} FROM {place}.{table} AS t {join.format(place)})"
        for place in ("main", "fresh")
    )
    other = f"({here} EXCEPT ALL {there}) UNION ALL ({there} EXCEPT ALL {here})"
    sql = f"SELECT DISTINCT file FROM common SEMI JOIN ({other}) AS other USING ({key})"
    return {file for (file,) in rows(con, sql)}


@pytest.mark.parametrize("packed", OLDER, ids=lambda path: path.name.partition(".")[0])
def test_a_migrated_warehouse_has_the_rows_and_verdicts_of_a_new_one(packed, both):
    con = both(packed)
    assert rows(con, "SELECT count(DISTINCT content) > 40 FROM common") == [(True,)]
    name = packed.name.partition(".")[0]
    computed = {*analyses.ORDER, "analyses", "analysis_states"}
    landed = [table for (table,) in rows(con, TABLES) if table not in computed]
    compared = [*landed, *VERDICTS]
    found = {(name, file): table for table in compared for file in differing(con, table)}
    assert len(compared) > 20
    assert found.keys() == {one for one in READ_BETTER if one[0] == name}, found
