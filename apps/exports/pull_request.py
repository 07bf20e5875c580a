"""The one comment of a gate on a pull request (GitHub) or merge request (GitLab), edited later.

What is commented on, and the token, are in the environment, as CI sets it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from warehouse.errors import UsageError

_SECONDS = 20.0
_PAGE = 100  # comments, the most that both answer at once
_FORBIDDEN = (401, 403, 404)
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_ALLOWED = (
    "the job needs the permission pull-requests: write; of a fork a workflow on workflow_run "
    "comments (docs/how-to/ci.md)"
)
# Who may have written the comment that is edited: else anybody could, and change it afterwards.
_TRUSTED = ("OWNER", "MEMBER", "COLLABORATOR")


@dataclass(frozen=True, slots=True)
class Place:
    """Where comments of a request are: addresses, the header with the token, and how one is edited.

    `user` is the address that states whose token it is; None where each comment states that.
    `allowed` says how a job may comment.
    """

    comments: str
    comment: str
    headers: Mapping[str, str]
    edit: str
    user: str | None
    allowed: str


def place_of(env: Mapping[str, str]) -> Place | str:
    """Return where the environment has comments go, or why they cannot."""
    if iid := env.get("CI_MERGE_REQUEST_IID"):
        token = env.get("GITLAB_TOKEN")
        if not token:
            return "GITLAB_TOKEN is not set (an access token with the scope api)"
        api = _checked(env.get("CI_API_V4_URL", ""), "CI_API_V4_URL")
        of = f"{api}/projects/{env.get('CI_PROJECT_ID', '')}/merge_requests/{iid}/notes"
        headers = {"PRIVATE-TOKEN": token}
        return Place(of, of, headers, "PUT", f"{api}/user", "the token needs the scope api")
    number = _pull_request(env.get("GITHUB_EVENT_PATH"))
    if number is None:
        return "the environment names no pull request (GITHUB_EVENT_PATH, CI_MERGE_REQUEST_IID)"
    token = env.get("GH_TOKEN") or env.get("GITHUB_TOKEN")
    if not token:
        return "neither GH_TOKEN nor GITHUB_TOKEN is set"
    api = _checked(env.get("GITHUB_API_URL", "https://api.github.com"), "GITHUB_API_URL")
    issues = f"{api}/repos/{env.get('GITHUB_REPOSITORY', '')}/issues"
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    of = f"{issues}/{number}/comments"
    return Place(of, f"{issues}/comments", headers, "PATCH", None, _ALLOWED)


def _pull_request(event: str | None) -> int | None:
    """Return the number of the pull request of the event that GitHub stores in a file."""
    try:
        found = json.loads(Path(event or "").read_bytes())
        return int(found["pull_request"]["number"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _checked(api: str, name: str) -> str:
    """Return the address without a slash at its end; raises `UsageError` where a token is read."""
    parts = urlsplit(api)
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        return api.rstrip("/")
    raise UsageError(f"{name} is not an address with https: a token would be sent readable")


def comment(text: str, marker: str, env: Mapping[str, str]) -> str:
    """Write a text as the comment that begins with `marker`, anew or over the earlier one.

    The summary of a job of GitHub has the text, too, and what was done. Return that: what goes
    wrong with the comment is no error of what was judged.
    """
    place = place_of(env)
    done = f"not commented: {place}" if isinstance(place, str) else _commented(place, text, marker)
    if summary := env.get("GITHUB_STEP_SUMMARY"):
        done_text = "" if isinstance(place, str) else f"*{done[0].upper()}{done[1:]}.*\n\n"
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(f"{text}\n\n{done_text}")
    return done


def _commented(place: Place, text: str, marker: str) -> str:
    """Write the comment; return in words what was done, and how it is allowed where it is not."""
    try:
        own = _earlier(place, marker)
        if own is None:
            _request(place, "POST", place.comments, text)
            return "commented on the pull request"
        _request(place, place.edit, f"{place.comment}/{own}", text)
    except HTTPError as error:
        answer = f"the server answers {error.code}"
        if error.code not in _FORBIDDEN:
            return f"not commented: {answer}"
        return f"not commented: the token may not ({answer}), as from a fork; {place.allowed}"
    except (URLError, TimeoutError, OSError, ValueError) as error:
        return f"not commented: {getattr(error, 'reason', error)}"
    return "edited the comment on the pull request"


def _earlier(place: Place, marker: str) -> int | None:
    """Return the number of the comment that begins with the marker and is to be trusted."""
    user = None if place.user is None else _request(place, "GET", place.user)["id"]
    for one in _comments(place):
        if not str(one.get("body", "")).startswith(marker):
            continue
        if user is None:
            is_bot = (one.get("user") or {}).get("type") == "Bot"
            is_own = is_bot or one.get("author_association") in _TRUSTED
        else:
            is_own = (one.get("author") or {}).get("id") == user
        if is_own:
            return int(one["id"])
    return None


def _comments(place: Place) -> Iterator[dict[str, Any]]:
    page = 1
    while True:
        found = _request(place, "GET", f"{place.comments}?per_page={_PAGE}&page={page}")
        yield from found
        if len(found) < _PAGE:
            return
        page += 1


class _Staying(HTTPRedirectHandler):
    """Follows no redirection: the token is for one server."""

    def redirect_request(self, *_: Any) -> None:
        """Return None: the answer is the redirection."""


def _request(place: Place, method: str, url: str, text: str | None = None) -> Any:
    """Return the answer to a request, parsed."""
    data = None if text is None else json.dumps({"body": text}).encode()
    headers = {**place.headers, "Content-Type": "application/json", "User-Agent": "pwh"}
    request = Request(url, data, headers, method=method)  # noqa: S310 _checked
    with build_opener(_Staying).open(request, timeout=_SECONDS) as answer:
        return json.load(answer)
