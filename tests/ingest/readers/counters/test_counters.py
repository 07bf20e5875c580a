"""PerfSpect, LIKWID, PAPI, Nsight Compute: facts of real files, other forms, messages."""

from __future__ import annotations

import json

import pytest

from tests.helpers.support import land, rows, shared
from tests.ingest.case import SAMPLES
from warehouse.errors import InputError

PERFSPECT = "pmu/perfspect_spec2017_clx/{}.csv"
TALL = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream",'
    '"Section Name","Metric Name","Metric Unit","Metric Value"\n'
)
LAUNCH = '"0","1","/bin/a","h","k","1","7","S"'


def landed(con, folder, name, text, **options):
    path = folder / name
    path.write_text(text)
    return land(con, path, **options)


def refused(con, folder, name, text, **options):
    with pytest.raises(InputError) as error:
        landed(con, folder, name, text, **options)
    return str(error.value)


@pytest.mark.parametrize(
    ("program", "metric", "value"),
    [
        ("505", "metric_CPI", 5.26),
        ("505", "metric_TMAM_Backend_bound(%)", 64.4),
        ("525", "metric_CPI", 0.70),
        ("525", "metric_TMAM_Retiring(%)", 73.09),
        ("541", "metric_TMAM_Bad_Speculation(%)", 29.38),
        ("548", "metric_TMAM_Backend_bound(%)", 1.96),
    ],
)
def test_perfspect_facts(program, metric, value, warehouse):
    land(warehouse, shared(PERFSPECT.format(program)))
    ((found,),) = rows(warehouse, "SELECT value FROM pmu_samples WHERE event = ?", metric)
    assert found == pytest.approx(value, abs=0.05)
    assert rows(
        warehouse, "SELECT count(*) FROM pmu_samples WHERE NOT event ~ '.* (p95|min|max)'"
    ) == [(41,)]


def test_perfspect_3_has_a_standard_deviation(warehouse, tmp_path):
    landed(
        warehouse,
        tmp_path,
        "summary.csv",
        "metric,mean,min,max,stddev\nCPI,2.0,1.0,3.0,0.5\nGHz,0,0,0,0\n",
    )
    assert rows(warehouse, "SELECT event, value, deviation FROM pmu_samples ORDER BY rowid") == [
        ("CPI", 2.0, 0.25),
        ("CPI min", 1.0, None),
        ("CPI max", 3.0, None),
        ("GHz", 0.0, None),
        ("GHz min", 0.0, None),
        ("GHz max", 0.0, None),
    ]


def test_perfspect_over_time(warehouse, tmp_path):
    landed(
        warehouse,
        tmp_path,
        "metrics.csv",
        "TS,SKT,CPU,CID,CPI,memory bandwidth read (MB/sec)\n"
        "10.0,,0,,1.5,100\n10.0,,1,,1.6,nan\n15.5,,0,,1.7,120\n",
    )
    assert rows(
        warehouse, "SELECT cpu, sample, t_start, event, value, unit FROM pmu_samples ORDER BY rowid"
    ) == [
        (0, 0, 0, "CPI", 1.5, None),
        (0, 0, 0, "memory bandwidth read (MB/sec)", 100.0, "MB/sec"),
        (1, 0, 0, "CPI", 1.6, None),
        (1, 0, 0, "memory bandwidth read (MB/sec)", None, "MB/sec"),
        (0, 1, 5500000000, "CPI", 1.7, None),
        (0, 1, 5500000000, "memory bandwidth read (MB/sec)", 120.0, "MB/sec"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metrics,avg\n", "there are no metrics"),
        ("metrics,avg\nCPI,1.5\nCPI,1.5\n", "line 3: the metric 'CPI' is repeated"),
        ("metrics,avg\nCPI\n", "line 2: there is 1 value"),
        ("metrics,avg\nCPI,1.x\n", "line 2: avg of CPI is '1.x'"),
        ("metrics,avg\nCPI,1e999\n", "line 2: avg of CPI is '1e999'"),
        ("metrics,avg\nCPI,1.", "line 2: the last line has no end"),
        ('metrics,avg\n"CPI,1.5\n', "line 2: quotes do not match"),
        ("TS,SKT,CPU,CID,CPI\n1,,x,,1\n", "line 2: CPU is 'x'"),
    ],
)
def test_perfspect_messages(text, message, warehouse, tmp_path):
    assert message in refused(warehouse, tmp_path, "m.csv", text)


