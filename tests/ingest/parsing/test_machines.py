"""Which names of hosts are machines."""

from __future__ import annotations

import pytest

from ingest.parsing.machines import machine_of


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
