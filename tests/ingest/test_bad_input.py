"""CSV files that are not what they should be: the messages, and that nothing lands."""

from __future__ import annotations

import gzip
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.contract import HTML
from tests.helpers.support import land, rows

pytestmark = pytest.mark.usefixtures("without_analyses")

COUNTERS = b"rank,event,value\n0,cycles,100\n1,cycles,200\n2,cycles,300\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty\n  expected a recording"),
        (
            COUNTERS + b"3,cycles\n",
            "line 5: 2 columns\n  expected 3, as in the first line",
        ),
        (
            COUNTERS + b"3,cycles,4,5\n",
            "line 5: 4 columns\n  expected 3, as in the first line",
        ),
        (
            COUNTERS + b"3,cycles,12.",
            "the last line has no end, so the file may have been cut off\n"
            "  expected a whole last line, or a line break behind it\n"
            "  Copy it again; if it is whole, add the line break.",
        ),
        (
            COUNTERS + b"3,cycles",
            "line 5: 2 columns\n  expected 3, as in the first line",
        ),
        (
            COUNTERS + b"three,cycles,4\n",
            "line 5: 'three' in the column rank\n  expected a whole number within 32 bits",
        ),
        (
            COUNTERS + b"3,cycles,many\n",
            "line 5: 'many' in the column value\n  expected a number",
        ),
        (
            COUNTERS + b"3000000000,cycles,4\n",
            "line 5: '3000000000' in the column rank\n  expected a whole number within 32 bits",
        ),
        (
            COUNTERS + b"2.5,cycles,4\n",
            "row 4: 2.5 in the column rank\n  expected a whole number",
        ),
        (
            COUNTERS + b"25e-1,cycles,4\n",
            "row 4: 25e-1 in the column rank\n  expected a whole number",
        ),
        (
            COUNTERS + b"3,,4\n",
            "pmu_samples: the column event is empty in some row\n"
            "  expected a value of event in every row",
        ),
        (
            COUNTERS + b"3,\xe9t\xe9,4\n",
            "line 5: the text is not UTF-8\n  expected UTF-8 text\n  Convert it with iconv.",
        ),
        (
            COUNTERS + b'3,"cycles,4\n5,cycles,6\n',
            'line 5: a quote is never closed\n  expected a closing "',
        ),
        (
            HTML,
            "no reader recognises this file; it is an HTML page, perhaps an error page saved "
            "under this name\n"
            "  expected one of the formats that `pwh readers` lists\n"
            "  If it shows a tool's results, save these as a file of their own.",
        ),
        (
            bytes(range(256)) * 20,
            "no reader recognises this file; it is binary data\n"
            "  expected one of the formats that `pwh readers` lists\n"
            "  If it is one of them, name it: --reader NAME.",
        ),
        (
            b"rank,events,value\n0,cycles,1\n",
            "line 1: the column event is missing\n"
            "  expected the columns of pmu_samples, of which event cannot be left out\n"
            "  pwh schema pmu_samples lists them all.",
        ),
        (
            b"rank,event,valu\n0,cycles,1\n",
            "line 1: the column 'valu' is not one of pmu_samples\n"
            "  expected columns among rank, thread, cpu, region, sample, t_start, t_end, event, "
            "value, unit, running, deviation, inclusive, seconds, source_line, run_id, app, "
            "version, machine, started_at, nodes, ranks, threads, problem_size, commit, branch, "
            "committed_at\n"
            "  Did you mean value?",
        ),
        (
            b"event,value,Event\ncycles,1,x\n",
            "line 1: the column 'event' is a duplicate",
        ),
        (
            b"name,city\nAnn,Rome\n",
            "no reader recognises this file; its columns (name,city) are those of no landing table"
            "\n  expected one of the formats that `pwh readers` lists\n"
            "  If it is one of them, name it: --reader NAME.",
        ),
        (
            b"block\n-----\n\nWhat a block is.\n",
            "no reader recognises this file; its columns (block) are those of no landing table"
            "\n  expected one of the formats that `pwh readers` lists\n"
            "  If it is one of them, name it: --reader NAME.",
        ),
        (
            b'"benchmark","size","PAPI_TOT_INS","IPC"\n"flux",128,2637320,0.54\n',
            "  Is each row a run? Name the column of its count threads, ranks or nodes, and that "
            "of its time with the unit: time_s, time_ms ... What else is counted, state: --reader "
            "timing-tables --parameter NAME=KIND\n"
            "  Is each row the time of a function? Name the columns function, ranks (or threads) "
            "and seconds.\n"
            "  Is each column a metric? pwh reads a value a row, in the columns region, event and "
            "value. DuckDB's UNPIVOT makes these: UNPIVOT 'FILE' ON COLUMNS(* EXCLUDE (...)) INTO "
            "NAME event VALUE value",
        ),
        (
            b"kernel,width,time_ms\nsolve,1,2\n",
            "  Is each row the time of a function? Name the columns function, ranks (or threads) "
            "and seconds.\n"
            "  Is each column a metric? pwh reads a value a row, in the columns region, event and "
            "value. DuckDB's UNPIVOT makes these: UNPIVOT 'FILE' ON COLUMNS(* EXCLUDE (...)) INTO "
            "NAME event VALUE value",
        ),
        (
            b"event,value\n",
            "the file contains no measurements\n  expected at least one row of data",
        ),
        (
            b"event,value,ranks\ncycles,1,0\n",
            "has ranks = 0\n  expected a number from 1 to 2147483647",
        ),
        (
            b"event,value,problem_size\ncycles,1,inf\n",
            "has problem_size = inf\n  expected a finite number of 0 or more",
        ),
        (
            b"run_id,event,value,version\nr,cycles,1,1.0\nr,cycles,1,1.1\n",
            "the run r has two values of version: 1.0 and 1.1\n"
            "  expected one value in all rows of a run",
        ),
        (
            b"event,value,started_at\ncycles,1,290000-01-01\n",
            "has started_at = 290000-01-01 00:00:00+00\n  expected a date from 1970 on",
        ),
        (
            b"event,value,started_at\ncycles,1,yesterday\n",
            'runs: invalid timestamp field format: "yesterday", expected format is '
            "(YYYY-MM-DD HH:MM:SS[.US][±HH[:MM[:SS]]| ZONE]) when casting from source column "
            "started_at",
        ),
    ],
    ids=lambda value: None if isinstance(value, bytes) else "",
)
def test_csv(refusal, content, message):
    assert refusal(content).endswith(message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1,2,0,9,3", "row 2 of pmu_samples: a sample ends (3) before it starts (9)"),
        ("1,2,2,3,4", "row 2 of pmu_samples: the share of time running is 2.0"),
    ],
)
def test_implausible_samples(refusal, line, message):
    content = f"event,value,running,t_start,t_end\ncycles,1,1,0,5\n{line}\n"
    assert refusal(content.encode()).startswith(message)


