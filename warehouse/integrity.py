"""Whether a warehouse is whole: its blocks can be read, and every source has its rows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import duckdb

from warehouse import sqlfiles
from warehouse.address import Address, parse_address
from warehouse.connection import connect, open_unchecked
from warehouse.errors import WarehouseError
from warehouse.session import Connection

# -P: a file in the working directory must not be imported as a module.
_PYTHON = (sys.executable, "-P", "-c")
_SERVE = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from warehouse.integrity import serve; serve(sys.argv[2], sys.stdin, sys.stdout)"
)


class Reading:
    """A separate process that reads a warehouse, as DuckDB crashes over some damage.

    `crashes_when_opened` is whether DuckDB crashed when it opened the file.
    """

    def __init__(self, path: Address) -> None:
        command = [*_PYTHON, _SERVE, str(Path(__file__).resolve().parents[1]), str(path)]
        self._process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._lines = iter(self._process.stdout or ())
        self.crashes_when_opened = next(self._lines, None) is None and self._process.wait() < 0

    def close(self) -> None:
        """End the process, whatever it reads."""
        self._process.kill()
        self._process.communicate()

    def tables(self) -> Iterator[tuple[float, str | None]]:
        """Read every value of every table, and with it every block of the file.

        Yield after each table the share of rows read so far, and the problem where one cannot be
        read. A crash ends it. The caller has the file open for reading, so that it is not busy.
        """
        with suppress(BrokenPipeError):
            print(file=self._process.stdin, flush=True)
        lines = self._lines
        tables = json.loads(next(lines, "[]"))
        total = sum(rows for _, rows in tables) or 1
        done = 0
        for table, rows in tables:
            done += rows
            answer = next(lines, None)
            problem = "DuckDB crashes over it" if answer is None else json.loads(answer)
            yield done / total, problem and f"the table {table} cannot be read: {problem}"
            if answer is None:
                break
        if not tables:
            yield 1.0, "DuckDB crashes over it"


def serve(path: str, asked: TextIO, answers: TextIO) -> None:
    """Open a warehouse as commands do, and write a line when that is over, well or not.

    When a line is `asked`, write its tables, then the problem of each. Runs in a separate process.
    """
    with suppress(WarehouseError, duckdb.Error):
        connect(path, read_only=True, wait=0).close()
    _send(answers, None)
    asked.readline()
    with _opened(parse_address(path)) as con:
        tables = con.execute(sqlfiles.read("queries/maintenance/tables")).fetchall()
        _send(answers, tables)
        for table, _ in tables:
            # The name is the catalog's. The hash of a row is also of its nested values.
            sql = f'SELECT bit_xor(hash(t)) FROM main."{table}" AS t'
            problem = None
            try:
                con.execute(sql).fetchall()
            except duckdb.Error as error:
                problem = str(error).split("\n", 1)[0]
            _send(answers, problem)


def _opened(address: Address) -> Connection:
    """Open a warehouse for reading; a file without anything that pwh adds to it."""
    if isinstance(address, Path):
        con: Connection = duckdb.connect(str(address), read_only=True)
        # DuckDB takes Python without a script for a person, and shows progress among the answers.
        con.execute("SET enable_progress_bar = false")
        return con
    return open_unchecked(address, read_only=True)


def _send(answers: TextIO, answer: object) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def incomplete_sources(con: Connection) -> list[tuple[str, int, int]]:
    """Return path, rows landed and rows found of the sources where these differ."""
    sql = sqlfiles.read("queries/maintenance/incomplete_sources")
    found: list[tuple[str, int, int]] = con.execute(sql).fetchall()
    return found
