"""Outputs that would be the warehouse, its log or what it is linked to: refused, nothing changed.

And disks that are full while an output is written: what was there stays, and no torso is left.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.faults.damage import in_fork, run

# Each option of a command that names a file to write.
OUTPUTS = (
    ("sql", "FROM runs", "-f", "csv", "-o"),
    ("sql", "FROM runs", "-f", "parquet", "-o"),
    ("sql", "FROM runs", "-o"),
    ("sql", "--write", "DELETE FROM runs", "-o"),
    ("report", "-o"),
    ("report", "-f", "json", "-o"),
    ("export", "--to", "csv", "-o"),
    ("export", "--to", "csv", "--table", "pmu_samples", "-o"),
    ("export", "--to", "folded", "-o"),
    ("runs", "-o"),
    ("doctor", "-o"),
    ("schema", "-f", "jsonl", "-o"),
    ("threads", "--cfg"),
    ("threads", "--matrix"),
    ("diagnose", "--glyphs"),
    ("record", "--keep"),
)
# Forms in which SQL writes a file, or lets DuckDB do it; {} is the file.
WRITES = (
    "COPY runs TO '{}'",
    "COPY runs TO '{}' (FORMAT csv, USE_TMP_FILE false)",
    "-- first\nSELECT 1; copy (SELECT 'x TO y' AS \"TO\") /* to */ to '{}' (FORMAT json)",
    "COPY (FROM runs) TO $a${}$a$ (FORMAT parquet)",
    "COPY runs TO E'{}'",
    "COPY runs TO 'file://{}'",
    "EXPLAIN ANALYZE COPY runs TO '{}'",
    "EXPLAIN (ANALYZE, FORMAT json) COPY runs TO '{}'",
    "PREPARE p AS COPY runs TO '{}'; EXECUTE p",
    "PREPARE p AS COPY runs TO $1; EXECUTE p('{}')",
    "COPY runs TO ('{}' || '')",
    "EXPORT DATABASE '{}'",
    "SET log_query_path = '{}'; SELECT 1",
    "SET GLOBAL log_query_path TO '{}'; SELECT 1",
    "PRAGMA enable_profiling = 'json'; PRAGMA profiling_output = '{}'; SELECT 1",
)
# And in which it reads one.
READS = (
    "FROM read_csv('{}')",
    "FROM '{}'",
    "FROM read_text('{}')",
    "FROM glob('{}')",
    "CREATE TEMP TABLE t (a VARCHAR); COPY t FROM '{}'",
    "ATTACH '{}' AS other",
    "ATTACH '{}' AS other (READ_ONLY)",
    "IMPORT DATABASE '{}'",
    "LOAD '{}'",
    "INSTALL '{}'",
    "FROM sniff_csv('{}')",
    "CREATE TEMP VIEW v AS FROM read_csv('{}'); FROM v",
    "SET enable_external_access = true; FROM read_csv('{}')",
    "SET allowed_paths = ['{}']; FROM read_csv('{}')",
    "SET temp_directory = '{}'",
)


def targets(db: Path, other: Path) -> list[Path]:
    """Return paths that lead to the files of a warehouse, and to another in its folder.

    Links are made, and `other` is copied there.
    """
    log, linked, hard, copy = map(
        db.with_name, (f"{db.name}.wal", "linked", "hard.csv", "other.db")
    )
    linked.symlink_to(db.name)
    hard.hardlink_to(db)
    shutil.copy(other, copy)
    return [db, log, linked, hard, copy]


def contents(folder: Path) -> dict[Path, bytes | None]:
    """Return what is in a folder: of each file the bytes, None of folders."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def outcomes(warehouse: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield of each case its name, and what was wrong with it."""
    place = folder / "place"
    place.mkdir()
    db = Path(shutil.copy(warehouse, place / "w.duckdb"))
    (place / "secret.csv").write_text("secret\n1\n")
    before = contents(place)

    def problem(*words: str) -> str:
        code = in_fork(lambda: run(db, words), folder / "log")
        if (after := contents(place)) != before:
            changed = {path.name for path in after if after[path] != before.get(path)}
            return f"pwh {' '.join(words)} changes {changed or 'what is there'}"
        said = (folder / "log").read_text(errors="replace")
        if code == 2 and said.startswith(("pwh: ", "Usage: ")) and "Traceback" not in said:
            return ""
        return f"pwh {' '.join(words)} ends with {code}: {said.splitlines()[-1:]}"

    for sql in (*WRITES, *READS):
        for name in ("new", "secret.csv"):
            yield "SQL without --files", problem("sql", sql.replace("{}", str(place / name)))
    paths = targets(db, warehouse)
    before = contents(place)
    for path in map(str, paths):
        for output in OUTPUTS:
            yield "outputs over a warehouse", problem(*output, path)
        for sql in WRITES:
            for option in ("--wait=60", "--files", "--write"):
                yield "SQL over a warehouse", problem("sql", option, sql.replace("{}", path))
