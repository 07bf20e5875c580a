"""Files that are not what they should be: what is said, and that nothing lands."""

from __future__ import annotations

import gzip
import os
import socket
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ingest.walk
from apps import cli
from tests.ingest.copies import HTML, is_empty
from tests.support import land, rows
from warehouse import connect
from warehouse.errors import InputError

COUNTERS = b"rank,event,value\n0,cycles,100\n1,cycles,200\n2,cycles,300\n"
GOOD = {
    "pmu_samples": {"event": ["cycles", "cycles"], "value": [1.0, 2.0], "rank": [0, 1]},
    "fn_timings": {"function": ["f", "g"], "seconds": [1.0, 2.0], "calls": [1, 2]},
    "bb_launches": {"launch": [0, 1], "granularity": ["thread", "warp"], "block_size": [32, 64]},
    "bb_visits": {"launch": [0, 0], "bb": [0, 1], "visits": [1, 2], "warp": [0, 0]},
    "bb_edges": {"launch": [0, 0], "src": [0, 1], "dst": [1, 0], "count": [1, 2]},
    "bb_blocks": {"bb": [0, 1], "size": [4, 5], "pc_first": [0, 40], "pc_last": [32, 72]},
    "bb_opcodes": {"launch": [0, 0], "bb": [0, 1], "opcode": ["add", "ld"], "count": [1, 2]},
    "bb_dependences": {"launch": [0, 0], "bb": [0, 1], "distance": [1, 2], "count": [1, 2]},
    "segments": {"segment": [0, 1], "cycles": [1.0, 2.0], "instructions": [3, 4], "issued": [1, 2]},
}


@pytest.fixture
def refusal(warehouse, tmp_path):
    """Land a file that must be refused, and give the message without the file's path."""

    def refuse(content, name="x.csv", **options):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(InputError) as error:
            land(warehouse, path, **options)
        assert is_empty(warehouse)
        assert str(error.value).startswith(str(path))
        return str(error.value).removeprefix(str(path)).lstrip(",: ")

    return refuse


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
            COUNTERS + b"3,cycles,12",
            "the last line has no end, so the file may have been cut off\n"
            "  expected a line break at the end of the file\n"
            "  Copy it again; if it is whole, add the line break.",
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
            COUNTERS.decode().encode("utf-16"),
            "no reader recognises this file; it is UTF-16 text; convert it: "
            "iconv -f UTF-16 -t UTF-8 FILE > NEW\n"
            "  expected one of the formats that `pwh readers` lists\n"
            "  If it is one of them, name it: --reader NAME.",
        ),
        (
            HTML,
            "no reader recognises this file; it is an HTML page, perhaps an error page saved "
            "under this name\n"
            "  expected one of the formats that `pwh readers` lists\n"
            "  If it is one of them, name it: --reader NAME.",
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
            "value, unit, running, deviation, run_id, app, version, machine, started_at, nodes, "
            "ranks, threads, problem_size\n"
            "  Did you mean value?",
        ),
        (
            b"event,value,Event\ncycles,1,x\n",
            "line 1: the column 'event' stands twice",
        ),
        (
            b"name,city\nAnn,Rome\n",
            "no reader recognises this file; its columns (name,city) are those of no landing table"
            "\n  expected one of the formats that `pwh readers` lists\n"
            "  If it is one of them, name it: --reader NAME.",
        ),
        (b"event,value\n", "the file holds no measurements\n  expected at least one row of data"),
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


NEGATIVE = "expected whole numbers from 0"


