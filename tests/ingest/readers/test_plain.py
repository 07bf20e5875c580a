"""Plain tables: what their rows are of."""

from __future__ import annotations

import pytest

from ingest.readers.plain.run_lists import headings_of
from tests.helpers.support import land, rows
from warehouse.errors import InputError

HEAD = "app,function,parallelism,seconds\n"


@pytest.mark.parametrize(
    ("lines", "repetitions"),
    [
        # as a timer in a loop writes them
        (["solve,1,10.5", "solve,1,10.6", "solve,2,5.5"], [0, 1, None]),
        (["solve,1,10.5", "io,1,2", "solve,1,10.6", "io,1,3"], [0, 0, 1, 1]),
        # two functions of one name
        (["solve,1,10.5", "io,1,2", "solve,1,10.6"], [None, None, None]),
    ],
)
def test_rows_of_equal_functions_are_repetitions(warehouse, tmp_path, lines, repetitions):
    path = tmp_path / "times.csv"
    path.write_text(HEAD + "".join(f"a,{line}\n" for line in lines))
    land(warehouse, path)
    found = rows(warehouse, "SELECT repetition FROM fn_timings ORDER BY rowid")
    assert [repetition for (repetition,) in found] == repetitions
    ((most,),) = rows(warehouse, "SELECT max(seconds) FROM scaling_points WHERE parallelism = 1")
    assert most == (10.55 if 1 in repetitions else 21.1)


def test_equal_rows_of_one_repetition_land_once(warehouse, tmp_path):
    path = tmp_path / "times.csv"
    lines = ["f,1,0,5", "f,1,1,5", "f,1,0,5", "g,1,0,2", "g,1,0,3", "f,1,,5", "f,1,,5"]
    path.write_text("function,parallelism,repetition,seconds\n" + "\n".join(lines) + "\n")
    (landed,) = land(warehouse, path)
    assert landed.left_out == "1 row (the same measurement and repetition as another)"
    runs = tmp_path / "runs.csv"
    runs.write_text("app,ranks,repetition,wall_seconds\na,1,0,5\na,1,1,5\na,1,0,5\n")
    (landed_runs,) = land(warehouse, runs)
    assert (landed_runs.left_out, len(landed_runs.runs)) == (landed.left_out, 2)
    named = tmp_path / "named.csv"
    named.write_text("run_id,ranks,repetition,wall_seconds\nr1,1,0,5\nr2,1,1,5\nr1,1,0,5\n")
    (landed_runs,) = land(warehouse, named)
    assert (landed_runs.left_out, len(landed_runs.runs)) == (landed.left_out, 2)
    times = "SELECT function, repetition, seconds FROM fn_timings WHERE kind IS NULL ORDER BY rowid"
    assert rows(warehouse, times) == [
        ("f", 0, 5),
        ("f", 1, 5),
        ("g", 0, 2),
        ("g", 0, 3),
        ("f", None, 5),
        ("f", None, 5),
    ]


def test_rows_of_several_kinds_are_no_repetitions(warehouse, tmp_path):
    path = tmp_path / "times.csv"
    path.write_text("function,kind,seconds\na,cpu,1\na,gpu,2\nb,cpu,3\nb,gpu,4\n")
    land(warehouse, path)
    assert rows(warehouse, "SELECT DISTINCT repetition FROM fn_timings") == [(None,)]


@pytest.mark.parametrize(
    ("lines", "seconds"), [("f;1,5", [1.5]), ("f;0,500\ng;2,750\nh;1e-3", [0.5, 2.75, 1e-3])]
)
def test_decimal_commas_where_nothing_else_is_meant(warehouse, tmp_path, lines, seconds):
    path = tmp_path / "times.csv"
    path.write_text(f"function;seconds\n{lines}\n")
    land(warehouse, path)
    found = rows(warehouse, "SELECT seconds FROM fn_timings ORDER BY rowid")
    assert found == [(value,) for value in seconds]


@pytest.mark.parametrize(
    ("lines", "number"),
    [("f;1,500\ng;2,750", "1,500"), ("f;1,5\ng;2.75", "1,5"), ("f;1.234,5", "1.234,5")],
)
def test_numbers_that_may_mean_two_things_are_refused(refusal, lines, number):
    message = refusal(f"function;seconds\n{lines}\n".encode())
    assert f"'{number}' in the column seconds" in message


