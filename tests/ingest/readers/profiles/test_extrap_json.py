"""Extra-P's two JSON formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.base import Head
from ingest.readers.profiles.extrap.json import ExtrapJson
from ingest.recording import Recording
from tests.helpers.support import land, rows, shared
from tests.ingest.case import SAMPLES
from warehouse.errors import InputError

JSONS = "scaling/extrap_formats/json"


def refused(folder, text):
    path = folder / "experiment.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        list(ExtrapJson().read(Recording((path,))))
    return caught.value


def newer(entry, parameters=("p",)):
    return json.dumps({"parameters": parameters, "measurements": {"f": {"time": entry}}})


def older(**changes):
    document = {
        "parameters": [{"id": 1, "name": "p"}],
        "metrics": [{"id": 1, "name": "time"}],
        "callpaths": [{"id": 1, "name": "f"}],
        "coordinates": [
            {"id": 1, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 2}]}
        ],
        "measurements": [{"callpath_id": 1, "metric_id": 1, "coordinate_id": 1, "value": 1.5}],
    }
    return json.dumps(document | changes)


def test_the_older_form_joins_by_ids(warehouse):
    land(warehouse, SAMPLES / "extrap-json" / "stencil_by_ids.json")
    sql = """
        SELECT function, callpath, parallelism, repetition, seconds, problem_size, tags
        FROM fn_timings JOIN runs USING (run_id) ORDER BY ALL
    """
    one, two = ({"procs": str(p), "n": "100"} for p in (1, 2))
    assert rows(warehouse, sql) == [
        ("exchange", "main->exchange", 1, 0, 0.0, 100.0, one),
        ("exchange", "main->exchange", 2, 0, 0.0311, 100.0, two),
        ("sweep", None, 1, 0, 4.102, 100.0, one),
        ("sweep", None, 1, 1, 4.098, 100.0, one),
        ("sweep", None, 2, 0, 2.061, 100.0, two),
    ]


def test_a_single_number_is_a_list(warehouse, tmp_path):
    path = tmp_path / "experiment.json"
    path.write_text(newer([{"point": 2, "values": 1.5}]))
    land(warehouse, path, reader="extrap-json")
    assert rows(warehouse, "SELECT parallelism, seconds FROM fn_timings") == [(2, 1.5)]


ENTRY = {"point": [2], "values": [1.5]}


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        (newer([ENTRY])[:-9], "line 1, column 81", "the text is not JSON here"),
        ("[" * 10000, None, "nested too deeply"),
        ("[]", "its start", "the file is []"),
        ("{}", "its start", "the file is empty"),
        ('{"a": 1}', "the file", "'parameters' is missing"),
        (newer([ENTRY], ()), "the file", "'parameters' is empty"),
        (newer([ENTRY], (1,)), "'parameters'", "a parameter is 1"),
        (newer([ENTRY], ("p", "q")), "measurement 1 (f, time)", "the point has 1 numbers"),
        (newer([ENTRY, ENTRY]), "measurement 2 (f, time)", "the point is there a second time"),
        (newer([{"point": [2]}]), "measurement 1 (f, time)", "'values' is missing"),
        (newer([{"point": [2], "values": []}]), "measurement 1 (f, time)", "'values' is empty"),
        (newer([{"point": [2], "values": ["1"]}]), "measurement 1 (f, time)", "'values' is \"1\""),
        (newer([{"point": [2], "values": [True]}]), "measurement 1 (f, time)", "'values' is true"),
        (newer([{"point": [2], "values": [-1]}]), "measurement 1", "time is -1"),
        (newer([{"point": [2], "values": [10**400]}]), "measurement 1", "beyond what"),
        (newer([{"point": [0], "values": [1]}]), "measurement 1", "the parameter p is 0"),
        (newer([ENTRY, 3]), "measurement 2 (f, time)", "3.0 was found"),
        (newer([{"point": [2], "values": [float("nan")]}]), None, "NaN is not a number"),
        ('{"parameters": ["p"], "parameters": ["q"]}', None, "'parameters' is a duplicate"),
        (newer([ENTRY]).replace('"f"', '"\\ud800"'), None, "is not text"),
        (older(parameters=[]), "the file", "'parameters' is empty"),
        (
            older(metrics=[{"id": 2, "name": "time"}]),
            "measurement 1",
            "there is no metric with id 1",
        ),
        (older(callpaths=[{"name": "f"}]), "entry 1 of 'callpaths'", "'id' is missing"),
        (
            older(callpaths=[{"id": 1, "name": "f"}] * 2),
            "entry 2 of 'callpaths'",
            "id 1 is a duplicate",
        ),
        (older(parameters=[{"id": 2, "name": "p"}]), "entry 1 of 'coordinates'", "of 1 parameters"),
    ],
)
def test_what_is_refused(tmp_path, text, where, problem):
    error = refused(tmp_path, text)
    assert (error.where, problem in error.problem) == (where, True), error


def test_a_metric_that_lacks_a_point_is_refused_as_by_extrap(tmp_path):
    text = json.dumps(
        {
            "parameters": ["p"],
            "measurements": {
                "f": {"time": [{"point": [2], "values": [1]}, {"point": [4], "values": [2]}]},
                "g": {"time": [{"point": [2], "values": [1]}]},
            },
        }
    )
    error = refused(tmp_path, text)
    assert error.where == "measurement 3"
    assert error.problem == (
        "g has values for metric time at 1 of 2 measurement points, none at p=4"
    )


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (b'{"parameters": ["p"], "measurements": {', True),
        (b'{"measurements": {"f": {"time": [{"point": [1]', True),
        (b'{"callpaths": [{"id": 1, "name"', True),
        (b'{"parameters": {"p": 1}; "metric": "time"', False),
        (b'{"parameters": ["p"], "rows": []}', False),
        (b'{"params": {"p": 1}, "value": 2}', False),
        (b"<html>", False),
    ],
)
def test_sniff(head, known):
    assert ExtrapJson().sniff(Head(head, Path("x.json"))) is known


@pytest.mark.parametrize(
    ("name", "timings", "samples", "runs"),
    [
        ("input_1.JSON", 25, 0, 25),
        ("input_5.JSON", 125, 0, 125),
        ("new/input1.json", 25, 0, 25),
        ("new/input2.json", 50, 10, 25),
    ],
)
def test_examples_of_extrap(warehouse, name, timings, samples, runs):
    land(warehouse, shared(f"{JSONS}/{name}"))
    tables = ("fn_timings", "pmu_samples", "runs")
    found = [rows(warehouse, f"SELECT count(*) FROM {table}")[0][0] for table in tables]
    assert found == [timings, samples, runs]


def test_both_forms_say_the_same_of_one_experiment(warehouse):
    sql = "SELECT function, parallelism, repetition, seconds FROM fn_timings ORDER BY ALL"
    land(warehouse, shared(f"{JSONS}/input_1.JSON"))
    older = rows(warehouse, sql)
    warehouse.execute("DELETE FROM fn_timings")
    land(warehouse, shared(f"{JSONS}/new/input1.json"))
    assert rows(warehouse, sql) == older
