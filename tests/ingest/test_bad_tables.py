"""Parquet and Arrow files that lie or are damaged, and implausible values, in every table."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.ingest.case import SAMPLES

pytestmark = pytest.mark.usefixtures("without_analyses")

GOOD = {
    "pmu_samples": {"event": ["cycles", "cycles"], "value": [1.0, 2.0], "rank": [0, 1]},
    "fn_timings": {"function": ["f", "g"], "seconds": [1.0, 2.0], "calls": [1, 2]},
    "bb_launches": {"launch": [0, 1], "granularity": ["thread", "warp"], "block_size": [32, 64]},
    "bb_visits": {"launch": [0, 0], "bb": [0, 1], "visits": [1, 2], "warp": [0, 0]},
    "bb_edges": {"launch": [0, 0], "src": [0, 1], "dst": [1, 0], "count": [1, 2]},
    "bb_blocks": {"bb": [0, 1], "size": [4, 5], "pc_first": [0, 40], "pc_last": [32, 72]},
    "bb_opcodes": {"launch": [0, 0], "bb": [0, 1], "opcode": ["add", "ld"], "count": [1, 2]},
    "bb_dependences": {"launch": [0, 0], "bb": [0, 1], "distance": [1, 2], "count": [1, 2]},
    "segments": {"segment": [0, 1], "cycles": [1.0, 2.0], "instructions": [3, 4], "issued": [1, 2]},
}


NEGATIVE = "expected whole numbers from 0"


@pytest.mark.parametrize(
    ("table", "column", "value", "message"),
    [
        (
            "pmu_samples",
            "value",
            -1.0,
            "cycles is -1.0 and has no unit: it would be a count\n  expected",
        ),
        ("pmu_samples", "value", 1e20, "the value of cycles is 1e+20\n  expected a counter of at"),
        ("pmu_samples", "value", float("inf"), "the value of cycles is inf\n  expected a counter"),
        ("pmu_samples", "rank", -1, f"-1 in the column rank\n  {NEGATIVE}"),
        ("fn_timings", "seconds", -0.5, "the time of g is -0.5 s\n  expected seconds from 0, or"),
        ("fn_timings", "seconds", float("inf"), "the time of g is inf s\n  expected seconds from"),
        ("fn_timings", "calls", -3, f"-3 in the column calls\n  {NEGATIVE}"),
        ("bb_launches", "granularity", "wrap", "the granularity is wrap\n  expected thread or w"),
        ("bb_launches", "block_size", 0, "the block size is 0\n  expected a whole number from 1"),
        ("bb_visits", "visits", -1, f"-1 in the column visits\n  {NEGATIVE}"),
        ("bb_edges", "dst", -1, f"-1 in the column dst\n  {NEGATIVE}"),
        ("bb_blocks", "pc_last", 8, "the block 1 ends (8) before it starts (40)\n  expected pc_l"),
        ("bb_opcodes", "count", -1, f"-1 in the column count\n  {NEGATIVE}"),
        ("bb_dependences", "distance", -1, f"-1 in the column distance\n  {NEGATIVE}"),
        ("segments", "instructions", -1, f"-1 in the column instructions\n  {NEGATIVE}"),
    ],
)
def test_implausible_values(refusal, tmp_path, table, column, value, message):
    columns = {k: v for k, v in GOOD[table].items() if k != "issued"}
    columns[column] = [columns[column][0], value]
    pq.write_table(pa.table(columns), tmp_path / "made.parquet")
    refused = refusal((tmp_path / "made.parquet").read_bytes(), "x.parquet")
    assert refused.startswith(f"row 2 of {table}: {message}")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"event": ["c"], "value": ["12"]},
            "the column value is of type VARCHAR\n  expected numbers",
        ),
        (
            {"event": ["c"], "value": [1.0], "rank": ["0"]},
            "the column rank is of type VARCHAR\n  expected whole numbers",
        ),
        (
            {"event": ["c"], "value": [True]},
            "the column value is of type BOOLEAN\n  expected numbers",
        ),
        (
            {"event": ["c"], "value": [1.0], "rank": [1.5]},
            "pmu_samples: the column rank contains 1.5, which is no whole number",
        ),
        (
            {"event": ["c"], "value": [1.0], "rank": [1 << 40]},
            "pmu_samples: rank is out of range: 1099511627776\n  expected a whole number",
        ),
        (
            {"segment": [0], "issued": [[0.5]]},
            "the column issued is of type DOUBLE[]\n  expected whole numbers",
        ),
        (
            {"event": [None], "value": [1.0]},
            "the column event is empty in some row",
        ),
    ],
)
@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_types_that_lie(refusal, tmp_path, columns, message, form):
    table = pa.table(columns)
    made = tmp_path / "made"
    if form == "parquet":
        pq.write_table(table, made)
    else:
        with pa.OSFile(str(made), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    assert message in refusal(made.read_bytes(), f"x.{form}")


@pytest.mark.parametrize(
    ("visits", "message"),
    [
        ([9 * 10**18, 9 * 10**18], "the sum of visits is out of range: 18000000000000000000"),
        ([(1 << 64) - 1, 1], "bb_visits: visits is out of range: 18446744073709551615"),
    ],
)
def test_counts_beyond_64_bits(refusal, tmp_path, visits, message):
    table = pa.table({**GOOD["bb_visits"], "visits": pa.array(visits, pa.uint64())})
    pq.write_table(table, tmp_path / "made.parquet")
    refused = refusal((tmp_path / "made.parquet").read_bytes(), "x.parquet")
    assert refused == f"{message}\n  expected a whole number within 64 bits"


def test_damage_to_a_parquet_file_is_not_taken_for_that_of_the_warehouse(refusal):
    data = bytearray((SAMPLES / "plain" / "timings.parquet").read_bytes())
    place = 0.197265625
    del data[int(len(data) * place)]
    data[int(len(data) * place)] ^= 2
    message = refusal(bytes(data), "x.parquet")
    assert "Corrupted file?" in message and "warehouse" not in message


def test_damaged_parquet(refusal, tmp_path):
    pq.write_table(pa.table(GOOD["pmu_samples"]), tmp_path / "made.parquet")
    data = (tmp_path / "made.parquet").read_bytes()
    for damaged in (data[:-5], data[: len(data) // 2], data[:4]):
        refused = refusal(damaged, "x.parquet")
        assert refused.startswith("not a whole Parquet file (")
        assert refused.endswith("Copy or write it again.")


def test_damaged_arrow(refusal, tmp_path):
    table = pa.table(GOOD["pmu_samples"])
    for kind in (pa.ipc.new_file, pa.ipc.new_stream):
        with pa.OSFile(str(tmp_path / "made"), "wb") as file, kind(file, table.schema) as writer:
            writer.write_table(table)
        data = (tmp_path / "made").read_bytes()
        for damaged in (data[: len(data) // 2], data[:20]):
            assert refusal(damaged, "x.arrow").startswith("not a whole Arrow file (")
