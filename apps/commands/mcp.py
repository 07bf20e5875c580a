"""The command mcp: the warehouse for programs that ask by the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from apps.commands.options import need, reading


def mcp(
    context: typer.Context,
    http: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            metavar="PORT",
            help="Serve HTTP at this port of this computer, at /mcp; else stdin and stdout.",
        ),
    ] = None,
) -> None:
    """Answer programs that ask by the Model Context Protocol. They read, and change nothing."""
    need("mcp")
    with reading(context):
        pass  # that there is a warehouse is reported before a client asks
    from apps.commands.mcp_tools import server

    made = server(context.obj)
    if http is None:
        made.run()
    else:
        made.run("streamable-http", host="127.0.0.1", port=http, stateless_http=True)
