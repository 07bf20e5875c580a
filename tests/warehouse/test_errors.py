"""What errors say."""

from __future__ import annotations

import pytest

from warehouse.errors import InputError


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("a.out, line 3", "runs/a.out, line 3: it is cut off"),
        ("a.out-02, line 3", "runs/a.out, a.out-02, line 3: it is cut off"),
        ("line 3", "runs/a.out, line 3: it is cut off"),
        (None, "runs/a.out: it is cut off"),
    ],
)
def test_a_file_is_named_once_and_a_part_of_it_by_its_own_name(where, told):
    assert str(InputError("it is cut off", path="runs/a.out", where=where)) == told
