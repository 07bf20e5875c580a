"""Whether a warehouse is whole: its blocks can be read, and every source has its rows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from warehouse import sqlfiles

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from warehouse.integrity import serve; serve(sys.argv[2], sys.stdout)"
)
_OPEN = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from warehouse import connect; connect(sys.argv[2], read_only=True, wait=0)"
)


def crashes_when_opened(path: Path) -> bool:
    """Return whether DuckDB crashes when it opens a file; tried in a separate process."""
    done = subprocess.run([*_python(_OPEN), str(path)], capture_output=True, check=False)  # noqa: S603
    return done.returncode < 0


def _python(program: str) -> list[str]:
    # -P: a file in the working directory must not be imported as a module.
    return [sys.executable, "-P", "-c", program, str(Path(__file__).resolve().parents[1])]


def read_tables(path: Path) -> Iterator[tuple[float, str | None]]:
    """Read every value of every table of a warehouse, and with it every block of the file.

    Yield after each table the share of rows read so far, and the problem where one cannot be read.
    This happens in a separate process, as DuckDB crashes over some damage; a crash ends it.
    """
    with subprocess.Popen(  # noqa: S603
        [*_python(_START), str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:
        lines = iter(child.stdout or ())
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


def serve(path: str, answers: TextIO) -> None:
    """Write the tables of a warehouse, then the problem of each; runs in a process of its own."""
    import duckdb

    with duckdb.connect(path, read_only=True) as con:
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


def _send(answers: TextIO, answer: object) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def incomplete_sources(con: DuckDBPyConnection) -> list[tuple[str, int, int]]:
    """Return path, rows landed and rows found of the sources where these differ."""
    sql = sqlfiles.read("queries/maintenance/incomplete_sources")
    found: list[tuple[str, int, int]] = con.execute(sql).fetchall()
    return found
