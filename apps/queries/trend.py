"""Questions about the history of an application: series and changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

EVERY_METRIC = ("*",)


class Series(NamedTuple):
    """Series of an application: of these metrics on this machine, which may be patterns (* and ?).

    None is every machine.
    """

    app: str
    metrics: Sequence[str] = EVERY_METRIC
    machine: str | None = None

    def params(self) -> dict[str, Any]:
        """Return the parameters of a question about them."""
        return {
            "app": self.app,
            "metrics": self.metrics,
            "machine": self.machine,
        }
