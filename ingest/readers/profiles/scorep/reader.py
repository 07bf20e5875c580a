"""The reader of Score-P's profiles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.base import Head, Item, SingleFile
from ingest.recording import Recording

# The first file of the archive, in the header of a tar archive.
_TAR = re.compile(rb"(?:anchor\.xml|remapping\.spec|\d{1,9}\.(?:data|index))\0", re.DOTALL)
_MAGIC = slice(257, 262)


class ScorepCube(SingleFile):
    """Reads cubes (https://www.scalasca.org/software/cube-4.x) of Score-P, by thread.

    Own time is the inclusive time without that of the callees, calls are the visits. Counters are
    treated alike; an own count below 0, which a counter read at a wrong moment can give, lands as
    NULL, and the run's tag `below_zero` records it. The metrics of Scalasca's trace analysis are
    not split.
    """

    NAME = "scorep-cube"
    DESCRIPTION = "Score-P profile (.cubex): times, visits and counters by call path and thread"
    PATTERNS = ("*.cubex",)
    TABLES = ("fn_timings", "pmu_samples")

    def sniff(self, head: Head) -> bool:
        """Recognise a tar archive that begins with a file of a cube."""
        return head.data[_MAGIC] == b"ustar" and _TAR.match(head.data) is not None

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run and its rows; see `Reader.read`."""
        from pycubexr import CubexParser

        from ingest.readers.profiles.scorep.cube import Cube, damage
        from ingest.readers.profiles.scorep.rows import items

        parser = CubexParser(recording.plain())
        try:
            with damage("the archive"):
                parser.__enter__()
            yield from items(Cube(parser), recording.path)
        finally:
            # Where __enter__ failed half-way, the library leaves the archive open.
            if hasattr(parser, "_cubex_file"):
                parser.__exit__(None, None, None)
