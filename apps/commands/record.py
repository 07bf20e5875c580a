"""The command record: run a program, and land its times, counters and profile."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from apps.commands.options import LevelOption, parse_tags, reading, writable
from apps.output.numbers import counted
from apps.output.progress import Countdown
from apps.output.streams import note
from warehouse.address import Address
from warehouse.errors import InputError, PwhError, UsageError

if TYPE_CHECKING:
    from apps.landing import Lander
    from apps.recording.session import Recorded, Session, Side

_INTERRUPTED = 130
_AGAINST = 5  # runs of each of two commands, unless --repeat states another number


def record(
    context: typer.Context,
    command: Annotated[
        list[str], typer.Argument(metavar="-- COMMAND...", help="The program and its arguments.")
    ],
    repeat: Annotated[
        int | None,
        typer.Option(min=1, help="Runs to record: 1 unless stated, with --against 5 of each."),
    ] = None,
    warmup: Annotated[int, typer.Option(min=0, help="Runs before, not recorded.")] = 0,
    app: Annotated[
        str | None, typer.Option(help="Application; else the name of the program or script.")
    ] = None,
    version: Annotated[
        str | None, typer.Option(help="Version; else that of the folder's git repository.")
    ] = None,
    machine: Annotated[
        str | None, typer.Option(help="Machine; else its processor, cores and governor.")
    ] = None,
    tool: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TOOL",
            help="perf-stat, perf-record, py-spy, cprofile, callgrind, massif, or none; "
            "repeatable. Unless stated: perf-stat, and py-spy for Python or perf-record.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="'COMMAND'", help="Another command, run by turns, to compare with at the end."
        ),
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="Anything else; repeatable.", metavar="KEY=VALUE")
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", callback=writable, help="Keep the recordings in this folder."
        ),
    ] = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Continue after a run that failed.")
    ] = False,
    level: LevelOption = 0.95,
    wait: Annotated[
        float, typer.Option(min=0, help="Seconds to wait while others use the warehouse.")
    ] = 60.0,
) -> None:
    """Run a program and land its times, memory, counters and profile as a run of its history."""
    from apps.recording import surroundings
    from apps.recording.process import check_program
    from apps.recording.session import Session
    from apps.recording.standard_input import open_missing

    open_missing()
    commands = [command] if against is None else [_words(against), command]
    for one in commands:
        check_program(one)
    found = surroundings.git_version(Path()) if version is None else None
    if found is not None and found.lack:
        note(f"the version is unknown: {found.lack}; state it with --version")
    facts = {
        "version": version if found is None else found.name,
        "machine": machine or surroundings.machine(),
        **(found.facts if found else {}),
    }
    tags = {**(found.tags if found else {}), **parse_tags(tag or [])}
    lacks: dict[str, list[str]] = {}
    sides = [_side(one, app, facts, tags, tool, lacks) for one in commands]
    rounds = repeat or (1 if against is None else _AGAINST)
    session = Session(sides[-1].facts["app"], len(sides) * (rounds + warmup), keep)
    recorded, code = _run(session, sides, rounds, warmup, keep_going=keep_going)
    if not recorded:
        session.discard()
        note("nothing was recorded")
        raise typer.Exit(code)
    _report_lacks(recorded, lacks)
    landing = _land(context, session, recorded, wait, keep=keep is not None)
    if landing == 0 and against is not None and code == 0:
        _compare(context, against, commands[-1], recorded, level)
    raise typer.Exit(code or landing)


def _words(text: str) -> list[str]:
    """Return the words of the other command; raises `UsageError` where they are none."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--against {text!r} is no command: {error}") from None
    if not words:
        raise UsageError("--against names no command", hint="Such as: --against './program --old'")
    return words


def _side(
    command: Sequence[str],
    app: str | None,
    facts: dict[str, Any],
    tags: dict[str, str],
    tools: list[str] | None,
    lacks: dict[str, list[str]],
) -> Side:
    """Return a command with what is known of its runs, and add why tools are left out to `lacks`.

    Raises `UsageError` where a tool that the user named cannot be used.
    """
    from apps.recording.collectors import COLLECTORS, check_tools, usual_tools
    from apps.recording.session import Side, tags_of
    from apps.recording.surroundings import application, environment

    if tools is not None:
        chosen = [name for name in tools if name != "none"]
        check_tools(chosen, command)
    else:
        chosen = []
        for name in usual_tools(command):
            if lack := COLLECTORS[name]().lack(command):
                lacks.setdefault(lack, []).append(name)
            else:
                chosen.append(name)
    name = app or application(command)
    facts = {"app": name, **facts}
    return Side(command, facts, tags_of(command, chosen) | tags, chosen, environment(command))


