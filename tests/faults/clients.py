"""Clients of pwh serve: wrong tokens, files of tokens, and DuckDB without pwh."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.helpers.serving import READING, ROOT, WRITING, is_accepted, plain_client, served
from warehouse.errors import UsageError
from warehouse.quack import tokens

_WRONG = (
    *("", READING[:-1], f"{READING}\n", f" {WRITING}", WRITING.upper(), f"{WRITING}\x00"),
    *("' OR true --", "\x1b[31mred\x1b[0m\r\npwh: forged", "ü" * 20, "x" * 70_000, "\x00" * 16),
)
_TABLES = ("runs", "fn_timings", "function_totals", "run_metrics")


def outcomes(folder: Path, count: int) -> Iterator[tuple[str, str]]:
    """Yield of each case its name, and what was wrong with the answer."""
    yield from _token_files(folder / "token")
    file = folder / "served.duckdb"
    profile = ROOT / "apps" / "demo" / "recordings" / "heat-1.1.pstats"
    pwh = [sys.executable, "-m", "apps.cli", "--db", str(file)]
    subprocess.run([*pwh, "ingest", str(profile)], cwd=ROOT, capture_output=True, check=True)
    with served(file) as serving:
        yield from _plain(serving.address, folder)
    with served(file) as serving:
        wrong = [_WRONG[number % len(_WRONG)] for number in range(count)]
        yield from _wrong_tokens(serving.address, wrong)
        lines = [line for line in serving.stop().splitlines() if "refused a token" in line]
    expected = {"at once": 10, "slowed": count - 10} if count > 10 else {"at once": count}
    found = Counter("slowed" if "slowed" in line else "at once" for line in lines)
    yield "refused tokens, log", "" if found == expected else f"{found}, not {expected}"
    for line in lines:
        is_whole = line.isprintable() and " from 127.0.0.1" in line and READING[:-1] not in line
        yield "refused tokens, log", "" if is_whole else repr(line)


def _token_files(file: Path) -> Iterator[tuple[str, str]]:
    file.write_text(WRITING)
    for mode in range(0o400, 0o1000):
        file.chmod(mode)
        try:
            is_taken = tokens.token(tokens.WRITING, file) == WRITING
        except UsageError as error:
            is_taken = False
            if f"chmod 600 {file}" not in str(error.hint) or WRITING in f"{error} {error.hint}":
                yield "files of tokens", f"{mode:o}: {error}"
        is_right = is_taken == (mode & 0o077 == 0)
        yield "files of tokens", "" if is_right else f"mode {mode:o} taken: {is_taken}"


def _wrong_tokens(address: str, wrong: list[str]) -> Iterator[tuple[str, str]]:
    """Send wrong tokens at once, and right ones beside them."""
    taken: list[str] = []

    def send(some: list[str]) -> None:
        taken.extend(repr(one) for one in some if is_accepted(address, one))

    senders = [threading.Thread(target=send, args=(wrong[i::20],)) for i in range(20)]
    for sender in senders:
        sender.start()
    while any(sender.is_alive() for sender in senders):
        yield "right tokens beside", "" if is_accepted(address, READING) else "refused"
        time.sleep(0.2)
    for number, token in enumerate(wrong):
        yield "refused tokens", f"{token!r} is taken" if number == 0 and taken else ""


def _plain(address: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Join each two tables and views: by the server, over two sessions, and over one."""
    joins = [(one, other) for one in _TABLES for other in _TABLES if one != other]
    count = "SELECT count(*) FROM {} JOIN {} USING (run_id)"
    statements = [f"ATTACH '{address}' AS w2 (TYPE quack, TOKEN '{READING}')"]
    for one, other in joins:
        statements.append(f"FROM w.query('{count.format(one, other)}')")
        statements.append(count.format(f"w.{one}", f"w2.{other}"))
        statements.append(count.format(f"w.{one}", f"w.{other}"))
    _, *answers = plain_client(address, READING, statements, folder)
    for number, join in enumerate(joins):
        by_server, over_two, over_one = answers[3 * number : 3 * number + 3]
        is_right = (
            by_server == over_two
            and isinstance(over_two, list)
            and "Multiple streaming" in over_one
        )
        yield "joins without pwh", "" if is_right else f"{join}: {by_server} {over_two} {over_one}"
