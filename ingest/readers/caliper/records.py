"""The .cali format: a stream of nodes (attributes and call paths) and records that refer to them.

caliper-reader expands the records. It trusts the file, so each line is looked at before it gets
there: that its fields are there once, that what it refers to was defined earlier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ingest.parsing.lines import numbered_lines
from ingest.readers.caliper.metrics import Metric, metric
from ingest.readers.caliper.profile import Profile
from ingest.recording import Recording
from warehouse.errors import InputError

if TYPE_CHECKING:
    from caliperreader import CaliperStreamReader

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
_LINE = re.compile(r"__rec=(node|ctx|globals)((?:,(?:id|attr|data|parent|ref)=(?:[^,\\]|\\.)*)*)\Z")
_FIELD = re.compile(r",(\w+)=((?:[^,\\]|\\.)*)")
_WITHIN_A_VALUE = re.compile(r"[^=\\]|\\.")
_NUMBER = re.compile(r"[0-9]{1,19}")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_RECORD = "__rec=node, __rec=ctx or __rec=globals, and fields name=value after it"
_NAME = 8  # the attribute whose nodes define attributes
_BOOTSTRAP = frozenset(range(12))
_BOOTSTRAP_ATTRIBUTES = frozenset((8, 9, 10))


def read(recording: Recording) -> Profile:
    """Read a .cali file.

    Raises `InputError` with the line where the file is not right, and where its end is missing.
    """
    from caliperreader import CaliperStreamReader

    stream = CaliperStreamReader()
    profile = Profile()
    stream_lines = _Lines(recording)
    metrics = _Metrics(stream)

    def add(record: Mapping[str, Any]) -> None:
        where = stream_lines.where
        values = {
            found: value
            for name, text in record.items()
            if (found := metrics.of(name)) is not None
            and (value := _value(text, found, where)) is not None
        }
        if values:
            profile.add(_path(record), _places(record, where), values, where, _block(record, where))

    try:
        stream.read(stream_lines, add)
        profile.globals = {str(name): _text(value) for name, value in stream.globals.items()}
    except (InputError, OSError):
        raise
    # The library raises whatever its dicts and lists do over damaged data.
    except Exception as error:
        raise InputError(
            f"the line is not as Caliper writes it ({type(error).__name__})",
            where=stream_lines.where,
            expected="a node, a record or the globals of a Caliper stream",
        ) from None
    stream_lines.check_globals()
    profile.repeated = stream_lines.repeated
    return profile


class _Lines:
    """Gives the lines of a file, each checked; knows where it is.

    `repeated` counts the values that a record replaces by another one of the same attribute.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._number = 0
        self._attributes = set(_BOOTSTRAP_ATTRIBUTES)
        self._nodes: dict[int, str] = dict.fromkeys(_BOOTSTRAP, "")
        self._globals = False
        self.repeated = 0

    @property
    def where(self) -> str:
        """The line that was given last."""
        return f"line {self._number}"

    def __iter__(self) -> Iterator[str]:
        for number, line in numbered_lines(self._recording, must_end=True):
            self._number = number
            if line:
                self._look_at(line)
                # The comma makes the library keep an empty value at the end of the line.
                yield line + ","

    def check_globals(self) -> None:
        """Raise `InputError` where the stream's last record, the globals, is not there."""
        if not self._globals:
            raise InputError(
                "the file ends before its globals record",
                where=self.where,
                expected="a line __rec=globals at the end, which Caliper writes last",
                hint="Is the end of the file missing? Copy it again.",
            )

    def _look_at(self, line: str) -> None:
        found = _LINE.match(line)
        if found is None:
            raise self._error("the line is no record of a Caliper stream", _RECORD)
        pairs = _FIELD.findall(found[2])
        fields = dict(pairs)
        if len(fields) < len(pairs):
            raise self._error("a field is a duplicate", "each field once")
        if found[1] == "node":
            self._node(line, fields)
        else:
            self._globals |= found[1] == "globals"
            self._record(fields)

    def _node(self, line: str, fields: Mapping[str, str]) -> None:
        if fields.keys() - {"parent", "data"} != {"id", "attr"}:
            raise self._error("a node lacks its id or attribute", "id=..., attr=..., data=...")
        node, attribute = self._id(fields["id"]), self._id(fields["attr"])
        self._check_known(attribute, self._attributes, "attribute")
        if "parent" in fields:
            self._check_known(self._id(fields["parent"]), self._nodes, "node")
        # A stream that was flushed twice defines its nodes again.
        if self._nodes.setdefault(node, line) != line:
            raise self._error(f"the node {node} is defined twice", "a number of its own")
        if _values(fields.get("data")) > 1:
            raise self._error("the data of a node has a bare =", r"it to be written \=")
        if attribute == _NAME:
            if "parent" not in fields or not fields.get("data"):
                raise self._error("an attribute has no type or no name", "a parent and data")
            self._attributes.add(node)

    def _record(self, fields: Mapping[str, str]) -> None:
        if not fields.keys() <= {"ref", "attr", "data"}:
            raise self._error("a record has fields of a node", "ref, attr and data")
        refs, attributes = (fields[f].split("=") if f in fields else [] for f in ("ref", "attr"))
        for number in refs:
            self._check_known(self._id(number), self._nodes, "node")
        for number in attributes:
            self._check_known(self._id(number), self._attributes, "attribute")
        values = _values(fields.get("data"))
        if len(attributes) != values:
            raise self._error(
                f"a record has {values} values for {len(attributes)} attributes",
                "one value for each attribute",
            )
        if len(set(attributes)) < len(attributes):
            # Time series do that; the library takes the last value of an attribute.
            texts = re.split(r"(?<!\\)=", fields["data"])
            pairs = set(zip(attributes, texts, strict=True))
            self.repeated += len(pairs) - len(set(attributes))

    def _id(self, text: str) -> int:
        if not _NUMBER.fullmatch(text):
            raise self._error(f"{text[:40]!r} is in the place of a number", "a number from 0")
        return int(text)

    def _check_known(self, number: int, known: Any, what: str) -> None:
        if number not in known:
            raise self._error(f"there is no {what} {number}", "one that was defined before")

    def _error(self, problem: str, expected: str) -> InputError:
        return InputError(problem, where=self.where, expected=expected)


