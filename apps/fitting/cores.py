"""Estimation of the rows of a core behind `pwh fit throughput --core`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ingest.derive import decode_again
from udfs.progress import Progress, silent
from warehouse import sqlfiles
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.session import Connection

if TYPE_CHECKING:
    from udfs.throughput.estimate import Estimated

_BLOCKS_NEEDED, _LOOPS_NEEDED = 100, 50
# The instruction set whose cores are simulated, and models fitted to.
SIMULATED = "x86-64"


@dataclass(frozen=True, slots=True)
class MeasuredBlocks:
    """Data to estimate a core from: blocks with cycles, and the tables that it can begin with.

    `isa` is their instruction set; `runs` are those of the blocks, `assumed` those of them that
    name no machine; `loops` whether enough of the blocks end in a branch for models to learn what
    that costs.
    """

    core: str
    isa: str
    hexes: list[str]
    cycles: list[float]
    runs: list[str]
    assumed: list[str]
    relatives: dict[str, dict[str, Any]]
    loops: bool


def read_measured_blocks(con: Connection, core: str, relative: str | None) -> MeasuredBlocks:
    """Read the measured blocks of a core.

    Their instruction set is that of the relative, else what most of them are of. Raises
    `UsageError` for a relative without costs or a core that comes with pwh, and `NothingToAnalyse`
    for too few blocks.
    """
    known = con.execute(
        "SELECT of_core, of_isa, costs FROM _cores "
        "WHERE costs IS NOT NULL AND of_core <> lower($core)",
        {"core": core},
    ).fetchall()
    tables = {name: costs for name, _, costs in known}
    if con.execute("FROM cores WHERE shipped AND core = lower(?)", [core]).fetchone():
        raise UsageError(
            f"the core {core} comes with pwh",
            hint="Choose another name, and it as --relative.",
        )
    if relative is not None and relative.lower() not in tables:
        raise UsageError(
            f"--relative {relative!r} is no core with costs of instructions",
            hint=f"One of: {', '.join(sorted(tables))}.",
        )
    rows = con.execute(
        sqlfiles.read("queries/fit/measured_blocks"), {"core": core.lower()}
    ).fetchall()
    sets = {name: isa for name, isa, _ in known}
    found = [row[4] for row in rows]
    usual = max(set(found), key=found.count, default=SIMULATED)
    isa = sets[relative.lower()] if relative else usual
    rows = [row for row in rows if row[4] == isa or row[5]]
    if len(rows) < _BLOCKS_NEEDED:
        raise NothingToAnalyse(
            f"there are {len(rows)} measured blocks of {core}",
            hint=f"A core needs {_BLOCKS_NEEDED}: a CSV file of hex,cycles from pwh "
            f"measure-blocks on that machine, then pwh ingest FILE --machine {core}.",
        )
    from udfs.throughput.decode import is_loop

    return MeasuredBlocks(
        core.lower(),
        isa,
        [row[2] for row in rows],
        [row[3] for row in rows],
        sorted({row[0] for row in rows}),
        sorted({row[0] for row in rows if row[1]}),
        {
            name: costs
            for name, costs in tables.items()
            if sets[name] == isa and (relative is None or name == relative.lower())
        },
        isa == SIMULATED and sum(is_loop(row[2]) for row in rows) >= _LOOPS_NEEDED,
    )


def estimate_core(
    blocks: MeasuredBlocks, seed: int = 0, progress: Progress = silent
) -> tuple[str, Estimated]:
    """Return the relative, that whose table simulates the blocks best, and the estimated table."""
    from udfs.throughput.estimate import error, estimate
    from udfs.throughput.estimate_aarch64 import aarch64_error, estimate_aarch64

    if blocks.isa != SIMULATED:
        error, estimate = aarch64_error, estimate_aarch64
    cycles = np.array(blocks.cycles)
    relative = min(
        blocks.relatives, key=lambda name: error(blocks.hexes, cycles, blocks.relatives[name])
    )
    progress(f"estimating the core {blocks.core} from that of {relative}")
    return relative, estimate(blocks.hexes, cycles, blocks.relatives[relative], seed, progress)


def store_core(
    con: Connection, blocks: MeasuredBlocks, relative: str, estimated: Estimated
) -> None:
    """Store the rows of the core in place of those before, and decode its runs by them.

    Runs that name no machine become runs of the core. The caller keeps the transaction.
    """
    core = {"core": blocks.core}
    for table in ("cores", "core_ports", "instruction_costs"):
        con.execute(f"DELETE FROM {table} WHERE core = $core AND NOT shipped", core)
    con.execute(
        "INSERT INTO cores (core, isa, width, relative, lacks, loops, measured, source) "
        "VALUES ($core, $isa, $width, $relative, $lacks, $loops, $measured, $source)",
        {
            **core,
            "isa": blocks.isa,
            "width": estimated.table["width"],
            "lacks": estimated.table["lacks"],
            "measured": estimated.table.get("measured"),
            "relative": relative,
            "loops": blocks.loops,
            "source": f"estimated from {len(blocks.hexes)} measured blocks",
        },
    )
    for row in estimated.ports:
        con.execute(
            "INSERT INTO core_ports (core, unit, ports) VALUES (?, ?, ?)",
            [blocks.core, row["unit"], row["ports"]],
        )
    names = (
        *("pattern", "class", "ports", "cycles", "latency", "accumulate", "operations"),
        *("front_end", "least_share", "least_latency", "least_front_end"),
    )
    for line, row in enumerate(estimated.costs, 1):
        con.execute(
            f"INSERT INTO instruction_costs (core, line, {', '.join(names)}) "
            f"VALUES (?, ?{', ?' * len(names)})",
            [blocks.core, line, *(row[name] for name in names)],
        )
    con.execute(
        "UPDATE runs SET machine = $core WHERE run_id IN (SELECT unnest($runs))",
        {**core, "runs": blocks.assumed},
    )
    sources = con.execute(
        "SELECT DISTINCT source_id FROM segments "
        "WHERE hex IS NOT NULL AND run_id IN (SELECT unnest($runs))",
        {"runs": blocks.runs},
    ).fetchall()
    for (source_id,) in sources:
        decode_again(con, source_id)
