"""Basic-block vectors of CPU programs: valgrind's exp-bbv and other writers of SimPoint's format.

Sources: valgrind 3.19, exp-bbv/bbv_main.c (one file a thread: FILE, FILE.2, FILE.3 ...; addresses
and functions in the file of --pc-out-file); gem5, src/cpu/simple/probes/simpoint.cc (simpoint.bb).
A line is one interval, `T:2535:3   :2536:6   `: pairs of block and executed instructions.

Which files of a folder are those of one program: a file per thread, and the list of blocks.

valgrind writes the first thread to the file named by --bb-out-file (bb.out.PID by default) and
thread K to that name with `.K` behind it; the list of blocks has a name of its own (pc.out.PID).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from ingest.base import Head, Item, Rows, Run
from ingest.compressed import bare_name, sibling
from ingest.parsing.lines import chunks
from ingest.recording import Recording, read_head
from udfs.arrays import Integers
from warehouse.errors import InputError

_START = re.compile(rb"\s*(?:T:\d+:\d+ |# Thread \d+\n#   Total intervals: )")
_PC_START = re.compile(rb"F:\d+:[0-9a-f]+:[^\n]*(?:\n(?:F:\d|\Z)|\Z)")
_VECTORS = re.compile(rb"(?:T(?::\d{1,10}:\d{1,12} ++)++\n)++")
_AS_BLANKS = bytes.maketrans(b"T:", b"  ")
_NOTE = re.compile(r"#\s*(Thread|Total intervals:|Total instructions:|Unique reps:) (\d{1,18})\b.*")
_INTERVAL_SIZE = re.compile(r".*\(Interval Size (\d{1,10})\)")
_LARGEST_BLOCK = (1 << 31) - 1
_DEFAULT = re.compile(r"bb\.out(?:\.(\d+))?")
_MOST_THREADS = 500  # of valgrind: a larger number is a process
_NUMBERED = re.compile(r"(.+)\.(\d{1,9})")
_LINE = re.compile(r"F:(\d{1,10}):([0-9a-f]{1,16}):([^\n]*)\n")
_LARGEST_ADDRESS = (1 << 63) - 1


@dataclass(slots=True)
class _Thread:
    """Content of one thread's file; `notes` are the numbers that valgrind writes last."""

    part: Path
    number: int
    rows: int = 0
    intervals: int = 0
    instructions: int = 0
    smallest: int = 1 << 62
    largest: int = 0
    valgrind: bool = False
    notes: dict[str, int] = field(default_factory=dict)

    def where(self, row: int | None = None) -> str:
        """Name a line of the file, by default its last."""
        return f"{self.part.name}, line {self.rows if row is None else row}"


