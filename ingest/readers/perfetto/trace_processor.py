"""Perfetto's trace processor: the program that reads all versions of its traces.

It is asked once, since loading a trace takes far longer than a question, and prints one table for
all kinds of records (question.sql). Texts come in hexadecimal, as its CSV escapes nothing.

Source: perfetto.dev, "Trace Processor command-line reference" (-q of the classic interface).
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from ingest.recording import Recording

_PROGRAMS = ("trace_processor_shell", "trace_processor")
_QUESTION = Path(__file__).parent / "question.sql"
_SECONDS = 3600


def program() -> str | None:
    """Return the path of the trace processor, None where it is not installed."""
    return next((found for name in _PROGRAMS if (found := shutil.which(name))), None)


def answer(recording: Recording) -> pa.Table:
    """Return the records of a trace as question.sql names them, one row a record.

    Raises `InputError` where the trace processor cannot read the file.
    """
    import pyarrow as pa
    from pyarrow import csv

    command = [program() or _PROGRAMS[0], "-q", str(_QUESTION), recording.plain()]
    printed = recording.scratch() / "records.csv"
    _run(command, printed)
    text = pa.dictionary(pa.int32(), pa.binary())
    kinds = {"record": text, "name": text, "kind": text, "value": pa.string()}
    numbers = dict.fromkeys(("number", "place", "at", "length"), pa.int64())
    try:
        return csv.read_csv(
            printed,
            convert_options=csv.ConvertOptions(
                column_types=kinds | numbers, null_values=["[NULL]"], strings_can_be_null=True
            ),
        )
    except pa.ArrowInvalid as error:
        raise InputError(f"the answer of {command[0]} is not as expected ({error})") from None


def _run(command: list[str], printed: Path) -> None:
    try:
        with printed.open("wb") as output:
            done = subprocess.run(  # noqa: S603
                command, stdout=output, stderr=subprocess.PIPE, check=False, timeout=_SECONDS
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"Perfetto's trace processor failed: {error}") from None
    if done.returncode or not printed.stat().st_size:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(
            f"Perfetto's trace processor cannot read it: {said[-1] if said else 'no output'}",
            expected="a whole trace",
        )
