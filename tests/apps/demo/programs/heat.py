"""A plate cools down: six versions of one small program, profiled for `pwh demo`.

    python heat.py VERSION PROFILE

1.0 sweeps over the plate cell by cell, and compares it with the one before after every sweep
1.1 sweeps over it row by row
1.2 compares after every tenth sweep
1.3 saves the plate after every sweep, where it was after every twentieth
1.4 renames a few variables
1.5 saves after every twentieth sweep again
"""

from __future__ import annotations

import cProfile
import pstats
import sys

SIZE = 120
SWEEPS = 60

Plate = list[list[float]]


def start(rows: int, columns: int) -> Plate:
    """Return a cold plate whose first row is hot."""
    return [[100.0] * columns] + [[0.0] * columns for _ in range(rows - 1)]


def sweep_cells(plate: Plate) -> Plate:
    """Return the plate one step later: each inner cell becomes the mean of its neighbours."""
    new = [row[:] for row in plate]
    for y in range(1, len(plate) - 1):
        for x in range(1, len(plate[0]) - 1):
            neighbours = plate[y - 1][x] + plate[y + 1][x] + plate[y][x - 1] + plate[y][x + 1]
            new[y][x] = 0.25 * neighbours
    return new


def sweep(plate: Plate) -> Plate:
    """Return the same, row by row."""
    new = [plate[0]]
    for above, row, below in zip(plate, plate[1:], plate[2:], strict=False):
        later = row[:]
        x = 1
        for a, b, left, right in zip(above[1:], below[1:], row, row[2:], strict=False):
            later[x] = 0.25 * (a + b + left + right)
            x += 1
        new.append(later)
    new.append(plate[-1])
    return new


def change(old: Plate, new: Plate) -> float:
    """Return the largest change of any cell."""
    largest = 0.0
    for rows in zip(old, new, strict=True):
        for a, b in zip(*rows, strict=True):
            if a - b > largest or b - a > largest:
                largest = a - b if a > b else b - a
    return largest


def save(plate: Plate) -> str:
    """Return the plate as text."""
    cells = []
    for row in plate:
        for cell in row:
            cells.append(f"{cell!r}")
    return ",".join(cells)


def run(version: str) -> None:
    """Cool the plate down, as that version did."""
    step = sweep_cells if version == "1.0" else sweep
    compare_every = 1 if version < "1.2" else 10
    save_every = 1 if version in ("1.3", "1.4") else 20
    plate, saved = start(SIZE, SIZE), list[str]()
    for number in range(1, SWEEPS + 1):
        new = step(plate)
        if number % compare_every == 0:
            change(plate, new)
        if number % save_every == 0:
            saved.append(save(new))
        plate = new


if __name__ == "__main__":
    profile = cProfile.Profile()
    profile.runcall(run, sys.argv[1])
    pstats.Stats(profile).strip_dirs().dump_stats(sys.argv[2])
