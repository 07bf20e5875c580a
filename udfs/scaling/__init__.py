"""Scaling models: how the time of a function changes with the number of processes.

From a few measured counts of a function come one readable formula and predictions for any other
count, with intervals. `forecast` weighs laws (`laws`: those of a `grid`, the patent's with `free`
exponents, and `breaks`) and an ensemble of small models (`ensemble`).
`surface` is for two parameters, `turning` for the count beyond which a program gets slower,
`limits` for what follows from its predicted times, `speedup` for laws of speed-up.
"""

from udfs.scaling.fit import scaling_fit
from udfs.scaling.limits import scaling_limits
from udfs.scaling.models import scaling_forecast, scaling_model, scaling_patent
from udfs.scaling.speedup import scaling_speedup_laws
from udfs.scaling.surfaces import scaling_forecast_at, scaling_surface
from udfs.scaling.turning import scaling_turning_point

__all__ = [
    "scaling_fit",
    "scaling_forecast",
    "scaling_forecast_at",
    "scaling_limits",
    "scaling_model",
    "scaling_patent",
    "scaling_speedup_laws",
    "scaling_surface",
    "scaling_turning_point",
]
