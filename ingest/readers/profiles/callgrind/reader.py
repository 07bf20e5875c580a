"""callgrind profiles: costs of functions; basic blocks and edges of CPU threads.

Source: the manual of valgrind, "Callgrind Format Specification", and what valgrind 3.19 writes.
Others write the format too: Xdebug, lsprofcalltree and pyprof2calltree, pprof; and cachegrind a
part of it. What lands in pmu_samples, per thread, function and event (`Ir` are instructions):

- `value`, the function's own cost, and `inclusive`, its cost with callees
  (`ingest.readers.profiles.callgrind.call_graph`); as the event `calls` how often it was called.
  google-pprof, which samples, states the samples of a call as its number: that is left out.
- `region` is the function, levels of recursion (fib'2) added up, or with --separate-callers the
  call path as far as it is known. A name without symbols is an address, with its object.
- `sample` numbers the parts of a program that dumped its costs more than once.

Recorded with --dump-instr=yes --collect-jumps=yes a profile has counts of instructions and jumps,
from which blocks are derived (`blocks` beside this module). Addresses are those within the object:
blocks are numbered by object and address.

Which files of a folder are those of one program.

callgrind writes FILE; with threads kept apart FILE-01, FILE-02 ...; of a program that dumps more
than once FILE.1, FILE.2 ..., and FILE at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from ingest.base import Head, Item, LeftOut, Rows, Run
from ingest.compressed import bare_name
from ingest.readers.profiles.callgrind.blocks import Code
from ingest.readers.profiles.callgrind.call_graph import Calls, inclusive
from ingest.readers.profiles.callgrind.costs import ADDRESS_BITS
from ingest.readers.profiles.callgrind.names import FILE, OBJECT, Function, Names
from ingest.readers.profiles.callgrind.profile import Profile, read_profiles
from ingest.recording import Recording, read_head
from udfs.arrays import Integers
from warehouse.errors import InputError

_TITLE = re.compile(rb"\s*(?:# callgrind format\s|(?:version: \d+\s+)?creator: callgrind-)")
_HEADER = rb"(?:[a-z]+:[^\n]*\n|#[^\n]*\n|\s*\n)*+"
_OTHERS = re.compile(rb"(?=" + _HEADER + rb"(?:ob|fl|fi|fn)=)(?s:.)*?^events: *\S", re.MULTILINE)
_UNIT = re.compile(r"(.+?)_?\((\d*)([^()]+)\)")
_UNKNOWN = "???"
_THREAD = re.compile(r"(.+)-(\d{2,9})")
_PART = re.compile(r"(.+)\.(\d{1,9})")
_STATED = re.compile(rb"^(pid|part): *(\d+)\s*$", re.MULTILINE)


class Callgrind:
    """Reads profiles of all threads of a program."""

    NAME = "callgrind"
    DESCRIPTION = "callgrind profile: costs of functions; with jumps, blocks and edges of threads"
    PATTERNS = ("callgrind.out.*", "*.callgrind", "*.callgrind-01")
    TABLES = ("bb_launches", "bb_visits", "bb_edges", "bb_blocks", "pmu_samples")
    WHOLE_FOLDER = False

    def sniff(self, head: Head) -> bool:
        """Recognise callgrind's first lines, or a header with events above functions."""
        return (_TITLE.match(head.data) or _OTHERS.match(head.data)) is not None

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the files of all threads and parts of the program."""
        return program_files(path)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, its functions' costs, and what its threads visited.

        Raises `InputError` where a file is damaged, not whole, empty, or of another run.
        """
        names = Names()
        profiles = [
            profile for part in recording.parts for profile in read_profiles(recording, part, names)
        ]
        _check(profiles)
        yield _run(profiles)
        functions = names.functions(contexts=profiles[0].header.by_valgrind)
        regions = sorted({function.region for function in functions})
        number = {region: number for number, region in enumerate(regions)}
        region = np.array([number[function.region] for function in functions], np.int64)
        same = _defined(profiles, functions)
        several = len({profile.header.part for profile in profiles}) > 1
        counted = any(profile.calls for profile in profiles)
        sampled = _calls_that_are_samples(profiles)
        for profile in profiles:
            own, whole, called = _sums(profile, functions, same, region, len(regions))
            called = np.zeros_like(called) if sampled else called
            # A profile without any calls does not show what functions cost with their callees.
            whole = whole if counted else np.full_like(whole, np.nan)
            yield _samples(profile, regions, own, whole, called, several)
        yield from _left_out(profiles)
        yield LeftOut(sampled, "number of calls", "it is that of samples", "numbers of calls")
        if _has_jumps(profiles):
            named = [function.region for function in functions]
            yield from _block_rows(_by_thread(profiles), names, named)


