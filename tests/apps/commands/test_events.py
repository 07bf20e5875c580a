"""pwh events: listing, choosing and triage, over the demo's two changes."""

from __future__ import annotations

import csv
import io
import shutil

import pytest


@pytest.fixture
def events(run, demo_warehouse, tmp_path):
    """Run pwh events over a copy of the demo."""
    db = shutil.copy(demo_warehouse, tmp_path / "w.duckdb")
    return lambda *arguments: run("--db", db, "events", *arguments)


def listed(result):
    """Return number and state of the events that CSV lists."""
    code, out, err = result
    assert (code, err) == (0, "")
    return [(int(row["event_id"]), row["state"]) for row in csv.DictReader(io.StringIO(out))]


def test_the_list_has_the_causes_of_what_is_open(events):
    code, out, _ = events()
    assert (code, out.splitlines()[0]) == (0, "2 events, 2 open")
    assert "* Event 2: stencil-1.23 takes 17.8 % longer" in out
    assert listed(events("--app", "stencil", "-f", "csv")) == [(2, "new")]
    assert listed(events("--machine", "gen*", "--since", "2026-11-01", "-f", "csv")) == [(2, "new")]
    assert listed(events("--branch", "topic", "-f", "csv")) == []
    assert events("--owner", "nobody")[:2] == (0, "no such events; not certain yet: pwh trend\n")
    assert events("99")[0] == 5


def test_triage_is_in_the_list_and_in_trend_and_ack_is_its_short_form(events, run):
    _, out, _ = events("1", "--state", "investigating", "--owner", "ada", "--ticket", "https://t/7")
    assert "* State investigating; owner ada; ticket https://t/7; said on " in out
    assert listed(events("--owner", "ada", "-f", "csv")) == [(1, "investigating")]
    assert listed(events("--state", "open", "-f", "csv")) == [(2, "new"), (1, "investigating")]
    _, out, _ = events("1", "--state", "fixed", "--in", "3.99", "--by", "bob")
    assert "State fixed in 3.99 (three runs from it on will check it); owner ada;" in out
    assert listed(events("--state", "open", "-f", "csv")) == [(2, "new")]
    assert "Acknowledged as fixed in 3.99." in run("--db", "w.duckdb", "trend", "kernels")[1]
    assert run("--db", "w.duckdb", "ack", "stencil-1.23", "expected")[0] == 0
    assert listed(events("-f", "csv")) == [(2, "expected"), (1, "fixed")]
    assert "State new." in events("2", "--state", "open")[1]


def test_a_fix_that_is_none_is_open_and_red_again(events, run):
    out = events("2", "--state", "fixed", "--in", "1.23")[1]
    assert "State reopened: not fixed in 1.23;" in out
    assert listed(events("--state", "reopened", "-f", "csv")) == [(2, "reopened")]
    assert run("--db", "w.duckdb", "gate", "stencil")[0] == 1
    assert "not fixed" in run("--db", "w.duckdb", "ack", "stencil-1.23", "fixed", "--in", "1.24")[1]
    # what was before the change is no fix of it, though it was as quick
    assert "not fixed in 1.20;" in events("2", "--state", "fixed", "--in", "1.20")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--ticket", "https://t/7"), "are of one event"),
        (("1", "--app", "kernels"), "choose among events"),
        (("1", "--state", "fixed"), "fixed and --in belong together"),
        (("1", "--state", "expected", "--in", "3"), "fixed and --in belong together"),
        (("1", "--state", "withdrawn"), "withdrawn is found, not said"),
        (("--state", "invalid"), "has no event"),
        (("one",), "not a valid int"),
    ],
)
def test_what_cannot_be_is_refused(events, arguments, said):
    code, out, err = events(*arguments)
    assert (code, out) == (2, "") and said in err
