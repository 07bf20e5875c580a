"""Compressed files that contain far more than they seem to, and temporary folders."""

from __future__ import annotations

import gzip
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

import pytest

from ingest import recording
from ingest.parsing import lines
from ingest.recording import TemporaryFolder
from tests.helpers.support import land
from tests.ingest.copies import is_empty
from warehouse.errors import InputError

# A tenth of a megabyte of zeros a byte: as sound files of these formats begin, then nothing more.
BEGINS = {
    "plain": b"event,value\ncycles,100\n",
    "callgrind": b"# callgrind format\nversion: 1\nevents: Ir\n\nfn=main\n1 2\n",
    "perf-stat": b" Performance counter stats for 'x':\n\n 100 cycles\n",
    "mpip": b"@ mpiP\n@ Command : ./a.out\n@ Version : 3.4\n",
    "tau-packed": b"\0p\0p\0k",
}


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
@pytest.mark.parametrize("name", BEGINS)
def test_a_bomb_is_refused_before_it_fills_memory_or_disk(
    warehouse, tmp_path, monkeypatch, name, compress
):
    monkeypatch.setattr(lines, "LONGEST_LINE", 4 << 20)
    bomb = tmp_path / f"bomb.{name}"
    bomb.write_bytes(compress(BEGINS[name] + bytes(30_000_000)))
    with pytest.raises(InputError):
        land(warehouse, bomb, max_bytes=20_000_000)
    assert is_empty(warehouse)


def test_what_a_compressed_file_may_contain_is_the_users_choice(warehouse, tmp_path):
    file = tmp_path / "counters.csv.gz"
    rows = b"".join(b"%d,cycles,100\n" % sample for sample in range(10_000))
    file.write_bytes(gzip.compress(b"sample,event,value\n" + rows))
    with pytest.raises(InputError, match="decompress to more than 0 MB") as error:
        land(warehouse, file, max_bytes=100_000)
    assert "--max-size" in error.value.hint and error.value.path == str(file)
    assert land(warehouse, file, max_bytes=1_000_000)[0].rows == {"pmu_samples": 10_000}


def test_half_of_the_free_space_is_the_most(warehouse, tmp_path, monkeypatch):
    file = tmp_path / "counters.csv.gz"
    file.write_bytes(gzip.compress(b"event,value\n" + b"cycles,100\n" * 10_000))
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(recording.shutil, "disk_usage", lambda _: usage(10**6, 9 * 10**5, 10**5))
    with pytest.raises(InputError, match="decompress to more than"):
        land(warehouse, file)


@pytest.mark.parametrize(
    ("size", "found"), [("200MB", 200_000_000), ("1.5 g", 1_500_000_000), ("7", 7), ("2k", 2000)]
)
def test_sizes(size, found):
    from apps.commands.options import parse_size

    assert parse_size(size, "--max-size") == found


@pytest.fixture
def temporary_files(tmp_path, monkeypatch):
    """Use an empty folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    recording.remove_abandoned_folders.cache_clear()
    yield tmp_path
    recording.remove_abandoned_folders.cache_clear()


def test_folders_of_killed_processes_are_removed(temporary_files):
    code = "from ingest.recording import TemporaryFolder as T; t = T(); import os; os._exit(9)"
    root = str(Path(__file__).parents[2])
    subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TMPDIR": str(temporary_files), "PYTHONPATH": root},
        check=False,
    )
    (left,) = temporary_files.iterdir()
    (left / "0").write_text("x")
    own = TemporaryFolder()
    assert left.exists(), "it may be that of a process that has just begun"
    for folder in (left, own.path):
        os.utime(folder, (0, 0))
    recording.remove_abandoned_folders.cache_clear()
    TemporaryFolder().close()
    assert list(temporary_files.iterdir()) == [own.path]
    own.close()
    assert list(temporary_files.iterdir()) == []


def test_folders_of_others_are_left_alone(temporary_files):
    (temporary_files / "other").mkdir()
    link = temporary_files / "pwh-recording-link"
    link.symlink_to(temporary_files / "other")
    (temporary_files / "other" / "kept").touch()
    os.utime(link, (0, 0), follow_symlinks=False)
    TemporaryFolder().close()
    assert (temporary_files / "other" / "kept").exists()
    shutil.rmtree(temporary_files / "other")