@pytest.mark.usefixtures("analyses")
def test_wall_times_of_runs_land_one_a_row_and_are_modelled(warehouse, tmp_path):
    path = tmp_path / "times.csv"
    path.write_text(
        "app,ranks,wall_seconds,my compiler\n"
        "a,1,100,gcc\na,2,52,gcc\na,4,27,\na,8,15.1,gcc\na,8,15.3,gcc\na,,7,gcc\n"
    )
    land(warehouse, path)
    runs = "SELECT ranks, wall_seconds, tags['my compiler'] FROM runs ORDER BY wall_seconds DESC"
    assert rows(warehouse, runs) == [
        (1, 100, "gcc"),
        (2, 52, "gcc"),
        (4, 27, None),
        (8, 15.3, "gcc"),
        (8, 15.1, "gcc"),
        (None, 7, "gcc"),
    ]
    # no function of the same time is a second series
    assert rows(warehouse, "SELECT DISTINCT metric FROM run_metrics") == [("wall_seconds",)]
    times = "SELECT parallelism, basis, round(seconds, 3) FROM program_times ORDER BY parallelism"
    assert rows(warehouse, times) == [
        (1, "wall time", 100),
        (2, "wall time", 52),
        (4, "wall time", 27),
        (8, "wall time", 15.2),
    ]


@pytest.mark.usefixtures("analyses")
def test_tables_of_runs_with_headings_of_their_own(warehouse, tmp_path):
    path = tmp_path / "scaling.csv"
    path.write_text(
        "nprocs;N;elapsed (ms);comm_ms;Speedup;GFLOPS;variant\n"
        "1;1000;5000;0.5;1.0;2.5;tiled\n2;1000;2500;0.75;2.0;5;tiled\n4;1000;1300;-;3.8;;\n"
    )
    land(warehouse, path)
    runs = "SELECT ranks, problem_size, wall_seconds, tags FROM runs ORDER BY ranks"
    assert rows(warehouse, runs) == [
        (1, 1000, 5, {"variant": "tiled"}),
        (2, 1000, 2.5, {"variant": "tiled"}),
        (4, 1000, 1.3, {"comm_ms": "-"}),
    ]
    metrics = "SELECT ranks, metric, value, unit, better FROM metrics JOIN runs USING (run_id)"
    assert rows(warehouse, f"{metrics} ORDER BY ALL") == [
        (1, "comm", 0.5, "ms", "lower"),
        (1, "gflops", 2.5, "Gflop/s", "higher"),
        (1, "speedup", 1, None, "higher"),
        (2, "comm", 0.75, "ms", "lower"),
        (2, "gflops", 5, "Gflop/s", "higher"),
        (2, "speedup", 2, None, "higher"),
        (4, "speedup", 3.8, None, "higher"),
    ]
    times = "SELECT parallelism, seconds FROM program_times ORDER BY parallelism"
    assert rows(warehouse, times) == [(1, 5), (2, 2.5), (4, 1.3)]


@pytest.mark.parametrize(
    "header",
    [
        "threads,time",  # in which unit?
        "threads,time_ms,elapsed_ms",  # which of them?
        "threads,time_ms,total_time",
        "region,threads,time_ms",  # a row is a part of a run
        "thread,time_ms",  # a number, no count
        "timestamp,elapsed_s,num_threads,rss_mb",  # a row is a moment of a run
        "threads,bandwidth_gb_s",
        "threads,ops_per_ms",
        "variant,time_ms",
        "threads,time_min",  # minutes, or the least of several?
        "cores,ncpus,time_s",
    ],
)
def test_columns_that_do_not_say_how_long_a_run_took(header):
    assert headings_of(header.split(","), ("ranks", "threads", "wall_seconds")) is None


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_may_come_before_the_header(warehouse, tmp_path, end):
    path = tmp_path / "scaling.csv"
    lines = ["# node17, 3 runs", "#", "", "threads;time_s", "1;10,25", "2;5,5", ""]
    path.write_bytes(end.join(lines).encode())
    land(warehouse, path)
    runs = "SELECT threads, wall_seconds FROM runs ORDER BY threads"
    assert rows(warehouse, runs) == [(1, 10.25), (2, 5.5)]
    path.write_bytes(end.join([*lines[:-2], "x;5,5", ""]).encode())
    with pytest.raises(InputError, match="line 6: 'x' in the column threads"):
        land(warehouse, path)


def test_columns_without_a_name_are_left_out(warehouse, tmp_path):
    path = tmp_path / "pandas.csv"
    path.write_text(",threads,time_s,\n0,1,19.5,\n1,2,10.5,\n")
    (done,) = land(warehouse, path)
    assert done.left_out == "2 columns (without a name)"
    runs = "SELECT threads, wall_seconds, tags FROM runs ORDER BY threads"
    assert rows(warehouse, runs) == [(1, 19.5, {}), (2, 10.5, {})]


