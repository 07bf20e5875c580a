"""Write the counters of a Sunway that `pwh demo --sunway` shows, and fit its model to others.

python -m tests.apps.demo.programs.generate_sunway [FOLDER]

Everything is GENERATED: the metrics, the classes and the steps of tuning are those of Feng, Liu and
He (2018), the rates are made up around them. `counters.csv` has versions of four programs in the
form of the publication's cases; the model learns from 30 other programs, five of each class.
"""

from __future__ import annotations

import csv
import random
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import warehouse
from apps.fitting.bottlenecks import read_training_data, store_model, train
from apps.output.progress import note_progress
from tests.helpers.support import land
from warehouse import models

EVENTS = ("instructions", "mema", "gld", "gst", "dtbm", "dmag", "l2ica", "l2icm")
# Events per cycle of a typical program of each class, in the order of EVENTS.
RATES = {
    "Balance": (1.5, 2e-4, 8e-3, 4e-3, 1e-6, 1e-6, 1e-4, 2e-6),
    "Mem": (0.4, 2e-2, 4e-2, 2e-2, 5e-6, 1e-6, 1e-4, 2e-6),
    "DTB": (0.4, 2e-4, 2e-2, 8e-3, 4e-3, 1e-6, 1e-4, 2e-6),
    "ICache": (0.5, 2e-4, 8e-3, 4e-3, 1e-6, 1e-6, 2e-2, 4e-3),
    "DMA": (0.4, 3e-4, 4e-3, 2e-3, 1e-6, 1e-2, 1e-4, 2e-6),
    "Other": (0.3, 2e-4, 8e-3, 4e-3, 1e-6, 1e-6, 1e-4, 2e-6),
}
# Classes and seconds of successive versions: the gains are those of the publication.
CASES = {
    "fdtd": (("Mem", 81.1), ("Mem", 30.0), ("Balance", 10.0)),
    "md": (("Mem", 63.6), ("Mem", 45.0), ("Mem", 31.0), ("Balance", 20.0)),
    "field-solver": (("DTB", 66.8), ("Balance", 40.0)),
    "micro-mg": (("ICache", 49.5), ("Balance", 15.0)),
}
RANKS, PROGRAMS, CYCLES_PER_SECOND = 4, 5, 1.45e9
FIRST_DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
HEAD = "run_id,app,version,machine,started_at,ranks,rank,region,sample,t_start,t_end,event,value"


def main(folder: Path) -> None:
    """Write counters.csv and the model."""
    noise = random.Random(5)
    write(folder / "counters.csv", HEAD, cases(noise))
    with tempfile.TemporaryDirectory() as scratch, warehouse.connect(":memory:") as con:
        counters, labels = Path(scratch) / "counters.csv", Path(scratch) / "labels.csv"
        rows, known = training(noise)
        write(counters, HEAD, rows)
        write(labels, "run_id,class,program", known)
        land(con, counters, tags={"issue_width": "2"})
        data = read_training_data(con, "sunway", labels, {}, note_progress)
        model = train(data, None, 0, note_progress, algorithm="stacked autoencoder")
        version = store_model(con, data, model, None)
        con.execute("UPDATE models SET description = 'GENERATED data: ' || description")
        models.export(con, "bottlenecks", version, folder / "model.parquet")


def cases(noise: random.Random) -> Iterable[Sequence[Any]]:
    """Yield the counts of the versions of the programs of CASES."""
    for app, versions in CASES.items():
        own = factors(noise)
        for step, (kind, seconds) in enumerate(versions, 1):
            facts = (f"{app}-{step}", app, str(step), "sunway", day(step), RANKS)
            yield from counts(noise, facts, RATES[kind], own, seconds)


def training(noise: random.Random) -> tuple[list[Sequence[Any]], list[Sequence[str]]]:
    """Return the counts of the programs that the model learns from, and their classes."""
    rows: list[Sequence[Any]] = []
    labels: list[Sequence[str]] = []
    for kind, rates in RATES.items():
        for number in range(PROGRAMS):
            name = f"{kind}-{number}"
            facts = (name, name, "1", "sunway", day(number), RANKS)
            rows += counts(noise, facts, rates, factors(noise), 30)
            labels.append((name, kind, name))
    return rows, labels


def factors(noise: random.Random) -> Mapping[str, float]:
    """Return by what the rates of a program differ from those of its class; IPC differs less."""
    return {e: 10 ** noise.gauss(0, 0.05 if e == "instructions" else 0.25) for e in EVENTS}


def counts(
    noise: random.Random,
    facts: Sequence[Any],
    rates: Sequence[float],
    own: Mapping[str, float],
    seconds: float,
) -> Iterable[Sequence[Any]]:
    """Yield the counts of each process."""
    for rank in range(RANKS):
        cycles = seconds * CYCLES_PER_SECOND * noise.gauss(1, 0.01)
        place = (*facts, rank, "", 0, 0, round(1e9 * seconds))
        yield (*place, "cycles", round(cycles))
        for event, rate in zip(EVENTS, rates, strict=True):
            yield (*place, event, round(cycles * rate * own[event] * noise.gauss(1, 0.05)))


def day(number: int) -> str:
    """Return the time of a run, so many days after the first."""
    return (FIRST_DAY + timedelta(days=number)).isoformat()


def write(path: Path, head: str, rows: Iterable[Sequence[Any]]) -> None:
    """Write a table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head.split(","))
        writer.writerows(rows)


if __name__ == "__main__":
    default = Path(__file__).parents[4] / "apps" / "demo" / "sunway"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
