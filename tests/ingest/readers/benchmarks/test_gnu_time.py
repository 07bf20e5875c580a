"""What time(1) and the shells print: units, runs, failed commands and what is not whole."""

from __future__ import annotations

import pytest

from tests.helpers.support import land, rows
from tests.ingest.cases.gnu_time import SAMPLE

VERBOSE = SAMPLE.read_text()
VALUES = "SELECT metric, value, unit FROM metrics ORDER BY rowid"


def test_hours_and_failed_commands(landed, warehouse):
    text = VERBOSE.replace("0:00.00", "1:02:03").replace("Exit status: 0", "Exit status: 3")
    landed(text, VALUES)
    sql = "SELECT wall_seconds, tags['exit_code'] FROM runs"
    assert rows(warehouse, sql) == [(3723.0, "3")]


def test_each_timing_is_a_run(landed, warehouse):
    assert len(landed(VERBOSE * 3, VALUES)) == 27
    assert rows(warehouse, "SELECT count(*) FROM runs") == [(3,)]


def test_the_default_of_gnu_time(landed):
    text = SAMPLE.with_name("default.txt").read_text().replace("0:00.00elapsed", "2:03.50elapsed")
    assert landed(text, VALUES) == [
        ("user", 0.0, "s"),
        ("system", 0.0, "s"),
        ("max_rss", 1638400.0, "bytes"),
        ("file_system_inputs", 0.0, None),
        ("file_system_outputs", 0.0, None),
        ("major_page_faults", 0.0, None),
        ("minor_page_faults", 99.0, None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "real 62.50\nuser 1.25\nsys 0.50\n",
        "\nreal\t1m2.500s\r\nuser\t0m1,250s\r\nsys\t0m0.500s\r\n",
    ],
)
def test_shells_and_posix(landed, warehouse, text):
    assert landed(text, VALUES) == [("user", 1.25, "s"), ("system", 0.5, "s")]
    assert rows(warehouse, "SELECT wall_seconds FROM runs") == [(62.5,)]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("./a.out 100  1.25s user 0.50s system 2% cpu 1:02.50 total\n", "./a.out 100"),
        ("make -j  1,25s user 0,50s system 2% cpu 1:02,50 total\n", "make -j"),
        ("result 42\n1.250u 0.500s 1:02.50 2.0%\t0+0k 0+0io 0pf+0w\n", None),
        ("       62.50 real         1.25 user         0.50 sys\n", None),
    ],
)
def test_zsh_csh_and_bsd(landed, warehouse, text, command):
    assert sorted(landed(text, VALUES)) == [("system", 0.5, "s"), ("user", 1.25, "s")]
    assert rows(warehouse, "SELECT wall_seconds, tags['command'] FROM runs") == [(62.5, command)]


@pytest.mark.parametrize(
    ("elapsed", "user"),
    [("   62.50 secs    fish  ", "1250.00 millis"), ("    1,0417 mins", "    1,25 secs")],
)
def test_fish(landed, warehouse, elapsed, user):
    text = (
        f"done\n________\nExecuted in {elapsed}         external\n"
        f"   usr time {user}    0.00 micros    1.25 secs\n"
        "   sys time  500.00 millis  617.00 micros  499.38 millis\n\n"
    )
    assert landed(text * 2, VALUES) == [("user", 1.25, "s"), ("system", 0.5, "s")] * 2
    assert rows(warehouse, "SELECT round(wall_seconds, 2) FROM runs") == [(62.5,)] * 2


def test_the_memory_of_bsd_lands_where_its_unit_is_known(warehouse, tmp_path):
    """FreeBSD counts it in KiB, macOS in bytes; only macOS counts cycles."""
    bsd = (
        "        1.03 real         0.89 user         0.09 sys\n"
        "           123895808  maximum resident set size\n"
        "                   5  page faults\n"
        "                   0  signals received\n"
    )
    (tmp_path / "t.txt").write_text(bsd + bsd + "          3290116205  cycles elapsed\n")
    (done,) = land(warehouse, tmp_path / "t.txt")
    memory = "SELECT run_id[-1], value, unit FROM metrics WHERE metric = 'max_rss'"
    assert rows(warehouse, memory) == [("1", 123895808, "bytes")]
    assert done.left_out.startswith("1 maximum resident set size (in bytes or KiB")


@pytest.mark.parametrize(
    ("first", "code"),
    [
        ("Command terminated by signal 9\n", "137"),
        ("Command exited with non-zero status 3\n", "3"),
        ("", None),
    ],
)
def test_commands_that_failed(warehouse, tmp_path, first, code):
    # GNU time prints the status 0 of a command that a signal ended.
    short = SAMPLE.with_name("default.txt").read_text()
    for number, text in enumerate((VERBOSE, short)):
        (tmp_path / f"{number}.txt").write_text(first + text)
        land(warehouse, tmp_path / f"{number}.txt")
    sql = "SELECT DISTINCT tags['exit_code'] FROM runs"
    assert rows(warehouse, sql) == [(code,)]


@pytest.mark.parametrize(
    "text",
    [
        VERBOSE.split("\tExit")[0],
        VERBOSE.replace("\tExit status: 0\n", ""),
        VERBOSE.replace("User time (seconds): 0.00", "User time (seconds): x"),
        "real 0.01\nuser 0.00\n",
        "Executed in  62.50 secs\n   usr time  1.25 secs\n",
        "Executed in  6.2.50 secs\n   usr time  1.25 secs\n   sys time  1.00 millis\n",
        "1.0user 2.0system 0:03.00elapsed 99%CPU (0avgtext+0avgdata 1k)\n1.0user",
    ],
)
def test_what_is_not_whole_is_refused(refusal, text):
    assert refusal(text.encode(), "t.txt", reader="time")
