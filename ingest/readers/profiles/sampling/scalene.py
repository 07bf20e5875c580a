"""Scalene's JSON: shares of the elapsed time by line, of which functions are made.

Source: scalene_json.py of Scalene, files of 2.4. A line has shares of the time in Python, in
native code, and in the system, where waiting is, too; they add up to all of the time. The shares
that the file has for functions are those of some of their lines only (half of them, for a loop of
two lines): lines are added up by the function that they are in, or <module>. Callers are unknown.
Memory and GPU time are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from ingest.base import Item, LeftOut, Rows, Run
from ingest.parsing.json_values import checked, field
from ingest.readers.profiles.sampling.stacks import check_weight, located
from warehouse.errors import InputError

_SHARES = ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent")
_IN_MODULE = 0  # the first line of the function that a line is in, where it is in none


def items(document: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the run and the time of its functions, without what they call."""
    elapsed = check_weight(field(document, "elapsed_time_sec", float, "the file"), "the file")
    folder = document.get("entrypoint_dir")
    seconds: dict[str, float] = {}
    memory = 0
    for path, file in field(document, "files", dict, "the file").items():
        label = path.removeprefix(f"{folder}/") if isinstance(folder, str) else path
        names = {
            field(one, "lineno", float, path): field(one, "line", str, path)
            for one in checked(file, dict, "a file", path).get("functions") or ()
        }
        for line in field(file, "lines", list, path):
            where = f"{path}, line {field(line, 'lineno', float, path):g}"
            shares = [check_weight(field(line, one, float, where), where) for one in _SHARES]
            memory += line.get("n_malloc_mb", 0.0) > 0
            if not any(shares):
                continue
            first = field(line, "start_function_line", float, where)
            name = names.get(first, "<module>" if first == _IN_MODULE else f"<line {first:g}>")
            function = located(name, label)
            seconds[function] = seconds.get(function, 0.0) + sum(shares) / 100 * elapsed
    if not seconds:
        raise InputError("no line has a time", expected="a program that ran for some time")
    program, started = document.get("program"), document.get("start_time_absolute")
    yield Run(
        app=program.rsplit("/", 1)[-1] if isinstance(program, str) and program else None,
        wall_seconds=elapsed,
        started_at=datetime.fromtimestamp(started, UTC)
        if isinstance(started, float) and 0 < started < 1e10
        else None,
        tags={"recorder": "scalene"},
    )
    yield Rows.of_records("fn_timings", ("function", "seconds"), list(seconds.items()))
    yield LeftOut(memory, "line's memory", "times land", "lines' memory")
