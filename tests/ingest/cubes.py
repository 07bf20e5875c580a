"""Writes cubes (.cubex) as Score-P does: a tar archive of anchor.xml and two files a metric."""

from __future__ import annotations

import io
import struct
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_FORMATS = {"UINT64": "Q", "DOUBLE": "d"}


@dataclass(frozen=True)
class Metric:
    """`values` has a row per call path and in it a value per location."""

    kind: str
    dtype: str
    unit: str
    values: Sequence[Sequence[float]]


def cube(
    tree: Sequence[tuple[str, int | None]],
    metrics: Mapping[str, Metric],
    *,
    threads: Sequence[int] = (1,),
    role: tuple[str, str] = ("mpi", "function"),
    rest: Sequence[str] = (),
) -> bytes:
    """Return a cube.

    `tree` contains (function, number of its caller), callers first; `threads` the number of threads
    of each rank; `role` is paradigm and role of the first function; `rest` names metrics of
    which there are no values.
    """
    files = {}
    for number, metric in enumerate(metrics.values()):
        order = _wide(tree) if metric.kind == "INCLUSIVE" else _deep(tree)
        rows = [metric.values[node] for node in order]
        index = struct.pack("<ihbi", 1, 0, 1, len(rows)) + struct.pack(
            f"<{len(rows)}i", *range(len(rows))
        )
        flat = [value for row in rows for value in row]
        data = struct.pack(f"<{len(flat)}{_FORMATS[metric.dtype]}", *flat)
        files[f"{number}.data"] = b"CUBEX.DATA" + data
        files[f"{number}.index"] = b"CUBEX.INDEX" + index
    files["anchor.xml"] = _anchor(tree, metrics, threads, role, rest).encode()
    return archive(files)


def archive(files: Mapping[str, bytes]) -> bytes:
    """Return a tar archive of files by name."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return target.getvalue()


def files_of(data: bytes) -> dict[str, bytes]:
    """Return the files of an archive by name."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {entry.name: tar.extractfile(entry).read() for entry in tar}


def _children(tree: Sequence[tuple[str, int | None]]) -> list[list[int]]:
    return [
        [n for n, (_, caller) in enumerate(tree) if caller == node] for node in range(len(tree))
    ]


def _deep(tree: Sequence[tuple[str, int | None]]) -> list[int]:
    children, order, stack = _children(tree), [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack += reversed(children[node])
    return order


def _wide(tree: Sequence[tuple[str, int | None]]) -> list[int]:
    """Callees of one function are side by side, as Cube orders inclusive metrics."""
    children, order, stack = _children(tree), [0], [0]
    while stack:
        node = stack.pop()
        order += children[node]
        stack += reversed(children[node])
    return order


def _anchor(tree, metrics, threads, role, rest):
    regions = "".join(
        f'<region id="{n}" mod="" begin="-1" end="-1"><name>{escape(name)}</name>'
        f"<paradigm>{role[0] if n == 0 else 'mpi'}</paradigm>"
        f"<role>{role[1] if n == 0 else 'function'}</role></region>"
        for n, (name, _) in enumerate(tree)
    )
    children = _children(tree)

    def path(node):
        below = "".join(map(path, children[node]))
        return f'<cnode id="{node}" calleeId="{node}">{below}</cnode>'

    described = [(n, m.dtype, m.unit, m.kind) for n, m in metrics.items()]
    described += [(name, "UINT64", "bytes", "EXCLUSIVE") for name in rest]
    measured = "".join(
        f'<metric id="{n}" type="{kind}"><disp_name>{name}</disp_name><uniq_name>{name}</uniq_name>'
        f"<dtype>{dtype}</dtype><uom>{unit}</uom></metric>"
        for n, (name, dtype, unit, kind) in enumerate(described)
    )
    groups, location = "", 0
    for rank, count in enumerate(threads):
        inside = "".join(
            f'<location Id="{location + t}"><name>thread {t}</name><rank>{t}</rank>'
            "<type>thread</type></location>"
            for t in range(count)
        )
        location += count
        groups += (
            f'<locationgroup Id="{rank}"><name>MPI Rank {rank}</name><rank>{rank}</rank>'
            f"<type>process</type>{inside}</locationgroup>"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<cube version="4.0">'
        f'<attr key="Creator" value="a test"/><metrics title="">{measured}</metrics>'
        f"<program>{regions}{path(0)}</program>"
        '<system><systemtreenode Id="0"><name>machine Atlas</name>'
        f'<systemtreenode Id="1"><name>node n01</name>{groups}</systemtreenode>'
        "</systemtreenode></system></cube>\n"
    )
