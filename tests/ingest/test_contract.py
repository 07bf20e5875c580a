"""What every reader promises, checked for all of them: one suite over the registry."""

from __future__ import annotations

import multiprocessing
import random
import re
import resource
import shutil
from concurrent.futures import ProcessPoolExecutor

import pytest

import warehouse as pwh
from ingest.base import Head
from ingest.forget import forget_run, forget_source
from ingest.readers import READERS
from ingest.recording import read_head
from ingest.walk import find
from tests.helpers.support import land, rows
from tests.ingest.cases import CASES
from tests.ingest.copies import (
    COMPRESS,
    HTML,
    contents,
    is_empty,
    name_of,
    parts_of,
    reader_of,
    tables,
    written,
)
from warehouse.catalog import landing
from warehouse.errors import InputError

each_reader = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.NAME)
each_case = pytest.mark.parametrize("case", CASES, ids=name_of)
ANY_TABLE = ("any landing table",)
DERIVED = ("idle_intervals", "idle_segments", "idle_latency")
GIB = 1 << 30


def rejected(con, path, **options):
    """Land what must not land, and return the message."""
    with pytest.raises(InputError) as error:
        land(con, path, **options)
    assert is_empty(con)
    assert str(path.parent) in str(error.value), "the message names the file"
    return str(error.value)


@each_reader
def test_names_are_well_formed(reader):
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", reader.NAME)
    assert [other.NAME for other in READERS].count(reader.NAME) == 1
    assert 10 < len(reader.DESCRIPTION) < 100
    assert "\n" not in reader.DESCRIPTION
    assert reader.PATTERNS
    assert reader.TABLES == ANY_TABLE or set(reader.TABLES) <= set(landing())


@each_case
def test_sniffs_its_own_sample_and_nobody_elses(case):
    for sample in (case.sample, *case.others):
        head = Head(read_head(sample), sample)
        assert [r.NAME for r in READERS if r.sniff(head)] == [case.reader], sample


@each_case
def test_any_part_leads_to_the_same_recording(case):
    reader = reader_of(case)
    parts = reader.parts(case.sample)
    assert all(reader.parts(part) == parts for part in parts)
    (found,) = find([case.sample.parent], reader) if len(parts) > 1 else find([case.sample])
    assert found.parts == parts


@each_reader
def test_golden_rows_of_its_cases_fill_its_tables(reader, warehouse):
    filled = set()
    for case in (case for case in CASES if case.reader == reader.NAME):
        (landed,) = land(warehouse, case.sample)
        for query, expected in case.golden:
            assert rows(warehouse, query) == expected, case.sample.name
        counted = {table: warehouse.table(table).shape[0] for table in landed.rows}
        assert counted == landed.rows
        assert rows(warehouse, "SELECT rows FROM sources") == [(sum(counted.values()),)]
        filled |= set(landed.rows)
        forget_source(warehouse, landed.source_id)
        for other in case.others:
            (landed,) = land(warehouse, other)
            filled |= set(landed.rows)
            forget_source(warehouse, landed.source_id)
    assert filled, "a reader needs a case in tests/ingest/cases"
    assert reader.TABLES == ANY_TABLE or filled == set(reader.TABLES)


