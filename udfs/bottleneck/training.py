"""Training data of bottleneck models: per-cycle metrics of samples, labels, cost shares.

A metric is a count per cycle, all in one unit (1/cycle); the metric named `IPC` is also divided by
the core's issue width, so that it is within 0..1. Models see the metrics' logarithms,
standardised over the training samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Flags, Floats, Integers

Singles = NDArray[np.float32]
Arrays = dict[str, Floats]

CLASSES = ("Balance", "Mem", "DTB", "ICache", "DMA", "Other")
UNKNOWN = "Unknown"
CAUSES = ("Mem", "DTB", "ICache", "DMA")
WIDTH_METRIC = "IPC"

# The component in which an event costs cycles, by metric; other metrics are inputs, but cost
# nothing by themselves.
CAUSE_OF = {
    "MEMAPC": "Mem",
    "MEMRPC": "Mem",
    "MEMWPC": "Mem",
    "L3MPC": "Mem",
    "L2DMPC": "Mem",
    "DTBMPC": "DTB",
    "L2ICAPC": "ICache",
    "L2ICMPC": "ICache",
    "ITBMPC": "ICache",
    "DMAGPC": "DMA",
    "DMABPC": "DMA",
}

# A component with this share of the cycles is the bottleneck; below it, a core that issues half of
# its width is balanced. These define the causal classes of the training data.
LEAST_SHARE = 0.20
BALANCED_IPC = 0.50  # share of the width from which what costs little is Balance

# Added before the logarithm, per cycle, so that differences between smaller rates vanish: an event
# that costs 100 cycles takes 3 % of the time at 0.0003 per cycle. Bytes and fetches have larger
# rates; IPC over 0..1 stays nearly linear.
_OFFSET = 3e-4
_OFFSETS = {WIDTH_METRIC: 1.0, "DMABPC": 3e-2, "L1ICAPC": 1e-2}

# A metric with a smaller deviation counts as constant and is not scaled.
_MIN_DEVIATION = 1e-6
_JITTER = 0.15  # of counts, as between kernels of equal cost
# Share of the blends in which work overlaps with stalls, and the IPC that this can reach.
_OVERLAPPED = 0.5
_FULL_IPC = 0.95  # share of the width that a program without stalls reaches
# Misses of the program's own accesses, and metrics that count those of a prefetcher, too; the share
# of blends with reads ahead, and the most of these, per cycle.
OWN_MISSES = "L2DMPC"
PREFETCHED = ("L3MPC", "MEMRPC")
_READ_AHEAD = 1 / 3  # of the blends
_MOST_AHEAD = 0.05  # per cycle


@dataclass(frozen=True, slots=True)
class Training:
    """Samples to learn from.

    `metrics` (n x m, per cycle, NaN where not measured) are named by `names` (m). `labels` (n) are
    positions in CLASSES, -1 where there is none; `shares` (n x 4, of the cycles, in the order of
    CAUSES) are NaN where unknown. `programs`, `families` and `runs` (n) are those of each sample.
    Shares are often measured on a whole run, which is repeated with a component made ideal; then
    all its samples have the same.
    """

    names: tuple[str, ...]
    metrics: Floats
    labels: Integers
    programs: NDArray[np.str_]
    families: NDArray[np.str_]
    runs: NDArray[np.str_]
    shares: Floats

    @property
    def own_shares(self) -> Floats:
        """The cost shares (n x 4), 0 where no event of the component was counted in the sample."""
        shares = self.shares.copy()
        for k, cause in enumerate(CAUSES):
            mine = [i for i, name in enumerate(self.names) if CAUSE_OF.get(name) == cause]
            if mine:
                idle = (self.metrics[:, mine] == 0).all(axis=1)
                shares[idle & np.isfinite(shares[:, k]), k] = 0
        return shares

    @property
    def costed(self) -> Flags:
        """Which samples have all four cost shares (n)."""
        return np.asarray(np.isfinite(self.shares).all(axis=1))

    @property
    def labelled(self) -> Flags:
        """Which samples have a label (n)."""
        return np.asarray(self.labels >= 0)

    def only(self, rows: Flags | Integers) -> Training:
        """Return a part of the samples."""
        return replace(
            self,
            metrics=self.metrics[rows],
            labels=self.labels[rows],
            programs=self.programs[rows],
            families=self.families[rows],
            runs=self.runs[rows],
            shares=self.shares[rows],
        )


def scale(names: Sequence[str], metrics: Floats) -> Arrays:
    """Return the scaling of metrics: `log_offset`, `mean`, `deviation` (m each) and `names`.

    The mean and the deviation are those of log10(metric + offset) over the samples.
    """
    offset = np.array([_OFFSETS.get(name, _OFFSET) for name in names])
    logs = np.log10(np.maximum(metrics, 0) + offset)
    deviation = logs.std(axis=0)
    return {
        "log_offset": offset,
        "mean": logs.mean(axis=0),
        "deviation": np.where(deviation < _MIN_DEVIATION, 1.0, deviation),
        "names": encode_names(names),
    }


def standardised(metrics: Floats, arrays: Arrays) -> Singles:
    """Return the standardised logarithms (n x m) of metrics (n x m, per cycle)."""
    logs = np.log10(np.maximum(metrics, 0).astype(np.float32) + arrays["log_offset"].astype("f4"))
    scaled = (logs - arrays["mean"].astype("f4")) / arrays["deviation"].astype("f4")
    return np.asarray(scaled, np.float32)


def encode_names(names: Sequence[str]) -> Floats:
    """Return names as rows of character codes, padded by zeros: models consist of numbers."""
    longest = max(map(len, names))
    return np.array([[*map(float, map(ord, n)), *[0.0] * (longest - len(n))] for n in names])


def decode_names(codes: Floats) -> list[str]:
    """Return the names that `encode_names` wrote."""
    return ["".join(chr(int(c)) for c in row if c) for row in codes]


def causal_class(shares: Floats, ipc: Floats) -> Integers:
    """Return the classes (n, positions in CLASSES) by cost shares (n x 4) and IPC over width (n).

    The component with the largest share where that is at least LEAST_SHARE, else Balance where IPC
    is at least half the width, else Other.
    """
    rest = np.where(ipc >= BALANCED_IPC, CLASSES.index("Balance"), CLASSES.index("Other"))
    return np.where(shares.max(axis=1) >= LEAST_SHARE, 1 + shares.argmax(axis=1), rest)


def memory_misses(metrics: Floats, names: Sequence[str]) -> Floats:
    """Return metrics (n x m) in which the program's own misses are those that memory served.

    A miss of level 2 that hits level 3 waits for no memory: OWN_MISSES are no more than the reads
    of memory (the first of PREFETCHED that there is), of which a prefetcher makes others.
    """
    reads = [list(names).index(name) for name in PREFETCHED if name in names]
    if OWN_MISSES not in names or not reads:
        return metrics
    own, limited = list(names).index(OWN_MISSES), metrics.copy()
    limited[:, own] = np.minimum(metrics[:, own], metrics[:, reads[0]])
    return limited


def measured_classes(training: Training) -> Integers:
    """Return the causal class of every sample (n), -1 where the shares or WIDTH_METRIC are missing.

    Samples of a run with the same shares belong to one measurement: they have one class, by their
    mean IPC.
    """
    classes = np.full(len(training.labels), -1)
    rows = np.flatnonzero(training.costed)
    if WIDTH_METRIC not in training.names or not len(rows):
        return classes
    ipc = training.metrics[rows, training.names.index(WIDTH_METRIC)]
    shares = training.shares[rows]
    _, run = np.unique(training.runs[rows], return_inverse=True)
    _, measurement = np.unique(np.column_stack([run, shares]), axis=0, return_inverse=True)
    mean = np.bincount(measurement, ipc) / np.bincount(measurement)
    classes[rows] = causal_class(shares, mean[measurement])
    return classes


def blend(training: Training, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return samples composed of up to five measured ones, one after the other or overlapped.

    Per-cycle metrics and cost shares of samples one after the other are exactly the means of the
    parts, weighted by their time; so blends fill the range between kernels made for one bottleneck.
    Half of them spend 30 to 90 % of their time in samples where nothing costs much, as most
    programs do. In half of these, part of that work runs while the others wait (out of order), so
    that the same events cost less: a rate is not a cost. Where the program's own misses are counted
    apart (PREFETCHED), a third reads more from memory ahead of its use, which costs nothing.

    Args:
        training: samples, of which some have cost shares and the metric WIDTH_METRIC.
        count: how many to make.

    Returns:
        metrics (count x m) and shares (count x 4).
    """
    rows = np.flatnonzero(training.costed)
    weight = rng.dirichlet(np.ones(3), count)
    weight[rng.random(count) < 0.5, 2] = 0
    weight /= weight.sum(axis=1, keepdims=True)
    parts = rng.choice(rows, (count, 3))
    own = training.own_shares
    classes = causal_class(own[rows], training.metrics[rows, training.names.index(WIDTH_METRIC)])
    calm = rows[np.isin(classes, [CLASSES.index("Balance"), CLASSES.index("Other")])]
    thin = np.zeros((count, 1))
    if len(calm):
        thin[count // 2 :] = rng.uniform(0.3, 0.9, (count - count // 2, 1))
        weight = np.concatenate([weight * (1 - thin), thin / 2, thin / 2], axis=1)
        parts = np.concatenate([parts, rng.choice(calm, (count, 2))], axis=1)
    metrics = np.einsum("nk,nkm->nm", weight, training.metrics[parts])
    shares = np.einsum("nk,nkm->nm", weight, own[parts])
    ipc = metrics[:, training.names.index(WIDTH_METRIC)]
    metrics, shares = _overlapped(metrics, shares, ipc, thin[:, 0], rng)
    if OWN_MISSES in training.names:
        ahead = rng.random(count) * _MOST_AHEAD * (rng.random(count) < _READ_AHEAD)
        columns = [i for i, name in enumerate(training.names) if name in PREFETCHED]
        metrics[:, columns] += ahead[:, None]
    return metrics, shares


def _overlapped(
    metrics: Floats, shares: Floats, ipc: Floats, work: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Let a random part of the `work` (n, share of the time) of half the samples run in stalls.

    The time shrinks by the part that is hidden; what a cure could save shrinks by the same.
    """
    stalled = np.maximum(shares, 0).sum(axis=1)
    most = np.minimum(np.minimum(work, stalled), 1 - ipc / _FULL_IPC)
    chosen = rng.random(len(work)) < _OVERLAPPED
    hidden = np.where(chosen, rng.random(len(work)) * np.maximum(most, 0), 0)
    left = 1 - hidden / np.where(stalled > 0, stalled, 1)
    return metrics / (1 - hidden)[:, None], shares * (left / (1 - hidden))[:, None]


def jitter(metrics: Floats, names: Sequence[str], rng: np.random.Generator) -> Floats:
    """Return counts (n x m) varied by 15 %, as between kernels of equal cost; IPC is unchanged."""
    factor = np.exp(rng.normal(0, _JITTER, metrics.shape))
    if WIDTH_METRIC in names:
        factor[:, list(names).index(WIDTH_METRIC)] = 1
    return np.asarray(metrics * factor)


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Limit torch to one thread: on small batches more threads wait for each other."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
