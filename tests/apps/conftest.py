"""Running commands as a user does."""

from __future__ import annotations

import shutil
import sys

import pytest

from apps import cli
from tests.helpers.support import land
from warehouse import connection


@pytest.fixture(autouse=True)
def _copies(new_warehouses_are_copies):
    """Copy a template for every new warehouse."""


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run a command in an empty folder; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PWH_DB", raising=False)

    def run(*arguments):
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
    """Land files in a new warehouse and return its path: ingested(file, another, run_id="r1")."""

    def ingested(*files, **options):
        path = shutil.copy(template, tmp_path_factory.mktemp("ingested") / "w.duckdb")
        with connection.connect(path) as con:
            for file in files:
                land(con, file, **options)
        return path

    return ingested


@pytest.fixture
def pwh(run, ingested_once, tmp_path):
    """Run commands on a copy of `ingested_once`, the warehouse that a module's tests begin with."""
    shutil.copy(ingested_once, tmp_path / "pwh.duckdb")
    return run
