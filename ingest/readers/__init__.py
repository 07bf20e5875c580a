"""The readers, one a format, in the order in which they are tried.

Other packages add readers by an entry point of the group `pwh.readers`, whose name is the reader's.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from ingest.deferred import Deferred

GROUP = "pwh.readers"
_HERE = "ingest.readers."
_PARQUET = (b"par1",)

READERS: tuple[Deferred, ...] = (
    # Tests may print what other readers recognise.
    Deferred("junit", _HERE + "junit:JUnit", contains=(b"<testsuite",)),
    Deferred("perf-stat", _HERE + "perf_stat.reader:PerfStat"),
    Deferred(
        "perf-script",
        _HERE + "sampling.perf_script:PerfScript",
        contains=(b"\n\t ", b"\n\tf", b" (/", b" ([", b"# captured on", b"-clock:", b" [00"),
    ),
    Deferred(
        "perf-report",
        _HERE + "sampling.perf_report:PerfReport",
        contains=(b"# overhead", b"# children", b"# event count (approx.)"),
    ),
    Deferred("perfspect", _HERE + "perfspect:PerfSpect", contains=(b"metric", b"skt")),
    Deferred(
        "nvidia-smi",
        _HERE + "nvidia_smi:NvidiaSmi",
        begins=(b"#date ", b"# date ", b"#time ", b"# time ", b"# gpu "),
        contains=(b" [%]", b" [w]", b" [mib]", b" [mhz]"),
    ),
    Deferred(
        "sysstat",
        _HERE + "sysstat.reader:Sysstat",
        begins=(b"linux ", b"# hostname;", b"procs ", b"--procs-- ", b"-procs"),
        contains=(b'"sysstat"',),
    ),
    Deferred(
        "papi",
        _HERE + "papi:Papi",
        contains=(b'"papi_version"', b'"event_definitions"', b'"cpu_info"'),
    ),
    Deferred("likwid", _HERE + "likwid:Likwid", contains=(b"table,", b"group ")),
    Deferred("ncu", _HERE + "ncu.reader:Ncu", contains=(b"kernel name",)),
    Deferred("ncu-text", _HERE + "ncu.text:NcuText", contains=(b"\n    section: ", b", context ")),
    Deferred(
        "gem5-stats",
        _HERE + "gem5.reader:Gem5Stats",
        begins=(b"[root]",),
        contains=(b" simulation statistics", b"ticks", b"tick ", b"freq"),
    ),
    Deferred(
        "benchmarks",
        _HERE + "benchmarks.reader:Benchmarks",
        contains=(
            *(b"benchmark", b'"machine_info"', b'"results"', b"ns/iter", b"time:", b'"bench"'),
            *(b"real_time,cpu_time", b"command,mean,stddev", b"min,max,mean,stddev"),
            *(
                b"| command | mean [",
                b" ops/sec ",
                b'"fio version"',
                b'"iperf ',
                b'"commit_hash"',
                b'"lastupdate"',
                b"_value",
                b"|ref=",
                b'"session_info"',
            ),
            *(
                b"rate mb/s",
                b"rate (mb/s)",
                b"# osu ",
                b"gflops",
                b" ns/op |",
                b" ns/byte |",
                b'"unit"',
                b"analyzelaunchvariance",
            ),
        ),
    ),
    Deferred(
        "load-tests",
        _HERE + "load_tests.reader:LoadTests",
        begins=(b'"', b"type,name,request count,"),
        contains=(
            *(b"sysbench ", b"thread stats ", b"apachebench", b"pgbench (", b"transaction type: "),
            *(
                b"spawning thread #",
                b"stress-ng",
                b" mode with ",
                b"# running ",
                b"likwid micro benchmark",
            ),
            *(
                b" size blocks: ",
                b'"latencies"',
                b'"rt_test_version',
            ),
            *(b"http_req_duration", b"iteration_duration"),
        ),
    ),
    Deferred("criterion", _HERE + "criterion:Criterion", begins=(b"{",)),
    Deferred(
        "chrome-trace",
        _HERE + "chrome_trace.reader:ChromeTrace",
        contains=(b'"traceevents"', b'"ph"'),
    ),
    Deferred(
        "perfetto",
        _HERE + "perfetto.reader:Perfetto",
        # A snapshot of clocks, a descriptor of a track, what pwh writes first.
        contains=(b"\x08\x06\x10", b"\xe2\x03", b"pwh landing table"),
    ),
    Deferred(
        "rocprof",
        _HERE + "rocprof.reader:Rocprof",
        contains=(b"start_timestamp", b"beginns", b"rocpd_", b"kernelname", b"counter_name"),
    ),
    Deferred("nsys", _HERE + "nsys.reader:Nsys", contains=(b"stringids",)),
    Deferred(
        "cprofile",
        _HERE + "cprofile:CProfile",
        begins=tuple(
            start + key
            for start in (b"{", b"\xfb")
            for key in (b"0", b"(\x03", b"\xa8\x03", b")\x03", b"\xa9\x03")
        ),
    ),
    Deferred("caliper", _HERE + "caliper.reader:Caliper", begins=(b"__rec=", b"{", b"[")),
    Deferred("scorep-cube", _HERE + "scorep.reader:ScorepCube", contains=(b"ustar",)),
    Deferred(
        "hpctoolkit",
        _HERE + "hpctoolkit.reader:HpcToolkit",
        contains=(b"hpctoolkit", b"hpcprof-metricdb"),
    ),
    Deferred("otf2", _HERE + "otf2:Otf2", begins=(b"\x03b",)),
    Deferred("tau-packed", _HERE + "tau.packed:TauPacked", begins=(b"\0p\0p\0k",)),
    Deferred("tau", _HERE + "tau.folder:Tau", contains=(b" templated_functions",)),
    Deferred("darshan", _HERE + "darshan:Darshan", begins=(b"# darshan log version",)),
    Deferred("massif", _HERE + "massif:Massif", contains=(b"time_unit: ",)),
    Deferred("dhat", _HERE + "dhat:Dhat", contains=(b'"dhatfileversion"',)),
    Deferred("slurm", _HERE + "slurm:Slurm", contains=(b"jobid",)),
    Deferred("mpip", _HERE + "mpip.reader:MpiP", begins=(b"@ mpip",)),
    Deferred(
        "time",
        _HERE + "gnu_time:GnuTime",
        contains=(
            *(b"command being timed", b"elapsed ", b"\nuser", b"\r\nuser"),
            *(b"% cpu ", b" real ", b"pf+", b"executed in "),
        ),
    ),
    Deferred(
        "function-tables",
        _HERE + "function_tables:FunctionTables",
        contains=(b"time (%)", b"time(%)", b"totaldurationns", b"cpu time"),
    ),
    Deferred("snakemake", _HERE + "snakemake:Snakemake", begins=(b"s\th:m:s\t",)),
    Deferred("ninja-log", _HERE + "ninja:NinjaLog", begins=(b"# ninja log v",)),
    Deferred("strace", _HERE + "strace:Strace", contains=(b"usecs/call",)),
    Deferred(
        "gprof", _HERE + "gprof.reader:Gprof", begins=(b"flat profile:", b"call graph", b"gmon\x01")
    ),
    Deferred("extrap-text", _HERE + "extrap.text:ExtrapText", contains=(b"parameter",)),
    Deferred("extrap-json", _HERE + "extrap.json:ExtrapJson", begins=(b"{",)),
    Deferred("extrap-jsonl", _HERE + "extrap.json_lines:ExtrapJsonLines", contains=(b'"params"',)),
    Deferred(
        "extrap-talpas", _HERE + "extrap.json_lines:ExtrapTalpas", contains=(b'"parameters"',)
    ),
    Deferred(
        "dask-dump",
        _HERE + "dask_dump.dump:DaskDump",
        contains=(b"\xa9scheduler", b"\xa7workers", b"\xa8versions", b"scheduler:"),
    ),
    Deferred(
        "starpu", _HERE + "starpu.reader:StarPU", contains=(b"jobid", b"handle: ", b"homenode: ")
    ),
    Deferred(
        "gpgpusim",
        _HERE + "gpgpusim.reader:GpgpuSim",
        contains=(b"thd=", b"printing basic blocks", b"gpgpu-sim", b"accel-sim [build"),
    ),
    Deferred(
        "gpgpusim-inst-debug",
        _HERE + "gpgpusim.inst_debug:GpgpuSimInstDebug",
        contains=(b"[thd=",),
    ),
    Deferred(
        "nvbit",
        _HERE + "nvbit.reader:Nvbit",
        begins=(b"-", b"#traces format", b"#begin_tb", b"memcpy", b"kernel-"),
    ),
    Deferred("ncu-source", _HERE + "ncu.source:NcuSource", contains=(b'"kernel name"',)),
    Deferred(
        "callgrind", _HERE + "callgrind.reader:Callgrind", contains=(b"callgrind", b"events:")
    ),
    Deferred(
        "json-profile",
        _HERE + "sampling.json_profile:JsonProfile",
        contains=(
            *(b"speedscope", b'"sampled"', b'"evented"', b'"frames"', b'"sample_count"'),
            *(
                *(b'"callframe"', b'"functionname"'),
                b'"preprocessedprofileversion"',
                b'"breakpadid"',
                b'"interval"',
                b'"jdk.',
                b'"linux-perf-json-version"',
                b'"alloc_samples"',
            ),
        ),
    ),
    Deferred(
        "pprof",
        _HERE + "sampling.pprof:Pprof",
        # The first field: time, duration, period or its type; or a sample type, whose own first
        # byte is a line break.
        begins=(b"h", b"p", b"`", b"z", *(bytes([size, 8]) for size in (2, 4, 5, 6, 7, 8))),
    ),
    Deferred("rprof", _HERE + "sampling.rprof:Rprof", contains=(b"sample.interval=",)),
    Deferred("folded-stacks", _HERE + "sampling.folded:FoldedStacks", contains=(b";",)),
    Deferred("lammps", _HERE + "lammps:Lammps", contains=(b"lammps (",)),
    Deferred("drcov", _HERE + "drcov:Drcov", begins=(b"drcov version",)),
    Deferred("exp-bbv", _HERE + "exp_bbv.reader:ExpBbv", begins=(b"t:", b"# thread", b"f:")),
    Deferred(
        "task-tables",
        _HERE + "task_tables.reader:TaskTables",
        begins=_PARQUET,
        contains=(b"started_at", b"node_id", b"worker_id", b"fragment_id", b"data_id"),
    ),
    Deferred(
        "gem5-segments", _HERE + "gem5_segments:Gem5Segments", begins=_PARQUET, contains=(b"n_int",)
    ),
    Deferred(
        "instruction-trace",
        _HERE + "instruction_trace:InstructionTrace",
        begins=_PARQUET,
        contains=(b"class", b"opcode"),
    ),
    Deferred("machine-code", _HERE + "machine_code:MachineCode"),
    Deferred(
        "timing-tables",
        _HERE + "plain.timing_tables:TimingTables",
    ),
    Deferred("plain", _HERE + "plain.reader:PlainTable"),
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
