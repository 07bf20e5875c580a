"""Tokens of a served warehouse: from a file or the environment, never from a command line."""

from __future__ import annotations

import os
import re
import shlex
import stat
from pathlib import Path

from warehouse.errors import UsageError

WRITING, READING = "PWH_TOKEN", "PWH_READ_TOKEN"
# No quotes: Quack's clients have to write the token into a statement.
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,512}")
_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MOST = 4096  # characters of a file, which may be a device that has no end
HINT = (
    'Make one: (umask 077; python3 -c "import secrets; print(secrets.token_urlsafe(32))" '
    "> FILE), and name that file."
)


def token(variable: str, file: Path | None = None) -> str | None:
    """Return the token in a file, in the file that `<variable>_FILE` names, or in `variable`.

    None where none of them is set. Raises `UsageError`, which does not repeat what it found, where
    the file cannot be read, or can be by others, or where a token is too short or has other
    characters than `secrets.token_urlsafe` and base64 have.
    """
    named = os.environ.get(f"{variable}_FILE")
    if file is None and named:
        file = Path(named)
    if file is None:
        text, where = os.environ.get(variable), variable
    else:
        text, where = _read(file), str(file)
    if text is None:
        return None
    if not _TOKEN.fullmatch(text.strip()):
        raise UsageError(
            f"the token in {where} is not 16 to 512 letters, digits or any of ._~+/=-", hint=HINT
        )
    return text.strip()


def _read(file: Path) -> str:
    try:
        with file.open(encoding="ascii", errors="replace") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            if os.name == "posix" and stat.S_ISREG(mode) and mode & _OF_OTHERS:
                raise UsageError(
                    f"others can use the token in {file} (mode {mode & 0o777:o})",
                    hint=f"Let only yourself read it: chmod 600 {shlex.quote(str(file))}. Where "
                    f"that cannot be, {WRITING} and {READING} have the token itself.",
                )
            return opened.read(_MOST)
    except OSError as error:
        raise UsageError(f"cannot read the token in {file}: {error.strerror}") from None
