"""The database in memory that readers question files with."""

from __future__ import annotations

import duckdb
import pytest

from ingest.parsing.scratch import scratch


def test_files_share_one_database_without_temporary_tables():
    with scratch() as con:
        con.execute("CREATE TEMP TABLE mine AS SELECT 1")
        con.execute("CREATE OR REPLACE TABLE ours AS SELECT 1")
    with scratch() as con:
        assert con.execute("FROM ours").fetchall() == [(1,)]
        with pytest.raises(duckdb.CatalogException), scratch() as other:
            other.execute("FROM mine")


def test_after_an_error_the_next_file_gets_a_new_database():
    with scratch() as con:
        con.execute("CREATE OR REPLACE TABLE ours AS SELECT 1")
    with pytest.raises(duckdb.ConversionException), scratch() as con:
        con.execute("SELECT 'x'::INTEGER")
    with pytest.raises(duckdb.CatalogException), scratch() as con:
        con.execute("FROM ours")
