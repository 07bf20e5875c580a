"""Warehouses that every command is tested on, next to the demo's."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import warehouse as pwh
from tests.helpers.escapes import RUN, TASKS, write_escapes
from tests.helpers.segments import segments
from tests.helpers.support import land
from tests.helpers.windows import windows


@pytest.fixture(scope="module")
def escapes_warehouse(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a warehouse whose names contain escape sequences; copy it to change it."""
    folder = tmp_path_factory.mktemp("escapes")
    path = folder / "w.duckdb"
    shutil.copy(template, path)
    with pwh.connect(path) as con:
        for file in write_escapes(folder / "files"):
            land(con, file, run_id=RUN if file.name == TASKS else None)
    # DuckDB opens a file that this process has open in a twentieth of the time.
    with pwh.connect(path, read_only=True):
        yield path


@pytest.fixture(scope="module")
def training_warehouse(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a warehouse with enough to train models from; copy it to change it."""
    folder = tmp_path_factory.mktemp("training")
    path = folder / "w.duckdb"
    shutil.copy(template, path)
    with pwh.connect(path) as con:
        land(con, windows(folder / "windows.csv", programs=2, samples=3))
        land(con, segments(folder / "segments.csv", programs=3))
    return path
