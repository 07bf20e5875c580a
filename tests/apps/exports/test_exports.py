"""What leaves the warehouse comes back with equal totals, and is what other tools read."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

import warehouse as pwh
from apps.exports import Target, export_run, export_tables
from apps.output.numbers import counted
from apps.queries.runs import resolve_run, row_counts
from apps.queries.schema import schema_objects
from ingest.parsed import Options
from ingest.parsing.carried_tables import written
from ingest.parsing.protobuf import decoded, messages
from tests.helpers import trace_processor
from tests.helpers.notation import schedule
from tests.helpers.schedules import land_schedules, random_schedule
from tests.helpers.support import given, land, land_together, rows
from tests.sql.test_idle_truths import TRUTHS
from udfs import UDFS
from warehouse.errors import InputError, NothingToAnalyse, UsageError
from warehouse.modules import calling_functions

TASKS, STENCIL, SERIES = "heat_tasks", "stencil-1.23", "heat_scaling"
KINETO = Path(__file__).parents[2] / "samples/kineto/rank0.pt.trace.json"
TOTALS = {
    "tasks": "count(*), sum(t_end - t_start), min(t_start), max(t_end) - min(t_start)",
    "fn_timings": "count(*), round(sum(seconds), 9), sum(calls)",
    "pmu_samples": "count(*), sum(value)",
}


@pytest.fixture(scope="module")
def demo(demo_warehouse):
    """Return the demo's warehouse, opened read-only."""
    with pwh.connect(demo_warehouse, read_only=True) as con:
        yield con


def total(con, table, run_id):
    (found,) = rows(con, f"SELECT {TOTALS[table]} FROM {table} WHERE run_id = ?", run_id)
    return found


def exported(con, name, target, path, event=None):
    """Export a run by the beginning of its name; return its id and the notes."""
    run_id = resolve_run(con, name)
    return run_id, export_run(con, run_id, target, path, event)


@pytest.mark.parametrize("name", [TASKS, STENCIL])
def test_a_chrome_trace_comes_back_with_its_tasks_and_dependences(name, demo, warehouse, tmp_path):
    run_id, notes = exported(demo, name, Target.chrome, tmp_path / "t.json.gz")
    assert "--to perfetto has them" in notes[0]
    comes_back(demo, run_id, warehouse, tmp_path / "t.json.gz")


def test_a_chrome_trace_of_which_slices_were_cut_is_read_as_it_is_shown(demo, warehouse, tmp_path):
    run_id, _ = exported(demo, STENCIL, Target.chrome, tmp_path / "t.json")
    document = json.loads((tmp_path / "t.json").read_text())
    slices = [e for e in document["traceEvents"] if e["ph"] == "X"]
    document["traceEvents"].remove(slices[0])
    (tmp_path / "t.json").write_text(json.dumps(document))
    (landed,) = land(warehouse, tmp_path / "t.json")
    count, *_ = total(demo, "tasks", run_id)
    found, _, first, _ = total(warehouse, "tasks", landed.runs[0])
    assert (found, first) == (count - 1, 0)


def test_a_perfetto_trace_comes_back_with_its_tasks_and_dependences(demo, warehouse, tmp_path):
    run_id, _ = exported(demo, STENCIL, Target.perfetto, tmp_path / "t.pftrace")
    comes_back(demo, run_id, warehouse, tmp_path / "t.pftrace")


def test_the_trace_processor_reads_a_perfetto_trace(demo, warehouse, tmp_path, monkeypatch):
    trace_processor.install(tmp_path, monkeypatch)
    run_id, _ = exported(demo, STENCIL, Target.perfetto, tmp_path / "t.pftrace")
    monkeypatch.setattr("ingest.readers.tasks.perfetto.reader._is_own", lambda beginning: False)
    comes_back(demo, run_id, warehouse, tmp_path / "t.pftrace", as_shown=True)


def comes_back(demo, run_id, warehouse, path, *, as_shown=False):
    (landed,) = land(warehouse, path)
    (back,) = landed.runs
    count, busy, first, span = total(demo, "tasks", run_id)
    assert total(warehouse, "tasks", back) == (count, busy, 0 if as_shown else first, span)
    dependences = (
        "SELECT count(DISTINCT (d.producer, i.task)) FROM task_inputs AS i JOIN task_data AS d "
        "USING (run_id, data) WHERE run_id = ? AND d.producer <> i.task"
    )
    assert rows(warehouse, dependences, back) == rows(demo, dependences, run_id)
    if not as_shown:
        facts = "SELECT app, version, machine, started_at, wall_seconds, tags FROM runs "
        facts += "WHERE run_id = ?"
        assert rows(warehouse, facts, back) == rows(demo, facts, run_id)


