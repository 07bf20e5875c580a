"""The .cali format: a stream of nodes (attributes and call paths) and records that refer to them.

Records are taken in batches: those with the same attributes are a matrix of numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from ingest.parsing.lines import numbered_lines
from ingest.readers.profiles.caliper.fields import (
    PLAIN_NODE,
    PLAIN_RECORD,
    fields_of,
    number_of,
    values_of,
)
from ingest.readers.profiles.caliper.metrics import Metric, metric
from ingest.readers.profiles.caliper.nodes import PATH, VERSION, Context, Nodes, listed
from ingest.readers.profiles.caliper.profile import Place, Profile
from ingest.recording import Recording
from udfs.arrays import Floats, Integers
from warehouse.errors import InputError

SAMPLED_PATH = "source.function#callpath.address"
# What a GPU did, below the region that it was started from.
_ACTIVITIES = (
    *("cupti.kernel.name", "rocm.kernel.name", "cuda.kernel.name", "kernel.name"),
    *("cupti.activity.kind", "rocm.activity", "cupti.memcpy.kind", "umpire.alloc.name"),
)
# The axis of a time series, in blocks of a loop's iterations or of time.
_BLOCKS = ("timeseries.snapshot", "block", "loop.start_iteration")
RANKS = ("mpi.rank",)
THREADS = ("omp.thread.id", "pthread.id", "thread")
_OF_A_PLACE = frozenset((PATH, SAMPLED_PATH, *_ACTIVITIES, *_BLOCKS, *RANKS, *THREADS))
_WHOLE = re.compile(r"[0-9]{1,19}")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_DIGITS = re.compile(r"[-+0-9.eE=]*")  # of these, Python's float takes what _DECIMAL does
_BATCH = 1 << 14


def read(recording: Recording) -> Profile:
    """Read a .cali file.

    Raises `InputError` with the line where the file is not right, and where its end is missing.
    """
    nodes, profile = Nodes(), Profile()
    records = _Records(nodes, profile)
    facts: Context | None = None
    number = 1
    for number, line in numbered_lines(recording, must_end=True):
        if not line:
            continue
        try:
            if node := PLAIN_NODE.fullmatch(line):
                own, attribute, data, parent = node.groups()
                nodes.define(
                    int(own), int(attribute), data, None if parent is None else int(parent)
                )
            elif record := PLAIN_RECORD.fullmatch(line):
                references, attributes, values = record.groups()
                records.add(references, attributes, values, number)
            else:
                kind, fields = fields_of(line)
                if kind == "node":
                    nodes.add(fields)
                    continue
                references, attributes, values = _parts(fields)
                if kind == "ctx":
                    records.add(references, attributes, values, number)
                else:
                    facts = records.expand(references, attributes, values)
        except InputError as error:
            error.where = error.where or f"line {number}"
            raise
    records.flush()
    facts = facts if facts is not None else records.facts
    if facts is None:
        raise InputError(
            "the file ends before its globals record",
            where=f"line {number}",
            expected="a line __rec=globals at the end, which Caliper writes last",
            hint="Is the end of the file missing? Copy it again.",
        )
    profile.globals = {name: _text(value) for name, value in facts.items()}
    return profile


@dataclass(slots=True)
class _Shape:
    """Records with the same attributes: which of their values are metrics, and which a place.

    `names` are the positions of values by attribute, the last where an attribute is there twice.
    `distinct` counts the attributes. `records` are the positions of the records in their batch,
    `texts` their values of the metrics.
    """

    size: int
    distinct: int
    names: dict[str, int]
    metrics: list[tuple[Metric, int]]
    place: list[tuple[str, int]]
    numbers: list[str]
    records: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


class _Records:
    """Takes records, and adds them to a profile in batches.

    `facts` are those of the run where records have them: those of Caliper 1, without globals.
    """

    def __init__(self, nodes: Nodes, profile: Profile) -> None:
        self._nodes = nodes
        self._profile = profile
        self.facts: Context | None = None
        self._metrics: dict[str, Metric | None] = {}
        self._shapes: dict[tuple[str | None, ...], _Shape] = {}
        # Of a batch: what references stand for with the metrics in it, places, and records as the
        # number of their place and their line.
        self._contexts: dict[str | None, tuple[Context, dict[str, str]]] = {}
        self._places: dict[tuple[str | None, ...], int] = {}
        self._known_places: list[Place] = []
        self._batch: list[tuple[int, int]] = []

    def add(
        self, references: str | None, attributes: str | None, data: str | None, line: int
    ) -> None:
        """Take the fields of a record, None where it has none of a name.

        Raises `InputError` where they do not fit.
        """
        if references not in self._contexts:
            self._contexts[references] = self._context(references)
        context, inherited = self._contexts[references]
        shape, values = self._split(attributes, data, inherited)
        if not shape.metrics:
            return
        key = (references, *(values[position] for _, position in shape.place))
        if key not in self._places:
            own = {name: values[position] for name, position in shape.place}
            self._places[key] = len(self._known_places)
            self._known_places.append(_place({**context, **own}))
        shape.records.append(len(self._batch))
        shape.texts.extend([values[position] for _, position in shape.metrics])
        self._batch.append((self._places[key], line))
        if len(self._batch) == _BATCH:
            self.flush()

    def expand(self, references: str | None, attributes: str | None, data: str | None) -> Context:
        """Return the values of a record by the names of their attributes."""
        context, _ = self._context(references)
        shape, values = self._split(attributes, data, {})
        return context | {name: values[position] for name, position in shape.names.items()}

    def flush(self) -> None:
        """Add the records of the batch to the profile.

        Raises `InputError` with the line of a value that is implausible.
        """
        lines = np.array([line for _, line in self._batch], dtype=np.int64)
        some = np.zeros(len(lines), dtype=bool)
        matrices = []
        for shape in self._shapes.values():
            if shape.records:
                records = np.array(shape.records)
                matrix = _matrix(shape, lines[records])
                some[records] = ~np.isnan(matrix).all(axis=1)
                matrices.append((shape, records, matrix))
        rows = np.full(len(lines), -1, dtype=np.int64)
        known = [-1] * len(self._known_places)
        for record in np.flatnonzero(some).tolist():
            place, line = self._batch[record]
            if known[place] < 0:
                known[place] = self._profile.row(self._known_places[place], line)
            rows[record] = known[place]
        for shape, records, matrix in matrices:
            for position, (one, _) in enumerate(shape.metrics):
                values = matrix[:, position]
                there = ~np.isnan(values)
                at = records[there]
                self._profile.add(one, rows[at], values[there], lines[at])
            shape.records.clear()
            shape.texts.clear()
        self._contexts.clear()
        self._places.clear()
        self._known_places.clear()
        self._batch.clear()

    def _context(self, references: str | None) -> tuple[Context, dict[str, str]]:
        """Return what the references of a record stand for, and the metrics in it."""
        if references is None:
            return {}, {}
        context = self._nodes.expand(references.split("="))
        if VERSION in context:
            self.facts = {VERSION: context[VERSION]}
        return context, {
            name: value
            for name, value in context.items()
            if isinstance(value, str) and self._metric(name) is not None
        }

    def _split(
        self, attributes: str | None, data: str | None, inherited: Mapping[str, str]
    ) -> tuple[_Shape, list[str]]:
        """Return the shape of a record and its values, those of its references last."""
        key = (attributes, *inherited)
        shape = self._shapes.get(key)
        if shape is None:
            numbers = attributes.split("=") if attributes is not None else []
            shape = self._shapes[key] = self._shape(numbers, tuple(inherited))
        values = values_of(data) if data is not None else []
        if len(values) != shape.size:
            raise InputError(
                f"a record has {len(values)} values for {shape.size} attributes",
                expected="one value for each attribute",
            )
        if shape.distinct < shape.size:
            pairs = set(zip(shape.numbers, values, strict=True))
            self._profile.repeated += len(pairs) - shape.distinct
        return shape, [*values, *inherited.values()]

    def _shape(self, numbers: list[str], inherited: Sequence[str]) -> _Shape:
        names: dict[str, int] = {}
        for position, text in enumerate(numbers):
            number = number_of(text)
            self._nodes.check_attribute(number)
            attribute = self._nodes.attributes[number]
            if not attribute.is_hidden:
                names[attribute.name] = position
        for position, name in enumerate(inherited, len(numbers)):
            names.setdefault(name, position)
        found = ((self._metric(name), position) for name, position in names.items())
        return _Shape(
            len(numbers),
            len(set(numbers)),
            names,
            [(one, position) for one, position in found if one is not None],
            [(name, position) for name, position in names.items() if name in _OF_A_PLACE],
            numbers,
        )

    def _metric(self, name: str) -> Metric | None:
        """Return the metric that an attribute is, None where it is none."""
        if name not in self._metrics:
            known = self._nodes.named(name)
            is_value = known is not None and known.is_value
            self._metrics[name] = (
                metric(name, known.type, known.unit) if known is not None and is_value else None
            )
        return self._metrics[name]


def _parts(fields: Mapping[str, str]) -> tuple[str | None, str | None, str | None]:
    """Return the fields of a record; raises `InputError` where it has others."""
    if not fields.keys() <= {"ref", "attr", "data"}:
        raise InputError("a record has fields of a node", expected="ref, attr and data")
    return fields.get("ref"), fields.get("attr"), fields.get("data")


def _matrix(shape: _Shape, lines: Integers) -> Floats:
    """Return the values of a shape's metrics, a row a record; NaN for what is undefined."""
    width = len(shape.metrics)
    if _DIGITS.fullmatch("=".join(shape.texts)):
        with suppress(ValueError):
            return np.array(list(map(float, shape.texts))).reshape(-1, width)
    values = [
        _value(text, shape.metrics[position % width][0], int(lines[position // width]))
        for position, text in enumerate(shape.texts)
    ]
    return np.array(values).reshape(-1, width)


def _value(text: str, metric: Metric, line: int) -> float:
    """Return a number; NaN for what a ratio over nothing is."""
    if _DECIMAL.fullmatch(text):
        return float(text)
    if text.lstrip("-+").lower() in ("nan", "inf") and "event" in metric.role:
        return math.nan
    raise InputError(f"{metric.name} is {text!r}", where=f"line {line}", expected="a number")


def _place(record: Context) -> Place:
    """Return the call path of a record, its rank and thread and its block of time."""
    rank, thread = _first(record, RANKS), _first(record, THREADS)
    for value in (rank, thread):
        if value is not None and not (isinstance(value, str) and _WHOLE.fullmatch(value)):
            raise InputError(f"a rank or thread is {value!r}", expected="a number")
    return Place(
        tuple(_path(record)),
        None if rank is None else int(str(rank)),
        None if thread is None else int(str(thread)),
        _block(record),
    )


def _first(record: Context, names: Sequence[str]) -> str | list[str] | None:
    """Return what a record has of the first of some names that it has; None where it has none."""
    for name in names:
        if name in record:
            return record[name]
    return None


def _path(record: Context) -> list[str]:
    """Return the record's call path: of nested regions, else of a sampled stack; then the GPU's."""
    regions = listed(record.get(PATH) or record.get(SAMPLED_PATH) or [])
    activity = next((record[name] for name in _ACTIVITIES if record.get(name)), [])
    return [*regions, *(one for one in listed(activity) if one not in regions)]


def _block(record: Context) -> int | None:
    """Return the number of the record's block of time, None outside of a time series."""
    block = _first(record, _BLOCKS)
    if block is None:
        return None
    if not (isinstance(block, str) and _DECIMAL.fullmatch(block) and float(block) < 1 << 62):
        raise InputError(f"a block of time is {block!r}", expected="a number")
    return int(float(block))


def _text(value: str | list[str]) -> str:
    return ", ".join(value) if isinstance(value, list) else value
