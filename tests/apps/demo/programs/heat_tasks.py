"""The plate as Dask tasks on two workers, and the dump of the cluster's state.

    python -m tests.apps.demo.programs.heat_tasks heat_tasks       (makes heat_tasks.msgpack.gz)

Strips of the plate are swept as tasks, two strips on each worker. After every round one task saves
all of them, and the next round waits for it.
"""

from __future__ import annotations

import gzip
import re
import sys
from pathlib import Path
from typing import Any

import msgpack
from distributed import Client, Future, LocalCluster

from tests.apps.demo.programs.heat import Plate, save, start, sweep

SIZE = 240
STRIPS = 4
ROUNDS = 8
SWEEPS = 4


def first_strip(rank: int) -> Plate:
    """Return a strip of the cold plate."""
    return start(SIZE, SIZE)[rank * SIZE // STRIPS : (rank + 1) * SIZE // STRIPS]


def sweep_strip(rank: int, strips: list[Plate], _saved: str | None) -> Plate:
    """Return a strip some sweeps later, from itself and its neighbours."""
    plate = [row for strip in strips for row in strip]
    for _ in range(SWEEPS):
        plate = sweep(plate)
    first = len(strips[0]) if rank else 0
    return plate[first : first + SIZE // STRIPS]


def save_all(strips: list[Plate]) -> str:
    """Save the whole plate."""
    return save([row for strip in strips for row in strip])


def cool(client: Client) -> list[Future]:
    """Submit all tasks; the futures keep the scheduler from forgetting them."""
    workers = sorted(client.scheduler_info()["workers"])
    homes = [workers[rank * len(workers) // STRIPS] for rank in range(STRIPS)]
    strips = [
        client.submit(first_strip, rank, key=f"start-{rank}", workers=homes[rank])
        for rank in range(STRIPS)
    ]
    kept, saved = list(strips), None
    for number in range(1, ROUNDS + 1):
        strips = [
            client.submit(
                sweep_strip,
                rank,
                strips[max(rank - 1, 0) : rank + 2],
                saved,
                key=f"sweep-{number}.{rank}",
                workers=homes[rank],
            )
            for rank in range(STRIPS)
        ]
        saved = client.submit(save_all, strips, key=f"save-{number}")
        kept += [*strips, saved]
    return kept


def without_places(value: Any) -> Any:
    """Return the dump without what identifies the machine it was made on."""
    match value:
        case dict():
            kept = {name: v for name, v in value.items() if name not in PLACES}
            return {without_places(name): without_places(v) for name, v in kept.items()}
        case list():
            return [without_places(v) for v in value]
        case str():
            # The client's name ends in the machine's network address.
            return re.sub(r"Client-[0-9a-f-]+", "Client", value)
    return value


PLACES = ("config", "data", "events", "extensions", "host", "local_directory", "logs")


if __name__ == "__main__":
    name = sys.argv[1]
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        # The workers import the program before the clock matters.
        client.run(save, start(2, 2))
        futures = cool(client)
        client.gather(futures)
        client.dump_cluster_state(name)
    dump = Path(f"{name}.msgpack.gz")
    state = msgpack.unpackb(gzip.decompress(dump.read_bytes()), strict_map_key=False)
    dump.write_bytes(gzip.compress(msgpack.packb(without_places(state)), 9, mtime=0))
