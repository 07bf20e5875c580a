"""Warehouses in DuckLake: Parquet files on shared storage, listed by a catalogue in PostgreSQL.

The connection is one of DuckDB in memory, with the lake attached as the database in use. Tables,
views and macros are in the lake; functions are registered as everywhere. What DuckLake (1.0, with
DuckDB 1.5) lacks is mended here: it has no enumerations, keys, checks, compression of single
columns, and no comments on macros and columns of views (`statements`); and nothing keeps two
transactions from inserting the same row (`alone`, `is_overtaken`).
"""

from __future__ import annotations

import json
import random
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.address import Lake
from warehouse.errors import (
    NotAWarehouse,
    UsageError,
    WarehouseBusy,
    WarehouseError,
    WarehouseMissing,
    WarehouseOutdated,
)
from warehouse.extensions import is_packaged, load_extension
from warehouse.sqlfiles import literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_NAME = "lake"
_METADATA = f"__ducklake_metadata_{_NAME}"
_EMPTY = "empty_catalogue"
_ABSENT = "explicitly disabled"
# Inserts of fewer rows go into the catalogue, not into a file each; `pwh maintain` makes one file
# of many such inserts.
_MOST_INLINED = 1000
_OPTIONS = {"parquet_compression": "zstd", "data_inlining_row_limit": str(_MOST_INLINED)}
# Any number of 64 bits that no other program uses: "pwh" and a one.
_LOCK = 0x70776801
_LOCK_SECONDS = 300.0
_UNREAD_SECONDS = 86400.0

# Table functions that read no more than a lake, beside macros.
_HARMLESS = re.compile(
    r"range|generate_series|unnest|repeat|repeat_row|json_each|json_tree|query_table|summary|"
    r"duckdb_(?:columns|constraints|databases|functions|keywords|settings|tables|types|views)|"
    r"pragma_(?:table_info|show)"
)

_NOT_IN_LAKES = (
    (re.compile(r"\s+USING COMPRESSION \w+"), ""),
    (re.compile(r"\bENUM\s*\([^)]*\)"), "VARCHAR"),
    (re.compile(r",\s*PRIMARY KEY\s*\([^)]*\)"), ""),
    (re.compile(r"\s+PRIMARY KEY\b"), ""),
    (re.compile(r"\s+ON CONFLICT DO NOTHING\b"), ""),
    # a check, with parentheses within parentheses and text
    (
        re.compile(
            r"\s+CHECK\s*\((?:[^()']|'[^']*'|\((?:[^()']|'[^']*'|\((?:[^()']|'[^']*')*\))*\))*\)"
        ),
        "",
    ),
)
_NO_SUCH_COMMENT = re.compile(
    r"^COMMENT ON (?:COLUMN|MACRO(?: TABLE)?) [^']+ IS '(?:[^']|'')*';\n?", re.MULTILINE
)


def engine(lake: Lake) -> DuckDBPyConnection:
    """Return a connection of DuckDB in memory that can attach a lake.

    Raises `UsageError` where an extension is not installed.
    """
    import duckdb

    needed = ["ducklake", "postgres_scanner"] if lake.in_postgres else ["ducklake"]
    # DuckDB would look through 80 MB of signed files at each start, for half the time that it
    # takes. pip did that when it installed them. What DuckDB downloads itself it has to check.
    are_packaged = all(map(is_packaged, needed))
    con = duckdb.connect(config={"allow_unsigned_extensions": are_packaged})
    for name in needed:
        load_extension(con, name, extra="lake")
    con.execute("SET allow_unsigned_extensions = false")
    # In memory, DuckDB would put what does not fit in a folder of the working directory.
    con.execute("SET temp_directory = $1", [str(Path(tempfile.gettempdir()) / "pwh-spill")])
    return con


def attach(con: DuckDBPyConnection, lake: Lake, *, read_only: bool, create: bool) -> None:
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
                        con.execute(f"CALL {_NAME}.set_option($1, $2)", [name, value])
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


def _is_attached(
    con: DuckDBPyConnection, lake: Lake, *, read_only: bool, may_be_absent: bool
) -> bool:
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
            raise duckdb.InvalidInputException(_ABSENT)
        _attach(con, lake, _attach_options(lake, read_only=read_only, create=False))
    except duckdb.InvalidInputException as error:
        if may_be_absent and not read_only and _ABSENT in str(error):
            if lake.in_postgres:
                return False
            raise NotAWarehouse(
                f"{lake.catalogue} is a file, but not the catalogue of a lake",
                hint="Name a warehouse that is one file without ducklake:, a new lake by a new "
                "file.",
            ) from None
        raise
    return True


def _attach(con: DuckDBPyConnection, lake: Lake, options: str) -> None:
    con.execute(f"ATTACH {literal(f'ducklake:{lake.catalogue}')} AS {_NAME} ({options})")


