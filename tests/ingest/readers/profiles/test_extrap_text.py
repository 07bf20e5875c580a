"""Extra-P's text format."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.base import Head
from ingest.readers.profiles.extrap.text import ExtrapText
from ingest.recording import Recording
from tests.helpers.support import land, rows, shared
from warehouse.errors import InputError

FLAT = "SELECT function, parallelism, repetition, seconds FROM fn_timings ORDER BY ALL"
TEXTS = "scaling/extrap_formats/text"


def written(folder: Path, text: str) -> Path:
    path = folder / "experiment.txt"
    path.write_text(text)
    return path


def landed(warehouse, folder, text, sql=FLAT):
    land(warehouse, written(folder, text), reader="extrap-text")
    return rows(warehouse, sql)


def refused(folder, text):
    with pytest.raises(InputError) as caught:
        list(ExtrapText().read(Recording((written(folder, text),))))
    return caught.value


def test_points_may_be_on_one_line_and_without_parentheses(warehouse, tmp_path):
    text = "PARAMETER p\nPOINTS 2 (4) ( 8 )\nMETRIC time\nREGION f\nDATA 1\nDATA 2 2.5\nDATA 3\n"
    assert landed(warehouse, tmp_path, text) == [
        ("f", 2, 0, 1.0),
        ("f", 4, 0, 2.0),
        ("f", 4, 1, 2.5),
        ("f", 8, 0, 3.0),
    ]


def test_coordinates_may_have_parentheses_of_their_own(warehouse, tmp_path):
    text = "PARAMETER p n\nPOINTS ((2) (10)) ((4) (20))\nREGION f\nDATA 1\nDATA 2\n"
    sql = "SELECT ranks, problem_size, tags FROM runs ORDER BY ALL"
    assert landed(warehouse, tmp_path, text, sql) == [
        (2, 10.0, {"p": "2", "n": "10"}),
        (4, 20.0, {"p": "4", "n": "20"}),
    ]


def test_comments_blank_lines_tabs_and_windows_line_ends(warehouse, tmp_path):
    text = (
        "# header\r\n\r\nPARAMETER\tp\r\nPOINTS (2)\r\nMETRIC time\r\n  REGION  f\r\n"
        "# note\r\nDATA\t1  2\r\n"
    )
    assert landed(warehouse, tmp_path, text) == [("f", 2, 0, 1.0), ("f", 2, 1, 2.0)]


def test_without_region_it_is_of_the_whole_program(warehouse, tmp_path):
    text = "PARAMETER p\nPOINTS (2)\nMETRIC time\nDATA 1.5\n"
    assert landed(warehouse, tmp_path, text) == [("<root>", 2, 0, 1.5)]


@pytest.mark.parametrize(("metric", "event"), [("", "<default>"), ("METRIC metr\n", "metr")])
def test_a_metric_of_unknown_unit_is_no_time(warehouse, tmp_path, metric, event):
    text = f"PARAMETER p\nPOINTS (2)\n{metric}REGION f\nDATA 1.5\n"
    sql = "SELECT region, event, value, unit FROM pmu_samples"
    assert landed(warehouse, tmp_path, text, sql) == [("f", event, 1.5, None)]


def test_a_call_path_keeps_its_last_function_and_itself(warehouse, tmp_path):
    text = "PARAMETER p\nPOINTS (2)\nMETRIC time\nREGION main -> Grid::operator->\nDATA 1\n"
    sql = "SELECT function, callpath FROM fn_timings"
    assert landed(warehouse, tmp_path, text, sql) == [
        ("Grid::operator->", "main->Grid::operator->")
    ]


def test_a_metric_is_valid_until_the_next_one(warehouse, tmp_path):
    text = (
        "PARAMETER p\nPOINTS (2)\nMETRIC time\nREGION f\nDATA 1\nREGION g\nDATA 2\n"
        "METRIC visits\nDATA 30\n"
    )
    assert landed(warehouse, tmp_path, text) == [("f", 2, 0, 1.0), ("g", 2, 0, 2.0)]
    assert rows(warehouse, "SELECT region, event, value FROM pmu_samples") == [("g", "visits", 30)]


def test_a_value_without_exponent_or_with(warehouse, tmp_path):
    text = "PARAMETER p\nPOINTS (1e3)\nMETRIC time\nREGION f\nDATA +1. .5 2e-3\n"
    assert landed(warehouse, tmp_path, text) == [
        ("f", 1000, 0, 1.0),
        ("f", 1000, 1, 0.5),
        ("f", 1000, 2, 0.002),
    ]


HEAD = "PARAMETER p\nPOINTS (2) (4)\n"


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        (HEAD + "REGION f\nDATA 1\nREGION g\n", "line 5", "f has 1 DATA lines"),
        (HEAD + "REGION f\nDATA 1\n", "line 4", "f has 1 DATA lines"),
        (HEAD + "REGION f\nDATA 1\nDATA 2\nDATA 3\n", "line 6", "f has more DATA lines than"),
        (HEAD + "REGION f\nMETRIC time\nREGION g\n", "line 5", "no DATA follow the last REGION"),
        (HEAD + "DATA 1\nDATA 2\nREGION g\n", "line 5", "no DATA follow the last REGION"),
        (HEAD + "DATA 1\nDATA 2\nREGION <root>\nDATA 1\n", "line 6", "a second time"),
        (HEAD + "DATA 1\nDATA x\n", "line 4", "'x' are not only numbers"),
        (HEAD + "DATA 1\nDATA nan\n", "line 4", "'nan' are not only numbers"),
        (HEAD + "DATA 1\nDATA 1_0\n", "line 4", "'1_0' are not only numbers"),
        (HEAD + "DATA 1\nDATA\n", "line 4", "nothing follows DATA"),
        (HEAD + "METRIC time\nDATA 1\nDATA -0.5\n", "line 5", "time is -0.5"),
        (HEAD + "METRIC visits\nDATA 1\nDATA -3\n", "line 5", "visits is -3"),
        (HEAD + "DATA 1\nDATA 1e999\n", "line 4", "beyond what a measurement can be"),
        (HEAD + "DATA 1\nPOINTS (8)\n", "line 4", "POINTS is after DATA"),
        (HEAD + "PARAMETER q\n", "line 3", "PARAMETER is after POINTS"),
        (HEAD + "POINTS (2)\n", "line 3", "the point p=2 is a duplicate"),
        (HEAD + "Data 1\n", "line 3", "the line starts with 'Data'"),
        ("PARAMETER p\nDATA 1\n", "line 2", "DATA is before POINTS"),
        ("POINTS (1)\n", "line 1", "POINTS is before PARAMETER"),
        ("PARAMETER p q\nPOINTS (1 2) (3)\n", "line 2", "a point has 1 numbers"),
        ("PARAMETER p q\nPOINTS 1 2\n", "line 2", "a point is not in parentheses"),
        ("PARAMETER p p\nPOINTS (1 2)\nDATA 1\n", "line 3", "not distinguished by their names"),
        ("PARAMETER p\nPOINTS (2.5)\nDATA 1\n", "line 3", "the parameter p is 2.5"),
        (
            "PARAMETER p\nPOINTS (2)\nREGION main->\nDATA 1\n",
            "line 4",
            "'main->' names no function",
        ),
        (HEAD, None, "the file contains no measurements"),
    ],
)
def test_what_is_refused(tmp_path, text, where, problem):
    error = refused(tmp_path, text)
    assert (error.where, problem in error.problem) == (where, True), error


def test_a_last_line_with_fewer_values_and_no_line_end_is_taken_for_cut_off(warehouse, tmp_path):
    text = HEAD + "METRIC time\nDATA 1.1 1.2 1.3\nDATA 2.1 2.2"
    assert "it seems cut off" in refused(tmp_path, text).problem
    assert len(landed(warehouse, tmp_path, text + "\n")) == 5


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (b"PARAMETER p\nPOINTS (1)\n", True),
        (b"# note\n\nPARAMETER p\r\nPARAMETER q\r\n", True),
        (b"PARAMETER p\nPOI", True),
        (b"PARAMETER p", True),
        (b"      PARAMETER (N=10)\n      DATA X /1/\n", False),
        (b"PARAMETER p\nthe rest is prose\n", False),
        (b"parameter,points\n1,2\n", False),
        (b"", False),
    ],
)
def test_sniff(head, known):
    assert ExtrapText().sniff(Head(head, Path("x.txt"))) is known


# The data's README: regions and DATA lines of each file.
@pytest.mark.parametrize(
    ("name", "regions", "lines"),
    [
        ("one_parameter_1", 1, 5),
        ("one_parameter_2", 15, 75),
        ("one_parameter_5", 4, 20),
        ("one_parameter_6", 4, 20),
        ("one_parameter_segmented_1", 1, 10),
        ("two_parameter_1", 1, 25),
        ("two_parameter_3", 4, 100),
        ("three_parameter_1", 1, 125),
    ],
)
def test_regions_and_data_lines_of_the_examples_of_extrap(warehouse, name, regions, lines):
    land(warehouse, shared(f"{TEXTS}/{name}.txt"))
    sql = """
        WITH measured AS (
            SELECT run_id, coalesce(callpath, function) AS region, 'time' AS metric FROM fn_timings
            UNION ALL SELECT run_id, region, event FROM pmu_samples
        )
        SELECT count(DISTINCT (region, metric)), count(DISTINCT (region, metric, tags))
        FROM measured JOIN runs USING (run_id)
    """
    assert rows(warehouse, sql) == [(regions, lines)]


def test_a_point_with_four_of_five_repetitions(warehouse):
    land(warehouse, shared(f"{TEXTS}/one_parameter_6.txt"))
    sql = """
        SELECT region, ranks, count(*) FROM pmu_samples JOIN runs USING (run_id)
        WHERE region != 'met4' GROUP BY ALL HAVING count(*) != 5
    """
    assert rows(warehouse, sql) == [("met2", 16000, 4)]
    assert rows(warehouse, "SELECT max(value) FROM pmu_samples") == [(256000003.0,)]


def test_flops_do_not_become_seconds(warehouse):
    land(warehouse, shared(f"{TEXTS}/one_parameter_5.txt"))
    found = "SELECT region, event, count(*) FROM pmu_samples GROUP BY ALL ORDER BY ALL"
    assert rows(warehouse, found) == [("merge", "flops", 25), ("sort", "flops", 25)]
    assert rows(warehouse, "SELECT function, count(*) FROM fn_timings GROUP BY ALL ORDER BY 1") == [
        ("merge", 25),
        ("sort", 25),
    ]


def test_call_paths_of_an_example_of_extrap(warehouse):
    land(warehouse, shared(f"{TEXTS}/one_parameter_2.txt"))
    sql = """
        SELECT function, callpath, parallelism, seconds FROM fn_timings
        WHERE repetition = 1 AND parallelism = 30 AND function IN ('main', 'merge') ORDER BY ALL
    """
    assert rows(warehouse, sql)[:2] == [
        ("main", None, 30, 177.46069577925178),
        ("merge", "main->merge", 30, 177.46069577925178),
    ]


def test_coordinates_may_have_commas(warehouse, tmp_path):
    text = "PARAMETER p n\nPOINTS (2,10) (4, 20)\nREGION f\nDATA 1\nDATA 2\n"
    sql = "SELECT ranks, problem_size FROM runs ORDER BY ALL"
    assert landed(warehouse, tmp_path, text, sql) == [(2, 10.0), (4, 20.0)]
