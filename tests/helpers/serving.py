"""Real servers for tests: `pwh serve` in a process of its own."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from warehouse.extensions import _packaged

ROOT = Path(__file__).parents[2]
WRITING, READING = "writing-token-0123456789", "reading-token-0123456789"
# A client that has only DuckDB: its answers are rows, or the text of an error.
_PLAIN = """
import json, sys, duckdb
address, token, *files = sys.argv[1:]
con = duckdb.connect()
for file in files:
    con.execute(f"LOAD '{file}'")
con.execute(f"ATTACH '{address}' AS w (TYPE quack, TOKEN '{token}')")
for statement in json.load(sys.stdin):
    try:
        print(json.dumps(con.execute(statement).fetchall(), default=str))
    except duckdb.Error as error:
        print(json.dumps(str(error)))
assert not {'warehouse', 'udfs', 'apps'} & sys.modules.keys()
"""


@dataclass(frozen=True)
class Serving:
    """A server's process, and its address."""

    process: subprocess.Popen[str]
    address: str

    def stop(self, number: int = signal.SIGTERM) -> str:
        """Send a signal; return what the server has written to stderr when it has ended."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=30)[1]


@contextmanager
def served(file: Path, *options: str) -> Iterator[Serving]:
    """Serve a warehouse on a free port of this computer, until the end of the block."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    # Files of tokens come first, and the user may have some.
    environment |= {"PWH_TOKEN_FILE": "", "PWH_READ_TOKEN_FILE": ""}
    environment |= {"PWH_TOKEN": WRITING, "PWH_READ_TOKEN": READING}
    command = [sys.executable, "-m", "apps.cli", "--db", str(file), "serve", f"--port={port}"]
    process = subprocess.Popen(
        [*command, *options], env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert "is served at" in line, line + process.stderr.read()
        yield Serving(process, f"quack:127.0.0.1:{port}")
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def plain_client(address: str, token: str, statements: list[str], folder: Path) -> list[Any]:
    """Run statements in a DuckDB without pwh, where the server is `w`; return their answers."""
    files = [str(_packaged(name)) for name in ("httpfs", "quack")]
    done = subprocess.run(
        [sys.executable, "-I", "-c", _PLAIN, address, token, *files],
        input=json.dumps(statements),
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def is_accepted(address: str, token: str, origin: str = "127.0.0.1") -> bool:
    """Send a token from an address of this computer, as DuckDB does; return whether it is right."""
    message = b"\x01\x00\x01\x03\x00\x05\xff\xff"
    texts = token.encode(), f"v{duckdb.__version__}".encode(), b"linux_amd64"
    for number, text in enumerate(texts, 1):
        message += bytes([number, 0]) + _length(len(text)) + text
    message += b"\x04\x00\x01\x05\x00\x01\xff\xff"
    _, host, port = address.split(":")
    server = http.client.HTTPConnection(host, int(port), timeout=60, source_address=(origin, 0))
    server.request("POST", "/quack", message)
    answer = server.getresponse().read()
    server.close()
    return b"Authentication failed" not in answer


def _length(value: int) -> bytes:
    """Return a number in seven bits a byte, the last ones first."""
    low, high = value & 127, value >> 7
    return bytes([low | 128]) + _length(high) if high else bytes([low])
