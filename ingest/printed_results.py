"""What benchmarks, tests, counters and systems print: how to have them write what pwh reads."""

from __future__ import annotations

from ingest.signature import AS_FUNCTIONS, AS_METRICS, AS_SAMPLES, AS_SPANS, Signature

RESULTS: tuple[Signature, ...] = (
    Signature(
        "what hyperfine prints, or its table",
        "Let it write JSON: hyperfine --export-json FILE.json COMMAND",
        text=r"^(?:  Time \((?:mean ± σ|abs ≡)\):|\| Command +\|  Mean \[|"
        r"\| Command +\n\| Mean \[)",
    ),
    Signature(
        "what Rust's tests print, which have no times",
        "Let it run benchmarks: cargo bench > NEW.txt",
        text=r"^test result: .*; 0 measured;",
    ),
    Signature(
        "what richbench prints, or the emissions that CodeCarbon writes",
        AS_METRICS,
        text=r"^ *Benchmarks, repeat=\d+, number=\d+ *$"
        r"|\Atimestamp,project_name,run_id,experiment_id,duration,emissions,",
    ),
    Signature(
        "what pyperf prints of its results",
        "Ingest the file that it printed: pyperf timeit -o FILE.json STATEMENT",
        text=r"^(?:Run 1: calibrate |Mean \+- std dev: |Total duration: [\d.]+ sec$"
        r"|[\d.]+ [num]?s(?:ec)? *: +\d+ #+$|\| Benchmark +\| )",
    ),
    Signature(
        "what Python's timeit prints",
        "It has one rounded number: python -m pyperf timeit -o FILE.json STATEMENT has each time.",
        text=r"^(?:\d+ loops?, best of \d+: [\d.]+ [num]?sec per loop$"
        r"|[\d.]+ \S+ ± .* per loop \()",
    ),
    Signature(
        "the table that pytest-benchmark prints",
        "Let it write JSON: pytest --benchmark-json=FILE.json",
        text=r"^-+ benchmark(?: '.*')?: \d+ tests? -+",
    ),
    Signature(
        "a log of Java's garbage collector",
        "It has pauses, no functions: record a profile with async-profiler or JFR.",
        text=r"^\[[^\]]*\](?:\[\w+ *\])*\[gc[,\w ]*\] ",
    ),
    Signature(
        "a log of the garbage collector of V8 or Go",
        "It has pauses, no functions: record a profile (node --cpu-prof, go test -cpuprofile).",
        text=r"^(?:\[\d+:0x[0-9a-f]+\] +\d+ ms: \S|gc \d+ @[\d.]+s \d+%: )",
    ),
    Signature(
        "what PowerShell's Measure-Command prints",
        "Write CSV with the columns app and wall_seconds, which is its TotalSeconds.",
        text=r"^Ticks +: \d+\s*?\nTotalDays +: ",
    ),
    Signature(
        "what Nsight Compute prints where it profiled nothing",
        "Let it count (NVIDIA's manual: ERR_NVGPUCTRPERM) and meet a kernel; then record again.",
        text=r"^==(?:ERROR|WARNING)== (?:ERR_NVGPUCTRPERM|No kernels were profiled)",
    ),
    Signature(
        "sizes of sections (size)",
        AS_METRICS,
        text=r"^ +text\s+data\s+bss\s+dec\s+hex\s+filename$",
    ),
    Signature(
        "what stress-ng prints without --metrics",
        "Let it write what it measured: stress-ng --metrics --yaml FILE.yaml --cpu 1 -t 10",
        text=r"^stress-ng: (?:info|debug): ",
    ),
    Signature(
        "the history of a load test by locust",
        "Ingest its results: NAME_stats.csv",
        text=r"\ATimestamp,User Count,Type,Name,",
    ),
    Signature(
        "what redis-benchmark prints for people, or latencies that redis-cli does",
        "Let it write CSV: redis-benchmark --csv > FILE.csv",
        text=r"^(?:====== .* ======|\w[\w ()-]*: [\d.]+ requests per second, p50=|\s*\w+: rps=)"
        r"|^Max latency so far: \d+ microseconds\.$|\A\d+ \d+ \d+\.\d\d \d+$",
    ),
    Signature(
        "what pgbench -i prints of the tables that it filled",
        "Let it measure: pgbench -T 60 > FILE.txt",
        text=r"^done in [\d.]+ s \(drop tables ",
    ),
    Signature(
        "a list of a load test's requests (hey -o csv, ab -g, pgbench -l)",
        "pwh reads their summary: ab > FILE.txt, pgbench > FILE.txt, wrk --latency > FILE.txt",
        text=r"\A(?:response-time,DNS\+dialup|starttime\tseconds\tctime|Percentage served,Time"
        r"|(?:\d+ \d+ \d+ \d+ 1\d{9} \d{1,6}\n){2})",
    ),
    Signature(
        "results of a load or page test (autocannon, hey, siege, ioping, Lighthouse ...)",
        AS_METRICS,
        text=r"^(?:Running \d+\w+ test @ (?!(?s:.*)Thread Stats)|Test run id: "
        r'|.*"vusers\.created"|.*"num_none_requests"|.*"lighthouseVersion":'
        r"|Requests +\[total, rate, throughput\]|  Requests/sec:\t"
        r'|\{?\s*"transactions":\s|Total: connections \d+ requests|.*\): request=\d+ time='
        r"|.* ioping statistics ---|\A(?:\d+ ){8}\d+ \d{8,}$|Target URL: +http"
        r'|\[\{\s+"timestamp": [\d.]+,\s+"localtime")',
    ),
    Signature(
        "what a benchmark of a machine prints (7z b, bonnie++, dbench, HPCG, john --test ...)",
        AS_METRICS,
        text=r"^(?:Dict +Speed Usage +R/U Rating|\w+\tMethod: \w+\tElapsed: "
        r"|# Tests are approximate using memory only|# /dev/cpu_dma_latency set to |T: *0 \( *\d+\)"
        r"|Cost of execution for PAPI |Running without Marker API|HPCG-Benchmark|dbench version \d"
        r"|This is the DARPA/DOE HPC Challenge Benchmark |\d+\+\d+ records in$"
        r"|(?:Raw|Many salts):\t\d+\w? c/s real| *[\d.]+ MB / +[\d.]+ sec = +[\d.]+ [MG]bps"
        r"|Version +[\d.]+\w* +-+Sequential Output-|\A[12]\.\d+,[12]\.\d+\w*,[^,]+,\d+,1\d{9},)",
    ),
    Signature(
        "what PAPI or the system says of a machine (papi_avail, papi_mem_info, numastat)",
        "Counters of a program are in papi_hl_output, which PAPI's high-level interface writes.",
        text=r"^(?:Available PAPI preset |Memory Cache and TLB Hierarchy Information|numa_hit +\d)",
    ),
    Signature(
        "counts of FreeBSD's pmcstat",
        AS_SAMPLES,
        text=r"\A# [ps]/\S+ ",
    ),
    Signature(
        "statistics of the build tool ninja (-d stats)",
        "Ingest its log: .ninja_log",
        text=r"^metric\s+count\s+avg \(us\)\s+total \(ms\)$",
    ),
    Signature(
        "counters of .NET (dotnet-counters), or of GPUs by rocm-smi",
        AS_SAMPLES,
        text=r"\A(?:Timestamp,Provider,Counter Name,Counter Type,"
        r'|\{"card\d+": \{|device,.*\([CW%]\))',
    ),
    Signature(
        "counters of Intel PCM (pcm -csv)",
        AS_SAMPLES,
        text=r"\ASystem,[^\n]*\nDate,Time,",
    ),
    Signature(
        "what fio or iperf3 prints",
        "Let it write JSON: fio --output-format=json --output=FILE.json JOB, or iperf3 -J -c HOST",
        text=r"^(?:\[ *ID\] Interval +Transfer|\S+: \(g=\d+\): rw=|3;fio-\d)"
        r"|\A(?:\d+, \d+, [012], \d+, (?:0x)?\d+(?:, (?:0x)?\d+){0,3}\n){2}",  # --write_lat_log
    ),
    Signature(
        "results of BenchmarkTools.jl, benchmark-ips, ReFrame or asv",
        AS_METRICS,
        text=r"^(?: +\S.* \(\S+ ?[\d.]+%\) i/s|BenchmarkTools\.Trial: |PERFORMANCE REPORT$"
        r"|\| Change +\| Before )",
    ),
    Signature(
        "the table of Catch2's benchmarks",
        "Let it write XML: PROGRAM -r xml -o FILE.xml",
        text=r"^benchmark name +samples +iterations",
    ),
    Signature(
        "what mitata or vitest prints",
        'Let it write JSON: run({ format: "json" }), vitest bench --run --outputJson=FILE.json',
        text=r"^(?:\x1b\[90m)?clk: ~[\d.]+ GHz|Benchmarking is an experimental feature",
    ),
    Signature(
        "a table of bench-node or benny",
        "Let it write JSON: new Suite({ reporter: jsonReport }), save({ format: 'json' })",
        text=r'\A(?:name,ops/sec,samples,plugins,|"name","ops","margin",)',
    ),
    Signature(
        "results of tinybench or cronometro, or what benny prints",
        AS_METRICS,
        text=r"^(?:│ \(index\) │ Task name +│ Latency |Running \".*\" suite\.\.\.$"
        r'|║ \S*Slower tests)|\A\[\{"state":"\w+","latency":\{',
    ),
    Signature(
        "what tests print (pytest, googletest, CTest, Boost, Catch2, Jest, TAP)",
        "Let it write JUnit's XML: pytest --junitxml=FILE.xml, --gtest_output=xml:FILE.xml, "
        "ctest --output-junit FILE.xml, --logger=JUNIT,all,FILE.xml, -r junit -o FILE.xml, "
        "jest --reporters=jest-junit, mocha --reporter=xunit, node --test --test-reporter=junit",
        text=r"^(?:=+ (?:test session starts|slowest .*durations) =+$|Test project /"
        r"|<Site BuildName=|\[=+\] Running \d+ tests? from |  \"testsuites\": \[$"
        r"|Running \d+ test cases?\.\.\.$|<TestLog>|<Catch(?:2TestRun)? (?!(?s:.*)<Benchm)"
        r"|.* is a Catch2? v\d|TAP version 1\d$|Test Suites: \d+)"
        r'|\A\{(?:"numFailedTestSuites":|\s+"stats": \{\s+"suites": \d+,)',
    ),
    Signature(
        "what Go's tests print, which have no benchmarks",
        "Let it run benchmarks: go test -bench . > NEW.txt, or gotestsum --junitfile FILE.xml",
        text=r'\A(?!(?s:.*)Benchmark)(?:=== RUN +Test|\{"Time":"[^"]*","Action":"run",)',
    ),
    Signature(
        "a comparison by benchstat",
        "Ingest what it compared: go test -bench . > NEW.txt",
        text=r"^(?: +│ .*\n +│ +\S+/op |name +(?:old )?(?:time|alloc|allocs)/op)",
    ),
    Signature(
        "accounting of Slurm without the time of jobs, or for people (sacct, seff)",
        "List jobs with their times: sacct -P -o JobID,JobName,NNodes,NTasks,Start,Elapsed,"
        "TotalCPU,MaxRSS,State,ExitCode > NEW.txt",
        text=r"^(?: *JobID(?:Raw)?(?: |[|,](?!.*\bElapsed)).*\bState\b|JobName\|"
        r"|Job ID: \d+\r?\nCluster: )",
    ),
    Signature(
        "what nvidia-smi shows, not what it logs",
        "Let it log: nvidia-smi --query-gpu=timestamp,index,utilization.gpu,power.draw "
        "--format=csv -l 1 > FILE.csv",
        text=r"^(?:\| NVIDIA-SMI \d|=+NVSMI LOG=+|# gpu +(?:pwr|pid|sm) )",
    ),
    Signature(
        "what turbostat prints",
        AS_SAMPLES,
        text=r"^(?:turbostat version |.*\bAvg_MHz\s+(?:%Busy|Busy%))",
    ),
    Signature(
        "what toplev prints",
        "Let perf count the same: perf stat -M TopdownL1 -x, -o FILE.csv COMMAND",
        text=r"^(?:(?:Timestamp.)?(?:CPUs.)?Area.(?:Value.Unit.Description|Node.\w*\d)|"
        r"# \d+\.\d\S* on |(?:core |S\d+-C\d+ +|C\d+ +)?(?:FE|BE|BAD|RET)\S* +\w+\S* +% )",
    ),
    Signature(
        "the times of a compiler's passes (-ftime-report)",
        "Let clang write a trace: -ftime-trace. Of gcc, write CSV with the columns function and "
        "seconds: a landing table is fn_timings.",
        text=r"^(?:Time variable +usr +sys +wall | +\.\.\. .* timing report \.\.\.$)",
    ),
    Signature(
        "statistics of ccache or webpack",
        AS_METRICS,
        text=r"^(?:Cacheable calls: |cache hit \(direct\) )"
        r'|\A\{"hash":"\w+","version":"[\d.]+","time":',
    ),
    Signature(
        "the actions of go build",
        "Let it write a trace: go build -debug-trace=FILE.json",
        text=r'\A\[\s+\{\s+"ID": 0,\s+"Mode": "',
    ),
    Signature(
        "times that R, Ruby or Perl print (system.time, Benchmark)",
        "Write CSV with the columns app and wall_seconds, which is elapsed or real.",
        text=r"^ +user +system +(?:elapsed|total +real) *$|: +\d+ wallclock secs \(",
    ),
    Signature(
        "what TypeScript's compiler prints of its times",
        "Let it write a trace: tsc --generateTrace FOLDER, and ingest trace.json there.",
        text=r"^Check time: +[\d.]+s$",
    ),
    Signature(
        "what sar recorded (-o, /var/log/sa)",
        "Convert it: sadf -j FILE -- -A > NEW.json",
        (b"\x96\xd5\x75\x21",),
        text=r"^<sysstat|^\S+\t\d+\t\d{4}-\d\d-\d\d \S+ \w+\t",
    ),
    Signature(
        "what iostat prints",
        "Let it write JSON with times: iostat -t -o JSON 1 > FILE.json",
        text=r"^Linux \S+ \([^)]*\)\s.*\s+(?:\d\S+ \S+(?: [AP]M)?\n)?(?:avg-cpu: |.*\bDevice\b)",
    ),
    Signature(
        "what sysstat prints in another language",
        "Record it with LC_ALL=C, or let it write JSON: sadf -j FILE -- -A > NEW.json",
        text=r"\ALinux \S+ \([^)]*\)[^\n]*\n\s*\d*[^\x00-\x7f]",
    ),
    Signature(
        "statistics of a system (top, atop, nmon, dstat, collectl, glances, psrecord ...)",
        AS_SAMPLES,
        (b"\xef\xbe\xed\xfe",),  # of atop (-w)
        text=r"^(?:top - \d\d:|# +Time +UID +|#Entity +|#cpu sys inter +|#Date Time "
        r'|\AAAA,progname,|\A"(?:(?:pcp-)?[Dd]stat|dool) |\Atimestamp,now\.iso,'
        r"|# Elapsed time +CPU \(%\)"
        r"|Power measurements will start in | \*  \*  \*   Top 10 Power Consumers"
        r"|ATOP - |RESET\n(?:CPU|cpu|MEM|DSK|NET|PR\w) )",
    ),
    Signature(
        "the state of a system, or its counts since it started (vmstat -s, -d, free, ps, /proc)",
        "Record it over time: vmstat -t 1 > FILE.txt, iostat -t -o JSON 1 > FILE.json, "
        "pidstat 1 > FILE.txt, sar -o FILE 1",
        text=r"^disk- -+reads-+ -+writes|\A(?: +\d+ (?:K total memory|disks ?|forks)$"
        r"|Cache +Num +Total +Size +Pages$|\S+ +reads +read sectors +writes "
        r"| *(?:USER +)?PID +(?:%CPU|TTY) | +total +used +free +shared|MemTotal: +\d+ kB$"
        r"|cpu  \d+ \d+ \d+ |(?:some|full) avg10=)",
    ),
    Signature(
        "metrics in the text format of Prometheus, or in InfluxDB's lines",
        AS_SAMPLES,
        text=r"^(?:# TYPE \w\S* (?:counter|gauge|histogram|summary|untyped)"
        r"|[\w.]+(?:,[\w.]+=[^\s,]+)+ [\w.]+=[^\s]+ \d{19})$",
    ),
    Signature(
        "an event log of Spark, or requests that a browser recorded (HAR)",
        AS_SPANS,
        text=r'\A\s*\{\s*(?:"Event":"SparkListener|"log":\s*\{\s*"version":)',
    ),
    Signature(
        "times of the steps of a workflow (Nextflow, dbt)",
        AS_FUNCTIONS,
        text=r'\A(?:task_id\thash\t|\{"metadata": *\{"dbt_schema_version")',
    ),
    Signature(
        "statistics of a database's statements (pg_stat_statements, MySQL's slow log)",
        AS_FUNCTIONS,
        text=r"\A.*\bqueryid,.*\bcalls,|^# Query_time: [\d.]+ +Lock_time: ",
    ),
    Signature(
        "results of JMeter or Gatling",
        AS_METRICS,
        text=r"\A(?:timeStamp,elapsed,label,|RUN\t\S+\t\S+\t\d{13}\t)",
    ),
    Signature(
        "what systemd-analyze prints",
        AS_METRICS,
        text=r"\A(?:Startup finished in | *[\d.]+m?s \S+\.(?:service|device|mount|target)$)",
    ),
    Signature(
        "the plan of a query with its times (EXPLAIN ANALYZE), or times of a database's shell",
        AS_FUNCTIONS,
        text=r'^(?:.*\(actual time=\d|.*(?:"|<| )Actual[ -]Total[ -]Time\W|.*"operator_timing": '
        r'|│.*Query Profiling Information|.*Total Time: [\d.]+s +│| +"blocked_thread_time": '
        r"|Run Time: real \d|Timing is on\.$)",
    ),
    Signature(
        "a measurement of torch.utils.benchmark",
        AS_METRICS,
        text=r"^<torch\.utils\.benchmark\.",
    ),
    Signature(
        "what likwid-perfctr or likwid-topology prints of a machine",
        "Counters need a processor that it supports: likwid-perfctr -g CLOCK -o FILE.csv COMMAND",
        text=r"^(?:Hardware Thread Topology|ERROR - .*perfmon_init.*)$",
    ),
    Signature(
        "a picture (SVG)",
        "pwh reads the numbers behind a picture: export them as CSV.",
        text=r"\A(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE svg|<svg)",
    ),
    Signature(
        "text with the colours of a terminal",
        "Let the tool print without them: NO_COLOR=1 COMMAND > FILE, or its option --color=never.",
        text=r"\x1b\[[\d;]*m",
    ),
)
