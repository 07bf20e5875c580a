"""What openssl speed prints, with -mr or without: bytes and operations a second.

Source: apps/speed.c of OpenSSL 3.0. With -multi the processes print -mr to the first, which shows
these lines, adds up, and prints the table without its heading. Rates of public keys with -mr are
times in older ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ingest.base import Item, LeftOut, Run
from ingest.parsing.counter_table import number
from ingest.parsing.lines import numbered_lines
from ingest.parsing.metric_values import Found, rows
from ingest.recording import Recording
from warehouse.errors import InputError

TITLE = re.compile(
    r"^(?:Doing \S.* for \d+s on \d+ size blocks: |Doing \d+ bits |\+DT:\S+:\d+:\d+\r?$"
    r"|\+DTP:\d+:\S+\r?$|(?:Got: )?\+H:16(?::\d+)+(?: from \d+)?\r?$"
    r"|The 'numbers' are in 1000s of bytes per second processed| +op +op/s\r?$"
    r"| +sign +verify +sign/s verify/s\r?$)",
    re.MULTILINE,
)
_SIZES = re.compile(r"type +\d+ bytes.*")
_RATES = re.compile(r"(?:[\w-]+ +)*[\w-]+/s(?: +[\w-]+/s)*")
_OF_PROCESS = re.compile(r"Got: \+(F\d?|H):(\S+) from (\d{1,4})")
_ROW = re.compile(r"(\S.*?)((?: +\d[\d.]*[ks]?)+)")


def items(recording: Recording) -> Iterator[Item]:
    """Yield the run and its rates."""
    found = Found()
    columns: list[str] = []
    processes = keys = 0

    def is_whole(text: str) -> bool:
        row, machine = _ROW.fullmatch(text.strip()), text.strip().split(":")
        cells = len(machine) - 3 if row is None else len(row[2].split())
        return cells == len(columns) and (row is not None or machine[0] == "+F")

    for line, printed in numbered_lines(recording, must_end=is_whole):
        text = printed.strip()
        machine = text.split(":")
        if _SIZES.fullmatch(text):
            columns = re.findall(r"(\d+) bytes", text)
        elif _RATES.fullmatch(text):
            columns = text.split()
        elif of_process := _OF_PROCESS.fullmatch(text):
            columns = of_process[2].split(":") if of_process[1] == "H" else columns
            processes = max(processes, int(of_process[3]) + 1)
        elif re.fullmatch(r"\+F[2-9]", machine[0]):
            keys += 1
        elif machine[0] == "+H":
            columns = machine[1:]
        elif machine[0] == "+F" and len(machine) == len(columns) + 3:
            _add(found, machine[2], zip(columns, machine[3:], strict=True), 1, line)
        elif row := _ROW.fullmatch(text):
            cells = row[2].split()
            if len(cells) == len(columns):
                name = " ".join(row[1].split())
                _add(found, name, zip(columns, cells, strict=True), 1000, line)
    if not found.values:
        hint = "Leave out -mr." if keys else None
        expected = "the table at the end of openssl speed"
        raise InputError("there is no result", expected=expected, hint=hint)
    yield Run(ranks=processes or None, tags={"recorder": "openssl speed"})
    yield rows(found.values)
    yield LeftOut(keys, "public key", "they land without -mr")


def _add(found: Found, name: str, cells: Iterable[tuple[str, str]], scale: int, line: int) -> None:
    """Add rates: of bytes by the size of blocks, or of operations; seconds follow from these."""
    for column, cell in cells:
        value = number(cell.rstrip("ks"), f"line {line}", column)
        if value is not None and column.isdecimal():
            found.add(f"{name}(size={column})", value * scale, "B/s")
        elif value is not None and column.endswith("/s"):
            found.add(f"{name} {column.removesuffix('/s')}", value, "1/s")
