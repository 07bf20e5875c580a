"""The comment of a gate, written once and edited later, by a server that plays the API."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from apps.exports.pull_request import comment
from warehouse.errors import UsageError

MARK = "<!-- pwh gate heat -->"
TOKEN = "secret-of-the-test"


class Api(BaseHTTPRequestHandler):
    """Comments of one pull request of GitHub, and of one merge request of GitLab."""

    def _answer(self, code, body):
        data = json.dumps(body).encode()
        self.send_response(code)
        if code == 302:
            self.send_header("Location", f"{self.server.url}/elsewhere")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _serve(self):
        parts = urlsplit(self.path)
        state = self.server
        is_gitlab = parts.path.startswith("/projects")
        told = self.headers.get("PRIVATE-TOKEN" if is_gitlab else "Authorization") or ""
        if parts.path == "/user":
            return self._answer(200, {"id": 7})
        if not told.endswith(TOKEN):
            return self._answer(401, {})
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        state.calls.append((self.command, parts.path))
        if state.refuse and self.command in state.refuse:
            return self._answer(state.refuse[self.command], {})
        if self.command == "GET":
            page = int(parse_qs(parts.query)["page"][0])
            return self._answer(200, state.comments[100 * (page - 1) : 100 * page])
        if self.command == "POST":
            state.comments.append(
                {"id": len(state.comments), "user": {"type": "Bot"}, "author": {"id": 7}, **body}
            )
            return self._answer(201, {})
        assert self.command == ("PUT" if is_gitlab else "PATCH")
        state.comments[int(parts.path.rpartition("/")[2])] |= body
        return self._answer(200, {})

    do_GET = do_POST = do_PATCH = do_PUT = _serve  # noqa: N815

    def log_message(self, *_):
        """Log nothing."""


@pytest.fixture
def api():
    """Yield the server: its comments, its calls, and what it refuses."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    server.url = f"http://127.0.0.1:{server.server_port}"
    server.comments, server.calls, server.refuse = [], [], {}
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(params=["GitHub", "GitLab"])
def env(request, api, tmp_path):
    """Return the environment of a job of each."""
    event = tmp_path / "event.json"
    event.write_text('{"pull_request": {"number": 12}}')
    if request.param == "GitLab":
        return {
            "CI_MERGE_REQUEST_IID": "12",
            "CI_PROJECT_ID": "3",
            "CI_API_V4_URL": api.url,
            "GITLAB_TOKEN": TOKEN,
        }
    return {
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REPOSITORY": "a/b",
        "GITHUB_API_URL": api.url,
        "GH_TOKEN": TOKEN,
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }


def test_one_comment_is_written_and_then_edited_behind_those_of_others(api, env):
    api.comments += [{"id": i, "body": f"talk {i}", "user": {"type": "User"}} for i in range(130)]
    assert comment(f"{MARK}\nred", MARK, env) == "commented on the pull request"
    assert comment(f"{MARK}\ngreen", MARK, env) == "edited the comment on the pull request"
    assert comment("<!-- pwh gate io -->\nred", "<!-- pwh gate io -->", env).startswith("commented")
    assert [one["body"] for one in api.comments[130:]] == [
        f"{MARK}\ngreen",
        "<!-- pwh gate io -->\nred",
    ]


def test_a_gate_comments_and_its_exit_code_stays_its_own(
    api, env, run, demo_warehouse, monkeypatch
):
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    call = ("--db", demo_warehouse, "gate", "stencil", "--pr-comment")
    code, out, err = run(*call)
    assert (code, err) == (1, "pwh: commented on the pull request\n")
    assert [one["body"] for one in api.comments] == [out.rstrip("\n")]
    api.refuse = {"GET": 500}
    code, again, err = run(*call)
    assert (code, again, "not commented" in err) == (1, out, True)


def test_the_comment_of_an_outsider_with_the_same_beginning_is_left_alone(api, env):
    stranger = {"user": {"type": "User"}, "author_association": "NONE", "author": {"id": 1}}
    api.comments.append({"id": 0, "body": f"{MARK}\nmine", **stranger})
    comment(f"{MARK}\nred", MARK, env)
    assert [one["body"] for one in api.comments] == [f"{MARK}\nmine", f"{MARK}\nred"]


def test_where_it_is_forbidden_the_summary_of_the_job_has_the_text(api, env):
    api.refuse = {"POST": 403}
    said = comment(f"{MARK}\nred", MARK, env)
    assert said.startswith("not commented: the token may not (the server answers 403)")
    assert TOKEN not in said
    if summary := env.get("GITHUB_STEP_SUMMARY"):
        assert "the job needs the permission pull-requests: write" in said
        text, told, _ = Path(summary).read_text().split("\n\n")
        assert (text, told) == (f"{MARK}\nred", f"*N{said[1:]}.*")


@pytest.mark.parametrize("code", [302, 500, 429])
def test_what_else_goes_wrong_is_told_and_no_token_goes_elsewhere(api, env, code):
    api.refuse = {"POST": code}
    assert comment("red", MARK, env) == f"not commented: the server answers {code}"
    assert not any("elsewhere" in path for _, path in api.calls)


def test_a_server_that_is_not_there(env):
    for name in ("GITHUB_API_URL", "CI_API_V4_URL"):
        env[name] = "http://127.0.0.1:9"
    assert comment("red", MARK, env).startswith("not commented: ")


def test_without_a_request_or_a_token_nothing_is_sent(env):
    names = ("GITHUB_EVENT_PATH", "CI_MERGE_REQUEST_IID")
    without = {name: value for name, value in env.items() if name not in names}
    assert "names no pull request" in comment("red", MARK, without)
    without = {name: value for name, value in env.items() if "TOKEN" not in name}
    assert "_TOKEN is" in comment("red", MARK, without)


def test_a_token_is_sent_to_https_alone(env):
    for name in ("GITHUB_API_URL", "CI_API_V4_URL"):
        env[name] = "http://example.org/api"
    with pytest.raises(UsageError, match="https"):
        comment("red", MARK, env)
