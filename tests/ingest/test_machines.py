"""Which names of hosts are machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.runs import machine_of
from tests.helpers.support import land, rows

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.mark.parametrize("host", ["node17", "deadbeef", "build-server-2", "web-1", None])
def test_names_that_people_gave_are_machines(host):
    assert machine_of(host, "AMD EPYC", "4") == (host, {})


@pytest.mark.parametrize(
    "host",
    [
        *("3f2a9c1d4e5b", "fv-az1234-56", "runnervmabc12", "bench-7d9f8b6c54-x2k9p"),
        "runner-abc123-project-42-concurrent-0",
    ],
)
def test_random_names_yield_to_the_hardware(host):
    assert machine_of(host, "AMD EPYC", "4") == ("AMD EPYC, 4 cores", {"host": host})
    assert machine_of(host, None, "1") == ("1 core", {"host": host})
    assert machine_of(host) == (None, {"host": host})


def test_a_table_of_runs_names_machines_and_a_tool_names_hosts(warehouse, tmp_path):
    table = tmp_path / "runs.csv"
    table.write_text("run_id,machine,wall_seconds\na,3f2a9c1d4e5b,1\nb,7f2a9c1d4e5b,2\n")
    land(warehouse, table)
    script = tmp_path / "perf-script.txt"
    text = (SAMPLES / "perf-script" / "sieve.txt").read_text()
    script.write_text(text.replace("hostname : node1", "hostname : 3f2a9c1d4e5b"))
    land(warehouse, script, run_id="c")
    asked = "SELECT run_id, machine, tags['host'] FROM runs ORDER BY run_id"
    assert rows(warehouse, asked) == [
        ("a", "3f2a9c1d4e5b", None),
        ("b", "7f2a9c1d4e5b", None),
        ("c", "CPU, 2 cores", "3f2a9c1d4e5b"),
    ]
