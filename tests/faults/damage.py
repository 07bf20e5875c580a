"""Damaged warehouses: the doctor finds what matters, and no command fails over it."""

from __future__ import annotations

import contextlib
import os
import random
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import duckdb

from apps import cli
from warehouse import sqlfiles

_HEADERS = 12_288
_BLOCK = 262_144
COMMANDS = (
    ["doctor"],
    ["runs"],
    ["report", "latest"],
    ["sql", "SELECT count(*) FROM run_metrics"],
)


def damaged(whole: bytes, chance: random.Random) -> tuple[str, bytes]:
    """Return a kind of damage, and the bytes of a warehouse with it."""
    kind = chance.choice(["bit", "header", "cut off", "zeros", "blocks swapped"])
    data = bytearray(whole)
    blocks = (len(data) - _HEADERS) // _BLOCK
    match kind:
        case "bit":
            data[chance.randrange(_HEADERS, len(data))] ^= 1 << chance.randrange(8)
        case "header":
            data[chance.randrange(_HEADERS)] ^= 1 << chance.randrange(8)
        case "cut off":
            del data[chance.randrange(len(data)) :]
        case "zeros":
            place = chance.randrange(len(data) // 4096) * 4096
            data[place : place + 4096] = bytes(4096)
        case _:
            one, other = (_HEADERS + chance.randrange(blocks) * _BLOCK for _ in range(2))
            first = data[one : one + _BLOCK]
            data[one : one + _BLOCK] = data[other : other + _BLOCK]
            data[other : other + _BLOCK] = first
    return kind, bytes(data)


def outcomes(whole: Path, folder: Path, count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield of so many damaged copies the kind of damage, and what was wrong with the answers."""
    chance = random.Random(seed)
    db, log = folder / "damaged.duckdb", folder / "log"
    truth = _contents(whole, log)
    for _ in range(count):
        db.with_name(f"{db.name}.wal").unlink(missing_ok=True)
        kind, data = damaged(whole.read_bytes(), chance)
        db.write_bytes(data)
        matters = _contents(db, log) != truth
        problems = []
        for command in COMMANDS:
            code = in_fork(lambda: run(db, command), log)  # noqa: B023 (called at once)
            if code == 4 and not matters:
                problems.append(f"{command[0]} sees damage where there is none")
            elif code < 0 and matters and command != ["doctor"]:
                # DuckDB crashes over whole blocks in the wrong place. Only the doctor has a process
                # apart to try that.
                continue
            elif code not in {0, 4, 5} or "Traceback" in log.read_text(errors="replace"):
                problems.append(f"{command[0]} ends with {code}")
            elif command == ["doctor"] and matters and code != 4:
                problems.append("doctor sees nothing")
        yield kind, "; ".join(problems)


def _contents(db: Path, log: Path) -> str | None:
    """Return a hash of every table, None where one cannot be read."""

    def read() -> None:
        with duckdb.connect(str(db), read_only=True) as con:
            for table, _ in con.execute(sqlfiles.read("queries/maintenance/tables")).fetchall():
                sql = f'SELECT count(*), bit_xor(hash(t)) FROM main."{table}" AS t'
                print(table, con.execute(sql).fetchall())

    return log.read_text() if in_fork(read, log) == 0 else None


def run(db: Path, command: Sequence[str]) -> None:
    """Run a command of pwh on a warehouse in this process."""
    sys.argv = ["pwh", "--db", str(db), *command]
    cli.main()


def in_fork(action: Callable[[], None], log: Path) -> int:
    """Run something in a process of its own, which DuckDB may crash; return its exit code."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    stream = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(stream, 1)
    os.dup2(stream, 2)
    code: int | str | None = 0
    try:
        action()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 99
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    # Threads of libraries are not in the fork: an ordinary exit would wait for them.
    os._exit(int(code or 0))


def warehouse_of_samples(folder: Path) -> Path:
    """Return a warehouse of all recordings that the tests carry, with no unused blocks in it."""
    grown, whole = folder / "grown.duckdb", folder / "whole.duckdb"
    samples = Path(__file__).parents[1] / "samples"
    in_fork(lambda: run(grown, ["ingest", str(samples), "--keep-going"]), folder / "log")
    with duckdb.connect() as con:
        con.execute(
            f"ATTACH '{grown}' AS a (READ_ONLY); ATTACH '{whole}' AS b (STORAGE_VERSION 'latest')"
        )
        con.execute("COPY FROM DATABASE a TO b")
    return whole