@each_case
def test_cut_sample(case, warehouse, tmp_path):
    con = warehouse
    (landed,) = land(con, case.sample)
    full = contents(con, order="rowid")
    forget_source(con, landed.source_id)
    parts = parts_of(case)
    for name, data in parts.items():
        line = data.find(b"\n", len(data) // 2) + 1
        for size in {1, 5, len(data) // 3, line or 9, len(data) * 9 // 10, len(data) - 1}:
            path = written(tmp_path, parts | {name: data[:size]})
            try:
                if not land(con, path, replace=True):
                    continue
            except InputError:
                assert is_empty(con)
                continue
            cut = contents(con, order="rowid")
            landed = [table for table in cut if table not in (*DERIVED, "runs")]
            if case.cut_may_land:
                assert all(cut[t] == full[t][: len(cut[t])] for t in landed), (name, size)
            else:
                assert {t: cut[t] for t in landed} == {t: full[t] for t in landed}, (name, size)
            for (source_id,) in rows(con, "SELECT source_id FROM sources"):
                forget_source(con, source_id)


@each_case
@pytest.mark.parametrize("forced", [False, True], ids=["recognised", "named"])
def test_other_content_under_its_name(case, forced, warehouse, tmp_path):
    rubbish = random.Random(1).randbytes(5000)
    reader = case.reader if forced else None
    for data in (b"", rubbish, HTML, b"\0" * 5000, b"\n" * 100, b'{"a": 1}\n', b"a,b\n1,2\n"):
        parts = parts_of(case)
        path = written(tmp_path, parts | {next(iter(parts)): data})
        rejected(warehouse, path, reader=reader)


@each_case
def test_other_encoding(case, warehouse, tmp_path):
    parts = parts_of(case)
    name, data = next(iter(parts.items()))
    try:
        text = data.decode()
    except UnicodeDecodeError:
        pytest.skip("not a text format")
    for encoding in ("utf-16", "utf-16-le"):
        path = written(tmp_path, parts | {name: text.encode(encoding)})
        rejected(warehouse, path)
        rejected(warehouse, path, reader=case.reader)


@each_case
def test_compressed_sample_lands_the_same(case, warehouse, tmp_path):
    parts = parts_of(case)
    (bare,) = land(warehouse, written(tmp_path / "bare", parts))
    expected = contents(warehouse)
    forget_source(warehouse, bare.source_id)
    for suffix, compress in COMPRESS.items():
        packed = {name: compress(data) for name, data in parts.items()}
        (compressed,) = land(warehouse, written(tmp_path / suffix.strip("."), packed, suffix))
        assert contents(warehouse) == expected, suffix
        forget_source(warehouse, compressed.source_id)


@each_case
def test_damaged_compression(case, warehouse, tmp_path):
    parts = parts_of(case)
    name, data = next(iter(parts.items()))
    gz, zst, xz = (pack(data) for pack in COMPRESS.values())
    middle = len(xz) // 2
    damaged = {
        "cut.gz": gz[:-9],
        "half.gz": gz[: len(gz) // 2],
        "lies.gz": gz[:-4] + (len(data) + 7).to_bytes(4, "little"),
        "tail.gz": gz + b"more",
        "cut.zst": zst[: len(zst) // 2],
        "bad.zst": zst[:5] + b"\xff" * 8 + zst[13:],
        "cut.xz": xz[:-20],
        "bad.xz": xz[:middle] + bytes([xz[middle] ^ 255]) + xz[middle + 1 :],
    }
    for kind, content in damaged.items():
        folder = tmp_path / kind
        main = written(folder, parts)
        main.unlink()
        path = written(folder, {name: content}, f".{kind.split('.')[1]}")
        message = rejected(warehouse, path)
        assert re.search("compressed data end too early|data are damaged", message), kind


@each_case
def test_landed_again_replaced_and_forgotten(case, warehouse, tmp_path):
    (first,) = land(warehouse, case.sample)
    before = contents(warehouse)

    path = written(tmp_path, {p.name: p.read_bytes() for p in reader_of(case).parts(case.sample)})
    (again,) = land(warehouse, path)
    assert again.known
    assert (again.source_id, again.runs) == (first.source_id, first.runs)
    assert contents(warehouse) == before

    (again,) = land(warehouse, case.sample, replace=True, tags={"turn": "2"})
    assert (again.known, again.source_id, again.rows) == (False, first.source_id, first.rows)
    after = contents(warehouse)
    assert rows(warehouse, "SELECT DISTINCT tags['turn'] FROM runs") == [("2",)]
    assert {t: after[t] for t in after if t != "runs"} == {
        t: before[t] for t in before if t != "runs"
    }

    forget_source(warehouse, first.source_id)
    assert is_empty(warehouse)
    (landed,) = land(warehouse, case.sample)
    for run_id in landed.runs:
        forget_run(warehouse, run_id)
    assert is_empty(warehouse)
    assert "bb_visits" in tables(warehouse)


def landed_and_peak(db, path):
    """Land a file with little memory; return its rows and the peak memory of the process."""
    with pwh.connect(db) as con:
        con.execute("SET memory_limit = '512MB'")
        landed = sum(land(con, path)[0].rows.values())
    return landed, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


@pytest.fixture(scope="module")
def new_process():
    """Return a pool that runs each call in a process that has run nothing before."""
    context = multiprocessing.get_context("forkserver")
    # Imported once, by the process that the others are forked from.
    context.set_forkserver_preload([__name__])
    with ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1) as pool:
        yield pool


@each_case
def test_a_hundredfold_file_stays_within_a_gib(case, template, warehouse, new_process, tmp_path):
    folder = tmp_path / "large"
    folder.mkdir()
    path = case.enlarge(folder, 100)
    db = shutil.copy(template, tmp_path / "w.duckdb")
    landed, peak = new_process.submit(landed_and_peak, db, path).result()
    assert landed > 50 * sum(land(warehouse, case.sample)[0].rows.values())
    assert peak < GIB + (512 << 20)
