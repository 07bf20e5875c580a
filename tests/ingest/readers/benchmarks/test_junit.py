"""Times of tests: what differs from tool to tool."""

from __future__ import annotations

import pytest

from tests.helpers.support import land, rows
from tests.ingest.cases.junit import SAMPLE
from warehouse.errors import InputError

TIMES = "SELECT metric, repetition, value FROM metrics ORDER BY rowid"


def written(folder, tests):
    path = folder / "junit.xml"
    path.write_text(f'<?xml version="1.0"?>\n<testsuite name="s">\n{tests}\n</testsuite>\n')
    return path


def test_googletests_suites_and_tests_that_were_not_run(warehouse):
    (done,) = land(warehouse, SAMPLE.with_name("googletest.xml"))
    assert rows(warehouse, TIMES) == [
        ("A.one", 0, 0.02),
        ("I/P.p/0", 0, 0.001),
        ("I/P.p/1", 0, 0.003),
    ]
    assert done.left_out == "1 test (failed); 2 tests (skipped or not run)"


def test_ctest_names_a_test_after_itself_twice(warehouse):
    land(warehouse, SAMPLE.with_name("ctest.xml"))
    assert rows(warehouse, TIMES) == [("t1", 0, 0.0244242), ("t2", 0, 0.203735)]
    assert rows(warehouse, "SELECT machine FROM runs") == [(None,)]


def test_repetitions_thousands_and_tests_without_a_time(warehouse, tmp_path):
    tests = (
        '<testcase name="a" time="1,234.5"/><testcase name="a" time="2"/>'
        '<testcase name="b"><system-out>error</system-out></testcase>'
        '<testcase name="c" time="0.000"/>'
    )
    (done,) = land(warehouse, written(tmp_path, tests))
    assert rows(warehouse, TIMES) == [("a", 0, 1234.5), ("a", 1, 2.0)]
    assert done.left_out == "1 test (without a time); 1 test (with a time that was rounded to 0)"


def test_what_a_test_printed_is_no_result(warehouse, tmp_path):
    tests = (
        '<testcase name="a" time="2"><system-out>\n'
        "Benchmark             Time           CPU Iterations\n"
        "BM_create            23 ns         23 ns   31119000\n"
        "</system-out></testcase>"
    )
    land(warehouse, written(tmp_path, tests))
    assert rows(warehouse, TIMES) == [("a", 0, 2.0)]


def test_suites_tell_tests_of_one_name_apart(warehouse, tmp_path):
    # Node.js nests suites, and names the class of every test "test".
    tests = (
        '<testcase name="one" classname="test" time="1"/>'
        '<testsuite name="inner"><testcase name="one" classname="test" time="2"/>'
        '<testcase name="two" classname="test" time="3"/></testsuite>'
    )
    land(warehouse, written(tmp_path, tests))
    assert rows(warehouse, TIMES) == [
        ("s > test.one", 0, 1.0),
        ("s > inner > test.one", 0, 2.0),
        ("test.two", 0, 3.0),
    ]


@pytest.mark.parametrize(
    ("tests", "message"),
    [
        ('<testcase name="a" time="0,25"/>', "the time of a test is '0,25'"),
        ('<testcase name="a" time="1"><failure/></testcase>', "no test passed"),
    ],
)
def test_what_is_refused(warehouse, tmp_path, tests, message):
    with pytest.raises(InputError, match=message):
        land(warehouse, written(tmp_path, tests))


@pytest.mark.parametrize("encoding", ["utf-9", "shift_jis"])
def test_encodings_that_cannot_be_read_are_named(warehouse, tmp_path, encoding):
    path = tmp_path / "junit.xml"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?>\n<testsuite></testsuite>\n')
    with pytest.raises(InputError, match=f"the encoding '{encoding}' cannot be read"):
        land(warehouse, path)
