"""Attribution on the time axis: what others' runtime, overhead and latency make of starvation.

The set-wise part of the idle attribution that SQL is slower at: measured on 10^6 tasks, window
functions and ASOF joins take three times as long for the direct mode alone.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from udfs.timeline import Axes, Int, Points, Timeline, spread

_CHUNK = 1 << 17
Intervals = tuple[Int, Int, Int]


@dataclass(frozen=True, slots=True)
class Gaps:
    """Idle intervals [a, b), sorted by worker w and time.

    [a, s1) is starvation for a datum made on worker v (-1: unknown), la where latency ends in the
    reading last_arrival, u where the time before submission ends; a <= s1 <= la, u <= b. All are
    arrays of n whole numbers, times int64.
    """

    w: Int
    a: Int
    s1: Int
    b: Int
    la: Int
    u: Int
    v: Int

    def __len__(self) -> int:
        return len(self.w)


@dataclass(frozen=True, slots=True)
class Shares:
    """What lies within stretches of starvation, ns: m int64 each.

    `direct` is exact runtime work of the producer's worker. The rest is with inheritance: overhead
    `c` and latency `x`, under the latency rules union (`_u`) and last_arrival (`_l`).
    """

    direct: Int
    c_u: Int
    x_u: Int
    c_l: Int
    x_l: Int

    def named(self) -> dict[str, Int]:
        """Give the shares by name."""
        return {name: getattr(self, name) for name in Shares.__slots__}

    def put(self, places: Int, others: Shares) -> None:
        """Overwrite the shares of some of the stretches."""
        for name in Shares.__slots__:
            getattr(self, name)[places] = getattr(others, name)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Stretches [p, q) that wait for worker v, on behalf of `owner`, in intervals that end at b."""

    owner: Int
    v: Int
    p: Int
    q: Int
    b: Int


class Attribution:
    """The idle intervals of runs, with the exact runtime work and the latency on the time axis.

    `exact` are intervals of runtime work, `flights` stretches of idle intervals after s1 in which
    data were on the wire, `windows` those of runtime work known as a total. All are (worker,
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

    def shares(self, gap: Int, start: Int, end: Int) -> Shares:
        """Share out stretches [start, end) of the starvation of the numbered gaps.

        By rounds: what a stretch meets on the worker it waits for is settled at once where that
        worker was in its runtime, in latency or in the rest of an idle interval; where it starved
        itself, the stretch goes on to wait for the one that it waited for. The ends of the idle
        intervals fall strictly, so there are no more rounds than workers idle at one time.
        """
        got = Shares(*(np.zeros(len(gap), np.int64) for _ in Shares.__slots__))
        v = self.gaps.v[gap]
        some = np.flatnonzero((v >= 0) & (start < end))
        some = some[self.axes.order(v[some], start[some])]
        chunks = [some[low : low + _CHUNK] for low in range(0, len(some), _CHUNK)]

        def share(part: Int) -> None:
            asked = _Asked(part, v[part], start[part], end[part], self.gaps.b[gap[part]])
            self._settle_work(asked, got)
            got.direct[part] = got.c_u[part]
            while len(asked.owner):
                asked = self._round(asked, got)
                self._settle_work(asked, got)

        # The chunks are of different stretches, and numpy lets go of the interpreter.
        with ThreadPoolExecutor() as pool:
            list(pool.map(share, chunks))
        return got

    def _settle_work(self, asked: _Asked, got: Shares) -> None:
        """Share out what lies in the exact runtime of the worker waited for: overhead."""
        work = self.exact.within(asked.v, asked.p, asked.q)
        np.add.at(got.c_u, asked.owner, work)
        np.add.at(got.c_l, asked.owner, work)

    def _round(self, asked: _Asked, got: Shares) -> _Asked:
        """Settle what meets idle intervals, and give what goes on to wait for others."""
        gaps = self.gaps
        first, behind = self.idle.touching(asked.v, asked.p, asked.q)
        # Intervals that end at b or later are not known yet: at most the last one is such.
        last = np.maximum(behind - 1, 0)
        behind = behind - ((behind > first) & (gaps.b[last] >= asked.b))
        ask, gap = spread(first, behind)
        begin = np.maximum(asked.p[ask], gaps.a[gap])
        stop = np.minimum(asked.q[ask], gaps.b[gap])
        cut = np.clip(gaps.s1[gap], begin, stop)
        self._settle(asked.owner[ask], gap, cut, stop, got)
        starved = np.flatnonzero((begin < cut) & (gaps.v[gap] >= 0))
        owner = asked.owner[ask][starved]
        gap, begin, cut = gap[starved], begin[starved], cut[starved]
        piece, p, q = self.exact.cut_out(gaps.w[gap], begin, cut)
        return _Asked(owner[piece], gaps.v[gap[piece]], p, q, gaps.b[gap[piece]])

    def _settle(self, owner: Int, gap: Int, start: Int, end: Int, got: Shares) -> None:
        """Share out stretches that lie behind the starvation of a gap: latency or rest."""
        some = np.flatnonzero(start < end)
        piece, p, q = self.exact.cut_out(self.gaps.w[gap[some]], start[some], end[some])
        owner, w = owner[some][piece], self.gaps.w[gap[some][piece]]
        for timeline, c, x in (
            (self.latency, got.c_u, got.x_u),
            (self.arrival, got.c_l, got.x_l),
        ):
            flown = timeline.within(w, p, q)
            np.add.at(x, owner, flown)
            np.add.at(c, owner, q - p - flown)

    def parts(self) -> dict[str, Int]:
        """Measure the parts of each gap, n int64 of ns each, named as `Shares` and two more.

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

    def flights(self) -> dict[str, Int]:
        """Give the merged stretches of latency: worker w, start p, end q."""
        return {"w": self.latency.axis, "p": self.latency.start, "q": self.latency.end}

    def windows_met(self, parts: dict[str, Int], work: Int) -> dict[str, Int]:
        """Measure the windows of runtime totals against the starvation that meets them.

        A gap meets the windows on the worker that it waits for. `parts` are those of the gaps,
        `work` the windows' totals. Gives for each pair the gap's number `place`, the window's total
        and its length y without exact runtime, the length `met` of the starvation within it, and
        the shares of that.
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

    def _overlaps(self) -> tuple[Int, Int]:
        """Find the windows that starvation meets: (gap, window), pair by pair."""
        gaps = self.gaps
        w, p, q = self.windows
        starved = np.flatnonzero((gaps.s1 > gaps.a) & (gaps.v >= 0))
        v, a, s1 = gaps.v[starved], gaps.a[starved], gaps.s1[starved]
        first = Points(self.axes, w, self.axes.running_max(w, q)).find(v, a, "right")
        behind = Points(self.axes, w, p).find(v, s1, "left")
        gap, window = spread(first, np.maximum(first, behind))
        met = q[window] > a[gap]
        return starved[gap[met]], window[met]
