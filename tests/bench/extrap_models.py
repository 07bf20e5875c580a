"""Extra-P's default modeller over series, run by a Python that has extrap (see bench_scaling).

Reads JSON from stdin: a list of {"x": counts, "y": seconds, "at": count}. Writes JSON to stdout:
{"seconds": the predictions, "cpu": CPU seconds of the modelling alone}.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

from extrap.entities.callpath import Callpath  # noqa: E402
from extrap.entities.coordinate import Coordinate  # noqa: E402
from extrap.entities.measurement import Measurement  # noqa: E402
from extrap.entities.metric import Metric  # noqa: E402
from extrap.modelers.single_parameter import all_modelers  # noqa: E402


def main() -> None:
    """Model all series with the default modeller and predict one count each."""
    series = json.load(sys.stdin)
    path, metric = Callpath("f"), Metric("time")
    points = [
        [Measurement(Coordinate(x), path, metric, [y]) for x, y in zip(one["x"], one["y"])]  # noqa: B905
        for one in series
    ]
    modeler = all_modelers["Default"]()
    began = time.process_time()
    models = modeler.model(points)
    cpu = time.process_time() - began
    seconds = [
        float(model.hypothesis.function.evaluate(one["at"]))
        for model, one in zip(models, series)  # noqa: B905
    ]
    json.dump({"seconds": seconds, "cpu": cpu}, sys.stdout)


if __name__ == "__main__":
    main()
