from pathlib import Path

import pytest

from warehouse import connect
from warehouse.address import Lake, Served, parse_address
from warehouse.errors import UsageError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("pwh.duckdb", Path("pwh.duckdb")),
        ("/data/quack:x", Path("/data/quack:x")),
        ("quack:localhost", Served("localhost", 9494)),
        ("quack:perf-1.example.org:80", Served("perf-1.example.org", 80)),
        ("quack:[::1]:9595", Served("::1", 9595)),
        ("ducklake:postgres:dbname=pwh host=//x", Lake("postgres:dbname=pwh host=//x")),
    ],
)
def test_addresses(text, address):
    assert parse_address(text) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        *("quack:", "quack::9494", "quack:host:0", "quack:host:65536", "quack:host:port"),
        *("quack:secret@host", "quack://host", "quack:host:9494/db", "quack:a b", "ducklake:"),
    ],
)
def test_what_is_no_address_is_refused_and_not_repeated(text):
    with pytest.raises(UsageError) as refused:
        connect(text)
    assert "secret" not in str(refused.value)
