"""A trace file, event by event: JSON of any length in bounded memory.

The events are decoded in batches. A batch ends where `}` is followed by `,` and `{`; whether that
is the end of an event, and not of something within one, the decoder tells: only whole events are
a JSON array when brackets are put around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from warehouse.errors import InputError

BATCH_BYTES = 8 << 20
_OPENING_LIMIT = 64 << 20
_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')
_BETWEEN = re.compile(rb"\}\s*,\s*\{")
# PyTorch writes bandwidths of no time as inf, which JSON does not have.
_NOT_JSON = re.compile(rb"(:\s*)[-+]?(?:nan|inf(?:inity)?)(?=\s*[,}\]])", re.IGNORECASE)
# Tools copy control characters into texts; outside of these they are blanks anyway.
_BLANKS = bytes(32 if byte < 32 else byte for byte in range(256))


class Event(msgspec.Struct, gc=False):
    """One event; what is not decoded here stays as JSON. Times are decimal us."""

    ph: str = ""
    name: str | int | float | None = None
    cat: str | None = None
    ts: msgspec.Raw = msgspec.Raw()
    dur: msgspec.Raw = msgspec.Raw()
    pid: str | int | float | None = None
    tid: str | int | float | None = None
    id: str | int | float | None = None
    id2: dict[str, str | int | float] | None = None
    scope: str | None = None
    bp: str | None = None
    bind_id: str | int | float | None = None
    flow_in: Any = None
    flow_out: Any = None
    args: msgspec.Raw = msgspec.Raw()


class Facts(msgspec.Struct, gc=False):
    """Facts of a file beside its events, before or after them."""

    schemaVersion: Any = None  # noqa: N815 - names of the format
    baseTimeNanoseconds: Any = None  # noqa: N815
    distributedInfo: Any = None  # noqa: N815
    deviceProperties: Any = None  # noqa: N815
    cuda_driver_version: Any = None
    cuda_runtime_version: Any = None
    host_name: Any = None
    metadata: Any = None
    traceEvents: Any = None  # noqa: N815
    samples: Any = None
    systemTraceEvents: Any = None  # noqa: N815
    viztracer_metadata: Any = None
    beginningOfTime: Any = None  # noqa: N815
    pwh: Any = None


class _Closing(Facts, gc=False):
    traceEvents: list[Event] = []  # noqa: N815


_events = msgspec.json.Decoder(list[Event])
_closing = msgspec.json.Decoder(_Closing)
_opening = msgspec.json.Decoder(Facts)


class Document:
    """A trace file that is being read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0
        self._data = file.read(BATCH_BYTES)
        self._facts: list[Facts] = []
        self._is_array = self._data.lstrip().startswith(b"[")
        self._open()

    def __iter__(self) -> Iterator[list[Event]]:
        """Yield the events in batches; raise `InputError` where the file is not whole."""
        while more := self._file.read(BATCH_BYTES):
            self._data += more
            for end in _ends(self._data):
                try:
                    batch = self._batch(b"".join((b"[", memoryview(self._data)[:end], b"]")))
                except msgspec.DecodeError:
                    continue
                yield batch
                self._drop(self._data.index(b",", end) + 1)
                break
        yield self._last()

    def stated(self) -> dict[str, Any]:
        """Return what the file states beside its events, complete when these have been read."""
        return {
            name: value
            for facts in self._facts
            for name in Facts.__struct_fields__
            if (value := getattr(facts, name)) is not None and name != "traceEvents"
        }

    def _open(self) -> None:
        """Move to the first event."""
        if self._is_array:
            self._drop(self._data.index(b"[") + 1)
            return
        while True:
            for match in _EVENTS.finditer(self._data):
                # In a text, or deeper, the name would not leave a whole object before it.
                opening = self._data[: match.start()].rstrip().removesuffix(b",") + b"}"
                try:
                    self._facts.append(self._decoded(_opening, opening))
                except msgspec.DecodeError:
                    continue
                self._drop(match.end())
                return
            more = self._file.read(BATCH_BYTES)
            if not more or len(self._data) > _OPENING_LIMIT:
                raise InputError(
                    "the file has no traceEvents",
                    expected='a JSON object with "traceEvents": [...], or an array of events',
                )
            self._data += more

    def _last(self) -> list[Event]:
        """Return the events that are left, and read what the file states behind them."""
        rest = self._data.strip()
        if not self._is_array:
            try:
                closing = self._decoded(_closing, b'{"traceEvents":[' + rest)
            except msgspec.DecodeError as error:
                raise self._cut_off(error) from None
            self._facts.append(closing)
            events: list[Event] = closing.traceEvents
            return events
        # An array need not be closed: a program that crashes leaves it so.
        forms = (b"[" + rest, b"[" + rest.removesuffix(b",") + b"]")
        for form in forms[0 if rest.endswith(b"]") else 1 :]:
            try:
                return self._batch(form)
            except msgspec.DecodeError as error:
                wrong = error
        raise self._cut_off(wrong)

    def _batch(self, data: bytes) -> list[Event]:
        events: list[Event] = self._decoded(_events, data)
        return events

    def _decoded(self, decoder: msgspec.json.Decoder[Any], data: bytes) -> Any:
        """Decode JSON; raise `DecodeError` where it is not whole, `InputError` where wrong."""
        try:
            try:
                return decoder.decode(data)
            except msgspec.DecodeError as error:
                if isinstance(error, msgspec.ValidationError):
                    raise
                return decoder.decode(_NOT_JSON.sub(rb"\1null", data.translate(_BLANKS)))
        except msgspec.ValidationError as error:
            raise self._refused(f"an event is not as expected ({error})") from None
        except UnicodeDecodeError as error:
            byte = error.object[error.start]
            raise self._refused(f"byte {byte:#04x} is not UTF-8 text") from None
        except RecursionError:
            raise self._refused("the JSON is nested too deeply") from None

    def _cut_off(self, error: msgspec.DecodeError) -> InputError:
        wrong = self._refused(f"the text is not whole JSON ({error})")
        wrong.hint = "Is the end of it missing?"
        return wrong

    def _refused(self, problem: str) -> InputError:
        return InputError(problem, where=f"behind byte {self._at}", expected="trace events")

    def _drop(self, count: int) -> None:
        self._at += count
        self._data = self._data[count:]


def _ends(data: bytes) -> Iterator[int]:
    """Yield where an event may end, from the back, in steps that grow."""
    step, before = 64, len(data)
    while before > 0:
        start = max(before - step, 0)
        if places := [match.start() for match in _BETWEEN.finditer(data, start, before)]:
            yield places[-1] + 1
        before, step = start, step * 4
