"""callgrind profiles: basic blocks and edges of CPU threads, and costs of functions.

Source: valgrind 3.19, callgrind/dump.c, and the manual's "Callgrind Format Specification". Recorded
with --dump-instr=yes --collect-jumps=yes --separate-threads=yes there is a file a thread, with
counts of instructions and jumps, from which blocks are derived (`ingest.readers.callgrind.blocks`).
Addresses are those within the object: blocks are numbered by object and address.

Of every profile, also one by source line, `pmu_samples` gets each function's own cost per event
(`Ir` are instructions), and as the event `calls` how often it was called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from ingest.base import Head, Item, Rows, Run
from ingest.parsing.blocks.tables import launch_table
from ingest.readers.callgrind.blocks import Code
from ingest.readers.callgrind.costs import ADDRESS_BITS, Integers
from ingest.readers.callgrind.files import program_files, thread_number
from ingest.readers.callgrind.names import FILE, FUNCTION, OBJECT, Names
from ingest.readers.callgrind.profile import Profile, read_profile
from ingest.recording import Recording
from warehouse.errors import InputError

_START = re.compile(rb"\s*(?:# callgrind format\s|(?:version: \d+\s+)?creator: callgrind-)")
_UNKNOWN = "???"


class Callgrind:
    """Reads profiles of all threads of a program."""

    NAME = "callgrind"
    DESCRIPTION = "callgrind profile: costs of functions; with jumps, blocks and edges of threads"
    PATTERNS = ("callgrind.out.*", "*.callgrind", "*.callgrind-01")
    TABLES = ("bb_launches", "bb_visits", "bb_edges", "bb_blocks", "pmu_samples")
    WHOLE_FOLDER = False

    def sniff(self, head: Head) -> bool:
        """Recognise callgrind's first lines."""
        return _START.match(head.data) is not None

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the files of all threads of the program."""
        return program_files(path)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, its functions' costs, and what its threads visited.

        Raises `InputError` where a file is damaged, not whole, or of another run.
        """
        names = Names()
        profiles = [read_profile(recording, part, names) for part in recording.parts]
        _check(profiles)
        yield _run(profiles)
        functions = names.all(FUNCTION)
        for profile in profiles:
            yield Rows("pmu_samples", _samples(profile, functions))
        if _has_jumps(profiles):
            yield from _block_rows(profiles, names, functions)


def _has_jumps(profiles: Sequence[Profile]) -> bool:
    """Return whether blocks can be derived."""
    header = profiles[0].header
    return (
        "instr" in header.positions
        and "Ir" in header.events
        and any(rows.code.size for profile in profiles for rows in profile.rows)
        and any(flow.kind != b"calls" for profile in profiles for flow in profile.flows)
    )


def _check(profiles: Sequence[Profile]) -> None:
    """Raise `InputError` for files that are not one of each thread of one process."""
    first = profiles[0]
    seen: set[int | None] = set()
    for profile in profiles:
        header, problem = profile.header, None
        named = thread_number(profile.part)
        if header.thread is not None and named is not None and named != header.thread:
            problem = f"the file is that of thread {header.thread}, not {named}"
        elif header.thread in seen:
            problem = f"thread {header.thread} has another file already"
        elif header.pid != first.header.pid or header.command != first.header.command:
            problem = f"the profile is of another process than that of {first.part.name}"
        elif header.events != first.header.events or header.positions != first.header.positions:
            problem = f"events or positions differ from those of {first.part.name}"
        seen.add(header.thread)
        if problem is not None:
            raise InputError(
                problem,
                where=f"{profile.part.name}, line 1",
                expected="the files of one run of callgrind, under the names that it gave them",
                hint="Keep the files of each run in a folder of their own.",
            )


def _run(profiles: Sequence[Profile]) -> Run:
    header = profiles[0].header
    threads = len(profiles) if all(p.header.thread is not None for p in profiles) else None
    tags = {"recorder": header.creator} if header.creator else {}
    return Run(app=header.app, threads=threads, tags=tags)


def _samples(profile: Profile, functions: Sequence[str]) -> pa.Table:
    """Return each function's own cost for every event, and its calls."""
    events = profile.header.events
    sums = np.zeros((len(events) + 1, len(functions)), np.int64)
    for rows in profile.rows:
        for event, costs in zip(sums, rows.costs, strict=False):
            np.add.at(event, rows.function, costs)
    called = [flow for flow in profile.flows if flow.kind == b"calls"]
    np.add.at(sums[-1], [flow.function for flow in called], [flow.taken for flow in called])
    event, function = np.nonzero(sums)
    names = pa.array([*events, "calls"], pa.string())
    thread = profile.header.thread
    return pa.table(
        {
            "thread": pa.array([thread] * event.size, pa.int64()),
            "region": pa.array(functions, pa.string()).take(pa.array(function)),
            "event": names.take(pa.array(event)),
            "value": pa.array(sums[event, function], pa.float64()),
        }
    )


def _block_rows(
    profiles: Sequence[Profile], names: Names, functions: Sequence[str]
) -> Iterator[Rows]:
    code = Code(profiles)
    yield Rows("bb_blocks", _blocks(code, names, functions))
    total = 0
    for profile, thread in zip(profiles, code.threads, strict=True):
        instructions, visits = code.instructions(thread), code.visits(thread)
        total += int(instructions.sum())
        there = np.flatnonzero(instructions)
        columns = {"bb": there, "visits": visits[there], "instructions": instructions[there]}
        yield Rows("bb_visits", _of(profile, columns, "ill"))
        src, dst, count = code.edges(thread)
        yield Rows("bb_edges", _of(profile, {"src": src, "dst": dst, "count": count}, "iil"))
    launch = {"launch": 0, "granularity": "thread", "instructions": total}
    yield Rows("bb_launches", pa.Table.from_pylist([launch]))


def _of(profile: Profile, columns: dict[str, Integers], types: str) -> pa.Table:
    """Return rows of a profile's thread."""
    table = launch_table(0, None, dict(columns), types)
    thread = pa.array([profile.header.thread] * len(table), pa.int64())
    return table.append_column("thread", thread)


def _blocks(code: Code, names: Names, functions: Sequence[str]) -> pa.Table:
    """Return the blocks; where the source is not known, `source_file` is the object."""
    first = code.first
    last = np.append(first[1:], code.code.size) - 1
    files = np.array([*names.all(FILE), *names.all(OBJECT)], np.object_)
    sources = files.size - len(names.all(OBJECT))
    unknown = (files == _UNKNOWN)[code.file[first]]
    source = np.where(unknown, sources + (code.code[first] >> ADDRESS_BITS), code.file[first])
    line = code.line[first]
    address = (1 << ADDRESS_BITS) - 1
    return pa.table(
        {
            "bb": pa.array(np.arange(first.size), pa.int32()),
            "size": pa.array(code.size, pa.int32()),
            "pc_first": pa.array(code.code[first] & address, pa.int64()),
            "pc_last": pa.array(code.code[last] & address, pa.int64()),
            "function": pa.array(functions, pa.string()).take(pa.array(code.function[first])),
            "source_file": pa.array(files[source], pa.string(), mask=files[source] == _UNKNOWN),
            "source_line": pa.array(line, pa.int32(), mask=line == 0),
        }
    )
