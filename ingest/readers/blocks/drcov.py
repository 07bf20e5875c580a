"""drcov: which basic blocks of a program ran, by DynamoRIO and tools that write its format.

Source: DynamoRIO, clients/drcov (drcov.c, modules.c): a text header with the table of modules,
`BB Table: N bbs`, then N records of 8 bytes (offset in the module, size in bytes, module; little
endian), or with -dump_text as many lines. There are no counts, threads or order, and sizes are in
bytes, so only bb_blocks is filled: `pc_first` is the offset in the module, `source_file` the
module's path, `size` NULL. A block that is listed twice is one row.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ingest.base import Head, Item, Rows, Run, SingleFile
from ingest.parsing.lines import decode
from ingest.recording import Recording
from warehouse.errors import InputError

_MODULES = re.compile(r"Module Table: (?:version (\d{1,3}), count )?(\d{1,9})\s*")
_BLOCKS = re.compile(r"BB Table: (\d{1,15}) bbs\s*")
_FIELD = re.compile(r"DRCOV (VERSION|FLAVOR): (.*?)\s*")
_TEXT_HEADING = re.compile(rb"module id, start, size:[ \r]*\n")
_TEXT = re.compile(rb" *module\[ *(-?\d{1,9})\]: *0x([0-9a-f]{1,8}), *(\d{1,9})\s*")
_UNKNOWN = 0xFFFF
_LONGEST_LINE = 1 << 16
_RECORD = [("start", "<u4"), ("bytes", "<u2"), ("module", "<u2")]


class Drcov(SingleFile):
    """Coverage of basic blocks."""

    NAME = "drcov"
    DESCRIPTION = "coverage of basic blocks by DynamoRIO's drcov (which ran, not how often)"
    PATTERNS = ("drcov.*.log", "*.drcov.log")
    TABLES = ("bb_blocks",)

    def sniff(self, head: Head) -> bool:
        """Recognise the first line."""
        return head.data.startswith(b"DRCOV VERSION: ")

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its blocks, by module and offset.

        Raises `InputError` where the header is damaged or blocks are missing.
        """
        with recording.open() as file:
            tags, modules, count, line = _header(file)
            start, module = _blocks(file, count, line)
        yield Run(tags=tags)
        yield Rows("bb_blocks", _rows(start, module, modules))


def _header(file: io.BufferedReader) -> tuple[dict[str, str], list[str], int, int]:
    """Read the text: tags of the run, the modules' paths, the number of blocks, and lines."""
    tags: dict[str, str] = {}
    modules: list[str] = []
    expected: int | None = None
    columns: tuple[str, ...] = ("id", "size", "path")
    number = 0
    while raw := file.readline(_LONGEST_LINE):
        number += 1
        where = f"line {number}"
        text = decode(raw, where).strip()
        if expected is not None and len(modules) < expected:
            if text.startswith("Columns:") and not modules:
                columns = tuple(name.strip() for name in text[len("Columns:") :].split(","))
                continue
            modules.append(_module(text, columns, len(modules), where))
        elif found := _BLOCKS.fullmatch(text):
            if expected is None:
                raise _damaged("the table of modules is missing", where)
            return tags, modules, int(found[1]), number
        elif found := _MODULES.fullmatch(text):
            expected = int(found[2])
            tags["module_table"] = f"version {found[1] or 1}"
        elif found := _FIELD.fullmatch(text):
            tags[f"drcov_{found[1].lower()}"] = found[2]
        else:
            raise _damaged("the line is not one of a drcov header", where)
    raise _damaged("the table of blocks is missing", f"line {max(number, 1)}")


def _module(text: str, columns: tuple[str, ...], number: int, where: str) -> str:
    """Return a module's path, which is the last column and may contain commas."""
    fields = [field.strip() for field in text.split(",", len(columns) - 1)]
    if len(fields) != len(columns) or fields[0] != str(number) or not fields[-1]:
        raise _damaged(f"module {number} of the table cannot be read", where)
    return fields[-1]


def _blocks(
    file: io.BufferedReader, count: int, line: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return offset and module of every record; -1 is no module."""
    rest = b"".join(iter(lambda: file.read(1 << 20), b""))
    if (heading := _TEXT_HEADING.match(rest)) or _TEXT.match(rest):
        return _text_blocks(rest[heading.end() if heading else 0 :], count, line)
    if len(rest) != 8 * count:
        raise InputError(
            f"there are {len(rest)} bytes of blocks",
            where=f"after line {line}",
            expected=f"{8 * count} bytes, 8 for each of the {count} blocks",
            hint="Is the file cut off, or was it copied as text? Record or copy it again.",
        )
    records = np.frombuffer(rest, _RECORD)
    module = records["module"].astype(np.int64)
    return records["start"].astype(np.int64), np.where(module == _UNKNOWN, -1, module)


def _text_blocks(text: bytes, count: int, line: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    found = _TEXT.findall(text)
    if len(found) != count or _TEXT.sub(b"", text):
        raise InputError(
            f"there are {len(found)} blocks",
            where=f"after line {line}",
            expected=f"{count} lines such as module[  6]: 0x000000000000419c,  10",
            hint="Is the file cut off or damaged? Record or copy it again.",
        )
    start = np.array([int(start, 16) for _, start, _ in found], np.int64)
    return start, np.array([int(module) for module, _, _ in found], np.int64)


def _rows(start: NDArray[np.int64], module: NDArray[np.int64], modules: list[str]) -> pa.Table:
    """Return one row a block, numbered by module and offset."""
    if module.size and int(module.max()) >= len(modules):
        k = int(np.argmax(module >= len(modules)))
        raise InputError(
            f"the block is of module {module[k]}, which is not in the table",
            where=f"block {k + 1}",
            expected=f"a module from 0 to {len(modules) - 1}",
            hint="Is the file damaged? Record or copy it again.",
        )
    key = np.unique(module << 32 | start)
    which = key >> 32
    names = pa.array([*modules, None], pa.string())
    return pa.table(
        {
            "bb": pa.array(np.arange(key.size), pa.int32()),
            "pc_first": pa.array(key & 0xFFFFFFFF, pa.int64()),
            "source_file": names.take(pa.array(np.where(which < 0, len(modules), which))),
        }
    )


def _damaged(problem: str, where: str) -> InputError:
    return InputError(
        problem,
        where=where,
        expected="DRCOV VERSION, DRCOV FLAVOR, Module Table with its modules, BB Table: N bbs",
        hint="Is the file cut off or damaged here? Record or copy it again.",
    )
