"""What every reader promises, checked for all of them: one suite over the registry."""

from __future__ import annotations

import multiprocessing
import re
import resource
import shutil
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

import ingest.forget
import ingest.load
import warehouse as pwh
from ingest import contract
from ingest.analyse import analyse_all
from ingest.contract import ANY_TABLE, COMPRESS, contents, written
from ingest.forget import forget_run, forget_source
from ingest.readers import READERS
from ingest.walk import find
from tests.faults import ends
from tests.helpers.support import analyses_read, land, rows
from tests.helpers.thorough import THOROUGH
from tests.ingest.cases import CASES
from tests.ingest.copies import is_empty, name_of, parts_of, reader_of
from warehouse.errors import InputError

each_reader = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.NAME)
each_case = pytest.mark.parametrize("case", CASES, ids=name_of)
lands_only = pytest.mark.usefixtures("without_analyses")
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
    contract.check_names(reader)
    assert [other.NAME for other in READERS].count(reader.NAME) == 1


@each_case
def test_sniffs_its_own_sample_and_nobody_elses(case):
    for sample in (case.sample, *case.others):
        contract.check_recognition(reader_of(case), sample)


@each_case
def test_a_walk_finds_the_recording(case):
    reader = reader_of(case)
    parts = reader.parts(case.sample)
    (found,) = find([case.sample.parent], reader) if len(parts) > 1 else find([case.sample])
    assert found.parts == parts


@lands_only
@each_reader
def test_golden_rows_of_its_cases_fill_its_tables(reader, warehouse):
    if reader.NAME in ("otf2", "perfetto"):
        pytest.skip(f"what it reads by is optional: tests/ingest/readers/test_{reader.NAME}.py")
    filled = set()
    for case in (case for case in CASES if case.reader == reader.NAME):
        (landed,) = land(warehouse, case.sample)
        for query, expected in case.golden:
            if analyses_read(query):
                analyse_all(warehouse)
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


@lands_only
@each_case
def test_cut_sample(case, warehouse):
    contract.check_cut(
        warehouse,
        reader_of(case),
        case.sample,
        cut_may_land=case.cut_may_land,
        sums_records=case.sums_records,
    )


@lands_only
@each_case
def test_whole_last_line_without_line_break(case, warehouse):
    problems = [problem for _, problem in ends.of_sample(warehouse, case, case.sample, cuts=2)]
    assert not any(problems), problems


@lands_only
@each_case
def test_other_content_under_its_name(case, warehouse):
    contract.check_other_content(warehouse, reader_of(case), case.sample)


@lands_only
@each_case
def test_compressed_sample_lands_the_same(case, warehouse):
    contract.check_compressed(warehouse, reader_of(case), case.sample)


@lands_only
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
        assert re.search("data end too early|data are damaged", message), kind


@lands_only
@each_case
def test_landed_again_replaced_and_its_runs_forgotten(case, warehouse, tmp_path):
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

    for run_id in again.runs:
        forget_run(warehouse, run_id)
    assert is_empty(warehouse)


@cache
def small_warehouse(db):
    """Open a warehouse with little memory, once for all that a process lands there."""
    con = pwh.connect(db)
    con.execute("SET memory_limit = '512MB'")
    return con


def landed_and_peak(db, path):
    """Land a file with little memory; return its rows and the peak memory of the process."""
    con = small_warehouse(db)
    # Linux counts the peak anew then; elsewhere it is that of all files so far.
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    (landed,) = land(con, path)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    forget_source(con, landed.source_id)
    return sum(landed.rows.values()), peak


@pytest.fixture(scope="module")
def other_process():
    """Return a process that has run nothing of what the tests of this one run."""
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(1, mp_context=context, initializer=land_only) as pool:
        yield pool


def land_only():
    """Store no answers in this process, unless there is time for them."""
    if not THOROUGH:
        ingest.load.analyse = ingest.forget.analyse = lambda *_: None


@pytest.fixture(scope="module")
def small_file(template, tmp_path_factory):
    """Return the file of a warehouse for large files."""
    return shutil.copy(template, tmp_path_factory.mktemp("small") / "w.duckdb")


@lands_only
@each_case
def test_a_hundredfold_file_stays_within_a_gib(
    case, small_file, warehouse, other_process, tmp_path
):
    folder = tmp_path / "large"
    folder.mkdir()
    path = case.enlarge(folder, 100)
    rows_of_large, peak = other_process.submit(landed_and_peak, small_file, path).result()
    (small,) = land(warehouse, case.sample)
    assert rows_of_large > 50 * sum(small.rows.values())
    assert peak < GIB + (512 << 20)

    forget_source(warehouse, small.source_id)
    assert is_empty(warehouse)
