"""Results of JavaScript's frameworks, Catch2, fio and iperf3, against what the tools print."""

from __future__ import annotations

import json
import re

import pytest

from tests.helpers.support import land, rows
from tests.ingest.cases.benchmarks import SAMPLE
from warehouse.errors import InputError

VALUES = "SELECT metric, value, unit, better FROM metrics ORDER BY rowid"


def near(metric, value, unit, better):
    return (metric, pytest.approx(value), unit, better)


def test_vitest_has_means_in_milliseconds(warehouse):
    land(warehouse, SAMPLE.with_name("vitest.json"))
    assert rows(warehouse, VALUES) == [
        near("a.bench.js > s > sort", 1 / 2162829.0483549507, "s", "lower"),
        near("a.bench.js > s > map", 1 / 7089218.354877, "s", "lower"),
    ]


def test_benchmarkjs_groups_thousands(warehouse):
    land(warehouse, SAMPLE.with_name("benchmarkjs.txt"))
    assert rows(warehouse, VALUES) == [
        ("sort", 5501666.0, "ops/s", "higher"),
        ("RegExp#test", 38387194.0, "ops/s", "higher"),
    ]


def test_catch2_has_nanoseconds_and_benchmarks_that_failed(warehouse, tmp_path):
    sample = SAMPLE.with_name("catch2.xml")
    land(warehouse, sample)
    query = "SELECT metric, value * 1e9, deviation FROM metrics ORDER BY rowid"
    assert rows(warehouse, query) == [
        ("v > sum", pytest.approx(262.076), pytest.approx(2.40589 / 262.076)),
        ("v > copy", pytest.approx(44.2237), pytest.approx(0.902084 / 44.2237)),
    ]
    broken = tmp_path / "broken.xml"
    mean = '<mean value="44.2237" lowerBound="43.9986" upperBound="45.0529" ci="0.95"/>'
    broken.write_text(sample.read_text().replace(mean, '<failed message="no"/>'))
    (done,) = land(warehouse, broken)
    assert done.left_out == "1 benchmark (failed)"


def test_fio_has_rates_and_latencies_of_each_job_and_direction(warehouse):
    land(warehouse, SAMPLE.with_name("fio.json"))
    found = rows(warehouse, VALUES)
    assert [row for row in found if row[0].startswith("w ")][:4] == [
        near("w write bandwidth", 729444173, "B/s", "higher"),
        near("w write iops", 178086.956522, "1/s", "higher"),
        near("w write latency", 5346.436279e-9, "s", "lower"),
        near("w write completion p50", 2224e-9, "s", "lower"),
    ]
    assert not [metric for metric, *_ in found if metric.startswith(("w read", "r write"))]
    assert rows(warehouse, "SELECT tags['arguments'] FROM runs") == [
        ("bs=4k, size=16m, ioengine=psync; w: rw=randwrite; r: rw=randread",)
    ]


def test_fio_before_its_third_version_has_other_units(warehouse, tmp_path):
    read = {
        "total_ios": 4096,
        "bw": 2048,
        "iops": 512.5,
        "lat": {"mean": 1950.5, "stddev": 10},
        "clat": {"mean": 1900, "percentile": {"99.000000": 2100}},
    }
    old = {"fio version": "fio-2.16", "jobs": [{"jobname": "r", "error": 0, "read": read}]}
    path = tmp_path / "fio.json"
    path.write_text(json.dumps(old))
    land(warehouse, path)
    assert rows(warehouse, "SELECT metric, round(value, 9), unit FROM metrics") == [
        ("r read bandwidth", 2048 * 1024, "B/s"),
        ("r read iops", 512.5, "1/s"),
        ("r read latency", 0.0019505, "s"),
        ("r read completion p99", 0.0021, "s"),
    ]


def test_fio_with_one_rate_for_reads_and_writes_and_no_times(warehouse, tmp_path):
    """--unified_rw_reporting=1 --gtod_reduce=1 --rate_iops=100: times of 0 were not measured."""
    mixed = {"total_ios": 9, "bw_bytes": 4096, "iops": 100.5, "lat_ns": {"mean": 0.0, "N": 0}}
    job = {"jobname": "r", "error": 0, "job options": {"rate_iops": "100"}, "mixed": mixed}
    path = tmp_path / "fio.json"
    path.write_text(json.dumps({"fio version": "fio-3.33", "jobs": [job]}))
    land(warehouse, path)
    assert rows(warehouse, VALUES) == [
        ("r mixed bandwidth", 4096, "B/s", "higher"),
        ("r mixed iops", 100.5, "1/s", "higher"),
    ]
    assert rows(warehouse, "SELECT tags['arguments'] FROM runs") == [("rate_iops=100",)]


