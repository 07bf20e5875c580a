"""The times of an execution as a file: what `/usr/bin/time -v` prints, with more digits."""

from __future__ import annotations

from collections.abc import Sequence

from apps.recording.process import Execution
from apps.recording.surroundings import shell_text


def times_text(command: Sequence[str], done: Execution) -> str:
    """Return the lines that the reader `time` reads; seconds have microseconds."""
    minutes, seconds = divmod(done.wall, 60)
    return "\n".join(
        [
            f"Started at {done.started_at.isoformat()}",
            f'\tCommand being timed: "{shell_text(command)}"',
            f"\tUser time (seconds): {done.user:.6f}",
            f"\tSystem time (seconds): {done.system:.6f}",
            f"\tElapsed (wall clock) time (h:mm:ss or m:ss): {minutes:.0f}:{seconds:09.6f}",
            f"\tMaximum resident set size (kbytes): {done.max_rss // 1024}",
            f"\tMajor (requiring I/O) page faults: {done.major_page_faults}",
            f"\tMinor (reclaiming a frame) page faults: {done.minor_page_faults}",
            f"\tVoluntary context switches: {done.voluntary_context_switches}",
            f"\tInvoluntary context switches: {done.involuntary_context_switches}",
            f"\tFile system inputs: {done.file_system_inputs}",
            f"\tFile system outputs: {done.file_system_outputs}",
            f"\tExit status: {done.exit_code}",
            "",
        ]
    )
