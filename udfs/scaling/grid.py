"""The grid of laws of scaling, and how probable each is before anything is measured.

A law is a constant, a power a*p^c, a constant or a decaying term plus one further term (a power or
a power times a logarithm), work that is divided with a constant rest and a growing term, or
saturation a*p/(p + k); MPI functions that pass trees may have log2(p) beside a power. Factors are
positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np

from udfs.arrays import Floats
from udfs.scaling.bases import Basis

ROUND: Final = (-2.0, -1.5, -1.0, -0.5, 1 / 3, 0.5, 2 / 3, 1.0, 1.5, 2.0, 2.5, 3.0)
"""Exponents that laws of algorithms have: more probable than those between them."""
_LOGS: Final = tuple((a, b) for b in (1, 2) for a in (0.0, 0.5, 1.0, 1.5, 2.0))
STEEPEST: Final = 3.2  # exponent of growth: beyond cubic nothing scales
_TREE_POWERS: Final = (0.5, 1.0, 1.5, 2.0)
"""Exponents of the terms beside log2(p)."""
_SLOW_DECAY: Final = -0.5
"""Of laws of two terms, beside 1/p: others have hardly other times at few counts."""
_HALVES: Final = np.exp(np.linspace(np.log(0.01), np.log(4.0), 20))
"""Counts at which saturation reaches half its limit, over the largest count."""

# Logarithms of prior probabilities.
CLASS_ODDS: Final = np.log([0.19, 0.14, 0.40, 0.11, 0.04, 0.04, 0.08])
"""Of a constant, a power, a constant and a term, two terms, saturation, three terms, a power of any
exponent."""
_BETWEEN: Final = -2.0
"""Of exponents between the round ones."""
_WITH_LOG: Final = -0.2  # logarithm of the odds of a term with a logarithm
_COMMON: Final = 1.4
"""Further odds of the laws that parallel algorithms have most often."""
_COMMON_TERMS: Final = frozenset({(-1.0, 0), (0.5, 0), (1.0, 0), (0.0, 1), (0.0, 2), (1.0, 1)})
"""Their exponents of p and of log2(p)."""
_TREE: Final = 1.0
"""Further odds of log2(p) and its square where the kind of function has it: levels of trees."""
_GROWING_TREE: Final = 1.0
"""And of p^a*log2(p) where the kind has that."""


@dataclass(frozen=True, slots=True)
class Term:
    """p^exponent * log2(p)^logs, or with `half` saturation p/(p + half * largest count)."""

    exponent: float
    logs: int = 0
    half: float = 0.0

    def values(self, p: Floats, last: float) -> Floats:
        """Return the term at counts, over its value at the last one."""
        if self.half:
            ratio: Floats = p * (1 + self.half) / (p + self.half * last)
            return ratio
        values: Floats = (p / last) ** self.exponent
        return values * (np.log2(p) / np.log2(last)) ** self.logs if self.logs else values


CONSTANT: Final = Term(0.0)
_OVERHEADS: Final = (Term(0.0, 1), *map(Term, (0.5, 1.0, 1.5, 2.0)), Term(1.0, 1))
"""Growing terms beside work that is divided and a constant rest."""
Law = tuple[Term, ...]
_PLAIN_POWERS: Final = (-2.0, -1.0, -0.5, 0.5, 1.0, 2.0)
"""Exponents that are tried on a part of the counts."""


def _between(step: float, low: float, high: float) -> list[float]:
    grid = np.arange(low, high + step / 2, step)
    return [
        float(a) for a in grid if abs(a) > step / 2 and np.abs(np.array(ROUND) - a).min() > 0.03
    ]


def _log_prior(term: Term, basis: Basis) -> float:
    if term.half:
        return 0.0
    odds = 0.0 if term.logs or any(abs(term.exponent - a) < 1e-9 for a in ROUND) else _BETWEEN
    odds += _COMMON * ((term.exponent, term.logs) in _COMMON_TERMS)
    if basis.log and term.logs:
        grows = term.exponent != 0
        odds += _GROWING_TREE * (basis.growth_log and term.logs == 1) if grows else _TREE
    return odds + _WITH_LOG * bool(term.logs)


def _classes(basis: Basis) -> list[list[Law]]:
    """Return the laws of each class of `CLASS_ODDS` but the last."""
    if basis.short:
        plain = [Term(a) for a in _PLAIN_POWERS]
        with_base: list[Law] = [(CONSTANT, term) for term in (*plain, Term(0.0, 1))]
        alone: list[Law] = [(term,) for term in plain]
        return [[(CONSTANT,)], alone, with_base, [(Term(-1.0), Term(1.0))]]
    powers = [Term(a) for a in ROUND] + [Term(a, b) for a, b in _LOGS]
    grown = [Term(a) for a in (*ROUND, *_between(0.1, 0.1, STEEPEST))]
    grown += [Term(a, b) for a, b in _LOGS]
    two: list[Law] = [
        (Term(decay), term)
        for decay, terms in ((-1.0, grown), (_SLOW_DECAY, powers))
        for term in terms
        if term.exponent > 0 or term.logs
    ]
    three: list[Law] = [(Term(-1.0), term, CONSTANT) for term in _OVERHEADS]
    if basis.log:
        tree = Term(0.0, 1)
        two += [(tree, Term(a, int(basis.growth_log))) for a in _TREE_POWERS]
        three += [(tree, Term(a, int(basis.growth_log)), CONSTANT) for a in _TREE_POWERS]
    return [
        [(CONSTANT,)],
        [(term,) for term in powers],
        [(CONSTANT, term) for term in (*grown, *(Term(a) for a in _between(0.2, -2.2, -0.2)))],
        two,
        [(Term(0.0, half=float(half)),) for half in _HALVES],
        three,
    ]


@cache
def laws(basis: Basis) -> tuple[tuple[Law, ...], Floats]:
    """Return all laws, those of fewest terms first, and the logarithms of their probabilities."""
    found: list[Law] = []
    odds: list[Floats] = []
    for members, of_class in zip(_classes(basis), CLASS_ODDS, strict=False):
        prior = np.array([sum(_log_prior(term, basis) for term in law) for law in members])
        found += members
        odds.append(prior + of_class - np.log(np.exp(prior).sum()))
    order = np.argsort([len(law) for law in found], kind="stable")
    return tuple(found[i] for i in order), np.concatenate(odds)[order]


@cache
def class_ends(basis: Basis) -> tuple[int, int]:
    """Return where the laws of one term end, and those of two."""
    sizes = np.array([len(law) for law in laws(basis)[0]])
    return int((sizes < 2).sum()), int((sizes < 3).sum())


@cache
def law_shapes(basis: Basis) -> tuple[Floats, Floats, Floats]:
    """Return exponents and logarithms of the laws' terms, 3 x laws, and what saturates (laws)."""
    found, _ = laws(basis)
    exponents, logs = np.zeros((2, 3, len(found)))
    for k, law in enumerate(found):
        for j, term in enumerate(law):
            exponents[j, k], logs[j, k] = term.exponent, term.logs
    return exponents, logs, np.array([law[0].half for law in found])


@lru_cache(maxsize=256)
def term_values(basis: Basis, places: tuple[float, ...], last: float) -> Floats:
    """Return the values of the laws' first two terms at places, 2 x laws x places; 0 for none."""
    found, _ = laws(basis)
    terms = np.zeros((2, len(found), len(places)))
    for k, law in enumerate(found):
        for j, term in enumerate(law[:2]):
            terms[j, k] = term.values(np.array(places), last)
    return terms