def test_fio_between_its_text_and_jobs_of_one_name(warehouse, tmp_path):
    text = SAMPLE.with_name("fio.json").read_text().replace('"jobname" : "r"', '"jobname" : "w"')
    path = tmp_path / "both.txt"
    path.write_text(f"note: queue depth will be capped at 1\n{text}\nRun status group 0:\n")
    land(warehouse, path)
    query = "SELECT metric FROM metrics WHERE metric LIKE '%iops'"
    assert rows(warehouse, query) == [("w.0 write iops",), ("w.1 read iops",)]


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (("fio.json", "fio.json"), "another result begins here"),  # or --status-interval
        (("go.txt", "criterion.txt"), "several frameworks: Go; Rust"),
    ],
)
def test_results_of_several_in_a_file_are_refused(warehouse, tmp_path, names, problem):
    path = tmp_path / "all.txt"
    path.write_text("".join(SAMPLE.with_name(name).read_text() for name in names))
    with pytest.raises(InputError) as error:
        land(warehouse, path)
    assert problem in str(error.value)


def test_iperf3_has_both_sides(warehouse):
    land(warehouse, SAMPLE.with_name("iperf3.json"))
    assert rows(warehouse, VALUES)[:3] == [
        near("sent", 4572971008 * 8 / 2.002264, "bit/s", "higher"),
        ("sent retransmits", 0.0, None, "lower"),
        near("received", 4571660288 * 8 / 2.007651, "bit/s", "higher"),
    ]
    land(warehouse, SAMPLE.with_name("iperf3-udp.json"))
    query = "SELECT metric, value FROM metrics WHERE metric IN ('received jitter', 'sum')"
    assert rows(warehouse, query) == [("received jitter", pytest.approx(0.0025419921875e-3))]
    assert rows(warehouse, "SELECT tags['arguments'] FROM runs ORDER BY ALL") == [
        ("TCP, 1 stream",),
        ("UDP, 1 stream, at most 1048576 bit/s",),
    ]


def test_iperf3_both_ways_is_another_load_before_it_says_so(warehouse, tmp_path):
    document = json.loads(SAMPLE.with_name("iperf3.json").read_text())
    document["end"]["sum_sent_bidir_reverse"] = document["end"]["sum_sent"]
    (tmp_path / "x.json").write_text(json.dumps(document))
    land(warehouse, tmp_path / "x.json")
    assert rows(warehouse, "SELECT tags['arguments'] FROM runs") == [("TCP, 1 stream, both ways",)]


def test_a_date_of_iperf3_that_is_none_is_unknown(warehouse, tmp_path):
    document = json.loads(SAMPLE.with_name("iperf3.json").read_text())
    document["start"]["timestamp"]["timesecs"] = 1e20
    (tmp_path / "x.json").write_text(json.dumps(document))
    land(warehouse, tmp_path / "x.json")
    query = "SELECT stated_by FROM run_facts WHERE started_at IS NOT NULL"
    assert rows(warehouse, query) == [("file_time",)]


def test_what_iperf3_states_twice_alike_is_stated(warehouse, tmp_path):
    """iperf3 3.12 repeats three fields of `start` for each direction (--reverse, --bidir)."""
    path = tmp_path / "iperf.json"
    text = SAMPLE.with_name("iperf3.json").read_text()
    fields = '"start":{"sock_bufsize":0,"sock_bufsize":0,'
    again = re.sub(r'"start":\s*\{', fields, text, count=1)
    assert again != text
    path.write_text(again)
    land(warehouse, path)
    assert rows(warehouse, "SELECT count(*) > 0 FROM metrics") == [(True,)]


def test_a_test_of_iperf3_that_stopped_is_refused(warehouse, tmp_path):
    path = tmp_path / "stopped.json"
    path.write_text(
        '{"start": {"connected": [], "version": "iperf 3.12"}, "end": {}, "error": "no route"}\n'
    )
    with pytest.raises(InputError, match="iperf3 stopped: no route"):
        land(warehouse, path)
