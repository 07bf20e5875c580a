"""Questions about profiles: stacks and functions of runs, and of those they are compared with."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of some runs, of one event (or time), whole or of a rank or thread.

    `against` are the runs that it is compared with.
    """

    runs: list[str]
    against: list[str]
    event: str
    rank: int | None = None
    thread: int | None = None

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the queries."""
        return asdict(self)
