"""Results of load tests of servers, and of benchmarks of machines that print lines.

What lands in metrics: rates and latencies, by name and percentile; times are in seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.base import Head, Item, SingleFile, form_of
from ingest.parsing.json_values import read_json
from ingest.parsing.lines import check_line_end, whole_text
from ingest.readers.benchmarks.load_tests import documents, printed
from ingest.recording import Recording
from warehouse.errors import InputError

_JSON = {
    "k6": re.compile(r'\s*\{(?s:.*)"metrics"\s*:\s*\{(?s:.*)"(?:http_req|iteration)_duration'),
    "vegeta": re.compile(r'\s*\{\s*"latencies"\s*:\s*\{\s*"total"\s*:'),
    "cyclictest": re.compile(r'\s*\{(?s:.*)"rt_test_version:?"\s*:(?s:.*)"thread"\s*:'),
}
_TABLES = {
    "redis": re.compile(
        r'"test","rps"|"(?:PING_|SET|GET|INCR|[LRS]PUSH|[LRS]?ADD)[^"]*","\d+\.\d\d"'
    ),
    "locust": re.compile(r"Type,Name,Request Count,Failure Count,"),
}
_LIMIT = 64 << 20


class LoadTests(SingleFile):
    """Rates and latencies of servers and machines under load."""

    NAME = "load-tests"
    DESCRIPTION = "load tests: wrk, ab, h2load, k6, locust, vegeta, pgbench, redis, sysbench ..."
    PATTERNS = ("wrk.txt", "sysbench.txt", "pgbench.txt", "k6.json", "*_stats.csv", "stress.yaml")
    TABLES = ("metrics",)

    def sniff(self, head: Head) -> str | None:
        """Return the tool by the line or field that it begins its results with."""
        text = head.data.decode("utf-8", "replace")
        forms = {**_JSON, **_TABLES}
        found = next((form for form, pattern in forms.items() if pattern.match(text)), None)
        return found or printed.tool_of(text)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the runs and their values."""
        form = form_of(self, recording)
        if form in _JSON:
            document = read_json(recording, limit=_LIMIT)
            yield from getattr(documents, form)(document)
        elif form in _TABLES:
            text = whole_text(recording, limit=_LIMIT)
            check_line_end(recording, text)
            yield from getattr(documents, form)(text)
        elif form is not None:
            yield from printed.items(recording, form)
        else:
            raise InputError("no load test is recognised", expected=self.DESCRIPTION)
