"""What HolisticTraceAnalysis says of traces: run by the interpreter of its own environment.

PYTHON hta_answers.py TRACE.json ...    one JSON object a line
"""

from __future__ import annotations

import contextlib
import json
import os
import sys

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"  # before it is imported


def main() -> None:
    """Print for each trace the busy and idle time, the kernels, and the launch queues."""
    from hta.trace_analysis import TraceAnalysis  # type: ignore[import-not-found]

    for path in sys.argv[1:]:
        with contextlib.redirect_stdout(sys.stderr):
            trace = TraceAnalysis(trace_files={0: path}, include_last_profiler_step=True)
            (whole,) = trace.get_temporal_breakdown(visualize=False).to_dict("records")
            idle, _ = trace.get_idle_time_breakdown(ranks=[0], visualize=False)
            _, kernels = trace.get_gpu_kernel_breakdown(visualize=False, num_kernels=10**6)
            queues = trace.get_queue_length_summary()["queue_length"]
            overlap = trace.get_comm_comp_overlap(visualize=False)
        print(
            json.dumps(
                {
                    "whole": whole,
                    "idle": idle.groupby("stream").idle_time.sum().to_dict(),
                    "kernels": kernels[["name", "sum (us)", "mean (us)"]].values.tolist(),
                    "queues": queues.reset_index()[
                        ["stream", "count", "mean", "max"]
                    ].values.tolist(),
                    "overlap": overlap.comp_comm_overlap_pctg.tolist(),
                },
                default=float,
            )
        )


if __name__ == "__main__":
    main()
