"""DuckDB's extensions: from Python packages where these are installed, else DuckDB's own."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from warehouse.errors import UsageError
from warehouse.session import Connection
from warehouse.sqlfiles import literal


def load_extension(con: Connection, name: str, *, extra: str) -> None:
    """Load an extension of DuckDB, installed by `extra` of pwh or by INSTALL.

    Packages come first: a computer without a network has no other way.
    Raises `UsageError` with the line to type where neither has it.
    """
    import duckdb

    try:
        if (file := _packaged(name)) is not None:
            # The name of the file is that of the package, which pip has put there.
            con.execute(f"LOAD {literal(str(file))}")
        else:
            con.execute(f"LOAD {name}")
    except duckdb.Error:
        try:
            con.execute(f"INSTALL {name}")
            con.execute(f"LOAD {name}")
        except duckdb.Error as error:
            first = str(error).split("\n", 1)[0]
            line = f"{shlex.quote(sys.executable)} -m pip install 'pwh[{extra}]'"
            raise UsageError(
                f"DuckDB's extension {name} is needed and cannot be loaded ({first})",
                hint=f"Type: {line}",
            ) from None


def is_packaged(name: str) -> bool:
    """Return whether a Python package contains an extension."""
    return _packaged(name) is not None


def _packaged(name: str) -> Path | None:
    """Return the file of an extension in its package, of the version that DuckDB has."""
    import duckdb

    found = find_spec(f"duckdb_extension_{name}")
    folders = [] if found is None else found.submodule_search_locations or []
    for folder in folders:
        file = Path(folder) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
        if file.is_file():
            return file
    return None
