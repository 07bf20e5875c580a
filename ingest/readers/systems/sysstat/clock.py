"""Points in time as the tools of sysstat write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from ingest.parsing.dates import in_zone
from ingest.parsing.lines import unexpected
from warehouse.errors import InputError

TIME = r"(?:\d\d?:\d\d:\d\d(?: [AP]M)?|\d{10})"  # or seconds since 1970
_MOMENT = re.compile(r"(?:(?P<date>\d{4}-\d\d-\d\d)[ T]|\d\S*[./-]\d\S* )?" rf"(?P<time>{TIME}).*")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DAY = timedelta(days=1)


class Clock:
    """Turns moments into times since the first one, in ns.

    A date is only understood as 2026-11-23: what 11/12/26 is depends on the language of the tool.
    Without one, a time before the last one is of the next day, or of the first one where another
    table begins: sar prints those of a recording one after the other.
    """

    def __init__(self, date: str = "") -> None:
        self.started: datetime | None = None
        self._date = date
        self._dated = _DATE.fullmatch(date) is not None
        self._day = self._first_day = datetime.fromisoformat(date if self._dated else "2000-01-01")
        self._first: datetime | None = None
        self._start: datetime | None = None  # the first moment since the title
        self._last: datetime | None = None
        self._tables: set[tuple[str, ...]] = set()

    def begin(self, date: str, where: str) -> None:
        """Begin a day that a title names; raise `InputError` where its date is not understood."""
        if date != self._date and not (self._dated and _DATE.fullmatch(date)):
            raise InputError(
                f"a recording of another day begins here: {date}",
                where=where,
                expected="one recording in a file, or dates like 2026-11-23: S_TIME_FORMAT=ISO",
            )
        self._date = date
        self._day = datetime.fromisoformat(date) if self._dated else self._first_day
        self._start = self._last = None
        self._tables.clear()

    def since_first(self, text: str, where: str, table: Sequence[str] = ()) -> int:
        """Return the time since the first moment; raise `InputError` where it is none.

        `table` are the columns that the moment is of.
        """
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
            raise unexpected(
                text, where, "a time: 10:07:03", "Times in another form: record with LC_ALL=C."
            ) from None
        moment = datetime.combine(self._day, time)
        is_new = tuple(table) not in self._tables
        self._tables.add(tuple(table))
        start, last = self._start, self._last
        if found["date"] is None and start and last and moment != last:
            if is_new:
                moment = datetime.combine(start, time)
            if moment < (start if is_new else last):
                moment += _DAY
            self._day = datetime.combine(moment, datetime.min.time())
        self._start, self._last = start or moment, moment
        if self._first is None:
            self._first = moment
            self.started = in_zone(moment) if self._dated else None
        if moment < self._first:
            raise InputError(
                "the time is before the first one of the file",
                where=where,
                expected="recordings in the order of time, each in a file of its own",
            )
        return (moment - self._first) // timedelta(microseconds=1) * 1000
