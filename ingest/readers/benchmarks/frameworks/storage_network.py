"""JSON of fio (--output-format=json) and iperf3 (-J): rates and latencies of disks and networks.

Sources: fio's HOWTO (JSON output) and stat.c, iperf3's iperf_api.c; files that fio 3.33 and iperf
3.12 wrote. Rates are in bytes, operations or bits a second, times in seconds. What was asked of the
disk or network is the tag arguments: results of another load are no history of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ingest.base import Item, LeftOut, Run
from ingest.parsing.dates import date_of
from ingest.parsing.json_values import field, object_of, text_of
from ingest.parsing.metric_values import Value, percentiles, relative, rows
from warehouse.errors import InputError

_DIRECTIONS = ("read", "write", "trim", "mixed")  # the last with unified_rw_reporting
_NANO, _MICRO = 1e-9, 1e-6
# Options of fio that say what is done, neither where nor how long.
_LOAD = (
    *("rw", "readwrite", "rwmixread", "bs", "blocksize", "bsrange", "bssplit", "size"),
    *("ioengine", "iodepth", "numjobs", "direct", "sync", "fsync", "rate", "rate_iops"),
)


def fio(document: Any) -> Iterator[Item]:
    """Yield the run and values of fio: for each job and direction its rates and latencies.

    Jobs of one name (numjobs) are numbered: what each of them did is a metric of its own.
    """
    jobs = field(document, "jobs", list, "the file")
    names = [field(job, "jobname", str, f"job {place}") for place, job in enumerate(jobs)]
    tags = {"recorder": field(document, "fio version", str, "the file")}
    if load := _fio_load(document, names, jobs):
        tags["arguments"] = load
    yield Run(started_at=date_of(document.get("timestamp_ms")), tags=tags)
    shared = {name for name, count in Counter(names).items() if count > 1}
    values: list[Value] = []
    failed = 0
    for place, (name, job) in enumerate(zip(names, jobs, strict=True)):
        label = f"{name}.{names[:place].count(name)}" if name in shared else name
        if job.get("error"):
            failed += 1
            continue
        for direction in _DIRECTIONS:
            if object_of(job.get(direction)).get("total_ios"):
                values += _fio_values(f"{label} {direction}", job[direction])
    yield rows(values)
    yield LeftOut(failed, "job", "stopped with an error")


def _fio_load(document: Mapping[str, Any], names: Sequence[str], jobs: Sequence[Any]) -> str:
    """Return the options of all jobs, then those of each; of one job together."""
    every = _load(document.get("global options"))
    own = [(name, _load(job.get("job options"))) for name, job in zip(names, jobs, strict=True)]
    if len(own) == 1:
        return ", ".join([*every, *own[0][1]])
    parts = dict.fromkeys(f"{name}: {', '.join(options)}" for name, options in own if options)
    return "; ".join([", ".join(every), *parts] if every else parts)


def _load(options: object) -> list[str]:
    found = object_of(options)
    return [f"{name}={found[name]}" for name in _LOAD if found.get(name) is not None]


def _fio_values(of: str, found: Mapping[str, Any]) -> Iterator[Value]:
    # Before 3.0 rates are in KiB, and times in microseconds.
    is_old = "bw_bytes" not in found and isinstance(found.get("lat"), dict)
    suffix, scale = ("", _MICRO) if is_old else ("_ns", _NANO)
    rate = field(found, "bw", float, of) * 1024 if is_old else field(found, "bw_bytes", float, of)
    yield Value(f"{of} bandwidth", rate, "B/s", "higher")
    yield Value(f"{of} iops", field(found, "iops", float, of), "1/s", "higher")
    latency = field(found, f"lat{suffix}", dict, of)
    if mean := field(latency, "mean", float, of):  # 0: not measured (disable_lat, gtod_reduce)
        spread = relative(latency.get("stddev"), mean)
        yield Value(f"{of} latency", mean * scale, "s", "lower", None, spread)
    completion = object_of(found.get(f"clat{suffix}")).get("percentile")
    yield from percentiles(f"{of} completion", object_of(completion), scale)


def iperf(document: Any) -> Iterator[Item]:
    """Yield the run and values of iperf3: the rates over the whole test, as sent and received."""
    if problem := text_of(document.get("error")):
        raise InputError(f"iperf3 stopped: {problem}", expected="a test that ended")
    start, end = (field(document, name, dict, "the file") for name in ("start", "end"))
    test = object_of(start.get("test_start"))
    seconds = object_of(start.get("timestamp")).get("timesecs")
    streams = test.get("num_streams")
    yield Run(
        started_at=date_of(seconds * 1e3) if isinstance(seconds, float) else None,
        tags={"recorder": text_of(start.get("version")) or "iperf3"}
        | ({"protocol": protocol} if (protocol := text_of(test.get("protocol"))) else {})
        | ({"streams": f"{streams:.0f}"} if isinstance(streams, float) else {})
        | ({"arguments": load} if (load := _network_load(test, end)) else {}),
    )
    values: list[Value] = []
    for name, total in end.items():
        # `sum` alone is of UDP: where the two sides are there, it is a mean of them.
        if name.startswith("sum_") or (name == "sum" and "sum_received" not in end):
            values += _iperf_values(name.removeprefix("sum_"), total)
    for side in ("host", "remote"):
        use = object_of(end.get("cpu_utilization_percent")).get(f"{side}_total")
        if isinstance(use, float):
            values.append(Value(f"cpu {side}", use, "%", "lower"))
    if not values:
        raise InputError("there is no total", where="end", expected="sum_sent and sum_received")
    yield rows(values)
    yield LeftOut(len(document.get("intervals") or ()), "interval", "totals land")


def _network_load(test: Mapping[str, Any], end: Mapping[str, Any]) -> str:
    """Return the protocol, streams, rate and direction of a test of a network.

    Before 3.13 only the totals show that both ways were measured at once.
    """
    streams, rate = test.get("num_streams"), test.get("target_bitrate")
    parts = [
        text_of(test.get("protocol")),
        f"{streams:.0f} stream{'s' if streams > 1 else ''}" if isinstance(streams, float) else None,
        f"at most {rate:.0f} bit/s" if isinstance(rate, float) and rate else None,
        "reverse" if test.get("reverse") else None,
        "both ways" if test.get("bidir") or "sum_sent_bidir_reverse" in end else None,
    ]
    return ", ".join(part for part in parts if part)


def _iperf_values(of: str, total: Mapping[str, Any]) -> Iterator[Value]:
    yield Value(of, field(total, "bits_per_second", float, of), "bit/s", "higher")
    if isinstance(total.get("retransmits"), float):
        yield Value(f"{of} retransmits", total["retransmits"], None, "lower")
    if not of.startswith("sent") and isinstance(total.get("jitter_ms"), float):
        yield Value(f"{of} jitter", total["jitter_ms"] * 1e-3, "s", "lower")
        yield Value(f"{of} lost", field(total, "lost_percent", float, of), "%", "lower")
