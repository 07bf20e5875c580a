"""Packages that DuckDB and Arrow look for in case a value is of theirs, and do without.

DuckDB looks for pandas at the first bound parameter, for data sets at the first table of Arrow, and
for cloudpickle to pickle with; Arrow for pandas at the first array. No setting of DuckDB 1.5.5
changes that (python_enable_replacements and pandas_analyze_sample do not), and of a None in
sys.modules Arrow asks a version. To hide them saves 0.2 s of processor time a command: `pwh sql
"select 1"` takes 0.29 instead of 0.48 s, `pwh report` 0.41 instead of 0.62.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class _Hidden:
    """Finder by which the packages are not installed."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:  # noqa: ARG004
        """Raise `ModuleNotFoundError` for one of them, until scikit-learn needs them."""
        if name in ("pandas", "pyarrow.dataset", "cloudpickle") and "sklearn" not in sys.modules:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextmanager
def unneeded_hidden() -> Iterator[None]:
    """Let imports of these fail, as where they are not installed, until `show_unneeded`."""
    sys.meta_path.insert(0, _Hidden)
    try:
        yield
    finally:
        show_unneeded()


def show_unneeded() -> None:
    """Let them be imported: other packages are about to be, which may need them."""
    with suppress(ValueError):
        sys.meta_path.remove(_Hidden)
