"""What a browser saw at its last visit."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from apps.pages import inbox


@pytest.mark.parametrize(
    ("cookie", "seen"),
    [
        (None, 0),
        ("", 0),
        ("3.5", 0),
        ("3.5.x", 0),
        ("-3.5.1", 0),
        ("3.5.{now}", 3),
        ("3.5.{hour_ago}", 5),
    ],
)
def test_a_visit_ends_after_half_an_hour(monkeypatch, cookie, seen):
    path, now = Path("some.duckdb"), round(time.time() * 1000)
    cookie = cookie and cookie.format(now=now, hour_ago=now - 3600_000)
    cookies = {} if cookie is None else {inbox._cookie(path): cookie}
    monkeypatch.setattr(inbox.st, "context", type("Context", (), {"cookies": cookies}))
    assert inbox.last_seen(path) == seen
    assert inbox._cookie(path) != inbox._cookie(Path("other.duckdb"))


def test_what_is_settled_is_not_new():
    assert inbox.is_unseen({"state": "new", "event_id": 4}, 3)
    assert not inbox.is_unseen({"state": "new", "event_id": 3}, 3)
    assert not inbox.is_unseen({"state": "expected", "event_id": 4}, 3)
