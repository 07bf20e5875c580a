"""Running commands as a user does."""

from __future__ import annotations

import shutil
import sys
from contextlib import ExitStack

import pytest

from apps import cli
from tests.conftest import SHARED
from tests.helpers import support
from tests.helpers.support import land, settle_files
from warehouse import connection


@pytest.fixture(autouse=True)
def _settles(monkeypatch):
    """Compute answers before tests read them, where these write rows by hand."""
    monkeypatch.setattr(support, "SETTLES", True)


@pytest.fixture(autouse=True)
def _copies(new_warehouses_are_copies):
    """Copy a template for every new warehouse."""


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run a command in an empty folder; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PWH_DB", raising=False)

    def run(*arguments):
        settle_files()
        monkeypatch.setattr(sys, "argv", ["pwh", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        out, err = capfd.readouterr()
        return stop.value.code or 0, out, err

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder for files that the tests of a module share."""
    return tmp_path_factory.mktemp("files")


@pytest.fixture(scope="module")
def ingested(template, tmp_path_factory):
    """Land files in a new warehouse and return its path: ingested(file, another, run_id="r1").

    It is open for reading meanwhile; copy it to change it.
    """
    with ExitStack() as opened:

        def ingested(*files, **options):
            path = shutil.copy(template, tmp_path_factory.mktemp("ingested") / "w.duckdb")
            with connection.connect(path) as con:
                for file in files:
                    land(con, file, **options)
            opened.enter_context(connection.connect(path, read_only=True))
            SHARED.add(str(path))
            return path

        yield ingested


@pytest.fixture
def pwh(run, ingested_once, monkeypatch):
    """Run commands that read `ingested_once`, the warehouse that a module's tests begin with."""
    monkeypatch.setenv("PWH_DB", str(ingested_once))
    return run


@pytest.fixture
def changeable(pwh, ingested_once, tmp_path, monkeypatch):
    """Let the commands that `pwh` runs change their warehouse: a copy of `ingested_once`."""
    monkeypatch.delenv("PWH_DB")
    shutil.copy(ingested_once, tmp_path / "pwh.duckdb")