def _calls_that_are_samples(profiles: Sequence[Profile]) -> int:
    """Return how many calls state their samples as their number, as google-pprof does; all or 0."""
    calls = [one for profile in profiles for one in profile.calls]
    same = all(len(one.costs) == 1 and np.array_equal(one.times, one.costs[0]) for one in calls)
    return sum(one.times.size for one in calls) if same else 0


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
    """Raise `InputError` for files that are not one of each thread of one process, or empty."""
    first = profiles[0]
    seen: set[tuple[int | None, int | None]] = set()
    for profile in profiles:
        header, problem = profile.header, None
        named = thread_number(profile.path)
        if header.thread is not None and named is not None and named != header.thread:
            problem = f"the file is that of thread {header.thread}, not {named}"
        elif (header.thread, header.part) in seen:
            problem = f"thread {header.thread} has another file already"
        elif header.pid != first.header.pid or header.command != first.header.command:
            problem = f"the profile is of another process than that of {first.path.name}"
        elif header.events != first.header.events or header.positions != first.header.positions:
            problem = f"events or positions differ from those of {first.path.name}"
        seen.add((header.thread, header.part))
        if problem is not None:
            raise InputError(
                problem,
                where=f"{profile.path.name}, line 1",
                expected="the files of one run of callgrind, under the names that it gave them",
                hint="Keep the files of each run in a folder of their own.",
            )
    if not any(rows.costs.any() for profile in profiles for rows in profile.rows):
        raise InputError(
            "the profile is empty: nothing was counted",
            expected="cost lines: 16 400",
            hint="Was collection ever switched on (--instr-atstart, --toggle-collect)?",
        )


def _run(profiles: Sequence[Profile]) -> Run:
    header = profiles[0].header
    known = {profile.header.thread for profile in profiles}
    tags = {"recorder": header.creator} if header.creator else {}
    return Run(app=header.app, threads=None if None in known else len(known), tags=tags)


def _left_out(profiles: Sequence[Profile]) -> Iterator[LeftOut]:
    """Yield what lines and parts lack of what the profile states."""
    for event, name in enumerate(profiles[0].header.events):
        stated = sum(profile.total[event] for profile in profiles)
        found = sum(int(rows.costs[event].sum()) for profile in profiles for rows in profile.rows)
        more = "of the summary that are not in" if stated > found else "beyond the summary in"
        yield LeftOut(abs(stated - found), name, f"{more} the lines of the profile", name)
    for name in profiles[0].header.means:
        yield LeftOut(1, f"event {name}", "an average: those of lines do not add up")
    parts = {profile.header.part for profile in profiles if profile.header.part is not None}
    missing = max(parts, default=0) - len(parts)
    yield LeftOut(missing, "part", "dumped before these, not in the folder")


def _defined(profiles: Sequence[Profile], functions: Sequence[Function]) -> Integers:
    """Return for each function itself, or the one that a call without file or object means.

    Some writers name called functions with less than the functions themselves: such a call is of
    the only function of that name.
    """
    own = np.arange(len(functions))
    found = [rows.function for profile in profiles for rows in profile.rows]
    found += [calls.caller for profile in profiles for calls in profile.calls]
    with_lines = np.unique(np.concatenate(found)) if found else own[:0]
    names = np.array([function.name for function in functions], np.int64)
    alone, at, times = np.unique(names[with_lines], return_index=True, return_counts=True)
    only = dict(zip(alone[times == 1].tolist(), with_lines[at[times == 1]].tolist(), strict=True))
    for function in np.setdiff1d(own, with_lines).tolist():
        own[function] = only.get(int(names[function]), function)
    return own


def _sums(
    profile: Profile,
    functions: Sequence[Function],
    same: Integers,
    region: Integers,
    regions: int,
) -> tuple[Integers, np.ndarray[tuple[int, ...], np.dtype[np.float64]], Integers]:
    """Return own costs and those with callees (events, regions), and calls of regions."""
    events = len(profile.header.events)
    own = np.zeros((events, len(functions)), np.int64)
    for rows in profile.rows:
        for event, costs in zip(own, rows.costs, strict=True):
            np.add.at(event, rows.function, costs)
    none = np.zeros(0, np.int64)
    calls = Calls(
        np.concatenate([none, *(one.caller for one in profile.calls)]),
        same[np.concatenate([none, *(one.callee for one in profile.calls)])],
        np.concatenate([none, *(one.times for one in profile.calls)]),
        np.concatenate([np.zeros((events, 0), np.int64), *(c.costs for c in profile.calls)], 1),
    )
    level = np.array([function.level for function in functions], np.int64)
    called = np.zeros(regions, np.int64)
    np.add.at(called, region[calls.callee], calls.times)
    exclusive = np.zeros((events, regions), np.int64)
    for sums, costs in zip(exclusive, own, strict=True):
        np.add.at(sums, region, costs)
    return exclusive, inclusive(own, calls, level, region), called


