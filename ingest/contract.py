"""What every reader promises, as functions that check it: for readers of this and other packages.

A package that brings a reader calls `check(reader, sample)` in a test of its own. It takes seconds,
needs no warehouse, and raises `BrokenPromise` with what is broken.
"""

from __future__ import annotations

import gzip
import lzma
import os
import random
import re
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ingest.base import Head, Reader
from ingest.compressed import bare_name, open_bytes
from ingest.forget import forget_source
from ingest.load import load
from ingest.parsed import Options
from ingest.readers import all_readers
from ingest.recording import Recording, read_head
from ingest.writer import Landed
from warehouse.catalog import DERIVED, by_run_and_source, landing
from warehouse.errors import InputError, UsageError
from warehouse.session import Connection

ANY_TABLE = ("any landing table",)
HTML = b"""<!DOCTYPE html>
<html><head><title>404 Not Found</title></head>
<body><h1>Not Found</h1><p>The requested URL was not found on this server.</p></body></html>
"""
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_OTHERS = (HTML, b"\0" * 5000, b"\n" * 100, b'{"a": 1}\n', b"a,b\n1,2\n")
_WRITTEN_AT = 1_700_000_000
_DAMAGED = 40


class BrokenPromise(AssertionError):
    """A reader does not keep a promise of the contract."""


def zstd(data: bytes) -> bytes:
    """Return data compressed with zstd."""
    import pyarrow as pa

    return bytes(pa.compress(data, codec="zstd", asbytes=True))


COMPRESS: Mapping[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".zst": zstd,
    ".xz": lzma.compress,
}


def check(
    reader: Reader, sample: Path, *, cut_may_land: bool = False, sums_records: bool = False
) -> None:
    """Check a reader over a small sample of its format, in a warehouse of memory.

    `cut_may_land` is whether the format cannot distinguish a file that is cut at a record's end
    from a whole one; `sums_records` that, and that rows are sums over records, so that those of
    the cut file are others. Raises `BrokenPromise`.
    """
    import warehouse

    check_names(reader)
    check_recognition(reader, sample)
    con = warehouse.connect(":memory:")
    try:
        check_landing(con, reader, sample)
        check_compressed(con, reader, sample)
        check_cut(con, reader, sample, cut_may_land=cut_may_land, sums_records=sums_records)
        check_other_content(con, reader, sample)
        check_damaged(con, reader, sample)
    finally:
        con.close()


def check_names(reader: Reader) -> None:
    """Check the name, the description, the patterns and the tables."""
    _promise(_NAME.fullmatch(reader.NAME), f"the name {reader.NAME!r} is not like-this")
    _promise(
        10 < len(reader.DESCRIPTION) < 100 and "\n" not in reader.DESCRIPTION,
        "the description is not one line of 11 to 99 characters",
    )
    _promise(reader.PATTERNS, "there are no typical file names")
    unknown = set(reader.TABLES) - set(landing())
    _promise(tuple(reader.TABLES) == ANY_TABLE or not unknown, f"{unknown} are no landing tables")


def check_recognition(reader: Reader, sample: Path) -> None:
    """Check that the reader recognises its sample, and no other reader does."""
    head = Head(read_head(sample), sample)
    _promise(reader.sniff(head), f"the reader does not recognise {sample.name}")
    others = [one.NAME for one in all_readers() if one.NAME != reader.NAME and one.sniff(head)]
    _promise(not others, f"{', '.join(others)} recognise {sample.name}, too")
    _promise(
        all(reader.parts(part) == reader.parts(sample) for part in reader.parts(sample)),
        "the parts of a recording differ by the part that is looked at",
    )


def check_landing(con: Connection, reader: Reader, sample: Path) -> None:
    """Check that the sample lands in the tables that the reader names."""
    landed = land_file(con, reader, sample)
    forget_source(con, landed.source_id)
    _promise(any(landed.rows.values()), f"nothing of {sample.name} landed")
    others = set(landed.rows) - set(reader.TABLES)
    _promise(tuple(reader.TABLES) == ANY_TABLE or not others, f"{others} are not in TABLES")
    _promise(not filled(con), "forgetting the file left rows behind")


