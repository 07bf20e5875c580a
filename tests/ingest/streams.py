"""Writes Caliper streams (.cali) from records that a test can show on one screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_TYPES = {"int": 1, "uint": 2, "string": 3, "double": 5}
_AS_VALUE, _NESTED, _GLOBAL = 65, 268, 588


def stream(
    records: Sequence[tuple[str, Mapping[str, Any]]],
    *,
    units: Mapping[str, str] | None = None,
    types: Mapping[str, str] | None = None,
    **facts: Any,
) -> str:
    """Return a stream.

    `records` pairs a call path ("main/solve", "" for none) with values by attribute; `units` and
    `types` describe attributes (else a double, mpi.rank an int); `facts` becomes the globals, with
    __ for a point in a name.
    """
    types = {"mpi.rank": "int"} | dict(types or {})
    lines = _Lines()
    attributes: dict[str, int] = {}
    region = lines.attribute("region", "string", _NESTED)
    unit = lines.attribute("attribute.unit", "string", _AS_VALUE)
    paths: dict[str, int] = {}
    for path, values in records:
        for name in values:
            if name not in attributes:
                above = _TYPES[types.get(name, "double")]
                if name in (units or {}):
                    above = lines.node(unit, units[name], above)
                attributes[name] = lines.node(8, name, lines.node(10, _AS_VALUE, above))
        functions = path.split("/") if path else []
        for depth in range(1, len(functions) + 1):
            key = "/".join(functions[:depth])
            if key not in paths:
                above = paths.get("/".join(functions[: depth - 1]))
                paths[key] = lines.node(region, functions[depth - 1], above)
        ref = f",ref={paths[path]}" if path else ""
        numbers = "=".join(str(attributes[name]) for name in values)
        lines.add(f"__rec=ctx{ref},attr={numbers},data=" + "=".join(map(str, values.values())))
    last = None
    for name, value in facts.items():
        attribute = lines.attribute(name.replace("__", "."), "string", _GLOBAL)
        last = lines.node(attribute, value, last)
    lines.add("__rec=globals" + (f",ref={last}" if last else ""))
    return lines.text()


class _Lines:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._last = 11

    def add(self, line: str) -> None:
        self._lines.append(line)

    def node(self, attribute: int, data: Any, parent: int | None = None) -> int:
        self._last += 1
        above = "" if parent is None else f",parent={parent}"
        self.add(f"__rec=node,id={self._last},attr={attribute},data={data}{above}")
        return self._last

    def attribute(self, name: str, kind: str, prop: int) -> int:
        return self.node(8, name, self.node(10, prop, _TYPES[kind]))

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"
