"""Apache Otava and asv over series, run by a Python that has them (see bench_changes).

Reads an .npz file of arrays (series, points), named by case; its path is the only argument.
Writes JSON to stdout: tool -> case -> {"found": of each series the indices of its changes, "cpu":
CPU seconds}. A tool that is not installed is left out.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np


def otava() -> Callable[[list[float]], list[int]]:
    """Return Otava's detection with its defaults: window 50, p = 0.001."""
    from otava.analysis import compute_change_points

    return lambda values: [change.index for change in compute_change_points(values)[0]]


def asv_steps() -> Callable[[list[float]], list[int]]:
    """Return asv's step detection: every boundary, up or down."""
    from asv.step_detect import detect_steps

    return lambda values: [step[0] for step in detect_steps(values)[1:]]


def asv_regressions() -> Callable[[list[float]], list[int]]:
    """Return what asv raises an alarm for: steps up that last."""
    from asv.step_detect import detect_regressions, detect_steps

    def detect(values: list[float]) -> list[int]:
        alarms = detect_regressions(detect_steps(values))[2]
        return [after for _, after, *_ in alarms or []]

    return detect


TOOLS = {
    "Otava": ("otava", otava),
    "asv steps": ("asv", asv_steps),
    "asv alarms": ("asv", asv_regressions),
}


def main() -> None:
    """Run every tool that is there over every case."""
    cases = np.load(Path(sys.argv[1]), allow_pickle=False)
    results: dict[str, dict[str, object]] = {}
    for name, (package, make) in TOOLS.items():
        if find_spec(package) is None:
            continue
        detect = make()
        results[name] = {}
        for case in cases.files:
            began = time.process_time()
            found = [[int(at) for at in detect(row)] for row in cases[case].tolist()]
            results[name][case] = {"found": found, "cpu": time.process_time() - began}
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
