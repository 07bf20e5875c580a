"""Files in, rows out: the readers, in the order in which they are asked."""

from __future__ import annotations

from ingest.base import Reader
from ingest.caliper.reader import Caliper
from ingest.callgrind.reader import Callgrind
from ingest.counters.likwid import Likwid
from ingest.counters.ncu import Ncu
from ingest.counters.papi import Papi
from ingest.counters.perfspect import PerfSpect
from ingest.cprofile import CProfile
from ingest.dask.dump import DaskDump
from ingest.drcov import Drcov
from ingest.exp_bbv.reader import ExpBbv
from ingest.extrap.json import ExtrapJson
from ingest.extrap.lines import ExtrapJsonLines, ExtrapTalpas
from ingest.extrap.text import ExtrapText
from ingest.gem5.reader import Gem5Stats
from ingest.gem5_segments import Gem5Segments
from ingest.gpgpusim.inst_debug import GpgpuSimInstDebug
from ingest.gpgpusim.reader import GpgpuSim
from ingest.gprof import Gprof
from ingest.instruction_trace import InstructionTrace
from ingest.machine_code import MachineCode
from ingest.mpip.reader import MpiP
from ingest.ncu_source import NcuSource
from ingest.nvbit.reader import Nvbit
from ingest.perf_stat.reader import PerfStat
from ingest.plain import PlainTable
from ingest.scorep.reader import ScorepCube
from ingest.starpu.reader import StarPU
from ingest.task_tables import TaskTables
from ingest.tau.folder import Tau
from ingest.tau.packed import TauPacked

READERS: tuple[Reader, ...] = (
    PerfStat(),
    PerfSpect(),
    Papi(),
    Likwid(),
    Ncu(),
    Gem5Stats(),
    CProfile(),
    Caliper(),
    ScorepCube(),
    TauPacked(),
    Tau(),
    MpiP(),
    Gprof(),
    ExtrapText(),
    ExtrapJson(),
    ExtrapJsonLines(),
    ExtrapTalpas(),
    DaskDump(),
    StarPU(),
    GpgpuSim(),
    GpgpuSimInstDebug(),
    Nvbit(),
    NcuSource(),
    Callgrind(),
    Drcov(),
    ExpBbv(),
    TaskTables(),
    Gem5Segments(),
    InstructionTrace(),
    MachineCode(),
    PlainTable(),
)

__all__ = ["READERS", "Reader"]
