"""Files in, rows out: the readers, in the order in which they are asked."""

from __future__ import annotations

from ingest.base import Reader
from ingest.cprofile import CProfile
from ingest.dask.dump import DaskDump
from ingest.exp_bbv.reader import ExpBbv
from ingest.extrap.json import ExtrapJson
from ingest.extrap.lines import ExtrapJsonLines, ExtrapTalpas
from ingest.extrap.text import ExtrapText
from ingest.gem5.reader import Gem5Stats
from ingest.gpgpusim.reader import GpgpuSim
from ingest.machine_code import MachineCode
from ingest.perf_stat.reader import PerfStat
from ingest.plain import PlainTable
from ingest.starpu.reader import StarPU
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
