"""The readers, one a format, in the order in which they are tried."""

from __future__ import annotations

from ingest.base import Reader
from ingest.readers.benchmarks.reader import Benchmarks
from ingest.readers.caliper.reader import Caliper
from ingest.readers.callgrind.reader import Callgrind
from ingest.readers.cprofile import CProfile
from ingest.readers.dask_dump.dump import DaskDump
from ingest.readers.drcov import Drcov
from ingest.readers.exp_bbv.reader import ExpBbv
from ingest.readers.extrap.json import ExtrapJson
from ingest.readers.extrap.json_lines import ExtrapJsonLines, ExtrapTalpas
from ingest.readers.extrap.text import ExtrapText
from ingest.readers.gem5.reader import Gem5Stats
from ingest.readers.gem5_segments import Gem5Segments
from ingest.readers.gpgpusim.inst_debug import GpgpuSimInstDebug
from ingest.readers.gpgpusim.reader import GpgpuSim
from ingest.readers.gprof import Gprof
from ingest.readers.instruction_trace import InstructionTrace
from ingest.readers.likwid import Likwid
from ingest.readers.machine_code import MachineCode
from ingest.readers.mpip.reader import MpiP
from ingest.readers.ncu.reader import Ncu
from ingest.readers.ncu.source import NcuSource
from ingest.readers.nvbit.reader import Nvbit
from ingest.readers.papi import Papi
from ingest.readers.perf_stat.reader import PerfStat
from ingest.readers.perfspect import PerfSpect
from ingest.readers.plain import PlainTable
from ingest.readers.scorep.reader import ScorepCube
from ingest.readers.starpu.reader import StarPU
from ingest.readers.task_tables.reader import TaskTables
from ingest.readers.tau.folder import Tau
from ingest.readers.tau.packed import TauPacked

READERS: tuple[Reader, ...] = (
    PerfStat(),
    PerfSpect(),
    Papi(),
    Likwid(),
    Ncu(),
    Gem5Stats(),
    Benchmarks(),
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
