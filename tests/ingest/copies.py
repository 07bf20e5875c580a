"""The samples of the contract's cases, by name and part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest import contract
from ingest.base import Reader
from ingest.walk import reader_named
from tests.ingest.case import Case

if TYPE_CHECKING:
    from warehouse.session import Connection


def reader_of(case: Case) -> Reader:
    return reader_named(case.reader)


def name_of(case: Case) -> str:
    return f"{case.reader}:{case.sample.name}"


def parts_of(case: Case) -> dict[str, bytes]:
    return contract.parts_of(reader_of(case), case.sample)


def is_empty(con: Connection) -> bool:
    """Return whether no table has a row; names those that have, for the test's message."""
    assert contract.filled(con) == {}
    return True