@pytest.mark.parametrize(
    ("columns", "times", "seconds"),
    [
        ("cores,walltime (s)", (90, 45.5), (90, 45.5)),
        ("N_CORES;Time [h]", (2, 1.5), (7200, 5400)),
        ("cpus,elapsed (minutes)", (10, 5.5), (600, 330)),
        # of each node: the runs are scaled by these
        ("cores,nodes,wall_seconds", ("1,90", "2,45.5"), (90, 45.5)),
    ],
)
@pytest.mark.usefixtures("analyses")
def test_tables_of_runs_at_counts_of_cores(warehouse, tmp_path, columns, times, seconds):
    path = tmp_path / "cores.csv"
    between = ";" if ";" in columns else ","
    first, second = (f"{i * 4}{between}{time}\n" for i, time in enumerate(times, 1))
    path.write_text(f"{columns}\n{first}{second}")
    land(warehouse, path)
    counts = (1, 2) if "nodes" in columns else (4, 8)
    found = "SELECT parallelism, basis, seconds FROM program_times ORDER BY parallelism"
    assert rows(warehouse, found) == [
        (count, "wall time", time) for count, time in zip(counts, seconds, strict=True)
    ]
    assert rows(warehouse, "SELECT ranks, threads FROM runs") == [(None, None)] * 2


def test_runs_that_are_known_by_their_commit_need_no_wall_time(warehouse, tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text(
        "commit,committed_at,tag:branch,tag:version,user (s),max rss (MB),read (MB/s)\n"
        "abc,2026-01-01,main,x,2.5,10,7\nabd,2026-01-02,main,x,,11,7\n"
    )
    land(warehouse, path)
    dates = "SELECT day(committed_at), map_keys(tags) FROM runs ORDER BY 1"
    assert rows(warehouse, dates) == [(1, ["branch", "version"]), (2, ["branch", "version"])]
    runs = "SELECT \"commit\", branch, tags['version'], version FROM runs ORDER BY 1"
    assert rows(warehouse, runs) == [("abc", "main", "x", None), ("abd", "main", "x", None)]
    metrics = "SELECT metric, value, unit, better FROM metrics ORDER BY metric, value"
    assert rows(warehouse, metrics) == [
        ("max_rss", 10.0, "MB", "lower"),
        ("max_rss", 11.0, "MB", "lower"),
        ("read", 7.0, "MB/s", "higher"),
        ("read", 7.0, "MB/s", "higher"),
        ("user", 2.5, "s", "lower"),
    ]


@pytest.mark.usefixtures("analyses")
def test_a_benchmark_in_a_table_of_runs_has_a_series_of_its_own(warehouse, tmp_path):
    lines = ["app,started_at,commit,benchmark,time_ms"]
    for day in range(1, 9):
        lines += [f"x,2026-01-0{day},c{day},a,{10 + day % 2}", f"x,2026-01-0{day},c{day},b,5"]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines) + "\n")
    land(warehouse, path)
    series = (
        "SELECT fields['benchmark'], points FROM series WHERE metric = 'wall_seconds' ORDER BY 1"
    )
    assert rows(warehouse, series) == [("a", 8), ("b", 8)]


@pytest.mark.parametrize("columns", ["threads,time_s", "threads,wall_seconds"])
def test_wall_times_that_were_rounded_to_0_are_unknown(warehouse, tmp_path, columns):
    path = tmp_path / "short.csv"
    path.write_text(f"{columns}\n1,2\n2,1\n4,0\n8,0.0\n")
    (done,) = land(warehouse, path)
    assert done.left_out == "2 wall times (rounded to 0)"
    runs = "SELECT threads, wall_seconds FROM runs ORDER BY threads"
    assert rows(warehouse, runs) == [(1, 2.0), (2, 1.0), (4, None), (8, None)]


def test_wall_times_without_counts_are_a_history(warehouse, tmp_path):
    path = tmp_path / "history.csv"
    path.write_text("run_id,app,started_at,wall_seconds\nr1,a,2024-01-01,3\nr2,a,2024-01-02,nan\n")
    land(warehouse, path)
    assert rows(warehouse, "SELECT run_id, wall_seconds FROM runs ORDER BY run_id") == [
        ("r1", 3),
        ("r2", None),
    ]
    assert rows(warehouse, "FROM fn_timings") == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("app,rank,wall_seconds\na,1,2\n", "Did you mean ranks"),
        ("function,seconds,wall_seconds\na,1,2\n", "'wall_seconds' is not one of fn_timings"),
        ("app,ranks,wall_seconds\na,1,-2\n", "wall_seconds = -2.0"),
        ("app,ranks,wall_seconds\n", "no measurements"),
        ("num_threads,time_ms\nfour,2\n", "num_threads"),
    ],
)
def test_tables_that_are_no_wall_times_of_runs(warehouse, tmp_path, text, problem):
    path = tmp_path / "times.csv"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        land(warehouse, path)
    assert problem in f"{raised.value} {raised.value.hint}"
