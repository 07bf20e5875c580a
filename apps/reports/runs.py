"""The report of a run: the verdicts first, then the figures behind them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from apps.output.numbers import amount, counted, percent
from apps.output.tables import Row, dicts, table_of
from apps.output.text import cell, rows_command, version_text
from apps.queries.base import ask, ask_dicts, ask_value
from apps.queries.runs import row_counts, run_facts
from apps.reports.bottlenecks import bottleneck_sentences, contradiction_sentences
from apps.reports.explanations import change_headline
from apps.reports.failures import failure_text
from apps.reports.gpu import gpu_sentences
from apps.reports.idle import MOST_AT_ONCE, idle_sentences
from apps.reports.imbalance import run_imbalance_sentences
from apps.reports.scaling import run_scaling_sentences
from apps.reports.threads import launch_summary, program_sentences, similar_launches
from apps.reports.throughput import throughput_sentences
from warehouse.errors import NothingToAnalyse
from warehouse.session import Connection, Relation

LINES = 10
_FIRST = 2
_FACTS = {"started_at": "started", "problem_size": "problem size", "wall_seconds": "wall time"}


@dataclass(frozen=True, slots=True)
class Section:
    """One kind of trace: its verdict in sentences, its rows, and the view that has all of them."""

    title: str
    sentences: list[str]
    relation: Relation
    view: str

    @property
    def first(self) -> list[str]:
        """The sentences that are read before all sections."""
        return self.sentences[:_FIRST]

    @property
    def others(self) -> list[str]:
        """The sentences that stand with the rows."""
        return self.sentences[_FIRST:]


@dataclass(frozen=True, slots=True)
class Report:
    """Report on a run: facts and rows in a line each, and kinds of trace.

    `leading` is whether it failed, and what changed with it. `lacking` is what its files contain
    besides or twice, a line for each file.
    """

    run_id: str
    facts: str
    leading: list[str]
    sections: list[Section]
    landed: str
    lacking: list[str]

    @property
    def sentences(self) -> list[str]:
        """The beginning of the report: what leads, and of each section the first sentences."""
        return [*self.leading, *(one for section in self.sections for one in section.first)]


def report_of(con: Connection, run_id: str) -> Report:
    """Return what is known of a run; of one without traces these are its facts."""
    counts = row_counts(con, run_id)
    made = (make(con, run_id) for table, make in _SECTIONS if table in counts)
    sections = [section for section in made if section is not None]
    facts = run_facts(con, run_id)
    landed = ", ".join(f"{table} {count}" for table, count in counts.items()) or "none"
    return Report(
        run_id,
        facts_line(facts),
        [*_failure(facts), *change_headline(con, run_id)],
        sections,
        landed,
        _lacking(con, run_id),
    )


def run_report(con: Connection, run_id: str) -> str:
    """Return the report of a run as text."""
    report = report_of(con, run_id)
    lines = [f"Run {run_id}", *([f"  {report.facts}"] if report.facts else [])]
    if report.sentences:
        lines += ["", *(f"* {sentence}" for sentence in report.sentences)]
    for section in report.sections:
        lines += ["", section.title, *(f"* {one}" for one in section.others)]
        lines.append(_rows(section, run_id))
    return "\n".join([*lines, "", f"Rows: {report.landed}", *report.lacking])


def _lacking(con: Connection, run_id: str) -> list[str]:
    lines = [
        f"{what} {cell(PurePath(row['path']).name)}: {cell(row[column], None)}"
        for row in ask_dicts(con, "runs/sources", run_id=run_id)
        for column, what in (("left_out", "Left out of"), ("repeats", "Duplicates in"))
        if row[column] is not None
    ]
    lines += [
        f"Deleted by pwh maintain: {counted(row['rows'], 'row')} of {row['table']} "
        f"({row['forgotten_at']:%Y-%m-%d}); what was computed of them is kept"
        for row in ask_dicts(con, "runs/gone", run_id=run_id)
    ]
    more = len(lines) - LINES
    if more > 0:
        lines[LINES:] = [f"and {counted(more, 'line')} more: pwh sources {cell(run_id)}"]
    return lines


def trace_sentences(con: Connection, run_id: str, table: str) -> list[str]:
    """Return the verdict of one kind of trace on a run; `table` is its landing table."""
    sections = [make(con, run_id) for of, make in _SECTIONS if of == table]
    return [one for section in sections if section is not None for one in section.sentences]


def facts_line(facts: Mapping[str, Any]) -> str:
    """Return what is known of a run (`run_facts`) in a line, with units, tags last."""
    named = {name: value for name, value in facts.items() if name != "tags"}
    shown = [_fact(name, value) for name, value in named.items()]
    shown += [
        f"{name}={cell(value)}"
        for name, value in facts.get("tags", {}).items()
        if facts.get(name) != value
    ]
    return ", ".join(shown)


def _fact(name: str, value: Any) -> str:
    if name in ("nodes", "ranks", "threads"):
        return counted(value, name.removesuffix("s"))
    if name == "version":
        return f"version {version_text(value)}"
    unit = "s" if name == "wall_seconds" else None
    text = amount(value, unit) if isinstance(value, float) else cell(value)
    return f"{_FACTS.get(name, name)} {text}"


def _failure(facts: Mapping[str, Any]) -> list[str]:
    """Return that the program of a run failed, where it did."""
    tags = facts.get("tags", {})
    code, interrupted = tags.get("exit_code", "0"), tags.get("interrupted") == "true"
    if code == "0" and not interrupted:
        return []
    return [f"The program failed: {failure_text(code, interrupted=interrupted)}."]


def _rows(section: Section, run_id: str) -> str:
    rows, every = section.relation, rows_command(section.view, run_id)
    return table_of(rows).text(dicts(rows.limit(LINES)), total=len(rows), every=every)


def _counters(con: Connection, run_id: str) -> Section:
    found = ask(con, "runs/counters", run_id=run_id)
    events = dicts(found)
    relation = found.project("* EXCLUDE (is_instructions, is_possible, is_contradicted, kind)")
    instructions = [event for event in events if event["is_instructions"]]
    known = [e for e in instructions if e["per_cycle"] is not None]
    sentences = _per_cycle([e for e in known if e["is_possible"] and not e["is_contradicted"]])
    if known and not sentences:
        sentences = [_implausible(known[0])]
    if ask_value(con, "runs/is_profile", run_id=run_id):
        # What functions cost was not counted to find out what the cores wait for.
        return Section("Counters", sentences, relation, "counter_summary")
    has_cycles = any(e["per_cycle"] is not None for e in events)
    is_counted = any(e["value"] is not None for e in instructions)
    if not known and (is_counted or has_cycles):
        why = "the two were not counted together" if has_cycles else "no cycles were counted"
        why = why if is_counted else "instructions were not counted"
        sentences.append(f"Instructions per cycle are unknown: {why}.")
    missing = [event["event"] for event in events if event["value"] is None]
    sentences += _not_counted(events, missing)
    # Counts of system calls, processes or requests say nothing of what the cores wait for.
    if missing or ask_value(con, "bottlenecks/known_events", run_id=run_id):
        sentences += bottleneck_sentences(con, [run_id])
    else:
        sentences += contradiction_sentences(con, [run_id])
    return Section("Counters", sentences, relation, "counter_summary")


def _implausible(instructions: Row) -> str:
    """Return why a count of instructions tells nothing of the cores."""
    problem = f"{instructions['per_cycle']:,.2f} instructions per cycle are"
    if instructions["is_possible"]:
        return f"{problem} in doubt: another count contradicts that of the instructions."
    if instructions["per_cycle"] > 0:
        return f"{problem} more than any core issues."
    return f"{problem} implausible: the counter did not count."


def _not_counted(events: Sequence[Row], missing: Sequence[str]) -> Iterator[str]:
    """Yield which events were not counted, or for little of the time."""
    if missing:
        names = ", ".join(missing[:4]) + (" ..." if len(missing) > 4 else "")
        total = counted(len(events), "event")
        were = "was" if len(missing) == 1 else "were"
        yield f"{len(missing)} of {total} {were} not counted ({names})."
    shared = [e for e in events if e["running"] is not None and e["running"] < 0.5]
    if shared:
        rarest = min(shared, key=lambda event: event["running"])
        name, share = rarest["event"], percent(rarest["running"])
        if len(shared) == 1:
            yield f"{name} was on a counter for {share} of the time, so it is an estimate."
        else:
            yield (
                f"{len(shared)} events were on a counter for less than half of the time "
                f"({name} for {share}), so they are estimates."
            )


def _per_cycle(instructions: Sequence[dict[str, Any]]) -> list[str]:
    """Return the instructions per cycle, or those of each kind of cores, or each mode."""
    each: dict[str, str] = {}
    for event in instructions:
        each.setdefault(event["kind"] or "", f"{event['per_cycle']:.2f}")
    if not each:
        return []
    is_one = "" in each or each.keys() in ({"user"}, {"kernel"})
    values = (
        [each.get("") or next(iter(each.values()))]
        if is_one
        else [f"{each[kind]} ({kind})" for kind in sorted(each, reverse=True)]
    )
    return [f"The cores completed {' and '.join(values)} instructions per cycle."]


def _benchmarks(con: Connection, run_id: str) -> Section:
    relation = ask(con, "runs/benchmarks", run_id=run_id)
    rows = dicts(relation)
    sentences = []
    failed = sum(row["mean"] is None for row in rows)
    if failed:
        sentences.append(f"{failed} of {counted(len(rows), 'metric')} have no value.")
    return Section("Benchmarks", sentences, relation, "metrics")


def _functions(con: Connection, run_id: str) -> Section:
    relation = ask(con, "runs/functions", run_id=run_id)
    rows = dicts(relation.limit(LINES))
    sentences = []
    if rows and rows[0]["share"] is not None:
        top = rows[0]
        overlap = ask_value(con, "runs/overlaps", run_id=run_id)
        whole = "the calls' and the GPU's times, which overlap" if overlap else "the time"
        sentences.append(
            f"{cell(top['function'])} takes {percent(top['share'])} of {whole} "
            f"({amount(top['seconds'], 's')}){_first_together(rows)}."
        )
    sentences += run_imbalance_sentences(con, run_id)
    sentences += run_scaling_sentences(con, run_id)
    return Section("Functions by their own time", sentences, relation, "function_shares")


def _costs(con: Connection, run_id: str) -> Section | None:
    """Return the functions of a profile of events, None where there are none.

    What is no profile has regions: marked in the program, or sockets, threads and groups of these.
    """
    relation = ask(con, "runs/costs", run_id=run_id)
    rows = dicts(relation.limit(LINES))
    if not rows:
        return None
    top, sentences = rows[0], []
    parts = "functions" if ask_value(con, "runs/is_profile", run_id=run_id) else "regions"
    if top["share"] is not None:
        unit = "" if top["unit"] == top["event"] else f" ({amount(top['cost'], top['unit'])})"
        sentences.append(
            f"{cell(top['function'])} takes {percent(top['share'])} of all {top['event']}{unit}"
            f"{_first_together(rows, parts)}."
        )
    title = f"{parts.capitalize()} by their own cost ({top['event']})"
    return Section(title, sentences, relation, "function_totals")


def _first_together(rows: Sequence[Row], parts: str = "functions") -> str:
    """Return the share of the first functions or regions together, where there are several."""
    if len(rows) < 2:
        return ""
    share = sum(row["share"] or 0 for row in rows)
    return f"; the first {len(rows)} {parts} take {percent(share)}"


def _devices(con: Connection, run_id: str) -> Section | None:
    """Return what the devices of a run did, None where it has none."""
    sentences = gpu_sentences(con, run_id)
    if not sentences:
        return None
    relation = ask(con, "gpu/by", run_id=run_id, by="device")
    return Section("Devices", sentences, relation, "gpu_activity")


def _kernels(con: Connection, run_id: str) -> Section | None:
    relation = ask(con, "runs/kernels", run_id=run_id)
    if not len(relation):
        return None
    return Section("Work of devices", [], relation, "gpu_kernels")


def _workers(con: Connection, run_id: str) -> Section | None:
    """Return how the workers of a runtime of tasks idle, None where these are of a device."""
    if ask_value(con, "gpu/any", run_id=run_id):
        return None
    relation = ask(con, "runs/workers", run_id=run_id)
    rows = dicts(relation)
    number = sum(row["tasks"] for row in rows)
    try:
        sentences = idle_sentences(con, run_id, with_path=number <= MOST_AT_ONCE)
    except NothingToAnalyse as nothing:
        return Section("Workers", [nothing.problem.capitalize() + "."], relation, "worker_summary")
    sentences.append(f"{counted(number, 'task')} ran.")
    if number > MOST_AT_ONCE:
        command = f"pwh idle {shlex.quote(run_id)}"
        sentences.append(f"The critical path of so many, and what could be gained: {command}")
    longest = ask_dicts(con, "runs/idle", run_id=run_id)
    if longest:
        wait = longest[0]
        until = f"until {cell(wait['task'])} started" if wait["task"] else "to the end"
        sentences.append(
            f"The longest wait: {cell(wait['worker'])}, {amount(wait['seconds'], 's')} from "
            f"{amount(wait['begin_seconds'], 's')} on, {until}."
        )
    return Section("Workers", sentences, relation, "worker_summary")


def _launches(con: Connection, run_id: str) -> Section:
    relation = ask(con, "runs/launches", run_id=run_id)
    launches = ask_dicts(con, "threads/verdicts", run_id=run_id, launch=None)
    kinds = similar_launches(launches)
    sentences = [launch_summary(kind) for kind in kinds[:LINES]]
    if len(launches) > 1:
        sentences[:0] = program_sentences(
            dicts(ask(con, "threads/kernels", run_id=run_id).limit(1))[0]
        )[:2]
    if len(kinds) > LINES:
        sentences.append(f"{len(kinds) - LINES} more kinds of launches: see pwh threads.")
    return Section("Launches", sentences, relation, "launch_summary")


def _segments(con: Connection, run_id: str) -> Section:
    relation = ask(con, "runs/segments", run_id=run_id)
    rows = dicts(relation)
    total, measured = (sum(row[name] for row in rows) for name in ("segments", "measured"))
    sentences = [
        f"{counted(total, 'segment')} of instruction streams, {measured} with measured cycles."
    ]
    try:
        sentences += throughput_sentences(con, run_id)[:2]
    except NothingToAnalyse as nothing:
        sentences.append(f"{nothing.problem[0].upper()}{nothing.problem[1:]}.")
    return Section("Instruction streams", sentences, relation, "segment_summary")


_SECTIONS: tuple[tuple[str, Callable[[Connection, str], Section | None]], ...] = (
    ("tasks", _devices),
    ("tasks", _kernels),
    ("tasks", _workers),
    ("fn_timings", _functions),
    ("pmu_samples", _costs),
    ("pmu_samples", _counters),
    ("bb_launches", _launches),
    ("segments", _segments),
    ("metrics", _benchmarks),
)
