"""Which functions of one version are which of another."""

from __future__ import annotations

import pyarrow as pa
import pytest

from udfs.comparison.identity import match_functions

SIDE = pa.list_(
    pa.struct([("name", pa.string()), ("callers", pa.list_(pa.string())), ("cost", pa.float64())])
)


def side(*functions):
    return pa.array(
        [[dict(zip(("name", "callers", "cost"), one, strict=True)) for one in functions]], SIDE
    )


def matched(before, after):
    (found,) = match_functions(side(*before), side(*after)).to_pylist()
    return [(one["before"], one["after"]) for one in found]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # moved, in the ways in which profilers write files and scopes
        (("heat.py(sweep)", None, 1.0), ("core/heat.py(sweep)", None, 1.5)),
        (("sweep (heat.py)", None, 1.0), ("sweep (core.py)", None, 0.6)),
        (("heat.c:sweep", None, 1.0), ("core.c:sweep", None, 1.0)),
        (("a::Grid<double>::sweep(int) const", None, 1.0), ("b::sweep(long)", None, 1.0)),
        # far dearer, of the same callers
        (("heat.c:sweep", ["main"], 1.0), ("core.c:sweep", ["main"], 9.0)),
        # in another folder, at any cost
        (("v1/heat.py(sweep)", None, 1.0), ("v2/heat.py(sweep)", None, 9.0)),
        (("v1/heat.py(<genexpr>)", None, 1.0), ("v2/heat.py(<genexpr>)", None, 9.0)),
        (("/a/heat.c:sweep", ["/a/heat.c:main"], 1.0), ("/b/heat.c:sweep", ["main"], 9.0)),
        # renamed
        (
            ("v1/heat.py(sweep)", ["v1/heat.py(main)"], 1.0),
            ("v2/heat.py(go)", ["v2/heat.py(main)"], 9),
        ),
        (("heat.c:sweep", None, 1.0), ("heat.c:relax", None, 1.5)),
        (("heat.c:sweep", ["main", "run"], 1.0), ("heat.c:relax", ["run", "main"], 1.9)),
    ],
)
def test_a_function_is_found_under_its_other_name(before, after):
    assert matched([before], [after]) == [(before[0], after[0])]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([("heat.c:sweep", None, 1.0)], [("core.c:sweep", None, 3.0)]),
        ([("heat.c:sweep", None, 1.0)], [("heat.c:relax", None, 3.0)]),
        ([("heat.c:a", None, 1.0), ("heat.c:b", None, 1.0)], [("heat.c:relax", None, 1.0)]),
        ([("sweep", None, 1.0)], [("relax", None, 1.0)]),
        ([("heat.c:sweep", ["main"], 1.0)], [("core.c:relax", ["main"], 1.0)]),
        # not the only one
        ([("a.c:sweep", None, 1.0)], [("b.c:sweep", None, 1.0), ("c.c:sweep", None, 1.0)]),
        ([("a.py(<lambda>)", None, 1.0)], [("b.py(<lambda>)", None, 1.0)]),
    ],
)
def test_what_may_be_another_function_is_another(before, after):
    assert matched(before, after) == []
