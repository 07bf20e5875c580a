"""What is printed of a sequential test."""

from __future__ import annotations

from apps.reports.recording import decided_text, looked_text
from udfs.measuring.sequential import Design, look


def test_a_verdict_states_its_errors_and_what_disturbed_it():
    measured = [(1.0, 1.2), (1.01, 1.21), (1.0, 1.19), (1.02, 1.22), (1.0, 1.21), (1.01, 1.2)]
    state = look(measured, Design())
    assert looked_text(state).startswith("pair 6 of at most 10: wall time +19")
    text = decided_text(state, Design())
    assert text.startswith("decided after 6 pairs: slower, wall time +19")
    assert "5 % false alarms, 5 % misses of 5 %" in text
    assert "undecided after 1 pair" in decided_text(look(measured[:1], Design()), Design())
