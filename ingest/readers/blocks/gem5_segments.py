"""Segments of programs on simulated cores: what a trace has without any timing, and cycles.

CSV with header or Parquet, one row a segment, in gem5's words: program, args and config
distinguish the runs (any of them can be missing). Needed: insts or uops, n_int, n_load, and one
of the distributions cp_1, cp_2 ... (groups of 40 micro-operations whose longest dependence chain
has that length) and fe_0, fe_1 ... (cycles in which an ideal front end delivers so many).
Understood too: cycles (measured), rob, thread, seg, first_inst, n_imul, n_idiv, n_fp,
n_fpdiv, n_simd, n_store, n_branch, n_serial, n_membar, n_nonspec, n_nop, taken, mispredicts,
cp_lat_mean, dd_* (distances to the nearest producer), iss_0, iss_1 ... (cycles in which so many
were issued, measured), df_inf, df_w64, df_w128 (cycles of the data flow alone). Other columns are
left alone.

Segments are numbered from 0 in file order. The data flow is the trace's, not the core's: a
segment without it takes it from the same segment on another core in the same file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ingest.base import Head, Item, Select, SingleFile
from ingest.parsing.columns import columns_of, is_numeric, numbered_rows
from ingest.recording import Recording
from warehouse.errors import InputError

_RUN = ("program", "args", "config")
_PLACE = ("seg", "first_inst", "insts", "uops")
_NEEDED = ("n_int", "n_load")
_FLOWS = {"df_inf": "flow_unlimited", "df_w64": "flow_64", "df_w128": "flow_128"}
_LISTS = {"cp": "critical_path", "fe": "front_end", "iss": "issued", "dd": "distances"}
# Column of the table, and the file's columns that add up to it.
_COUNTS = {
    "instructions": ("insts",),
    "uops": ("uops",),
    "n_int": ("n_int", "n_imul", "n_idiv"),
    "n_mul": ("n_imul",),
    "n_div": ("n_idiv",),
    "n_fp": ("n_fp", "n_fpdiv"),
    "n_fp_div": ("n_fpdiv",),
    "n_simd": ("n_simd",),
    "n_load": ("n_load",),
    "n_store": ("n_store",),
    "n_branch": ("n_branch",),
    "n_other": ("n_nop",),
    "serialising": ("n_serial", "n_membar"),
    "n_nonspeculative": ("n_nonspec",),
    "taken": ("taken",),
    "mispredicts": ("mispredicts",),
    "rob": ("rob",),
}
_MEASURES = {"cycles": "cycles", "chain_latency": "cp_lat_mean"}
_WHOLE = {name for parts in _COUNTS.values() for name in parts} | {"thread", "seg", "first_inst"}
_BUCKET = re.compile(r"(cp|fe|iss|dd)_(\d+)(?:_\d+|p)?")


class Gem5Segments(SingleFile):
    """Segments with mix, chain lengths and front-end distribution."""

    NAME = "gem5-segments"
    DESCRIPTION = "segments of gem5 runs: mix, dependence chains, ideal front end, cycles"
    PATTERNS = ("*.csv", "*.parquet")
    TABLES = ("segments",)

    def sniff(self, head: Head) -> bool:
        """Recognise the columns n_int, n_load, cp_1 and fe_0."""
        return _is_ours(columns_of(head))

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one SELECT for the runs, one for the segments."""
        columns, source, params = numbered_rows(Path(recording.plain()), _type)
        _check_columns(columns)
        _check_numbers(columns)
        key = _key(columns)
        if key:
            yield Select(
                "runs",
                f"SELECT DISTINCT {key} AS run_key, {_facts(columns)} {source} ORDER BY ALL",
                params,
                "run_key",
            )
        values = [*([f"{key} AS run_key"] if key else []), *_values(columns)]
        yield Select(
            "segments",
            f"SELECT {', '.join(values)} {source} ORDER BY file_row_number",
            params,
            "run_key" if key else None,
        )


