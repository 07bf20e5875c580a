"""Logs of GPUs by nvidia-smi: --query-gpu=timestamp,index,power.draw,... --format=csv, and dmon.

Source: nvidia-smi --help-query-gpu, nvidia-smi dmon -h. The columns of dmon have the names that it
prints (pwr, gtemp ...); it repeats the lines of names and units, states dates with -o DT, and ends
in the middle of a line where it is stopped. Every value is that of a moment, so none adds up over
time. What lands in pmu_samples:

- `event` is the heading without its unit (`power.draw`), `unit` what it has in brackets; C of
  temperatures. With --format=csv,noheader nothing says what is what.
- `region` is the GPU, `GPU 0`, by its index, UUID or bus. Where the file has none of these, but
  rounds of lines at nearly the same time, it is the place in the round: GPUs are listed by index.
- `sample` counts the lines of a GPU from 0; `t_start` is the time since the first line, ns.

Texts (pstate ...) and numbers without a unit, as those of errors since the driver was loaded, are
left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, islice, pairwise

from ingest.base import Head, Item, LeftOut, Run, SingleFile
from ingest.parsing.counter_table import Sample, batches, number, records
from ingest.parsing.dates import in_zone
from ingest.parsing.lines import named_cells, numbered_lines, quoted, unexpected
from ingest.recording import Recording
from warehouse.errors import InputError

_FIELD = re.compile(r"([a-z][\w.]*)(?: \[(\S+)\])?")
_OF_GPU = re.compile(r"[a-z]\w*\.[\w.]+ \[(?:%|W|MiB|MHz)\]")
_PLACES = ("index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "serial")
_DMON = {"gpu": "index", "Date": "date", "Time": "time"}
_FORMAT = "%Y/%m/%d %H:%M:%S.%f"
_KNOWN = (*_PLACES, "timestamp", "date", "time", "name", "count")
# Lines from which it is seen whether they are those of several GPUs.
_LOOKED_AT = 256


class NvidiaSmi(SingleFile):
    """Power, use, memory, clocks and temperatures of GPUs over time."""

    NAME = "nvidia-smi"
    DESCRIPTION = "GPUs over time: nvidia-smi --query-gpu=... --format=csv, and nvidia-smi dmon"
    PATTERNS = ("nvidia-smi*.csv", "gpu*.csv", "dmon*.txt")
    TABLES = ("pmu_samples",)

    def sniff(self, head: Head) -> bool:
        """Recognise the heading: fields of nvidia-smi, one of them with its unit in brackets."""
        first, _, rest = head.data.decode("utf-8", "replace").partition("\n")
        if first.startswith("#"):
            return "gpu" in first.split() and re.match(r"#.*\bIdx\b", rest) is not None
        fields = [field.strip() for field in first.split(",")]
        return all(map(_FIELD.fullmatch, fields)) and any(map(_OF_GPU.fullmatch, fields))

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and the values of its GPUs; raises `InputError` where there are none."""
        cut: list[int] = []
        with recording.open() as file:
            is_dmon = file.peek(1).startswith(b"#")
        lines = _of_dmon(recording, cut) if is_dmon else records(recording)
        _, heading = next(lines, (1, []))
        names = [name.strip() for name in heading]
        units = {name: unit for name in names if (unit := _unit(name))}
        moments = (_moment(number, cells, names) for number, cells in lines if any(cells))
        first = list(islice(moments, _LOOKED_AT))
        if not first:
            raise InputError("there are no values", expected="a line for each moment")
        started = first[0].time
        yield Run(started_at=started)
        gpus: set[str] = set()
        apart = None if set(names) & set(_PLACES) else _between_rounds(first)
        yield from batches(_samples(chain(first, moments), units, apart, started, gpus))
        if gpus:
            yield Run(tags={"gpu": ", ".join(sorted(gpus))})
        others = [name for name in names if name not in units and name not in _KNOWN]
        yield LeftOut(len(others), "column", "it has no unit")
        yield LeftOut(len(cut), "line", "the last one is cut off")


