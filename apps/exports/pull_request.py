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
# Who may have written the comment that is edited: else anybody could, and change it afterwards.
_TRUSTED = ("OWNER", "MEMBER", "COLLABORATOR")


@dataclass(frozen=True, slots=True)
class Place:
    """Where comments of a request are: addresses, the header with the token, and how one is edited.

    `user` is the address that tells whose token it is; None where that is told by each comment.
    """

    comments: str
    comment: str
    headers: Mapping[str, str]
    edit: str
    user: str | None


def place_of(env: Mapping[str, str]) -> Place | str:
    """Return where the environment has comments go, or why they cannot."""
    if iid := env.get("CI_MERGE_REQUEST_IID"):
        token = env.get("GITLAB_TOKEN")
        if not token:
            return "GITLAB_TOKEN is not set (an access token with the scope api)"
        api = _checked(env.get("CI_API_V4_URL", ""), "CI_API_V4_URL")
        of = f"{api}/projects/{env.get('CI_PROJECT_ID', '')}/merge_requests/{iid}/notes"
        return Place(of, of, {"PRIVATE-TOKEN": token}, "PUT", f"{api}/user")
    number = _pull_request(env.get("GITHUB_EVENT_PATH"))
    if number is None:
        return "the environment names no pull request (GITHUB_EVENT_PATH, CI_MERGE_REQUEST_IID)"
    token = env.get("GH_TOKEN") or env.get("GITHUB_TOKEN")
    if not token:
        return "neither GH_TOKEN nor GITHUB_TOKEN is set"
    api = _checked(env.get("GITHUB_API_URL", "https://api.github.com"), "GITHUB_API_URL")
    issues = f"{api}/repos/{env.get('GITHUB_REPOSITORY', '')}/issues"
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    return Place(f"{issues}/{number}/comments", f"{issues}/comments", headers, "PATCH", None)


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

    Return in words what was done. Where commenting is forbidden, as from a fork, the summary of the
    job has the text, as far as there is one. No error here is one of what was judged.
    """
    place = place_of(env)
    if isinstance(place, str):
        return f"not commented: {place}"
    try:
        own = _earlier(place, marker)
        if own is None:
            _request(place, "POST", place.comments, text)
            return "commented on the pull request"
        _request(place, place.edit, f"{place.comment}/{own}", text)
    except HTTPError as error:
        if error.code not in _FORBIDDEN:
            return f"not commented: the server answers {error.code}"
        return (
            f"not commented: the token may not (the server answers {error.code}), as from a fork; "
            f"{_summarised(text, env)}"
        )
    except (URLError, TimeoutError, OSError, ValueError) as error:
        return f"not commented: {getattr(error, 'reason', error)}"
    return "edited the comment on the pull request"


def _summarised(text: str, env: Mapping[str, str]) -> str:
    """Append a text to the summary of the job; return where it is now."""
    summary = env.get("GITHUB_STEP_SUMMARY")
    if not summary:
        return "the output has it. The job needs permission to write on pull requests"
    with Path(summary).open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")
    return (
        "the summary of the job has it. The job needs pull-requests: write; for forks, comment in "
        "a workflow on workflow_run"
    )


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