def _is_ours(columns: Mapping[str, str]) -> bool:
    return {*_NEEDED, "cp_1", "fe_0"} <= set(columns) and "hex" not in columns


def _type(name: str) -> str:
    if name in _RUN:
        return "VARCHAR"
    if name in _WHOLE or _BUCKET.fullmatch(name):
        return "BIGINT"
    return "DOUBLE" if name in (*_FLOWS, *_MEASURES.values()) else "VARCHAR"


def _check_columns(columns: Mapping[str, str]) -> None:
    missing = [name for name in _NEEDED if name not in columns]
    if not {"insts", "uops"} & set(columns):
        missing.append("insts")
    if missing:
        raise InputError(
            f"the column {missing[0]} is missing",
            where="line 1",
            expected=f"{', '.join(_NEEDED)}, and insts or uops",
        )


def _check_numbers(columns: Mapping[str, str]) -> None:
    for name, kind in columns.items():
        if _type(name) != "VARCHAR" and not is_numeric(kind):
            raise InputError(f"the column {name} is of type {kind}", expected="numbers")


def _key(columns: Mapping[str, str]) -> str:
    """Return the expression that distinguishes runs; '/' inside a value is doubled."""
    given = [name for name in _RUN if name in columns]
    values = (f"replace(coalesce(CAST({name} AS VARCHAR), ''), '/', '//')" for name in given)
    return f"concat_ws('/', {', '.join(values)})" if given else ""


def _facts(columns: Mapping[str, str]) -> str:
    facts = [f"{'program' if 'program' in columns else 'NULL'} AS app"]
    if "config" in columns:
        facts.append("'gem5-' || config AS machine")
    tags = [f"'{name}': CAST({name} AS VARCHAR)" for name in ("args", "config") if name in columns]
    if tags:
        given = f"map_entries(MAP {{{', '.join(tags)}}})"
        facts.append(
            f"map_from_entries(list_filter({given}, lambda e: coalesce(e.value, '') <> '')) AS tags"
        )
    return ", ".join(facts)


def _values(columns: Mapping[str, str]) -> list[str]:
    thread = "thread" if "thread" in columns else "0"
    values = ["file_row_number AS segment", f"{thread} AS thread"]
    for target, parts in _COUNTS.items():
        given = [f"coalesce({name}, 0)" for name in parts if name in columns]
        if len(parts) == 1 and given:
            values.append(f"{parts[0]} AS {target}")
        elif given:
            values.append(f"{' + '.join(given)} AS {target}")
    values += [
        f"{_known(name)} AS {target}" for target, name in _MEASURES.items() if name in columns
    ]
    values += [
        f"{_flow(name, columns)} AS {target}" for name, target in _FLOWS.items() if name in columns
    ]
    return [*values, *_lists(columns)]


def _known(name: str) -> str:
    return f"CASE WHEN NOT isnan(CAST({name} AS DOUBLE)) THEN CAST({name} AS DOUBLE) END"


def _flow(name: str, columns: Mapping[str, str]) -> str:
    """Return the data flow of a segment, that of the same segment on another core where missing."""
    if not {"program", *_PLACE} <= set(columns):
        return _known(name)
    same = ", ".join(name for name in ("program", "args", *_PLACE) if name in columns)
    return f"coalesce({_known(name)}, max({_known(name)}) OVER (PARTITION BY {same}))"


def _lists(columns: Mapping[str, str]) -> list[str]:
    lists = []
    for prefix, target in _LISTS.items():
        found = [
            (int(m[2]), m[0]) for c in columns if (m := _BUCKET.fullmatch(c)) and m[1] == prefix
        ]
        names = [name for _, name in sorted(found)]
        if names:
            values = ", ".join(f"coalesce({name}, 0)" for name in names)
            given = f"coalesce({', '.join(names)}) IS NOT NULL"
            lists.append(f"CASE WHEN {given} THEN [{values}] END AS {target}")
    return lists
