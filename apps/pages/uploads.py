"""Upload of files on the Ingest page, where `pwh ui --allow-ingest` allows it.

They land by the command `pwh ingest` in a process of its own, with its checks and messages: while
it waits for the warehouse, no page does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath

import streamlit as st

from apps.output.numbers import counted
from apps.output.text import printable
from apps.pages.base import View
from apps.pages.login import may
from apps.pages.text import plain
from warehouse.address import Address
from warehouse.errors import UsageError

ALLOWED = "PWH_ALLOW_INGEST"
MOST_MIB = 200
_FACTS = {
    "Application": ("app", ""),
    "Version": ("version", ""),
    "Machine": ("machine", ""),
    "Started at": ("started-at", "2026-11-22T16:30:00Z"),
}
_START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from apps.cli import main; main()"
_WAIT = 60
_LINKS = 5
_LANDED = "_landed"
_LOCK = threading.Lock()
"""One upload at a time: all have the same folder."""


@dataclass(frozen=True, slots=True)
class Uploaded:
    """Output of `pwh ingest` about uploaded files, whether all have landed, and their paths."""

    text: str
    is_whole: bool
    paths: list[str]


def show_upload(view: View) -> None:
    """Show the form for files, and what became of those uploaded last."""
    if not may("ingest"):
        return
    if os.environ.get(ALLOWED) != "1":
        st.caption("pwh ui --allow-ingest lets this page upload files.")
        return
    with (
        st.expander("Upload files", icon=":material/upload_file:", expanded=True),
        st.form("upload", clear_on_submit=True, border=False),
    ):
        files = st.file_uploader(
            "Profiles, counters, traces: the format is recognised by content",
            accept_multiple_files=True,
            max_upload_size=MOST_MIB,
        )
        facts = {}
        for place, (label, (option, shown)) in zip(
            st.columns(len(_FACTS)), _FACTS.items(), strict=True
        ):
            facts[option] = place.text_input(label, placeholder=shown or "as the files state")
        replace = st.checkbox("Replace what landed from these files before")
        if st.form_submit_button("Land", type="primary", icon=":material/move_to_inbox:"):
            contents = [(one.name, one.getvalue()) for one in files]
            with st.spinner("Landing ..."):
                st.session_state[_LANDED] = land(view.path, contents, facts, replace=replace)
            # What follows on the page is of before.
            st.rerun()
    done: Uploaded | None = st.session_state.pop(_LANDED, None)
    if done is not None:
        show = st.success if done.is_whole else st.error
        show(plain("The files have landed." if done.is_whole else "Not every file has landed."))
        runs = view.ask("ingest/runs_of_files", paths=done.paths)["run_id"].to_list()
        with st.container(horizontal=True):
            for run in runs[:_LINKS]:
                view.link(f"See {run}", "run", icon="arrow_forward", run=run)
            if len(runs) > _LINKS:
                view.link(f"All of {counted(len(runs), 'run')}", "runs")
        st.code(done.text, language=None, wrap_lines=True)


def land(
    db: Address,
    files: Sequence[tuple[str, bytes]],
    facts: Mapping[str, str],
    *,
    replace: bool = False,
) -> Uploaded:
    """Ingest files, given by name and content; `facts` are options of `pwh ingest`, "" for none.

    Files of one upload are next to each other, as recordings of several files need. Their paths in
    the warehouse are those in a folder beside it, the same at each upload, so that a file is known
    again; it is deleted afterwards.

    Raises `UsageError` for no files, for names that are none or duplicate, and where the folder
    cannot be made.
    """
    if not files:
        raise UsageError("There is no file to land.", hint="Choose one above.")
    names = [_name(name) for name, _ in files]
    if twice := {name for name in names if names.count(name) > 1}:
        raise UsageError(f"Two files have the name {min(twice)}.", hint="Upload one at a time.")
    with _LOCK, _folder(db) as folder:
        for name, (_, content) in zip(names, files, strict=True):
            try:
                (folder / name).write_bytes(content)
                # The time of the upload is not that of the run: it must not be taken for its start.
                os.utime(folder / name, (0, 0))
            except OSError as error:
                raise UsageError(f"The file {name} cannot be stored: {error.strerror}.") from None
        options = [
            f"--{option}={value.strip()}" for option, value in facts.items() if value.strip()
        ]
        command = [
            *(sys.executable, "-P", "-c", _START, str(Path(__file__).parents[2])),
            *("--db", str(db), "ingest", str(folder), "--keep-going", "--reject-unknown"),
            *(f"--wait={_WAIT}", *(["--replace"] if replace else []), *options),
        ]
        done = subprocess.run(  # noqa: S603
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        text = (done.stdout + done.stderr).decode("utf-8", "replace")
    text = printable(text.replace(f"{folder}/", "")).strip()
    return Uploaded(text, done.returncode == 0, [str(folder / name) for name in names])


@contextmanager
def _folder(db: Address) -> Iterator[Path]:
    """Yield a new folder beside the warehouse, and delete it with all that is in it."""
    if not isinstance(db, Path):
        raise UsageError(
            f"{db} is no file: this page lands files only into one.",
            hint="pwh ingest in a terminal lands them.",
        )
    folder = db.resolve().with_name(f"{db.name}.uploads")
    try:
        folder.mkdir()
    except FileExistsError:
        raise UsageError(
            f"There is a folder {folder}: another app has an upload under way, or was killed then.",
            hint="Try again; if it is still there, delete it.",
        ) from None
    except OSError as error:
        raise UsageError(f"The folder {folder} cannot be made: {error.strerror}.") from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _name(name: str) -> str:
    """Return the last part of a file's name; raises `UsageError` where it is none."""
    last = PurePath(name.replace("\\", "/")).name
    if not last.strip(".") or not last.isprintable():
        raise UsageError(f"{printable(name)!r} is not the name of a file.", hint="Rename the file.")
    return last
