"""One function a question, shared by the command line and the pages.

Each gives a relation over public views, or plain values; none prints. One module a topic.
"""

from apps.queries.base import ask
from apps.queries.idle import (
    Window,
    critical_path,
    idle_by,
    idle_flags,
    idle_readings,
    idle_what_if,
)
from apps.queries.runs import (
    LATEST,
    columns,
    counters,
    counts,
    forgettable,
    functions,
    launches,
    longest_idle,
    metrics,
    objects,
    run_facts,
    run_named,
    runs,
    segments,
    sources,
    workers,
)
from apps.queries.scaling import (
    ScalingSet,
    scaling_apps,
    scaling_comparison,
    scaling_functions,
    scaling_program,
    scaling_sets,
)

__all__ = (
    "LATEST",
    "ScalingSet",
    "Window",
    "ask",
    "columns",
    "counters",
    "counts",
    "critical_path",
    "forgettable",
    "functions",
    "idle_by",
    "idle_flags",
    "idle_readings",
    "idle_what_if",
    "launches",
    "longest_idle",
    "metrics",
    "objects",
    "run_facts",
    "run_named",
    "runs",
    "scaling_apps",
    "scaling_comparison",
    "scaling_functions",
    "scaling_program",
    "scaling_sets",
    "segments",
    "sources",
    "workers",
)
