"""Files in, rows out: the readers, in the order in which they are asked."""

from __future__ import annotations

from ingest.base import Reader
from ingest.cprofile import CProfile
from ingest.dask_dump import DaskDump
from ingest.exp_bbv import ExpBbv
from ingest.extrap_json import ExtrapJson
from ingest.extrap_lines import ExtrapJsonLines, ExtrapTalpas
from ingest.extrap_text import ExtrapText
from ingest.gem5 import Gem5Stats
from ingest.gpgpusim import GpgpuSim
from ingest.machine_code import MachineCode
from ingest.perf_stat import PerfStat
from ingest.plain import PlainTable
from ingest.starpu import StarPU
from ingest.task_tables import TaskTables

READERS: tuple[Reader, ...] = (
    PerfStat(),
    Gem5Stats(),
    CProfile(),
    ExtrapText(),
    ExtrapJson(),
    ExtrapJsonLines(),
    ExtrapTalpas(),
    DaskDump(),
    StarPU(),
    GpgpuSim(),
    ExpBbv(),
    TaskTables(),
    MachineCode(),
    PlainTable(),
)

__all__ = ["READERS", "Reader"]
