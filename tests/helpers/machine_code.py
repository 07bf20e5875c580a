"""Features of blocks of machine code, as models take them."""

import numpy as np
import pyarrow as pa

from udfs.throughput.blocks import block_features


def features_of(hexes):
    """Return the features of blocks in hexadecimal that all decode (n x len(FEATURES))."""
    return np.array(block_features(pa.array(hexes)).to_pylist(), np.float32)
