"""What is said where memory runs out."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from ingest.load import load
from ingest.walk import find
from tests.bench.bench_growth import runs_of
from tests.helpers.support import rows
from warehouse.damage import damage
from warehouse.errors import OutOfMemory, WarehouseDamaged
from warehouse.memory import out_of_memory

_START = (
    "import resource, sys; sys.path.insert(0, sys.argv.pop(1)); from apps.cli import main; "
    "import duckdb, numpy, pyarrow; most = int(sys.argv.pop(1)); "
    "resource.setrlimit(resource.RLIMIT_AS, (most, most)); main()"
)


def test_it_is_said_how_much_duckdb_may_use():
    with duckdb.connect(config={"memory_limit": "20MB", "temp_directory": ""}) as con:
        with pytest.raises(duckdb.OutOfMemoryException) as caught:
            con.execute("SELECT list(range) FROM range(30_000_000)").fetchall()
    found = out_of_memory(caught.value)
    assert found is not None
    assert found.problem == "memory ran out: the 19.0 MiB that DuckDB may use did not suffice"
    assert found.hint
    assert found.exit_code == 4


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        duckdb.FatalException("FATAL Error: database has been invalidated: Out of Memory Error: x"),
        duckdb.InternalException("INTERNAL Error: Allocation failure"),
    ],
)
def test_memory_that_ran_out_is_no_damage(error):
    assert isinstance(damage(error), OutOfMemory)
    assert "MiB that " in str(damage(error))


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EACCES, "Permission denied"),
        duckdb.BinderException('Binder Error: column "out of memory" not found'),
        duckdb.ConversionException("Conversion Error: Could not convert 'bad_alloc' to INT64"),
    ],
)
def test_other_errors_are_not_taken_for_it(error):
    assert out_of_memory(error) is None
    assert damage(error) is None


def test_damage_is_still_damage():
    assert type(damage(duckdb.FatalException("FATAL Error: x"))) is WarehouseDamaged


@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.ENOMEM, "Cannot allocate memory")])
def test_no_reader_is_blamed_and_nothing_lands(warehouse, tmp_path, monkeypatch, error):
    (found,) = find([runs_of(tmp_path / "x.csv", 5, "counters")])
    recording = found.recording()

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("ingest.load.write_facts", fail)
    with pytest.raises(OutOfMemory, match="memory ran out: the "):
        load(warehouse, recording, found.reader)  # type: ignore[arg-type]
    recording.close()
    assert rows(warehouse, "SELECT count(*) FROM sources") == [(0,)]
    assert rows(warehouse, "SELECT count(*) FROM pmu_samples") == [(0,)]


def test_a_command_with_little_memory_ends_with_a_message(tmp_path):
    tree = str(Path(__file__).parents[2])
    command = [sys.executable, "-P", "-c", _START, tree, str(900 << 20)]
    # In memory, where the tables are made first.
    sql = "SELECT len(string_agg(repeat('x', 1000), '')) FROM range(3_000_000)"
    done = subprocess.run(
        [*command, "--db", ":memory:", "sql", sql], capture_output=True, text=True, check=False
    )
    assert "memory ran out: the " in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 4
