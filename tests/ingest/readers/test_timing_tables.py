"""Tables of times by counts, as people write them."""

from __future__ import annotations

import pytest

from ingest.walk import find
from tests.helpers.scaling import check_stored_forecasts
from tests.helpers.support import land, rows
from tests.ingest.cases.timing_tables import SAMPLE
from warehouse.errors import InputError


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "long.csv",
            "nprocs,region,time_ms\n1,solve,100\n2,solve,51\n",
            [(1, None, "solve", None, 0.1), (2, None, "solve", None, 0.051)],
        ),
        (
            "wide.csv",
            "ranks,total (s),compute (s),comm (s)\n4,2.8,2.5,0.3\n",
            [
                (4, None, "comm", "n-to-n collective", 0.3),
                (4, None, "compute", None, 2.5),
                (4, None, "whole program", "total", 2.8),
            ],
        ),
        (
            "mean.txt",
            "# nodes avg std\n1 123.4 1.2\n2 62.1 0.5\n",
            [(None, 1, "whole program", "total", 123.4), (None, 2, "whole program", "total", 62.1)],
        ),
        (
            "clock.csv",
            "nodes;walltime\n1;01:02:03\n2;1-00:00:01\n4;10:02.5\n",
            [
                (None, 1, "whole program", "total", 3723.0),
                (None, 2, "whole program", "total", 86401.0),
                (None, 4, "whole program", "total", 602.5),
            ],
        ),
        (
            "cells.tsv",
            "procs\tFFT\tsolve\n8\t1400 ms\t2.5 s\n",
            [(8, None, "FFT", None, 1.4), (8, None, "solve", None, 2.5)],
        ),
        (
            "comma.csv",
            "ranks;MPI_Bcast (ms);solve (ms)\n8;10,5;2\n",
            [(8, None, "MPI_Bcast", None, 0.0105), (8, None, "solve", None, 0.002)],
        ),
    ],
)
def test_forms_of_tables(warehouse, tmp_path, name, text, expected):
    path = tmp_path / name
    path.write_text(text)
    land(warehouse, path)
    assert (
        rows(
            warehouse,
            """
            SELECT ranks, nodes, function, kind, round(seconds, 9)
            FROM fn_timings JOIN runs USING (run_id) ORDER BY ranks, nodes, function
            """,
        )
        == expected
    )


def test_ranks_are_no_repetitions(warehouse, tmp_path):
    path = tmp_path / "ranks.csv"
    path.write_text("nprocs,rank,region,time_ms\n2,0,solve,40\n2,1,solve,50\n2,1,solve,500\n")
    land(warehouse, path)
    found = rows(warehouse, "SELECT rank, repetition, seconds FROM fn_timings ORDER BY ALL")
    assert found == [(0, 0, 0.04), (1, 0, 0.05), (1, 1, 0.5)]


def test_a_size_is_what_tables_without_counts_are_scaled_by(warehouse, tmp_path):
    path = tmp_path / "sizes.csv"
    path.write_text("n,sort (ms)\n1000,1.5\n2000,3.3\n")
    land(warehouse, path)
    found = rows(warehouse, "SELECT parallelism, seconds FROM fn_timings ORDER BY ALL")
    assert found == [(1000, 0.0015), (2000, 0.0033)]
    kinds = rows(warehouse, "SELECT DISTINCT tags['parameter:n'], problem_size FROM runs")
    assert kinds == [("size", None)]


def test_decimal_commas_beside_semicolons(warehouse, tmp_path):
    path = tmp_path / "commas.csv"
    path.write_text("cores;time (s)\n1;31,25\n2;16,5\n")
    land(warehouse, path)
    assert rows(warehouse, "SELECT seconds FROM fn_timings ORDER BY ALL") == [(16.5,), (31.25,)]