@contextmanager
def _creating(con: DuckDBPyConnection, lake: Lake) -> Iterator[None]:
    """Let one process at a time create the catalogue: DuckLake fails where two do at once."""
    if not lake.in_postgres:
        yield
        return
    settings = lake.catalogue.partition(":")[2]
    con.execute(f"ATTACH {literal(settings)} AS {_EMPTY} (TYPE postgres)")
    try:
        with con.cursor() as own:
            own.execute("BEGIN")
            _lock(own, _EMPTY)
            yield
            own.execute("ROLLBACK")
    finally:
        con.execute(f"DETACH {_EMPTY}")


def _data_path(con: DuckDBPyConnection) -> str:
    row = con.execute(f"SELECT data_path FROM ducklake_settings('{_NAME}')").fetchone()
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
    options = [f"METADATA_CATALOG {literal(_METADATA)}"]
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
    (_ABSENT, WarehouseMissing, "there is no warehouse in {lake}"),
    ("data_path is not set", UsageError, "there is no warehouse in {lake} yet"),
    ("No snapshot found", WarehouseMissing, "the warehouse {lake} is younger than that"),
    ("does not match existing data path", UsageError, "the files of {lake} are in another place"),
    ("not a valid DuckDB database", NotAWarehouse, "{lake} is not a DuckDB file"),
    ("Could not set lock on file", WarehouseBusy, "{lake} is in use by another process"),
    ("MIGRATE", WarehouseOutdated, "{lake} was written by another version of DuckLake"),
)
_HINTS = {
    _ABSENT: "Create it: pwh ingest FILES, with data_path=FOLDER in the address.",
    "data_path is not set": "State where its files are to be: data_path=FOLDER in the address.",
    "No snapshot found": "pwh maintain removes what is older than it was told.",
    "does not match existing data path": "Leave data_path out: the catalogue contains it.",
    "Could not set lock on file": "Try again later; many writers at once need PostgreSQL.",
}


def _unusable(lake: Lake, error: Exception) -> WarehouseError | UsageError:
    """Return why a lake cannot be opened."""
    message = str(error)
    for words, kind, problem in _REASONS:
        if words in message:
            return kind(problem.format(lake=lake), hint=_HINTS.get(words))
    # after the catalogue, which the address has anyway
    reason = message.split("\n", 1)[0].rpartition('": ')[2]
    return WarehouseError(
        f"cannot open {lake}: {reason}", hint="Is PostgreSQL running there, and may you connect?"
    )


def is_lake(con: DuckDBPyConnection) -> bool:
    """Return whether the database in use is a lake."""
    sql = "SELECT type FROM duckdb_databases() WHERE database_name = current_database()"
    row: object = con.execute(sql).fetchone()
    return row == ("ducklake",)


def use(own: DuckDBPyConnection) -> None:
    """Use the lake on a cursor, as its connection does."""
    own.execute(f"USE {_NAME}")


def without_unsupported(sql: str) -> str:
    """Return statements that define tables, without what DuckLake has not."""
    for pattern, replacement in _NOT_IN_LAKES:
        sql = pattern.sub(replacement, sql)
    return sql


def without_unsupported_comments(sql: str) -> str:
    """Return statements that define views and macros, without comments that DuckLake has not."""
    return _NO_SUCH_COMMENT.sub("", sql)


def allow_only_its_files(con: DuckDBPyConnection) -> None:
    """Let a connection without access to other files read those of its lake."""
    con.execute("SET allowed_directories = $1", [[_data_path(con)]])


def check_table_functions(con: DuckDBPyConnection, sql: str) -> None:
    """Raise `UsageError` where a SELECT calls a table function that could do more than read a lake.

    No setting of DuckDB keeps `postgres_query` and its like from sending any text to any server,
    nor `query` from doing so in their place.
    """
    (serialised,) = con.execute("SELECT json_serialize_sql($1)", [sql]).fetchone() or ("{}",)
    macros = con.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'table_macro'"
    ).fetchall()
    allowed = {name for (name,) in macros}
    tree = json.loads(serialised)
    if tree.get("error"):
        raise UsageError(f"the statement is not possible here: {tree.get('error_message')}")
    for name in _table_functions(tree):
        if name not in allowed and not _HARMLESS.fullmatch(name):
            raise UsageError(
                f"the function {name} is not available here: this page only reads the warehouse",
                hint="pwh sql in a terminal can call it.",
            )


def _table_functions(node: object) -> Iterator[str]:
    """Yield the names of the table functions in a serialised statement."""
    if isinstance(node, dict):
        if node.get("type") == "TABLE_FUNCTION":
            yield str(node["function"]["function_name"]).lower()
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from _table_functions(part)


