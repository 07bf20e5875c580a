"""What a GPGPU-Sim log shows of the program itself: listed blocks and where paths join."""

from __future__ import annotations

import re

from ingest.readers.gpgpusim.program import Program
from ingest.readers.gpgpusim.text import Listing
from warehouse.errors import InputError

_BRANCH = re.compile(rb"GPGPU-Sim PTX: +\d+ \(potential\) branch divergence @.*")
_JOIN = re.compile(rb"GPGPU-Sim PTX: +immediate post dominator +@ (.*)")
_JOIN_PLACE = re.compile(r" ?PC=0x([0-9a-f]{1,8}) \((.*):(\d{1,9})\) (.*?)\s*")
_LAST_BRANCH = b"GPGPU-Sim PTX: ... end of reconvergence points"


class ProgramNotes:
    """Adds post-dominators to the program, and lines to the listing."""

    def __init__(self, program: Program, listing: Listing) -> None:
        self._program = program
        self._listing = listing
        self._branch: str | None = None

    def take(self, line: bytes, where: str) -> None:
        """Take a line that describes the program."""
        if line.startswith((b"Printing basic blocks", b"Summary of basic blocks", b"bb_")):
            self._listing.add(line.decode(), where)
        elif found := _JOIN.fullmatch(line):
            self._join(found[1].decode(), where)
        elif _BRANCH.fullmatch(line) or line.startswith(_LAST_BRANCH):
            if self._branch is not None:
                raise InputError(
                    "the branch has no post-dominator line",
                    where=self._branch,
                    expected="'immediate post dominator' in the line after it",
                    hint="Copy or record the log again.",
                )
            self._branch = None if line.startswith(_LAST_BRANCH) else where

    def _join(self, place: str, where: str) -> None:
        """Take an immediate post-dominator, where the paths of a branch join."""
        self._branch = None
        if not place.strip():
            return
        found = _JOIN_PLACE.fullmatch(place)
        if found is None:
            raise InputError(
                "the post-dominator cannot be read",
                where=where,
                expected="PC=0x0a8 (FILE.ptx:57) INSTRUCTION;",
                hint="Copy or record the log again.",
            )
        self._program.add_join(int(found[1], 16), f"{found[2]}:{found[3]} - {found[4]}", where)
