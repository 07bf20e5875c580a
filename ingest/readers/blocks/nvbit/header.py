"""The header of a .traceg file: which kernel was launched, and how."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from warehouse.errors import InputError

BEGIN = b"#BEGIN_TB"
_FIELD = re.compile(r"-([\w .]+?) = (.*?)\s*")
_SIZES = re.compile(r"\((\d{1,10}),(\d{1,10}),(\d{1,10})\)")
_RAW = re.compile(r"#traces format = \[?(?:threadblock|bx).*")
_LARGEST_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Header:
    """Launched kernel; sizes are x, y, z. `sm` is the GPU's architecture, 61 for sm_61.

    `line_numbers` is whether every instruction line begins with a number of the source.
    """

    kernel: str
    grid: tuple[int, int, int]
    block_dim: tuple[int, int, int]
    sm: int
    line_numbers: bool
    nvbit: str | None

    @property
    def threads(self) -> int:
        """Threads of a thread block."""
        return math.prod(self.block_dim)

    @property
    def warps(self) -> int:
        """Warps of a thread block."""
        return -(-self.threads // 32)


def read_header(text: bytes, part: str) -> Header:
    """Read what precedes the first thread block.

    Raises `InputError` with the line where a field is missing or implausible.
    """
    fields: dict[str, tuple[str, str]] = {}
    where = f"{part}, line 1"
    for number, raw in enumerate(text.splitlines(), 1):
        where = f"{part}, line {number}"
        line = raw.decode()
        if _RAW.match(line):
            raise InputError(
                "this is a raw trace, whose warps are mixed in the order in which they came",
                where=where,
                expected="a .traceg file, in which every warp's instructions lie together",
                hint="Run Accel-Sim's post-traces-processing on its kernelslist first.",
            )
        if found := _FIELD.fullmatch(line):
            fields[found[1]] = (found[2], where)
        elif line.strip() and not line.startswith("#"):
            raise _damaged("the line belongs to no header", where)
    kernel = _needed(fields, "kernel name", where)
    version = _needed(fields, "binary version", where)
    if not re.fullmatch(r"[1-9]\d{1,2}", version):
        raise _damaged(f"the binary version is {version!r}", fields["binary version"][1])
    return Header(
        kernel,
        _sizes(fields, "grid dim", where),
        _sizes(fields, "block dim", where),
        int(version),
        fields.get("enable lineinfo", ("0", ""))[0] == "1",
        fields.get("nvbit version", (None, ""))[0],
    )


def _needed(fields: dict[str, tuple[str, str]], name: str, where: str) -> str:
    if not fields.get(name, ("", ""))[0]:
        raise _damaged(f"the header lacks '-{name} = '", where)
    return fields[name][0]


def _sizes(fields: dict[str, tuple[str, str]], name: str, where: str) -> tuple[int, int, int]:
    text = _needed(fields, name, where)
    found = _SIZES.fullmatch(text)
    x, y, z = (int(size) for size in found.groups()) if found else (0, 0, 0)
    largest = _LARGEST_BLOCK if name == "block dim" else (1 << 62)
    if not all(0 < size < 1 << 31 for size in (x, y, z)) or x * y * z > largest:
        raise _damaged(f"the {name} is {text}", fields[name][1])
    return x, y, z


def _damaged(problem: str, where: str) -> InputError:
    return InputError(
        problem,
        where=where,
        expected="-kernel name = NAME, -grid dim = (1,1,1), -block dim = (128,1,1), "
        "-binary version = 70",
        hint="Is the file cut off or damaged here? Copy or record it again.",
    )