SCHEDULES = {run: schedule(text) for run, (text, *_) in TRUTHS.items()} | {
    f"random {seed}": random_schedule(seed) for seed in range(12)
}


@pytest.mark.parametrize("name", ["t.json", "t.pftrace"])
def test_a_trace_that_is_read_back_gets_the_same_verdict(name, warehouse, another, tmp_path):
    """All that is known of a schedule: in every reading, interval by interval."""
    land_schedules(warehouse, SCHEDULES)
    back = another()
    target = Target.chrome if name == "t.json" else Target.perfetto
    files = {}
    for number, run in enumerate(SCHEDULES):
        path = tmp_path / f"{number}{name}"
        with suppress(NothingToAnalyse):
            export_run(warehouse, run, target, path, None)
            files[path] = Options(run_id=run, lenient=True)
    land_together(back, files)
    landed = {run for (run,) in rows(back, "SELECT run_id FROM runs")}
    assert len(landed) > 40
    for view in ("idle_attribution", "slo_by_run"):
        query = f"FROM {view} ORDER BY ALL"
        assert rows(back, query) == [row for row in rows(warehouse, query) if row[0] in landed]


@pytest.mark.parametrize("name", ["t.json", "t.pftrace"])
def test_a_trace_of_a_device_that_is_read_back_gets_the_same_verdict(
    name, warehouse, another, tmp_path
):
    land(warehouse, KINETO, run_id="r1")
    target = Target.chrome if name == "t.json" else Target.perfetto
    export_run(warehouse, "r1", target, tmp_path / name, None)
    back = another()
    land(back, tmp_path / name, run_id="r1")
    for view in ("gpu_verdicts", "gpu_activity", "gpu_activity_by", "gpu_kernels", "gpu_gains"):
        found = rows(warehouse, f"FROM {view} ORDER BY ALL")
        assert found and rows(back, f"FROM {view} ORDER BY ALL") == found


@pytest.mark.parametrize("name", ["t.json", "t.pftrace"])
def test_tables_that_a_trace_carries_are_checked(name, demo, warehouse, tmp_path, monkeypatch):
    def of_another_version(table, rows, run):
        return written(table, rows.rename_columns(["new", *rows.column_names[1:]]), run)

    monkeypatch.setattr("apps.exports.timeline.written", of_another_version)
    target = Target.chrome if name == "t.json" else Target.perfetto
    exported(demo, TASKS, target, tmp_path / name)
    with pytest.raises(InputError, match="not as pwh writes them.* with new"):
        land(warehouse, tmp_path / name)
    if target is Target.perfetto:
        data = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(data[:2000])
        with pytest.raises(InputError, match="no whole Trace"):
            land(warehouse, tmp_path / name)


@pytest.mark.parametrize("target", [Target.speedscope, Target.pprof])
def test_a_profile_comes_back_with_its_times(target, demo, warehouse, tmp_path):
    run_id, _ = exported(demo, "heat-1.3", target, tmp_path / "profile")
    land(warehouse, tmp_path / "profile", run_id="back")
    functions = (
        "SELECT function, round(seconds, 9) FROM function_shares WHERE run_id = ? ORDER BY 1"
    )
    assert rows(warehouse, functions, "back") == rows(demo, functions, run_id)


def test_folded_stacks_come_back_in_ns_under_the_program(demo, warehouse, tmp_path):
    run_id, notes = exported(demo, "heat-1.3", Target.folded, tmp_path / "t.folded")
    assert notes == ["the weights are in ns"]
    land(warehouse, tmp_path / "t.folded", run_id="back")
    ((seconds,),) = rows(demo, "SELECT sum(seconds) FROM fn_timings WHERE run_id = ?", run_id)
    ((weight,),) = rows(warehouse, "SELECT sum(value) FROM pmu_samples WHERE run_id = 'back'")
    assert weight == pytest.approx(seconds * 1e9, abs=10)
    assert rows(warehouse, "SELECT inclusive FROM pmu_samples WHERE region = 'heat'") == [(weight,)]


def test_another_event_of_a_profile_is_chosen_by_name(demo, tmp_path):
    run_id, notes = exported(demo, STENCIL, Target.folded, tmp_path / "t")
    assert notes[0] == "only time is written; --event takes another: cycles"
    exported(demo, STENCIL, Target.folded, tmp_path / "t", "cycles")
    cycles = sum(int(line.rpartition(" ")[2]) for line in (tmp_path / "t").read_text().splitlines())
    assert rows(
        demo,
        "SELECT sum(own) FROM profile_stacks WHERE run_id = ? AND event = 'cycles'",
        run_id,
    ) == [(cycles,)]
    with pytest.raises(UsageError, match="no event 'nope'") as error:
        export_run(demo, run_id, Target.pprof, tmp_path / "t", "nope")
    assert error.value.hint == "It has: time, cycles."


