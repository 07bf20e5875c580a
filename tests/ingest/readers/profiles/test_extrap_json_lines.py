"""Extra-P's JSON Lines and TaLPas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.base import Head
from ingest.readers.profiles.extrap.json_lines import ExtrapJsonLines, ExtrapTalpas
from ingest.recording import Recording
from tests.helpers.support import land, rows, shared
from warehouse.errors import InputError

FLAT = """
    SELECT function, parallelism, repetition, seconds FROM fn_timings ORDER BY ALL
"""
EXAMPLES = "scaling/extrap_formats/jsonl"
LINES, TALPAS = ExtrapJsonLines(), ExtrapTalpas()


def landed(warehouse, folder, text, sql=FLAT, reader="extrap-jsonl"):
    path = folder / "experiment.jsonl"
    path.write_text(text)
    land(warehouse, path, reader=reader)
    return rows(warehouse, sql)


def refused(folder, text, reader=LINES):
    path = folder / "experiment.jsonl"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        list(reader.read(Recording((path,))))
    return caught.value


def test_equal_lines_are_repetitions_wherever_they_stand(warehouse, tmp_path):
    text = """
        {"params": {"p": 2}, "callpath": "f", "metric": "time", "value": 1.0}
        {"params": {"p": 4}, "callpath": "f", "metric": "time", "value": 2.0}
        {"params": {"p": 2}, "callpath": "f", "metric": "time", "value": 1.5}
    """
    assert landed(warehouse, tmp_path, text) == [
        ("f", 2, 0, 1.0),
        ("f", 2, 1, 1.5),
        ("f", 4, 0, 2.0),
    ]


@pytest.mark.parametrize("blank", ["", "\n"])
def test_a_value_may_be_a_list(warehouse, tmp_path, blank):
    # A blank line is read the slow way, and must not change what is read.
    text = (
        '{"params": {"p": 2}, "callpath": "f", "metric": "time", "value": [1.0, 1.5]}\n'
        + blank
        + '{"params": {"p": 4}, "callpath": "f", "metric": "time", "value": [2.0]}\n'
    )
    assert landed(warehouse, tmp_path, text) == [
        ("f", 2, 0, 1.0),
        ("f", 2, 1, 1.5),
        ("f", 4, 0, 2.0),
    ]


def test_lists_and_numbers_may_mix(warehouse, tmp_path):
    line = '{"params": {"p": 2}, "metric": "time", "value": 1}\n'
    text = line + line.replace("1}", "[2, 3]}")
    assert landed(warehouse, tmp_path, text) == [
        ("<root>", 2, 0, 1.0),
        ("<root>", 2, 1, 2.0),
        ("<root>", 2, 2, 3.0),
    ]


def test_call_path_and_metric_may_be_missing_and_more_fields_be_there(warehouse, tmp_path):
    text = (
        '{"params": {"n": 5, "p": 2}, "value": 1, "host": "a"}\n'
        '{"params": {"p": 4, "n": 5}, "value": 2, "callpath": null, "metric": ""}\n'
    )
    sql = "SELECT region, event, value, unit FROM pmu_samples ORDER BY ALL"
    assert landed(warehouse, tmp_path, text, sql) == [
        ("<root>", "<default>", 1.0, None),
        ("<root>", "<default>", 2.0, None),
    ]
    assert rows(warehouse, "SELECT ranks, problem_size FROM runs ORDER BY ALL") == [
        (2, 5.0),
        (4, 5.0),
    ]


def test_many_lines_are_read_the_fast_way_with_the_same_result(warehouse, tmp_path):
    lines = [
        json.dumps(
            {
                "params": {"p": 2 ** (i % 5)},
                "callpath": f"f{i % 7}",
                "metric": "time",
                "value": i / 8,
            }
        )
        for i in range(7000)
    ]
    sql = "SELECT count(*), sum(seconds), max(repetition) FROM fn_timings"
    assert landed(warehouse, tmp_path, "\n".join(lines), sql) == [(7000, 7000 * 6999 / 16, 199)]
    assert rows(warehouse, "SELECT count(*) FROM runs") == [(1000,)]


GOOD = '{"params": {"p": 2}, "callpath": "f", "value": 1}\n'
TIME = GOOD.replace('"value"', '"metric": "time", "value"')


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        (GOOD + GOOD[:-3], "line 2, column 48", "the text is not JSON here"),
        (GOOD + "\n" + GOOD.replace("1}", "true}"), "line 3", "'value' is true"),
        (GOOD + GOOD.replace("1}", "null}"), "line 2", "'value' is null"),
        (GOOD + GOOD.replace("1}", "[]}"), "line 2", "'value' is empty"),
        (GOOD + GOOD.replace("1}", "[1, null]}"), "line 2", "'value' is null"),
        (GOOD + GOOD.replace("1}", '"1"}'), "line 2", "'value' is \"1\""),
        (GOOD + GOOD.replace("1}", "NaN}"), "line 2", "NaN is not a number"),
        (GOOD + GOOD.replace("1}", "1e999}"), "line 2", "beyond what a measurement can be"),
        (TIME + TIME.replace("1}", "-1}"), "line 2", "time is -1"),
        (GOOD + GOOD.replace("1}", "1} {}"), "line 2, column 51", "the text is not JSON here"),
        (GOOD + '{"callpath": "f", "value": 1}', "line 2", "'params' is missing"),
        (GOOD + '{"params": {"p": 2}}', "line 2", "'value' is missing"),
        (GOOD + GOOD.replace('"p"', '"q"'), "line 2", "the parameters are q"),
        (GOOD + GOOD.replace('"p"', '"n": 1, "p"'), "line 2", "the parameters are n, p"),
        (GOOD + GOOD.replace("2}", "null}"), "line 2", "the parameter p is null"),
        (GOOD + GOOD.replace("2}", "-2}"), "line 2", "the parameter p is -2"),
        (GOOD + GOOD.replace('"f"', "7"), "line 2", "'callpath' is 7"),
        (GOOD + GOOD.replace('"f"', '"\\ud800"'), "line 2", "'callpath' is '\\ud800'"),
        (GOOD + GOOD.replace('"f"', '"f", "callpath": "g"'), "line 2", "'callpath' is a duplicate"),
        (GOOD + "[1]\n", "line 2", "[1.0] was found"),
        ("\n\n", None, "the file contains no measurements"),
    ],
)
def test_what_is_refused(tmp_path, text, where, problem):
    error = refused(tmp_path, text)
    assert (error.where, problem in error.problem) == (where, True), error


def test_a_line_of_null_is_an_error_like_others(tmp_path):
    # Arrow's reader crashes on it.
    assert refused(tmp_path, GOOD + "null").problem == "null was found"


def test_bytes_that_are_no_text_are_reported_with_their_line(tmp_path):
    path = tmp_path / "experiment.jsonl"
    path.write_bytes(GOOD.encode() + GOOD.replace("f", "\xe9").encode("latin-1"))
    with pytest.raises(InputError, match="line 2: byte 0xe9 is not text"):
        list(LINES.read(Recording((path,))))


def test_talpas_with_semicolons_in_names(warehouse, tmp_path):
    text = (
        '{"parameters":{"p":2};"metric":"time";"callpath":"f;";"value":1}\n'
        '{"parameters":{"p":4};"metric":"time";"callpath":"f;";"value":2}\n'
    )
    assert landed(warehouse, tmp_path, text, reader="extrap-talpas") == [
        ("f;", 2, 0, 1.0),
        ("f;", 4, 0, 2.0),
    ]


def test_talpas_needs_metric_and_call_path(tmp_path):
    text = '{"parameters":{"p":2};"metric":"time";"value":1}\n'
    error = refused(tmp_path, text, TALPAS)
    assert (error.where, error.problem) == ("line 1", "'callpath' is missing")


@pytest.mark.parametrize(
    ("head", "lines", "talpas"),
    [
        (b'{"params":{"x":1},"value":2}\n', True, False),
        (b'\n{"metric": "time", "params": {"x": 1}, "value": 2}\n', True, False),
        (b'{"params":{"x":1},"met', True, False),
        (b'{"params":{"lr":1},"loss":2}\n', False, False),
        (b'{"parameters":{"x":1};"metric":"time"', False, True),
        (b'{"parameters":{"x":1},"metric":"time"', False, False),
        (b'{"events": []}', False, False),
        (b"\x00\xff{", False, False),
    ],
)
def test_sniff(head, lines, talpas):
    path = Path("x.jsonl")
    found = LINES.sniff(Head(head, path)), TALPAS.sniff(Head(head, path))
    assert found == (lines, talpas)


# Lines with a value; the data's README counts line ends, blank lines too: 35, 124, 16, 152.
@pytest.mark.parametrize(
    ("name", "values", "points"),
    [
        ("incomplete_matrix_2p", 35, 7),
        ("input_1", 125, 25),
        ("matrix_3p", 15, 13),
        ("test1", 125, 25),
    ],
)
def test_examples_of_extrap(warehouse, name, values, points):
    land(warehouse, shared(f"{EXAMPLES}/{name}.jsonl"))
    sql = "SELECT count(*), count(DISTINCT tags) FROM pmu_samples JOIN runs USING (run_id)"
    assert rows(warehouse, sql) == [(values, points)]


@pytest.mark.parametrize(("name", "values"), [("talpas_1", 25), ("talpas_6", 50)])
def test_talpas_examples_of_extrap(warehouse, name, values):
    land(warehouse, shared(f"scaling/extrap_formats/talpas/{name}.txt"))
    assert rows(warehouse, "SELECT count(*) FROM fn_timings") == [(values,)]


def test_the_negative_example_of_extrap_lacks_points(warehouse):
    with pytest.raises(InputError) as caught:
        land(warehouse, shared("scaling/extrap_formats/talpas/talpas_10_neg.txt"))
    assert caught.value.where == "line 36"
    assert caught.value.problem == (
        "compute has values for metric flops at 3 of 5 measurement points, none at x=40"
    )
