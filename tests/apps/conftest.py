"""Running commands as a user does."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from apps import cli
from warehouse import connection


@pytest.fixture(autouse=True)
def quick_to_make(template, monkeypatch):
    """Let every new warehouse be a copy of one that was made once."""

    def make(file: Path) -> None:
        if not file.parent.is_dir():
            return real(file)
        shutil.copy(template, file)

    real = connection._make
    monkeypatch.setattr(connection, "_make", make)


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run a command in an empty folder; give exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PWH_DB", raising=False)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pwh", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        out, err = capfd.readouterr()
        return stop.value.code or 0, out, err

    return run
