"""Generated windows of kernels with one bottleneck each, for tests of the bottleneck models."""

from __future__ import annotations

import numpy as np

from udfs.bottleneck import cost_training
from udfs.bottleneck.training import CLASSES, Arrays, Training

NAMES = ("IPC", "L2ICAPC", "DTBMPC", "L3MPC", "DMAGPC", "BRMPC")
# Cycles that one event costs, by component, from which the shares below are computed.
_CYCLES = {"Mem": ("L3MPC", 180.0), "DTB": ("DTBMPC", 60.0), "ICache": ("L2ICAPC", 12.0)}
_CYCLES |= {"DMA": ("DMAGPC", 250.0)}


def kernels(programs: int = 4, windows: int = 6, seed: int = 1) -> Training:
    """Return windows of `programs` kernels of every class, two thirds of which are labelled."""
    rng = np.random.default_rng(seed)
    rows, shares, labels, names = [], [], [], []
    for label, name in enumerate(CLASSES):
        for program in range(programs):
            cost = rng.uniform(0.4, 0.8) if name in _CYCLES else 0.0
            ipc = {"Balance": rng.uniform(0.7, 0.95), "Other": rng.uniform(0.1, 0.4)}
            for _ in range(windows):
                row = dict.fromkeys(NAMES, 0.0)
                row["IPC"] = ipc.get(name, (1 - cost) * 0.5)
                row["BRMPC"] = rng.uniform(0, 0.005)
                if name in _CYCLES:
                    metric, cycles = _CYCLES[name]
                    row[metric] = cost / cycles * rng.uniform(0.97, 1.03)
                rows.append([row[n] for n in NAMES])
                shares.append([cost * (cause == name) for cause in _CYCLES])
                labels.append(label if program % 3 else -1)
                names.append(f"{name}{program}")
    return Training(
        names=NAMES,
        metrics=np.array(rows),
        labels=np.array(labels),
        programs=np.array(names),
        families=np.array([name.rstrip("0123456789") for name in names]),
        runs=np.array(names),
        shares=np.array(shares),
    )


def cost_networks(training: Training, seed: int = 0) -> Arrays:
    """Return a small model of the cost shares."""
    return cost_training.train([training], members=1, seed=seed, steps=150)[0]