def check_compressed(con: Connection, reader: Reader, sample: Path) -> None:
    """Check that a compressed sample lands as the bare one, a text also in encodings of Windows."""
    parts = parts_of(reader, sample)
    with tempfile.TemporaryDirectory() as folder:
        bare = land_file(con, reader, written(Path(folder, "bare", "sample"), parts))
        expected = contents(con)
        forget_source(con, bare.source_id)
        for suffix, compress in COMPRESS.items():
            encoding = {".xz": "utf-8-sig", ".zst": "utf-16"}.get(suffix, "utf-8")
            packed = {name: compress(_encoded(data, encoding)) for name, data in parts.items()}
            path = written(Path(folder, suffix.strip("."), "sample"), packed, suffix)
            landed = land_file(con, reader, path)
            _promise(contents(con) == expected, f"compressed ({suffix}), other rows land")
            forget_source(con, landed.source_id)


def _encoded(data: bytes, encoding: str) -> bytes:
    """Return text in an encoding, anything else as it is."""
    is_text = b"\0" not in data
    with suppress(UnicodeDecodeError):
        return data.decode().encode(encoding) if is_text else data
    return data


def check_cut(
    con: Connection,
    reader: Reader,
    sample: Path,
    *,
    cut_may_land: bool = False,
    sums_records: bool = False,
) -> None:
    """Check that a sample cut short is refused, or lands the same rows.

    With `cut_may_land` it may land as many of them as it has, from the first on; with
    `sums_records` others, but no more. The last row may come from a line that ends within its last
    field, where the file is reported as one that ends without a line break.
    """
    landed = land_file(con, reader, sample)
    full = contents(con, order="rowid")
    forget_source(con, landed.source_id)
    parts = parts_of(reader, sample)
    for name, data in parts.items():
        line = data.find(b"\n", len(data) // 2) + 1
        for size in {1, 5, len(data) // 3, line or 9, len(data) * 9 // 10, len(data) - 1}:
            with tempfile.TemporaryDirectory() as folder:
                path = written(Path(folder), parts | {name: data[:size]})
                landed_cut = _recognised(con, reader, path)
            if landed_cut is None:
                continue
            cut = contents(con, order="rowid")
            forget_source(con, landed_cut.source_id)
            for table in cut.keys() - {*DERIVED, "runs"}:
                if sums_records:
                    more = len(cut[table]) > len(full[table])
                    _promise(not more, f"{name} cut to {size} bytes lands more {table}")
                    continue
                whole = full[table][: len(cut[table])] if cut_may_land else full[table]
                is_same = cut[table] == whole
                if landed_cut.unended and size < len(data) - 1:
                    is_same |= cut[table][:-1] == whole[: len(cut[table]) - 1]
                _promise(is_same, f"{name} cut to {size} bytes lands other {table}")


def check_other_content(con: Connection, reader: Reader, sample: Path) -> None:
    """Check that rubbish under the sample's name is refused."""
    parts = parts_of(reader, sample)
    name = next(iter(parts))
    others = [*_OTHERS, random.Random(1).randbytes(5000)]  # noqa: S311 - rubbish, not a secret
    for other in others:
        with tempfile.TemporaryDirectory() as folder:
            path = written(Path(folder), parts | {name: other})
            _promise(_land_or_none(con, reader, path) is None, f"{other[:20]!r} ... lands")


def check_damaged(con: Connection, reader: Reader, sample: Path) -> None:
    """Check that damage is seen: `InputError` with words of the reader's own, never a surprise."""
    parts = parts_of(reader, sample)
    chance = random.Random(2)  # noqa: S311
    for _ in range(_DAMAGED):
        name = chance.choice(list(parts))
        data = bytearray(parts[name])
        at = chance.randrange(len(data))
        data[at : at + chance.choice((0, 1, 9))] = chance.choice(
            (
                b"",
                b"\0",
                b"\n",
                b"-1",
                b"1e999",
                b"\xff",
                b'"',
                b"{",
                b"9" * 30,
                b"x",
                bytes(data[:9]),
            )
        )
        with tempfile.TemporaryDirectory() as folder:
            path = written(Path(folder), parts | {name: bytes(data)})
            landed = _land_or_none(con, reader, path)
        if landed is not None:
            forget_source(con, landed.source_id)


def land_file(con: Connection, reader: Reader, path: Path) -> Landed:
    """Land a recording by its reader."""
    recording = Recording(reader.parts(path))
    try:
        return load(con, recording, reader, Options())
    finally:
        recording.close()


def _recognised(con: Connection, reader: Reader, path: Path) -> Landed | None:
    """Land a recording where the reader recognises it, and return None where it is refused."""
    head = Head(read_head(path), path)
    return _land_or_none(con, reader, path) if reader.sniff(head) else None


def _land_or_none(con: Connection, reader: Reader, path: Path) -> Landed | None:
    """Land a recording and return None where it is refused, in words of the reader's own."""
    import duckdb

    try:
        return land_file(con, reader, path)
    except InputError as error:
        cause = error.__cause__
        _promise(
            cause is None or isinstance(cause, OSError | duckdb.Error),
            f"the reader stumbled over damage instead of seeing it: {cause!r}",
        )
        _promise(not filled(con), "a refused file left rows behind")
        _promise(str(path.parent) in str(error), f"the message does not name the file: {error}")
        return None
    except UsageError as error:
        raise BrokenPromise(str(error)) from error


def parts_of(reader: Reader, sample: Path) -> dict[str, bytes]:
    """Return the content of all files of a sample by name, the main one first, decompressed."""
    parts = {}
    for part in reader.parts(sample):
        with open_bytes(part) as file:
            parts[bare_name(part)] = file.read()
    return parts


def written(folder: Path, parts: Mapping[str, bytes], suffix: str = "") -> Path:
    """Write the files into the folder, as of one time, and return the path of the first."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in parts.items():
        path = folder / f"{name}{suffix}"
        path.write_bytes(data)
        # Runs without a start begin when their file was written.
        os.utime(path, (_WRITTEN_AT, _WRITTEN_AT))
    return folder / f"{next(iter(parts))}{suffix}"


def tables() -> list[str]:
    """Return the names of all tables that files fill, and of `runs`."""
    return sorted({*by_run_and_source(), "sources", "runs"})


def filled(con: Connection) -> dict[str, int]:
    """Return the number of rows of the tables that have some."""
    # The names are those of pwh's own tables.
    counts = (f"SELECT '{table}', count(*) FROM {table}" for table in tables())
    return {
        table: count for table, count in con.execute(" UNION ALL ".join(counts)).fetchall() if count
    }


def contents(con: Connection, *, order: str = "ALL") -> dict[str, list[Any]]:
    """Return all rows of all landing tables, without what depends on the file's own hash."""
    all_rows: dict[str, list[Any]] = {
        table: [] for table in tables() if table not in ("sources", "run_facts")
    }
    for table in filled(con).keys() & all_rows.keys():
        columns = f"* EXCLUDE ({'landed_at' if table == 'runs' else 'source_id'})"
        key = "regexp_replace(run_id, '^[^.]*-[0-9a-f]{8}', 'it')"
        ordered = "ALL" if table == "runs" else order
        # As text: NaN equals itself there.
        found = con.execute(
            f"SELECT CAST(t AS VARCHAR) FROM (SELECT {columns} REPLACE ({key} AS run_id) "
            f"FROM {table} ORDER BY {ordered}) AS t"
        ).fetchall()
        all_rows[table] = [row for (row,) in found]
    return all_rows


def _promise(kept: object, broken: str) -> None:
    if not kept:
        raise BrokenPromise(broken)
