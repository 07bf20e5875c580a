"""Files that arrive in folders."""

from __future__ import annotations

from ingest.arriving import Arriving


def test_a_file_is_complete_when_it_has_not_changed_for_a_while(tmp_path):
    now = 0.0
    arriving = Arriving([tmp_path], lambda: now)
    file = tmp_path / "deep" / "a.csv"
    file.parent.mkdir()
    file.write_text("a")
    assert arriving.look() == set() and arriving.incomplete({file})
    now = 1.5
    file.write_text("ab")
    assert arriving.look() == set()
    now = 3.0
    assert arriving.look() == set()
    now = 3.6
    assert arriving.look() == {file} and not arriving.incomplete({file})
    arriving.done({file})
    assert arriving.look() == set()
    file.write_text("abc")
    assert arriving.look() == set()
    now = 6.0
    assert arriving.look() == {file}
    file.unlink()
    assert arriving.look() == set()
