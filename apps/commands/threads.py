"""The command threads: verdicts on the threads of launches, groups, phases and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from apps.commands.options import FormatOption, OutputOption, RunArgument, reading, writable
from apps.output.formats import Format
from apps.output.streams import note
from apps.output.tables import Row, Table, dicts, table_text
from apps.output.text import rows_command, sql_command, sql_text
from apps.output.writing import emit
from apps.queries.base import ask, ask_column, ask_dicts
from apps.queries.runs import LATEST, resolve_run
from apps.queries.threads import thread_picture
from apps.reports import threads as reports
from apps.reports.flags import flag_text
from apps.reports.thread_imbalance import FUNCTIONS, thread_imbalance_sentences
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.session import Connection, Relation

# The distance of two basic-block vectors, and what a vector counts in each basic block.
Metric = Literal["euclidean", "manhattan"]
Vectors = Literal["visits", "barriers"]
_SENTENCES = 10
_LINES = 40
_FEW_LINES = 10
_EVERY = "--format csv gives all"


def threads(
    context: typer.Context,
    run: RunArgument = LATEST,
    other: Annotated[
        str | None,
        typer.Argument(
            help="Another run, to compare what the two programs do.",
            show_default=False,
        ),
    ] = None,
    launch: Annotated[int | None, typer.Option(min=0, help="Only this launch.")] = None,
    block: Annotated[
        int | None,
        typer.Option(min=0, help="Thread block of which to show figures and draw --matrix."),
    ] = None,
    metric: Annotated[
        Metric, typer.Option(help="Distance for --matrix and the figures of thread blocks.")
    ] = "euclidean",
    cfg: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", callback=writable, help="Draw the control flow: .dot, .svg or .png."
        ),
    ] = None,
    matrix: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=writable,
            help="Draw the distances of a thread block's threads: .png, black: 0.",
        ),
    ] = None,
    vectors: Annotated[
        Vectors,
        typer.Option(
            help="What --matrix compares: how often threads visited each basic block, or executed "
            "its barriers."
        ),
    ] = "visits",
    kernels: Annotated[
        bool,
        typer.Option("--kernels", help="List verdicts on the program and its kernels."),
    ] = False,
    imbalance: Annotated[
        bool,
        typer.Option("--imbalance", help="List functions that CPU threads share unevenly."),
    ] = False,
    groups: Annotated[
        bool, typer.Option("--groups", help="List groups of similar threads, and the worst warps.")
    ] = False,
    phases: Annotated[
        bool, typer.Option("--phases", help="List phases over time, for traces with intervals.")
    ] = False,
    style: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """Show whether threads diverge or wait for each other; draw their control flow."""
    over_all = [name for name in ("kernels", "imbalance") if context.params[name]]
    listed = [*over_all, *(name for name in ("groups", "phases") if context.params[name])]
    if len(listed) > 1 and style != "table":
        names = " and ".join(f"--{name}" for name in listed)
        raise UsageError(
            f"{names} are {len(listed)} tables, of which {style} can hold one",
            hint="Run the command once with each.",
        )
    if launch is not None and over_all:
        raise UsageError(f"--{over_all[0]} is over all launches", hint="Leave out --launch.")
    _check_pictures(cfg, matrix)
    if other is not None:
        if listed or any(one is not None for one in (launch, block, cfg, matrix)):
            raise UsageError(
                "two programs are compared as a whole", hint="Leave out the other options."
            )
        _compare(context, run, other, style, output)
        return
    with reading(context) as con:
        run_id = resolve_run(con, run)
        verdicts = ask(con, "threads/verdicts", run_id=run_id, launch=launch)
        rows = dicts(verdicts)
        uneven = thread_imbalance_sentences(con, run_id) if launch is None else []
        options = (block, cfg, matrix)
        of_launches = groups or phases or kernels or any(one is not None for one in options)
        if not rows and (uneven or imbalance) and not of_launches:
            text = "\n".join([f"Run {run_id}", "", *(f"* {line}" for line in uneven)])
            every = ask(con, "threads/imbalance", run_id=run_id)
            if imbalance:
                functions = _uneven_functions(con, run_id)
                every, text = functions.rows, f"{text}\n\n{functions.text()}"
            emit(con, every, style, output, lambda: text)
            return
        chosen = _chosen(con, run_id, launch, rows)
        is_narrow = launch is not None or block is not None
        blocks = None
        if is_narrow or matrix is not None:
            blocks = _blocks(con, run_id, chosen, block, metric)
        if cfg is not None:
            _draw_flow(con, run_id, chosen, cfg)
        if matrix is not None and blocks is not None:
            _draw_matrix(con, run_id, chosen, dicts(blocks.limit(1))[0], metric, vectors, matrix)
        of_kernels = ask(con, "threads/kernels", run_id=run_id)
        tables = _tables(con, run_id, launch, groups, phases)
        if imbalance:
            tables.insert(0, _uneven_functions(con, run_id))
        if kernels:
            tables.insert(0, _Table("Kernels", of_kernels, reports.KERNELS))
        first = tables[0].rows if tables else verdicts if block is None else blocks
        program = dicts(of_kernels.limit(1)) if launch is None and len(rows) > 1 else []
        shown = blocks if is_narrow else None
        answer = partial(_text, run_id, uneven, program, rows, chosen, shown, metric, tables)
        emit(con, first, style, output, answer)


def _compare(
    context: typer.Context, run: str, other: str, style: Format, output: Path | None
) -> None:
    """Print what two programs do; raises `NothingToAnalyse` where one has no trace."""
    with reading(context) as con:
        runs = [resolve_run(con, name) for name in (run, other)]
        if runs[0] == runs[1]:
            raise UsageError(f"{run} and {other} are both the run {runs[0]}")
        rows = ask(con, "threads/comparison", runs=runs)
        programs = {row["run_id"]: row for row in dicts(rows) if row["scope"] == "program"}
        for run_id in runs:
            if run_id not in programs:
                raise _no_blocks(run_id)
        sides = [programs[run_id] for run_id in runs]
        lines = [f"* {line}" for line in reports.compared_sentences(*sides)]
        table = table_text(*reports.compared_table(*sides))
        text = "\n".join(["Threads of two programs", "", *lines, "", table])
        emit(con, rows, style, output, lambda: text)


@dataclass(frozen=True, slots=True)
class _Table:
    """Rows, how they are shown, and the command that shows all of them."""

    title: str
    rows: Relation
    table: Table
    limit: int = _LINES
    every: str = _EVERY

    def text(self) -> str:
        first = dicts(self.rows.limit(self.limit))
        return self.table.text(first, self.title, total=len(self.rows), every=self.every)


def _uneven_functions(con: Connection, run_id: str) -> _Table:
    """Return the functions that CPU threads share; raises `NothingToAnalyse` for none."""
    functions = ask(con, "threads/functions", run_id=run_id)
    if functions.limit(1).fetchone() is None:
        raise NothingToAnalyse(
            f"the run {run_id} has no functions that several CPU threads share",
            hint="valgrind --tool=callgrind --separate-threads=yes records them, for example. That "
            "of MPI ranks is in pwh report.",
        )
    return _Table(
        "Functions by the excess of the busiest thread",
        functions,
        FUNCTIONS,
        _FEW_LINES,
        rows_command("thread_imbalance", run_id),
    )


def _check_pictures(cfg: Path | None, matrix: Path | None) -> None:
    """Raise `UsageError` where a picture cannot be written to the file."""
    from apps.reports.pictures import GRAPHS, check_path

    if cfg is not None:
        check_path(cfg, GRAPHS, "--cfg")
    if matrix is not None:
        check_path(matrix, (".png",), "--matrix")


def _chosen(con: Connection, run_id: str, launch: int | None, rows: list[Row]) -> Row:
    """Return the launch that pictures are of: the one asked for, or that with the most visits."""
    if rows:
        return max(rows, key=lambda row: row["visits"] or 0)
    known = ask_column(con, "threads/launches", run_id=run_id)
    if launch is None or not known:
        raise _no_blocks(run_id)
    raise NothingToAnalyse(
        f"the run {run_id} has no launch {launch}",
        hint=f"It has {len(known)}: {known[0]} to {known[-1]}.",
    )


def _no_blocks(run_id: str) -> NothingToAnalyse:
    return NothingToAnalyse(
        f"the run {run_id} has no traces of basic blocks",
        hint="pwh threads is for GPGPU-Sim, NVBit, exp-bbv (SimPoint) and, with "
        "--separate-threads=yes, callgrind.",
    )


def _blocks(
    con: Connection, run_id: str, chosen: Row, block: int | None, metric: Metric
) -> Relation:
    """Return figures of thread blocks; raises `NothingToAnalyse` where there are none."""
    launch = chosen["launch"]
    blocks = ask(con, "threads/blocks", run_id=run_id, launch=launch, metric=metric, block=block)
    if blocks.limit(1).fetchone() is not None:
        return blocks
    if block is None or chosen["threads"] is None:
        raise NothingToAnalyse(
            f"launch {launch} of {run_id} has no threads to compare", hint=flag_text(chosen["note"])
        )
    if chosen["blocks"] is None:
        raise NothingToAnalyse(
            f"the threads of {run_id} are in no thread block", hint="Leave out --block."
        )
    raise NothingToAnalyse(
        f"launch {launch} of {run_id} has no thread block {block}",
        hint=f"It has {chosen['blocks']} thread blocks, numbered from 0.",
    )


def _draw_flow(con: Connection, run_id: str, chosen: Row, path: Path) -> None:
    from apps.reports.pictures import draw_graph, graph_dot, largest_blocks, save_picture

    launch = chosen["launch"]
    blocks = ask_dicts(con, "threads/graph_blocks", run_id=run_id, launch=launch)
    edges = ask_dicts(con, "threads/graph_edges", run_id=run_id, launch=launch)
    if not blocks or (len(blocks) > 1 and not edges):
        raise NothingToAnalyse(
            f"no control flow is recorded for launch {launch} of {run_id}",
            hint="Vectors of exp-bbv and SimPoint do not record which block followed which; traces "
            "of GPGPU-Sim, NVBit and callgrind (--collect-jumps=yes) do.",
        )
    style = path.suffix.lower()[1:]
    shown = blocks if style == "dot" else largest_blocks(blocks)
    dot = graph_dot(f"{reports.launch_names([chosen])} of {run_id}", shown, edges)
    save_picture(path, dot.encode() if style == "dot" else draw_graph(dot, style))
    less = (
        f", those with the most instructions of {len(blocks)}" if len(shown) < len(blocks) else ""
    )
    note(f"{path}: control flow of launch {launch}, basic blocks: {len(shown)}{less}")


def _draw_matrix(
    con: Connection,
    run_id: str,
    chosen: Row,
    block: Row,
    metric: Metric,
    vectors: Vectors,
    path: Path,
) -> None:
    from apps.reports.pictures import grey_png, save_picture

    launch = chosen["launch"]
    rows = thread_picture(con, run_id, launch, block["block"], metric, vectors)
    if not rows:
        raise NothingToAnalyse(
            f"launch {launch} of {run_id} has no threads whose {vectors} to compare",
            hint=flag_text(chosen["note"]) if chosen["note"] else None,
        )
    save_picture(path, grey_png([pixels for _, pixels in rows]))
    place = f"launch {launch}" + ("" if block["block"] is None else f", block {block['block']}")
    what = metric if vectors == "visits" else f"{metric}, {vectors}"
    note(f"{path}: {place}, threads: {len(rows)}; black: equal, white: far apart ({what})")


def _tables(
    con: Connection, run_id: str, launch: int | None, groups: bool, phases: bool
) -> list[_Table]:
    """Return the requested tables; raises `NothingToAnalyse` where one has no rows."""
    found = []
    if groups:
        alike = ask(con, "threads/groups", run_id=run_id, launch=launch)
        if alike.limit(1).fetchone() is None:
            raise NothingToAnalyse(
                f"the run {run_id} has no threads to group", hint="Its trace records warps only."
            )
        title, every = "Groups of similar threads", rows_command("thread_groups", run_id)
        found.append(_Table(title, alike, reports.GROUPS, _LINES, every))
        warps = ask(con, "threads/warps", run_id=run_id, launch=launch)
        if warps.limit(1).fetchone() is not None:
            title = "Warps that lose most to divergence"
            every = rows_command("warp_divergence", run_id)
            found.append(_Table(title, warps, reports.WARPS, _FEW_LINES, every))
    if phases:
        over_time = ask(con, "threads/phases", run_id=run_id, launch=launch)
        if over_time.limit(1).fetchone() is None:
            raise NothingToAnalyse(
                f"the trace of {run_id} has no intervals",
                hint="Phases need vectors over time: valgrind --tool=exp-bbv, SimPoint.",
            )
        title, every = "Phases over time", rows_command("phase_representatives", run_id)
        found.append(_Table(title, over_time, reports.PHASES, _LINES, every))
    return found


def _text(
    run_id: str,
    uneven: list[str],
    program: list[Row],
    rows: list[Row],
    chosen: Row,
    blocks: Relation | None,
    metric: Metric,
    tables: list[_Table],
) -> str:
    kinds = reports.similar_launches(rows)
    lines = [f"Run {run_id}", "", *(f"* {line}" for line in uneven)]
    for row in program:
        first, *others = reports.program_sentences(row)
        lines += [f"* {first}", *(f"  {line}" for line in others)]
    for kind in kinds[:_SENTENCES]:
        first, *others = reports.launch_sentences(kind)
        lines += [f"* {first}", *(f"  {line}" for line in others)]
    if len(kinds) > _SENTENCES:
        lines.append(f"* {len(kinds) - _SENTENCES} more kinds of launches: see the table.")
    every = rows_command("thread_behaviour", run_id)
    lines += ["", reports.LAUNCHES.text(rows, "Launches", most=_LINES, every=every)]
    if blocks is not None:
        title = f"Thread blocks of launch {chosen['launch']}, {metric} distances"
        which = f"{sql_text(run_id)}, {chosen['launch']}, metric := {sql_text(metric)}"
        every = sql_command(f"FROM block_behaviour({which})")
        tables = [
            _Table(title, blocks, reports.BLOCKS, _FEW_LINES, every),
            *tables,
        ]
    return "\n\n".join(["\n".join(lines), *(table.text() for table in tables)])
