"""What a bottleneck model learns from: per-cycle metrics of samples, labels, cost shares.

A metric is a count per cycle, all in one unit (1/cycle); the metric named `IPC` is divided by the
core's issue width besides, so that it runs from 0 to 1. Models see the metrics' logarithms,
standardised over the training samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Integers = NDArray[np.int64]
Arrays = dict[str, Floats]

CLASSES = ("Balance", "Mem", "DTB", "ICache", "DMA", "Other")
UNKNOWN = "Unknown"
CAUSES = ("Mem", "DTB", "ICache", "DMA")
WIDTH_METRIC = "IPC"

# The component that an event costs cycles in, by metric; a metric that is not here helps to judge
# the others, but costs nothing by itself.
CAUSE_OF = {
    "MEMAPC": "Mem",
    "MEMRPC": "Mem",
    "MEMWPC": "Mem",
    "L3MPC": "Mem",
    "DTBMPC": "DTB",
    "L2ICAPC": "ICache",
    "L2ICMPC": "ICache",
    "ITBMPC": "ICache",
    "DMAGPC": "DMA",
    "DMABPC": "DMA",
}

# A component that takes this share of the cycles is the bottleneck; below it a core that issues
# half of what it could is balanced. These define the causal classes of the training data.
LEAST_SHARE = 0.20
BALANCED_IPC = 0.50

# Added before the logarithm, per cycle: rates under it are all alike. An event that costs a
# hundred cycles takes 3 % of the time at 0.0003 per cycle. Bytes and fetches come in larger
# numbers; IPC over 0..1 stays nearly linear.
_OFFSET = 3e-4
_OFFSETS = {WIDTH_METRIC: 1.0, "DMABPC": 3e-2, "L1ICAPC": 1e-2}

# A metric that deviates less is constant: it is left as it is, not blown up.
_LEAST_DEVIATION = 1e-6
_JITTER = 0.15


@dataclass(frozen=True, slots=True)
class Training:
    """Samples to learn from.

    `metrics` (n x m, per cycle, NaN where not measured) are named by `names` (m). `labels` (n) are
    positions in CLASSES, -1 where there is none; `shares` (n x 4, of the cycles, in the order of
    CAUSES) are NaN where not known. `programs` and `families` (n) say what belongs together.
    """

    names: tuple[str, ...]
    metrics: Floats
    labels: Integers
    programs: NDArray[np.str_]
    families: NDArray[np.str_]
    shares: Floats

    @property
    def costed(self) -> NDArray[np.bool_]:
        """Which samples have all four cost shares (n)."""
        return np.asarray(np.isfinite(self.shares).all(axis=1))

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which samples have a label (n)."""
        return np.asarray(self.labels >= 0)

    def only(self, rows: NDArray[np.bool_] | Integers) -> Training:
        """Give some of the samples."""
        return replace(
            self,
            metrics=self.metrics[rows],
            labels=self.labels[rows],
            programs=self.programs[rows],
            families=self.families[rows],
            shares=self.shares[rows],
        )


def scale(names: Sequence[str], metrics: Floats) -> Arrays:
    """Give what standardises metrics: `log_offset`, `mean`, `deviation` (m each) and `names`.

    The mean and the deviation are those of log10(metric + offset) over the samples.
    """
    offset = np.array([_OFFSETS.get(name, _OFFSET) for name in names])
    logs = np.log10(np.maximum(metrics, 0) + offset)
    deviation = logs.std(axis=0)
    return {
        "log_offset": offset,
        "mean": logs.mean(axis=0),
        "deviation": np.where(deviation < _LEAST_DEVIATION, 1.0, deviation),
        "names": spelled(names),
    }


def standardised(metrics: Floats, arrays: Arrays) -> Singles:
    """Give the standardised logarithms (n x m) of metrics (n x m, per cycle)."""
    logs = np.log10(np.maximum(metrics, 0).astype(np.float32) + arrays["log_offset"].astype("f4"))
    scaled = (logs - arrays["mean"].astype("f4")) / arrays["deviation"].astype("f4")
    return np.asarray(scaled, np.float32)


def spelled(names: Sequence[str]) -> Floats:
    """Give names as rows of character codes, padded by zeros: a model is made of numbers only."""
    longest = max(map(len, names))
    return np.array([[*map(float, map(ord, n)), *[0.0] * (longest - len(n))] for n in names])


def read_names(codes: Floats) -> list[str]:
    """Give the names that `spelled` wrote."""
    return ["".join(chr(int(c)) for c in row if c) for row in codes]


def causal_class(shares: Floats, ipc: Floats) -> Integers:
    """Give the class (n, positions in CLASSES) that cost shares (n x 4) and IPC over width mean.

    The component with the largest share where that is at least LEAST_SHARE, else Balance where IPC
    is at least half the width, else Other.
    """
    rest = np.where(ipc >= BALANCED_IPC, CLASSES.index("Balance"), CLASSES.index("Other"))
    return np.where(shares.max(axis=1) >= LEAST_SHARE, 1 + shares.argmax(axis=1), rest)


def blended(training: Training, count: int, chance: np.random.Generator) -> tuple[Floats, Floats]:
    """Give samples that spend their cycles in up to five measured ones, one after the other.

    Per-cycle metrics and cost shares of such a sample are the means of its parts' weighted by their
    time, exactly; so blends fill the range between kernels that were made to be pure. Half of them
    spend 30 to 90 % of their time where nothing costs much, as most programs do.

    Args:
        training: samples, of which some have cost shares and the metric WIDTH_METRIC.
        count: how many to make.

    Returns:
        metrics (count x m) and shares (count x 4).
    """
    rows = np.flatnonzero(training.costed)
    weight = chance.dirichlet(np.ones(3), count)
    weight[chance.random(count) < 0.5, 2] = 0
    weight /= weight.sum(axis=1, keepdims=True)
    parts = chance.choice(rows, (count, 3))
    classes = causal_class(
        training.shares[rows], training.metrics[rows, training.names.index(WIDTH_METRIC)]
    )
    calm = rows[np.isin(classes, [CLASSES.index("Balance"), CLASSES.index("Other")])]
    if len(calm):
        thin = chance.uniform(0.3, 0.9, (count, 1))
        thin[: count // 2] = 0
        weight = np.concatenate([weight * (1 - thin), thin / 2, thin / 2], axis=1)
        parts = np.concatenate([parts, chance.choice(calm, (count, 2))], axis=1)
    return (
        np.einsum("nk,nkm->nm", weight, training.metrics[parts]),
        np.einsum("nk,nkm->nm", weight, training.shares[parts]),
    )


def jittered(metrics: Floats, names: Sequence[str], chance: np.random.Generator) -> Floats:
    """Vary counts (n x m) by 15 %, as kernels do that cost the same; IPC stays."""
    factor = np.exp(chance.normal(0, _JITTER, metrics.shape))
    if WIDTH_METRIC in names:
        factor[:, list(names).index(WIDTH_METRIC)] = 1
    return np.asarray(metrics * factor)


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Let torch use so many threads: on small batches more of them wait for each other."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(min(count, before))
    try:
        yield
    finally:
        torch.set_num_threads(before)
