"""Python's cProfile and profile dumps, as `cProfile -o` and `pstats.Stats.dump_stats` write them.

A dump is a marshalled dict {(file, line, function): (primitive calls, calls, own time, time with
callees, callers)} in seconds (Lib/cProfile.py, Lib/pstats.py).
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ingest.base import Item, Rows, Run, SingleFile
from ingest.parsing.marshal_values import MarshalReader
from ingest.recording import Recording
from warehouse.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

_LIMIT = 64 << 20
_MAX_NAME = 1 << 16
_ENTRY = "(primitive calls, calls, own time, time with callees, callers)"


class CProfile(SingleFile):
    """Reads Python profiles as flat profiles: who called whom is not kept."""

    NAME = "cprofile"
    DESCRIPTION = "Python cProfile dump (python -m cProfile -o FILE): time and calls of functions"
    PATTERNS = ("*.pstats", "*.prof", "*.cprof")
    TABLES = ("fn_timings",)
    # A dict whose first key is a tuple of a text, a number and a text; or an empty one.
    START = re.compile(
        rb"[{\xfb](?:0\Z|[(\xa8]\x03\0\0\0[stuaAzZ\xf3\xf4\xf5\xe1\xc1\xfa\xda]|"
        rb"[)\xa9]\x03[stuaAzZ\xf3\xf4\xf5\xe1\xc1\xfa\xda])"
    )

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run and its rows; see `Reader.read`.

        Own times add up to less than the elapsed time where threads or the profiler itself took
        some, so the run's wall_seconds stays unknown.
        """
        with recording.open() as file:
            data = file.read(_LIMIT + 1)
        if len(data) > _LIMIT:
            raise InputError(f"the file is larger than {_LIMIT >> 20} MiB", expected="a profile")
        rows = _rows(MarshalReader(data))
        yield Run()
        yield Rows("fn_timings", rows)


def _rows(reader: MarshalReader) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    functions: dict[str, None] = {}
    calls, seconds, inclusive = array("q"), array("d"), array("d")
    sampled_calls: list[tuple[str, str]] = []
    for key, entry in reader.pairs():
        function = _label(reader, key)
        if function in functions:
            raise reader.error(f"{function} is a duplicate", "each function once")
        functions[function] = None
        _check_entry(reader, function, entry)
        # yappi writes all calls first, then the primitive ones.
        calls.append(entry[1] if entry[1] < 0 else max(entry[:2]))
        seconds.append(entry[2])
        inclusive.append(entry[3])
        if entry[1] < 0:
            sampled_calls += [(_label(reader, caller), function) for caller in entry[4]]
    if not reader.at_end():
        raise reader.error("there are more bytes after the profile", "the end of the file")
    if not functions:
        raise reader.error("the profile has no functions", "at least one")
    return pa.table(
        {
            "function": pa.array(functions, pa.string()),
            "calls": pa.array(np.array(calls), mask=np.array(calls) < 0),
            "seconds": np.array(seconds),
            "inclusive_seconds": pa.array(
                np.array(inclusive), mask=_in_cycles(list(functions), sampled_calls)
            ),
        }
    )


def _in_cycles(functions: list[str], calls: list[tuple[str, str]]) -> NDArray[np.bool_]:
    """Return which functions call themselves, also by way of others, by (caller, callee).

    pyinstrument, which counts no calls, adds up the time of each of their calls, also of one that
    lies within another.
    """
    import numpy as np

    if not calls:
        return np.zeros(len(functions), np.bool_)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    number = {function: place for place, function in enumerate(functions)}
    known = [pair for pair in calls if pair[0] in number]
    caller, callee = (np.array([number[pair[end]] for pair in known], np.int64) for end in (0, 1))
    shape = (len(functions), len(functions))
    graph = coo_array((np.ones(len(known)), (caller, callee)), shape=shape)
    cycle = connected_components(graph, connection="strong")[1]
    found: NDArray[np.bool_] = np.bincount(cycle)[cycle] > 1
    found[caller[caller == callee]] = True
    return found


def _label(reader: MarshalReader, key: Any) -> str:
    """Return a function's name as pstats writes it: `file:line(function)`."""
    match key:
        case (str(file), int(line), str(name)) if (
            0 <= line < 2**31 and 0 < len(name) < _MAX_NAME and len(file) < _MAX_NAME
        ):
            if (file, line) != ("~", 0):
                return f"{file}:{line}({name})"
            return f"{{{name[1:-1]}}}" if name.startswith("<") and name.endswith(">") else name
    raise reader.error("a function is not named as in a profile", "(file, line, function)")


def _check_entry(reader: MarshalReader, function: str, entry: Any) -> None:
    if not isinstance(entry, tuple) or len(entry) != 5 or not isinstance(entry[4], dict):
        raise reader.error(f"{function} has no entry of a profile", _ENTRY)
    _check_counts(reader, function, entry[:4])
    for caller, part in entry[4].items():
        _label(reader, caller)
        # The pure-Python profiler notes only how often each caller called.
        _check_counts(reader, function, (part, part, 0.0, 0.0) if isinstance(part, int) else part)


def _check_counts(reader: MarshalReader, function: str, counts: Any) -> None:
    match counts:
        case (int() as some, int() as other, float() | int() as own, float() | int() as total):
            pass
        case _:
            raise reader.error(f"{function} has no entry of a profile", _ENTRY)
    for count in (some, other):
        # Profiles that other tools write in this format have -1 where nobody counted.
        if not -1 <= count < 2**63:
            raise reader.error(f"{function} has {count} calls", "a count from 0 within 64 bits")
    for time in (own, total):
        if not (math.isfinite(time) and time >= 0):
            raise InputError(
                f"{function} has a time of {time:g} s",
                where=f"byte {reader.position}",
                expected="0 or more",
                hint="A profile.Profile with a bias can write negative times: record without it.",
            )
