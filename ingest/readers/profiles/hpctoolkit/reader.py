"""HPCToolkit databases with an experiment.xml: costs by call path, of each process and thread.

Source: HPCToolkit's user manual, and the DTD in each file. hpcprof-mpi stores the values of each
thread in a file of its own (.metric-db) next to experiment.xml; hpcprof alone stores sums over all
in experiment.xml. What lands:

- The first of REALTIME, WALLCLOCK and CPUTIME in fn_timings, every other metric in pmu_samples with
  the call path as region; both with own values, and those with callees.
- Call paths of procedures; inlined ones are functions. Loops and lines are left out. A procedure
  without a name is the load module that it is in, such as [libc.so.6].
- `rank` and `thread` are those in the name of the .metric-db file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ingest.base import Head, Item
from ingest.compressed import bare_name
from ingest.recording import Recording

_EXPERIMENT, _THREAD = "experiment.xml", ".metric-db"
_META, _PROFILE = "meta.db", "profile.db"
_MAGIC_OF_META, _MAGIC_OF_PROFILE = b"HPCTOOLKITmeta", b"HPCTOOLKITprof"
_MAGIC_OF_THREAD = b"HPCPROF-metricdb__"
_START = re.compile(rb"(?s:.{0,4000}?)<(?:!DOCTYPE )?HPCToolkitExperiment\b")


class HpcToolkit:
    """Reads databases of HPCToolkit, all processes and threads of a run."""

    NAME = "hpctoolkit"
    DESCRIPTION = "HPCToolkit database (meta.db or experiment.xml): times, counters by call path"
    PATTERNS = (_META, _PROFILE, _EXPERIMENT, "*.metric-db")
    TABLES = ("fn_timings", "pmu_samples")
    WHOLE_FOLDER = False

    def sniff(self, head: Head) -> bool:
        """Recognise a meta.db, an experiment.xml, and values of threads that are next to one."""
        if head.data.startswith(_MAGIC_OF_THREAD):
            return _beside(head.path, _EXPERIMENT) is not None
        if head.data.startswith(_MAGIC_OF_PROFILE):
            return _beside(head.path, _META) is not None
        if head.data.startswith(_MAGIC_OF_META):
            return True
        return head.start.startswith(b"<") and _START.match(head.data) is not None

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the file that has the call paths, and those that have the values of threads."""
        name = bare_name(path)
        if name in (_META, _PROFILE):
            meta, profile = _beside(path, _META), _beside(path, _PROFILE)
            return tuple(one for one in (meta, profile) if one is not None)
        main = (_beside(path, _EXPERIMENT) or path) if name.endswith(_THREAD) else path
        if bare_name(main) != _EXPERIMENT:
            return (main,)
        stored = (one for one in main.parent.iterdir() if bare_name(one).endswith(_THREAD))
        return (main, *sorted(stored))

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run and its rows; see `Reader.read`."""
        from ingest.readers.profiles.hpctoolkit import database, experiment_rows

        with recording.open() as file:
            is_database = file.peek(len(_MAGIC_OF_META)).startswith(_MAGIC_OF_META)
        yield from (database if is_database else experiment_rows).items(recording)


def _beside(path: Path, name: str) -> Path | None:
    """Return the file of a name in the folder of another."""
    return next((one for one in path.parent.iterdir() if bare_name(one) == name), None)
