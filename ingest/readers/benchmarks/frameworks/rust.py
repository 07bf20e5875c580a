"""Output of benchmarks of Rust: Criterion's estimates, and lines of libtest.

Sources: the user guide of Criterion.rs, "Command-Line Output"; libtest's formatter in the Rust
repository. Criterion prints the bounds of an interval with the estimate between them; the estimate
lands. What it says of changes since the last time is left alone, as is the range of libtest (+/-),
which is no deviation. Neither prints a name twice: where one is repeated, another run begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.base import Item, Run
from ingest.parsing.json_values import field, parse
from ingest.parsing.lines import numbered_lines
from ingest.parsing.metric_values import Value, rows
from ingest.parsing.units import SECONDS
from ingest.recording import Recording

_NUMBER = r"([\d.]+(?:e[-+]?\d+)?) (\S+)"
_TIME = re.compile(rf"(.*?)\s*\btime:\s+\[{_NUMBER} {_NUMBER} {_NUMBER}\]\s*")
_RATE = re.compile(rf"\s+thrpt:\s+\[{_NUMBER} {_NUMBER} {_NUMBER}\]\s*")
_LIBTEST = re.compile(
    r"test (\S.*?)\s+\.\.\. bench:\s+([\d,.]+) ns/iter \(\+/- [\d,.]+\)(?: = ([\d,.]+) (\S+))?\s*"
)
_JSON = re.compile(r'\{ *"type": *"bench", .*"median": .*\}\s*')
_RESULT = re.compile(
    r"test result: .*(?: filtered out| finished in [\d.]+s)\s*|\s+(?:Performance has|No change in|"
    r"Change within) .*\.\s*|Found \d+ outliers .*\)\s*|\s+\d+ \([\d.]+%\) (?:high|low) \w+\s*"
)


def items(recording: Recording) -> Iterator[Item]:
    """Yield the runs and values, in seconds and in Criterion's units of throughput."""
    values: list[Value] = []
    seen: set[str] = set()
    run = 0
    for value in _values(recording):
        if value.metric in seen:
            seen.clear()
            run += 1
        seen.add(value.metric)
        values.append(value._replace(run=run))
    for number in range(run + 1):
        yield Run(key=str(number) if run else None)
    yield rows(values)


def _values(recording: Recording) -> Iterator[Value]:
    before = name = ""
    for number, line in numbered_lines(recording, must_end=_is_whole):
        if (found := _TIME.fullmatch(line)) and (scale := SECONDS.get(found[5])):
            # A name too long for its column has the line above.
            name = found[1].strip() or before
            yield Value(name, float(found[4]) * scale, "s", "lower")
        elif (found := _RATE.fullmatch(line)) and name:
            yield Value(f"{name} throughput", float(found[3]), found[4], "higher")
        elif found := _LIBTEST.fullmatch(line):
            yield Value(found[1], _plain(found[2]) * 1e-9, "s", "lower")
            if found[4]:
                yield Value(f"{found[1]} throughput", _plain(found[3]), found[4], "higher")
        elif _JSON.fullmatch(line):
            yield from _of_json(line, number)
        before = line.strip()


def _is_whole(line: str) -> bool:
    # A unit may have lost letters.
    is_closed = line.rstrip().endswith((")", "]", "}", "MB/s"))
    forms = (_TIME, _RATE, _LIBTEST, _JSON)
    return _RESULT.fullmatch(line) is not None or (
        is_closed and any(form.fullmatch(line) for form in forms)
    )


def _of_json(line: str, number: int) -> Iterator[Value]:
    """Yield the values of a line that libtest writes with --format json: MB/s are 10^6 bytes."""
    where = f"line {number}"
    result = parse(line, number)
    name = field(result, "name", str, where)
    yield Value(name, field(result, "median", float, where) * 1e-9, "s", "lower")
    if "mib_per_second" in result:
        rate = field(result, "mib_per_second", float, where)
        yield Value(f"{name} throughput", rate, "MB/s", "higher")


def _plain(number: str) -> float:
    return float(number.replace(",", ""))
