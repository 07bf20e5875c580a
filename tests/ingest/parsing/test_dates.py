"""Times without a zone are of the zone that is stated, and it is known that there were some."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from ingest.parsing.dates import Zone, ctime_date, local_zone, written_date
from tests.helpers.support import land, rows


@pytest.mark.parametrize(
    ("text", "hour", "is_used"),
    [
        ("2026-07-01T12:00:00", 10, True),
        ("2026-01-01T12:00:00", 11, True),
        ("2026-07-01T12:00:00Z", 12, False),
        ("2026-07-01T12:00:00+09:00", 3, False),
    ],
)
def test_a_zone_is_for_times_that_state_none(text, hour, is_used):
    zone = Zone(ZoneInfo("Europe/Berlin"))
    with local_zone(zone):
        found = written_date(text)
    assert found is not None
    assert (found.astimezone(UTC).hour, zone.is_used) == (hour, is_used)


def test_without_one_they_are_utc():
    assert ctime_date("Sat Nov 21 00:04:58 2026") == datetime(2026, 11, 21, 0, 4, 58, tzinfo=UTC)
    with local_zone(Zone(ZoneInfo("Asia/Tokyo"))):
        assert ctime_date("Sat Nov 21 09:04:58 2026") == ctime_date_in_utc()


def ctime_date_in_utc():
    """Return what the time of Tokyo above is in UTC."""
    return datetime(2026, 11, 21, 0, 4, 58, tzinfo=UTC)


def test_tables_that_duckdb_reads_are_of_the_zone(warehouse, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text(
        "run_id,app,started_at,wall_seconds\n"
        "a,x,2026-07-01 12:00:00,1\nb,x,2026-07-01T12:00:00Z,1\n"
    )
    land(warehouse, file, time_zone=ZoneInfo("Europe/Berlin"))
    query = "SELECT run_id, hour(started_at) FROM runs ORDER BY run_id"
    assert rows(warehouse, query) == [("a", 10), ("b", 12)]
    assert rows(warehouse, "SELECT current_setting('TimeZone')") == [("UTC",)]
