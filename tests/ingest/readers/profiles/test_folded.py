"""Folded stacks: what tools write of functions, threads and differences."""

from __future__ import annotations

import pytest

from ingest.base import Head
from ingest.readers.profiles.sampling.folded import FoldedStacks
from tests.helpers.support import rows

ROWS = "SELECT region, value, inclusive, thread FROM pmu_samples ORDER BY ALL"


def test_weights_are_added_up_along_the_stack(landed, warehouse):
    assert landed("main;f;g 3\nmain;f 2\nmain;f;f;g 4\n", ROWS) == [
        ("main", 0, 9, None),
        ("main->f", 2, 9, None),
        ("main->f->f", 0, 4, None),
        ("main->f->f->g", 4, 4, None),
        ("main->f->g", 3, 3, None),
    ]
    query = "SELECT function, own, inclusive, unit FROM function_totals ORDER BY 1"
    assert rows(warehouse, query) == [
        ("f", 2, 9, "weight"),
        ("g", 7, 7, "weight"),
        ("main", 0, 9, "weight"),
    ]
    assert rows(warehouse, "SELECT DISTINCT event, unit FROM pmu_samples") == [("weight", None)]


def test_a_difference_is_two_runs(landed, warehouse):
    query = "SELECT regexp_extract(run_id, '[a-z]+$'), region, value FROM pmu_samples ORDER BY ALL"
    assert landed("main;f 3 5\nmain;g 0 2\n", query) == [
        ("after", "main", 0),
        ("after", "main->f", 5),
        ("after", "main->g", 2),
        ("before", "main", 0),
        ("before", "main->f", 3),
    ]


@pytest.mark.parametrize(
    ("stack", "path", "thread"),
    [
        ("main (a.py:3);f (a.py:12)", "main (a.py)->f (a.py)", None),
        (
            "block in f - /home/user/a.rb:3;g - a.rb:4",
            "block in f (/home/user/a.rb)->g (a.rb)",
            None,
        ),
        ("main;read_[k];memcpy_[i]", "main->read->memcpy", None),
        ("app;main;-;do_futex;--;schedule", "app->main->do_futex->schedule", None),
        ("thread (390): MainThread;main (a.py:3)", "main (a.py)", 390),
        ("thread (0x7F00);main (a.py:3)", "main (a.py)", 0x7F00),
        ('process 12:"python3 a.py";thread (5);f', 'process "python3 a.py"->f', 5),
        (
            "a b;f(int, char) const;std::vector<int>",
            "a b->f(int, char) const->std::vector<int>",
            None,
        ),
        ("f() -> int;operator->;g", "f() \u2192 int->operator->->g", None),
        ("main;worker 7", "main->worker 7", None),
    ],
)
def test_frames(landed, stack, path, thread):
    query = "SELECT region, thread FROM pmu_samples WHERE value = 5"
    assert landed(f"{stack} 5\nx;y 1\n", query) == [(path, thread)]


def test_what_is_left_out_is_said(landed):
    query = "SELECT left_out FROM sources"
    assert landed("main;f 3\n 4\nmain;g 0\n# note\n\n", query) == [
        ("1 stack (with a weight of 0); 4 units of weight (without a stack)",)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "main;f 3\nmain;g\n",
        "time;value;x\n1;2;3\n",
        "1,5;cycles;3 4\n2,5;cycles;5 4\n",
        "T:1:5 :2:6\n",
        "a 1\nb 2\n",
        "123;;cycles;100;50.00;;\n",
    ],
)
def test_other_lines_are_not_taken_for_stacks(text, tmp_path):
    assert not FoldedStacks().sniff(Head(text.encode(), tmp_path / "x"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("main;f 3\nmain;g x\n", "line 2: 'main;g x' was found"),
        ("main;f 3\nmain;g", "line 2: 'main;g' was found"),
        ("main;f 3\nmain;g 1e30\n", "line 2: the weight is 1e+30"),
        ("main;f 3\nmain;g -4\n", "line 2: the weight is -4"),
        ("main;f 0\n", "no measurements"),
    ],
)
def test_damage_is_refused_with_its_line(refusal, text, message):
    assert message in refusal(text.encode(), "x.folded", reader="folded-stacks")
