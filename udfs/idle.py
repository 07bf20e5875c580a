"""Attribution on the time axis: which runtime work, overhead and latency of others caused
starvation.

The set-wise part of the idle attribution, where SQL is slower: measured on 10^6 tasks, window
functions and ASOF joins take three times as long for the direct mode alone.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from udfs.arrays import Flags, Integers
from udfs.timeline import Axes, Points, Timeline, expand

_CHUNK = 1 << 17  # rows at once, which stay in the cache
Intervals = tuple[Integers, Integers, Integers]


@dataclass(frozen=True, slots=True)
class Gaps:
    """Idle intervals [a, b), sorted by worker w and time.

    [a, s1) is starvation for a datum made on worker v (-1: unknown), la where latency ends by the
    rule last_arrival, u where the time before submission ends; a <= s1 <= la, u <= b. All are
    arrays of n whole numbers, times int64, and is_recorded, whether the trace tells why the worker
    was idle after s1.
    """

    w: Integers
    a: Integers
    s1: Integers
    b: Integers
    la: Integers
    u: Integers
    v: Integers
    is_recorded: Flags

    def __len__(self) -> int:
        return len(self.w)


@dataclass(frozen=True, slots=True)
class Shares:
    """What stretches of starvation consist of, ns: m int64 each.

    `direct` is exact runtime work of the producer's worker. The others are with inheritance:
    overhead `c`, of it `n` from idle intervals that are not recorded, and latency `x`, under the
    latency rules union (`_u`) and last_arrival (`_l`).
    """

    direct: Integers
    c_u: Integers
    x_u: Integers
    c_l: Integers
    x_l: Integers
    n_u: Integers
    n_l: Integers

    def named(self) -> dict[str, Integers]:
        """Return the shares by name."""
        return {name: getattr(self, name) for name in Shares.__slots__}

    def put(self, places: Integers, others: Shares) -> None:
        """Overwrite the shares of some of the stretches."""
        for name in Shares.__slots__:
            getattr(self, name)[places] = getattr(others, name)


@dataclass(frozen=True, slots=True)
class _Waits:
    """Stretches [p, q) that wait for worker v, owned by `owner`, in intervals that end at b."""

    owner: Integers
    v: Integers
    p: Integers
    q: Integers
    b: Integers


class Attribution:
    """The idle intervals of runs, with exact runtime work and latency on the time axis.

    `exact` are intervals of runtime work, `flights` stretches of idle intervals after s1 in which
    data were on the wire, `windows` those where runtime work is known as a total. All are (worker,
    start, end), sorted by worker and start, not empty, and may overlap. Workers are numbered
    below `workers`. Raises OverflowError where times span more than 64 bits.
    """

    def __init__(
        self, workers: int, gaps: Gaps, exact: Intervals, flights: Intervals, windows: Intervals
    ) -> None:
        self.gaps = gaps
        self.windows = windows
        self.axes = Axes.over(workers, gaps.a, gaps.b, *exact[1:], *windows[1:])
        waited = gaps.la > gaps.s1
        arrival = (gaps.w[waited], gaps.s1[waited], gaps.la[waited])
        with ThreadPoolExecutor() as pool:
            parts = (
                pool.submit(Timeline.union, self.axes, *exact),
                pool.submit(Timeline.union, self.axes, *flights),
                pool.submit(Timeline, self.axes, *arrival),
                pool.submit(Timeline, self.axes, gaps.w, gaps.a, gaps.b),
            )
        self.exact, self.latency, self.arrival, self.idle = (part.result() for part in parts)

    def shares(self, gap: Integers, start: Integers, end: Integers) -> Shares:
        """Return the shares of stretches [start, end) of the starvation of the numbered gaps.

        By rounds: the parts of a stretch in which the awaited worker was in its runtime, in latency
        or in the rest of an idle interval are attributed at once; where that worker starved itself,
        the part waits for the next worker in turn. The ends of the idle intervals decrease
        strictly, so there are at most as many rounds as workers idle at one time.
        """
        got = Shares(*(np.zeros(len(gap), np.int64) for _ in Shares.__slots__))
        v = self.gaps.v[gap]
        some = np.flatnonzero((v >= 0) & (start < end))
        some = some[self.axes.order(v[some], start[some])]
        chunks = [some[low : low + _CHUNK] for low in range(0, len(some), _CHUNK)]

        def attribute(part: Integers) -> None:
            waits = _Waits(part, v[part], start[part], end[part], self.gaps.b[gap[part]])
            self._add_work(waits, got)
            got.direct[part] = got.c_u[part]
            while len(waits.owner):
                waits = self._round(waits, got)
                self._add_work(waits, got)

        # Chunks have disjoint stretches, and numpy releases the interpreter lock.
        with ThreadPoolExecutor() as pool:
            list(pool.map(attribute, chunks))
        return got

    def _add_work(self, waits: _Waits, got: Shares) -> None:
        """Add the overhead: the parts within exact runtime work of the awaited worker."""
        work = self.exact.within(waits.v, waits.p, waits.q)
        np.add.at(got.c_u, waits.owner, work)
        np.add.at(got.c_l, waits.owner, work)

    def _round(self, waits: _Waits, got: Shares) -> _Waits:
        """Attribute the parts within idle intervals; return those that wait for the next worker."""
        gaps = self.gaps
        first, end_place = self.idle.touching(waits.v, waits.p, waits.q)
        # Intervals that end at b or later are not known yet; only the last one can be.
        last = np.maximum(end_place - 1, 0)
        end_place = end_place - ((end_place > first) & (gaps.b[last] >= waits.b))
        ask, gap = expand(first, end_place)
        begin = np.maximum(waits.p[ask], gaps.a[gap])
        stop = np.minimum(waits.q[ask], gaps.b[gap])
        cut = np.clip(gaps.s1[gap], begin, stop)
        self._add_rest(waits.owner[ask], gap, cut, stop, got)
        starved = np.flatnonzero((begin < cut) & (gaps.v[gap] >= 0))
        owner = waits.owner[ask][starved]
        gap, begin, cut = gap[starved], begin[starved], cut[starved]
        piece, p, q = self.exact.cut_out(gaps.w[gap], begin, cut)
        return _Waits(owner[piece], gaps.v[gap[piece]], p, q, gaps.b[gap[piece]])

    def _add_rest(
        self, owner: Integers, gap: Integers, start: Integers, end: Integers, got: Shares
    ) -> None:
        """Add stretches after the starvation of a gap: latency or rest."""
        some = np.flatnonzero(start < end)
        piece, p, q = self.exact.cut_out(self.gaps.w[gap[some]], start[some], end[some])
        owner, gap = owner[some][piece], gap[some][piece]
        w, unknown = self.gaps.w[gap], np.flatnonzero(~self.gaps.is_recorded[gap])
        for timeline, c, x, n in (
            (self.latency, got.c_u, got.x_u, got.n_u),
            (self.arrival, got.c_l, got.x_l, got.n_l),
        ):
            flown = timeline.within(w, p, q)
            rest = q - p - flown
            np.add.at(x, owner, flown)
            np.add.at(c, owner, rest)
            np.add.at(n, owner[unknown], rest[unknown])

    def parts(self) -> dict[str, Integers]:
        """Return the parts of each gap, n int64 of ns each, named as `Shares` and three more.

        `latency` is by the rule union, `unsubmitted` the rest before the task was submitted by
        the same rule; `place` numbers the gaps.
        """
        gaps = self.gaps
        every = np.arange(len(gaps))
        with ThreadPoolExecutor() as pool:
            flown = pool.submit(self.latency.within, gaps.w, gaps.s1, gaps.b)
            before = pool.submit(self.latency.within, gaps.w, gaps.s1, gaps.u)
            shares = self.shares(every, gaps.a, gaps.s1)
        return {
            "place": every,
            "latency": flown.result(),
            "unsubmitted": gaps.u - gaps.s1 - before.result(),
            **shares.named(),
        }

    def flights(self) -> dict[str, Integers]:
        """Return the merged stretches of latency: worker w, start p, end q."""
        return {"w": self.latency.axis, "p": self.latency.start, "q": self.latency.end}

    def windows_met(self, parts: dict[str, Integers], work: Integers) -> dict[str, Integers]:
        """Return the overlaps of windows of runtime totals with starvation.

        A gap overlaps windows on the worker that it waits for. `parts` are those of the gaps,
        `work` the windows' totals. For each pair: the gap's number `place`, the window's total and
        its length y without exact runtime, the length `met` of the starvation within it, and the
        shares of that.
        """
        gaps = self.gaps
        w, p, q = self.windows
        gap, window = self._overlaps()
        start, end = np.maximum(p[window], gaps.a[gap]), np.minimum(q[window], gaps.s1[gap])
        within = Shares(*(parts[name][gap] for name in Shares.__slots__))
        cut = np.flatnonzero((start > gaps.a[gap]) | (end < gaps.s1[gap]))
        within.put(cut, self.shares(gap[cut], start[cut], end[cut]))
        free = q - p - self.exact.within(w, p, q)
        return {
            "place": gap,
            "total": work[window],
            "y": free[window],
            "met": end - start,
            **within.named(),
        }

    def _overlaps(self) -> tuple[Integers, Integers]:
        """Return the windows that overlap starvation: (gap, window), pair by pair."""
        gaps = self.gaps
        w, p, q = self.windows
        starved = np.flatnonzero((gaps.s1 > gaps.a) & (gaps.v >= 0))
        v, a, s1 = gaps.v[starved], gaps.a[starved], gaps.s1[starved]
        first = Points(self.axes, w, self.axes.running_max(w, q)).find(v, a, "right")
        end_place = Points(self.axes, w, p).find(v, s1, "left")
        gap, window = expand(first, np.maximum(first, end_place))
        met = q[window] > a[gap]
        return starved[gap[met]], window[met]
