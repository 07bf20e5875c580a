"""`pwh demo`: a fresh warehouse filled from small recordings, and a tour of what it answers."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import warehouse
from apps.demo.entries import ENTRIES, Entry
from apps.demo.questions import QUESTIONS, Question
from apps.landing import Lander
from apps.output import note, print_data, table_text
from ingest.load import Landed, Options
from ingest.walk import Found, find
from warehouse.errors import InputError, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_WAIT = 60.0
_DEFAULT = Path("pwh.duckdb")
_INTRODUCTION = """
Programs that cool a plate down, recorded with perf, cProfile, Dask, valgrind and more; and the
history of three other programs, generated and tagged so, with a regression planted in it. Each
command below can be typed as it stands; its answer was computed just now.
"""


def tour(db: Path) -> None:
    """Fill the warehouse from pwh's own recordings and print questions with their answers.

    What has landed before is left alone. Raises `UsageError` where the warehouse holds anything
    else, which the tour would mix with its own.
    """
    recordings = [(entry, _found(entry)) for entry in ENTRIES]
    if db.exists():
        _refuse_other_runs(db, [found for _, found in recordings])
    note(_landed(_fill(db, recordings), db))
    pwh = "pwh" if db == _DEFAULT else f"pwh --db {shlex.quote(str(db))}"
    con = warehouse.connect(db, read_only=True, wait=_WAIT, on_wait=note)
    try:
        print_data(_INTRODUCTION)
        for number, question in enumerate(QUESTIONS, 1):
            print_data(_answered(con, number, question, pwh))
    finally:
        con.close()
    print_data(_next(pwh))


def _found(entry: Entry) -> Found:
    found = next(find([entry.path]))
    if found.reader is None:
        raise found.error or InputError("no reader recognises it", path=str(entry.path))
    return found


def _refuse_other_runs(db: Path, recordings: Sequence[Found]) -> None:
    ours = {found.recording().fingerprint() for found in recordings}
    con = warehouse.connect(db, read_only=True, wait=_WAIT, on_wait=note)
    try:
        there = con.execute("SELECT path, sha256 FROM sources ORDER BY path").fetchall()
    finally:
        con.close()
    others = [path for path, sha256 in there if sha256 not in ours]
    if others:
        files = "1 file" if len(others) == 1 else f"{len(others)} files"
        raise UsageError(
            f"{db} holds other runs than the demo's ({files}, such as {others[0]})",
            hint="The demo fills a warehouse of its own: pwh --db demo.duckdb demo",
        )


def _fill(db: Path, recordings: Sequence[tuple[Entry, Found]]) -> list[Landed]:
    with Lander(db, _WAIT, dry_run=False) as lander:
        return [
            lander.land(found, Options(run_id=entry.run_id, facts=entry.facts, tags=entry.tags))
            for entry, found in recordings
        ]


def _landed(landed: Sequence[Landed], db: Path) -> str:
    new = [one for one in landed if not one.known]
    if not new:
        return f"the demo's {len(landed)} recordings are in {db} already"
    rows = sum(sum(one.rows.values()) for one in new)
    runs = len({run for one in new for run in one.runs})
    seconds = sum(one.seconds for one in new)
    return f"landed {len(new)} recordings in {db}: {runs} runs, {rows} rows, {seconds:.1f} s"


def _answered(con: DuckDBPyConnection, number: int, question: Question, pwh: str) -> str:
    """Return one stop of the tour: question, what the answer says, command, answer."""
    relation = con.sql(question.sql)
    rows = relation.fetchall()
    names = relation.columns
    said = question.say([dict(zip(names, row, strict=True)) for row in rows])
    command = f'{pwh} sql "\n{question.sql}"'
    return f"{number}. {question.title}\n   {said}\n\n$ {command}\n\n{table_text(names, rows)}\n"


def _next(pwh: str) -> str:
    steps = (
        (f"{pwh} report heat-1.3", "all that is known of one run"),
        (f"{pwh} explain stencil-1.23", "why it is slower, in words, with the SQL behind each"),
        (f"{pwh} trend stencil", "its history, with the change marked"),
        (f"{pwh} runs", "what was run, when and where"),
        (f"{pwh} schema", "the tables and views there are to ask"),
        ("pwh --db mine.duckdb ingest FILES", "your own traces: pwh readers lists the formats"),
        ("pwh --db mine.duckdb report latest", "what they tell"),
    )
    width = max(len(command) for command, _ in steps)
    lines = [f"  {command:<{width}}  {meaning}" for command, meaning in steps]
    return "\n".join(["What to try next:", "", *lines, "", "The README goes on from here."])
