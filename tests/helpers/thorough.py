"""How many cases tests of properties try: few while working, many at night (PWH_THOROUGH=1)."""

from __future__ import annotations

import os

THOROUGH = os.environ.get("PWH_THOROUGH") == "1"


def cases(usual: int, thorough: int) -> int:
    """Return the number of cases to try."""
    return thorough if THOROUGH else usual
