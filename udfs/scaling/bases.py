"""The terms of the time of a function, by the kind of the function.

With x = parallelism and y = seconds (other letters are fitted):

- computation, non-blocking point-to-point: y = a*x^-b + c*x^d + e
- blocking point-to-point: y = a*x^b + c*log2(x) + d
- n-to-n collective: y = a*log2(x) + b*x^c + d; the patent's f*(b*x^c + d) + e is not
  distinguishable from this
- n-to-1 and 1-to-n collective: y = (a*x^b + c)*log2(x) + d

Every kind may also have a decaying term g*x^-h: work that is distributed over processes shrinks
with x. The base of the collectives' logarithm (the arity of the tree) is a factor of its
coefficient.

The bases are those of a patent on fine-grained performance models of parallel scientific programs
(East China Normal University and National Supercomputing Center in Wuxi, 2021).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Basis:
    """The terms that functions of a kind may have.

    `log` is whether log2(x) is a term, `growth_log` whether the growing term is x^d*log2(x);
    `short` is whether only the plainest laws are tried, as on a part of the counts.
    """

    log: bool
    growth_log: bool
    short: bool = False


Names = tuple[str, str, str, str, str, str]
"""Parameters of the constant, decaying term, its exponent, growing term, its exponent, log."""
PLAIN: Final = Basis(False, False)
KINDS: Final[dict[str, tuple[Basis, Names]]] = {
    "computation": (PLAIN, ("e", "a", "b", "c", "d", "")),
    "non-blocking point-to-point": (PLAIN, ("e", "a", "b", "c", "d", "")),
    "blocking point-to-point": (Basis(True, False), ("d", "g", "h", "a", "b", "c")),
    "n-to-n collective": (Basis(True, False), ("d", "g", "h", "b", "c", "a")),
    "n-to-1 and 1-to-n collective": (Basis(True, True), ("d", "g", "h", "a", "b", "c")),
}
"""Terms of each kind, and the names of their parameters."""
OTHER: Final = KINDS["computation"]
"""Used for kinds without terms of their own, as whole runs."""
