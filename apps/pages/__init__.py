"""The pages of the app, and the module of each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A page: its title, its icon (a Material symbol), its place in URLs and its module.

    The module has a function `page(view)` and is imported when the page is first opened.
    """

    title: str
    icon: str
    path: str
    module: str


PAGES: tuple[Entry, ...] = (
    Entry("Overview", "home", "overview", "apps.pages.overview"),
    Entry("Runs", "list_alt", "runs", "apps.pages.runs"),
    Entry("Trends", "trending_up", "trends", "apps.pages.trend"),
    Entry("Bottlenecks", "speed", "bottlenecks", "apps.pages.bottlenecks"),
    Entry("Scaling", "stacked_line_chart", "scaling", "apps.pages.scaling"),
    Entry("Idle time", "hourglass_empty", "idle", "apps.pages.idle"),
    Entry("Threads", "account_tree", "threads", "apps.pages.threads"),
    Entry("Throughput", "memory", "throughput", "apps.pages.throughput"),
    Entry("SQL", "terminal", "sql", "apps.pages.sql"),
    Entry("Ingest", "move_to_inbox", "ingest", "apps.pages.ingest"),
)