def _run(
    session: Session, sides: Sequence[Side], rounds: int, warmup: int, *, keep_going: bool
) -> tuple[list[Recorded], int]:
    """Run the sides by turns; return the runs, and the exit code of the first that failed."""
    from apps.recording.session import turns

    code = 0
    recorded: list[Recorded] = []
    total = len(sides) * rounds
    try:
        for side in turns(sides, warmup):
            done = session.warm_up(side)
            if done.interrupted or (done.exit_code and not keep_going):
                note(f"the program failed before it was recorded: exit code {done.exit_code}")
                return [], done.exit_code or _INTERRUPTED
        countdown = Countdown(total, "runs")
        for number, side in enumerate(turns(sides, rounds), 1):
            one = session.record(side)
            recorded.append(one)
            code = code or one.done.exit_code
            if one.done.interrupted or (one.done.exit_code and not keep_going):
                break
            if (left := countdown.after(number)) is not None:
                note(left)
    except KeyboardInterrupt:
        code = _INTERRUPTED
    if 0 < len(recorded) < total:
        note(f"stopped after {counted(len(recorded), 'run')} of {total}")
    return recorded, code


def _report_lacks(recorded: Sequence[Recorded], lacks: dict[str, list[str]]) -> None:
    """Print once what could not be recorded on this machine, and why."""
    for lack, names in lacks.items():
        note(f"not recorded: {' and '.join(names)} ({lack})")
    said = {
        f"not recorded: {name} ({lack})" for one in recorded for name, lack in one.lacks.items()
    }
    for text in sorted(said):
        note(text)
    events = list(dict.fromkeys(event for one in recorded for event in one.not_supported))
    if events:
        note(f"this machine does not count {', '.join(events)}")


def _land(
    context: typer.Context,
    session: Session,
    recorded: Sequence[Recorded],
    wait: float,
    *,
    keep: bool,
) -> int:
    """Land the runs; return the exit code of what went wrong, with all kept in files, else 0."""
    from apps.landing import Lander
    from apps.reports.recording import runs_text

    db: Address = context.obj
    landed = 0
    try:
        with Lander(db, wait, dry_run=False) as lander:
            for one in recorded:
                _land_one(lander, one)
                landed += 1
    except (PwhError, KeyboardInterrupt) as error:
        script = session.write_script(db, recorded[landed:])
        note(str(error) or "stopped")
        runs = counted(len(recorded) - landed, "run")
        note(f"the recordings of {runs} are kept; to land them: sh {shlex.quote(str(script))}")
        return error.exit_code if isinstance(error, PwhError) else _INTERRUPTED
    finally:
        sides = dict.fromkeys(id(one.side) for one in recorded)
        for side in sides:
            of_side = [one for one in recorded if id(one.side) == side]
            note(runs_text(of_side, by_command=len(sides) > 1))
    if keep:
        note(f"the recordings are in {session.folder}")
    else:
        session.discard()
    names = recorded[0].run_id + (f" to {recorded[-1].run_id}" if landed > 1 else "")
    note(f"landed in {db}: {names}")
    return 0


def _land_one(lander: Lander, one: Recorded) -> None:
    from ingest.load import Options
    from ingest.walk import find

    options = Options(
        run_id=one.run_id,
        facts={name: value for name, value in one.facts.items() if value is not None},
        tags=one.tags,
    )
    for found, landed in lander.land_all((found, options) for found in find(one.files())):
        if isinstance(landed, InputError):
            note(f"not recorded: {found.path.name} ({landed.problem})")


def _compare(
    context: typer.Context,
    against: str,
    command: Sequence[str],
    recorded: Sequence[Recorded],
    level: float,
) -> None:
    """Print the verdict on both sides, as `pwh compare` does."""
    from apps.commands.comparison import compared_text
    from apps.recording.surroundings import shell_text

    first = recorded[0].side
    sides = (
        (against, [one.run_id for one in recorded if one.side is first]),
        (shell_text(command), [one.run_id for one in recorded if one.side is not first]),
    )
    with reading(context, after_changes=True) as con:
        note(compared_text(con, sides, level))