def test_likwid_without_regions_over_time(warehouse, tmp_path):
    table = "TABLE,Group 1 Raw,MEM,1\nEvent,Counter,Core 2\nINSTR_RETIRED_ANY,FIXC0,{}\n"
    landed(warehouse, tmp_path, "likwid.csv", table.format(5) + table.format(7))
    assert rows(warehouse, "SELECT region, cpu, sample, value FROM pmu_samples ORDER BY 3") == [
        (None, 2, 0, 5.0),
        (None, 2, 1, 7.0),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("TABLE,Group 1 Raw,MEM,1\nEvent,Counter,Sum\nA,FIXC0,1\n", "line 2: the columns are"),
        ("TABLE,Group 1 Raw,MEM,2\nEvent,Counter,Core 0\nA,PMC0,1\n", "fewer lines than the 2"),
        (
            "TABLE,Group 1 Raw,MEM,1\nEvent,Counter,Core 0\nA,PMC0,1\nB,PMC1,2\n",
            "more lines than the 1",
        ),
        ("TABLE,Group 1 Raw,MEM,x\nEvent,Counter,Core 0\nA,PMC0,1\n", "length is 'x'"),
        ("TABLE,Group 1 Raw,MEM,1\nEvent,Counter,Core 0\nA,PMC0,12a\n", "line 3: A is '12a'"),
        ("TABLE,Group 1 Raw STAT,MEM,1\nEvent,Counter,Sum\nA,PMC0,1\n", "no counters"),
    ],
)
def test_likwid_messages(text, message, warehouse, tmp_path):
    assert message in refused(warehouse, tmp_path, "likwid.csv", text)


def test_what_likwid_counts_of_a_socket_is_that_of_the_run_summed_over_sockets(warehouse, tmp_path):
    text = """TABLE,Group 1 Metric,MEM,3
Metric,HWThread 0,HWThread 1,HWThread 18,HWThread 19
Uncore Clock [MHz],2400,0,2200,0
DP [MFLOP/s],100,200,300,400
Memory bandwidth [MBytes/s],5000,0,7000,0
"""
    landed(warehouse, tmp_path, "likwid.csv", text)
    assert rows(warehouse, "SELECT event, value FROM counter_summary ORDER BY event") == [
        ("DP", 1000),
        ("Memory bandwidth", 12000),
        ("Uncore Clock", 2300),
    ]


def test_papi_6_lists_threads_and_regions(warehouse, tmp_path):
    found = {"region_count": "2", "cycles": "10", "PAPI_TOT_INS": {"total": "9", "min": "4"}}
    content = {"papi_version": "6.0", "threads": [{"id": "3", "regions": [{"main": found}]}]}
    landed(warehouse, tmp_path, "rank_000002.json", json.dumps(content))
    assert rows(
        warehouse, "SELECT rank, thread, region, event, value FROM pmu_samples ORDER BY event"
    ) == [
        (2, 3, "main", "PAPI_TOT_INS", 9.0),
        (2, 3, "main", "real_cycles", 10.0),
        (2, 3, "main", "region_count", 2.0),
    ]


@pytest.mark.parametrize(
    ("threads", "message"),
    [
        ([], "there are no counters"),
        ({"0": {"regions": {"0": {"cycles": "1"}}}}, "the region's name is missing"),
        ({"x": {"regions": {}}}, "the thread's number is missing"),
        ({"0": {"regions": {"0": {"name": "r", "A": "1x"}}}}, "region 'r': A is '1x'"),
        ({"0": {"regions": {"0": {"name": "r", "A": [1]}}}}, "a number for A is missing"),
        (7, "the thread's number is missing"),
    ],
)
def test_papi_messages(threads, message, warehouse, tmp_path):
    text = json.dumps({"papi_version": "7", "threads": threads})
    assert message in refused(warehouse, tmp_path, "rank_000000.json", text)


def test_papi_killed_program(warehouse, tmp_path):
    text = (SAMPLES / "papi" / "rank_000000.json").read_text()[:700]
    message = refused(warehouse, tmp_path, "rank_000000.json", text)
    assert "no JSON that PAPI wrote" in message
    assert "was it killed?" in message


def test_ncu_raw_page_has_a_column_a_metric_and_a_line_of_units(warehouse, tmp_path):
    landed(
        warehouse,
        tmp_path,
        "raw.csv",
        '"ID","Process Name","Kernel Name","dram__bytes_read.sum","launch__func","sm__cycles"\n'
        '"","","","Mbyte","","cycle"\n'
        '"0","a.out","k(int)","1.5","PreferNone","1,000"\n'
        '"1","a.out","k(int)","n/a","PreferNone","2,000,000"\n',
    )
    assert rows(
        warehouse, "SELECT sample, event, value, unit FROM pmu_samples ORDER BY sample, event"
    ) == [
        (0, "dram__bytes_read.sum", 1.5e6, "byte"),
        (0, "sm__cycles", 1000.0, "cycle"),
        (1, "dram__bytes_read.sum", None, "byte"),
        (1, "sm__cycles", 2e6, "cycle"),
    ]


def test_ncu_launches_summed_up_are_no_sample(warehouse, tmp_path):
    landed(
        warehouse,
        tmp_path,
        "sums.csv",
        '"Process ID","Kernel Name","Invocations","Section Name","Metric Name","Metric Unit",'
        '"Minimum","Maximum","Average"\n"1","k","2","S","Duration","us","1","3","2"\n',
    )
    assert rows(warehouse, "SELECT region, sample, event, value, unit FROM pmu_samples") == [
        ("k", None, "Duration", 2e-06, "second")
    ]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "there are no metrics"),
        (LAUNCH + ',"M","","1,5"\n', "line 2: M is '1,5'"),
        (LAUNCH.replace('"0"', '"x"', 1) + ',"M","","1"\n', "line 2: the launch's ID is 'x'"),
        (LAUNCH + ',"M","","1"\nprinted between\n', "a line does not have 11 fields"),
        (LAUNCH + ',"M","","1', "the last line has no end"),
    ],
)
def test_ncu_messages(body, message, warehouse, tmp_path):
    assert message in refused(warehouse, tmp_path, "n.csv", TALL + body)


