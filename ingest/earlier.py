"""Earlier files of the same content, or from the same path."""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ingest.base import Reader
from ingest.compressed import path_text
from ingest.recording import Recording
from warehouse import sqlfiles
from warehouse.errors import InputError
from warehouse.session import Connection

# Facts that say what was run, and where: not when.
_NAMING = ("app", "version", "machine", "nodes", "ranks", "threads", "problem_size")


class LandedBefore:
    """The sources there are: those of the same contents or paths, queried once for a group."""

    def __init__(
        self, con: Connection, contents: Sequence[str], recordings: Sequence[Recording]
    ) -> None:
        params = {
            "contents": list(contents),
            "paths": [path_text(recording.path.resolve()) for recording in recordings],
        }
        self._rows = con.execute(sqlfiles.read("queries/ingest/landed_before"), params).fetchall()
        row = con.execute("SELECT max(source_id) FROM sources").fetchone()
        self._last: int = row[0] or 0 if row else 0

    def of(self, hashes: Collection[str], recording: Recording, reader: Reader) -> dict[int, bool]:
        """Return the sources that the reader found in the same content, or once at the same path.

        The value is whether the content is the same.
        """
        path = path_text(recording.path.resolve())
        return {
            source_id: same
            for source_id, found_by, stored, content, place in self._rows
            if found_by == reader.NAME
            and ((same := stored in hashes or content in hashes) or place == path)
        }

    def new_source_id(self, taken: Iterable[int]) -> int:
        """Return the number of a source that lands now: the time in microseconds since 1970.

        It is above all others, of this transaction too. Sources are in the order in which they
        landed, then, so that DuckDB finds the rows of one in a large table without reading the
        others.
        """
        return max(time.time_ns() // 1000, max((self._last, *taken)) + 1)


def runs_of(con: Connection, source_id: int) -> tuple[str, ...]:
    """Return the runs of a source."""
    rows = con.execute(
        "SELECT DISTINCT run_id FROM run_facts WHERE source_id = ? ORDER BY run_id", [source_id]
    ).fetchall()
    return tuple(run_id for (run_id,) in rows)


def is_of(con: Connection, source_id: int, run_id: str | None) -> bool:
    """Return whether a source is of a run; of None each is."""
    return run_id is None or run_id in runs_of(con, source_id)


def most_alike(
    con: Connection, source_ids: Sequence[int], facts: Mapping[str, Any]
) -> tuple[int, str | None]:
    """Return the source whose runs have the facts, else the first, and how that differs."""
    ways = [_difference(con, one, facts) for one in source_ids]
    place = ways.index(None) if None in ways else 0
    return source_ids[place], ways[place]


def _difference(con: Connection, source_id: int, facts: Mapping[str, Any]) -> str | None:
    """Return in words how facts of a source's runs are not those stated, None where they are."""
    named = [name for name in _NAMING if name in facts]
    if not named:
        return None
    columns = ", ".join(f"list(DISTINCT {n} ORDER BY {n}) FILTER ({n} IS NOT NULL)" for n in named)
    stored = con.execute(
        f"SELECT {columns} FROM runs "
        "WHERE run_id IN (SELECT run_id FROM run_facts WHERE source_id = ?)",
        [source_id],
    ).fetchone()
    return next(
        (
            f"{name} is {' and '.join(map(str, found or ['unknown']))}, not {facts[name]}"
            for name, found in zip(named, stored or (), strict=False)
            if found != [facts[name]]
        ),
        None,
    )


def refuse_to_continue(con: Connection, recording: Recording, reader: Reader) -> None:
    """Raise `InputError` where a file begins with all of what landed from its path before.

    To land it too would count what both have in common twice.
    """
    earlier = con.execute(
        sqlfiles.read("queries/ingest/earlier"),
        {"path": path_text(recording.path.resolve()), "reader": reader.NAME},
    ).fetchall()
    for size, sha256, ingested, runs in earlier:
        if recording.begins_with(size, sha256):
            raise InputError(
                f"the file has grown since it landed on {ingested} as {runs} "
                f"({size} of now {recording.bytes_total} bytes)",
                hint="--replace swaps what landed for the whole file.",
            )
