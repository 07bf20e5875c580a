"""pwh ui: what it starts, where it listens, and its messages. The app itself: tests/apps/pages."""

from __future__ import annotations

import os
import socket

import pytest


@pytest.fixture
def started(monkeypatch):
    """Return the command line and environment that pwh ui would become."""
    seen = {}

    def execve(program, command, environment):
        seen.update(program=program, command=command, environment=environment)
        raise SystemExit(0)

    monkeypatch.setattr(os, "execve", execve)
    return seen


def test_it_listens_on_loopback_and_reports_to_nobody(run, started, tmp_path):
    code, out, err = run("--db", "w.duckdb", "ui", "--no-browser")
    assert (code, out) == (0, "")
    # That it is there, the server says.
    assert "the app is at" not in err
    assert "there is no warehouse at w.duckdb yet" in err
    options = started["command"]
    assert options[1:4] == ["-m", "apps.pages.server", "127.0.0.1"]
    assert f"--server.port={options[4]}" in options
    assert "--server.address=127.0.0.1" in options
    assert "--browser.gatherUsageStats=false" in options
    assert "--server.headless=true" in options
    assert started["environment"]["PWH_DB"] == str(tmp_path / "w.duckdb")
    assert started["environment"]["PWH_ALLOW_INGEST"] == "0"
    assert started["environment"]["PYTHONSAFEPATH"] == "1"


def test_it_takes_the_next_port_where_the_first_is_taken(run, started):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = run("ui", "--port", port)
        assert code == 2
        assert f"cannot listen on port {port}" in err
        assert "--port PORT" in err
    assert not started


def test_another_address_is_warned_about(run, started):
    _, _, err = run("ui", "--host", "0.0.0.0", "--no-browser")
    assert "anyone who can reach that address can read the warehouse" in err
    assert "--server.address=0.0.0.0" in started["command"]
    _, _, err = run("ui", "--host", "0.0.0.0", "--no-browser", "--allow-ingest")
    assert "can read the warehouse and land files in it" in err
    assert started["environment"]["PWH_ALLOW_INGEST"] == "1"


def test_it_opens_a_browser_by_default(run, started):
    run("ui")
    assert "--server.headless=false" in started["command"]
