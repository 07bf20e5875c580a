"""HPCToolkit's databases of version 4, which Hatchet's reader reads with the same values."""

from __future__ import annotations

import random
import shutil

import pytest

from ingest.readers.profiles.hpctoolkit.reader import HpcToolkit
from ingest.readers.profiles.hpctoolkit.rows import metric_of
from ingest.recording import Recording
from tests.helpers.support import land, rows
from tests.ingest.case import SAMPLES
from warehouse.errors import InputError

SAMPLE = SAMPLES / "hpctoolkit-4"


def test_own_values_are_those_that_callees_do_not_have(warehouse):
    land(warehouse, SAMPLE / "meta.db")
    times = "SELECT rank, thread, callpath, seconds, inclusive_seconds FROM fn_timings"
    assert rows(warehouse, f"{times} ORDER BY rowid") == [
        (0, 0, "main thread", 0.0, 4.0),
        (0, 0, "main thread->main", 0.5, 4.0),
        (0, 0, "main thread->main->relax", 1.25, 3.25),
        (0, 0, "main thread->main->[libc.so.6]", 0.25, 0.25),
        (0, 0, "main thread->main->relax->at<double>", 2.0, 2.0),
        (0, 1, "main thread", 0.0, 1.5),
        (0, 1, "main thread->main", 0.0, 1.5),
        (0, 1, "main thread->main->relax", 1.5, 1.5),
    ]
    counters = "SELECT event, sum(value), max(inclusive) FROM pmu_samples GROUP BY event"
    assert rows(warehouse, counters) == [("perf::CYCLES", 400.0, 400.0)]
    facts = "SELECT app, nodes, ranks, threads FROM runs"
    assert rows(warehouse, facts) == [("stencil", 1, 1, 2)]


@pytest.mark.parametrize("name", ["meta.db", "profile.db"])
def test_either_file_names_the_database(name):
    assert HpcToolkit().parts(SAMPLE / name) == (SAMPLE / "meta.db", SAMPLE / "profile.db")


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("meta.db", lambda data: data[:-9], "the end is missing"),
        ("profile.db", lambda data: data[:-1], "the end is missing"),
        ("profile.db", lambda data: b"", "begins with"),
        ("meta.db", lambda data: data[:14] + b"\3" + data[15:], "and version 4"),
        ("meta.db", lambda data: data[:0x48] + b"\xff" * 8 + data[0x50:], "refers to byte"),
    ],
)
def test_damaged_files_are_refused(warehouse, tmp_path, name, change, message):
    shutil.copytree(SAMPLE, tmp_path, dirs_exist_ok=True)
    (tmp_path / name).write_bytes(change((SAMPLE / name).read_bytes()))
    with pytest.raises(InputError, match=message):
        land(warehouse, tmp_path / "meta.db", reader="hpctoolkit")


def test_meta_db_alone_is_refused(warehouse, tmp_path):
    shutil.copy(SAMPLE / "meta.db", tmp_path)
    with pytest.raises(InputError, match=r"no profile\.db"):
        land(warehouse, tmp_path / "meta.db")


def test_every_damage_is_an_error_of_the_reader(tmp_path):
    chance = random.Random(1)
    reader = HpcToolkit()
    for name in ("meta.db", "profile.db"):
        shutil.copytree(SAMPLE, tmp_path, dirs_exist_ok=True)
        data = (SAMPLE / name).read_bytes()
        for _ in range(80):
            at = chance.randrange(16, len(data))
            changed = bytearray(data)
            changed[at] ^= 1 << chance.randrange(8)
            (tmp_path / name).write_bytes(changed)
            read_all(reader, tmp_path / "meta.db")


def read_all(reader, path):
    recording = Recording(reader.parts(path))
    try:
        list(reader.read(recording))
    except InputError as error:
        assert error.problem
    finally:
        recording.close()


@pytest.mark.parametrize(
    ("text", "name", "unit", "statistic"),
    [
        ("CPUTIME (usec):Sum (I)", "CPUTIME", "s", "Sum"),
        ("PAPI_TOT_CYC (E)", "PAPI_TOT_CYC", None, None),
        ("perf::CYCLES", "perf::CYCLES", None, None),
        ("GXCOPY:H2D (B)", "GXCOPY:H2D", "B", None),
        ("REALTIME (sec):StdDev (E)", "REALTIME", "s", "StdDev"),
    ],
)
def test_names_of_metrics(text, name, unit, statistic):
    found = metric_of(text)
    assert (found.name, found.unit, found.statistic) == (name, unit, statistic)
