"""OTF2: a trace of two ranks with two threads, written by the library itself."""

from __future__ import annotations

import shutil
import sys

import pytest

from ingest.walk import find
from tests.helpers.support import land, rows
from tests.ingest.case import SAMPLES

ANCHOR = SAMPLES / "otf2" / "traces.otf2"


def test_the_parts_of_a_trace_are_one_recording():
    found = list(find([ANCHOR.parent]))
    assert [one.reader and one.reader.NAME for one in found] == ["otf2"]
    assert len(found[0].parts) == 10
    (alone,) = find([ANCHOR.parent / "traces" / "0.evt"])
    assert alone.parts == found[0].parts


def test_without_the_library(refusal, monkeypatch):
    monkeypatch.setitem(sys.modules, "otf2", None)
    assert "pip install 'pwh[otf2]'" in refusal(ANCHOR.read_bytes(), "traces.otf2")


def test_regions_by_call_path_rank_and_thread(warehouse):
    pytest.importorskip("otf2")
    land(warehouse, ANCHOR)
    assert rows(
        warehouse,
        "SELECT rank, thread, callpath, kind, round(seconds * 1e9), "
        "round(inclusive_seconds * 1e9), calls FROM fn_timings ORDER BY ALL",
    ) == [
        (0, 0, "main", None, 300, 500, 1),
        (0, 0, "main->MPI_Send", "mpi", 50, 50, 1),
        (0, 0, "main->solve", None, 150, 150, 3),
        (0, 1, "solve", None, 100, 100, 1),
        (1, 0, "main", None, 297, 500, 1),
        (1, 0, "main->MPI_Send", "mpi", 50, 50, 1),
        (1, 0, "main->solve", None, 153, 153, 3),
        (1, 1, "solve", None, 100, 100, 1),
    ]
    assert rows(warehouse, "SELECT machine, ranks, wall_seconds FROM runs") == [
        ("machine x86", 2, 5.1e-07)
    ]


@pytest.mark.parametrize("part", ["traces.def", "traces/1.evt"])
def test_a_trace_without_a_part(tmp_path, warehouse, part):
    pytest.importorskip("otf2")
    shutil.copytree(ANCHOR.parent, tmp_path / "trace")
    (tmp_path / "trace" / part).unlink()
    with pytest.raises(Exception, match="the library otf2 cannot read the trace"):
        land(warehouse, tmp_path / "trace" / "traces.otf2")
