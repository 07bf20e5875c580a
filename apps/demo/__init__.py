"""`pwh demo`: a new warehouse filled from small recordings, and a tour of its answers."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import warehouse
from apps.demo.entries import ENTRIES, SUNWAY, SUNWAY_MODEL, Entry
from apps.demo.questions import QUESTIONS, SUNWAY_QUESTION, Question
from apps.landing import Lander
from apps.output.numbers import counted
from apps.output.progress import watched
from apps.output.streams import note, print_data
from apps.output.tables import table_text
from ingest.parsed import Options
from ingest.walk import Found, find
from ingest.writer import Landed
from warehouse.address import Address
from warehouse.errors import InputError, UsageError, WarehouseMissing
from warehouse.session import Connection

_WAIT = 60.0
_DEFAULT = Path("pwh.duckdb")
_PICTURE = Path("sunway.svg")
_INTRODUCTION = """
Programs that simulate a cooling plate, recorded with perf, cProfile, Dask, valgrind and more; and
the generated history (tag generated=true) of three other programs and a suite of benchmarks, which
contains regressions.
Each command below can be copied to a shell; its answer was computed just now.
"""
_SUNWAY_INTRODUCTION = """
Counters of four programs on a Sunway TaihuLight: GENERATED, as is what the model learned from,
after the publication of its metrics (Feng, Liu and He 2018). For a machine of yours:
pwh fit bottlenecks.
"""


def tour(db: Address) -> None:
    """Fill the warehouse from pwh's own recordings and print questions with their answers.

    Recordings that landed before are skipped. Raises `UsageError` where the warehouse contains
    other runs, which the tour would mix with its own.
    """
    _land_all(db, ENTRIES)
    pwh = _call_of(db)
    with warehouse.connect(db, read_only=True, wait=_WAIT, on_wait=note) as con:
        print_data(_INTRODUCTION)
        for number, question in enumerate(QUESTIONS, 1):
            print_data(_stop(con, number, question, pwh))
    print_data(_next_steps(pwh))


def sunway_tour(db: Address) -> None:
    """Fill the warehouse with generated counters of a Sunway; print classes, draw the metrics.

    Raises `UsageError` where the warehouse contains other runs.
    """
    from apps.queries.base import ask_column
    from apps.reports.pictures import save_picture
    from apps.reports.star_glyphs import read_stars, stars_svg
    from ingest.analyse import analyse_all
    from warehouse import models
    from warehouse.transactions import transaction

    _land_all(db, (SUNWAY,))
    with warehouse.connect(db, wait=_WAIT, on_wait=note) as con:
        if models.in_force(con, "bottlenecks", "sunway") is None:
            with transaction(con):
                models.land(con, SUNWAY_MODEL, shipped=False)
            analyse_all(con)
        print_data(_SUNWAY_INTRODUCTION)
        print_data(_stop(con, 1, SUNWAY_QUESTION, _call_of(db)))
        runs = ask_column(con, "bottlenecks/counted_runs")
        _, stars = read_stars(con, runs, "run")
    save_picture(_PICTURE, stars_svg(stars, "Generated runs of a Sunway").encode())
    print_data(f"{_PICTURE}: a star for each run, a ray for each metric")


def _call_of(db: Address) -> str:
    return "pwh" if db == _DEFAULT else f"pwh --db {shlex.quote(str(db))}"


def _land_all(db: Address, entries: Sequence[Entry]) -> None:
    recordings = [(entry, _found(entry)) for entry in entries]
    with suppress(WarehouseMissing):
        _check_other_runs(db, [found for _, found in recordings])
    note(_landed(_fill(db, recordings), db))


def _found(entry: Entry) -> Found:
    found = next(find([entry.path]))
    if found.reader is None:
        raise found.error or InputError("no reader recognises it", path=str(entry.path))
    return found


def _check_other_runs(db: Address, recordings: Sequence[Found]) -> None:
    ours = {found.recording().fingerprint() for found in recordings}
    with warehouse.connect(db, read_only=True, wait=_WAIT, on_wait=note) as con:
        landed = con.execute("SELECT path, sha256 FROM sources ORDER BY path").fetchall()
    others = [path for path, sha256 in landed if sha256 not in ours]
    if others:
        raise UsageError(
            f"{db} contains other runs than the demo's "
            f"({counted(len(others), 'file')}, such as {others[0]})",
            hint="The demo fills a warehouse of its own: pwh --db demo.duckdb demo",
        )


def _fill(db: Address, recordings: Sequence[tuple[Entry, Found]]) -> list[Landed]:
    items = (
        (found, Options(run_id=entry.run_id, facts=entry.facts, tags=entry.tags))
        for entry, found in recordings
    )
    filled = []
    with Lander(db, _WAIT, dry_run=False) as lander:
        done = enumerate(lander.land_all(items), 1)
        steps = ((number / len(recordings), landed) for number, (_, landed) in done)
        for landed in watched(steps, "landing"):
            if isinstance(landed, InputError):
                raise landed
            filled.append(landed)
    return filled


def _landed(landed: Sequence[Landed], db: Address) -> str:
    new = [one for one in landed if not one.known]
    if not new:
        return f"the demo's {len(landed)} recordings are in {db} already"
    rows = sum(sum(one.rows.values()) for one in new)
    runs = len({run for one in new for run in one.runs})
    seconds = sum(one.seconds for one in new)
    recordings = counted(len(new), "recording")
    return (
        f"landed {recordings} in {db}: {counted(runs, 'run')}, {counted(rows, 'row')}, "
        f"{seconds:.1f} s"
    )


def _stop(con: Connection, number: int, question: Question, pwh: str) -> str:
    """Return one stop of the tour: question, summary, command, answer."""
    relation = con.sql(question.sql)
    rows = relation.fetchall()
    names = relation.columns
    summary = question.summarise([dict(zip(names, row, strict=True)) for row in rows])
    command = f'{pwh} sql "\n{question.sql}"'
    table = table_text(names, rows, exact=True)
    return f"{number}. {question.title}\n   {summary}\n\n$ {command}\n\n{table}\n"


def _next_steps(pwh: str) -> str:
    steps = (
        (f"{pwh} report heat-1.3", "the report of one run"),
        (f"{pwh} explain stencil-1.23", "why it is slower, the cause first"),
        (f"{pwh} trend stencil", "its history, with the change marked"),
        (f"{pwh} runs", "all runs, with date and machine"),
        (f"{pwh} schema", "tables, views and functions"),
        ("pwh --db sunway.duckdb demo --sunway", "bottlenecks of another machine, with pictures"),
        ("pwh --db mine.duckdb ingest FILES", "your own traces: pwh readers lists the formats"),
        ("pwh --db mine.duckdb report latest", "the report on them"),
    )
    width = max(len(command) for command, _ in steps)
    lines = [f"  {command:<{width}}  {meaning}" for command, meaning in steps]
    return "\n".join(["What to try next:", "", *lines, "", "The README continues from here."])
