"""The commands of notify: who is notified of what, and sending it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from apps.commands import options
from apps.output.streams import print_data
from apps.queries.base import ask_dicts
from warehouse.errors import PwhError, UsageError
from warehouse.session import Connection

_ENV, _FILE = "env:", "file:"

notify = options.group(
    "notify",
    "Notify people of new changes, once each: by webhook, Slack, e-mail and more (apprise).",
)


def send(
    context: typer.Context,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be sent, and send nothing.")
    ] = False,
    url: Annotated[
        str | None,
        typer.Option(envvar="PWH_URL", metavar="URL", help="Address of the app, for links."),
    ] = None,
    wait: options.WaitOption = None,
) -> None:
    """Send each recipient one message with all that is new; for a timer or the end of a job."""
    from apps.reports.notifications import pending_messages

    if not dry_run:
        options.need("notify")
    with options.reading(context, wait) as con:
        messages = pending_messages(con, datetime.now(UTC), url)
    failures = []
    for message in messages:
        if dry_run:
            print_data(f"to {message.recipient}: {message.title}\n\n{message.body}\n")
            continue
        try:
            _send_message(message.recipient, message.title, message.body)
        except PwhError as error:
            failures.append(error)
            continue
        with options.writing(context, wait) as con:
            _remember_sent(con, message.recipient, message.subjects, datetime.now(UTC))
        print_data(f"notified {message.recipient}: {message.title}")
    if not messages:
        print_data("nothing is new")
    options.end_with(failures)


def _remember_sent(
    con: Connection, recipient: str, subjects: Sequence[str], at: datetime | None
) -> None:
    con.execute(
        "INSERT INTO notifications SELECT $recipient, unnest($subjects), $at",
        {"recipient": recipient, "subjects": list(subjects), "at": at},
    )


def add(
    context: typer.Context,
    recipient: Annotated[
        str,
        typer.Argument(
            metavar="env:NAME|file:PATH",
            help="Where the address is: a variable of the environment, or a file.",
        ),
    ],
    what: Annotated[
        Literal["changes", "silence", "gone"],
        typer.Option(
            help="changes for the worse, or of unknown direction; silence: nothing arrived for "
            "--days; gone: a version lacks a metric that the one before has, as do all later ones."
        ),
    ] = "changes",
    app: Annotated[
        str, typer.Option(help="Only this application, or a pattern with * and ?.")
    ] = "*",
    metric: Annotated[str, typer.Option(help="Only this metric, or a pattern.")] = "*",
    least: Annotated[
        str | None, typer.Option(metavar="P%", help="Only changes of this size and more.")
    ] = None,
    days: Annotated[
        float | None, typer.Option(min=0.01, help="Days of silence after which to tell.")
    ] = None,
    earlier: Annotated[
        bool, typer.Option("--earlier", help="Also send the changes that are open already.")
    ] = False,
    wait: options.WaitOption = None,
) -> None:
    """Add a rule: what is sent to whom. The address itself is never stored."""
    from warehouse.transactions import transaction

    _check_recipient(recipient)
    if (what == "silence") != (days is not None):
        raise UsageError(
            "--what silence and --days belong together",
            hint="Such as: pwh notify add env:PWH_MAIL --what silence --days 3",
        )
    if least is not None and what != "changes":
        raise UsageError("--least is of --what changes")
    size = None if least is None else options.parse_share(least, "--least")
    with options.writing(context, wait) as con, transaction(con):
        before = _pending_changes(con, recipient)
        (number,) = con.execute(
            "INSERT INTO notification_rules SELECT coalesce(max(rule_id), 0) + 1, "
            "$what, $app, $metric, $least, $days, $recipient FROM notification_rules "
            "RETURNING rule_id",
            {
                **{"what": what, "app": app, "metric": metric},
                **{"least": size, "days": days, "recipient": recipient},
            },
        ).fetchone() or (0,)
        if not earlier:
            # what earlier rules are still to send stays
            new = _pending_changes(con, recipient) - before
            _remember_sent(con, recipient, sorted(new), None)
    print_data(f"rule {number} added; pwh notify send tells {recipient} from now on")


def _pending_changes(con: Connection, recipient: str) -> set[str]:
    """Return the subjects of changes that a recipient is still to be notified of."""
    return {
        row["subject"]
        for row in ask_dicts(con, "notify/pending", now=datetime.now(UTC))
        if row["what"] == "changes" and row["recipient"] == recipient
    }


for _command in (send, add):
    notify.command(_command.__name__)(_command)
options.rule_commands(notify, "notification_rules", "notify/rules", "what was sent stays known")


def _check_recipient(text: str) -> str:
    """Return the recipient; raises `UsageError` where it does not name a variable or a file."""
    if any(text.startswith(kind) and text != kind for kind in (_ENV, _FILE)):
        return text
    raise UsageError(
        "a recipient is where the address is, not the address itself",
        hint="Such as env:PWH_SLACK, a variable of the environment, or file:/etc/pwh/mail",
    )


def _send_message(recipient: str, title: str, body: str) -> None:
    """Send a message; raises `PwhError` where it is not known to have arrived everywhere.

    An address has secrets in it: it is read when it is needed, and neither stored nor printed.
    """
    import logging

    import apprise

    # Its messages have addresses in them.
    logging.getLogger("apprise").disabled = True
    addresses = _addresses(recipient)
    sender = apprise.Apprise()
    if not addresses or not all(sender.add(one) for one in addresses):
        raise PwhError(
            f"{recipient} has no address, or one that apprise does not know",
            hint="One a line, such as slack://... or mailto://...: https://appriseit.com",
        )
    if not sender.notify(body, title, body_format="text"):
        raise PwhError(f"the message to {recipient} was not accepted")


def _addresses(recipient: str) -> list[str]:
    """Return the addresses that a variable or a file has, one a line."""
    if recipient.startswith(_ENV):
        text = os.environ.get(recipient.removeprefix(_ENV), "")
    else:
        try:
            text = Path(recipient.removeprefix(_FILE)).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise PwhError(f"{recipient} cannot be read: {reason}") from None
    return text.split()
