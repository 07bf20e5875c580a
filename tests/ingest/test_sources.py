"""Sources are numbered in the order in which they land; the same content is one source."""

from __future__ import annotations

import gzip
import lzma
import time
from contextlib import ExitStack, closing

import pytest

from ingest.load import land_together
from ingest.parsed import Options, Parsed
from ingest.walk import find
from tests.helpers.support import land, rows
from tests.ingest.case import SAMPLES

pytestmark = pytest.mark.usefixtures("without_analyses")


def counters(folder, name, value):
    path = folder / name
    path.write_text(f"event,value\ncycles,{value}\n")
    return path


def test_sources_are_numbered_in_the_order_of_landing(warehouse, tmp_path, monkeypatch):
    first = [counters(tmp_path, f"{place}.csv", place) for place in range(3)]
    # A content that lands twice is one source.
    found = find([*first, counters(tmp_path, "again.csv", 1)])
    with ExitStack() as opened:
        together = [
            opened.enter_context(closing(Parsed(one.recording(), one.reader, Options())))
            for one in found
        ]
        ids = [landed.source_id for landed in land_together(warehouse, together)]
    assert ids[3] == ids[1]
    # The clock of the computer was wrong, or is.
    monkeypatch.setattr(time, "time_ns", lambda: 10**9)
    (last,) = land(warehouse, counters(tmp_path, "last.csv", 4))
    assert ids[:3] == sorted(set(ids))
    assert last.source_id > max(ids)
    assert rows(warehouse, "SELECT count(*) FROM sources") == [(4,)]


def test_a_file_is_the_same_compressed_and_not(warehouse, tmp_path):
    path = counters(tmp_path, "a.csv", 1)
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    other = tmp_path / "b.csv.xz"
    other.write_bytes(lzma.compress(path.read_bytes()))
    (first,), (beside,) = land(warehouse, packed), land(warehouse, path)
    (last,) = land(warehouse, other)
    assert (first.known, beside.known, last.known) == (False, True, True)
    assert {first.source_id, beside.source_id, last.source_id} == {first.source_id}
    (again,) = land(warehouse, path, replace=True)
    assert rows(warehouse, "SELECT source_id, path, content_sha256 FROM sources") == [
        (first.source_id, str(path), None)
    ]
    assert again.rows == first.rows


def test_runs_that_wrote_the_same_each_land_where_they_are_named(warehouse, tmp_path):
    path = counters(tmp_path, "size.csv", 7)
    land(warehouse, path, run_id="a", facts={"version": "A"})
    (again,) = land(warehouse, path, run_id="a", facts={"version": "A"})
    (other,) = land(warehouse, path, run_id="b", facts={"version": "B"})
    assert (again.known, again.differs, other.known) == (True, None, False)
    (replaced,) = land(warehouse, path, run_id="b", facts={"version": "C"}, replace=True)
    assert replaced.source_id == other.source_id
    query = (
        "SELECT run_id, version, count(*) FROM runs JOIN pmu_samples USING (run_id) GROUP BY ALL"
    )
    assert sorted(rows(warehouse, query)) == [("a", "A", 1), ("b", "C", 1)]


def test_facts_of_what_is_known_are_told_where_options_state_others(warehouse, tmp_path):
    path = counters(tmp_path, "size.csv", 7)
    land(warehouse, path, facts={"version": "A"})
    told = [
        land(warehouse, path, facts=facts)[0].differs
        for facts in ({"version": "A"}, {"version": "B"}, {"threads": 4})
    ]
    assert told == [None, "version is A, not B", "threads is unknown, not 4"]


def test_a_log_of_two_tools_names_the_other_which_lands_in_the_same_run(warehouse, tmp_path):
    path = tmp_path / "job.log"
    logs = (SAMPLES / name for name in ("load-tests/wrk.txt", "time/verbose.txt"))
    path.write_text("".join(log.read_text() for log in logs))
    (landed,) = land(warehouse, path)
    assert landed.left_out == "1 part that the reader time recognises (--reader time lands it)"
    (other,) = land(warehouse, path, reader="time")
    assert other.left_out is None
    assert other.runs == landed.runs
    assert rows(warehouse, "SELECT count(*) FROM metrics") == [(7 + 9,)]
