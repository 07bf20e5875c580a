"""Threads: whether they diverge or wait for each other, their control flow and similarity."""

from __future__ import annotations

import streamlit as st

from apps.pages.base import View
from apps.pages.text import plain
from apps.queries.threads import thread_picture
from apps.reports import threads as reports
from apps.reports.pictures import graph_dot, grey_png, largest_blocks
from apps.reports.thread_imbalance import imbalance_sentences
from warehouse.errors import UsageError

_METRICS = ("euclidean", "manhattan")
_VECTORS = ("visits", "barriers")
_MOST_EXECUTED = 12
_TABLE_HEIGHT = 240
_LISTS = {
    "groups": "Groups of similar threads",
    "warps": "Warps that lose most to divergence",
    "phases": "Phases over time",
}


def page(view: View) -> None:
    """Show the verdict on a run's launches, and control flow and similarity of one of them."""
    runs = view.ask("threads/runs")["run_id"].to_list()
    run = view.select("Run", runs, key="run")
    if run is None:
        view.empty(
            "No run has traces of basic blocks yet. They come from GPGPU-Sim, NVBit, exp-bbv "
            "(SimPoint) or callgrind.",
            "valgrind --tool=exp-bbv ./program\npwh ingest bb.out.* --app program",
        )
        return
    _imbalance(view, run)
    verdicts = view.ask("threads/verdicts", run_id=run, launch=None)
    if verdicts.is_empty():
        return
    known = view.ask("threads/launches", run_id=run)["launch"].to_list()
    chosen = view.select("Launch", [str(launch) for launch in known], key="launch", every="All")
    launch = None if chosen is None else int(chosen)
    metric = view.select("Distance", _METRICS, key="metric") or _METRICS[0]
    rows = [row for row in verdicts.to_dicts() if launch is None or row["launch"] == launch]
    several = launch is None and len(rows) > 1
    over_all = view.ask("threads/kernels", run_id=run)
    program = reports.program_sentences(over_all.to_dicts()[0]) if several else []
    kinds = [
        line for group in reports.similar_launches(rows) for line in reports.launch_sentences(group)
    ]
    view.verdicts([*program, *kinds])
    if not rows:
        st.caption("The launch has no visits of basic blocks.")
        return
    if several and len(over_all) > 2:
        st.subheader("Kernels, over all their launches", anchor=False)
        view.table(over_all[1:])
    if launch is None:
        st.subheader("Launches", anchor=False)
        view.table(verdicts)
    drawn = max(rows, key=lambda row: row["visits"] or 0)["launch"]
    left, right = st.columns([3, 2])
    with left:
        _flow(view, run, drawn)
    with right:
        _similarity(view, run, drawn, metric)
    _groups(view, run, launch)
    _compared(view, run, runs)


def _imbalance(view: View, run: str) -> None:
    """Show how unevenly the threads of CPU processes share their work, if they are known."""
    processes = view.ask("threads/imbalance", run_id=run).to_dicts()
    if not processes:
        return
    functions = view.ask("threads/functions", run_id=run)
    view.verdicts(imbalance_sentences(processes, functions.to_dicts()))
    st.subheader("What each thread spent", anchor=False)
    view.table(view.ask("threads/work", run_id=run), height=_TABLE_HEIGHT)
    if not functions.is_empty():
        st.subheader("Functions by the excess of the busiest thread", anchor=False)
        view.table(functions, height=_TABLE_HEIGHT)


def _flow(view: View, run: str, launch: int) -> None:
    blocks = view.ask("threads/graph_blocks", run_id=run, launch=launch)
    edges = view.ask("threads/graph_edges", run_id=run, launch=launch).to_dicts()
    if not edges:
        st.subheader(f"Basic blocks of launch {launch}", anchor=False)
        view.table(blocks.head(_MOST_EXECUTED))
        st.caption(
            f"The trace has no edges, so no control flow can be drawn. Of {len(blocks)} blocks "
            "those that execute most come first."
        )
        return
    st.subheader(f"Control flow of launch {launch}", anchor=False)
    known = blocks.to_dicts()
    shown = largest_blocks(known)
    view.behind(f"{run}, launch {launch}", "threads/graph_edges")
    st.graphviz_chart(graph_dot(f"{run}, launch {launch}", shown, edges))
    text = "The more colour, the more instructions a block executed; edges show their probability."
    if len(shown) < len(known):
        text += f" {len(shown)} of {len(known)} blocks are drawn, those that execute most."
    st.caption(text)


def _similarity(view: View, run: str, launch: int, metric: str) -> None:
    st.subheader("Similarity of threads", anchor=False)
    blocks = view.ask("threads/blocks", run_id=run, launch=launch, metric=metric, block=None).head(
        100
    )
    known = {str(block): block for block in blocks["block"]}
    block = next(iter(known.values()), None)
    if len(known) > 1:
        title = "Thread block, the most fluctuating first"
        block = known[view.select(title, list(known), key="block", inline=True) or ""]
    vectors = view.select("Vectors of", _VECTORS, key="vectors", inline=True) or _VECTORS[0]
    try:
        rows = view.value(thread_picture, run, launch, block, metric, vectors)
    except UsageError as error:
        st.caption(plain(str(error)))
        return
    if not rows:
        st.caption(f"There are no threads whose {vectors} to compare.")
        return
    if not any(any(pixels) for _, pixels in rows):
        st.caption(f"All {len(rows)} threads have the same vector: there is no picture to draw.")
        return
    st.image(grey_png([pixels for _, pixels in rows]), width="stretch")
    st.caption(
        f"{len(rows)} threads by {len(rows)}: black is equal, white the largest distance "
        f"({metric} distance of their vectors of {vectors})."
    )


def _groups(view: View, run: str, launch: int | None) -> None:
    params = {"run_id": run, "launch": launch}
    for name, title in _LISTS.items():
        if not view.count(f"threads/{name}", params):
            continue
        st.subheader(title, anchor=False)
        view.paged(f"threads/{name}", params, key=name)


def _compared(view: View, run: str, runs: list[str]) -> None:
    """Show what another program does beside that of a run."""
    others = [other for other in runs if other != run]
    if not others:
        return
    st.subheader("Beside another program", anchor=False)
    other = view.select("Other run", others, key="other", every="None", inline=True)
    if other is None:
        return
    rows = view.ask("threads/comparison", runs=[run, other])
    programs = {row["run_id"]: row for row in rows.to_dicts() if row["scope"] == "program"}
    if len(programs) == 2:
        view.verdicts(reports.compared_sentences(programs[run], programs[other]))
    view.table(rows)
