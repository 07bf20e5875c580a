"""What perf states of a recording's command and host, above its output or in its JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from ingest.base import Run
from ingest.parsing.json_values import texts_of

FACT = re.compile(r"# ([a-z][a-z ]*?) *: (.*?)\s*")
_ENVIRONMENT = {"cpu": "cpudesc", "cores": "nrcpus online", "kernel": "os release"}


def perf_run(
    facts: Mapping[str, str],
    app: str | None,
    started_at: datetime | None,
    environment: Mapping[str, str] = _ENVIRONMENT,
) -> Run:
    """Return the run of a recording, by facts as perf names them; it started when that ended."""
    command, version = facts.get("cmdline"), facts.get("perf version")
    return Run(
        app=app,
        machine=facts.get("hostname") or None,
        started_at=started_at,
        tags={"recorder": f"perf {version}" if version else "perf"}
        | ({"command": command} if command else {}),
        environment=texts_of(facts, environment),
    )
