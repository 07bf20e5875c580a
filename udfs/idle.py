"""Attribution on the time axis: which runtime work, overhead and latency of others caused
starvation.

The set-wise part of the idle attribution, where SQL is slower: measured on 10^6 tasks, window
functions and ASOF joins take three times as long for the direct mode alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Flags, Integers
from udfs.timeline import Axes, Points, Timeline, expand

_CHUNK = 1 << 17  # rows at once, which stay in the cache
_EXACT = 2.0**62  # products below it are exact in 64 bits
Intervals = tuple[Integers, Integers, Integers]
_RULES = ("union", "last_arrival")
# Of the starvation of an idle interval: what each mode takes out of it. E is exact runtime of the
# worker waited for, C that of others and the rest of their intervals, X their latency.
_TAKEN = {"direct": "E", "propagated": "EC", "transitive": "ECX"}


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

    def until(self, places: Integers, moment: int) -> Gaps:
        """Return some of them, cut at a moment, as if what is there at it ended there."""
        a, s1, b, la, u = (
            np.minimum(times[places], moment)
            for times in (self.a, self.s1, self.b, self.la, self.u)
        )
        return Gaps(self.w[places], a, s1, b, la, u, self.v[places], self.is_recorded[places])


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
    data were on the wire, `windows` those where runtime work is known as a total, `work`. All are
    (worker, start, end), sorted by worker and start, not empty, and may overlap. Workers are
    numbered below `workers`. Raises OverflowError where times span more than 64 bits.
    """

    def __init__(
        self,
        workers: int,
        gaps: Gaps,
        exact: Intervals,
        flights: Intervals,
        windows: Intervals,
        work: Integers,
    ) -> None:
        self.gaps = gaps
        self.windows = windows
        self.work = work
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
        """Return the shares of stretches [start, end) of the starvation of the numbered gaps."""
        got = Shares(*(np.zeros(len(gap), np.int64) for _ in Shares.__slots__))
        self._follow(gap, start, end, partial(self._add_work, got), partial(self._add_rest, got))
        return got

    def _follow(
        self,
        gap: Integers,
        start: Integers,
        end: Integers,
        add_work: Callable[[_Waits, bool], None],
        add_rest: Callable[[Integers, Integers, Integers, Integers], None],
    ) -> None:
        """Follow stretches [start, end) of the starvation of the numbered gaps to their causes.

        By rounds: the parts of a stretch in which the awaited worker was in its runtime
        (`add_work`), in latency or in the rest of an idle interval (`add_rest`, with stretch, gap,
        start and end) are attributed at once; where that worker starved itself, the part waits for
        the next worker in turn. The ends of the idle intervals decrease strictly, so there are at
        most as many rounds as workers idle at one time.
        """
        v = self.gaps.v[gap]
        some = np.flatnonzero((v >= 0) & (start < end))
        some = some[self.axes.order(v[some], start[some])]
        chunks = [some[low : low + _CHUNK] for low in range(0, len(some), _CHUNK)]

        def attribute(part: Integers) -> None:
            waits = _Waits(part, v[part], start[part], end[part], self.gaps.b[gap[part]])
            add_work(waits, True)
            while len(waits.owner):
                waits = self._round(waits, add_rest)
                add_work(waits, False)

        # Chunks have disjoint stretches, and numpy releases the interpreter lock.
        with ThreadPoolExecutor() as pool:
            list(pool.map(attribute, chunks))

    def _add_work(self, got: Shares, waits: _Waits, is_first: bool) -> None:
        """Add the overhead: the parts within exact runtime work of the awaited worker."""
        work = self.exact.within(waits.v, waits.p, waits.q)
        for total in (got.c_u, got.c_l, *([got.direct] if is_first else [])):
            np.add.at(total, waits.owner, work)

    def _round(
        self, waits: _Waits, add_rest: Callable[[Integers, Integers, Integers, Integers], None]
    ) -> _Waits:
        """Attribute the parts within idle intervals; return those that wait for the next worker."""
        gaps = self.gaps
        first, end_place = self.idle.touching(waits.v, waits.p, waits.q)
        # Intervals that end at b or later are not known yet; only the last one can be.
        last = np.maximum(end_place - 1, 0)
        end_place = end_place - ((end_place > first) & (gaps.b[last] >= waits.b))
        ask, gap = expand(first, end_place)
        owner = waits.owner[ask]
        begin = np.maximum(waits.p[ask], gaps.a[gap])
        stop = np.minimum(waits.q[ask], gaps.b[gap])
        cut = np.clip(gaps.s1[gap], begin, stop)
        some = np.flatnonzero(cut < stop)
        piece, p, q = self.exact.cut_out(gaps.w[gap[some]], cut[some], stop[some])
        add_rest(owner[some][piece], gap[some][piece], p, q)
        starved = np.flatnonzero((begin < cut) & (gaps.v[gap] >= 0))
        owner, gap, begin, cut = owner[starved], gap[starved], begin[starved], cut[starved]
        piece, p, q = self.exact.cut_out(gaps.w[gap], begin, cut)
        return _Waits(owner[piece], gaps.v[gap[piece]], p, q, gaps.b[gap[piece]])

    def _add_rest(
        self, got: Shares, owner: Integers, gap: Integers, p: Integers, q: Integers
    ) -> None:
        """Add stretches after the starvation of a gap: latency or rest."""
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

    def parts(self, cut: Gaps | None = None, places: Integers | None = None) -> dict[str, Integers]:
        """Return the parts of each gap, n int64 of ns each, named as `Shares` and some more.

        `latency` is by the rule union, `unsubmitted` the rest before the task was submitted by
        the same rule; `ov_uniform`, and `propagated` and `transitive` by the latency rules, the
        share of runtime totals; `place` numbers the gaps. Of those at some `places`, `cut` at a
        moment, it is what they have up to that.
        """
        gaps = self.gaps if cut is None else cut
        every = np.arange(len(gaps)) if places is None else places
        with ThreadPoolExecutor() as pool:
            flown = pool.submit(self.latency.within, gaps.w, gaps.s1, gaps.b)
            before = pool.submit(self.latency.within, gaps.w, gaps.s1, gaps.u)
            shares = self.shares(every, gaps.a, gaps.s1)
        return {
            "place": every,
            "latency": flown.result(),
            "unsubmitted": gaps.u - gaps.s1 - before.result(),
            **shares.named(),
            **self._uniform(every, gaps, shares),
        }

    def flights(self) -> dict[str, Integers]:
        """Return the merged stretches of latency: worker w, start p, end q."""
        return {"w": self.latency.axis, "p": self.latency.start, "q": self.latency.end}

    def _uniform(self, places: Integers, gaps: Gaps, shares: Shares) -> dict[str, Integers]:
        """Return the shares of runtime totals in the starvation of gaps, which have `shares`.

        Work known as a total is spread evenly over what exact runtime leaves of its window, in all
        at most over the starvation there is.
        """
        w, p, q = self.windows
        gap, window = self._overlaps(gaps)
        free = (q - p - self.exact.within(w, p, q))[window]
        gap, window, free = gap[free > 0], window[free > 0], free[free > 0]
        start, end = np.maximum(p[window], gaps.a[gap]), np.minimum(q[window], gaps.s1[gap])
        within = Shares(*(values[gap] for values in shares.named().values()))
        cut = np.flatnonzero((start > gaps.a[gap]) | (end < gaps.s1[gap]))
        within.put(cut, self.shares(places[gap[cut]], start[cut], end[cut]))
        work = np.minimum(self.work[window], free)
        found = {}
        for name, *taken in (
            ("ov_uniform", "direct"),
            ("propagated_u", "c_u"),
            ("transitive_u", "c_u", "x_u"),
            ("propagated_l", "c_l"),
            ("transitive_l", "c_l", "x_l"),
        ):
            most = gaps.s1 - gaps.a
            met = end - start
            for part in taken:
                most, met = most - getattr(shares, part), met - getattr(within, part)
            sums = np.zeros(len(places), np.int64)
            np.add.at(sums, gap, _part_of(work, met, free))
            found[name] = np.minimum(sums, most)
        return found

    def _overlaps(self, gaps: Gaps) -> tuple[Integers, Integers]:
        """Return the windows that overlap starvation: (place in gaps, window), pair by pair."""
        w, p, q = self.windows
        starved = np.flatnonzero((gaps.s1 > gaps.a) & (gaps.v >= 0))
        v, a, s1 = gaps.v[starved], gaps.a[starved], gaps.s1[starved]
        first = Points(self.axes, w, self.axes.running_max(w, q)).find(v, a, "right")
        end_place = Points(self.axes, w, p).find(v, s1, "left")
        gap, window = expand(first, np.maximum(first, end_place))
        met = q[window] > a[gap]
        return starved[gap[met]], window[met]

    def pieces(self, places: Integers) -> Iterator[tuple[str, str, Pieces]]:
        """Yield by mode and latency rule the pieces that some gaps consist of."""
        gaps, every = self.gaps.until(places, np.iinfo(np.int64).max), np.arange(len(places))
        timelines = dict(zip(_RULES, (self.latency, self.arrival), strict=True))
        caused: dict[str, list[tuple[str, Intervals]]] = {rule: [] for rule in _RULES}

        def add_work(waits: _Waits, is_first: bool) -> None:
            of, p, q = self.exact.cut_in(waits.v, waits.p, waits.q)
            for found in caused.values():
                found.append(("E" if is_first else "C", (waits.owner[of], p, q)))

        def add_rest(owner: Integers, gap: Integers, p: Integers, q: Integers) -> None:
            for rule, timeline in timelines.items():
                for name, cut in (("X", timeline.cut_in), ("C", timeline.cut_out)):
                    of, begin, end = cut(self.gaps.w[gap], p, q)
                    caused[rule].append((name, (owner[of], begin, end)))

        self._follow(places, gaps.a, gaps.s1, add_work, add_rest)
        for rule, timeline in timelines.items():
            own = [
                (name, cut(gaps.w, gaps.s1, gaps.b))
                for name, cut in (("L", timeline.cut_in), ("R", timeline.cut_out))
            ]
            for mode, taken in _TAKEN.items():
                parts = [
                    ("C" if name == "E" else name, stretches)
                    for name, stretches in caused[rule]
                    if name in taken
                ]
                axes = Axes.over(len(places), gaps.a, gaps.b)
                known = _joined(parts)
                starved = Timeline.union(axes, known.gap, known.p, known.q)
                left = ("S", starved.cut_out(every, gaps.a, gaps.s1))
                yield mode, rule, _joined([left, *parts, *own]).merged()


