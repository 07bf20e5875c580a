"""What nvidia-smi logs of GPUs."""

from __future__ import annotations

import pytest

from ingest.base import Head
from ingest.readers.nvidia_smi import NvidiaSmi
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
