"""How often a change is found at its first run, where versions are known and where they are not.

Series of two levels of 10 to 19 runs each with Gaussian noise; a version begins at the change, two
runs after it, or three before it. `udfs.changes.findings._EXPECTED` is chosen by this.

    python -m tests.bench.bench_places [--series 400]
"""

from __future__ import annotations

import argparse

import numpy as np
import pyarrow as pa

from udfs.changes import series_findings

SIZES = (2.5, 3.0, 4.0, 6.0)  # in standard deviations of the noise
OFFSETS = (0, 2, -3)  # runs from the change to where the version begins


def main() -> None:
    """Print the share of the changes found that are at their first run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=400)
    count = parser.parse_args().series
    random = np.random.default_rng(1)
    for size in SIZES:
        for offset in OFFSETS:
            without, known = _shares(random, size, offset, count)
            print(f"change of {size:g}, version {offset:+d}: {without:.3f}, known {known:.3f}")


def _shares(
    random: np.random.Generator, size: float, offset: int, count: int
) -> tuple[float, float]:
    """Return the share at the first run without versions and with them."""
    values, versions, places = [], [], []
    for _ in range(count):
        before, after = random.integers(10, 20, 2)
        level = np.repeat([100, 100 + size], [before, after])
        values.append((level + random.standard_normal(before + after)).tolist())
        old = before + offset
        versions.append(["1"] * old + ["2"] * (before + after - old))
        places.append(before)
    points = pa.nulls(count, pa.list_(pa.string()))
    shares = []
    for names in (points, pa.array(versions, points.type)):
        given = pa.array(values), pa.array([0.002] * count), points, names
        found = series_findings(*given).to_pylist()
        first = [
            one["changes"][0]["index"] == place
            for one, place in zip(found, places, strict=True)
            if one["changes"]
        ]
        shares.append(float(np.mean(first)))
    return shares[0], shares[1]


if __name__ == "__main__":
    main()
