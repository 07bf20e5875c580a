"""Rules of Nsight Compute on a launch: what they estimate to speed up, and stalls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# Rules by what their advice begins with or contains: printed text does not name them.
_RULES = (
    ("CPIStall", re.compile(r"cycles being stalled")),
    ("ThreadDivergence", re.compile(r"Instructions are executed in warps")),
    ("SharedMemoryConflicts", re.compile(r"bank conflict")),
    ("UncoalescedSharedAccess", re.compile(r"uncoalesced shared accesses")),
    ("UncoalescedGlobalAccess", re.compile(r"uncoalesced global accesses")),
    ("MemoryCacheAccessPattern", re.compile(r"memory access pattern for")),
    ("MemoryL2Compression", re.compile(r"L2 Compression|compressible memory")),
    ("WorkloadImbalance", re.compile(r"One or more .* have a much")),
    ("LaunchConfiguration", re.compile(r"grid for this launch|__syncthreads")),
    ("AchievedOccupancy", re.compile(r"calculated theoretical .* achieved occupancy")),
    ("TheoreticalOccupancy", re.compile(r"theoretical warps per scheduler|theoretical occupancy")),
    ("IssueSlotUtilization", re.compile(r"Every scheduler is capable")),
    ("HighPipeUtilization", re.compile(r"compute pipelines|highest-utilized pipeline")),
    ("FPInstructions", re.compile(r"non-fused")),
)
# Stalls by what a warp waits for, named as metrics are (smsp__average_warps_issue_stalled_NAME).
_STALLS = (
    ("barrier", "CTA barrier"),
    ("membar", "memory barrier"),
    ("long_scoreboard", "scoreboard dependency on a L1TEX"),
    ("short_scoreboard", "scoreboard dependency on a MIO"),
    ("mio_throttle", "MIO (memory input/output) instruction queue"),
    ("lg_throttle", "local and global"),
    ("tex_throttle", "texture"),
    ("branch_resolving", "branch target"),
    ("wait", "fixed latency execution dependency"),
    ("drain", "after EXIT"),
    ("math_pipe_throttle", "execution pipe"),
    ("imc_miss", "constant cache"),
    ("no_instruction", "fetch"),
    ("sleeping", "sleep"),
    ("dispatch_stall", "dispatch"),
)
_SHARE = re.compile(r"This stall type represents about ([\d.]+)%")
_WAITS = re.compile(r"being stalled(.*?)\. ")
_IMBALANCE = re.compile(
    r"One or more (.+?) have a much.*?Maximum instance value is ([\d.]+)% above the average"
)
_SPACE = re.compile(r"memory access pattern for (local|global|shared)")


@dataclass(frozen=True, slots=True)
class Rule:
    """Result of a rule for a launch: its name where it is stated, its advice, its estimate in %.

    `scope` is what the estimate is of: global, or local for the time in one unit.
    """

    kernel: str
    launch: int
    name: str | None
    advice: str
    percent: float | None
    scope: str


def rule_events(rules: Iterable[Rule]) -> dict[tuple[str, int, str], float]:
    """Return the events by kernel, launch and name, in %; of several estimates the largest.

    Beside `RULE, estimated speedup (local or global)` there are `CPIStall: STALL`, the share of a
    warp's time in which it waits so, `WorkloadImbalance: UNITS`, how far the busiest is above the
    average, and estimates by memory space.
    """
    found: dict[tuple[str, int, str], float] = {}
    for rule in rules:
        for event, percent in _events(rule):
            key = (rule.kernel, rule.launch, event)
            found[key] = max(percent, found.get(key, percent))
    return found


def _events(rule: Rule) -> Iterator[tuple[str, float]]:
    advice = rule.advice
    name = rule.name or next((name for name, says in _RULES if says.search(advice)), None)
    if name is not None and rule.percent is not None:
        yield f"{name}, estimated speedup ({rule.scope})", rule.percent
        if of := _SPACE.search(advice):
            yield f"{name}: {of[1]}", rule.percent
    if of := _IMBALANCE.search(advice):
        yield f"WorkloadImbalance: {of[1]}", float(of[2])
    share, waits = _SHARE.search(advice), _WAITS.search(advice)
    if share and waits:
        stall = next((name for name, text in _STALLS if text in waits[1]), None)
        if stall is not None:
            yield f"CPIStall: {stall}", float(share[1])
