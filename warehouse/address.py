"""Addresses of warehouses: what --db and PWH_DB name.

| address | warehouse |
| --- | --- |
| PATH | a DuckDB file, opened in this process |
| quack:HOST[:PORT] | one that `pwh serve` has open |
| ducklake:CATALOGUE | tables on shared storage, listed by a catalogue |
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from warehouse.errors import UsageError

DEFAULT_PORT = 9494
"""The port of Quack."""
_SERVED, _LAKE = "quack:", "ducklake:"
_HOST_AND_PORT = re.compile(r"(?P<host>[\w.-]+|\[[\da-fA-F:.]+\])(?::(?P<port>\d{1,5}))?", re.ASCII)


class _Elsewhere:
    """What a warehouse that is no file answers in place of a path."""

    @property
    def name(self) -> str:
        """The address, as pages name the warehouse."""
        return str(self)

    def exists(self) -> bool:
        """Return True: whether there is a warehouse shows when it is opened."""
        return True

    def resolve(self) -> Self:
        """Return the address itself: it does not depend on the working directory."""
        return self


@dataclass(frozen=True, slots=True)
class Served(_Elsewhere):
    """A warehouse that `pwh serve` has open on a port of a host."""

    host: str
    port: int = DEFAULT_PORT

    def __str__(self) -> str:
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"{_SERVED}{shown}:{self.port}"


@dataclass(frozen=True, slots=True)
class Lake(_Elsewhere):
    """A warehouse in DuckLake; `catalogue` is what follows `ducklake:`."""

    catalogue: str

    def __str__(self) -> str:
        return f"{_LAKE}{self.catalogue}"


Address = Path | Served | Lake


def parse_address(text: str | os.PathLike[str] | Served | Lake) -> Address:
    """Return the address that text names; a file whose name begins like another is ./NAME.

    Raises `UsageError` where text begins with `quack:` or `ducklake:` and is not such an address.
    """
    if isinstance(text, Served | Lake):
        return text
    words = os.fspath(text)
    if words.startswith(_SERVED):
        return _served(words.removeprefix(_SERVED))
    if words.startswith(_LAKE):
        if words == _LAKE:
            raise UsageError(
                "ducklake: names no catalogue", hint="Such as: --db ducklake:postgres:dbname=pwh"
            )
        return Lake(words.removeprefix(_LAKE))
    return Path(words)


def _served(text: str) -> Served:
    found = _HOST_AND_PORT.fullmatch(text)
    port = DEFAULT_PORT if found is None else int(found["port"] or DEFAULT_PORT)
    if found is None or not 0 < port < 1 << 16:
        # The text itself is not repeated: somebody may have put the token into it.
        raise UsageError(
            "the address of a served warehouse is quack:HOST or quack:HOST:PORT",
            hint="Such as: --db quack:127.0.0.1:9494. The token comes from PWH_TOKEN_FILE or "
            "PWH_TOKEN.",
        )
    return Served(found["host"].strip("[]"), port)
