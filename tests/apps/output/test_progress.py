"""How far a sequence of steps is."""

from __future__ import annotations

import sys

from apps.output import progress


def test_a_countdown_speaks_on_a_terminal_after_two_seconds(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    countdown = progress.Countdown(1100, "files")
    said = []
    for done, at in ((0, 0.0), (1, 1.0), (100, 10.0), (101, 10.1), (1000, 100.0), (1100, 110.0)):
        now[0] = at
        said.append(countdown.after(done))
    assert said == [
        *(None, None, "100 of 1,100 files, 1:40 to go", None),
        *("1,000 of 1,100 files, 0:10 to go", None),
    ]


def test_a_countdown_is_silent_elsewhere(monkeypatch):
    countdown = progress.Countdown(3, "runs")
    monkeypatch.setattr(progress.time, "monotonic", lambda: 1e9)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    assert countdown.after(1) is None