class ExpBbv:
    """Reads basic-block vectors, with the block list next to them."""

    NAME = "exp-bbv"
    DESCRIPTION = "basic-block vectors of valgrind exp-bbv, SimPoint or gem5 (CPU threads)"
    PATTERNS = ("*.bb", "*.bb.*", "*.pc", "bb.out.*", "pc.out.*", "simpoint.bb.gz")
    TABLES = ("bb_launches", "bb_visits", "bb_blocks")
    WHOLE_FOLDER = False

    def sniff(self, head: Head) -> bool:
        """Recognise a vector, valgrind's closing notes, or a list of blocks."""
        return bool(_START.match(head.data) or _PC_START.match(head.data))

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the files of the program: its threads' in order, then the list of blocks."""
        return program_files(path) or (path,)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and one row per thread, interval and block.

        Raises `InputError` where a file is damaged, or there are no vectors at all.
        """
        lists = [part for part in recording.parts if is_pc_file(part)]
        files = [part for part in recording.parts if part not in lists]
        if not files:
            raise InputError(
                "this lists blocks, but the vectors are not next to it",
                expected="PROGRAM.bb next to PROGRAM.pc, or bb.out.PID next to pc.out.PID",
                hint="Keep the files of one run of valgrind in one folder, under its names.",
            )
        threads = [_Thread(part, thread_number(part)) for part in files]
        yield Run(threads=len(threads))
        places: Integers | None = None
        for part in lists:
            blocks = read_pc_file(recording, part)
            places = np.argsort(blocks.batch["bb"].to_numpy())
            yield blocks
        for thread in threads:
            yield from _read_thread(recording, thread, places)
        yield from _launch(threads)


def _launch(threads: list[_Thread]) -> Iterator[Item]:
    """Yield the one launch that a CPU program is, once all threads are read."""
    if not any(thread.intervals for thread in threads):
        whole = sum(thread.notes.get("Total intervals:", 0) for thread in threads)
        raise InputError(
            "there are no vectors",
            where=threads[0].where(),
            expected="lines such as T:2535:3   :2536:6   ",
            hint="Record without --instr-count-only=yes."
            if whole
            else "The program is shorter than one interval: record with a smaller --interval-size.",
        )
    totals = [thread.notes.get("Total instructions:") for thread in threads]
    known = [total for total in totals if total is not None]
    launch = {
        "launch": 0,
        "granularity": "thread",
        "instructions": sum(known) if len(known) == len(totals) else None,
    }
    yield Rows("bb_launches", pa.Table.from_pylist([launch]))
    sizes = {size for thread in threads if (size := thread.notes.get("Interval Size"))}
    if len(sizes) == 1:
        yield Run(tags={"interval_size": str(sizes.pop())})


def _read_thread(recording: Recording, thread: _Thread, places: Integers | None) -> Iterator[Rows]:
    piece = b""
    for chunk in chunks(recording, thread.part, must_end=True):
        piece, at = chunk.data, 0
        while at < len(piece):
            if found := _VECTORS.match(piece, at):
                yield _vectors(found[0], thread, places)
                at = found.end()
            else:
                end = piece.find(b"\n", at) + 1 or len(piece)
                thread.rows += 1
                _note(piece[at:end], thread)
                at = end
    if not piece:
        raise InputError("the file is empty", where=thread.part.name, expected="T:1:20   :2:30   ")
    _check_end(thread)


def _vectors(text: bytes, thread: _Thread, places: Integers | None) -> Rows:
    """Return the rows of whole lines, which the pattern has checked."""
    data = np.frombuffer(text, np.uint8)
    pairs = np.fromstring(text.translate(_AS_BLANKS), np.int64, sep=" ").reshape(-1, 2)
    ends = np.flatnonzero(data == ord("\n"))
    line = np.searchsorted(ends, np.flatnonzero(data == ord(":"))[::2])
    block, instructions = pairs[:, 0], pairs[:, 1]
    _check_blocks(block, line, thread, places)
    sums = np.zeros(ends.size, np.int64)
    np.add.at(sums, line, instructions)
    interval = line + thread.intervals
    thread.rows += ends.size
    thread.intervals += ends.size
    thread.instructions += int(sums.sum())
    thread.smallest = min(thread.smallest, int(sums.min()))
    thread.largest = max(thread.largest, int(sums.max()))
    thread.valgrind |= b"   \n" in text
    return Rows.of_columns(
        "bb_visits",
        **{"launch": 0, "thread": thread.number},
        interval=interval,
        bb=block,
        instructions=instructions,
    )


def _check_blocks(
    block: Integers, line: Integers, thread: _Thread, places: Integers | None
) -> None:
    """Check the block numbers; `places` are the blocks' places in the list of blocks, if any."""
    wrong = (block < 1) | (block > (_LARGEST_BLOCK if places is None else places.size))
    problem = "is not the number of a block" + (" of the list" if places is not None else "")
    if not wrong.any() and places is not None:
        # valgrind writes vectors and list in the same order.
        wrong[1:] = (np.diff(places[block - 1]) <= 0) & (np.diff(line) == 0)
        problem = "is not where the list of blocks has it: is that of another run?"
    elif not wrong.any():
        order = np.lexsort((block, line))
        again = (np.diff(block[order]) == 0) & (np.diff(line[order]) == 0)
        wrong[order[1:][again]] = True
        problem = "comes twice in one interval"
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        raise InputError(
            f"block {block[k]} {problem}",
            where=thread.where(thread.rows + int(line[k]) + 1),
            expected="every block once, by its number from 1",
            hint="Copy or record the files again.",
        )


