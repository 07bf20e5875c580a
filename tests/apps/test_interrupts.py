"""Ctrl-C ends a process that cannot stop what it is doing."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from apps.interrupts import prompt_interrupts

BUSY = """
import sys, time
sys.path.insert(0, sys.argv[1])
from apps.interrupts import prompt_interrupts
with prompt_interrupts():
    print("busy", flush=True)
    while True:
        try:
            time.sleep(1000)
        except KeyboardInterrupt:
            {then}
"""
STOPPED = (
    "pwh: stopped; ingest again what is not reported as landed: what has landed is recognised\n"
)


@pytest.mark.parametrize("then", ["pass", "raise"], ids=["cannot stop", "stops"])
def test_ctrl_c_ends_it(then):
    tree = str(Path(__file__).parents[2])
    command = [sys.executable, "-P", "-c", BUSY.format(then=then), tree]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "busy\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out, err) == (130, "", STOPPED)


def test_signals_are_as_before_afterwards():
    before = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(before)
    with prompt_interrupts():
        pass
    with pytest.raises(ValueError, match="wrong"), prompt_interrupts():
        raise ValueError("wrong")
    assert signal.set_wakeup_fd(before) == before
