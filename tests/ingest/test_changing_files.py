"""Files that change, grow or vanish while they are read, or between one ingest and the next."""

from __future__ import annotations

import os

import pytest

from ingest.load import load
from ingest.parsed import Options
from ingest.walk import find
from tests.helpers.support import land, rows
from tests.ingest.copies import is_empty
from warehouse.errors import InputError

COUNTERS = "event,value\ncycles,100\ninstructions,200\n"


@pytest.fixture
def file(tmp_path):
    """Return a file of two counters."""
    path = tmp_path / "counters.csv"
    path.write_text(COUNTERS)
    return path


def land_while(con, file, change, **options):
    """Land a file that `change` changes after its reader has read it."""
    (found,) = find([file])

    class Changing:
        NAME, WHOLE_FOLDER = found.reader.NAME, found.reader.WHOLE_FOLDER

        @staticmethod
        def read(recording):
            yield from found.reader.read(recording)
            change(file)

    recording = found.recording()
    try:
        return load(con, recording, Changing(), Options(**options))
    finally:
        recording.close()


def append(file):
    with file.open("a") as text:
        text.write("branches,7\n")


def edit_within_a_tick(file):
    before = file.stat()
    with file.open("r+") as text:
        text.write("event,value\ncycles,999")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace(file):
    other = file.with_name("other")
    other.write_text(COUNTERS)
    before = file.stat()
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.rename(file)


@pytest.mark.parametrize("change", [append, edit_within_a_tick, replace, os.unlink])
def test_a_file_that_changes_while_it_is_read_does_not_land(warehouse, file, change):
    with pytest.raises(InputError) as error:
        land_while(warehouse, file, change)
    problem = "No such file" if change is os.unlink else "the file changed while it was read"
    assert problem in error.value.problem and error.value.path == str(file)
    assert is_empty(warehouse)


def test_a_file_that_vanished_is_told(warehouse, file):
    (found,) = find([file])
    file.unlink()
    with pytest.raises(InputError, match="cannot be read: No such file"):
        found.recording()


def test_a_file_that_grew_is_not_counted_twice(warehouse, file, tmp_path):
    run = land(warehouse, file)[0].runs[0]
    append(file)
    with pytest.raises(
        InputError, match=f"has grown since it landed on .* as the run {run} "
    ) as no:
        land(warehouse, file)
    assert "--replace" in no.value.hint
    assert rows(warehouse, "SELECT count(*) FROM pmu_samples") == [(2,)]
    land(warehouse, file, replace=True)
    assert rows(warehouse, "SELECT event, value FROM pmu_samples ORDER BY value") == [
        ("branches", 7),
        ("cycles", 100),
        ("instructions", 200),
    ]
    # What begins otherwise is another recording, as before.
    file.write_text(COUNTERS.replace("100", "101") + "branches,7\nmisses,8\n")
    land(warehouse, file)
    assert rows(warehouse, "SELECT count(*) FROM sources") == [(2,)]
