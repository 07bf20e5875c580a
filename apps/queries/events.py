"""Events: which are listed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

OPEN = ("new", "investigating", "reopened")
SETTLED = ("expected", "noise", "fixed")
WITHDRAWN = "withdrawn"
MEANINGS = {
    "investigating": "somebody looks for the cause, and it stays open",
    "expected": "an intended change",
    "noise": "no change of the program",
    "invalid run": "its first run was measured wrongly, and leaves all series",
    "fixed": "a later version undoes it, which later runs check",
}
"""What can be said of a change (`warehouse.series.REASONS`), and what that means."""
SAID = "".join(f"{name.removesuffix(' run')}: {text}; " for name, text in MEANINGS.items())
SAID += "open: remove what was said."


class Events(NamedTuple):
    """Which events are listed, those that match all that is not None.

    `machine` is a name or a pattern with * and ?, `commit` also what one begins with.
    """

    states: tuple[str, ...] = (*OPEN, *SETTLED)
    event_id: int | None = None
    app: str | None = None
    branch: str | None = None
    machine: str | None = None
    owner: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    commit: str | None = None

    def params(self) -> dict[str, Any]:
        """Return the parameters of events/list."""
        return {**self._asdict(), "states": list(self.states)}
