"""Points in time as the tools of sysstat write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from ingest.parsing.lines import quoted
from warehouse.errors import InputError

TIME = r"(?:\d\d?:\d\d:\d\d(?: [AP]M)?|\d{10})"  # or seconds since 1970
_MOMENT = re.compile(r"(?:(?P<date>\d{4}-\d\d-\d\d)[ T]|\d\S*[./-]\d\S* )?" rf"(?P<time>{TIME}).*")
_DAY = timedelta(days=1)


class Clock:
    """Turns moments into times since the first one, in ns.

    A date is only understood as 2026-11-23: what 11/12/26 is depends on the language of the tool.
    Without one, a time before the last one is of the next day.
    """

    def __init__(self, date: str = "") -> None:
        self.started: datetime | None = None
        self._dated = re.fullmatch(r"\d{4}-\d\d-\d\d", date) is not None
        self._day = datetime.fromisoformat(date if self._dated else "2000-01-01")
        self._first: datetime | None = None
        self._last: datetime | None = None

    def since_first(self, text: str, where: str) -> int:
        """Return the time since the first moment; raise `InputError` where it is none."""
        if text.isdecimal():
            text = str(datetime.fromtimestamp(int(text[:10]), UTC))
        found = _MOMENT.fullmatch(text.strip())
        try:
            if found is None:
                raise ValueError
            form = "%H:%M:%S" if found["time"][-1].isdigit() else "%I:%M:%S %p"
            time = datetime.strptime(found["time"], form).time()
            if found["date"] is not None:
                self._day, self._dated = datetime.fromisoformat(found["date"]), True
        except ValueError:
            raise InputError(
                f"{quoted(text)} was found", where=where, expected="a time: 10:07:03"
            ) from None
        moment = datetime.combine(self._day, time)
        # sar prints table after table: each goes back to the first moment.
        if found["date"] is None and self._first is not None and moment < self._first:
            moment += _DAY
        if self._first is None:
            self._first = moment
            self.started = moment.replace(tzinfo=UTC) if self._dated else None
        return (moment - self._first) // timedelta(microseconds=1) * 1000
