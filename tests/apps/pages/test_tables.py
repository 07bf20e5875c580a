"""Tables of pages: three significant digits, one SI prefix a unit, separators of thousands."""

from __future__ import annotations

import math
from types import SimpleNamespace

import polars as pl
import pytest

from apps.pages import tables


def clicked(cells):
    """Return what Streamlit tells of a table in which cells were clicked."""
    return SimpleNamespace(selection=SimpleNamespace(cells=cells, rows=[]))


def shown(monkeypatch, frame, percent=(), **units):
    """Return the frame that a page shows, and the label and format of each column."""
    seen = {}
    monkeypatch.setattr(
        tables.st,
        "dataframe",
        lambda rows, **options: seen.update(rows=rows, **options) or clicked([]),
    )
    tables.show_rows(frame, units, percent)
    formats = {
        name: (config["label"], config.get("type_config", {}).get("format"))
        for name, config in seen["column_config"].items()
    }
    return seen["rows"], formats


def test_columns_of_a_unit_have_the_prefix_of_the_largest_value(monkeypatch):
    frame = pl.DataFrame({"own": [9.4e-5, 0.0, None], "inclusive": [0.262, math.inf, math.nan]})
    rows, formats = shown(monkeypatch, frame, own="s", inclusive="s")
    assert formats == {"own": ("own (ms)", "%,.3f"), "inclusive": ("inclusive (ms)", "%,f")}
    assert rows["own"].to_list() == pytest.approx([0.094, 0.0, None])
    assert rows["inclusive"].to_list()[:2] == [262.0, math.inf]


@pytest.mark.parametrize(
    ("values", "unit", "label"),
    [
        ([12_345_678, 5], "B", "x (MB)"),
        ([999], "B", "x (B)"),
        ([0], "B", "x (B)"),
        ([], "B", "x (B)"),
        ([1e-12], "s", "x (ns)"),
        ([4000.0], "s", "x (s)"),
        ([0.5], "instructions", "x (instructions)"),
        (["text"], "s", "x (s)"),
    ],
)
def test_a_prefix_is_found_for_any_values(monkeypatch, values, unit, label):
    _, formats = shown(monkeypatch, pl.DataFrame({"x": values}), x=unit)
    assert formats["x"][0] == label


@pytest.mark.parametrize(
    ("name", "label", "value"),
    [
        ("wall_seconds", "wall (ms)", 10.0),
        ("seconds", "time (ms)", 10.0),
        ("gain_since_first_percent", "gain since first (%)", 0.01),
        ("run_id", "run", 0.01),
        ("started_at", "started", 0.01),
        ("share_measured", "share measured (%)", 1.0),
        ("smape", "SMAPE (%)", 1.0),
    ],
)
def test_headings_are_words_with_their_units(monkeypatch, name, label, value):
    rows, formats = shown(monkeypatch, pl.DataFrame({name: [0.01]}))
    assert formats[name][0] == label
    assert rows[name].to_list() == [value]


def test_large_numbers_have_separators_and_identifiers_none(monkeypatch):
    frame = pl.DataFrame(
        {
            "visits": [131_136, 1],
            "rank": [1234, 0],
            "counted": [4096.0, math.nan],
            "wide": [4096.7, 1.23456e-4],
            "small": [12.34567, 1e-9],
            "flag": [True, False],
        }
    )
    rows, formats = shown(monkeypatch, frame)
    assert rows["wide"].to_list() == [4097, 1.23e-4]
    assert rows["small"].to_list() == [12.34567, 1e-9]
    assert {name: style for name, (_, style) in formats.items()} == {
        "visits": "%,d",
        "rank": None,
        "counted": "%,f",
        "wide": "%,f",
        "small": "%,.3g",
        "flag": None,
    }


@pytest.mark.parametrize(
    ("values", "style"),
    [
        ([12.345, 0.5], "%,.3f"),
        ([97.31, 0.004], "%,.3f"),
        ([12.345, 150.2], "%,.1f"),
        ([150.2, 999.5], "%,.0f"),
        ([12.345, 1e-5], "%,.3g"),
        ([0.0, 0.25, math.inf], "%,.3f"),
    ],
)
def test_points_of_decimals_are_below_each_other(monkeypatch, values, style):
    _, formats = shown(monkeypatch, pl.DataFrame({"ipc": values}))
    assert formats["ipc"][1] == style


def test_a_click_on_a_row_names_its_run(monkeypatch):
    monkeypatch.setattr(tables.st, "dataframe", lambda *_, **__: clicked([(1, "app")]))
    frame = pl.DataFrame({"run_id": ["r1", "r2"], "app": ["heat", "heat"]})
    assert tables.show_rows(frame, {}, key="t") == ([], "r2")
    assert tables.show_rows(frame, {}, key="t", marks=True) == ([], "r2")


def test_columns_without_any_value_are_left_out(monkeypatch):
    rows, _ = shown(monkeypatch, pl.DataFrame({"thread": [None, None], "ipc": [1.0, None]}))
    assert rows.columns == ["ipc"]


def test_shares_are_per_cent(monkeypatch):
    frame = pl.DataFrame(
        {"share": [0.5861, None], "imbalance": [1.0769669, 41.23456], "change": [0.1234, None]}
    )
    rows, formats = shown(monkeypatch, frame, ("change",))
    assert formats == {
        "share": ("share (%)", "%,.1f"),
        "imbalance": ("imbalance (%)", "%,f"),
        "change": ("change (%)", "%,.1f"),
    }
    assert rows["share"].to_list() == [pytest.approx(58.61), None]
    assert rows["imbalance"].to_list() == [108, 4123]


def test_sums_of_whole_numbers_have_separators(monkeypatch):
    sums = pl.DataFrame({"calls": [520_676_188]}, schema={"calls": pl.Decimal(38, 0)})
    rows, formats = shown(monkeypatch, sums)
    assert formats == {"calls": ("calls", "%,f")}
    assert rows["calls"].to_list() == [520_676_188]


def test_names_that_begin_alike_are_shortened_and_in_full_behind(monkeypatch):
    made = [f"void loop<Eigen::Matrix<double, -1, -1>, std::vector<{kind}>>" for kind in "ab"]
    frame = pl.DataFrame({"function": [*made, None], "calls": [1, 2, 3]})
    rows, _ = shown(monkeypatch, frame)
    assert rows.columns == ["function", "calls", "function in full"]
    assert rows["function in full"].to_list() == [*made, None]
    assert [name and name[-3:] for name in rows["function"]] == ["a>>", "b>>", None]
    assert shown(monkeypatch, frame.head(1))[0].columns == ["function", "calls"]
