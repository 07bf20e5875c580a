"""Every reader's part of the contract: a module of this folder has a CASE, or several CASES."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from tests.ingest.case import Case

_MODULES = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
CASES: tuple[Case, ...] = tuple(
    case for module in _MODULES for case in getattr(module, "CASES", ()) or (module.CASE,)
)
