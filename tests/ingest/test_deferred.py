"""Readers are imported only for files that may be theirs, and the marks miss no file of theirs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ingest.base import Head
from ingest.readers import READERS
from ingest.recording import read_head
from tests.ingest.case import SAMPLES


def test_names_are_those_of_the_readers():
    assert [deferred.NAME for deferred in READERS] == [deferred.reader.NAME for deferred in READERS]


@pytest.mark.parametrize("blanks", [b"", b" \n"])
def test_marks_miss_no_file_that_the_reader_recognises(blanks):
    for path in (path for path in SAMPLES.rglob("*") if path.is_file()):
        head = Head(blanks + read_head(path), path)
        for deferred in READERS:
            found = bool(deferred.sniff(head))
            assert found == bool(deferred.reader.sniff(head)), (path.name, deferred.NAME)


def test_only_the_reader_of_the_file_and_its_libraries_are_imported():
    sample = SAMPLES / "cprofile" / "wordcount.pstats"
    code = f"""
import sys
from ingest.walk import find
(found,) = find([{str(sample)!r}])
assert found.reader.NAME == "cprofile"
print(*(name for name in sys.modules if name.startswith(("ingest.readers.", "numpy", "scipy"))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = [name.split(".") for name in done.stdout.split() if name.startswith("ingest.")]
    readers = {name[3] for name in names if len(name) > 3}
    assert readers == {"perf_stat", "cprofile"}
    assert "numpy" not in done.stdout and "scipy" not in done.stdout
