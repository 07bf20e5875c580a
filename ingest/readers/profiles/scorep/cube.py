"""A cube: a call tree, locations (threads of processes), and metrics by call path and location.

pycubexr reads the archive. It trusts the file, so its values are checked here.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from pycubexr import CubexParser

from udfs.arrays import Integers
from warehouse.errors import InputError, PwhError

_ROW_BITS = 31


@dataclass(frozen=True, slots=True)
class Values:
    """A metric's values: a row for each of `nodes` (call paths), a column for each location."""

    nodes: Integers
    values: npt.NDArray[Any]


class Cube:
    """An opened cube.

    `functions` and `above` (the call path that each was called from, -1 for none) have one entry
    per call path, callers first; `rank` and `thread` one per location; `program` is the name of
    the program where the cube has it.
    """

    def __init__(self, parser: CubexParser) -> None:
        self._parser = parser
        with damage("anchor.xml"):
            self._nodes: dict[int, int] = {}
            self.functions: list[str] = []
            above: list[int] = []
            for node, over in _walk(parser.get_root_cnodes()):
                self._nodes[node.id] = len(above)
                self.functions.append(_name(node.region.name))
                above.append(over)
            if len(self._nodes) < len(above):
                raise InputError("two call paths have one id", where="anchor.xml")
            self.above = np.array(above, dtype=np.int64)
            self.program = _program(parser.get_root_cnodes()[0].region)
            self.attributes: Mapping[str, str] = parser._anchor_result.attrs
            self.rank, self.thread, self.ranks, self.threads = _locations(parser)
            self.machine, self.nodes = _system(parser)
            self.metrics = {metric.name: metric for metric in parser.all_metrics() if metric.name}

    def values(self, name: str) -> Values | None:
        """Return a metric's values; None where the cube has none, or none that are plain numbers.

        A count that fell a little below 0 is in the file as one just below 2^64; it is read
        as 0, as Cube's own library reads it.
        Raises `InputError` naming the file in the archive where they are not right.
        """
        from pycubexr.utils.exceptions import MissingMetricError, UnsupportedMetricFormatError

        metric = self.metrics[name]
        with damage(f"{metric.id}.data, metric {name}"):
            try:
                found = self._parser.get_metric_values(metric, cache=False)
            except (MissingMetricError, UnsupportedMetricFormatError):
                return None
            if not isinstance(found.values, np.ndarray) or found.values.dtype.kind not in "iuf":
                return None
            nodes = np.array([self._nodes[node] for node in found.cnode_indices], dtype=np.int64)
            return Values(nodes, found.values.reshape(len(nodes), len(self.rank)))


@contextmanager
def damage(where: str) -> Iterator[None]:
    """Turn what the library does over damaged data into an error that names the place."""
    try:
        # A writer of cubes gave its archive wrong checksums, of which the library warns.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (PwhError, OSError, MemoryError):
        raise
    # Asserts, look-ups in dicts, struct, zlib and XML: any of them can fail.
    except Exception as error:
        problem = f"{type(error).__name__} {error}".splitlines()[0][:120].strip()
        raise InputError(
            f"the cube is damaged, or of a kind that cannot be read ({problem})",
            where=where,
            expected="a whole .cubex with one call tree and one machine, as Score-P writes it",
            hint="Copy it again. If cube_info reads it, this is a gap in the reader.",
        ) from None


def _walk(roots: Any) -> Iterator[tuple[Any, int]]:
    """Yield all call paths with the number of the one above, callers first."""
    stack = [(root, -1) for root in reversed(roots)]
    number = 0
    while stack:
        node, above = stack.pop()
        yield node, above
        stack.extend((child, number) for child in reversed(node.get_children()))
        number += 1


def _program(region: Any) -> str | None:
    """Return the program's name: since Score-P 7 it is the root of the call tree."""
    if (region.paradigm, region.role) == ("measurement", "artificial"):
        return str(region.name)
    return None


def _locations(parser: CubexParser) -> tuple[Integers, Integers, int, int]:
    """Return rank and thread by location, the number of ranks, and the most threads of one."""
    groups = parser._anchor_result.system_tree_nodes[0].all_location_groups()
    found = [
        (location.id, _number(group.rank), _number(location.rank))
        for group in groups
        for location in group.all_locations()
    ]
    if sorted(place for place, _, _ in found) != list(range(len(found))) or not found:
        raise InputError(
            "the locations are not numbered from 0",
            where="anchor.xml",
            expected="Id 0, 1, 2 ... of the locations",
        )
    found.sort()
    columns = np.array(found, dtype=np.int64)
    ranks = np.unique(columns[:, 1], return_counts=True)[1]
    return columns[:, 1], columns[:, 2], len(ranks), int(ranks.max())


def _system(parser: CubexParser) -> tuple[str | None, int | None]:
    """Return the machine's name and the number of nodes, where the cube has them."""
    root = parser._anchor_result.system_tree_nodes[0]
    name = (root.name or "").removeprefix("machine ").strip()
    nodes, stack = 0, [root]
    while stack:
        one = stack.pop()
        nodes += (one.name or "").startswith("node ")
        stack.extend(one._system_tree_node_children)
    return name or None, nodes or None


def _number(text: Any) -> int:
    number = int(text)
    if not 0 <= number < 1 << _ROW_BITS:
        raise InputError(
            f"a rank or thread is {number}", where="anchor.xml", expected="a number from 0"
        )
    return number


def _name(text: Any) -> str:
    if not isinstance(text, str) or not text.strip():
        raise InputError("a region has no name", where="anchor.xml", expected="a name")
    return text