@pytest.mark.parametrize(
    "text",
    [
        "ranks,total,compute\n1,10,9\n",  # in no unit
        "ranks,solve (s)\nfour,1\n",
        "region,time_s\nsolve,1\n",
        "threads,elapsed (ms)\n1,10\n",  # of plain tables of runs
    ],
)
def test_tables_of_other_readers_and_of_none(tmp_path, text):
    path = tmp_path / "other.csv"
    path.write_text(text)
    assert [one.reader.NAME for one in find([str(path)]) if one.reader] in ([], ["plain"])


@pytest.mark.usefixtures("analyses")
def test_blocks_beyond_the_multiprocessors_are_no_faster(warehouse, tmp_path):
    lines = SAMPLE.read_text().splitlines(keepends=True)
    path = tmp_path / "blocks.csv"
    path.write_text("".join(line for line in lines if not line.startswith(("264", "528"))))
    land(warehouse, path, facts={"app": "kernels"}, tags={"multiprocessors": "132"})
    found = rows(
        warehouse,
        """
        SELECT function, low < measured AND measured < high, abs(predicted / measured - 1) < 0.1,
          list_contains(flag_codes(flags), 'beyond_capacity')
        FROM scaling_predict(528)
        JOIN (VALUES ('fma', 0.000154), ('copy', 0.000054)) AS t (function, measured)
          USING (function)
        ORDER BY function
        """,
    )
    assert found == [("copy", True, False, True), ("fma", True, True, True)]
    assert rows(warehouse, "SELECT parameter, parameter_kind, capacity FROM scaling_sets") == [
        ("blocks", "blocks", 132)
    ]
    ((hours, speedup),) = rows(
        warehouse, "SELECT core_hours, speedup > 1 FROM program_predict(264)"
    )
    assert (hours, speedup) == (None, True)
    # where they are beyond them, and where not
    check_stored_forecasts(warehouse, [100, 528])
    check_stored_forecasts(warehouse, [24])
    check_stored_forecasts(warehouse, [1056, 132 * 64])


def test_each_application_of_a_table_has_its_runs(warehouse, tmp_path):
    path = tmp_path / "apps.csv"
    path.write_text("app,n,seconds\nsort,1000,0.1\nsort,2000,0.21\nmerge,1000,0.3\n")
    land(warehouse, path, parameters={"n": "size"})
    assert rows(
        warehouse,
        "SELECT app, parallelism, seconds, tags['scaled_by'] FROM fn_timings JOIN runs "
        "USING (run_id) ORDER BY ALL",
    ) == [("merge", 1000, 0.3, "n"), ("sort", 1000, 0.1, "n"), ("sort", 2000, 0.21, "n")]


@pytest.mark.parametrize(("kind", "column"), [("threads", "threads"), ("processes", "ranks")])
def test_what_a_column_counts_is_what_the_user_states(warehouse, tmp_path, kind, column):
    path = tmp_path / "x.csv"
    path.write_text("x,seconds\n1,60\n2,31\n")
    land(warehouse, path, reader="timing-tables", parameters={"x": kind})
    assert rows(warehouse, f"SELECT {column} FROM runs ORDER BY ALL") == [(1,), (2,)]


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("threads,time\n1,64\n2,33\n", "threads,time_s"),
        ("ranks;total;comm;io_ms\n2;100;5;7\n", "ranks;total_s;comm_s;io_ms"),
    ],
)
def test_where_no_unit_is_stated_the_error_says_what_to_write(warehouse, tmp_path, text, heading):
    path = tmp_path / "times.csv"
    path.write_text(text)
    with pytest.raises(InputError, match="is unknown") as raised:
        land(warehouse, path)
    assert f"make the heading {heading} " in raised.value.hint
    # and it lands as that
    path.write_text(heading + "\n" + text.split("\n", 1)[1])
    land(warehouse, path)
    assert rows(warehouse, "SELECT count(*) > 0 FROM fn_timings") == [(True,)]


def test_counts_of_events_are_no_times_without_a_unit(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text("threads,instructions,cycles\n1,640,1000\n")
    (found,) = find([path])
    assert found.reader is None or found.reader.NAME != "timing-tables"
