"""Arguments that functions refuse: in words, without Python or paths."""

from __future__ import annotations

import random

import duckdb
import pytest

from udfs import UDFS
from warehouse import connect
from warehouse.messages import plain_message

_NUMBERS = ("0", "-1", "3", "9223372036854775807")
_VALUES = {
    "VARCHAR": ("''", "'zz'", "'mean'"),
    "BOOLEAN": ("true",),
    "DOUBLE": ("0", "-1", "'nan'", "'inf'", "1e308"),
    "FLOAT": ("0", "-1", "'nan'"),
    "INTEGER": ("0", "-1", "3", "2147483647"),
}


@pytest.fixture(scope="module")
def con(template):
    """Return a connection with all functions."""
    with connect(template, read_only=True) as con:
        yield con


def arguments(kind, chance):
    """Return SQL of a type, mostly implausible."""
    if chance.random() < 0.1:
        return f"NULL::{kind}"
    if kind.endswith("[]"):
        count = chance.choice((0, 1, 1, 3, 3))
        elements = (arguments(kind[:-2], chance) for _ in range(count))
        return f"[{', '.join(elements)}]::{kind}"
    known = _VALUES.get(kind, ("NULL",) if "STRUCT" in kind else _NUMBERS)
    return f"{chance.choice(known)}::{kind}"


@pytest.mark.parametrize("udf", UDFS, ids=lambda udf: udf.name)
def test_bad_arguments_are_refused_in_words(con, udf):
    chance = random.Random(udf.name)
    for _ in range(10):
        given = ", ".join(arguments(parameter.type, chance) for parameter in udf.parameters)
        try:
            con.execute(f"SELECT {udf.name}({given})").fetchall()
        except duckdb.Error as error:
            message = plain_message(error)
            assert "Error" not in message and "/" not in message and "\n" not in message, given


def test_the_message_names_the_lists(con):
    with pytest.raises(duckdb.Error) as error:
        con.execute("SELECT scaling_model('time', [1, 2, 4], [8.0, 4.0], 0.01)")
    assert plain_message(error.value) == (
        "scaling_model: counts has 3 elements and seconds has 2, but they belong together"
    )
    with pytest.raises(duckdb.Error) as error:
        con.execute("SELECT scaling_model('time', [1, 2, 4], [8.0, 4.0, NULL], 0.01)")
    assert plain_message(error.value) == (
        "scaling_model: seconds contains NULL; leave such elements out of all"
    )
