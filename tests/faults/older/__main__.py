"""Make a warehouse as an earlier pwh made it: python -m tests.faults.older COMMIT.

The pwh of that commit lands the samples of that commit, and what it computed counts as outdated.
The file is written next to this one, named by the last migration that the commit had. It needs an
environment that can run that pwh.
"""

from __future__ import annotations

import argparse
import lzma
import os
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

import duckdb

# As if another pwh had made views, scalars and answers.
_OUTDATED = """
    UPDATE view_modules SET sha256 = '';
    UPDATE kept_runs SET revision = '';
    UPDATE analyses SET revision = '';
"""
_PWH = "from apps.cli import main; main()"


def main() -> None:
    """Write the warehouse of a commit, compressed."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.older", description=__doc__)
    parser.add_argument("commit")
    commit = parser.parse_args().commit
    packed = subprocess.run(["git", "archive", commit], stdout=subprocess.PIPE, check=True).stdout
    with tempfile.TemporaryDirectory(prefix="pwh-older-") as name:
        tree, db = Path(name, "tree"), Path(name, "w.duckdb")
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            archive.extractall(tree, filter="data")
        command = [sys.executable, "-c", _PWH, "--db", str(db)]
        subprocess.run(
            [*command, "ingest", "--keep-going", "tests/samples"],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree)},
            check=True,
        )
        with duckdb.connect(db) as con:
            con.execute(_OUTDATED)
        last = max(path.stem for path in (tree / "sql" / "migrations").glob("*.sql"))
        path = Path(__file__).with_name(f"{last}.duckdb.xz")
        path.write_bytes(lzma.compress(db.read_bytes(), preset=9))
        print(path, path.stat().st_size)


if __name__ == "__main__":
    main()