def _samples(
    profile: Profile,
    regions: Sequence[str],
    own: Integers,
    whole: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    called: Integers,
    several: bool,
) -> Rows:
    """Return each function's cost for every event, and its calls."""
    events = [*map(_event, profile.header.events), ("calls", 1, None)]
    if profile.header.by_yappi:
        events = [(name, 1, None if name == "calls" else "us") for name, *_ in events]
    names, factors, units = zip(*events, strict=True)
    factor = np.array(factors, np.float64)[:, np.newaxis]
    values = np.vstack((own, called)) * factor
    whole = np.vstack((whole, np.full(len(regions), np.nan))) * factor
    event, region = np.nonzero((values != 0) | (np.nan_to_num(whole) != 0))
    header = profile.header
    is_sum = ~np.isin([*header.events, "calls"], header.means)[event]
    event, region = event[is_sum], region[is_sum]
    sample = header.part - 1 if several and header.part is not None else None
    return Rows.of_columns(
        "pmu_samples",
        thread=header.thread,
        region=pa.array(regions, pa.string()).take(pa.array(region)),
        sample=sample,
        event=pa.array(names, pa.string()).take(pa.array(event)),
        unit=pa.array(units, pa.string()).take(pa.array(event)),
        value=values[event, region],
        inclusive=pa.array(whole[event, region], from_pandas=True),
    )


def _event(name: str) -> tuple[str, int, str | None]:
    """Return an event, what its costs are multiplied by, and their unit.

    Xdebug and pprof write the unit into the name: Time_(10ns), cpu(nanoseconds).
    """
    found = _UNIT.fullmatch(name)
    return (found[1], int(found[2] or 1), found[3]) if found else (name, 1, None)


def _by_thread(profiles: Sequence[Profile]) -> list[Profile]:
    """Return one profile a thread, that of all its parts."""
    merged: dict[int | None, Profile] = {}
    for profile in profiles:
        one = merged.setdefault(profile.header.thread, Profile(profile.header, profile.path))
        one.rows += profile.rows
        one.flows += profile.flows
    return list(merged.values())


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
        place = {"launch": 0, "thread": profile.header.thread}
        yield Rows.of_columns(
            "bb_visits",
            **place,
            bb=there,
            visits=visits[there],
            instructions=instructions[there],
        )
        src, dst, count = code.edges(thread)
        yield Rows.of_columns("bb_edges", **place, src=src, dst=dst, count=count)
    launch = {"launch": 0, "granularity": "thread", "instructions": total}
    yield Rows("bb_launches", pa.Table.from_pylist([launch]))


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


def thread_number(path: Path) -> int | None:
    """Return the thread in a file's name."""
    found = _THREAD.fullmatch(bare_name(path))
    return int(found[2]) if found else None


def program_files(path: Path) -> tuple[Path, ...]:
    """Return the files of all threads and parts of the program that `path` belongs to, in order."""
    own, own_part, own_thread = _place(path)
    own_pid = _stated(path).get("pid")
    # Another file of the same place is a copy that is compressed otherwise: a recording of its own.
    found: dict[tuple[float, int], Path] = {(own_part, own_thread or 0): path}
    for entry in sorted(other.name for other in path.parent.iterdir()):
        other = path.parent / entry
        if not entry.startswith(own) or not other.is_file():
            continue
        name, part, thread = _place(other)
        if name != own or (thread is None) != (own_thread is None):
            continue
        # Files of other processes are told from parts by what they state.
        if part != own_part and (own_pid is None or _stated(other).get("pid") != own_pid):
            continue
        found.setdefault((part, thread or 0), other)
    return tuple(found[key] for key in sorted(found))


def _place(path: Path) -> tuple[str, float, int | None]:
    """Return the name of the program's files, part (inf: the last one) and thread of a file.

    A number at the end is that of the part only where the file states it: callgrind.out.17 is
    that of process 17.
    """
    name, thread = bare_name(path), thread_number(path)
    if thread is not None:
        name = name[: name.rindex("-")]
    found = _PART.fullmatch(name)
    if found and _stated(path).get("part") == int(found[2]):
        return found[1], int(found[2]), thread
    return name, float("inf"), thread


def _stated(path: Path) -> dict[str, int]:
    """Return pid and part as the first header of a file states them."""
    try:
        head = read_head(path)
    except (InputError, OSError):
        return {}
    return {key.decode(): int(number) for key, number in reversed(_STATED.findall(head[:4096]))}
