"""The basic blocks of some functions of a program, as hexadecimal machine code.

    objdump -d PROGRAM | python blocks.py FUNCTION... > heat_blocks.csv

A block ends behind a jump, call or return, and before an address that is jumped to. Padding
between functions and loops is left out.
"""

from __future__ import annotations

import re
import sys

_FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
_INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *(?:\t(\S+)(.*))?")
_PADDING = ("nop", "nopw", "nopl", "data16", "cs", "xchg")

Line = tuple[str, int, str, str]


def instructions(listing: list[str], functions: list[str]) -> tuple[list[Line], set[int]]:
    """Return (function, address, bytes, mnemonic) of each instruction, and what is jumped to."""
    code: list[Line] = []
    targets: set[int] = set()
    function = ""
    for line in listing:
        if found := _FUNCTION.match(line):
            function = found.group(1)
        elif (found := _INSTRUCTION.match(line)) and function in functions:
            address, raw, name, operands = found.groups()
            code.append((function, int(address, 16), raw.replace(" ", ""), name or ""))
            if (
                name
                and name.startswith("j")
                and (target := re.match(r"\s*([0-9a-f]+) <", operands))
            ):
                targets.add(int(target.group(1), 16))
    return code, targets


def blocks(code: list[Line], targets: set[int]) -> list[tuple[str, str]]:
    """Return (function, bytes) of each block, in the order of the listing."""
    found: list[tuple[str, str]] = []
    ended = True
    for function, at, raw, name in code:
        if ended and at not in targets and name in (*_PADDING, ""):
            continue
        if ended or at in targets or found[-1][0] != function:
            found.append((function, ""))
        found[-1] = (function, found[-1][1] + raw)
        ended = name.startswith(("j", "call", "ret"))
    return found


if __name__ == "__main__":
    sys.stdout.write("function,hex\n")
    for function, raw in blocks(*instructions(sys.stdin.read().splitlines(), sys.argv[1:])):
        sys.stdout.write(f"{function},{raw}\n")
