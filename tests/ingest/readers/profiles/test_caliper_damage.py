"""Caliper files that are not right: the messages, and the lines they name."""

from __future__ import annotations

import json

import pytest

from tests.ingest.streams import stream

TIME = "sum#time.duration"
GOOD = stream([("main", {TIME: 1.5}), ("main/f", {TIME: 0.5})], jobsize=2)
SPLIT = {
    "data": [[1.5, 0, 0], [0.5, 0, 1]],
    "columns": ["sum#time.duration", "mpi.rank", "path"],
    "column_metadata": [{"is_value": True}, {"is_value": True}, {"is_value": False}],
    "nodes": [{"column": "path", "label": "main"}, {"column": "path", "label": "f", "parent": 0}],
}


def record(line):
    return GOOD.replace("__rec=globals", f"{line}\n__rec=globals")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD.rpartition("__rec=globals")[0], "line 13: the file ends before its globals record"),
        (record("nonsense"), "line 14: the line is no record of a Caliper stream"),
        (record("__rec=ctx,ref=99"), "line 14: there is no node 99"),
        (record("__rec=ctx,ref=x"), "line 14: 'x' is in the place of a number"),
        (record("__rec=ctx,attr=99,data=1"), "line 14: there is no attribute 99"),
        (record("__rec=ctx,attr=17,data=1=2"), "line 14: a record has 2 values for 1 attributes"),
        (record("__rec=ctx,attr=17,attr=17,data=1"), "line 14: a field is a duplicate"),
        (record("__rec=ctx,id=17,attr=17,data=1"), "line 14: a record has fields of a node"),
        (record("__rec=node,id=50,data=f"), "line 14: a node lacks its id or attribute"),
        (record("__rec=node,id=50,attr=13,data=f,parent=50"), "line 14: there is no node 50"),
        (record("__rec=node,id=18,attr=13,data=g"), "line 14: the node 18 is defined twice"),
        (record("__rec=node,id=50,attr=13,data=a=b"), "line 14: the data of a node has a bare ="),
        (record("__rec=node,id=50,attr=8,data=a"), "line 14: an attribute has no type"),
        (record("__rec=ctx,ref=18,attr=17,data=-1"), f"line 14: {TIME} is -1"),
        (record("__rec=ctx,ref=18,attr=17,data=1_0"), f"line 14: {TIME} is '1_0'"),
        (record("__rec=ctx,ref=18,attr=17,data=1e999"), f"line 14: {TIME} is inf"),
        (GOOD.replace("data=1.5", "data=nan"), f"line 8: {TIME} is 'nan'"),
        (GOOD.replace("data=1.5", "data="), f"line 8: {TIME} is ''"),
        (stream([("main", {"note": 1})]), "no record has a time or a counter"),
    ],
)
def test_streams_that_are_refused(refusal, text, message):
    assert refusal(text.encode(), name="x.cali").startswith(message)


def test_an_implausible_rank(refusal):
    text = stream([("main", {TIME: 1, "mpi.rank": 1 << 31})])
    assert "the rank is 2147483648" in refusal(text.encode(), name="x.cali")
    text = stream([("main", {TIME: 1, "mpi.rank": "-1"})])
    assert "a rank or thread is '-1'" in refusal(text.encode(), name="x.cali")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": []}, "the file: 'data' is empty"),
        ({"data": [[1.5, 0]]}, "row 0 of data: a row has 2 values"),
        ({"data": [[1.5, 0, 0], ["1.5", 0, 1]]}, "row 1 of data: 'sum#time.duration' is"),
        ({"data": [[1.5, 0, 2]]}, "row 0 of data: a path is 2"),
        ({"data": [[1.5, -1, 0]]}, "row 0 of data: a rank or thread is -1"),
        ({"data": [[1.5, 0.5, 0]]}, "row 0 of data: a rank or thread is 0.5"),
        ({"data": [[-1.5, 0, 0]]}, "row 0 of data: sum#time.duration is -1.5"),
        ({"columns": ["sum#time.duration", "path", "path"]}, "columns: there are 2 names"),
        ({"columns": ["sum#time.duration", "mpi.rank", 1]}, "column 2 of columns: a column's name"),
        ({"nodes": [{"label": "f", "parent": 0}]}, "node 0: a parent is 0"),
        ({"nodes": [{"column": "path"}]}, "node 0: 'label' is missing"),
        ({"nodes": {}}, "nodes: the nodes are no list"),
        ({"columns": ["a", "mpi.rank", "path"]}, "no record has a time or a counter"),
    ],
)
def test_json_that_is_refused(refusal, change, message):
    content = json.dumps(SPLIT | change).encode()
    assert refusal(content, name="x.json", reader="caliper").startswith(message)