def _note(line: bytes, thread: _Thread) -> None:
    """Take a line that is no vector: blank, or one of valgrind's notes on the whole thread."""
    text = line.decode().strip()
    if text and not text.startswith("#"):
        raise InputError(
            "this is not a whole vector",
            where=thread.where(),
            expected="T:2535:3   :2536:6   (pairs of block and instructions)",
            hint="Is the file cut off or damaged here? Copy or record it again.",
        )
    if found := _NOTE.fullmatch(text):
        thread.notes[found[1]] = int(found[2])
    if found := _INTERVAL_SIZE.fullmatch(text):
        thread.notes["Interval Size"] = int(found[1])


def _check_end(thread: _Thread) -> None:
    """Check a file against valgrind's own counts in its last lines."""
    notes = thread.notes
    problem = None
    if not notes and (thread.valgrind or not thread.intervals):
        problem = "valgrind's closing notes are missing"
    elif notes:
        problem = next(_contradictions(thread), None)
    if problem is not None:
        raise InputError(
            problem,
            where=thread.where(),
            expected="vectors, then '# Thread', 'Total intervals' and 'Total instructions'",
            hint="Let the program end under valgrind, and keep the names of the files it writes.",
        )


def _contradictions(thread: _Thread) -> Iterator[str]:
    """Yield what the vectors and valgrind's closing notes disagree about."""
    notes = thread.notes
    for name in ("Thread", "Total intervals:", "Interval Size", "Total instructions:"):
        if name not in notes:
            yield f"valgrind's closing notes lack '{name.rstrip(':')}'"
            return
    if notes["Thread"] != thread.number:
        yield f"the file is that of thread {notes['Thread']}, not {thread.number}"
    if thread.instructions > notes["Total instructions:"]:
        yield (
            f"the vectors have {thread.instructions} instructions, "
            f"more than the {notes['Total instructions:']} of the thread"
        )
    # Repeated string instructions are counted late, by one each time.
    reps = notes.get("Unique reps:", 0)
    size, slack = max(notes["Interval Size"], 1), reps and reps + 1
    # An interval ends with the first instruction beyond it: a whole last one has no line yet.
    least = (notes["Total instructions:"] - slack - 1) // size
    if thread.intervals and not least <= thread.intervals <= notes["Total intervals:"]:
        yield f"there are {thread.intervals} of {notes['Total intervals:']} intervals"
    most = size + (2 if reps else 1)
    if thread.intervals and not size - slack <= thread.smallest <= thread.largest <= most:
        yield f"an interval has not {size} instructions, but {thread.smallest}..{thread.largest}"


def is_pc_file(path: Path) -> bool:
    """Return whether a file is a list of blocks: by its content, or where that is damaged its name.

    Vectors can be in a file of any name (--bb-out-file), and so can the list.
    """
    head = read_head(path).lstrip()
    if head.startswith((b"F:", b"T:", b"#")):
        return head.startswith(b"F:")
    name = bare_name(path)
    return name.endswith(".pc") or name.startswith("pc.out.")


def thread_number(path: Path) -> int:
    """Return the thread that a file of vectors belongs to; the first one's has no number."""
    name = bare_name(path)
    numbered = _NUMBERED.fullmatch(name)
    return int(numbered[2]) if numbered and _base(path) != name else 1


def program_files(path: Path) -> tuple[Path, ...]:
    """Return all files of the program that `path` belongs to: threads in order, then the blocks."""
    base = _base(path)
    threads: dict[int, Path] = {}
    for other in sorted(path.parent.iterdir()):
        name = bare_name(other)
        numbered = _NUMBERED.fullmatch(name)
        if name == base and other.is_file():
            threads.setdefault(1, other)
        elif numbered and numbered[1] == base == _base(other) and other.is_file():
            threads.setdefault(int(numbered[2]), other)
    blocks = next((found for name in _lists(base) if (found := sibling(path, name))), None)
    files = tuple(threads[number] for number in sorted(threads))
    return (*files, blocks) if blocks else files


