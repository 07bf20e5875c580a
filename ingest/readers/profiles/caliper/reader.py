"""The reader of Caliper profiles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.base import Head, Item, SingleFile
from ingest.recording import Recording

_JSON = re.compile(rb'\s*\{\s*"data"\s*:\s*\[\s*\[\s*(?:null|[-+0-9.eE]+)\s*[,\]]')
_LISTED = re.compile(
    rb'\s*(?:\{\s*"records"\s*:\s*)?\[\s*\{[^\[\]]{0,4000}?"(?:[\w.]+#[\w.#:]+|time\.(?:inclusive\.)?duration(?:\.ns)?)"\s*:'
)
_COLUMNS = re.compile(rb'"columns"\s*:\s*\[.*"column_metadata"\s*:\s*\[', re.DOTALL)


class Caliper(SingleFile):
    """Reads profiles of Caliper (https://github.com/LLNL/Caliper) with call paths.

    Times and calls land in fn_timings, counters and top-down metrics in pmu_samples with the call
    path as region. A region that only groups others has hardly any time of its own, and its
    top-down shares need not add up: the view `pmu_regions` distinguishes such groups from leaves.
    """

    NAME = "caliper"
    DESCRIPTION = "Caliper profile (.cali, JSON of cali-query): times and counters by call path"
    PATTERNS = ("*.cali", "*.json")
    TABLES = ("fn_timings", "pmu_samples")

    def sniff(self, head: Head) -> bool:
        """Recognise the first record of a stream, or rows of data before their columns."""
        data = head.data
        if data.startswith(b"__rec=") or _LISTED.match(data) is not None:
            return True
        if _JSON.match(data) is None:
            return False
        # The columns follow the data: a head without its end may lack them.
        return _COLUMNS.search(data) is not None or not data.rstrip().endswith(b"}")

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run and its rows; see `Reader.read`."""
        from ingest.readers.profiles.caliper import records, split
        from ingest.readers.profiles.caliper.rows import items

        with recording.open() as file:
            stream = file.peek(1).startswith(b"_")
        profile = records.read(recording) if stream else split.read(recording)
        yield from items(profile, recording.path)