def test_ncu_leaves_the_source_page_alone(tmp_path):
    from ingest.base import Head
    from ingest.readers.counters.ncu.reader import Ncu

    assert not Ncu().sniff(
        Head(b'"Kernel Name","k"\n"#","Source","Instructions Executed"\n', tmp_path)
    )


def test_metrics_of_perfspect_are_averaged_over_time(warehouse, tmp_path):
    landed(
        warehouse,
        tmp_path,
        "p.csv",
        "TS,SKT,CPU,CID,package power (watts),LLC code read MPI,read latency (in ns),IPC\n"
        "1.0,,,,100,0.001,80,1.0\n2.0,,,,200,0.003,90,2.0\n",
    )
    query = "SELECT event, value, unit FROM counter_summary ORDER BY event"
    assert rows(warehouse, query) == [
        ("IPC", 1.5, None),
        ("LLC code read MPI", pytest.approx(0.002), "misses/instruction"),
        ("package power (watts)", 150.0, "J/s"),
        ("read latency (in ns)", 85.0, "ns/access"),
    ]


@pytest.mark.parametrize("heading", ["Metric,Mean,Stddev", "metrics,avg,stddev"])
def test_headings_of_summaries_of_perfspect(warehouse, tmp_path, heading):
    landed(warehouse, tmp_path, "p.csv", f"{heading}\nIPC,0.8,0.2\n")
    query = "SELECT event, value, deviation FROM pmu_samples"
    assert rows(warehouse, query) == [("IPC", 0.8, 0.25)]


@pytest.mark.parametrize(
    ("sample", "lengths"),
    [
        ("ncu/details.csv", {(0, 1.25e-5), (1, 1.125e-5), (2, 0.001024)}),
        ("ncu-text/details.txt", {(0, 1.245e-5), (1, None)}),
        ("papi/rank_000000.json", {(0, 8e-7), (0, 8.1e-7), (0, 1.2e-7), (1, 1.25e-7)}),
        ("rocprof/rocprofv2.csv", {(1, 2e-6), (2, 1e-6)}),
    ],
)
def test_regions_and_kernels_have_the_length_that_was_measured(warehouse, sample, lengths):
    land(warehouse, SAMPLES / sample)
    assert set(rows(warehouse, "SELECT sample, seconds FROM pmu_samples")) == lengths


def test_a_launch_of_ncu_has_its_length_also_where_blocks_of_the_file_end(warehouse, tmp_path):
    heading = (
        '"ID","Kernel Name","Context","Section Name","Metric Name","Metric Unit","Metric Value"\n'
    )
    line = '"{}","k","1","{}","{}","{}","{}.5"\n'
    lines = (
        line.format(launch, "long name of a section " * 50, *metric)
        for launch in range(400)
        for metric in [*(("m", "%", 1),) * 19, ("gpu__time_duration.sum", "usecond", launch)]
    )
    landed(warehouse, tmp_path, "ncu.csv", heading + "".join(lines))
    query = "SELECT count(*) FILTER (seconds = (sample + 0.5) / 1e6), count(*) FROM pmu_samples"
    assert rows(warehouse, query) == [(8000, 8000)]


def test_intervals_of_toplev_are_samples_and_its_sums_are_left_out(warehouse):
    land(warehouse, SAMPLES / "toplev" / "intervals.csv")
    assert rows(
        warehouse,
        "SELECT sample, cpu, t_end, value FROM pmu_samples WHERE event = 'Retiring' ORDER BY ALL",
    ) == [(0, 0, 1001000000, 30.0), (1, 0, 2002000000, 20.0)]


@pytest.mark.usefixtures("analyses")
def test_a_summary_of_vtune_has_the_shares_and_the_facts_of_the_run(warehouse):
    land(warehouse, SAMPLES / "vtune" / "summary.csv")
    assert rows(warehouse, "SELECT machine, wall_seconds, environment['cpu'] FROM runs") == [
        ("node17", 3.142, "Intel(R) Xeon(R) Processor code named Cascadelake")
    ]
    assert rows(warehouse, "SELECT category, part, part_share FROM topdown") == [
        ("backend_bound", "memory_bound", pytest.approx(0.641))
    ]
    assert rows(warehouse, "SELECT class FROM bottlenecks") == [("Mem",)]


def test_counts_of_vtune_in_thousands_are_multiplied(warehouse, tmp_path):
    text = 'Process,Hardware Event Count:INST_RETIRED.ANY:Self (K)\n"a.out",1.5\n"b.out",\n'
    landed(warehouse, tmp_path, "events.csv", text)
    assert rows(warehouse, "SELECT region, value FROM pmu_samples ORDER BY region") == [
        ("a.out", 1500.0),
        ("b.out", None),
    ]
