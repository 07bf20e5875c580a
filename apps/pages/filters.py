"""Widgets that choose what a page shows; each is kept in the address under its key.

A value in a link that there is not raises `UsageError`: it is never replaced by another.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from math import isfinite
from typing import Any, TypeVar
from urllib.parse import urlencode

import streamlit as st

from apps.pages.address import CARRIED, Address, unknown
from apps.pages.charts import shown_names
from apps.pages.components import component
from apps.pages.text import plain
from warehouse.errors import UsageError

# Of a field with several choices, px: the names of metrics are long.
_CHOICES_WIDTH = 360

# Of more options the browser gets the first, and those that have what is typed.
_LISTED = 200

N = TypeVar("N", int, float)
Period = tuple[datetime, datetime]
_DAYS = {"Last 7 days": 7, "Last 30 days": 30, "Last 90 days": 90}


class Filters:
    """The row of filters at the top of a page, and the link that sets them again."""

    def __init__(self, page: str) -> None:
        self.address = Address(page)
        self.is_complete = False  # whether the page came to its end
        self.queries: dict[str, str] = {}  # SQL behind pictures, by their titles
        self._notes = st.container()
        self._filters = st.container(horizontal=True, vertical_alignment="bottom")

    def select(
        self,
        label: str,
        options: Sequence[str],
        *,
        key: str,
        every: str | None = None,
        default: str | None = None,
        help: str | None = None,  # noqa: A002
        inline: bool = False,
    ) -> str | None:
        """Return the choice among `options`; `every` is the text for no choice.

        Where nothing was chosen it is `default`, else the first one. Returns None where there is
        nothing to choose or `every` was chosen. `inline` shows it where it is called.
        """
        place: Any = st if inline else self._filters
        linked = self.address.parameter(key)
        usual = default if default in options else None
        listed = self._listed(label, options, key, (every, linked, usual))
        shown = [*([] if every is None else [every]), *listed]
        wanted = every if linked == "" and every is not None else linked
        is_unknown = wanted is not None and wanted not in shown
        if self.address.sets(key):
            st.session_state[key] = (
                None if is_unknown else wanted or self._carried(key, label, shown) or usual
            )
        now = st.session_state.get(key)
        given: dict[str, Any] = {"accept_new_options": len(options) > _LISTED}
        if is_unknown and now is None:
            # The widget stays empty until the user chooses.
            given = {"index": None, "placeholder": linked}
        elif now not in shown:
            st.session_state[key] = shown[0] if shown else None
        chosen = place.selectbox(
            _label(label, options), shown, key=key, help=help, disabled=not shown, **given
        )
        if is_unknown and now is None:
            self.address.keep(key, [linked or ""])
            raise unknown(label, linked or "", options)
        if shown:
            self.address.keep(key, ["" if chosen == every else chosen])
        return None if chosen == every else chosen

    def _listed(
        self, label: str, options: Sequence[str], key: str, others: Sequence[str | None]
    ) -> list[str]:
        """Return those of many options that the browser gets.

        A text that is typed is searched in all of them: the first that has it is chosen, and the
        list has those that have it. Of `others`, those that are options are listed, too.
        """
        if len(options) <= _LISTED:
            return list(options)
        searched, now = f"_searched {key}", st.session_state.get(key)
        carried = self.address.carried(key) if key in CARRIED else None
        if self.address.sets(key):
            st.session_state.pop(searched, None)
        elif now is not None and now != others[0] and now not in options:
            found = _with(options, now)
            if found:
                st.session_state[searched] = now
                having = f"{len(found):,} of {len(options):,} have {now!r} in their name"
                self._notes.caption(plain(f"{label}: {having}; the list has them, newest first."))
            else:
                self._notes.caption(plain(f"{label}: none of {len(options):,} has {now!r} in it."))
            st.session_state[key] = next(iter(found), self.address.parameter(key) or options[0])
        found = _with(options, st.session_state.get(searched, ""))
        chosen = {one for one in (*others, carried, st.session_state.get(key)) if one is not None}
        listed = found[:_LISTED]
        return listed + sorted(chosen.difference(listed).intersection(options))

    def _carried(self, key: str, label: str, shown: Sequence[str]) -> str | None:
        """Return the choice made on another page; a note tells where this one has no data of it."""
        carried = self.address.carried(key) if key in CARRIED else None
        if carried is None or carried in shown:
            return carried
        if shown:
            what = label[:1].lower() + label[1:]
            self._notes.caption(plain(f"The {what} {carried} has nothing to show here."))
        return None

    def pick(
        self,
        label: str,
        options: Sequence[str],
        *,
        key: str,
        placeholder: str,
        default: str | None = None,
    ) -> str | None:
        """Return the choice among `options` or a typed one; None without one."""
        if self.address.sets(key):
            carried = self.address.carried(key) if key in CARRIED else None
            st.session_state[key] = self.address.parameter(key) or carried or default
        given = st.session_state.get(key)
        place: Any = self._filters
        found = _with(options, given) if given is not None and given not in options else []
        listed = (found or list(options))[:_LISTED]
        chosen: str | None = place.selectbox(
            _label(label, options),
            listed if given is None or given in listed else [given, *listed],
            index=None,
            key=key,
            placeholder=placeholder,
            accept_new_options=True,
        )
        if chosen:
            self.address.keep(key, [chosen])
        return chosen

    def period(self) -> Period | None:
        """Return the first and the last time of what is shown; None for all time.

        It goes along from page to page, as the part of a history that was selected does.
        """
        text = self.pick("Time", list(_DAYS), key="time", placeholder="all, or DAY to DAY")
        self.address.keep("time", [text or ""])
        return period_of(text) if text else None

    def tabs(self, titles: Sequence[str], *, key: str) -> str:
        """Return the title of the tab that the user chose; shown where it is called."""
        linked = self.address.parameter(key)
        if self.address.sets(key):
            if linked and linked not in titles:
                self.address.keep(key, [linked])
                raise unknown("Tab", linked, titles)
            st.session_state[key] = linked or titles[0]
        if st.session_state.get(key) not in titles:
            st.session_state[key] = titles[0]
        chosen = st.segmented_control(
            "Tab", titles, key=key, label_visibility="collapsed", required=True
        )
        self.address.keep(key, [chosen or titles[0]])
        return chosen or titles[0]

    def multi(
        self,
        label: str,
        options: Sequence[str],
        *,
        key: str,
        placeholder: str = "All",
        default: Sequence[str] = (),
        most: int | None = None,
    ) -> list[str]:
        """Return the choices among `options`, at most `most`; the empty list is no choice.

        Where nothing was chosen they are `default`.
        """
        linked = [one for one in self.address.given.get(key, default) if one]
        wrong: UsageError | None = None
        if self.address.sets(key):
            others = [one for one in linked if one not in options]
            if others:
                wrong = unknown(label, others[0], options)
            elif most is not None and len(linked) > most:
                wrong = UsageError(
                    f"{label}: the link has {len(linked)}, shown are at most {most}.",
                    hint="Take some away above.",
                )
            st.session_state[key] = [one for one in linked if one in options][:most]
        else:
            known = [one for one in st.session_state[key] if one in options]
            st.session_state[key] = known if known or not st.session_state[key] else list(default)
        chosen: list[str] = self._filters.multiselect(
            label,
            options,
            key=key,
            placeholder=placeholder,
            max_selections=most,
            width=_CHOICES_WIDTH,
        )
        if wrong is not None:
            self.address.keep(key, linked)
            raise wrong
        self.address.keep(key, chosen or [""])
        return chosen

    def number(
        self,
        label: str,
        *,
        key: str,
        value: N,
        low: N | None = None,
        high: N | None = None,
        step: N | None = None,
        help: str | None = None,  # noqa: A002
    ) -> N:
        """Return the number that the user sets; int or float as `value` is."""
        wrong = None
        if self.address.sets(key):
            linked = self.address.parameter(key)
            number = _number(linked, value, low, high) if linked else value
            st.session_state[key] = value if number is None else number
            wrong = linked if number is None else None
        place: Any = self._filters
        given: N = place.number_input(
            label, min_value=low, max_value=high, step=step, key=key, help=help
        )
        self.address.keep(key, [_text(given) if wrong is None else wrong])
        if wrong is not None:
            limits = "" if low is None else f" of at least {_text(low)}"
            limits = limits if high is None else f" from {_text(low or 0)} to {_text(high)}"
            raise UsageError(
                f"The link has {wrong!r} for {label}, which is not a number{limits}.",
                hint="Set another above.",
            )
        return given

    def text(self, label: str, *, key: str, placeholder: str = "") -> str:
        """Return the text that the user types; the empty one is no choice."""
        if self.address.sets(key):
            st.session_state[key] = self.address.parameter(key) or ""
        given = self._filters.text_input(label, key=key, placeholder=placeholder) or ""
        self.address.keep(key, [given])
        return given

    def toggle(
        self,
        label: str,
        *,
        key: str,
        help: str | None = None,  # noqa: A002
        inline: bool = False,
    ) -> bool:
        """Return whether the user switched something on; `inline` shows it where it is called."""
        place: Any = st if inline else self._filters
        linked = self.address.parameter(key)
        wrong = self.address.sets(key) and linked not in (None, "", "true", "false")
        if self.address.sets(key):
            st.session_state[key] = linked == "true"
        is_on: bool = place.toggle(label, key=key, help=help)
        self.address.keep(key, [str(is_on).lower() if not wrong else str(linked)])
        if wrong:
            raise UsageError(
                f"The link has {linked!r} for {label}, which is neither true nor false.",
                hint="Switch it above.",
            )
        return is_on

    def finish(self) -> None:
        """Write the address, report what of it was not used, and offer it as a link."""
        if not self.is_complete:
            self.address.keep_unused()
        elif unused := self.address.unused():
            parts = ", ".join(f"{key}={self.address.parameter(key)}" for key in unused)
            self._notes.warning(plain(f"This page has no use for {parts} of the link."))
        self.address.write()
        given = [(key, one) for key, values in self.address.query.items() for one in values]
        if given:
            with st.container(horizontal=True):
                with st.popover("Link to this view", icon=":material/link:", type="tertiary"):
                    address = (st.context.url or "").split("?", 1)[0]
                    st.code(f"{address}?{urlencode(given)}", language=None, wrap_lines=True)
                with st.popover("Pictures of the charts", icon=":material/image:", type="tertiary"):
                    drawn = {"names": shown_names(), "queries": self.queries}
                    component("pictures")(key="pictures", data=drawn)


def period_of(text: str) -> Period:
    """Return the period that a text states; raises `UsageError` where it states none."""
    if text in _DAYS:
        today = datetime.combine(datetime.now(UTC), time(), UTC)
        return today - timedelta(days=_DAYS[text]), today + timedelta(days=1)
    try:
        first, last = (utc(end) for end in text.split(" to "))
    except ValueError:
        raise UsageError(
            f"Time: {text!r} is no period.",
            hint="Choose one above, or type two days: 2026-01-31 to 2026-02-28.",
        ) from None
    return first, last + timedelta(days=1) if last.time() == time() else last


def utc(text: str) -> datetime:
    """Return the time that a text states, of UTC unless it names a zone."""
    found = datetime.fromisoformat(text.strip())
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def period_text(period: Period) -> str:
    """Return the text of a period, in days or, where it is short, in seconds."""
    first, last = (end.astimezone(UTC) for end in period)
    if last - first >= timedelta(days=2):
        return f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"
    return f"{first:%Y-%m-%d %H:%M:%S} to {last + timedelta(seconds=1):%Y-%m-%d %H:%M:%S}"


def _label(label: str, options: Sequence[str]) -> str:
    """Return the label of a list, which tells where there are more options than it shows."""
    return label if len(options) <= _LISTED else f"{label} (of {len(options):,}: type to search)"


def _with(options: Sequence[str], text: str) -> list[str]:
    """Return the options that have a text in them, in any letters' case."""
    return [one for one in options if text.lower() in one.lower()]


def _number(linked: str, usual: N, low: N | None, high: N | None) -> N | None:
    """Return the number that a link has, as `usual` is one; None where it is none or too far."""
    try:
        number = type(usual)(linked)
    except ValueError:
        return None
    if not isfinite(number) or (low is not None and number < low):
        return None
    return None if high is not None and number > high else number


def _text(number: float) -> str:
    return f"{number:.12g}" if isinstance(number, float) else str(number)
