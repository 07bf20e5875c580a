"""Scaling models: how the time of a function changes with the number of processes.

From a few measured counts of a function come one readable formula, and predictions by an ensemble
of small models for any other count, with intervals. See `bases` for the terms,
`least_squares` for the fit, `ensemble` for the prediction, `surface` for two parameters.
"""

from udfs.scaling.models import scaling_forecast, scaling_model
from udfs.scaling.surfaces import scaling_forecast_at, scaling_surface

__all__ = ["scaling_forecast", "scaling_forecast_at", "scaling_model", "scaling_surface"]
