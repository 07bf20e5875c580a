"""The command record: run a program, and land its times, counters and profile."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from apps.commands import options
from apps.output.numbers import counted
from apps.output.progress import Countdown
from apps.output.streams import note
from apps.queries.base import ask_dicts
from apps.queries.comparison import LEVEL
from warehouse.address import Address
from warehouse.errors import InputError, PwhError, UsageError

if TYPE_CHECKING:
    from apps.landing import Lander
    from apps.recording.session import Recorded, Session, Side
    from udfs.measuring.sequential import Design, Noise

INTERRUPTED = 130
_MOST_PAIRS = 1000  # of a test
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
    app: options.ProgramOption = None,
    version: Annotated[
        str | None, typer.Option(help="Version; else that of the folder's git repository.")
    ] = None,
    machine: options.HardwareOption = None,
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
            metavar="'COMMAND'|COMMIT",
            help="Another command, or the same one at a commit of this repository, run by turns, "
            "to compare with at the end.",
        ),
    ] = None,
    build: Annotated[
        str | None,
        typer.Option(metavar="'COMMAND'", help="What builds the commit of --against."),
    ] = None,
    until_decided: Annotated[
        bool,
        typer.Option(
            "--until-decided",
            help="Run both by turns until it is certain whether they differ; against the commit "
            "before, unless --against names something else.",
        ),
    ] = False,
    smallest: Annotated[
        str, typer.Option(metavar="P%", help="Smallest change of the wall time that matters.")
    ] = "5%",
    false_alarm: Annotated[
        str, typer.Option(metavar="P%", help="Probability of a difference where there is none.")
    ] = "5%",
    miss: Annotated[
        str, typer.Option(metavar="P%", help="Probability of missing the smallest change.")
    ] = "5%",
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Longest time to measure with --until-decided: 90s, 10m."
        ),
    ] = None,
    tag: options.TagOption = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", callback=options.writable, help="Keep the recordings in this folder."
        ),
    ] = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Continue after a run that failed.")
    ] = False,
    level: options.LevelOption = LEVEL,
    wait: Annotated[
        float, typer.Option(min=0, help="Seconds to wait while others use the warehouse.")
    ] = 60.0,
) -> None:
    """Run a program and land its times, memory, counters and profile as a run of its history."""
    from apps.recording.session import Session
    from apps.recording.standard_input import open_missing
    from apps.recording.surroundings import shell_text

    open_missing()
    if until_decided and repeat is not None:
        raise UsageError("--until-decided and --repeat exclude each other")
    seconds = None if budget is None else options.parse_duration(budget, "--budget")
    lacks: dict[str, list[str]] = {}
    decided: str | None = None
    with ExitStack() as stack:
        places, against = _places(command, against, build, stack, or_before=until_decided)
        facts = {"version": version, "machine": machine}
        sides = _sides(places, app, facts, options.parse_tags(tag or []), tool, lacks)
        design = _design(smallest, false_alarm, miss) if until_decided else None
        rounds = repeat or (1 if against is None else _AGAINST)
        most = rounds if design is None else _MOST_PAIRS
        session = Session(sides[-1].facts["app"], len(sides) * (most + warmup), keep)
        if design is None:
            recorded, code = _run(session, sides, rounds, warmup, keep_going=keep_going)
        else:
            design = replace(design, history=known_noise(context, sides[-1]))
            recorded, code, decided = _run_until_decided(session, sides, design, warmup, seconds)
    if not recorded:
        session.discard()
        note("nothing was recorded")
        raise typer.Exit(code)
    _report_lacks(recorded, lacks)
    landing = land_recorded(context, session, recorded, wait, keep=keep is not None)
    if landing == 0 and against is not None and code == 0:
        # as pwh compare does
        from apps.commands.comparison import compared_text

        compared = (
            (against, [one.run_id for one in recorded if one.side is recorded[0].side]),
            (
                shell_text(command),
                [one.run_id for one in recorded if one.side is not recorded[0].side],
            ),
        )
        with options.reading(context, after_changes=True) as con:
            note(compared_text(con, compared, level))
    if decided is not None:
        note(decided)
    raise typer.Exit(code or landing)


def _places(
    command: Sequence[str],
    against: str | None,
    build: str | None,
    stack: ExitStack,
    *,
    or_before: bool,
) -> tuple[list[tuple[Sequence[str], Path]], str | None]:
    """Return the commands to run, each with its folder, and what the last one is held against.

    That is a command, or a commit, whose work tree is there until `stack` ends; where it is not
    stated and `or_before`, the commit before what is checked out.
    """
    from apps.recording.process import check_program
    from apps.recording.work_trees import WorkTrees, commit_before, repository_of

    places: list[tuple[Sequence[str], Path]] = [(command, Path())]
    if against is None and or_before:
        against = commit_before(repository_of(Path.cwd()))
    if against is not None:
        commit = commit_here(against)
        if commit is None:
            places.insert(0, (_words(against), Path()))
        else:
            trees = WorkTrees(repository_of(Path.cwd()), build)
            stack.callback(trees.remove)
            folder = trees.folder(commit)
            if folder is None:
                raise UsageError(
                    f"{against} does not build, or lacks this folder", hint="See --build."
                )
            places.insert(0, (command, folder))
    for words, folder in places:
        check_program(words, folder)
    return places, against


def _sides(
    places: Sequence[tuple[Sequence[str], Path]],
    app: str | None,
    facts: dict[str, Any],
    tags: dict[str, str],
    tools: list[str] | None,
    lacks: dict[str, list[str]],
) -> list[Side]:
    """Return the commands with what is known of their runs."""
    from apps.recording import surroundings

    sides: list[Side] = []
    for words, folder in places:
        known, own = dict(facts), dict(tags)
        known["machine"] = known["machine"] or surroundings.machine()
        if known["version"] is None or folder != Path():
            found = surroundings.git_version(folder)
            if found.lack and not sides:
                note(f"the version is unknown: {found.lack}; state it with --version")
            known |= {"version": found.name, **found.facts}
            own = {**found.tags, **own}
        sides.append(recorded_side(words, app, known, own, tools, lacks, folder))
    return sides


def _design(smallest: str, false_alarm: str, miss: str) -> Design:
    """Return the test that options state; raises `UsageError` for what is no such share."""
    from udfs.measuring.sequential import Design

    shares = {
        option: options.parse_share(text, option)
        for option, text in (
            ("--smallest", smallest),
            ("--false-alarm", false_alarm),
            ("--miss", miss),
        )
    }
    for option, share in shares.items():
        if not 0 < share < (1 if option == "--smallest" else 0.5):
            raise UsageError(f"{option} {share:g} is out of range", hint="Such as 5%")
    least, alarm, missed = shares.values()
    return Design(least, alarm, missed)


def commit_here(name: str) -> str | None:
    """Return the commit of this folder's repository that a name stands for, else None."""
    from apps.recording.work_trees import commit_named
    from ingest.git import work_tree

    top = work_tree(Path.cwd())
    return None if top is None or not name else commit_named(top, name)


