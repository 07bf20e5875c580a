"""The command completion: commands, options, runs and metrics for the Tab key of a shell."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from apps.output.streams import print_data
from warehouse.address import Address, parse_address
from warehouse.errors import PwhError

# What parameters are names of, by their own name.
_KINDS = {
    **dict.fromkeys(("run", "before", "after", "against", "baseline", "candidate"), "runs"),
    **dict.fromkeys(("words", "name"), "runs"),
    "app": "apps",
    "metric": "metrics",
}


def completion(
    context: typer.Context,
    shell: Annotated[
        Literal["bash", "zsh", "fish", "words"],
        typer.Argument(help='For bash: eval "$(pwh completion bash)".'),
    ],
    typed: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- WORD...", help="What was typed after pwh, the last word last."),
    ] = None,
) -> None:
    """Print the script that completes commands, runs and metrics in a shell."""
    if shell != "words":
        print_data(Path(__file__).with_suffix(f".{shell}").read_text("utf-8").rstrip("\n"))
        return
    found = completions(context.find_root().command, typed or [""], context.obj)
    if found:
        print_data("\n".join(found))


def completions(root: Any, typed: Sequence[str], db: Address) -> list[str]:
    """Return what the last word typed may become; none where it may be a file."""
    command, before = root, list(typed[:-1])
    part = typed[-1]
    positionals = 0
    waiting = None  # the option whose value comes next
    for word in before:
        if waiting is not None:
            if waiting.name == "db":
                with suppress(PwhError):
                    db = parse_address(word)
            waiting = None
        elif word.startswith("-"):
            waiting = _option(command, word)
        elif hasattr(command, "commands") and word in command.commands:
            command = command.commands[word]
        else:
            positionals += 1
    if waiting is not None:
        return _values(waiting, part, command, db)
    if part.startswith("-"):
        names = [name for one in command.params for name in (*one.opts, *one.secondary_opts)]
        return sorted(n for n in [*names, "--help"] if n.startswith("--") and n.startswith(part))
    if hasattr(command, "commands"):
        return [name for name in command.commands if name.startswith(part)]
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    if not arguments:
        return []
    return _values(arguments[min(positionals, len(arguments) - 1)], part, command, db)


def _option(command: Any, word: str) -> Any:
    """Return the option of a command where a value has to follow it, else None."""
    for one in command.params:
        if word in one.opts and not getattr(one, "is_flag", False):
            return one
    return None


def _values(parameter: Any, part: str, command: Any, db: Address) -> list[str]:
    """Return the values of an option or argument that begin with what was typed."""
    if choices := getattr(parameter.type, "choices", None):
        texts = [str(getattr(choice, "value", choice)) for choice in choices]
        return [text for text in texts if text.startswith(part)]
    kind = _KINDS.get(parameter.name)
    if kind is None or command.name in ("ingest", "record", "schema"):
        return []
    import warehouse
    from apps.queries.base import ask_column
    from apps.queries.runs import LATEST

    with suppress(PwhError), warehouse.connect(db, read_only=True, wait=0) as con:
        return ask_column(con, "completion/names", kind=kind, part=part, latest=LATEST)
    return []
