"""Files that are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.helpers.reused import reused_warehouse
from tests.helpers.support import analyses_read, compute_only, land, rows
from tests.ingest.copies import is_empty
from warehouse.errors import InputError

if TYPE_CHECKING:
    from warehouse.session import Connection


@pytest.fixture
def warehouse(in_memory: Callable[[], Connection]) -> Iterator[Connection]:
    """Yield an empty warehouse in memory."""
    yield from reused_warehouse(in_memory, only_lands=True)


@pytest.fixture
def landed(warehouse: Connection, tmp_path: Path) -> Callable[..., list[tuple[Any, ...]]]:
    """Return a function that lands a file with this content and returns the rows of a query."""

    def do(
        content: str | bytes, query: str, name: str = "x.txt", **options: Any
    ) -> list[tuple[Any, ...]]:
        land(warehouse, _written(tmp_path / name, content), **options)
        return rows(warehouse, query)

    return do


@pytest.fixture
def refused(warehouse: Connection, tmp_path: Path) -> Callable[..., InputError]:
    """Return a function that lands a file which must be refused, and returns the error."""

    def refuse(content: str | bytes, name: str = "x.txt", **options: Any) -> InputError:
        with pytest.raises(InputError) as error:
            land(warehouse, _written(tmp_path / name, content), **options)
        assert is_empty(warehouse)
        return error.value

    return refuse


def _written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture
def refusal(refused: Callable[..., InputError], tmp_path: Path) -> Callable[..., str]:
    """Return a function as `refused`, which returns the message without the file's path."""

    def refuse(content: bytes, name: str = "x.csv", **options: Any) -> str:
        path, message = str(tmp_path / name), str(refused(content, name, **options))
        assert message.startswith(path)
        return message.removeprefix(path).lstrip(",: ")

    return refuse


@pytest.fixture
def without_analyses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store no answers about what lands, which takes nine tenths of the time of small files.

    The golden rows of the contract are landed with answers, and `test_analyses` is about them.
    """
    for module in ("load", "forget"):
        monkeypatch.setattr(f"ingest.{module}.analyse", lambda *_: None)


@pytest.fixture
def only_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute series and their events only: to explain them takes nine tenths of the time."""
    compute_only(monkeypatch, analyses_read("change_events"))
