"""Pictures: matrices as PNG, control-flow graphs as DOT, and by Graphviz as SVG and PNG."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from apps.output.files import replacing
from apps.output.numbers import counted
from apps.output.tables import Row
from apps.output.text import cell, short_name
from warehouse.errors import UsageError

GRAPHS = (".dot", ".svg", ".png")

# More blocks than these are unreadable, and Graphviz takes minutes for thousands.
_MOST_BLOCKS = 100
_LEAST_BLOCKS = 16
_MOST_WORK = 0.99
_SIDE = 512
# Blocks that control flow does not enter, side by side at most.
_SIDE_BY_SIDE = 4
_NAME = 48
_SHADE = "#ff7a00"


def check_path(path: Path, endings: Sequence[str], option: str) -> None:
    """Raise `UsageError` where the path does not end as a picture of this kind does."""
    if path.suffix.lower() not in endings:
        raise UsageError(
            f"{option} {path}: the kind of picture is unknown",
            hint=f"End its name in {' or '.join(endings)}.",
        )
    if not path.parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {path.parent}")


def save_picture(path: Path, data: bytes) -> None:
    """Write a picture to a file; raises `UsageError` where it cannot be written."""
    with replacing(path) as file:
        file.write_bytes(data)


def grey_png(rows: Sequence[bytes]) -> bytes:
    """Return a greyscale PNG (ISO/IEC 15948); small ones are enlarged to about 512 pixels.

    `rows` are the rows of pixels from the top, one byte per pixel: 0 is black, 255 white.
    """
    zoom = max(1, _SIDE // len(rows))
    packer = zlib.compressobj(6)
    packed = []
    for row in rows:
        # Each line of pixels begins with the number of its filter: 0 is none.
        wide = (
            b"\0" + b"".join(bytes((pixel,)) * zoom for pixel in row) if zoom > 1 else b"\0" + row
        )
        packed.append(packer.compress(wide * zoom))
    packed.append(packer.flush())
    height, width = zoom * len(rows), zoom * len(rows[0])
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", b"".join(packed)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def largest_blocks(blocks: Sequence[Row]) -> Sequence[Row]:
    """Return the blocks to draw: all, or of many those that execute nearly all instructions.

    `blocks` are ordered by executed instructions, the most first.
    """
    if len(blocks) <= _MOST_BLOCKS:
        return blocks
    most = _MOST_WORK * sum(map(_work, blocks))
    before = accumulate(map(_work, blocks), initial=0)
    enough = sum(1 for done in before if done < most)
    return blocks[: min(max(enough, _LEAST_BLOCKS), _MOST_BLOCKS)]


def graph_dot(title: str, blocks: Sequence[Row], edges: Sequence[Row]) -> str:
    """Return a control-flow graph as DOT.

    Blocks have bb, visits, instructions, size, barriers, function, source_file and source_line,
    those executed most have most colour; edges have src, dst, count and probability, and keep both
    as attributes. Edges to blocks that are not drawn are left out. Many blocks without one that is
    drawn before them are below each other, as side by side they would be too small to read.
    """
    most = max((_work(block) for block in blocks), default=0) or 1
    in_order = sorted(blocks, key=lambda block: int(block["bb"]))
    known = {block["bb"] for block in blocks}
    drawn = [edge for edge in edges if edge["src"] in known and edge["dst"] in known]
    entered = {edge["dst"] for edge in drawn if edge["src"] != edge["dst"]}
    direction = "LR" if len(known - entered) > _SIDE_BY_SIDE else "TB"
    lines = [
        "digraph cfg {",
        f"  graph [label={_quoted(title)}, labelloc=t, fontname=Helvetica, margin=0.2];",
        f"  rankdir={direction};",
        '  node [shape=box, style="filled,rounded", fontname=Helvetica, fontsize=11];',
        "  edge [fontname=Helvetica, fontsize=10];",
        *(f"  {block['bb']} [{_block(block, most)}];" for block in in_order),
        *(f"  {edge['src']} -> {edge['dst']} [{_edge(edge)}];" for edge in drawn),
        "}",
    ]
    return "\n".join(lines) + "\n"


def draw_graph(dot: str, style: str) -> bytes:
    """Return a graph as svg or png; raises `UsageError` where Graphviz is missing or fails."""
    import subprocess

    import graphviz

    try:
        return graphviz.Source(dot).pipe(format=style, quiet=True)  # type: ignore[no-any-return]
    except graphviz.ExecutableNotFound:
        raise UsageError(
            f"a picture in {style.upper()} needs Graphviz, whose program dot is not installed",
            hint="Install the package graphviz (apt, dnf, brew, conda: graphviz), or name the "
            "file .dot, which needs nothing.",
        ) from None
    except subprocess.CalledProcessError as error:
        messages = (error.stderr or b"").decode(errors="replace").strip().splitlines()
        raise UsageError(
            f"Graphviz could not draw the graph: {messages[-1] if messages else error}",
            hint="Write a .dot file and run dot on it with other settings.",
        ) from None


def _work(block: Row) -> int:
    return int(block["instructions"] or block["visits"] or 0)


def _block(block: Row, most: int) -> str:
    lines = [f"block {block['bb']}", _counts(block)]
    if place := _place(block):
        lines.append(place)
    # Transparent, so that it is drawn as well on a dark page.
    shade = round(255 * 0.6 * _work(block) / most)
    border = ", peripheries=2" if block["barriers"] else ""
    return f'label={_quoted(*lines)}, fillcolor="{_SHADE}{shade:02x}"{border}'


def _counts(block: Row) -> str:
    known = [("size", "instruction"), ("visits", "visit")]
    if block["visits"] is None:
        known.append(("instructions", "executed instruction"))
    if block["barriers"]:
        known.append(("barriers", "barrier"))
    return ", ".join(
        counted(block[column], noun) for column, noun in known if block[column] is not None
    )


def _place(block: Row) -> str:
    where = cell(block["source_file"] or block["function"] or "", None)
    if block["source_file"] and block["source_line"] is not None:
        where = f"{where}:{block['source_line']}"
    return short_name(where, _NAME)


def _edge(edge: Row) -> str:
    share = edge["probability"]
    label = ">0.999" if 0.9995 <= share < 1 else f"{share:.3g}"
    return (
        f'label=" {label} ", probability="{share:.9g}", count={edge["count"]}, '
        f"penwidth={0.5 + 2 * share:.2f}"
    )


def _quoted(*lines: str) -> str:
    """Return lines of text as a quoted DOT string, with everything special to Graphviz escaped."""
    text = "\\n".join(
        cell(line, None).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
        for line in lines
    )
    return f'"{text}"'
