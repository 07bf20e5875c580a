"""The readers, one a format, in the order in which they are tried.

Other packages add readers by an entry point of the group `pwh.readers`, whose name is the reader's.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from ingest.deferred import Deferred

GROUP = "pwh.readers"
_PARQUET = (b"par1",)


def _own(
    name: str, place: str, begins: tuple[bytes, ...] = (), contains: tuple[bytes, ...] = ()
) -> Deferred:
    return Deferred(name, f"ingest.readers.{place}", begins, contains)


READERS: tuple[Deferred, ...] = (
    # Tests may print what other readers recognise.
    _own("junit", "benchmarks.junit:JUnit", contains=(b"<testsuite",)),
    _own("perf-stat", "counters.perf_stat.reader:PerfStat"),
    _own(
        "perf-script",
        "profiles.sampling.perf_script:PerfScript",
        contains=(b"\n\t ", b"\n\tf", b" (/", b" ([", b"# captured on", b"-clock:", b" [00"),
    ),
    _own(
        "perf-report",
        "profiles.sampling.perf_report:PerfReport",
        contains=(b"# overhead", b"# children", b"# event count (approx.)"),
    ),
    _own(
        "toplev",
        "counters.toplev:Toplev",
        contains=(b"area,value", b"area;value", b"area\tvalue", b'area","value'),
    ),
    _own("vtune", "counters.vtune:VTune", contains=(b"hardware event count:", b"hierarchy level")),
    _own("perfspect", "counters.perfspect:PerfSpect", contains=(b"metric", b"skt")),
    _own(
        "nvidia-smi",
        "systems.nvidia_smi:NvidiaSmi",
        begins=(b"#date ", b"# date ", b"#time ", b"# time ", b"# gpu "),
        contains=(b" [%]", b" [w]", b" [mib]", b" [mhz]"),
    ),
    _own(
        "sysstat",
        "systems.sysstat.reader:Sysstat",
        begins=(b"linux ", b"# hostname;", b"procs ", b"--procs-- ", b"-procs"),
        contains=(b'"sysstat"',),
    ),
    _own(
        "papi",
        "counters.papi:Papi",
        contains=(b'"papi_version"', b'"event_definitions"', b'"cpu_info"'),
    ),
    _own("likwid", "counters.likwid:Likwid", contains=(b"table,", b"group ")),
    _own("ncu", "counters.ncu.reader:Ncu", contains=(b"kernel name",)),
    _own("ncu-text", "counters.ncu.text:NcuText", contains=(b"\n    section: ", b", context ")),
    _own(
        "gem5-stats",
        "counters.gem5.reader:Gem5Stats",
        begins=(b"[root]",),
        contains=(b" simulation statistics", b"ticks", b"tick ", b"freq"),
    ),
    _own(
        "benchmarks",
        "benchmarks.frameworks.reader:Benchmarks",
        contains=(
            *(b"benchmark", b'"machine_info"', b'"results"', b"ns/iter", b"time:", b'"bench"'),
            *(b"real_time,cpu_time", b"command,mean,stddev", b"min,max,mean,stddev"),
            *(b"| command | mean [", b" ops/sec ", b'"fio version"', b'"iperf '),
            *(b'"commit_hash"', b'"lastupdate"', b"_value", b"|ref=", b'"session_info"'),
            *(b"rate mb/s", b"rate (mb/s)", b"# osu ", b"gflops", b" ns/op |", b" ns/byte |"),
            *(b'"unit"', b"analyzelaunchvariance"),
        ),
    ),
    _own(
        "load-tests",
        "benchmarks.load_tests.reader:LoadTests",
        begins=(b'"', b"type,name,request count,"),
        contains=(
            *(b"sysbench ", b"thread stats ", b"apachebench", b"pgbench (", b"transaction type: "),
            *(b"spawning thread #", b"stress-ng", b" mode with ", b"# running "),
            b"likwid micro benchmark",
            *(b'"latencies"', b'"rt_test_version'),
            *(b"http_req_duration", b"iteration_duration"),
        ),
    ),
    _own("criterion", "benchmarks.criterion:Criterion", begins=(b"{",)),
    _own(
        "chrome-trace",
        "tasks.chrome_trace.reader:ChromeTrace",
        contains=(b'"traceevents"', b'"ph"'),
    ),
    _own(
        "perfetto",
        "tasks.perfetto.reader:Perfetto",
        # A snapshot of clocks, a descriptor of a track, what pwh writes first.
        contains=(b"\x08\x06\x10", b"\xe2\x03", b"pwh landing table"),
    ),
    _own(
        "rocprof",
        "tasks.rocprof.reader:Rocprof",
        contains=(b"start_timestamp", b"beginns", b"rocpd_", b"kernelname", b"counter_name"),
    ),
    _own("nsys", "tasks.nsys.reader:Nsys", contains=(b"stringids",)),
    _own(
        "cprofile",
        "profiles.cprofile:CProfile",
        begins=tuple(
            start + key
            for start in (b"{", b"\xfb")
            for key in (b"0", b"(\x03", b"\xa8\x03", b")\x03", b"\xa9\x03")
        ),
    ),
    _own("caliper", "profiles.caliper.reader:Caliper", begins=(b"__rec=", b"{", b"[")),
    _own("scorep-cube", "profiles.scorep.reader:ScorepCube", contains=(b"ustar",)),
    _own(
        "hpctoolkit",
        "profiles.hpctoolkit.reader:HpcToolkit",
        contains=(b"hpctoolkit", b"hpcprof-metricdb"),
    ),
    _own("otf2", "tasks.otf2:Otf2", begins=(b"\x03b",)),
    _own("tau-packed", "profiles.tau.packed:TauPacked", begins=(b"\0p\0p\0k",)),
    _own("tau", "profiles.tau.folder:Tau", contains=(b" templated_functions",)),
    _own("darshan", "profiles.darshan:Darshan", begins=(b"# darshan log version",)),
    _own("massif", "profiles.massif:Massif", contains=(b"time_unit: ",)),
    _own("dhat", "profiles.dhat:Dhat", contains=(b'"dhatfileversion"',)),
    _own("slurm", "systems.slurm:Slurm", contains=(b"jobid",)),
    _own("mpip", "profiles.mpip.reader:MpiP", begins=(b"@ mpip",)),
    _own(
        "time",
        "benchmarks.gnu_time:GnuTime",
        contains=(
            *(b"command being timed", b"elapsed ", b"\nuser", b"\r\nuser", b"% cpu ", b" real "),
            *(b"pf+", b"executed in "),
        ),
    ),
    _own(
        "function-tables",
        "profiles.function_tables:FunctionTables",
        contains=(b"time (%)", b"time(%)", b"totaldurationns", b"cpu time"),
    ),
    _own("snakemake", "benchmarks.snakemake:Snakemake", begins=(b"s\th:m:s\t",)),
    _own("ninja-log", "tasks.ninja:NinjaLog", begins=(b"# ninja log v",)),
    _own("strace", "profiles.strace:Strace", contains=(b"usecs/call",)),
    _own("gprof", "profiles.gprof:Gprof", begins=(b"flat profile:", b"call graph")),
    _own("extrap-text", "profiles.extrap.text:ExtrapText", contains=(b"parameter",)),
    _own("extrap-json", "profiles.extrap.json:ExtrapJson", begins=(b"{",)),
    _own("extrap-jsonl", "profiles.extrap.json_lines:ExtrapJsonLines", contains=(b'"params"',)),
    _own("extrap-talpas", "profiles.extrap.json_lines:ExtrapTalpas", contains=(b'"parameters"',)),
    _own(
        "dask-dump",
        "tasks.dask_dump.dump:DaskDump",
        contains=(b"\xa9scheduler", b"\xa7workers", b"\xa8versions", b"scheduler:"),
    ),
    _own("starpu", "tasks.starpu.reader:StarPU", contains=(b"jobid", b"handle: ", b"homenode: ")),
    _own(
        "gpgpusim",
        "blocks.gpgpusim.reader:GpgpuSim",
        contains=(b"thd=", b"printing basic blocks", b"gpgpu-sim", b"accel-sim [build"),
    ),
    _own(
        "gpgpusim-inst-debug", "blocks.gpgpusim.inst_debug:GpgpuSimInstDebug", contains=(b"[thd=",)
    ),
    _own(
        "nvbit",
        "blocks.nvbit.reader:Nvbit",
        begins=(b"-", b"#traces format", b"#begin_tb", b"memcpy", b"kernel-"),
    ),
    _own("ncu-source", "counters.ncu.source:NcuSource", contains=(b'"kernel name"',)),
    _own("callgrind", "profiles.callgrind.reader:Callgrind", contains=(b"callgrind", b"events:")),
    _own(
        "json-profile",
        "profiles.sampling.json_profile:JsonProfile",
        contains=(
            *(b"speedscope", b'"sampled"', b'"evented"', b'"frames"', b'"sample_count"'),
            *(b'"callframe"', b'"preprocessedprofileversion"', b'"breakpadid"', b'"interval"'),
            *(b'"jdk.', b'"linux-perf-json-version"', b'"alloc_samples"'),
        ),
    ),
    _own(
        "pprof",
        "profiles.sampling.pprof:Pprof",
        # The first field: time, duration, period or its type; or a sample type, whose own first
        # byte is a line break.
        begins=(b"h", b"p", b"`", b"z", *(bytes([size, 8]) for size in (2, 4, 5, 6, 7, 8))),
    ),
    _own("rprof", "profiles.sampling.rprof:Rprof", contains=(b"sample.interval=",)),
    _own("folded-stacks", "profiles.sampling.folded:FoldedStacks", contains=(b";",)),
    _own("lammps", "benchmarks.lammps:Lammps", contains=(b"lammps (",)),
    _own("drcov", "blocks.drcov:Drcov", begins=(b"drcov version",)),
    _own("exp-bbv", "blocks.exp_bbv.reader:ExpBbv", begins=(b"t:", b"# thread", b"f:")),
    _own(
        "task-tables",
        "tasks.task_tables.reader:TaskTables",
        begins=_PARQUET,
        contains=(b"started_at", b"node_id", b"worker_id", b"fragment_id", b"data_id"),
    ),
    _own(
        "gem5-segments", "blocks.gem5_segments:Gem5Segments", begins=_PARQUET, contains=(b"n_int",)
    ),
    _own(
        "instruction-trace",
        "blocks.instruction_trace:InstructionTrace",
        begins=_PARQUET,
        contains=(b"class", b"opcode"),
    ),
    _own("machine-code", "blocks.machine_code:MachineCode"),
    _own("timing-tables", "plain.timing_tables:TimingTables"),
    _own("plain", "plain.reader:PlainTable"),
)


def all_readers() -> Iterator[Deferred]:
    """Yield pwh's readers and those of other packages; that of plain tables is the last one.

    Installed packages are looked at only where no reader before the last recognised a file.
    """
    yield from READERS[:-1]
    yield from added_readers()
    yield READERS[-1]


@cache
def added_readers() -> tuple[Deferred, ...]:
    """Return the readers of other packages; one with a name of pwh's own is left out."""
    from importlib.metadata import entry_points

    known = {reader.NAME for reader in READERS}
    return tuple(
        Deferred(point.name, point.value, package=point.dist.name if point.dist else point.module)
        for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)
        if point.name not in known
    )
