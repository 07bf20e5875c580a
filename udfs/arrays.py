"""Types of numpy's arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
