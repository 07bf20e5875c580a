"""Files of labels for `pwh fit bottlenecks`: what is refused, and which samples a label is of."""

from __future__ import annotations

import pyarrow as pa
import pytest

from apps.fitting.samples import LABEL_COLUMNS, training_samples
from tests.helpers.support import given, settle
from tests.helpers.windows import EVENTS, windows
from udfs.bottleneck.training import CLASSES


@pytest.fixture(scope="module")
def ingested_once(ingested, folder):
    return ingested(windows(folder / "windows.csv", samples=2))


@pytest.mark.parametrize(
    ("text", "code", "problem"),
    [
        ("run_id,klass\na,Mem\n", 3, "there is no column class"),
        ("run_id,class\nMem0 64,Mem\nDTB0 64,Memory\n", 3, "row 2 after the header: there is no"),
        ("run_id,sample,class\na,1,Mem\na,x,Mem\n", 3, "row 2 after the header: sample is 'x'"),
        ("run_id,class,frac_mem\na,Mem,0.5\na,Mem,7\n", 3, "row 2 after the header: frac_mem is 7"),
        ("run_id,class\n,Mem\n", 3, "row 1 after the header: there is no run_id"),
        ("run_id,class\na,Mem\na,DTB\n", 3, "one place has several classes"),
        ("run_id,class\na,Mem\nb\n", 3, "line 3: the row does not have the header's columns"),
        ("", 3, "there are no column names"),
        ("# by hand\n\nrun_id,class\na,Mem\nb,Memory\n", 3, "row 2 after the header: there is no"),
        ("run_id,class\na,Mem", 5, "no label of labels.csv matches a sample"),
        ("run_id,class\nelsewhere,Mem\n", 5, "no label of labels.csv matches a sample"),
        ("run_id,class\nMem0 64,Mem\nMem1 64,Mem\n", 5, "labels of at least two classes"),
        ("run_id,class\nMem0 64,Mem\nDTB0 64,DTB\n", 5, "at least three programs"),
    ],
)
def test_labels_that_cannot_be_learned_from(pwh, tmp_path, text, code, problem):
    (tmp_path / "labels.csv").write_text(text)
    found, out, err = pwh("fit", "bottlenecks", "--labels", "labels.csv", "--k", "2")
    assert (found, out) == (code, "")
    assert problem in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("run_id class\nr1 Mem", ["Mem", "Mem", "Mem", "Mem"]),
        ("run_id rank class\nr1 1 DTB", [None, None, "DTB", "DTB"]),
        ("run_id sample class\nr1 0 DTB", ["DTB", None, "DTB", None]),
        ("run_id rank sample class\nr1 NULL NULL Mem\nr1 1 1 DTB", ["Mem", "Mem", "Mem", "DTB"]),
        ("run_id rank sample class\nr1 1 NULL Mem\nr1 NULL 1 DTB", [None, "DTB", "Mem", "DTB"]),
        ("run_id region class\nr1 loop Mem", [None, None, None, None]),
    ],
)
def test_a_label_holds_for_its_place_and_the_narrowest_counts(warehouse, label, expected):
    events = "\n".join(
        f"{rank} {sample} {event} 100" for rank in (0, 1) for sample in (0, 1) for event in EVENTS
    )
    given(warehouse, "pmu_samples", f"rank sample event value\n{events}")
    header, *lines = [line.split() for line in label.splitlines()]
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    columns = {}
    for name, kind in LABEL_COLUMNS.items():
        values = [row.get(name) for row in rows]
        text = pa.array([None if value == "NULL" else value for value in values], pa.string())
        columns[name] = text.cast(pa.type_for_alias(kind))
    settle(warehouse)
    found = training_samples(warehouse, "gem5", pa.table(columns))
    assert [CLASSES[i] if i >= 0 else None for i in found.labels] == expected
