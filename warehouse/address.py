"""Addresses of warehouses: what --db and PWH_DB name.

| address | warehouse |
| --- | --- |
| PATH | a DuckDB file, opened in this process |
| quack:HOST[:PORT] | one that `pwh serve` has open |
| ducklake:postgres:dbname=NAME [host=HOST ...] [data_path=FOLDER] [as_of=TIME] | Parquet files on \
shared storage, listed by a catalogue in PostgreSQL |
| ducklake:FILE [data_path=FOLDER] [as_of=TIME] | the same, listed by a DuckDB file |

Values with spaces are in single quotes, as in the connection strings of PostgreSQL.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Self

from warehouse.errors import UsageError

DEFAULT_PORT = 9494
"""The port of Quack."""
_SERVED, _LAKE = "quack:", "ducklake:"
_POSTGRES = "postgres:"
_SETTING = re.compile(r"(?:^|(?<=\s))(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|[^\s']\S*)(?:\s+|$)")
_EXAMPLE = "Such as: --db 'ducklake:postgres:dbname=pwh host=db1 data_path=/shared/pwh'"
# What DuckDB takes for the name of an extension that opens the rest.
_SCHEME = re.compile(r"\w{2,}:", re.ASCII)
_ESCAPED = re.compile(r"\\(.)")
_HOST_AND_PORT = re.compile(r"(?P<host>[\w.-]+|\[[\da-fA-F:.]+\])(?::(?P<port>\d{1,5}))?", re.ASCII)


class _Elsewhere:
    """Answers of a warehouse that is no file, in place of a path."""

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

    @property
    def is_loopback(self) -> bool:
        """Whether only this computer can reach it. A name like 127.example.org is no address."""
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"{_SERVED}{shown}:{self.port}"


@dataclass(frozen=True, slots=True)
class Lake(_Elsewhere):
    """A warehouse in DuckLake.

    `catalogue` is `postgres:` and the settings of a connection, without a password, or the path of
    a DuckDB file. `data_path` is where its Parquet files are; None: as the catalogue says. `as_of`
    is a time in the past; None: now.
    """

    catalogue: str
    data_path: str | None = None
    as_of: datetime | None = None

    def __str__(self) -> str:
        parts = [f"{_LAKE}{self.catalogue}"]
        if self.data_path is not None:
            parts.append(f"data_path={quoted(self.data_path)}")
        if self.as_of is not None:
            parts.append(f"as_of={self.as_of.isoformat()}")
        return " ".join(parts)

    @property
    def in_postgres(self) -> bool:
        """Whether PostgreSQL keeps the catalogue, and many processes can write at once."""
        return self.catalogue.startswith(_POSTGRES)


Address = Path | Served | Lake


def parse_address(text: str | os.PathLike[str] | Served | Lake) -> Address:
    """Return the address that text names; a file whose name begins like another is ./NAME.

    Raises `UsageError` where text begins like an address and is none of these.
    """
    if isinstance(text, Served | Lake):
        return text
    words = os.fspath(text)
    if words.startswith(_SERVED):
        return _served(words.removeprefix(_SERVED))
    if words.startswith(_LAKE):
        return _lake(words.removeprefix(_LAKE))
    path = Path(words)
    if _SCHEME.match(words):
        # Not repeated either: it may contain a password.
        raise UsageError(
            "a warehouse is a file, or at quack:HOST[:PORT], ducklake:postgres:dbname=NAME or "
            "ducklake:FILE; what is named begins with another word and a colon",
            hint="Write ./ before a file of that name. Shared storage (s3://...) keeps the "
            "files of a lake: its data_path.",
        )
    # DuckDB is to see that it is a path; `./` is not part of one.
    return path.absolute() if _SCHEME.match(str(path)) else path


def in_the_past(address: Address, moment: str) -> Lake:
    """Return the address of a lake as it was at a time, as `parse_moment` reads it.

    Raises `UsageError` where the address is another one, as only lakes keep their past, and for a
    time after today.
    """
    if not isinstance(address, Lake):
        raise UsageError(
            f"{address} keeps no past: --as-of is for warehouses in DuckLake",
            hint=_EXAMPLE,
        )
    then = parse_moment(moment)
    if then > datetime.now(UTC) + timedelta(days=1):
        raise UsageError(f"{moment} is in the future", hint="Without --as-of, what is there now.")
    return replace(address, as_of=then)


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


def _lake(text: str) -> Lake:
    settings = dict.fromkeys(("data_path", "as_of"), None) | {
        name: _ESCAPED.sub(r"\1", value.strip("'"))
        for name, value in _SETTING.findall(text)
        if name in ("data_path", "as_of")
    }
    catalogue = _SETTING.sub(lambda s: "" if s[1] in settings else s[0], text).strip()
    if catalogue.startswith(_POSTGRES):
        _check_postgres(catalogue.removeprefix(_POSTGRES))
    elif not catalogue or "=" in catalogue or _SCHEME.match(catalogue):
        raise UsageError(
            "the address of a lake is ducklake:postgres:dbname=NAME, or ducklake:FILE",
            hint=_EXAMPLE,
        )
    as_of = settings["as_of"]
    return Lake(catalogue, settings["data_path"], None if as_of is None else parse_moment(as_of))


def _check_postgres(text: str) -> None:
    """Raise where text is not the settings of a connection, or contains a password.

    No message repeats the text, which may contain one.
    """
    names = {name for name, _ in _SETTING.findall(text)}
    if "://" in text or names & {"password", "sslpassword"}:
        raise UsageError(
            "the address of a warehouse contains no password, as it is shown and logged",
            hint="PostgreSQL's own ways to name one: the file of PGPASSFILE (~/.pgpass), or "
            "PGPASSWORD. " + _EXAMPLE,
        )
    if _SETTING.sub("", text).strip() or "dbname" not in names:
        raise UsageError(
            "the catalogue of a lake is postgres: and settings of a connection, dbname at least",
            hint=_EXAMPLE,
        )


def parse_moment(text: str) -> datetime:
    """Return a time in the past; a date is the end of that day, and UTC where no zone is named.

    Raises `UsageError` for other text.
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(
            f"{text!r} is not a time",
            hint="Such as: 2026-11-20 (the end of that day) or 2026-11-20T12:00:00Z",
        ) from None
    if len(text.strip()) <= len("2026-11-20") and found.time() == time():
        found += timedelta(days=1) - timedelta(microseconds=1)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def quoted(value: str) -> str:
    """Return a value of a setting as an address and PostgreSQL write it."""
    if value and not re.search(r"[\s'\\]", value):
        return value
    return "'" + re.sub(r"(['\\])", r"\\\1", value) + "'"