@pytest.mark.parametrize(
    ("table", "column", "value", "message"),
    [
        ("pmu_samples", "value", -1.0, "the counter cycles is -1.0\n  expected a count from 0, or"),
        ("pmu_samples", "value", 1e20, "the value of cycles is 1e+20\n  expected a counter of at"),
        ("pmu_samples", "value", float("inf"), "the value of cycles is inf\n  expected a counter"),
        ("pmu_samples", "rank", -1, f"-1 in the column rank\n  {NEGATIVE}"),
        ("fn_timings", "seconds", -0.5, "the time of g is -0.5 s\n  expected seconds from 0, or"),
        ("fn_timings", "seconds", float("inf"), "the time of g is inf s\n  expected seconds from"),
        ("fn_timings", "calls", -3, f"-3 in the column calls\n  {NEGATIVE}"),
        ("bb_launches", "granularity", "wrap", "the granularity is wrap\n  expected thread or w"),
        ("bb_launches", "block_size", 0, "the block size is 0\n  expected a whole number from 1"),
        ("bb_visits", "visits", -1, f"-1 in the column visits\n  {NEGATIVE}"),
        ("bb_edges", "dst", -1, f"-1 in the column dst\n  {NEGATIVE}"),
        ("bb_blocks", "pc_last", 8, "the block 1 ends (8) before it starts (40)\n  expected pc_l"),
        ("bb_opcodes", "count", -1, f"-1 in the column count\n  {NEGATIVE}"),
        ("bb_dependences", "distance", -1, f"-1 in the column distance\n  {NEGATIVE}"),
        ("segments", "instructions", -1, "a count is negative\n  expected whole numbers from 0"),
    ],
)
def test_values_that_cannot_be(refusal, tmp_path, table, column, value, message):
    columns = {k: v for k, v in GOOD[table].items() if k != "issued"}
    columns[column] = [columns[column][0], value]
    pq.write_table(pa.table(columns), tmp_path / "made.parquet")
    told = refusal((tmp_path / "made.parquet").read_bytes(), "x.parquet")
    assert told.startswith(f"row 2 of {table}: {message}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1,2,0,9,3", "row 2 of pmu_samples: a sample ends (3) before it starts (9)"),
        ("1,2,2,3,4", "row 2 of pmu_samples: the share of time running is 2.0"),
    ],
)
def test_samples_that_cannot_be(refusal, line, message):
    content = f"event,value,running,t_start,t_end\ncycles,1,1,0,5\n{line}\n"
    assert refusal(content.encode()).startswith(message)


