"""ReFrame's logs and reports of the performance tests of a computing centre.

Sources: the logging chapters of ReFrame's documentation (versions 3 and 4), its MultiFileHandler,
which writes the heading of a log, and its schema of run reports. A test that misses its reference
was measured as any other; one that fails before has no values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ingest.base import Item, LeftOut, Run
from ingest.parsing.dates import date_of, written_date
from ingest.parsing.json_values import checked, field, object_of, text_of
from ingest.parsing.metric_values import Better, Value, direction, rows
from warehouse.errors import InputError

_VALUE = "_value"
# 2019-10-24T17:46:55|reframe 2.20|Stream on daint:gpu using gnu|jobid=1|copy=9.1|ref=...
_OLD = re.compile(
    r"(?P<at>[^|]+)\|(?:reframe )?(?P<version>[\d.]+\S*)\|(?P<test>.+?) on (?P<machine>\S+) "
    r"using (?P<environ>[^|]+?)(?:\|jobid=(?P<job>[^|]*))?(?:\|num_tasks=(?P<tasks>\d*))?"
    r"\|(?P<var>[^|=]+)=(?P<value>[^|]*)"
    r"\|ref=(?P<ref>\S+) \(l=(?P<lower>\S+), u=(?P<upper>\S+)\)(?:\|(?P<unit>.*))?"
)


def log(text: str) -> Iterator[Item]:
    """Yield a run for each line of a performance log, and its values."""
    lines = text.splitlines()
    yield from _old(lines) if _OLD.fullmatch(lines[0].strip()) else _table(lines)


def _table(lines: Sequence[str]) -> Iterator[Item]:
    """Yield the runs and values of lines below a heading."""
    mark = next(one for one in "|,\t;" if one in lines[0])
    names = [name.strip() for name in lines[0].rstrip(mark).split(mark)]
    measured = [name.removesuffix(_VALUE) for name in names if name.endswith(_VALUE)]
    values: list[Value] = []
    number = failed = odd = 0
    for line in filter(str.strip, lines[1:]):
        cells = [cell.strip() for cell in line.split(mark)]
        if len(cells) > len(names) and not any(cells[len(names) :]):
            cells = cells[: len(names)]
        if len(cells) != len(names):
            odd += 1
            continue
        found = dict(zip(names, cells, strict=True))
        own = [
            value
            for name in measured
            if (value := _value(name, {of: found.get(f"{name}_{of}") for of in _PARTS}, number))
        ]
        if not own:
            failed += 1
            continue
        yield _run(str(number), found, written_date(found.get("job_completion_time")))
        values += own
        number += 1
    yield rows(values)
    yield LeftOut(failed, "test", "it failed before it was measured")
    yield LeftOut(odd, "line", "it has another number of fields than the heading")


def _old(lines: Sequence[str]) -> Iterator[Item]:
    """Yield the runs and values of lines that name what they have; those of a job are one run."""
    numbers: dict[tuple[str | None, ...], int] = {}
    values: list[Value] = []
    odd = 0
    for line in filter(str.strip, lines):
        found = _OLD.fullmatch(line.strip())
        if found is None:
            odd += 1
            continue
        key = (*found.group("test", "machine", "environ", "job"), found["job"] or found["at"])
        number = numbers.setdefault(key, len(numbers))
        parts = {
            "value": found["value"], "unit": found["unit"],
            "lower_thres": found["lower"], "upper_thres": found["upper"],
        }  # fmt: skip
        if value := _value(found["var"], parts, number):
            values.append(value)
        facts = {
            "display_name": found["test"], "system": found["machine"], "num_tasks": found["tasks"],
            "environ": found["environ"], "jobid": found["job"], "version": found["version"],
        }  # fmt: skip
        yield _run(str(number), facts, written_date(found["at"]))
    yield rows(values)
    yield LeftOut(odd, "line", "it is no result")


def report(document: Any) -> Iterator[Item]:
    """Yield a run for each test of a run report, and its values."""
    session = object_of(document.get("session_info"))
    values: list[Value] = []
    number = failed = 0
    for run in field(document, "runs", list, "the file"):
        for test in checked(run, dict, "a run", "the file").get("testcases") or ():
            found = {**session, **checked(test, dict, "a test", "the file")}
            own = [value for name, of in _measured(found) if (value := _value(name, of, number))]
            if not own:
                failed += 1
                continue
            seconds = found.get("job_completion_time_unix")
            ended = date_of(seconds * 1e3) if isinstance(seconds, float) else None
            yield _run(str(number), found, ended or written_date(session.get("time_start")))
            values += own
            number += 1
    yield rows(values)
    yield LeftOut(failed, "test", "it has no values")


_PARTS = ("value", "unit", "lower_thres", "upper_thres")


def _measured(test: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the names of what a test measured and the parts of each, of either form."""
    for one in test.get("perfvars") or ():
        found = object_of(one)
        parts = (found.get(of) for of in ("value", "unit", "thres_lower", "thres_upper"))
        yield str(found.get("name")), dict(zip(_PARTS, parts, strict=True))
    if not test.get("perfvars"):
        for name, one in object_of(test.get("perfvalues")).items():
            given = [*checked(one, list, name, "a test"), *[None] * 5]
            of = {"value": given[0], "unit": given[4], "lower_thres": given[2]}
            yield name.rpartition(":")[2], of | {"upper_thres": given[3]}


def _value(name: str, parts: Mapping[str, Any], run: int) -> Value | None:
    """Return a value; None if there is none. A threshold below says that more is better."""
    try:
        value = float(parts["value"])
    except (TypeError, ValueError):
        return None
    unit = text_of(parts.get("unit"))
    low, high = (str(parts.get(of) or "None") != "None" for of in ("lower_thres", "upper_thres"))
    better: Better | None = direction(unit)
    if low != high:
        better = "higher" if low else "lower"
    return Value(name, value, unit, better, run=run)


def _run(key: str, found: Mapping[str, Any], ended: datetime | None) -> Run:
    """Return a run of a test: its application is the test, without its parameters."""
    name = text_of(found.get("display_name")) or text_of(found.get("name"))
    if name is None:
        name = (text_of(found.get("info")) or text_of(found.get("descr")) or "").partition(" on ")[
            0
        ]
    if not name:
        raise InputError("a result has no test", expected="its display_name, name or info")
    test = re.sub(r" /[0-9a-f]+$", "", name)
    system, partition = text_of(found.get("system")), text_of(found.get("partition"))
    is_whole = partition is None or system is None or ":" in system
    tasks = re.fullmatch(r"(\d+)(?:\.0)?", str(found.get("num_tasks")))
    tags = {
        "benchmark": test if " " in test else None,
        "environment": text_of(found.get("environ")) or text_of(found.get("environment")),
        "jobid": text_of(found.get("jobid")),
        "recorder": f"reframe {found.get('version') or ''}".strip(),
    }
    return Run(
        key=key,
        app=test.partition(" ")[0],
        machine=system if is_whole else f"{system}:{partition}",
        started_at=None if ended is None else ended.astimezone(UTC),
        ranks=int(tasks[1]) if tasks and int(tasks[1]) else None,
        tags={tag: text for tag, text in tags.items() if text},
    )
