"""The nodes of a .cali stream: attributes, call paths and facts, as trees that records refer to.

Format: https://software.llnl.gov/Caliper/OutputFormats.html and Caliper's own CaliReader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ingest.readers.profiles.caliper.fields import number_of, values_of
from warehouse.errors import InputError

# What references stand for: values by the names of their attributes, a list where one is nested.
Context: TypeAlias = dict[str, str | list[str]]

PATH = "path"  # the name under which the values of all nested attributes are collected
VERSION = "cali.caliper.version"
_NAME, _TYPE, _PROPERTIES = 8, 9, 10
_AS_VALUE, _SKIP_EVENTS, _HIDDEN, _NESTED, _GLOBAL = 1, 64, 128, 256, 512
_NO_REGION = _AS_VALUE | _SKIP_EVENTS | _HIDDEN | _GLOBAL
_TYPES = ("usr", "int", "uint", "string", "addr", "double", "bool", "type")
_UNIT = "attribute.unit"


@dataclass(frozen=True, slots=True)
class Attribute:
    """Attribute of a stream: its name, the type of its values and their unit.

    `is_region` is whether programs mark a part of their code by it, though it is not nested.
    """

    name: str
    type: str | None
    unit: str | None
    is_value: bool
    is_hidden: bool
    is_nested: bool
    is_region: bool


class _Node(NamedTuple):
    attribute: int
    data: str
    parent: int | None


_POINTER = _Node(_TYPE, "ptr", None)
"""Of the number 11, which was a node like others in Caliper 1."""


class Nodes:
    """The nodes of a stream by their numbers; `attributes` has those that define attributes."""

    def __init__(self) -> None:
        types = {number: _Node(_TYPE, name, None) for number, name in enumerate(_TYPES)}
        self._nodes = types | {
            _NAME: _Node(_NAME, "cali.attribute.name", 3),
            _TYPE: _Node(_NAME, "cali.attribute.type", 7),
            _PROPERTIES: _Node(_NAME, "cali.attribute.prop", 1),
            11: _POINTER,
        }
        self.attributes: dict[int, Attribute] = {}
        self._by_name: dict[str, Attribute] = {}
        self._expanded: dict[int, Context] = {}
        self._has_nested = False
        for number in (_NAME, _TYPE, _PROPERTIES):
            self._define(number)

    def named(self, name: str) -> Attribute | None:
        """Return the attribute of a name, None where the stream defines none."""
        return self._by_name.get(name)

    def add(self, fields: Mapping[str, str]) -> None:
        """Take the fields of a node; raises `InputError` where it refers to what is unknown."""
        if fields.keys() - {"parent", "data"} != {"id", "attr"}:
            raise InputError(
                "a node lacks its id or attribute", expected="id=..., attr=..., data=..."
            )
        data = values_of(fields.get("data", ""))
        if len(data) > 1:
            raise InputError("the data of a node has a bare =", expected=r"it to be written \=")
        parent = number_of(fields["parent"]) if "parent" in fields else None
        self.define(number_of(fields["id"]), number_of(fields["attr"]), data[0], parent)

    def define(self, number: int, attribute: int, data: str, parent: int | None) -> None:
        """Take a node by its parts; raises `InputError` where it refers to what is unknown."""
        self.check_attribute(attribute)
        if parent is not None:
            self._check_node(parent)
        node = _Node(attribute, data, parent)
        known = self._nodes.get(number, _POINTER)
        if known is not _POINTER:
            # A stream that was flushed twice defines its nodes again; Caliper 1, the format's.
            if known != node:
                raise InputError(
                    f"the node {number} is defined twice", expected="a number of its own"
                )
            return
        self._nodes[number] = node
        if attribute == _NAME:
            if parent is None or not data:
                raise InputError(
                    "an attribute has no type or no name", expected="a parent and data"
                )
            self._define(number)

    def check_attribute(self, number: int) -> None:
        """Raise `InputError` where no attribute has that number."""
        if number not in self.attributes:
            raise _unknown("attribute", number)

    def expand(self, references: Sequence[str]) -> Context:
        """Return what references to nodes stand for; of a name in several, that of the last."""
        context: Context = {}
        for text in references:
            number = number_of(text)
            self._check_node(number)
            context |= self._expand(number)
        return context

    def _check_node(self, number: int) -> None:
        if number not in self._nodes:
            raise _unknown("node", number)

    def _expand(self, number: int) -> Context:
        """Return the values of a node and of those above it."""
        missing: list[int] = []
        at: int | None = number
        while at is not None and at not in self._expanded:
            missing.append(at)
            at = self._nodes[at].parent
        context = {} if at is None else self._expanded[at]
        for one in reversed(missing):
            context = self._expanded[one] = self._below(context, self._nodes[one])
        return context

    def _below(self, context: Context, node: _Node) -> Context:
        """Return the values of a node that is below one with the values `context`."""
        attribute = self.attributes[node.attribute]
        if attribute.is_hidden:
            return context
        known = context.get(attribute.name)
        below = context.copy()
        below[attribute.name] = node.data if known is None else [*listed(known), node.data]
        # Caliper 1 had no nested attributes: all that mark regions are, and those of a loop count.
        if attribute.is_nested or (attribute.is_region and not self._has_nested):
            is_name = attribute.is_nested or attribute.type == "string"
            own = node.data if is_name else attribute.name
            below[PATH] = [*listed(context.get(PATH, [])), own]
        return below

    def _upwards(self, number: int) -> list[_Node]:
        nodes, at = [], self._nodes[number]
        nodes.append(at)
        while at.parent is not None:
            at = self._nodes[at.parent]
            nodes.append(at)
        return nodes

    def _define(self, number: int) -> None:
        own, *above = self._upwards(number)
        stated = {node.attribute: node.data for node in reversed(above)}
        units = (
            stated[n] for n in stated if n in self.attributes and self.attributes[n].name == _UNIT
        )
        properties = number_of(stated.get(_PROPERTIES, "0"))
        self.attributes[number] = self._by_name[own.data] = Attribute(
            own.data,
            stated.get(_TYPE),
            next(units, None),
            is_value=bool(properties & _AS_VALUE),
            is_hidden=bool(properties & _HIDDEN),
            is_nested=bool(properties & _NESTED),
            is_region=not properties & _NO_REGION and not own.data.startswith("cali."),
        )
        self._has_nested |= bool(properties & _NESTED)


def listed(value: str | list[str]) -> list[str]:
    """Return the values that a context has of a name."""
    return value if isinstance(value, list) else [value]


def _unknown(what: str, number: int) -> InputError:
    return InputError(f"there is no {what} {number}", expected="one that was defined before")
