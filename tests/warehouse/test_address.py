from datetime import UTC, datetime
from pathlib import Path

import pytest

from warehouse import connect
from warehouse.address import Lake, Served, in_the_past, parse_address
from warehouse.errors import UsageError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("pwh.duckdb", Path("pwh.duckdb")),
        ("/data/quack:x", Path("/data/quack:x")),
        ("./quack:x", Path("quack:x").absolute()),
        ("./s3:x.db", Path("s3:x.db").absolute()),
        ("C:w.duckdb", Path("C:w.duckdb")),
        ("w-10:30.duckdb", Path("w-10:30.duckdb")),
        (":memory:", Path(":memory:")),
        ("quack:localhost", Served("localhost", 9494)),
        ("quack:perf-1.example.org:80", Served("perf-1.example.org", 80)),
        ("quack:[::1]:9595", Served("::1", 9595)),
        ("ducklake:postgres:dbname=pwh host=/run", Lake("postgres:dbname=pwh host=/run")),
        ("ducklake:a b.db data_path='/c d'", Lake("a b.db", "/c d")),
        (
            "ducklake:postgres:dbname='my db' data_path=s3://b/p as_of=2026-11-20 host=h",
            Lake(
                "postgres:dbname='my db' host=h",
                "s3://b/p",
                datetime(2026, 11, 20, 23, 59, 59, 999999, UTC),
            ),
        ),
        (
            "ducklake:x.db as_of='2026-11-20 12:00+01:00'",
            Lake("x.db", None, datetime(2026, 11, 20, 11, tzinfo=UTC)),
        ),
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
        *("ducklake:postgres:", "ducklake:postgres:host=h", "ducklake:mysql:db=x"),
        *("ducklake:postgres:dbname=x password=secret", "ducklake:postgres:dbname=x secret"),
        *("ducklake:postgres:postgresql://u:secret@h/x", "ducklake:x.db as_of=soon"),
        *(
            "postgres:dbname=x password=secret",
            "Quack:host",
            "DuckLake:x.db",
            "s3://bucket/w.duckdb",
        ),
        *("http://host/w.duckdb", "sqlite:x.db", "postgresql://u:secret@h/x", "host:9494"),
    ],
)
def test_what_is_no_address_is_refused_and_not_repeated(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as refused:
        connect(text)
    assert not list(tmp_path.iterdir())
    assert "secret" not in str(refused.value)


def test_of_the_future_nothing_is_known():
    with pytest.raises(UsageError, match="in the future"):
        in_the_past(parse_address("ducklake:x.db"), "2999-12-31")
    today = datetime.now(UTC).date()
    assert in_the_past(parse_address("ducklake:x.db"), f"{today}").as_of.date() == today