class _Metrics:
    """Looks attributes up by name, once each."""

    def __init__(self, stream: CaliperStreamReader) -> None:
        self._stream = stream
        self._known: dict[str, Metric | None] = {}

    def of(self, name: str) -> Metric | None:
        """Return the metric that an attribute is, None where it is none."""
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> Metric | None:
        if name not in self._stream.attributes():
            return None
        attribute = self._stream.attribute(name)
        if not attribute.is_value():
            return None
        return metric(name, attribute.attribute_type(), attribute.get("attribute.unit"))


def _values(data: str | None) -> int:
    """Count the values of a field: those apart by an = without a backslash before it."""
    return 0 if data is None else len(_WITHIN_A_VALUE.sub("", data)) + 1


def _path(record: Mapping[str, Any]) -> list[str]:
    """Return the record's call path: of nested regions, else of a sampled stack; then the GPU's."""
    path = record.get("path") or record.get(SAMPLED_PATH) or []
    regions = path if isinstance(path, list) else [path]
    activity = next((record[name] for name in _ACTIVITIES if record.get(name)), None)
    below = [] if activity is None else activity if isinstance(activity, list) else [activity]
    return [*regions, *(one for one in below if one not in regions)]


def _block(record: Mapping[str, Any], where: str) -> int | None:
    """Return the number of the record's block of time, None outside of a time series."""
    block = next((record[name] for name in _BLOCKS if name in record), None)
    if block is not None and not (_DECIMAL.fullmatch(block) and float(block) < 1 << 62):
        raise InputError(f"a block of time is {block!r}", where=where, expected="a number")
    return None if block is None else int(float(block))


def _places(record: Mapping[str, Any], where: str) -> tuple[int | None, int | None]:
    """Return the record's rank and thread."""
    rank = next((record[name] for name in RANKS if name in record), None)
    thread = next((record[name] for name in THREADS if name in record), None)
    for value in (rank, thread):
        if value is not None and not (isinstance(value, str) and _NUMBER.fullmatch(value)):
            raise InputError(f"a rank or thread is {value!r}", where=where, expected="a number")
    return rank and int(rank), thread and int(thread)


def _value(text: Any, metric: Metric, where: str) -> float | None:
    """Return a number; None for what a ratio over nothing is."""
    if isinstance(text, str) and _DECIMAL.fullmatch(text):
        return float(text)
    undefined = isinstance(text, str) and text.lstrip("-+").lower() in ("nan", "inf")
    if undefined and "event" in metric.role:
        return None
    raise InputError(f"{metric.name} is {text!r}", where=where, expected="a number")


def _text(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
