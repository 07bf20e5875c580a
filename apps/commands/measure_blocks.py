"""The command measure-blocks: cycles of blocks of machine code on this machine."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from apps.commands.options import FormatOption, OutputOption
from apps.output.numbers import counted
from apps.output.progress import note_progress
from apps.output.streams import note
from apps.output.writing import emit_columns
from warehouse.errors import InputError, NothingToAnalyse, UsageError


def measure_blocks(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="CSV or Parquet with a column hex: blocks to measure, run as they are, so measure "
            "what you trust. One that ends in a branch to its start is a loop. Without a file, "
            "blocks are made from the libraries of this machine.",
        ),
    ] = None,
    blocks: Annotated[
        int, typer.Option(min=1, help="Without FILE, how many blocks to make.")
    ] = 4000,
    source: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="PROGRAM",
            help="Without FILE, a program or library to take code from, instead of the machine's; "
            "repeatable.",
        ),
    ] = None,
    processor: Annotated[
        int | None, typer.Option("--cpu", min=0, help="Processor to measure on.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the choice of blocks.")] = 0,
    style: FormatOption = "csv",
    output: OutputOption = None,
) -> None:
    """Measure the cycles of blocks of machine code on this machine, for fit throughput --core."""
    from apps.recording.designed_blocks import design, libraries
    from apps.recording.measured_blocks import measure_blocks as measured

    if file is not None:
        hexes, kinds = _read(file), None
    else:
        made = design(source or libraries(), blocks, seed)
        hexes, kinds = [one.hex for one in made], [one.kind for one in made]
    if not hexes:
        raise NothingToAnalyse(
            "there is no x86-64 machine code to take blocks from",
            hint="Name a program: pwh measure-blocks --from PROGRAM",
        )
    found = measured(hexes, processor, note_progress)
    without = sum(one.cycles is None for one in found)
    emit_columns(
        style,
        output,
        hex=[one.hex for one in found],
        cycles=[one.cycles for one in found],
        kind=kinds or ["given"] * len(found),
        spread=[one.spread for one in found],
        problem=[one.problem or None for one in found],
    )
    note(f"{counted(len(found) - without, 'block')} measured, {without} without a value")
    if output is not None and file is None:
        name = shlex.quote(str(output))
        note(f"next: pwh ingest {name} --machine NAME, then pwh fit throughput --core NAME")


def _read(file: Path) -> list[str]:
    import duckdb

    if not file.is_file():
        raise UsageError(f"there is no file {file}")
    con = duckdb.connect()
    try:
        if file.suffix == ".parquet":
            rows = con.read_parquet(str(file))
        else:
            rows = con.read_csv(str(file), header=True, all_varchar=True)
        if "hex" not in rows.columns:
            raise InputError("the file has no column hex", path=str(file), expected="blocks in hex")
        return [row[0] or "" for row in rows.project("CAST(hex AS VARCHAR)").fetchall()]
    except duckdb.Error as error:
        raise InputError(str(error).splitlines()[0], path=str(file)) from None