@dataclass(frozen=True, slots=True)
class Pieces:
    """Stretches [p, q) of gaps, by gap and start, not empty: m each, with a class (one letter)."""

    gap: Integers
    p: Integers
    q: Integers
    name: NDArray[np.str_]

    def merged(self) -> Pieces:
        """Return them with adjacent ones of one class as one."""
        first = np.ones(len(self.gap), bool)
        first[1:] = (
            (self.gap[1:] != self.gap[:-1])
            | (self.p[1:] != self.q[:-1])
            | (self.name[1:] != self.name[:-1])
        )
        last = np.append(first[1:], True)[: len(first)]
        return Pieces(self.gap[first], self.p[first], self.q[last], self.name[first])


def _joined(parts: list[tuple[str, Intervals]]) -> Pieces:
    """Return stretches (gap, start, end), each with its class, in order."""
    none = np.empty(0, np.int64)
    gap, p, q = (
        np.concatenate([none, *(stretches[i] for _, stretches in parts)]) for i in range(3)
    )
    name = np.repeat(
        np.array([name for name, _ in parts], "U1"), [len(stretches[0]) for _, stretches in parts]
    )
    order = np.lexsort((p, gap))
    order = order[p[order] < q[order]]
    return Pieces(gap[order], p[order], q[order], name[order])


def _part_of(work: Integers, met: Integers, free: Integers) -> Integers:
    """Return work * met // free, though the product may exceed 64 bits."""
    part = np.empty(len(work), np.int64)
    large = work.astype(float) * met >= _EXACT
    part[~large] = work[~large] * met[~large] // free[~large]
    some = (values[large].astype(object) for values in (work, met, free))
    part[large] = [x * y // z for x, y, z in zip(*some, strict=True)]
    return part