def test_a_series_comes_back_point_by_point(demo, warehouse, tmp_path):
    _, notes = exported(demo, f"{SERIES}-0f4a5ae9.p4.r4", Target.extrap, tmp_path / "t.jsonl")
    assert notes == ["Extra-P warns of models from fewer than 5 counts, and these are 3"]
    land(warehouse, tmp_path / "t.jsonl")
    points = (
        "SELECT function, parallelism, repetitions, round(seconds, 12) FROM scaling_points "
        "WHERE starts_with(coalesce(app, $app), $app) ORDER BY ALL"
    )
    assert (
        warehouse.execute(points, {"app": ""}).fetchall()
        == demo.execute(points, {"app": "heat-processes"}).fetchall()
    )


@pytest.mark.parametrize("style", ["csv", "parquet"])
def test_tables_come_back_whole(style, demo, warehouse, tmp_path):
    run_id = resolve_run(demo, STENCIL)
    notes = export_tables(demo, run_id, style, tmp_path / "all", None)
    counts = row_counts(demo, run_id)
    assert notes[:-1] == [
        f"{name}.{style}: {counted(count, 'row')}" for name, count in counts.items()
    ]
    assert notes[-1] == (
        "wall_seconds and tags are in no table; state them again at pwh ingest: "
        "--wall-seconds and --tag"
    )
    land_together(warehouse, {tmp_path / "all": Options()})
    assert row_counts(warehouse, run_id) == counts
    assert all(total(warehouse, t, run_id) == total(demo, t, run_id) for t in TOTALS)
    facts = (
        "SELECT app, version, machine, started_at, ranks, problem_size FROM runs WHERE run_id = ?"
    )
    assert rows(warehouse, facts, run_id) == rows(demo, facts, run_id)


def test_a_perfetto_trace_has_tasks_idle_time_and_arrows_on_tracks(demo, tmp_path):
    run_id, notes = exported(demo, TASKS, Target.perfetto, tmp_path / "t.pftrace")
    assert notes == []
    data = (tmp_path / "t.pftrace").read_bytes()
    names, tracks, opened, arrows = {}, {}, {}, Counter()
    busy = Counter()
    for packet in decoded(messages("perfetto").Trace, data).packet:
        names |= {one.iid: one.name for one in packet.interned_data.event_names}
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            tracks[track.uuid] = track
            assert not track.HasField("parent_uuid") or track.parent_uuid in tracks
        if packet.HasField("track_event"):
            event, time = packet.track_event, packet.timestamp
            arrows.update([*event.flow_ids, *event.terminating_flow_ids])
            if event.type == 1:
                assert event.track_uuid in tracks and event.track_uuid not in opened
                opened[event.track_uuid] = time, *event.category_iids
            else:
                began, category = opened.pop(event.track_uuid)
                busy[category] += time - began
    assert not opened
    of_tasks, *_ = busy.values()
    assert of_tasks == total(demo, "tasks", run_id)[1]
    ((idle,),) = rows(
        demo, "SELECT sum(t_end - t_start) FROM idle_intervals WHERE run_id = ?", run_id
    )
    assert idle in busy.values()
    assert len(arrows) == 140 and set(arrows.values()) == {2}
    assert "after last task" in names.values() and "starvation" in names.values()


def test_tasks_at_once_on_a_worker_have_lanes(warehouse, tmp_path):
    given(warehouse, "runs", "run_id\nr1")
    given(
        warehouse,
        "tasks",
        """
        task  worker  name  t_start  t_end
        a     w       f     100      400
        b     w       g     200      300
        c     w       f     300      500
        d     w       g     500      500
        """,
    )
    export_run(warehouse, "r1", Target.chrome, tmp_path / "t.json", None)
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    threads = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
    assert threads == ["w", "w (2)"]
    slices = [(e["tid"], e["name"], e["ts"], e["dur"]) for e in events if e["ph"] == "X"]
    assert slices == [
        *((1, "f", 0, 0.3), (1, "g", 0.4, 0)),
        *((2, "g", 0.1, 0.1), (2, "f", 0.2, 0.2)),
    ]


