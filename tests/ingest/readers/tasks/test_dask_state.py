"""Keys of Dask tasks, as they are in a dump."""

from __future__ import annotations

import pytest

from ingest.readers.tasks.dask_dump.state import key_in_map, key_of, prefix_of


@pytest.mark.parametrize(
    ("key", "prefix"),
    [
        ("leaf-9", "leaf"),
        ("lambda-16ebddfa-c3de-4411-bd77-6cd32c923472-0", "lambda"),
        ("('sum-aggregate-0123456789abcdef0123456789abcdef', 0, 1)", "sum-aggregate"),
        ("hello-world-1", "hello-world"),
        ("total", "total"),
    ],
)
def test_the_name_of_a_task_is_its_keys_beginning(key, prefix):
    assert prefix_of(key) == prefix


def test_keys_that_are_tuples_look_the_same_wherever_they_stand():
    assert key_of(["x", 0], "") == key_in_map("['x', 0]", "") == "('x', 0)"
    assert key_of(["x"], "") == key_in_map("['x']", "") == "('x',)"
    assert key_of("[odd]", "") == key_in_map("[odd]", "") == "[odd]"
