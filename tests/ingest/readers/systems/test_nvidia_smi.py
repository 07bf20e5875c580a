"""What nvidia-smi logs of GPUs."""

from __future__ import annotations

import pytest

from ingest.base import Head
from ingest.readers.systems.nvidia_smi import NvidiaSmi
from tests.helpers.support import land, rows
from tests.ingest.cases.nvidia_smi import SAMPLE


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("22:41:05.250, 0", "22:41, 0", "line 4: the timestamp is '2024/11/29 22:41'"),
        ("303.25 W", "303,25 W", "line 4: there are 10 values"),
        ("303.25 W", "303.25 mW", "line 4: power.draw is '303.25 m'"),
    ],
)
def test_damage(refusal, old, new, message):
    text = SAMPLE.read_text()
    assert old in text
    assert message in refusal(text.replace(old, new).encode())


@pytest.mark.parametrize("heading", ["time [s], power [W]", "threads,power.draw", "a.b [s]"])
def test_tables_of_other_tools_are_none(tmp_path, heading):
    assert not NvidiaSmi().sniff(Head(f"{heading}\n1, 2\n".encode(), tmp_path / "a.csv"))


@pytest.mark.parametrize(
    ("times", "gpus"),
    [
        (("04.250", "04.252", "05.251", "05.253", "06.252", "06.254"), ["GPU 0", "GPU 1"]),
        (("04.250", "04.250", "04.250"), ["GPU 0", "GPU 1", "GPU 2"]),
        (("04.250", "04.250", "05.250", "05.250", "06.250"), ["GPU 0", "GPU 1"]),
        (("04.250", "05.251", "06.249"), [None]),
        (("04.250", "04.350", "05.400"), [None]),
        (("04.250", "04.252", "05.250", "06.250", "06.252", "07.250"), [None]),
    ],
)
def test_gpus_that_are_not_named_are_told_apart_by_their_place_in_the_round(
    warehouse, tmp_path, times, gpus
):
    lines = "".join(f"2024/11/29 22:41:{time}, {number}0 W\n" for number, time in enumerate(times))
    (tmp_path / "gpu.csv").write_text("timestamp, power.draw [W]\n" + lines)
    land(warehouse, tmp_path / "gpu.csv")
    found = rows(warehouse, "SELECT region, min(value) FROM pmu_samples GROUP BY 1 ORDER BY 1")
    assert found == [(gpu, 10 * number) for number, gpu in enumerate(gpus)]


def test_dmon_has_its_columns_with_units_and_repeats_its_heading(warehouse, tmp_path):
    heading = (
        "#Date        Time         gpu    pwr  mtemp     sm\n"
        "#YYYYMMDD    HH:MM:SS     Idx      W      C      %\n"
    )
    (tmp_path / "dmon.txt").write_text(
        f"{heading} 20261128    03:34:42       0     72      -     5\n"
        f" 20261128    03:34:42       1     70      40     6\n"
        f"{heading} 20261128    03:34:44       0     99     43      7\n"
    )
    land(warehouse, tmp_path / "dmon.txt")
    assert rows(warehouse, """
        SELECT region, sample, t_start, event, value, unit FROM pmu_samples ORDER BY rowid
    """) == [
        ("GPU 0", 0, 0, "pwr", 72, "W"), ("GPU 0", 0, 0, "mtemp", None, "C"),
        ("GPU 0", 0, 0, "sm", 5, "%"), ("GPU 1", 0, 0, "pwr", 70, "W"),
        ("GPU 1", 0, 0, "mtemp", 40, "C"), ("GPU 1", 0, 0, "sm", 6, "%"),
        ("GPU 0", 1, 2_000_000_000, "pwr", 99, "W"), ("GPU 0", 1, 2_000_000_000, "mtemp", 43, "C"),
        ("GPU 0", 1, 2_000_000_000, "sm", 7, "%"),
    ]  # fmt: skip


def test_dmon_without_dates(warehouse, tmp_path):
    lines = ("# gpu     pwr     sm", "# Idx       W      %", "    0     61      5")
    text = "\n".join([*lines, "    0     62      6", "    0  6"])
    (tmp_path / "dmon.txt").write_text(text)
    land(warehouse, tmp_path / "dmon.txt")
    found = rows(warehouse, "SELECT sample, t_start, value FROM pmu_samples WHERE event = 'pwr'")
    assert found == [(0, None, 61), (1, None, 62)]