def _base(path: Path) -> str:
    """Return the name of the first thread's file."""
    name = bare_name(path)
    if f"{name}.".startswith("pc.out."):
        return f"bb{name.removeprefix('pc')}"
    if name.endswith(".pc"):
        stem = name.removesuffix(".pc")
        return stem if sibling(path, stem) else f"{stem}.bb"
    numbered = _NUMBERED.fullmatch(name)
    if numbered and not _is_process(path, name):
        first = numbered[1]
        if first.endswith(".bb") or _DEFAULT.fullmatch(first) or sibling(path, first):
            return first
    return name


def _is_process(path: Path, name: str) -> bool:
    """Return whether a name ends with the number of a process, not of a thread of bb.out."""
    default = _DEFAULT.fullmatch(name)
    if default is None or default[1] is None:
        return False
    return int(default[1]) > _MOST_THREADS or sibling(path, "bb.out") is None


def _lists(base: str) -> tuple[str, ...]:
    """Return the names that the list of blocks may have."""
    if _DEFAULT.fullmatch(base):
        return (f"pc{base.removeprefix('bb')}",)
    return (f"{base.removesuffix('.bb')}.pc", f"{base}.pc")


def read_pc_file(recording: Recording, part: Path) -> Rows:
    """Return bb, pc_first and function of every block that the file lists.

    Raises `InputError` at the first line that is no block, or names one again.
    """
    numbers: list[int] = []
    addresses: list[int] = []
    functions: list[str | None] = []
    for chunk in chunks(recording, part):
        text = chunk.text()
        found = _LINE.findall(text)
        if len(found) != text.count("\n") or not text.endswith("\n"):
            _refuse(text, part, chunk.first)
        numbers += [int(number) for number, _, _ in found]
        addresses += [int(address, 16) for _, address, _ in found]
        functions += [function or None for _, _, function in found]
    if not numbers:
        raise InputError("the file is empty", where=part.name, expected="F:2537:109164:FUNCTION")
    _check(numbers, addresses, part)
    return Rows.of_columns("bb_blocks", bb=numbers, pc_first=addresses, function=functions)


def _refuse(text: str, part: Path, first: int) -> None:
    """Raise at the first line that is not a block."""
    for row, line in enumerate(text.splitlines(keepends=True), first):
        if not _LINE.fullmatch(line):
            raise InputError(
                "this is not a whole line of the list of blocks",
                where=f"{part.name}, line {row}",
                expected="F:2537:109164:FUNCTION (block, address in hex, function or nothing)",
                hint="Is the file cut off or damaged here? Copy or record it again.",
            )


def _check(numbers: list[int], addresses: list[int], part: Path) -> None:
    """Check that every block is there once, by ascending address, as valgrind writes them."""
    number = np.array(numbers, np.int64)
    address = np.array(addresses, np.uint64)
    order = np.argsort(number, kind="stable")
    again = np.zeros(number.size, np.bool_)
    again[order[1:]] = np.diff(number[order]) == 0
    falls = np.zeros(number.size, np.bool_)
    falls[1:] = address[1:] <= address[:-1]
    for mask, problem in (
        (again | (number < 1), "the block has no number of its own"),
        (number > number.size, "a block is missing: this one's number is beyond their count"),
        (address > _LARGEST_ADDRESS, "the address is beyond 63 bits"),
        (falls, "the address does not come after the one before"),
    ):
        if mask.any():
            raise InputError(
                problem,
                where=f"{part.name}, line {int(np.flatnonzero(mask)[0]) + 1}",
                expected="every block once, numbered from 1, by ascending address",
                hint="Copy or record the file again.",
            )
