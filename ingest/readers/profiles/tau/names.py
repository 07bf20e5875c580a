"""Meaning of TAU's names: the function, its call path, and rows that repeat a time.

A TAU profile has a function's time once in a row of its own and, with TAU_CALLPATH, again in
rows `main => solve => MPI_Send()`, one for each path (or for its last TAU_CALLPATH_DEPTH
functions). Left out altogether are rows that split up the time of another row and are no call
paths: of parameters (group TAU_PARAM), of samples ([SAMPLE], [SUMMARY] ... within a timer), and
the ends of paths that ParaProf adds when it packs a profile (group TAU_CALLPATH_DERIVED).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.parsing.call_paths import ARROW, frame_name
from udfs.arrays import Flags, Floats, Integers

_CALLS = r"\s+=>\s+"
_OTHER_SPLITS = r"\[(?:SAMPLE|SUMMARY|CONTEXT|UNWIND|INTERMEDIATE)\] "
_OTHER_GROUPS = r"(?:^|\|)\s*(?:TAU_PARAM|TAU_CALLPATH_DERIVED)\s*(?:\||$)"


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a profile, one entry each.

    `function` is the last function of a path, without blanks around it; `callpath` joins the
    path with ->, null for a row of the function itself; `code` numbers the functions, so that a
    function and the paths that end in it have one code; `counted` is False where other rows have
    the time already.
    """

    function: pa.StringArray
    callpath: pa.StringArray
    code: Integers
    counted: Flags

    @property
    def is_path(self) -> Flags:
        """Return which names are call paths."""
        flags: Flags = self.callpath.is_valid().to_numpy(zero_copy_only=False)
        return flags


def names_of(names: pa.StringArray, groups: pa.StringArray) -> Names:
    """Take names and groups (joined with |) apart; both have one entry per name."""
    split = pc.split_pattern_regex(pc.utf8_trim_whitespace(names), _CALLS)
    last = split.offsets[1:].to_numpy() - 1
    coded = split.values.dictionary_encode()
    known = pa.array(map(frame_name, coded.dictionary.to_pylist()), pa.string())
    frames = known.take(coded.indices)
    function = frames.take(pa.array(last))
    joined = pc.binary_join(pa.ListArray.from_arrays(split.offsets, frames), ARROW)
    is_path = pc.greater(pc.list_value_length(split), 1)
    again = pc.or_(
        pc.match_substring_regex(names, _OTHER_SPLITS),
        pc.match_substring_regex(groups, _OTHER_GROUPS),
    )
    return Names(
        function=function,
        callpath=pc.if_else(is_path, joined, pa.scalar(None, pa.string())),
        code=function.dictionary_encode().indices.to_numpy().astype(np.int64),
        counted=~again.to_numpy(zero_copy_only=False),
    )


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows of one thread that count its time once: rows as they are, and what is left over.

    `rows` are row numbers. `rest` are row numbers of functions that spent `exclusive` and
    `calls` next to those of their call paths.
    """

    rows: Integers
    rest: Integers
    exclusive: Floats
    calls: Floats


def count_once(names: Names, calls: Floats, exclusive: Floats) -> Selection:
    """Choose rows that count a thread's time once, by call path as far as paths were kept.

    A function's paths replace the function, and what they leave of its time and calls is the
    rest: that of a root, which nobody called. Where the paths have more time than the function
    had, they are not trusted and the function's own row is used. Times are whole microseconds, so
    that sums over paths may be off by a few.
    """
    is_path, code, counted = names.is_path, names.code, names.counted
    count = int(code.max(initial=-1)) + 1

    def total(values: Floats, rows: Flags) -> Floats:
        sums: Floats = np.bincount(code[rows], values[rows], minlength=count).astype(float)
        return sums

    flat, paths = counted & ~is_path, counted & is_path
    ones = np.ones(len(code))
    has_flat, has_paths = total(ones, flat) > 0, total(ones, paths) > 0
    own, by_path = total(exclusive, flat), total(exclusive, paths)
    slack = own * 1e-6 + 1.0 + total(ones, paths)
    trusted = has_paths & (~has_flat | (by_path <= own + slack))
    rows = np.flatnonzero((paths & trusted[code]) | (flat & ~trusted[code]))

    left = np.maximum(own - by_path, 0.0)
    calls_left = np.maximum(total(calls, flat) - total(calls, paths), 0.0)
    wanted = trusted & has_flat & ((left > slack) | (calls_left > 0))
    first = np.full(count, len(code))
    np.minimum.at(first, code[flat], np.flatnonzero(flat))
    return Selection(rows, first[wanted], left[wanted], calls_left[wanted])
