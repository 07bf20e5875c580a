"""Sampling profiles in JSON: speedscope, pyinstrument, Scalene, Firefox, V8, JFR, perf.

The forms have modules of their own, which state what lands of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.base import Head, Item, SingleFile, form_of
from ingest.parsing.json_values import checked, read_json
from ingest.recording import Recording
from warehouse.errors import InputError

_OBJECT = re.compile(rb"\s*\{\s*\"")
_FORMS = {
    "speedscope": re.compile(
        rb'"https?://www\.speedscope\.app/file-format-schema\.json"'
        rb'|"shared"\s*:\s*\{\s*"frames"\s*:\s*\[|"type"\s*:\s*"(?:sampled|evented)"'
    ),
    "pyinstrument": re.compile(rb'"sample_count"\s*:(?s:.*)"(?:root_frame|frame_records)"\s*:'),
    "cpuprofile": re.compile(rb'"nodes"\s*:\s*\[\s*\{[^[\]]*"callFrame"\s*:\s*\{'),
    "jfr": re.compile(rb'"recording"\s*:\s*\{\s*"events"\s*:\s*\[\s*\{\s*"type"\s*:\s*"jdk\.'),
    "perf": re.compile(rb'\{\s*"linux-perf-json-version"\s*:'),
    "scalene": re.compile(rb'\A\s*\{\s*"alloc_samples"\s*:\s*\d'),
    "firefox": re.compile(
        rb'"preprocessedProfileVersion"\s*:|"breakpadId"\s*:|"meta"\s*:\s*\{[^{}]*"interval"\s*:'
    ),
}
_LIMIT = 512 << 20


class JsonProfile(SingleFile):
    """Reads sampling profiles whose form is JSON."""

    NAME = "json-profile"
    DESCRIPTION = (
        "profiles in JSON: speedscope, py-spy, pyinstrument, Scalene, Firefox, V8, JFR, perf"
    )
    PATTERNS = ("*.speedscope.json", "*.cpuprofile", "profile.json")
    TABLES = ("fn_timings", "pmu_samples")

    def sniff(self, head: Head) -> str | None:
        """Return the form by the fields of the object."""
        if _OBJECT.match(head.data) is None or b'"traceEvents"' in head.data:
            return None
        return next((form for form, pattern in _FORMS.items() if pattern.search(head.data)), None)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its rows; see `Reader.read`."""
        from ingest.readers.profiles.sampling import (
            cpuprofile,
            firefox,
            jfr,
            perf_json,
            pyinstrument,
            scalene,
            speedscope,
        )

        form = form_of(self, recording)
        if form is None:
            raise InputError("this is no sampling profile that is known", expected=self.DESCRIPTION)
        document = read_json(recording, limit=_LIMIT)
        profile = checked(document, dict, "the file", "its start")
        forms = {
            "speedscope": speedscope.items,
            "pyinstrument": pyinstrument.items,
            "cpuprofile": cpuprofile.items,
            "firefox": firefox.items,
            "jfr": jfr.items,
            "perf": perf_json.items,
            "scalene": scalene.items,
        }
        yield from forms[form](profile)
