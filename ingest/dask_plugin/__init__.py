"""Recording a Dask run completely, for `pwh ingest`: a plugin that a Dask user registers.

    from ingest.dask_plugin import TraceRecorder
    client.register_plugin(TraceRecorder("trace-folder"))

The folder is written when the cluster closes, or at once with `TraceRecorder.save(client)`, by
the scheduler's process; `pwh ingest trace-folder` then reads it (neutral task tables). pwh must be
installed where the client, the scheduler and the workers run.

A node is a worker process, a worker one of its threads: `tcp://10.0.0.5:33211/t0`. Every process
keeps its own clock. Processes on the scheduler's machine read the same one (offset 0). For others
the offset is estimated from the quickest of some twenty questions to the scheduler, at the begin
and the end of the recording; a drift in between stays in. Workers send what they have recorded
every few seconds, so that one that dies takes little with it. What is missing is written to
`recording.txt` in the folder.
"""

from __future__ import annotations

try:
    import distributed  # noqa: F401 - imported here for a message with what to do
except ImportError as error:
    raise ImportError(
        "Recording a Dask run needs the package distributed: pip install 'pwh[dask]'"
    ) from error

from ingest.dask_plugin.recorder import TraceRecorder

__all__ = ["TraceRecorder"]
