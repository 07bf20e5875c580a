"""From the paths that a user names to recordings, each with the reader that recognises it."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.base import Reader
from ingest.compressed import path_text
from ingest.ordinary import not_ordinary
from ingest.readers import all_readers
from ingest.recording import Recording
from ingest.sniff import EmptyFile, also_printed, head_of, recognise
from warehouse.errors import InputError, UsageError

_OS_METADATA_FILES = (".DS_Store", "__MACOSX", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True, slots=True)
class Found:
    """A recording and its reader, or a path and why it cannot be read.

    `others` are readers that recognise it, too, as the output of several tools in one log; `form`
    is what the reader's `sniff` returned.
    """

    path: Path
    reader: Reader | None = None
    parts: tuple[Path, ...] = ()
    error: InputError | None = None
    skipped: bool = False
    others: tuple[str, ...] = ()
    form: str | bool | None = None

    def recording(self) -> Recording:
        """Open the recording."""
        recording = Recording(self.parts, self.form)
        recording.others = self.others
        return recording


def reader_named(name: str) -> Reader:
    """Return the reader of that name; raises `UsageError` with the names there are."""
    for reader in all_readers():
        if reader.NAME == name:
            return reader
    raise UsageError(
        f"there is no reader {name!r}",
        hint="Readers: " + ", ".join(reader.NAME for reader in all_readers()),
    )


def find(paths: Sequence[str | os.PathLike[str]], reader: Reader | None = None) -> Iterator[Found]:
    """Yield the recordings under the paths, in order, each once.

    A path is a file, a folder (walked without following links to folders) or a glob. Empty files
    among others are skipped. In a folder, files that no reader recognises are skipped, too, as are
    devices, files of the kernel, and metadata of other systems (.DS_Store); named as such they are
    errors.
    `reader` replaces recognition of named files, and narrows it in folders.
    """
    seen: set[Path] = set()
    for found in _find(paths, reader):
        if found.reader is None:
            yield found
        elif (main := found.parts[0].resolve()) not in seen:
            seen.add(main)
            yield found


def _find(paths: Sequence[str | os.PathLike[str]], reader: Reader | None) -> Iterator[Found]:
    for name in paths:
        path = Path(name)
        if not str(name):
            raise UsageError("an empty path names no file", hint="The folder itself is '.'")
        # Unlike Path.is_dir, this is False where a folder above is not accessible.
        if os.path.isdir(path):  # noqa: PTH112
            yield from _in_folder(path, reader)
        elif not os.path.lexists(path) and any(mark in str(name) for mark in "*?["):
            matches = sorted(glob.glob(str(name), recursive=True))  # noqa: PTH207
            if not matches:
                error = InputError("no file matches this pattern", path=str(name))
                yield Found(path, error=error)
            yield from _find(matches, reader)
        else:
            yield _named(path, reader, among_others=len(paths) > 1)


def _in_folder(folder: Path, reader: Reader | None) -> Iterator[Found]:
    unreadable: list[OSError] = []
    for place, folders, names in os.walk(folder, onerror=unreadable.append):
        if special := not_ordinary(os.stat(place)):  # noqa: PTH116
            folders.clear()
            wrong = InputError(
                special, path=path_text(Path(place)), expected="a folder of recordings"
            )
            yield Found(Path(place), error=wrong, skipped=Path(place) != folder)
            continue
        folders[:] = sorted(name for name in folders if not _is_os_metadata(name))
        recognised = [
            _recognised(Path(place, name), reader)
            for name in sorted(names)
            if not _is_os_metadata(name)
        ]
        # A recording that is a whole folder takes what is next to it along.
        whole = [found for found in recognised if found.reader and found.reader.WHOLE_FOLDER]
        yield from whole or recognised
    for error in unreadable:
        problem = f"the folder cannot be read: {error.strerror}"
        yield Found(Path(error.filename), error=InputError(problem, path=path_text(error.filename)))


def _is_os_metadata(name: str) -> bool:
    """Return whether a name is of what file managers and archives of other systems leave behind.

    macOS writes ._NAME beside each NAME with its attributes, which some readers would recognise.
    A command of pwh that is killed leaves half of its output behind, as .pwh-NAME.
    """
    return name.startswith(("._", ".pwh-")) or name in _OS_METADATA_FILES


def _recognised(path: Path, reader: Reader | None) -> Found:
    try:
        recogniser, form = recognise(path, all_readers() if reader is None else (reader,))
    except InputError as error:
        return Found(path, error=error, skipped=True)
    others = also_printed(path, recogniser, all_readers()) if reader is None else ()
    return Found(path, recogniser, recogniser.parts(path), others=others, form=form)


def _named(path: Path, reader: Reader | None, *, among_others: bool) -> Found:
    """Look at a file that the user named: here a file that cannot be read is an error.

    Tools leave empty files beside those that have what they counted: these are skipped.
    """
    if reader is None:
        found = _recognised(path, None)
        return replace(found, skipped=among_others and isinstance(found.error, EmptyFile))
    try:
        head_of(path)
    except InputError as error:
        return Found(path, error=error, skipped=among_others and isinstance(error, EmptyFile))
    return Found(path, reader, reader.parts(path))
