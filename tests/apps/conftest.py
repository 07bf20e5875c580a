"""Running commands as a user does."""

from __future__ import annotations

import sys

import pytest

from apps import cli


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
