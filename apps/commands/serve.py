"""The command serve: the warehouse for many clients at once."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Annotated

import typer

from apps.output.numbers import counted
from apps.output.streams import note
from warehouse.address import DEFAULT_PORT, Address, Served
from warehouse.errors import UsageError, WarehouseMoved

_TICK = 5.0


def serve(
    context: typer.Context,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port.")] = DEFAULT_PORT,
    host: Annotated[
        str, typer.Option(help="Address to listen on; by default only this computer can connect.")
    ] = "127.0.0.1",
    token_file: Annotated[
        Path | None,
        typer.Option(help="File with the token of clients that may write; or PWH_TOKEN_FILE."),
    ] = None,
    read_token_file: Annotated[
        Path | None,
        typer.Option(help="With the token of clients that only read; or PWH_READ_TOKEN_FILE."),
    ] = None,
    behind_proxy: Annotated[
        bool,
        typer.Option(
            "--behind-proxy",
            help="Listen beyond this computer, because a proxy with TLS is in front.",
        ),
    ] = False,
    silent: Annotated[
        float,
        typer.Option(
            min=1,
            help="Seconds after which a client that was killed in a transaction "
            "is given up; pwh's own clients are heard of every 10 s.",
        ),
    ] = 30.0,
    wait: Annotated[
        float | None, typer.Option(min=0, help="Seconds to wait while others have the file open.")
    ] = 60.0,
) -> None:
    """Serve the warehouse to many clients: pwh --db quack:HOST:PORT, and DuckDB. Ctrl-C ends it."""
    import warehouse
    from warehouse.opened import check_in_place
    from warehouse.quack import tokens
    from warehouse.quack.server import Server, check_host

    db: Address = context.obj
    if not isinstance(db, Path):
        raise UsageError(
            f"only a file is served, and {db} is none",
            hint="It has many clients at once anyway: name it by --db.",
        )
    address = Served(host, port)
    beyond = check_host(address, behind_proxy=behind_proxy)
    writing = tokens.token(tokens.WRITING, token_file)
    reading = tokens.token(tokens.READING, read_token_file)
    if writing is None and reading is None:
        raise UsageError(
            "clients need a token: --token-file FILE, or --read-token-file FILE", hint=tokens.HINT
        )
    if writing == reading:
        raise UsageError("the token that only reads is the one that writes, too")
    con = warehouse.connect(db, wait=wait, on_wait=note)
    # Lines to write, and None at the end.
    events: SimpleQueue[str | None] = SimpleQueue()
    try:
        server = Server(
            con,
            address,
            writing=writing,
            reading=reading,
            on_refused=events.put,
            beyond_loopback=beyond,
        )
    except BaseException:
        con.close()
        raise
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: events.put(None))
    note(f"{db} is served at {address} (Ctrl-C ends it)")
    code = 0
    while True:
        # A log that cannot be written ends nothing.
        with suppress(Empty, OSError):
            if (line := events.get(timeout=min(_TICK, silent / 2))) is None:
                break
            note(line)
        try:
            check_in_place(con)
        except WarehouseMoved as error:
            code = error.exit_code
            with suppress(OSError):
                note(str(error))
            break
        if ended := server.end_silent_sessions(silent):
            clients = counted(ended, "client")
            events.put(f"gave up {clients} in a transaction; nothing of it has landed")
    server.stop()
    with suppress(OSError):
        note(f"{db} is served no more")
    # Quack's threads outlive their server; what was committed is in the file by now.
    os._exit(code)