def _of_dmon(recording: Recording, cut: list[int]) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of dmon as those of a query, the heading once.

    The number of a last line with too few values is added to `cut`.
    """
    heading: list[str] = []
    names: list[str] = []
    for line, text in numbered_lines(recording):
        words = text.lstrip("# ").split()
        if cut:
            raise InputError(
                "a line has too few values", where=f"line {cut[0]}", expected="one for each column"
            )
        if text.startswith("#"):
            if "Idx" not in words:
                names = words
            elif len(words) == len(names) and not heading:
                heading = [
                    _DMON.get(name, f"{name} [{unit}]")
                    for name, unit in zip(names, words, strict=True)
                ]
                yield line, heading if "date" not in heading else ["timestamp", *heading]
            continue
        if len(words) < len(names):
            cut.append(line)
            continue
        cells = ["[N/A]" if word == "-" else word for word in words]
        if "date" in heading and len(cells) > 1:
            day, time = cells[:2]
            cells.insert(0, f"{day[:4]}/{day[4:6]}/{day[6:]} {time}.0")
        yield line, cells


@dataclass(frozen=True, slots=True)
class _Moment:
    """A line of the file: its number, its time if that is known, and a text for each column."""

    line: int
    time: datetime | None
    cells: dict[str, str]


def _moment(line: int, cells: list[str], names: list[str]) -> _Moment:
    where = f"line {line}"
    of = {name: cell.strip() for name, cell in named_cells(names, cells, where).items()}
    text = of.get("timestamp")
    try:
        time = in_zone(datetime.strptime(text, _FORMAT)) if text else None
    except ValueError:
        problem = f"the timestamp is {quoted(text or '')}"
        raise InputError(problem, where=where, expected="2024/11/29 22:41:04.271") from None
    return _Moment(line, time, of)


def _between_rounds(moments: Sequence[_Moment]) -> timedelta | None:
    """Return the time from which on lines are of different rounds of all GPUs; None for one GPU.

    Lines of one round follow one another at once, and each round has as many.
    """
    times = [moment.time for moment in moments if moment.time]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    if len(times) < len(moments) or not gaps:
        return None
    apart = max(max(gaps) / 2, timedelta(microseconds=1))
    within = [gap for gap in gaps if gap < apart]
    ends = [number for number, gap in enumerate(gaps, 1) if gap >= apart]
    rounds = {end - begin for begin, end in pairwise((0, *ends))}
    are_rounds = len(rounds) == 1 and len(ends) > 1 if ends else True
    return apart if within and max(within) <= max(gaps) / 10 and are_rounds else None


def _samples(
    moments: Iterator[_Moment],
    units: dict[str, str],
    apart: timedelta | None,
    started: datetime | None,
    gpus: set[str],
) -> Iterator[Sample]:
    """Yield the values of all moments; the names of the GPUs are added to `gpus`.

    Without names of their own, GPUs are numbered in rounds that are so far `apart`.
    """
    counts: Counter[str | None] = Counter()
    before: datetime | None = None
    in_round = -1
    for moment in moments:
        place = next((moment.cells[name] for name in _PLACES if name in moment.cells), None)
        if apart and moment.time:
            in_round = in_round + 1 if before and moment.time - before < apart else 0
            before, place = moment.time, str(in_round)
        region = None if place is None else f"GPU {place}"
        if name := moment.cells.get("name"):
            gpus.add(name)
        since = None
        if started and moment.time:
            since = (moment.time - started) // timedelta(microseconds=1) * 1000
        for column, unit in units.items():
            event = column.partition(" [")[0]
            cell = moment.cells[column]
            # [N/A], [Not Supported], [Unknown Error] ...
            text = "" if cell.startswith("[") else cell.removesuffix(unit)
            yield {
                "region": region,
                "sample": counts[region],
                "t_start": since,
                "event": event,
                "value": number(text, f"line {moment.line}", event),
                "unit": unit,
            }
        counts[region] += 1


def _unit(name: str) -> str | None:
    """Return the unit of a column's values; None where it has none."""
    found = _FIELD.fullmatch(name)
    if found is None:
        raise unexpected(name, "line 1", "power.draw [W]")
    return found[2] or ("C" if name.startswith("temperature.") else None)
