"""Files that pwh does not read are named, with how to convert them; text of its own never is."""

from __future__ import annotations

import io
import pickle
import tarfile
import zipfile
from pathlib import Path

import pytest

from ingest.base import Head
from ingest.recording import read_head
from ingest.unread_formats import unread_format_of, unread_formats
from ingest.walk import find
from tests.ingest.case import SAMPLES


def zipped():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", "a")
    return packed.getvalue()


def tarred():
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        data = (SAMPLES / "time" / "verbose.txt").read_bytes()
        member = tarfile.TarInfo("a.txt")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


ELF = b"\x7fELF\x02\x01\x01" + b"\0" * 9


# How perfetto v56 begins a trace.
PERFETTO = bytes.fromhex(
    "0a60325a10060a0a080610d4ab9ef4bf8b100a0c0802108fe1e6bb8ee2a3f5180a0a080410b8f3f0f3bf8b100a0c0801"
)


@pytest.mark.parametrize(
    ("name", "data", "what", "advice"),
    [
        ("perf.data", b"PERFILE2" + b"\0" * 99, "Linux perf", "perf script -i FILE"),
        ("gmon.out", b"gmon\x01\0\0\0" + b"\0" * 99, "gprof's raw profile", "gprof PROGRAM FILE"),
        ("a.jfr", b"FLR\0\0\2" + b"\0" * 99, "Java Flight Recorder", "jfrconv -o collapsed"),
        ("a.nsys-rep", b"\x0a\x10" * 9, "Nsight Systems", "nsys export --type sqlite"),
        ("a.ncu-rep", b"NVR\0" * 9, "Nsight Compute", "ncu --import FILE --csv"),
        ("r000hs.vtune", b"<?xml?>", "Intel VTune", "vtune -report hotspots"),
        ("0.evt", b"\x03B\x01" + b"\0" * 9, "OTF2", "traces.otf2"),
        ("a.perfetto-trace", b"\x0a\x20" * 9, "Perfetto", "traceconv json"),
        ("cct.db", b"HPCTOOLKITctxt\x04\0", "HPCToolkit", "meta.db with profile.db"),
        ("a.hpcrun", b"HPCRUN-profile____" * 9, "HPCToolkit", "hpcprof -o NEW FOLDER"),
        ("a.darshan", b"\x33\x2e" * 9, "Darshan", "darshan-parser FILE"),
        ("core", ELF + b"\x04\0\x3e\0", "core dump", "record a profile"),
        ("a.out", ELF + b"\x03\0\x3e\0", "(ELF)", "not the program itself"),
        (
            "j.txt",
            b"Benchmarking: LM [DES 128/128 SSE2]... DONE\nRaw:\t1378K c/s real, 1K",
            "john",
            "CSV",
        ),
        ("n.txt", b" 1708.2500 MB /   2.00 sec = 7163.5444 Mbps 27 %TX\n", "of a machine", "CSV"),
        (
            "c.txt",
            b"   Ordered by: call count\n\nFunction was called by\n",
            "cProfile",
            "-m cProfile",
        ),
        ("d.txt", b"Process 9: python a.py\nPython v3.11.7 (/usr/bin/python3)\n", "py-spy", "raw"),
        ("s.txt", b"\nAggregated stats:\n  TOTAL events: 9\n", "perf report --stats", "script"),
        ("r.txt", b"0 8 0.30 92\n", "redis-cli", "redis-benchmark --csv"),
        ("i.txt", b"done in 0.32 s (drop tables 0.00 s, create)\n", "pgbench -i", "pgbench -T 60"),
        ("a.zip", zipped(), "zip archive", "unzip FILE"),
        ("a.tar", tarred(), "tar archive", "tar xf FILE"),
        ("a.xlsx", zipped(), "spreadsheet", "as CSV"),
        ("a.prof", bytes(8) + b"\x03" + bytes(15) + b"\x10\x27", "gperftools", "--collapsed"),
        ("nytprof.out", b"NYTProf 5 0\n#Perl profile", "NYTProf", "nytprofcg"),
        ("heaptrack.w.1.zst", b"v 10400 3\nX ./w 20\nI 1000 5e\n", "heaptrack", "heaptrack_print"),
        ("a.bin", pickle.dumps([1] * 9), "pickled", "never unpickles"),
        ("a.db", b"SQLite format 3\0" + b"\0" * 99, "SQLite", "sqlite3 -csv"),
        (
            "m.bin",
            bytes.fromhex("04224d184040c016380000fa046d656d72617900"),
            "a recording of memray",
            "py-spy",
        ),
        (
            "guide.md",
            b"# Guide\n"
            + b"\n```\nBenchmark  Time  CPU  Iterations\nBM_x  5 ns  5 ns  9\n```\n" * 3,
            "a document that quotes text",
            "--reader NAME",
        ),
        ("time.1", b'.\\" the manual\nreal 0m1.5s\nuser 0m1s\nsys 0m0s\n', "a manual page", "man"),
        (
            "time.html",
            b"<!-- manual -->\n<!DOCTYPE html>\n<pre>\nreal 0m1.5s\nuser 0m1s\nsys 0m0s\n",
            "an HTML page",
            "a file of their own",
        ),
        ("trace", PERFETTO, "a trace of Perfetto", "traceconv json"),
    ],
)
def test_what_a_file_is_and_how_to_convert_it(tmp_path, name, data, what, advice):
    path = tmp_path / name
    path.write_bytes(data)
    (found,) = find([path])
    assert found.error is not None
    assert f"; it is {what}" in found.error.problem or what in found.error.problem
    assert advice in (found.error.hint or "")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        (
            "42\n         835437 function calls (800017 primitive calls) in 0.397 seconds\n",
            "pstats",
        ),
        ("-----\nI1 cache:         32768 B, 64 B, 8-way associative\n", "cachegrind.out"),
        ("==12== Memcheck, a memory error detector\n", "callgrind.out"),
        ("--12-- warning: L3 cache found, using its data\n", "callgrind.out"),
        ("| Command  |  Mean [ms] |  Min [ms] |  Relative |\n|--+--+--+--|\n", "--export-json"),
        ("test b ... ok\n\ntest result: ok. 2 passed; 0 ignored; 0 measured; 0\n", "cargo bench"),
        ("Run 1: calibrate the number of loops: 2^16\n", "pyperf timeit -o"),
        ("\nTime variable                    usr           sys          wall   GGC\n", "seconds"),
        ("Files:      8\nCheck time:                 1.75s\n", "--generateTrace"),
        ("1000000 loops, best of 5: 146 nsec per loop\n", "pyperf timeit"),
        ('{"head":{"callFrame":{"functionName":"(root)"', "--cpu-prof"),
        ("v8-version,11,3,244,8,-node.38,0\n", "--cpu-prof"),
        ("PeriodType: cpu nanoseconds\nPeriod: 10000000\n", "-cpuprofile"),
        ("Benchmark 1: ls\n  Time (mean ± σ):       6.3 ms ±   2.5 ms\n", "--export-json"),
        ('execve("./a.out", ["./a.out"], 0x7ff) = 0 <0.000123>\n', "strace -c"),
        ("-----  -----\n     Name    Self CPU %      Self CPU   CPU total %\n", "chrome_trace"),
        ("Total: 63 samples\n      62  98.4%  98.4%       62  98.4% leaf\n", "google-pprof"),
        ("# Event 'cycles'\n#\n# Baseline  Delta Abs  Shared Object\n", "perf script"),
        ("jdk.ExecutionSample {\n  startTime = 00:09:42.810\n", "jfr print --json"),
        ('<recording>\n  <events>\n    <event type="jdk.ExecutionSample">\n', "jfr print --json"),
        ('{\n  "recording": {\n    "events": []\n  }\n}', "jdk.ExecutionSample"),
        ("\n Version: 2.1\n\n Event Type         Count  Size (bytes) \n", "jfr print --json"),
        ("[0.004s][info][gc,init] Version: 17.0.15\n", "async-profiler"),
        ("[2026-11-23T00:01:02.003+0000][info ][gc     ] Using G1\n", "async-profiler"),
        ("Functions sorted by metric: Exclusive Total CPU Time\n", "perf record"),
        ("  Total time   Self time       Calls  Function\n", "uftrace dump"),
        ("Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-23]\n", "xdebug.mode=profile"),
        ("Days : 0\r\nTicks    : 15948660\r\nTotalDays  : 1,8E-05\r\n", "app and wall_seconds"),
        ("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user\n", "record again"),
        ("Method\n0\tMethod: MEMCPY\tElapsed: 0.00091\tMiB: 16.0\n", "metric, value"),
        ("response-time,DNS+dialup,DNS\n0.0051,0.0003,0.0001\n", "wrk --latency"),
        ("Running 2s test @ http://node1\n2 connections\n\n| Stat |\n", "metric, value"),
        ("--- Execution profile ---\nTotal samples       : 687\n", "-o collapsed"),
        ("AAA,progname,nmon\nAAA,interval,1\n", "event, t_start"),
        (
            "disk- ------------reads------------ ------------writes-----------\n",
            "iostat -t -o JSON",
        ),
        ("     24684100 K total memory\n      1444224 K used memory\n", "vmstat -t 1"),
        ("1 287301 3481 14256825 287301 287301 287301 0 2 1000467563\n", "metric, value"),
        ("50, 82400, 0, 4096, 0, 0x0004, 81\n100, 86720, 0, 4096, 0, 0x0004, 9\n", "fio --output"),
        ("\n┏━━━┳━━━┓\n┃ Location ┃ <Total ┃\n", "metric, value"),
        ("C0    BE      Backend_Bound:  % Slots  62.00\n", "toplev -l2 -x,"),
        ("Command line: w.py\nTotal duration: 0.709347s\nFile: w.py\n", "cProfile -o"),
        ("Cacheable calls:      2 /    2 (100.0%)\n", "metric, value"),
        (" Benchmarks, repeat=5, number=5 \n\n| Benchmark | Min     |\n", "metric, value"),
        ("   user  system elapsed \n  0.008   0.003   0.011 \n", "app and wall_seconds"),
        ("\x1b[1mtime\x1b[22m 5 s\n", "NO_COLOR=1"),
        ("# tracer: function_graph\n#\n# CPU  DURATION\n", "traceconv json"),
        (
            "Linux 6.1 (vm) \t11/24/26 \t_x86_64_\n\n   tps    kB_read/s Device\n",
            "iostat -t -o JSON",
        ),
        ("flat profile:\n\n %         the percentage of\n", "gprof PROGRAM gmon.out"),
        ("# Children,    Self,Symbol\n 50.00% , 50.00% ,[.] f\n", "without -t"),
        ("Benchmark 1: sleep\n  Time (abs ≡):         10.9 ms\n", "--export-json"),
        ("Reading scorep/profile.cubex... done.\n0.051     main\n", "profile.cubex"),
        ("Analysis of sampling app (pid 4) every 1 millisecond\n", "stackcollapse-sample"),
        ("granularity: each sample hit covers 4.00673 byte(s) for 0.00%\n", "gprof PROGRAM"),
        ("@ inst_retired.any [35705 samples]\n\n20.86%  [7447]     f\n", "stackcollapse-pmc.pl"),
        ('{"version":1.2,"mode":"wall","interval":1000,"samples":15', "--stackcollapse"),
        ("Measure Mode: wall_time\nThread ID: 70\n", "--printer=call_tree"),
        ("====\n  Mode: wall(1000)\n  Samples: 117\n", "--stackcollapse"),
        ('{"snapshot":{"meta":{"node_fields":["type"', "--cpu-prof"),
        ("strtol(0x7ff, 0, 10)    = 1000 <0.0001>\nsin(1)   = 2 <0.1>\n", "strace -c"),
        ("9, 502, 0, 4096, 0\n9, 23113, 0, 4096, 0\n", "--output-format=json"),
        ("1.98,2.00a,vm,1,1795453953,64M,,8192,5\n", "metric, value"),
        ("        -:    0:Source:work.c\n", "perf"),
        ("  %   cumulative   self              self     total\n time\n", "--printer=call_tree"),
        ("\tSat Time and Allocation Profiling Report  (Final)\n", "function and"),
        ("*** SPX Report ***\n", "xdebug.mode=profile"),
        ('{"main()":{"ct":1,"wt":1000}}', "xdebug.mode=profile"),
        ('{"Event":"SparkListenerLogStart","Spark Version":"4.3.0"}\n', "ph X"),
        ('{"log":{"version":"1.2","creator":{}}}', "ph X"),
        ("userid,dbid,queryid,query,calls,total_exec_time\n", "function and seconds"),
        ("timeStamp,elapsed,label,responseCode\n1700000000000,12,a,200\n", "metric, value"),
        ("         4.123s NetworkManager-wait-online.service\n", "metric, value"),
        ("TAP version 13\n# Subtest: a\n", "--test-reporter=junit"),
        ("0 199 2241 0 1175850568 995598\n0 200 2465 0 1175850568 998079\n", "pgbench > FILE"),
        ("==18809== exp-bbv, a SimPoint basic block vector generator\n", "callgrind.out"),
        ("  Task                  |   Runtime ms  | Switches |\n", "perf script"),
        ("     0.059 ( 0.012 ms): thr/28926 brk() = 0x5568\n", "perf script"),
        ("[==========] Running 5 tests from 3 test suites.\n", "--gtest_output=xml"),
        ("===== test session starts =====\nplatform linux\n", "--junitxml"),
        (
            '{"Time":"2026-11-23T10:01:50Z","Action":"run","Package":"w","Test":"TestFib"}\n',
            "go test -bench",
        ),
        ("gc 1 @0.017s 1%: 0.094+3.0+0.003 ms clock\n", "-cpuprofile"),
        ("Linux 6.1.0 (n) \t11/23/26 \t_x86_64_\t(2 CPU)\n\navg-cpu:  %user\n", "iostat -t -o"),
        ("vm\t1\t2026-11-23 10:07:03 UTC\tall\t%user\t93.03\n", "sadf -j FILE"),
        ("# TYPE http_requests_total counter\nhttp_requests_total 1027\n", "event, t_start"),
        ('{"resourceSpans":[{"resource":{}}]}\n', "Chrome trace events"),
        ("Aggregate  (cost=1..2 rows=1 width=8) (actual time=33.8..33.9 rows=1)\n", "function and"),
        (
            "   text\t   data\t    bss\t    dec\t    hex\tfilename\n 1\t2\t3\t6\t6\ta.o\n",
            "metric, value",
        ),
        ("# POINT TO POINT\nE\t0\t1\t8 bytes\t20 msgs sent\n", "metric, value"),
        ("benchmark name            samples       iterations    estimated\n", "-r xml"),
        ("stress-ng: info:  [14104] dispatching hogs: 1 cpu\n", "--yaml FILE"),
        ("w: (g=0): rw=randwrite, bs=(R) 4096B-4096B\n", "--output-format=json"),
        ("            \u2502 a.txt \u2502\n            \u2502 sec/op  \u2502\n", "go test -bench"),
        ("       JobID  JobName      State\n------- -----\n", "Elapsed,"),
        ("Reading Profile files\n\nNODE 0;CONTEXT 0;THREAD 0:\n", "profile.0.0.0"),
        ("Estimated aggregate size of event trace:  40kB\n", "profile.cubex"),
        ("Path       Min time/rank Max time/rank\n", "hatchet-region-profile"),
        ("CrayPat/X:  Version 6.3.1 Revision 3aa972a\n", "function and seconds"),
        (
            "5.39 \u00b5s \u00b1 61.8 ns per loop (mean \u00b1 std. dev. of 7 runs)\n",
            "pyperf timeit",
        ),
        ("PERFORMANCE REPORT\n-----\nstream\n", "metric, value"),
        ("#Entity   GPUTL  MCUTL\nID\nGPU 0     99     45\n", "event, t_start"),
        ("Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\n-\t-\t9\t0.3\t2900\n", "event, t_start"),
        ("# 4.8-full on Intel(R) Core(TM) i7 [skl]\nFE  Frontend_Bound % Slots 30\n", "-x,"),
        ("Start (ns),Duration (ns),CorrId,GrdX\n1,2,3,4\n", "nsys export"),
        ('==7== Profiling result:\n"Start","Duration"\n', "nvprof --csv"),
        ("digraph {\n\tgraph [fontname=Arial]\n", "drawn from"),
        ('{\n  "code": [\n  {\n    "name": "node"\n', "--cpu-prof"),
    ],
)
def test_what_tools_print_for_people(tmp_path, text, advice):
    path = tmp_path / "out.txt"
    path.write_text(text, encoding="utf-8")
    (found,) = find([path])
    assert found.error is not None
    assert advice in (found.error.hint or "")


def test_few_samples_are_of_an_unread_format_too():
    found = {
        (path.suffix, known.what)
        for path in SAMPLES.rglob("*")
        if path.is_file() and (known := unread_format_of(Head(read_head(path), path)))
    }
    assert found == {
        (".csv", "what toplev prints, but for CSV of one form"),
        (".cubex", "a tar archive"),
        (".db", "a SQLite database"),
        (".db", "a part of an HPCToolkit database"),
        (".def", "a part of a trace in OTF2"),
        (".evt", "a part of a trace in OTF2"),
        (".metric-db", "a part of an HPCToolkit database"),
        (".pftrace", "a trace of Perfetto"),
        (".sqlite", "a SQLite database"),
    }


@pytest.mark.parametrize("text", [b"MZ is a name\n", b"go 1.21\n", b"BZh and more\n", b"gmonth\n"])
def test_text_that_begins_like_one_is_none(text):
    assert unread_format_of(Head(text, Path("a.txt"))) is None


def test_descriptions_fit_their_sentence():
    for one in unread_formats().values():
        assert one.pattern or one.suffixes or "Markdown" in one.what
        assert not one.what.endswith(".")
        assert one.advice[0].isupper() or one.advice.startswith(("pwh", "man"))
