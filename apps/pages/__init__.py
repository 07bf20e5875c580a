"""The pages of the app, and the module of each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A page: its title, its icon (a Material symbol), its place in URLs and its module.

    The module has a function `page(view)` and is imported when the page is first opened. A page
    without an icon is reached by links, and is not in the menu.
    """

    title: str
    icon: str | None
    path: str
    module: str


PAGES: tuple[Entry, ...] = (
    Entry("Inbox", "inbox", "inbox", "apps.pages.inbox"),
    Entry("Overview", "home", "overview", "apps.pages.overview"),
    Entry("Runs", "list_alt", "runs", "apps.pages.runs"),
    Entry("Run", None, "run", "apps.pages.run"),
    Entry("Compare", "compare_arrows", "compare", "apps.pages.comparison"),
    Entry("Profile", "local_fire_department", "profile", "apps.pages.profile"),
    Entry("Trends", "trending_up", "trends", "apps.pages.trend"),
    Entry("Bottlenecks", "speed", "bottlenecks", "apps.pages.bottlenecks"),
    Entry("Scaling", "stacked_line_chart", "scaling", "apps.pages.scaling"),
    Entry("Idle time", "hourglass_empty", "idle", "apps.pages.idle"),
    Entry("Threads", "account_tree", "threads", "apps.pages.threads"),
    Entry("Throughput", "memory", "throughput", "apps.pages.throughput"),
    Entry("Boards", "dashboard", "boards", "apps.pages.boards"),
    Entry("SQL", "terminal", "sql", "apps.pages.sql"),
    Entry("Ingest", "move_to_inbox", "ingest", "apps.pages.ingest"),
)
