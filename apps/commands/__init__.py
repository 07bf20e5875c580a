"""The commands of pwh: one module a topic. They parse, ask and print."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """A command: its module here, its name, and its few words in `pwh --help`.

    The module has a function of that name (with _ for -), or a `typer.Typer` with commands of its
    own; it is imported when the command is typed.
    """

    module: str
    name: str
    summary: str


COMMANDS: tuple[Entry, ...] = (
    Entry("ingest", "ingest", "Ingest files, each whole or not at all."),
    Entry("record", "record", "Run a program, and land its times, counters and profile."),
    Entry("bisect", "bisect", "Find the commit that changed a metric."),
    Entry("runs", "runs", "List the runs, those that landed last first."),
    Entry("runs", "sources", "List the ingested files, the latest first."),
    Entry("runs", "report", "Report what is known about a run, the verdicts first."),
    Entry("schema", "readers", "List the formats that pwh reads."),
    Entry("schema", "schema", "List or describe tables, views, macros and functions."),
    Entry("schema", "sql", "Run a SQL query."),
    Entry("idle", "idle", "Explain why the workers of a task runtime idle."),
    Entry("bottlenecks", "diagnose", "Name the bottleneck that hardware counters show."),
    Entry("bottlenecks", "label", "Label the bottleneck of a run manually."),
    Entry("scaling", "scale", "Predict how a program scales, and what will limit it."),
    Entry("threads", "threads", "Show whether threads diverge or wait for each other."),
    Entry("throughput", "throughput", "Predict what the code could sustain on its core."),
    Entry("measure_blocks", "measure-blocks", "Measure blocks of machine code on this machine."),
    Entry("trend", "trend", "Show since when metrics are better or worse."),
    Entry("events", "events", "List changes, the open ones first, or triage one."),
    Entry("trend", "ack", "Acknowledge a change of a metric."),
    Entry("commits", "commits", "Read the commits of runs from a git repository."),
    Entry("comparison", "compare", "Show what got slower from A to B, beyond the noise."),
    Entry("gate", "gate", "Fail where a regression is certain, for CI."),
    Entry("notify", "notify", "Notify people of new changes, once each."),
    Entry("explanations", "explain", "Explain why a run is slower than those before."),
    Entry("export", "export", "Write a run for Perfetto, speedscope, Extra-P ..."),
    Entry("maintenance", "forget", "Delete a run or an ingested file."),
    Entry("maintenance", "migrate", "Update a warehouse to this version of pwh."),
    Entry("maintenance", "refresh", "Compute anew what is stored of runs."),
    Entry("maintenance", "retention", "Set what maintain deletes, by rules."),
    Entry("maintenance", "maintain", "Delete what rules say, and compact the warehouse."),
    Entry("maintenance", "doctor", "Check the installation and the warehouse."),
    Entry("completion", "completion", "Print a script that completes words in a shell."),
    Entry("demo", "demo", "Fill a warehouse with small traces, and query them."),
    Entry("ui", "ui", "Start the app in the browser."),
    Entry("serve", "serve", "Serve the warehouse to many clients at once."),
    Entry("mcp", "mcp", "Answer programs by the Model Context Protocol."),
    Entry("fit", "fit", "Train models on the warehouse's rows; choose one."),
)
