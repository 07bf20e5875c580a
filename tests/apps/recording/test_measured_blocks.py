"""Blocks measured on this machine: cycles that every core has, and blocks that end by a signal."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys

import pytest

from apps.recording.measured_blocks import measure_blocks
from warehouse.errors import UsageError

ADD_CHAIN = "4801c8"  # add rax,rcx
PRIVILEGED, DIVIDED_BY_TOO_LITTLE, ILLEGAL = "f4", "48f7f1", "0f0fc19e"
COUNTED_DOWN = "4801c849ffc875f8"  # add rax,rcx; dec r8; jne
COUNTED_BY_ADDRESS = "4883c7084803074839f775f4"  # add rdi,8; add rax,[rdi]; cmp rdi,rsi; jne

needs_machine = pytest.mark.skipif(
    platform.machine() != "x86_64" or not any(map(shutil.which, ("cc", "gcc", "clang"))),
    reason="blocks are compiled and measured on x86-64",
)


def cycles(*hexes):
    """Return the cycles of blocks, measured while no other program had the core."""
    for _ in range(5):
        said: list[str] = []
        found = measure_blocks(hexes, None, lambda text, *_, said=said: said.append(text))
        if not any("other programs had" in text for text in said):
            return [one.cycles for one in found]
    pytest.skip("other programs use the core: cycles are not those of an idle one")


def problems(*hexes):
    return [one.problem for one in measure_blocks(hexes, None)]


@needs_machine
def test_additions_that_wait_for_each_other_take_a_cycle_each():
    assert cycles(ADD_CHAIN, 3 * ADD_CHAIN) == pytest.approx([1, 3], rel=0.05)


@needs_machine
def test_loops_take_the_cycles_of_a_pass():
    assert cycles(COUNTED_DOWN, COUNTED_BY_ADDRESS) == pytest.approx([1, 1], rel=0.15)


@needs_machine
def test_a_block_that_fails_costs_none_of_the_others():
    blocks = (ADD_CHAIN, DIVIDED_BY_TOO_LITTLE, ILLEGAL, ADD_CHAIN)
    first, *failed, last = problems(*blocks)
    # unstable: other programs use the core
    assert failed == ["SIGFPE", "SIGILL"] and {first, last} <= {"", "unstable"}


@needs_machine
def test_what_cannot_be_repeated_is_never_run():
    # a privileged one, a system call, an endless loop, a loop on memory, no text, other text, cut
    blocks = (PRIVILEGED, "0f05", "ebfe", "48ff0875fb", "", "zz", "48")
    assert problems(*blocks) == [
        *("not_straight", "not_straight", "not_straight", "no_counter"),
        *("no_machine_code", "no_machine_code", "no_machine_code"),
    ]


@needs_machine
def test_other_programs_on_the_same_core_are_noticed():
    processor = max(os.sched_getaffinity(0))
    loop = f"import os\nos.sched_setaffinity(0, [{processor}])\nwhile True: pass"
    said = []
    with subprocess.Popen([sys.executable, "-c", loop]) as other:
        measure_blocks([ADD_CHAIN, 3 * ADD_CHAIN], processor, lambda text, *_: said.append(text))
        other.kill()
    assert f"% of the time of the core of processor {processor}, so that" in said[-1]


@needs_machine
def test_a_processor_that_is_not_there_is_refused():
    with pytest.raises(UsageError, match="there is no processor 99999"):
        list(measure_blocks([ADD_CHAIN], 99999))


def test_other_machines_are_told_so(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(UsageError, match="measured on x86-64 and Linux, this is riscv64"):
        list(measure_blocks([ADD_CHAIN], None))


@needs_machine
def test_no_compiler_is_told(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match="there is no C compiler"):
        list(measure_blocks([ADD_CHAIN], None))
