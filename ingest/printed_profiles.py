"""What profilers and tracers print for people, or write for others: what to do instead."""

from __future__ import annotations

from ingest.signature import AS_FUNCTIONS, AS_METRICS, AS_SAMPLES, AS_SPANS, Signature

PROFILES: tuple[Signature, ...] = (
    Signature(
        "a table that cProfile printed",
        "Record a dump, which pwh reads: python -m cProfile -o FILE.pstats SCRIPT",
        text=r"^ +(?:\d+ function calls (\(\d+ primitive calls\) )?in \d+\.\d+ seconds"
        r"|Ordered by: )",
    ),
    Signature(
        "the stacks of one moment, which py-spy dump prints",
        "Record a profile, which pwh reads: py-spy record -f raw -o FILE.txt -- COMMAND",
        text=r"\AProcess \d+: .*\nPython v\d",
    ),
    Signature(
        "what callgrind_annotate or cg_annotate prints",
        "Ingest the profile that it was made from: callgrind.out.PID or cachegrind.out.PID",
        text=r"^(?:Profile data file '|I1 cache: +\d+ B|-- File:function summary)",
    ),
    Signature(
        "what ms_print prints",
        "Ingest the profile that it was made from: massif.out.PID",
        text=r"^Massif arguments: ",
    ),
    Signature(
        "what valgrind prints beside its profile",
        "Ingest the profile: callgrind.out.PID, cachegrind.out.PID, massif.out.PID, dhat.out.PID; "
        "Memcheck, Helgrind and Lackey write none.",
        text=r"^==\d+== (?:Cachegrind|Callgrind|Massif|DHAT|Memcheck|Lackey|Helgrind|drd"
        r"|exp-bbv),? |^<valgrindoutput>|^--\d+-- warning: ",
    ),
    Signature(
        "a heap profile of V8 (node --heap-prof), or a snapshot of its heap",
        "It has bytes, no times: record times with node --cpu-prof",
        text=r'\A\{"(?:head":\{"callFrame":\{|snapshot":\{"meta":\{"node_fields")',
    ),
    Signature(
        "a log of V8's profiler (node --prof), or what it was made into",
        "Record with node --cpu-prof instead, which writes a .cpuprofile",
        text=r'^(?:v8-version,\d+,|Statistical profiling result from |  "code": \[$)',
    ),
    Signature(
        "statistics of memray, or of memory by line",
        "Write CSV with the columns metric, value and unit: a landing table is metrics.",
        text=r'^(?:  "total_num_allocations": \d+,|.{1,9} Total allocations:$'
        r"|allocator,num_allocations,size,|Line # +Mem usage +Increment |┃ Location +┃)"
        r'|\A\{"version": 0, "costs": \[\{"description": "Memory"',
    ),
    Signature(
        "what perf annotate, c2c, trace, diff, sched or lock prints, or perf report --stats",
        "Print the samples: perf script -i perf.data > NEW.txt",
        text=r"^(?: Percent \|\s+Source code| +Trace Event Information *$| Summary of events:"
        r"|# Baseline +Delta|Aggregated stats:$|# +pid +tid +ppid +comm$"
        r"|  Task +\|  +Runtime ms|  .*\d\.\d{6} secs A0 => | +time +cpu +task name +wait time"
        r"| +Name +acquired +contended | contended +total wait "
        r"| +[\d.?]+ \( *(?:[\d.]+ ms)? *\): \S+/\d+ )",
    ),
    Signature(
        "what perf report prints with a separator of its own (-t)",
        "Print it without -t, or the samples: perf script -i perf.data > NEW.txt",
        text=r"^# +(?:Children|Overhead) *[,;:|\t]",
    ),
    Signature(
        "the table of PyTorch's profiler",
        "Let it write a trace: profile.export_chrome_trace(FILE.json)",
        text=r"^ *Name +Self CPU % +Self CPU ",
    ),
    Signature(
        "the text of async-profiler",
        "Let it write folded stacks: asprof -d 30 -o collapsed -f FILE.folded PID",
        text=r"^--- Execution profile ---$",
    ),
    Signature(
        "the text of Java Flight Recorder (jfr print or summary)",
        "Print JSON: jfr print --json --stack-depth 64 --events jdk.ExecutionSample FILE.jfr > "
        "NEW.json",
        text=r"^(?:jdk\.\w+ \{| +<event type=\"jdk\.|(?: Event Type +Count +Size \(bytes\)))",
    ),
    Signature(
        "what jfr print --json prints where it found no events",
        "Print samples: jfr print --json --stack-depth 64 --events jdk.ExecutionSample FILE.jfr > "
        "NEW.json; a program of a few milliseconds has none.",
        text=r'\A\s*\{\s*"recording": \{\s*"events": \[\s*\]',
    ),
    Signature(
        "what gprof prints of lines (-A, -C), or as other systems do (-T)",
        "Let it print functions: gprof PROGRAM gmon.out > NEW.txt",
        text=r"^(?:flat profile:$|\*\*\* File \S+:$|\S+:\d+: \(\w+:0x[0-9a-f]+\) \d+ executions$)",
    ),
    Signature(
        "what BSD's gprof prints",
        "Let GNU's print it, which says what samples count: gprof PROGRAM FILE > NEW.txt",
        text=r"\Agranularity: each sample hit covers ",
    ),
    Signature(
        "callchains of FreeBSD's pmcstat",
        "Convert them to folded stacks: stackcollapse-pmc.pl FILE > NEW.folded",
        text=r"\A@ \S+ \[\d+ samples\]$",
    ),
    Signature(
        "a profile of Ruby's stackprof",
        "Convert it to folded stacks: stackprof --stackcollapse FILE > NEW.folded",
        text=r'\A\{"version":[\d.]+,"mode":"\w+","interval":',
    ),
    Signature(
        "a table of Ruby's profilers",
        "Let it write callgrind's format: ruby-prof --printer=call_tree SCRIPT, or folded stacks: "
        "stackprof --stackcollapse FILE > NEW.folded",
        text=r"^(?:Measure Mode: \w+$| %self +total +self +wait +child +calls )"
        r"|\A *% +cumulative +self +self +total *$|\A=+\n  Mode: \w+\(\d+\)$",
    ),
    Signature(
        "a profile of GHC's runtime (+RTS -p)",
        AS_FUNCTIONS,
        text=r"Time and Allocation Profiling Report +\(",
    ),
    Signature(
        "a report of PHP's SPX or XHProf, or of Xdebug's garbage collector",
        "Record a profile with Xdebug, which pwh reads: php -d xdebug.mode=profile SCRIPT",
        text=r"^(?:\*\*\* SPX Report \*\*\*|Garbage Collection Report)$"
        r'|\A\{"main\(\)(?:==>[^"]*)?":\{"ct":',
    ),
    Signature(
        "what Open MPI's monitoring component writes",
        AS_METRICS,
        text=r"^# POINT TO POINT$",
    ),
    Signature(
        "what yappi prints",
        'Let it save: yappi.get_func_stats().save("FILE.pstats", "pstat")',
        text=r"^Clock type: (?:WALL|CPU)$",
    ),
    Signature(
        "what gprofng display prints",
        "Record with perf (perf record -g) or gprof (-pg): pwh reads these.",
        text=r"^Functions (?:sorted by metric|Call Tree\. Metric): ",
    ),
    Signature(
        "what uftrace prints",
        "Let it dump what it recorded: uftrace dump --chrome > NEW.json",
        text=r"^(?: +Total time +Self time +Calls +Function|# DURATION +TID +FUNCTION"
        r"|# Function Call Graph for |uftrace file header: )",
    ),
    Signature(
        "a profile of Perl's NYTProf",
        "Convert it: nytprofcg --file FILE --out NEW.callgrind",
        (b"NYTProf ",),
    ),
    Signature(
        "a recording of heaptrack, or what it prints or writes for massif's viewer",
        "Convert it to folded stacks: heaptrack_print -f FILE -F NEW.folded",
        text=r"\A(?:v \d+ \d+\nX |reading file \".*\" - please wait|#-+\nsnapshot=0\n)",
    ),
    Signature(
        "a trace of Xdebug",
        "Record a profile instead, which pwh reads: php -d xdebug.mode=profile SCRIPT",
        text=r"\A(?:Version: [^\n]*\nFile format: \d+\n)?TRACE START \[",
    ),
    Signature(
        "a trace of Linux's ftrace as text",
        "Convert it: traceconv json FILE NEW.json (Perfetto)",
        text=r"\A# tracer: ",
    ),
    Signature(
        "events of trace-cmd or LTTng as text, or of block devices (blkparse, btt)",
        "pwh reads none of it yet: write CSV with the columns event, t_start and value, or record "
        "with perf.",
        text=r"^(?:cpus=\d+$|\[\d\d:\d\d:\d\d\.\d{9}\] \(\+|=+ All Devices =+$"
        r"| +\d+,\d+ +\d+ +\d+ +\d+\.\d{9} +\d+ +[A-Z]+ )",
    ),
    Signature(
        "what cube_dump, cube_calltree or cube_stat prints of a profile of Score-P",
        "Ingest the profile itself: profile.cubex",
        text=r"^(?:Reading \S+\.cubex\b|-+\nDATA ?:|MetricRoutine,)",
    ),
    Signature(
        "samples of macOS (sample, Instruments)",
        "Convert them to folded stacks: stackcollapse-sample.awk FILE > NEW.folded, or "
        "inferno-collapse-xctrace FILE > NEW.folded",
        text=r"^(?:Analysis of sampling \S.* every \d|<trace-query-result>)",
    ),
    Signature(
        "what TAU's pprof prints",
        "Ingest the folder with the profiles that it printed: profile.0.0.0 ...",
        text=r"^NODE \d+;CONTEXT \d+;THREAD \d+:",
    ),
    Signature(
        "an estimate of scorep-score",
        "Ingest the profile that it was made from: profile.cubex",
        text=r"^Estimated aggregate size of event trace",
    ),
    Signature(
        "a report that Caliper printed",
        "Let it write the profile: CALI_CONFIG=hatchet-region-profile,output=FILE.json PROGRAM",
        text=r"^Path +(?:(?:Min|Max|Avg) time/rank|Time \(E\)|Inclusive time|Exclusive time)",
    ),
    Signature(
        "a report of CrayPat",
        AS_FUNCTIONS,
        text=r"^CrayPat/X: +Version ",
    ),
    Signature(
        "loops of Intel Advisor",
        "Name the columns function and seconds, without the s behind numbers: a landing table is "
        "fn_timings.",
        text=r"^\"?ID\"?,\"?Function Call Sites and Loops",
    ),
    Signature(
        "a report of IPM",
        AS_FUNCTIONS,
        text=r"^##IPM",
    ),
    Signature(
        "a graph of Graphviz",
        "pwh reads the numbers behind a picture: ingest the profile that it was drawn from.",
        text=r"\A\s*(?:strict )?digraph ",
    ),
    Signature(
        "the text of pyinstrument",
        "Let it write its session: pyinstrument -r session -o FILE.pyisession SCRIPT",
        text=r"^ */_//_/// /_\\ / //_// / //_'/ //",
    ),
    Signature(
        "a flame graph (SVG)",
        "Ingest the stacks that it was drawn from: py-spy record -f raw, stackcollapse-perf.pl ...",
        text=r'onload="init\(evt\)"',
    ),
    Signature(
        "the text of line_profiler or pprofile",
        "It has times of lines; pwh reads functions: python -m cProfile -o FILE.pstats SCRIPT",
        text=r"^Timer unit: \S+ s$|\ACommand line: .*\nTotal duration: [\d.]+s$",
    ),
    Signature(
        "a record of memory_profiler (mprof)",
        AS_SAMPLES,
        text=r"^MEM \d+\.\d+ \d+\.\d+$",
    ),
    Signature(
        "the import times of Python (-X importtime)",
        AS_FUNCTIONS,
        text=r"^import time: self \[us\]",
    ),
    Signature(
        "statistics of tracemalloc",
        "Write CSV with the columns metric, value and unit: a landing table is metrics.",
        text=r"^\S+:\d+: size=\S+ \S+, count=\d+",
    ),
    Signature(
        "a log of strace or ltrace, or its table in another order (-U)",
        "Let it count: strace -c -o FILE COMMAND",
        text=r"\A(?:(?:\d+ +)?\w+\(.*\) += \S.*\n){2}"
        r"|^(?: *\d+ +)?(?: *\d+[:.\d]* +)?(?:execve\(\"|__libc_start_main\()"
        r"|^syscall +(?:% time|calls|errors|seconds|usecs/call) |^\+\+\+ exited \(status \d",
    ),
    Signature(
        "telemetry of OpenTelemetry (JSON)",
        AS_SPANS,
        text=r'^\s*(?:\{\s*)?"(?:resource(?:Spans|Metrics|Logs)": *\[|trace_id": "0x)',
    ),
    Signature(
        "what bpftrace prints",
        "Convert its stacks: stackcollapse-bpftrace.pl FILE > NEW.folded",
        text=r"^(?:Attaching \d+ probes?\.\.\.$|@\w*\[$|@\w*\[.*\]: \d+$)",
    ),
    Signature(
        "a table of go tool pprof",
        "Ingest the profile itself, which go test -cpuprofile FILE and runtime/pprof write.",
        text=r"^(?: +flat +flat% +sum% +cum +cum%|PeriodType: \S+ \S+$|-{11}\+-+$)",
    ),
    Signature(
        "a profile of gperftools, or its table",
        "Convert the profile to folded stacks: google-pprof --collapsed PROGRAM FILE > NEW.folded",
        (bytes(8) + b"\x03" + bytes(15), b"--- symbol\n"),
        text=r"\A(?:heap profile: +\d+: +\d+ \[|Total: (?:\d+ samples|[\d.]+ \w*B)\n)",
    ),
    Signature(
        "a list of a GPU's operations by nsys stats",
        "Convert the report itself, which has more: nsys export --type sqlite FILE",
        text=r'^"?Start ?\((?:ns|us|ms|s)\)"?,"?Duration ?\(',
    ),
    Signature(
        "a trace, or metrics, of nvprof",
        "pwh reads its summary: nvprof --csv --log-file FILE.csv COMMAND",
        text=r'^==\d+== (?:Profiling|Event|Metric) result:\r?\n *"?(?:Start|Device|Invocations)',
    ),
)
