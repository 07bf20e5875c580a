"""Text that is not UTF-8: names in other encodings, and what shells of Windows write."""

from __future__ import annotations

import pytest

from tests.helpers.support import land, rows

pytestmark = pytest.mark.usefixtures("without_analyses")

SAMPLE = """gr\xf6\xdfe 71 12.345678:     250000 cpu-clock:ppp:
\t            1000 l\xf6se+0x20 (/home/m\xfcller/prog)

"""
CALLGRIND = """# callgrind format
events: Ir
fl=m\xfcller.c
fn=l\xf6se
1 100
"""


@pytest.mark.parametrize(
    ("text", "query", "bytes_"),
    [
        (SAMPLE, "SELECT function FROM fn_timings WHERE seconds > 0", 4),
        (CALLGRIND, "SELECT region FROM pmu_samples", 2),
        (
            "main;l\xf6se 3\n",
            "SELECT split_part(region, '->', 2) FROM pmu_samples WHERE value > 0",
            1,
        ),
    ],
    ids=["perf-script", "callgrind", "folded-stacks"],
)
def test_names_in_another_encoding_show_its_bytes(warehouse, tmp_path, text, query, bytes_):
    path = tmp_path / "x.txt"
    path.write_bytes(text.encode("latin-1"))
    (landed,) = land(warehouse, path)
    assert rows(warehouse, query) == [(r"l\xf6se",)]
    plural = "s" if bytes_ > 1 else ""
    assert landed.left_out == rf"{bytes_} byte{plural} (not UTF-8: written as \xNN in names)"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_with_and_without_its_mark_is_read(warehouse, tmp_path, encoding):
    text = "region,event,value\nl\xf6se,cycles,100\n"
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode(encoding))
    land(warehouse, path)
    assert rows(warehouse, "SELECT region, value FROM pmu_samples") == [("l\xf6se", 100)]


def test_utf_16_that_is_cut_is_refused(refusal):
    message = refusal("event,value\ncycles,100\n".encode("utf-16")[:-1])
    assert "the UTF-16 data end too early: the file is cut off" in message
