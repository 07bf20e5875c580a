"""Counters of PAPI's high-level interface: papi_hl_output/rank_000000.json, one file a rank.

Source: PAPI's documentation (PAPI-HL) and white paper on the high-level API. Two forms are known:
PAPI 6 has lists of threads and regions (`"regions": [{"NAME": {...}}]`), PAPI 7 maps from their
numbers (`"regions": {"0": {"name": NAME, "parent_region_id": "-1", ...}}`). What lands in
pmu_samples, one row per rank, thread, region and event:

- `rank` from the file's name, `thread` as PAPI numbers it, `region` the marked section's name.
- A region that is entered again within other regions (PAPI 7) is samples 0, 1, 2 ...
- `real_cycles` (PAPI's `cycles`) and `real_time_nsec` are events: both are time by the clock, the
  first in ticks of the time-stamp counter, which go on while a thread sleeps, and not the cycles of
  the core. `region_count` is one too.
- Where PAPI gives total, min, median and max (several entries), `value` is the total.
- Values of PAPI_hl_read within a region are left out: the region's own value contains them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from ingest.base import Head, Item, Run
from ingest.compressed import bare_name
from ingest.parsing.counter_table import Sample, batches, number
from ingest.parsing.lines import quoted, whole_text
from ingest.recording import Recording
from warehouse.errors import InputError

_FILE = re.compile(r"rank_(\d{1,9})\.json")
_HEAD = re.compile(rb'"(?:papi_version|event_definitions|cpu_info)"\s*:')
_REGIONS = re.compile(rb'"threads"\s*:')
_FACTS = {"papi_version": "papi_version", "cpu_info": "cpu"}
_NOT_EVENTS = ("name", "parent_region_id")
_EVENTS = {"cycles": "real_cycles"}


class Papi:
    """Counters of regions that PAPI's high-level interface recorded."""

    NAME = "papi"
    DESCRIPTION = "counters of PAPI's high-level interface (JSON), all ranks of a run"
    PATTERNS = ("papi_hl_output/rank_000000.json",)
    TABLES = ("pmu_samples",)
    WHOLE_FOLDER = False

    def sniff(self, head: Head) -> bool:
        """Recognise PAPI's keys."""
        named = _FILE.fullmatch(head.name) is not None
        keys = _HEAD.search(head.data) is not None
        return (
            head.data.lstrip()[:1] == b"{"
            and keys
            and (named or _REGIONS.search(head.data) is not None)
        )

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the files of all ranks in the folder, by rank."""
        if _FILE.fullmatch(bare_name(path)) is None:
            return (path,)
        ranks = [
            (int(found[1]), other.name, other)
            for other in path.parent.iterdir()
            if (found := _FILE.fullmatch(bare_name(other))) and other.is_file()
        ]
        return tuple(other for _, _, other in sorted(ranks)) or (path,)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its counters, file by file."""
        yield Run()
        ranks, landed, most = 0, 0, 0
        tags: dict[str, str] = {}
        for part in recording.parts:
            name = bare_name(part)
            found = _FILE.fullmatch(name)
            where = f"file {name}" if len(recording.parts) > 1 else "the file"
            rank = int(found[1]) if found else None
            content = _content(whole_text(recording, part, strict=True), where)
            threads = _threads(content, where)
            ranks, most = ranks + 1, max(most, len(threads))
            tags |= {_FACTS[k]: str(v) for k, v in content.items() if k in _FACTS}
            samples = chain.from_iterable(
                _samples(rank, thread, regions, where) for thread, regions in threads
            )
            for batch in batches(samples):
                landed += batch.batch.num_rows
                yield batch
        if not landed:
            raise InputError("there are no counters", expected="a region with at least one event")
        yield Run(ranks=ranks, threads=most, tags=tags)


def _content(text: str, where: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise InputError(
            "this is no JSON that PAPI wrote",
            where=f"{where}, line {line}" if line else where,
            expected="an object with threads and their regions",
            hint="PAPI writes the file when the program ends; was it killed?",
        ) from None
    if not isinstance(content, dict) or "threads" not in content:
        raise _shape(where, "threads")
    return content


def _threads(content: dict[str, Any], where: str) -> list[tuple[int, list[tuple[str, Any]]]]:
    """Return (thread, [(region, its values)]) of either form."""
    found = []
    for number_, thread in _numbered(content["threads"], where):
        if not isinstance(thread, dict) or "regions" not in thread:
            raise _shape(f"{where}, thread {number_}", "regions")
        at = f"{where}, thread {number_}"
        found.append((number_, list(_regions(thread["regions"], at))))
    return found


def _numbered(threads: Any, where: str) -> Iterator[tuple[int, Any]]:
    pairs = (
        [(thread.get("id") if isinstance(thread, dict) else None, thread) for thread in threads]
        if isinstance(threads, list)
        else list(threads.items())
        if isinstance(threads, dict)
        else [(None, None)]
    )
    for name, thread in pairs:
        if not re.fullmatch(r"\d{1,18}", str(name)):
            raise _shape(where, "the thread's number")
        yield int(str(name)), thread


def _regions(regions: Any, where: str) -> Iterator[tuple[str, Any]]:
    if isinstance(regions, dict):
        for region in regions.values():
            if not isinstance(region, dict) or not isinstance(region.get("name"), str):
                raise _shape(where, "the region's name")
            yield region["name"], {k: v for k, v in region.items() if k not in _NOT_EVENTS}
        return
    if not isinstance(regions, list) or not all(isinstance(region, dict) for region in regions):
        raise _shape(where, "regions")
    for region in regions:
        yield from region.items()


def _samples(
    rank: int | None, thread: int, regions: list[tuple[str, Any]], where: str
) -> Iterator[Sample]:
    seen: Counter[str] = Counter()
    for region, values in regions:
        at = f"{where}, region {quoted(region)}"
        if not isinstance(values, dict):
            raise _shape(at, "its events")
        length = values.get("real_time_nsec")
        nanoseconds = None if length is None else _value(length, "real_time_nsec", at)
        for event, found in values.items():
            yield {
                "rank": rank,
                "thread": thread,
                "region": region,
                "sample": seen[region],
                "event": _EVENTS.get(event, event),
                "value": _value(found, event, at),
                "seconds": None if nanoseconds is None else nanoseconds / 1e9,
            }
        seen[region] += 1


def _value(found: Any, event: str, where: str) -> float | None:
    """Read a value: plain, or with its spread over entries, or with values read on the way."""
    if isinstance(found, dict):
        found = found.get("total", found.get("region_value", found.get("region")))
        if found is None:
            raise _shape(where, f"a total of {event}")
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        raise _shape(where, f"a number for {event}")
    return number(str(found), where, event)


def _shape(where: str, what: str) -> InputError:
    return InputError(
        f"{what} is missing or not as PAPI writes it",
        where=where,
        expected="PAPI's high-level output: threads, regions, events",
    )
