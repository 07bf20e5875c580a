"""Samples of perf as JSON: perf data convert --to-json NEW.json -i perf.data.

Source: tools/perf/util/data-convert-json.c, and what perf 6.1 writes. The file names neither the
events nor their periods: what lands is the number of samples, of all events together, by thread
and call path, as `perf_script` beside this module has them. perf script prints the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.base import Item, LeftOut, Run
from ingest.parsing.call_paths import frame_name
from ingest.parsing.dates import written_date
from ingest.parsing.json_values import field, texts_of
from ingest.readers.profiles.sampling.commands import BEFORE, object_name, perf_run, program
from ingest.readers.profiles.sampling.stacks import NO_THREAD, Measure, Stacks

_FACTS = {
    **{"hostname": "hostname", "perf version": "perf-version", "cpudesc": "cpu-desc"},
    **{"nrcpus online": "nrcpus-online", "os release": "os-release"},
}


def items(document: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the run and its rows."""
    stacks, measure = Stacks(), Measure("samples", "samples")
    commands: Counter[str] = Counter()
    threads: dict[int, str] = {}
    samples = field(document, "samples", list, "the file")
    found = [(sample, _frames(sample, f"sample {n}")) for n, sample in enumerate(samples)]
    # Without a call graph (-g) the chain is the function alone.
    stacks.flat = all(len(frames) < 2 for _, frames in found)
    system_wide = without = 0
    for number, (sample, frames) in enumerate(found):
        command, thread = _command(sample), _thread(sample, f"sample {number}")
        if command:
            commands[command] += 1
            if threads.get(thread, BEFORE[0]) in BEFORE:
                threads[thread] = command
        system_wide += "cpu" in sample
        if not frames:
            without += 1
            continue
        named = [frame_name(f"command {command}")] if command and not stacks.flat else []
        measure.sums[thread, stacks.path([*named, *frames])] += 1
    yield _run(document, commands, threads, system_wide=system_wide > 0)
    yield from stacks.items([measure])
    yield LeftOut(without, "sample", "without a stack")


def _run(
    document: Mapping[str, Any],
    commands: Mapping[str, int],
    threads: Mapping[int, str],
    *,
    system_wide: bool,
) -> Run:
    facts = document.get("headers")
    facts = facts if isinstance(facts, dict) else {}
    words = facts.get("cmdline")
    line = " ".join(filter(_is_text, words)) if isinstance(words, list) else ""
    app = program(line, commands, threads, system_wide=system_wide)
    stated = {"cmdline": line, **texts_of(facts, _FACTS)}
    # perf takes the local time for UTC
    return perf_run(stated, app, written_date(facts.get("captured-on")))


def _frames(sample: Any, where: str) -> list[str]:
    """Return the functions of a sample, from the root."""
    chain = sample.get("callchain") if isinstance(sample, dict) else None
    if chain == []:
        return []
    return [_function(entry, where) for entry in reversed(field(sample, "callchain", list, where))]


def _function(entry: Any, where: str) -> str:
    if isinstance(entry, dict) and "symbol" in entry:
        return frame_name(field(entry, "symbol", str, where))
    field(entry, "ip", str, where)
    return object_name(field(entry, "dso", str, where) if "dso" in entry else "")


def _command(sample: Mapping[str, Any]) -> str:
    command = sample.get("comm")
    return command if isinstance(command, str) else ""


def _thread(sample: Mapping[str, Any], where: str) -> int:
    """Return the thread; those that had ended, and idle ones, are -1."""
    number = field(sample, "tid", float, where) if "tid" in sample else -1.0
    return int(number) if 0 <= number < 1 << 31 else NO_THREAD


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)
