"""New warehouses are copies of an empty one in the user's cache, if that is surely the user's."""

from __future__ import annotations

import os
import shutil

import pytest

import warehouse as pwh
from tests.helpers.support import rows
from warehouse import connection, ready


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Return the folder of an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "pwh"


@pytest.fixture
def made(template, monkeypatch):
    """Return the files that are made from nothing; what makes them copies the template's rows."""
    files = []

    def fill(con):
        files.append(con.execute("SELECT current_database()").fetchone()[0])
        con.execute(f"ATTACH '{template}' AS template (READ_ONLY)")
        con.execute(f'COPY FROM DATABASE template TO "{files[-1]}"')
        con.execute("DETACH template")

    monkeypatch.setattr(connection, "fill", fill)
    return files


def create(path):
    with pwh.connect(path) as con:
        con.execute(
            "INSERT INTO saved_queries (name, query, saved_at) VALUES ('own', 'FROM runs', now())"
        )
        return rows(con, "SELECT count(*) FROM saved_queries")


def test_the_second_new_warehouse_is_a_copy(cache, made, tmp_path):
    mask = os.umask(0o027)
    try:
        assert [create(tmp_path / f"{number}.duckdb") for number in range(3)] == [[(1,)]] * 3
    finally:
        os.umask(mask)
    assert len(made) == 1
    assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("*.duckdb")} == {0o640}
    (kept,) = cache.iterdir()
    assert kept.stat().st_mode & 0o777 == 0o400 and cache.stat().st_mode & 0o777 == 0o700


def test_what_others_could_have_written_is_not_copied(cache, made, tmp_path):
    create(tmp_path / "first.duckdb")
    (kept,) = cache.iterdir()
    kept.chmod(0o600)
    create(tmp_path / "w.duckdb")
    assert len(made) == 2 and kept.stat().st_mode & 0o777 == 0o400, "and it is replaced"
    cache.chmod(0o770)
    create(tmp_path / "x.duckdb")
    assert len(made) == 3
    cache.chmod(0o700)
    shutil.copy(kept, tmp_path / "elsewhere")
    kept.unlink()
    kept.symlink_to(tmp_path / "elsewhere")
    create(tmp_path / "y.duckdb")
    assert len(made) == 4


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
@pytest.mark.parametrize("which", ["file", "folder"])
def test_what_is_another_users_is_neither_copied_nor_written_to(cache, made, tmp_path, which):
    create(tmp_path / "first.duckdb")
    (kept,) = cache.iterdir()
    os.chown(kept if which == "file" else cache, 12345, -1)
    create(tmp_path / "w.duckdb")
    assert len(made) == 2
    assert kept.stat().st_uid == 0


def test_another_version_has_one_of_its_own(cache, made, tmp_path, monkeypatch):
    create(tmp_path / "first.duckdb")
    (old,) = cache.iterdir()
    monkeypatch.setattr(ready, "_version", lambda: "of-another-one")
    create(tmp_path / "w.duckdb")
    assert len(made) == 2 and len(list(cache.iterdir())) == 2
    os.utime(old, (0, 0))
    monkeypatch.setattr(ready, "_version", lambda: "of-a-third")
    create(tmp_path / "x.duckdb")
    assert not old.exists() and len(list(cache.iterdir())) == 2


@pytest.mark.parametrize("where", ["/proc/self/no", "relative"])
def test_without_a_cache_warehouses_are_made(made, tmp_path, monkeypatch, where):
    monkeypatch.setenv("XDG_CACHE_HOME", where)
    monkeypatch.setenv("HOME", "/proc/self/no")
    assert create(tmp_path / "w.duckdb") == create(tmp_path / "x.duckdb") == [(1,)]
    assert len(made) == 2
