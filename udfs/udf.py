"""Functions for SQL: their signature, its description, and when its module is imported."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

# What stands between commas outside of brackets, which are nested thrice at most.
_TOP_LEVEL = re.compile(r"(?:[^,()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+")


class Parameter(NamedTuple):
    """A parameter of a function: its name, its SQL type, and its default where it is optional."""

    name: str
    type: str
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Udf:
    """A function for SQL: its signature, module, SQL type and a description for users.

    Optional parameters come last: `seed INTEGER DEFAULT 0`. DuckDB has none for functions in
    Python: it accepts any number of arguments of any type then, and the function casts them. A
    function with `may_return_null` can return NULL for arguments that are not NULL; DuckDB passes
    NULL arguments to it, too. Functions that are not `public` serve views and macros only, and are
    not listed for users. `pairs` are the parameters whose lists have as many elements as each
    other, and no NULL, unless the function has an answer for it (`takes_null`). `example` is a line
    of use.
    """

    signature: str
    module: str
    returns: str
    description: str
    may_return_null: bool = False
    public: bool = True
    pairs: tuple[str, ...] = ()
    takes_null: bool = False
    example: str | None = None

    @property
    def name(self) -> str:
        """The name, in SQL and in Python."""
        return self.signature.partition("(")[0]

    @property
    def parameters(self) -> list[Parameter]:
        """The parameters of the signature, in its order."""
        parts: list[Parameter] = []
        for text in _TOP_LEVEL.findall(self.signature.partition("(")[2][:-1]):
            name, _, rest = text.strip().partition(" ")
            kind, _, default = rest.partition(" DEFAULT ")
            parts.append(Parameter(name, kind, default or None))
        return parts

    @property
    def has_optional(self) -> bool:
        """Whether parameters can be left out."""
        return any(parameter.default is not None for parameter in self.parameters)

    @property
    def function(self) -> Callable[..., Any]:
        """The Python function, imported now."""
        from importlib import import_module

        found: Callable[..., Any] = getattr(import_module(self.module), self.name)
        return found

    def deferred(self) -> Callable[..., Any]:
        """Return a function that imports the real one when it is first called.

        DuckDB calls it from threads of its own: of those of linear algebra it has one.
        """
        udf = self
        names = [parameter.name for parameter in self.parameters]
        required = sum(parameter.default is None for parameter in self.parameters)

        def call(*columns: Any) -> Any:
            from udfs.arguments import ArgumentError, check_pairs, unfit
            from udfs.blas import one_blas_thread

            given = dict(zip(names, columns, strict=False))
            if not required <= len(columns) <= len(names):
                raise ArgumentError(
                    f"{udf.signature} has {required} to {len(names)} arguments, not {len(columns)}"
                )
            if udf.pairs:
                lists = {name: given[name] for name in udf.pairs}
                check_pairs(udf.name, lists, takes_null=udf.takes_null)
            # Imported before, so that the libraries it uses are loaded, and limited.
            function = udf.function
            try:
                with one_blas_thread():
                    return function(*columns)
            except ArgumentError:
                raise
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                raise unfit(udf.name, error) from error

        if self.has_optional:
            return call
        # DuckDB counts the parameters of the signature, of which *columns would be one.
        kind = inspect.Parameter.POSITIONAL_ONLY
        call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(parameter.name, kind) for parameter in self.parameters]
        )
        return call
