"""Types of numpy's arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