def test_other_encodings_in_columns_that_are_left_out(refusal, warehouse):
    """DuckDB alone would break its whole database over this one."""
    header = b"run_id,app,version,machine,event,value\n"
    message = refusal(header + b"r,a,1,m,cycles,1\nr,a,1,m,caf\xe9,1\n")
    assert message.startswith("line 3: byte 0xe9 is not text")
    assert rows(warehouse, "SELECT 1") == [(1,)]


def test_parallelism_below_one(refusal):
    message = refusal(b"function,seconds,parallelism\nf,1,1\nf,1,0\n")
    assert message.startswith("row 2 of fn_timings: the parallelism is 0")


def test_nan_and_nothing_land_as_unknown(warehouse, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("event,value,rank\ncycles,nan,\ncycles,,1\ncycles,NaN,2\n")
    land(warehouse, path)
    assert rows(warehouse, "SELECT value, rank FROM pmu_samples ORDER BY rowid") == [
        (None, None),
        (None, 1),
        (None, 2),
    ]


def test_a_metric_may_be_negative(warehouse, tmp_path):
    (tmp_path / "x.csv").write_text("event,value,unit\nslope,-2.5,J/s\n")
    land(warehouse, tmp_path / "x.csv")
    assert rows(warehouse, "SELECT event, value FROM pmu_samples") == [("slope", -2.5)]


def test_gzip_that_lies_about_its_size(refusal):
    packed = gzip.compress(COUNTERS)
    lying = packed[:-4] + (1 << 30).to_bytes(4, "little")
    assert refusal(lying, "x.csv.gz").startswith(
        "after 56 decompressed bytes: the gzip data are damaged"
    )
    assert refusal(packed[:-9], "y.csv.gz").startswith(
        "after 56 decompressed bytes: the gzip data end too early: the file is cut off"
    )
    assert refusal(packed[:5], "z.csv.gz").startswith(
        "after 0 decompressed bytes: the gzip data end too early"
    )


def test_names_that_duckdb_would_read_as_patterns(warehouse, tmp_path):
    folder = tmp_path / "event=misses"
    folder.mkdir()
    (folder / "run[1].csv").write_text("event,value\ncycles,1\n")
    (folder / "run1.csv").write_text("event,value\ncycles,2\n")
    (folder / "plain.csv.gz").write_text("event,value\ncycles,3\n")
    pq.write_table(pa.table({"event": ["cycles"], "value": [4.0]}), folder / "x*.parquet")
    land(warehouse, folder / "run[1].csv")
    land(warehouse, folder / "plain.csv.gz")
    land(warehouse, folder / "x*.parquet")
    found = rows(warehouse, "SELECT event, value FROM pmu_samples ORDER BY value")
    assert found == [("cycles", 1.0), ("cycles", 3.0), ("cycles", 4.0)]


def test_a_name_that_is_no_utf8(warehouse, tmp_path):
    path = tmp_path / os.fsdecode(b"caf\xe9.csv")
    try:
        path.write_bytes(b"event,value\ncycles,1\n")
    except OSError:
        pytest.skip("this file system has no such names")
    land(warehouse, path)
    assert rows(warehouse, r"SELECT path LIKE '%/caf\xe9.csv' FROM sources") == [(True,)]
