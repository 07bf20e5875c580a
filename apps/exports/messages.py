"""Sending messages to webhooks, Slack, e-mail and more, by the library apprise.

An address has secrets in it: it is read when it is needed, and neither stored nor printed.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

from warehouse.errors import PwhError, UsageError

_ENV, _FILE = "env:", "file:"


def check_recipient(text: str) -> str:
    """Return the recipient; raises `UsageError` where it does not name a variable or a file."""
    if any(text.startswith(kind) and text != kind for kind in (_ENV, _FILE)):
        return text
    raise UsageError(
        "a recipient is where the address is, not the address itself",
        hint="Such as env:PWH_SLACK, a variable of the environment, or file:/etc/pwh/mail",
    )


def send(recipient: str, title: str, body: str) -> None:
    """Send a message; raises `PwhError` where it is not known to have arrived everywhere."""
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
