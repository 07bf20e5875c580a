"""Open a lake: attach it, create it where it is missing, and state why it cannot be opened."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakSet

from warehouse import duckdb_texts as texts
from warehouse.address import Lake, quoted
from warehouse.errors import (
    NotAWarehouse,
    UsageError,
    WarehouseBusy,
    WarehouseError,
    WarehouseMissing,
    WarehouseOutdated,
)
from warehouse.extensions import is_packaged, load_extension
from warehouse.lake.lock import lock
from warehouse.session import Connection
from warehouse.spill import spill_folder
from warehouse.sqlfiles import literal

NAME = "lake"
"""The database of a lake, in the connection that has attached it."""
METADATA = f"__ducklake_metadata_{NAME}"
"""The database of its catalogue."""
_EMPTY = "empty_catalogue"
# Inserts of fewer rows go into the catalogue, not into a file each; `pwh maintain` makes one file
# of many such inserts.
_MOST_INLINED = 1000
# Where the network is cut, libpq would wait for a quarter of an hour, or two; and so would a server
# for the client, whose locks it keeps: by default for two hours. Hence the same settings there.
_TIMEOUTS = {
    "keepalives_idle": 10,  # s
    "keepalives_interval": 5,  # s
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,  # ms
}
_CONNECT_SECONDS = 30
_OPTIONS = {"parquet_compression": "zstd", "data_inlining_row_limit": str(_MOST_INLINED)}


def engine(lake: Lake) -> Connection:
    """Return a connection of DuckDB in memory that can attach a lake, with one thread.

    Opening asks the catalogue some dozens of small questions. With several threads DuckDB hands
    each to another one and loops until it is done, which doubles the time, and more on a busy
    machine: `use_all_threads` once it is open.

    Raises `UsageError` where an extension is not installed.
    """
    import duckdb

    needed = ["ducklake", "postgres_scanner"] if lake.in_postgres else ["ducklake"]
    # DuckDB would look through 80 MB of signed files at each start, for half the time that it
    # takes. pip did that when it installed them. What DuckDB downloads itself it has to check.
    are_packaged = all(map(is_packaged, needed))
    config = {"allow_unsigned_extensions": are_packaged, "threads": 1}
    con: Connection = duckdb.connect(config=config)
    for name in needed:
        load_extension(con, name, extra="lake")
    con.execute("SET allow_unsigned_extensions = false")
    # In memory, DuckDB would put what does not fit in a folder of the working directory.
    con.execute("SET temp_directory = $1", [str(spill_folder())])
    return con


def use_all_threads(con: Connection) -> None:
    """Let a connection that `engine` returned use as many threads as any other."""
    con.execute("RESET threads")


def attach(con: Connection, lake: Lake, *, read_only: bool, create: bool) -> None:
    """Attach a lake and use it; one that is created has no tables yet.

    Raises `WarehouseMissing`, `WarehouseError` where catalogue or storage cannot be reached, and
    `UsageError` for writing to the past.
    """
    import duckdb

    if lake.as_of is not None and not read_only:
        raise UsageError(
            "what the warehouse was in the past can only be read", hint="Leave --as-of out."
        )
    try:
        if not _is_attached(con, lake, read_only=read_only, may_be_absent=create):
            _make_folder(lake)
            with _creating(con, lake):
                # Another may have created it meanwhile.
                if not _is_attached(con, lake, read_only=False, may_be_absent=True):
                    _attach(con, lake, _attach_options(lake, read_only=False, create=True))
                    # In the catalogue, so that they are those of every program that writes.
                    for name, value in _OPTIONS.items():
                        con.execute(f"CALL {NAME}.set_option($1, $2)", [name, value])
        use(con)
    except duckdb.Error as error:
        raise _unusable(lake, error) from None
    folder = _data_path(con)
    # Otherwise DuckLake would make one, on this host only.
    if "://" not in folder and not Path(folder).is_dir():
        raise WarehouseError(
            f"the folder {folder} of the files of {lake} is not there, or not on this host",
            hint="All hosts that use the warehouse have to see the same folder at that path.",
        )


def _is_attached(con: Connection, lake: Lake, *, read_only: bool, may_be_absent: bool) -> bool:
    """Attach a lake that is there; return False where it is absent, and may be.

    Raises `NotAWarehouse` where the file of its catalogue is another.
    """
    import duckdb

    # DuckLake would leave an empty file where it found none.
    is_there = lake.in_postgres or Path(lake.catalogue).exists()
    if not is_there and may_be_absent and not read_only:
        return False
    try:
        if not is_there:
            raise duckdb.InvalidInputException(texts.ABSENT)
        _attach(con, lake, _attach_options(lake, read_only=read_only, create=False))
    except duckdb.InvalidInputException as error:
        if may_be_absent and not read_only and texts.ABSENT in str(error):
            if lake.in_postgres:
                return False
            raise NotAWarehouse(
                f"{lake.catalogue} is a file, but not the catalogue of a lake",
                hint="Name a warehouse that is one file without ducklake:, a new lake by a new "
                "file.",
            ) from None
        raise
    return True


def _attach(con: Connection, lake: Lake, options: str) -> None:
    con.execute(f"ATTACH {literal(f'ducklake:{_catalogue(lake)}')} AS {NAME} ({options})")


def _catalogue(lake: Lake) -> str:
    """Return the catalogue, with how long to wait for a PostgreSQL that is silent."""
    if not lake.in_postgres:
        return lake.catalogue
    there = " ".join(
        f"-c tcp_{name.removeprefix('tcp_')}={value}" for name, value in _TIMEOUTS.items()
    )
    # libpq reads PGOPTIONS only where the settings have no options; of two the last is valid.
    options = quoted(f"{there} {os.environ.get('PGOPTIONS', '')}".strip())
    settings = {"connect_timeout": _CONNECT_SECONDS, **_TIMEOUTS, "options": options}
    own = (
        f"{name}={value}"
        for name, value in settings.items()
        if not re.search(rf"\b{name}\s*=", lake.catalogue)
    )
    return " ".join([lake.catalogue, *own])


@contextmanager
def _creating(con: Connection, lake: Lake) -> Iterator[None]:
    """Let one process at a time create the catalogue: DuckLake fails where two do at once."""
    if not lake.in_postgres:
        yield
        return
    settings = _catalogue(lake).partition(":")[2]
    con.execute(f"ATTACH {literal(settings)} AS {_EMPTY} (TYPE postgres)")
    try:
        with con.cursor() as own:
            own.execute("BEGIN")
            lock(own, _EMPTY)
            yield
            own.execute("ROLLBACK")
    finally:
        con.execute(f"DETACH {_EMPTY}")


def _data_path(con: Connection) -> str:
    row = con.execute(f"SELECT data_path FROM ducklake_settings('{NAME}')").fetchone()
    return str(row[0]) if row else ""


def _make_folder(lake: Lake) -> None:
    """Make the folder of the files that an address names, in a folder that is there."""
    folder = lake.data_path
    if folder is None:
        folder = "://" if lake.in_postgres else f"{lake.catalogue}.files"
    if "://" in folder:
        return
    try:
        Path(folder).mkdir(exist_ok=True)
    except OSError as error:
        raise WarehouseError(
            f"the folder {folder} for the files of the warehouse cannot be made: {error.strerror}"
        ) from None


def _attach_options(lake: Lake, *, read_only: bool, create: bool) -> str:
    options = [f"METADATA_CATALOG {literal(METADATA)}"]
    if lake.in_postgres:
        # The one that DuckLake uses: it would read what all others have, too.
        options.append("META_SCHEMA 'public'")
    if read_only:
        options.append("READ_ONLY")
    elif not create:
        options.append("CREATE_IF_NOT_EXISTS false")
    if lake.data_path is not None:
        where = lake.data_path
        options.append(
            f"DATA_PATH {literal(where if '://' in where else str(Path(where).absolute()))}"
        )
    if lake.as_of is not None:
        options.append(f"SNAPSHOT_TIME {literal(lake.as_of.isoformat())}")
    return ", ".join(options)


_REASONS = (
    (texts.ABSENT, WarehouseMissing, "there is no warehouse in {lake}"),
    (texts.NO_DATA_PATH, UsageError, "there is no warehouse in {lake} yet"),
    (texts.NO_SNAPSHOT, WarehouseMissing, "the warehouse {lake} is younger than that"),
    (texts.OTHER_DATA_PATH, UsageError, "the files of {lake} are in another place"),
    (texts.NO_DATABASE, NotAWarehouse, "{lake} is not a DuckDB file"),
    (texts.DATA_FILE, NotAWarehouse, "{lake} is not a DuckDB file"),
    (texts.LOCKED, WarehouseBusy, "{lake} is in use by another process"),
    (texts.OTHER_DUCKLAKE, WarehouseOutdated, "{lake} was written by another version of DuckLake"),
)
_HINTS = {
    texts.ABSENT: "Create it: pwh ingest FILES, with data_path=FOLDER in the address.",
    texts.NO_DATA_PATH: "State where its files are to be: data_path=FOLDER in the address.",
    texts.NO_SNAPSHOT: "pwh maintain removes what is older than it was told.",
    texts.OTHER_DATA_PATH: "Leave data_path out: the catalogue contains it.",
    texts.LOCKED: "Try again later; many writers at once need PostgreSQL.",
}


def _unusable(lake: Lake, error: Exception) -> WarehouseError | UsageError:
    """Return why a lake cannot be opened."""
    message = str(error)
    for words, kind, problem in _REASONS:
        if words in message:
            return kind(problem.format(lake=lake), hint=_HINTS.get(words))
    # after the catalogue, which the address has anyway
    reason = message.split("\n", 1)[0].rpartition('": ')[2]
    hint = "Is PostgreSQL running there, and may you connect?" if lake.in_postgres else None
    return WarehouseError(f"cannot open {lake}: {reason}", hint=hint)


def store_nested_in_files(con: Connection) -> None:
    """Let tables with a struct of structs or maps have no rows in the catalogue.

    DuckLake (1.0) loses quotes and backslashes of texts in these, such as the names in a flag, on
    the way through PostgreSQL; not of those in lists.
    """
    tables = con.execute(
        "SELECT DISTINCT table_name FROM duckdb_columns() "
        "SEMI JOIN duckdb_tables() USING (database_name, table_name) WHERE database_name = $1 "
        r"AND regexp_full_match(data_type, 'STRUCT\(.*\b(STRUCT|MAP)\(.*\)')",
        [NAME],
    ).fetchall()
    for (table,) in tables:
        sql = f"CALL {NAME}.set_option('data_inlining_row_limit', '0', table_name => $1)"
        con.execute(sql, [table])


# Connections and cursors whose database is a lake: DuckDB would ask the catalogue for it.
_USERS: WeakSet[Connection] = WeakSet()


def is_lake(con: Connection) -> bool:
    """Return whether the database in use is a lake."""
    return con in _USERS


def stored_bytes(con: Connection) -> int:
    """Return the size of the files of a lake."""
    sql = f"SELECT coalesce(sum(file_size_bytes), 0) FROM {METADATA}.ducklake_table_stats"
    row = con.execute(sql).fetchone()
    return int(row[0]) if row else 0


def use(con: Connection) -> None:
    """Use the lake that a connection has attached, on it or on a cursor of it."""
    con.execute(f"USE {NAME}")
    _USERS.add(con)


def allow_only_its_files(con: Connection, *others: str) -> None:
    """Let a connection without access to other files read those of its lake, and other folders."""
    con.execute("SET allowed_directories = $1", [[_data_path(con), *others]])