def known_noise(context: typer.Context, side: Side) -> Noise:
    """Return the noise of the program's runs in the warehouse; of none where there are none yet."""
    from udfs.measuring.sequential import Noise

    if isinstance(context.obj, Path) and not context.obj.exists():
        return Noise()
    with options.reading(context, after_changes=True) as con:
        (found,) = ask_dicts(
            con,
            "record/noise",
            app=side.facts["app"],
            machine=side.facts["machine"],
            configuration=configuration(side),
        )
    return Noise(found["variance"], found["freedom"])


def configuration(side: Side) -> list[str]:
    """Return the tags without which runs are not of one history."""
    return [side.tags.get(name, "") for name in ("arguments", "variables", "profiler")]


def _run_until_decided(
    session: Session,
    sides: Sequence[Side],
    design: Design,
    warmup: int,
    seconds: float | None,
) -> tuple[list[Recorded], int, str | None]:
    """Run both sides by turns until a test decides; return the runs, a failure, and the verdict."""
    from apps.recording.session import turns
    from apps.reports.recording import decided_text, looked_text
    from udfs.measuring.sequential import look

    recorded: list[Recorded] = []
    times: list[tuple[float, float]] = []
    state = None
    longest = 0.0
    began = time.monotonic()
    try:
        for side in turns(sides, warmup):
            if (done := session.warm_up(side)).exit_code or done.interrupted:
                note(f"the program failed before it was recorded: exit code {done.exit_code}")
                return [], done.exit_code or INTERRUPTED, None
        while state is None or state.verdict is None:
            started = time.monotonic()
            pair = {}
            for side in sides if len(times) % 2 == 0 else reversed(sides):
                one = session.record(side)
                recorded.append(one)
                if one.done.exit_code or one.done.interrupted:
                    return recorded, one.done.exit_code or INTERRUPTED, None
                pair[id(side)] = one.done.wall
            times.append((pair[id(sides[0])], pair[id(sides[1])]))
            state = look(times, design)
            note(looked_text(state))
            longest = max(longest, time.monotonic() - started)
            if seconds is not None and time.monotonic() - began + longest > seconds:
                break
    except KeyboardInterrupt:
        return recorded, INTERRUPTED, None
    return recorded, 0, decided_text(state, design)


def _words(text: str) -> list[str]:
    """Return the words of the other command; raises `UsageError` where they are none."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--against {text!r} is no command: {error}") from None
    if not words:
        raise UsageError("--against names no command", hint="Such as: --against './program --old'")
    return words


def recorded_side(
    command: Sequence[str],
    app: str | None,
    facts: dict[str, Any],
    tags: dict[str, str],
    tools: list[str] | None,
    lacks: dict[str, list[str]],
    folder: Path,
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
    tags = tags_of(command, chosen) | tags
    return Side(command, facts, tags, chosen, environment(command), folder)


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
                return [], done.exit_code or INTERRUPTED
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
        code = INTERRUPTED
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


def land_recorded(
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
            for number in _land_all(lander, recorded):
                landed = number
            landed = len(recorded)
    except (PwhError, KeyboardInterrupt) as error:
        script = session.write_script(db, recorded[landed:])
        note(str(error) or "stopped")
        runs = counted(len(recorded) - landed, "run")
        note(f"the recordings of {runs} are kept; to land them: sh {shlex.quote(str(script))}")
        return error.exit_code if isinstance(error, PwhError) else INTERRUPTED
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


def _land_all(lander: Lander, recorded: Sequence[Recorded]) -> Iterator[int]:
    """Land runs; yield after each file how many of them have landed for certain."""
    from ingest.parsed import Options
    from ingest.walk import find

    files = [
        (
            number,
            found,
            Options(
                run_id=one.run_id,
                facts={name: value for name, value in one.facts.items() if value is not None},
                tags=one.tags,
            ),
        )
        for number, one in enumerate(recorded)
        for found in find(one.files())
    ]
    ended = lander.land_all((found, options) for _, found, options in files)
    for (number, _, _), (found, landed) in zip(files, ended, strict=True):
        if isinstance(landed, InputError):
            note(f"not recorded: {found.path.name} ({landed.problem})")
        yield number