def test_parallelism_below_one(refusal):
    told = refusal(b"function,seconds,parallelism\nf,1,1\nf,1,0\n")
    assert told.startswith("row 2 of fn_timings: the parallelism is 0")


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


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"event": ["c"], "value": ["12"]},
            "the column value is of type VARCHAR\n  expected numbers",
        ),
        (
            {"event": ["c"], "value": [1.0], "rank": ["0"]},
            "the column rank is of type VARCHAR\n  expected whole numbers",
        ),
        (
            {"event": ["c"], "value": [True]},
            "the column value is of type BOOLEAN\n  expected numbers",
        ),
        (
            {"event": ["c"], "value": [1.0], "rank": [1.5]},
            "pmu_samples: the column rank holds 1.5, which is no whole number",
        ),
        (
            {"event": ["c"], "value": [1.0], "rank": [1 << 40]},
            "Type INT64 with value 1099511627776 can't be cast",
        ),
        (
            {"segment": [0], "issued": [[0.5]]},
            "the column issued is of type DOUBLE[]\n  expected whole numbers",
        ),
        (
            {"event": [None], "value": [1.0]},
            "the column event is empty in some row",
        ),
    ],
)
@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_types_that_lie(refusal, tmp_path, columns, message, form):
    table = pa.table(columns)
    made = tmp_path / "made"
    if form == "parquet":
        pq.write_table(table, made)
    else:
        with pa.OSFile(str(made), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    assert message in refusal(made.read_bytes(), f"x.{form}")


def test_damaged_parquet(refusal, tmp_path):
    pq.write_table(pa.table(GOOD["pmu_samples"]), tmp_path / "made.parquet")
    data = (tmp_path / "made.parquet").read_bytes()
    for damaged in (data[:-5], data[: len(data) // 2], data[:4]):
        told = refusal(damaged, "x.parquet")
        assert told.startswith("not a whole Parquet file (")
        assert told.endswith("Copy or write it again.")


def test_damaged_arrow(refusal, tmp_path):
    table = pa.table(GOOD["pmu_samples"])
    for kind in (pa.ipc.new_file, pa.ipc.new_stream):
        with pa.OSFile(str(tmp_path / "made"), "wb") as file, kind(file, table.schema) as writer:
            writer.write_table(table)
        data = (tmp_path / "made").read_bytes()
        for damaged in (data[: len(data) // 2], data[:20]):
            assert refusal(damaged, "x.arrow").startswith("not a whole Arrow file (")


def test_gzip_that_lies_about_its_size(refusal):
    packed = gzip.compress(COUNTERS)
    lying = packed[:-4] + (1 << 30).to_bytes(4, "little")
    assert refusal(lying, "x.csv.gz").startswith(
        "after 56 decompressed bytes: the gzip data are damaged"
    )
    assert refusal(packed[:-9], "y.csv.gz").startswith(
        "after 56 decompressed bytes: the compressed data end too early: the file is cut off"
    )
    assert refusal(packed[:5], "z.csv.gz").startswith(
        "after 0 decompressed bytes: the compressed data end too early"
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


@pytest.fixture
def pwh(tmp_path, monkeypatch, capfd):
    """Run a command in an empty folder; give exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWH_DB", str(tmp_path / "w.duckdb"))

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pwh", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return stop.value.code or 0, out, err

    return run


def nothing_landed(tmp_path):
    path = tmp_path / "w.duckdb"
    if not path.exists():
        return True
    con = connect(path, read_only=True)
    try:
        return is_empty(con)
    finally:
        con.close()


def test_rejected_files_end_with_3(pwh, tmp_path):
    (tmp_path / "x.csv").write_bytes(COUNTERS + b"3,cycles,many\n")
    code, out, err = pwh("ingest", "x.csv")
    assert (code, out) == (3, "")
    assert err == ("pwh: rejected x.csv, line 5: 'many' in the column value\n  expected a number\n")
    assert nothing_landed(tmp_path)


def test_paths_that_are_no_files(pwh, tmp_path):
    (tmp_path / "loop").symlink_to("pool")
    (tmp_path / "pool").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("gone")
    os.mkfifo(tmp_path / "fifo")
    server = socket.socket(socket.AF_UNIX)
    server.bind("socket")
    server.close()
    messages = {
        "loop": "cannot be read: Too many levels of symbolic links",
        "dangling": "cannot be read: No such file or directory",
        "gone.csv": "cannot be read: No such file or directory",
        "gone*.csv": "no file matches this pattern",
        "fifo": "this is neither a file nor a folder",
        "socket": "this is neither a file nor a folder",
        "a" * 300: "cannot be read: File name too long",
    }
    for name, message in messages.items():
        for options in ((), ("--reader", "plain")):
            code, out, err = pwh("ingest", name, *options)
            assert (code, out) == (3, "")
            assert err.startswith(f"pwh: rejected {name}: {message}")
    assert nothing_landed(tmp_path)
    assert pwh("ingest", "")[0] == 2


def test_a_file_that_may_not_be_read(pwh, tmp_path, monkeypatch):
    (tmp_path / "x.csv").write_bytes(COUNTERS)

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    # Whoever runs the tests as root may read everything.
    monkeypatch.setattr(ingest.walk, "read_head", refuse)
    code, _, err = pwh("ingest", "x.csv")
    assert (code, err) == (3, "pwh: rejected x.csv: cannot be read: Permission denied\n")


def test_a_folder_of_junk(pwh, tmp_path):
    folder = tmp_path / "junk"
    (folder / "deep").mkdir(parents=True)
    (folder / "page.html").write_bytes(HTML)
    (folder / "deep" / "data.bin").write_bytes(bytes(range(256)))
    (folder / "empty").touch()
    (folder / "deep" / "up").symlink_to(folder)
    os.mkfifo(folder / "fifo")
    code, out, err = pwh("ingest", "junk")
    assert (code, out) == (3, "")
    assert err == (
        "pwh: no reader recognises any of the 4 files found\n"
        "  pwh readers lists the formats; name files one by one to see why each is not read.\n"
    )
    assert nothing_landed(tmp_path)


def test_good_files_land_beside_bad_ones(pwh, tmp_path):
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "a.csv").write_bytes(COUNTERS)
    (folder / "b.csv").write_bytes(COUNTERS + b"3,cycles,-4\n")
    (folder / "c.csv").write_bytes(COUNTERS + b"3,cycles,4\n")
    (folder / "page.csv").write_bytes(HTML)
    code, out, err = pwh("ingest", "mixed", "--keep-going")
    assert code == 3
    assert [line.split()[1] for line in out.splitlines() if "landed" in line] == [
        "mixed/a.csv",
        "mixed/c.csv",
    ]
    assert err == (
        "pwh: rejected mixed/b.csv, row 4 of pmu_samples: the counter cycles is -4.0\n"
        "  expected a count from 0, or a metric with its unit\n"
        "pwh: passed over 1 files that no reader recognises (page.csv)\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--ranks", "99999999999"), "a run with ranks = 99999999999 cannot be"),
        (("--problem-size", "nan"), "a run with problem_size = nan cannot be"),
        (("--problem-size", "-1"), "a run with problem_size = -1.0 cannot be"),
        (("--tag", "x"), "--tag 'x' is not of the form KEY=VALUE"),
        (("--reader", "nosuch"), "there is no reader 'nosuch'"),
    ],
)
def test_options_that_cannot_be(pwh, tmp_path, options, message):
    (tmp_path / "x.csv").write_bytes(COUNTERS)
    code, out, err = pwh("ingest", "x.csv", *options)
    assert (code, out) == (2, "")
    assert err.startswith(f"pwh: {message}")
    assert nothing_landed(tmp_path)
