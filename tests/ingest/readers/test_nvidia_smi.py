"""What nvidia-smi logs of GPUs."""

from __future__ import annotations

import pytest

from ingest.base import Head
from ingest.readers.nvidia_smi import NvidiaSmi
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