def test_counters_over_time_are_counter_tracks(warehouse, tmp_path):
    given(warehouse, "runs", "run_id\nr1")
    given(
        warehouse,
        "pmu_samples",
        """
        cpu  event   value  t_start  t_end  sample
        0    cycles  5      1000     2000   0
        1    cycles  6      1000     2000   0
        0    cycles  7      2000     3000   1
        """,
    )
    export_run(warehouse, "r1", Target.chrome, tmp_path / "t.json", None)
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    points = [(e["name"], e["ts"], e["args"]) for e in events]
    assert points == [
        ("cycles", 0, {"value": 11}),
        ("cycles", 1, {"value": 7}),
        ("cycles", 2, {"value": 0}),
    ]


HOSTILE = ("a;b", "#c", "-", "x\n\x1b[31m", '"</script>', "operator->", "")


@pytest.mark.parametrize("target", [Target.speedscope, Target.pprof, Target.folded])
def test_no_name_breaks_a_profile(target, warehouse, another, tmp_path):
    given(warehouse, "runs", "run_id\nr1")
    warehouse.executemany(
        "INSERT INTO fn_timings (run_id, source_id, function, callpath, thread, seconds) "
        "VALUES ('r1', 1, ?, ?, ?, 1)",
        [(name, f"{name or 'x'}->{name or 'x'}", thread) for name in HOSTILE for thread in (1, 2)],
    )
    warehouse.execute("UPDATE fn_timings SET seconds = -1 WHERE function = ''")
    notes = export_run(warehouse, "r1", target, tmp_path / "t.folded", None)
    assert notes[0] == "2 costs below 0 or without a finite value left out"
    back = another()
    land(back, tmp_path / "t.folded")
    source = "pmu_samples" if target is Target.folded else "fn_timings WHERE seconds > 0"
    value = "value / 1e9" if target is Target.folded else "seconds"
    found = rows(back, f"SELECT thread, sum({value}) FROM {source} GROUP BY thread ORDER BY 1")
    assert found == [(1, 6.0), (2, 6.0)]


def test_the_same_run_is_the_same_file(demo, tmp_path):
    written = []
    for path in (tmp_path / "1.pb.gz", tmp_path / "2.pb.gz"):
        exported(demo, STENCIL, Target.pprof, path)
        written.append(path.read_bytes())
    assert written[0] == written[1]
    profile = decoded(messages("pprof").Profile, gzip.decompress(written[0]))
    assert len(profile.sample_type) == 2 and profile.time_nanos > 0


@pytest.mark.parametrize(
    ("name", "target", "problem", "hint"),
    [
        ("heat-1.3", Target.perfetto, "no timeline", "--to speedscope"),
        (TASKS, Target.folded, "no profile", "--to perfetto"),
        ("heat-1.3", Target.extrap, "at no known count", "--ranks or --threads"),
    ],
)
def test_what_a_run_lacks_is_stated_in_words(name, target, problem, hint, demo, tmp_path):
    with pytest.raises(NothingToAnalyse, match=problem) as error:
        exported(demo, name, target, tmp_path / "t")
    assert hint in error.value.hint
    assert not (tmp_path / "t").exists()


def test_files_that_cannot_be_written_and_options_that_do_not_fit(demo, tmp_path):
    with pytest.raises(UsageError, match="cannot write"):
        exported(demo, "heat-1.3", Target.folded, tmp_path / "no" / "t")
    with pytest.raises(UsageError, match="no single event"):
        exported(demo, TASKS, Target.chrome, tmp_path / "t", "cycles")
    with pytest.raises(UsageError, match="a file each"):
        export_tables(demo, "heat-1.3", "csv", tmp_path / "t.csv", None)
    with pytest.raises(NothingToAnalyse, match="no rows in 'tasks'"):
        export_tables(demo, "heat-1.3", "csv", tmp_path / "t.csv", "tasks")


def answers(con, sql):
    """Return whether all that a statement names is there."""
    try:
        con.sql(sql)
    except (duckdb.CatalogException, duckdb.BinderException):
        return False
    return True


def test_what_a_plain_client_cannot_read_is_listed(in_memory):
    con = in_memory()
    macros = calling_functions(con)
    listed = schema_objects(con).fetchall()
    for udf in UDFS:
        con.remove_function(udf.name)
    failing = {"view": [], "macro": []}
    for kind, name, parameters, _ in listed:
        if kind in failing:
            nulls = ", ".join(["NULL"] * ((parameters or "").count(",") + 1))
            call = f"{name}({nulls})" if kind == "macro" else name
            if not any(answers(con, f"{verb} {call}") for verb in ("FROM", "SELECT")):
                failing[kind].append(name)
    con.close()
    assert failing == {"view": [], "macro": macros}
