"""Messages of Protocol Buffers by the .proto files of this folder, without generated code.

The files have what pwh needs of a format: top-level messages with fields of numbers, texts and
other messages.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from warehouse.errors import InputError

_MESSAGE = re.compile(r"^message (\w+) {(.*?)^}", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"(repeated )?(\w+) (\w+) = (\d+);")


@cache
def messages(name: str) -> SimpleNamespace:
    """Return the classes of the messages in `name`.proto."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    text = Path(__file__).with_name(f"{name}.proto").read_text(encoding="utf-8")
    syntax = "proto3" if '"proto3"' in text else "proto2"
    file = descriptor_pb2.FileDescriptorProto(name=name, syntax=syntax)
    Field = descriptor_pb2.FieldDescriptorProto  # noqa: N806
    for message, body in _MESSAGE.findall(text):
        described = file.message_type.add(name=message)
        for repeated, kind, field, number in _FIELD.findall(body):
            label = Field.LABEL_REPEATED if repeated else Field.LABEL_OPTIONAL
            one = described.field.add(name=field, number=int(number), label=label)
            if kind[0].isupper():
                one.type_name = f".{kind}"
            else:
                one.type = Field.Type.Value(f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return SimpleNamespace(**message_factory.GetMessageClassesForFiles([name], pool))


def decoded(kind: Any, data: bytes) -> Any:
    """Return a message; raise `InputError` where the data are not one whole message."""
    from google.protobuf.message import DecodeError

    try:
        return kind.FromString(data)
    except DecodeError as error:
        raise InputError(
            f"the file is no whole {kind.__name__} ({error})",
            expected="a file in Protocol Buffers",
            hint="Is the file cut off or damaged? Copy or record it again.",
        ) from None


def decoded_head(kind: Any, head: bytes) -> Any:
    """Return the message with the fields that are whole in the head of a file."""
    from google.protobuf.message import DecodeError

    found = kind()
    with suppress(DecodeError):  # what precedes is kept
        found.MergeFromString(head)
    return found


def has_unknown_fields(message: Any) -> bool:
    """Return whether a message has fields that its kind has not, so that it is of another one."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    return len(UnknownFieldSet(message)) > 0
