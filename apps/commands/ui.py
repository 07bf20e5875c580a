"""The command ui: start the app."""

from __future__ import annotations

import os
import socket
import sys
import tomllib
from pathlib import Path
from typing import Annotated

import typer

from apps.commands.options import need
from apps.output.colours import BLUE, DARK_PAGE, DARK_SIDEBAR, DARK_SOFT_TEXT, SOFT_TEXT, TEXT
from apps.output.streams import note
from apps.reports.roles import ROLES
from warehouse.address import Address
from warehouse.errors import UsageError

_LOOPBACK = "127.0.0.1"
_PORT = 8501
_LOGIN = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
_TRIED = 20
_SETTINGS = {
    "browser.gatherUsageStats": "false",
    "server.fileWatcherType": "none",
    "server.showEmailPrompt": "false",
    "client.toolbarMode": "viewer",
    "client.showErrorDetails": "none",
    "client.showErrorLinks": "false",
    "logger.hideWelcomeMessage": "true",
    "logger.level": "warning",
    # Tables have 0.875 of it: 13 px.
    "theme.baseFontSize": "15",
    "theme.light.primaryColor": BLUE,
    "theme.dark.primaryColor": BLUE,
    "theme.light.textColor": TEXT,
    "theme.light.grayTextColor": SOFT_TEXT,
    "theme.dark.grayTextColor": DARK_SOFT_TEXT,
    "theme.dark.backgroundColor": DARK_PAGE,
    "theme.dark.secondaryBackgroundColor": DARK_SIDEBAR,
}


def ui(
    context: typer.Context,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port; by default 8501 or the next free one."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; by default only this computer can connect.")
    ] = _LOOPBACK,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Open no browser; only print the address.")
    ] = False,
    allow_ingest: Annotated[
        bool, typer.Option("--allow-ingest", help="Let the page Ingest upload and land files.")
    ] = False,
    auth: Annotated[
        Path | None,
        typer.Option(
            "--auth",
            metavar="FILE",
            help="Require a login by OpenID Connect: a TOML file with [auth], as Streamlit has it, "
            "and [roles], such as 'ann@example.org' = 'ingest' and '*' = 'read'.",
        ),
    ] = None,
) -> None:
    """Start the app in the browser: inbox, runs, trends, analyses, SQL. Ctrl-C ends it."""
    need("ui")
    if auth is not None:
        need("login")
        _check_login(auth)
    chosen = _free_port(host, port)
    db: Address = context.obj
    if not db.exists():
        note(f"there is no warehouse at {db} yet; the app shows how to fill one")
    if host != _LOOPBACK and auth is None:
        does = "read the warehouse" + (" and land files in it" if allow_ingest else "")
        note(f"the app listens on {host}: anyone who can reach that address can {does}")
    settings = _SETTINGS | {
        "server.address": host,
        "server.port": str(chosen),
        "server.headless": str(no_browser).lower(),
    }
    script = Path(__file__).parents[1] / "pages" / "__main__.py"
    if auth is not None:
        settings |= {"secrets.files": str(auth.resolve())}
    options = [f"--{name}={value}" for name, value in settings.items()]
    server = [sys.executable, "-m", "apps.pages.server", host, str(chosen)]
    command = [*server, "run", str(script), *options]
    sys.stderr.flush()
    # In place of this process, so that whoever stops pwh stops the app.
    # Python takes modules from the working folder otherwise, where a click.py would be Click.
    variables = {
        "PWH_DB": str(db.resolve()),
        "PWH_ALLOW_INGEST": str(int(allow_ingest)),
        "PWH_AUTH": str(int(auth is not None)),
        "PYTHONSAFEPATH": "1",
    }
    os.execve(sys.executable, command, os.environ | variables)  # noqa: S606


def _check_login(path: Path) -> None:
    """Raise `UsageError` where a file states no login and roles; nothing of it is printed."""
    try:
        stated = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"--auth {path}: {error.strerror if isinstance(error, OSError) else 'it is no TOML'}",
            hint="pwh ui --help says what the file has.",
        ) from None
    missing = [key for key in _LOGIN if key not in stated.get("auth", {})]
    roles = stated.get("roles", {})
    unknown = sorted({str(role) for role in roles.values()} - {*ROLES})
    if missing or unknown or not roles:
        problem = (
            f"[auth] has no {missing[0]}"
            if missing
            else f"the role {unknown[0]!r} is unknown"
            if unknown
            else "[roles] is missing, so that nobody could see anything"
        )
        raise UsageError(
            f"--auth {path}: {problem}",
            hint=f"Roles are {', '.join(ROLES)}; '*' is everybody who can log in.",
        )
    if path.stat().st_mode & 0o077:
        note(f"others on this computer can read {path}, which has secrets: chmod 600")


def _free_port(host: str, port: int | None) -> int:
    """Return the given port, or the first free one; raises `UsageError` if there is none."""
    tried = [port] if port is not None else range(_PORT, _PORT + _TRIED)
    problem = ""
    for candidate in tried:
        try:
            family = socket.getaddrinfo(host, candidate, type=socket.SOCK_STREAM)[0][0]
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((host, candidate))
        except OSError as error:
            problem = error.strerror or str(error)
        else:
            return candidate
    which = f"port {port}" if port is not None else f"any port from {_PORT} on"
    raise UsageError(
        f"cannot listen on {which} of {host}: {problem}",
        hint="Choose another: pwh ui --port PORT",
    )