@contextmanager
def alone(con: DuckDBPyConnection) -> Iterator[DuckDBPyConnection]:
    """Keep all other writers that do the same from committing inside the block, in a lake.

    Yield a cursor that sees what was committed before. A killed process keeps nobody waiting:
    PostgreSQL unlocks what its connection has locked. Outside of PostgreSQL there is one writer
    anyway.

    Raises `WarehouseBusy` after some minutes.
    """
    import duckdb

    if not is_lake(con):
        yield con
        return
    with con.cursor() as own:
        use(own)
        own.execute("BEGIN")
        try:
            if _is_in_postgres(own):
                _lock(own, _METADATA)
            yield own
        finally:
            with suppress(duckdb.Error):
                own.execute("ROLLBACK")


def _is_in_postgres(con: DuckDBPyConnection) -> bool:
    sql = "SELECT type FROM duckdb_databases() WHERE database_name = $1"
    row: object = con.execute(sql, [_METADATA]).fetchone()
    return row == ("postgres",)


def _lock(own: DuckDBPyConnection, database: str) -> None:
    """Take the lock of writers for the transaction of a cursor in an attached PostgreSQL."""
    deadline = time.monotonic() + _LOCK_SECONDS
    sql = f"SELECT * FROM postgres_query('{database}', 'SELECT pg_try_advisory_xact_lock({_LOCK})')"
    while own.execute(sql).fetchone() != (True,):
        if time.monotonic() > deadline:
            raise WarehouseBusy(
                f"another process has been writing the warehouse for {_LOCK_SECONDS:g} s",
                hint="Try again when it is done.",
            )
        time.sleep(random.uniform(0.01, 0.05))  # noqa: S311


def is_conflict(error: Exception) -> bool:
    """Return whether DuckLake did not commit because of what others have committed meanwhile."""
    return "Transaction conflict" in str(error)


def snapshot(con: DuckDBPyConnection) -> int:
    """Return the number of the state of the lake that a transaction sees."""
    row = con.execute(f"SELECT id FROM {_NAME}.current_snapshot()").fetchone()
    return int(row[0]) if row else 0


@dataclass(frozen=True, slots=True)
class Touched:
    """What a transaction adds: sources, the paths these came from, and runs."""

    source_ids: Sequence[int]
    paths: Sequence[str]
    run_ids: Sequence[str]


def is_overtaken(own: DuckDBPyConnection, since: int, touched: Touched) -> bool:
    """Return whether others have committed something of the same sources or runs after a snapshot.

    `own` is a cursor of `alone`.
    """
    import duckdb

    now = snapshot(own)
    if now == since:
        return False
    changes = " UNION ALL ".join(
        f"FROM {_NAME}.table_{kind}('{{table}}', {since + 1}, {now})"
        for kind in ("insertions", "deletions")
    )
    try:
        row: object = own.execute(
            "SELECT EXISTS (FROM (" + changes.format(table="run_facts") + ") "
            "WHERE run_id IN (SELECT unnest($runs)) OR source_id IN (SELECT unnest($sources))) "
            "OR EXISTS (FROM (" + changes.format(table="sources") + ") "
            "WHERE path IN (SELECT unnest($paths)))",
            {
                "runs": list(touched.run_ids),
                "sources": list(touched.source_ids),
                "paths": list(touched.paths),
            },
        ).fetchone()
    except duckdb.InvalidInputException:
        # Someone expired the snapshots in between.
        return True
    return row != (False,)


@dataclass(frozen=True, slots=True)
class Maintained:
    """What maintenance did: files merged and written, snapshots expired, files deleted."""

    files_before: int
    files_after: int
    snapshots_expired: int
    files_deleted: int


def maintain(con: DuckDBPyConnection, keep_days: float) -> Maintained:
    """Write small inserts of a lake together into few files, and delete what nobody reads.

    Snapshots older than `keep_days` expire, the last one never. Files of expired snapshots, and
    those of killed writers, are deleted once they are a day old: until then somebody may read or
    write them.
    """
    before = _files(con)
    con.execute(f"CALL ducklake_flush_inlined_data('{_NAME}')")
    con.execute(f"CALL ducklake_merge_adjacent_files('{_NAME}')")
    con.execute(f"CALL ducklake_rewrite_data_files('{_NAME}')")
    older = "older_than => now() - to_seconds($seconds)"
    expired = con.execute(
        f"FROM ducklake_expire_snapshots('{_NAME}', {older})", {"seconds": keep_days * 86400}
    ).fetchall()
    deleted = [
        con.execute(
            f"FROM ducklake_{kind}('{_NAME}', {older})", {"seconds": _UNREAD_SECONDS}
        ).fetchall()
        for kind in ("cleanup_old_files", "delete_orphaned_files")
    ]
    return Maintained(before, _files(con), len(expired), sum(map(len, deleted)))


def _files(con: DuckDBPyConnection) -> int:
    row = con.execute(f"SELECT sum(file_count) FROM ducklake_table_info('{_NAME}')").fetchone()
    return int(row[0]) if row and row[0] is not None else 0
