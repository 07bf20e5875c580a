"""pwh notify: rules, and messages over HTTP to a server that is really there, once each."""

from __future__ import annotations

import json
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import warehouse as pwh
from tests.helpers.support import given

pytest.importorskip("apprise")
# apprise imports it where Python still has it
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
SECRET = "hook-7f3a"


class Hook(BaseHTTPRequestHandler):
    """Keeps what arrives."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, json.loads(body)))
        self.send_response(self.server.code)
        self.end_headers()

    def log_message(self, *_):
        """Log nothing."""


@pytest.fixture
def hook(monkeypatch):
    """Yield a server for webhooks, whose address is in a variable of the environment."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    server.got, server.code = [], 200
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("PWH_TO", f"json://127.0.0.1:{server.server_port}/{SECRET}")
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def notify(run, demo_warehouse, tmp_path):
    """Run pwh notify over a copy of the demo."""
    db = shutil.copy(demo_warehouse, tmp_path / "w.duckdb")

    def notify(*arguments):
        code, out, err = run("--db", db, "notify", *arguments)
        assert SECRET not in out + err and "json://" not in out + err
        return code, out, err

    return notify


def test_changes_are_told_once_together_with_cause_and_link(notify, hook, run):
    assert notify("add", "env:PWH_TO", "--earlier")[0] == 0
    code, out, _ = notify("send", "--url", "http://localhost:8501/")
    assert (code, out) == (0, "notified env:PWH_TO: pwh: 2 changes in kernels, stencil\n")
    ((path, message),) = hook.got
    assert path == f"/{SECRET}"
    assert message["title"] == "pwh: 2 changes in kernels, stencil"
    assert "sweep takes 25.5 % longer, 86.6 % of the loss" in message["message"]
    assert "http://localhost:8501/inbox?app=stencil" in message["message"]
    assert notify("send")[1] == "nothing is new\n"
    # what is said to be fixed and is not is news
    run("--db", "w.duckdb", "events", "2", "--state", "fixed", "--in", "1.23")
    assert "1 change in stencil" in notify("send")[1]
    assert "State reopened: not fixed in 1.23" in hook.got[-1][1]["message"]
    assert (notify("send")[1], len(hook.got)) == ("nothing is new\n", 2)


def test_a_rule_is_of_what_comes_after_it_and_of_its_size_and_metric(notify, hook, tmp_path):
    notify("add", "env:PWH_TO")
    assert notify("send")[1] == "nothing is new\n"
    to = tmp_path / "to"
    to.write_text(f"json://127.0.0.1:{hook.server_port}/{SECRET}\n")
    notify("add", f"file:{to}", "--earlier", "--metric", "wall_*", "--least", "10%")
    assert notify("send")[1] == f"notified file:{to}: pwh: 1 change in stencil\n"
    _, out, _ = notify("rules", "-f", "csv")
    assert out.splitlines()[1:] == [
        "1,changes,*,*,,,env:PWH_TO",
        f"2,changes,*,wall_*,0.1,,file:{to}",
    ]
    assert notify("remove", "2")[1] == "1 rule removed\n"
    assert notify("remove", "2")[0] == 5


def test_a_second_rule_leaves_what_the_first_is_still_to_send(notify, hook):
    notify("add", "env:PWH_TO", "--earlier", "--metric", "wall_*")
    notify("add", "env:PWH_TO")
    notify("add", "env:PWH_TO", "--what", "silence", "--days", "9000")
    assert notify("send")[1] == "notified env:PWH_TO: pwh: 1 change in stencil\n"


def test_silence_and_a_metric_that_has_gone_are_told(run, template, tmp_path, hook):
    db = shutil.copy(template, tmp_path / "w.duckdb")
    with pwh.connect(db) as con:
        con.execute("SET TimeZone = 'UTC'")
        given(
            con,
            "runs",
            """
            run_id  app  version  machine  started_at  landed_at
            a1      io   1        m        2026-01-01  2026-01-01
            a2      io   2        m        2026-01-02  2026-01-02
            a3      io   3        m        2026-01-03  2026-01-02
            """,
        )
        values = "a1 rate 5\na1 lost 1\na1 out 1\na1 back 1\na2 rate 5\na3 rate 5\na3 back 1"
        given(con, "metrics", f"run_id metric value\n{values}")
    for what in (("--what", "silence", "--days", "3"), ("--what", "gone", "--metric", "metric:*")):
        assert run("--db", db, "notify", "add", "env:PWH_TO", *what)[0] == 0
    _, out, err = run("--db", db, "notify", "send")
    assert out == "notified env:PWH_TO: pwh: 3 missing in io\n", err
    gone, silent = hook.got[0][1]["message"].split("\n\n")
    assert gone == "io: version 2 has no metric:lost, metric:out, which the version before has."
    assert silent.startswith("io: nothing has arrived for ") and silent.endswith("2026-01-02.")
    assert run("--db", db, "notify", "send")[1] == "nothing is new\n"


def test_what_was_not_accepted_is_sent_again_and_no_address_is_printed(notify, hook, monkeypatch):
    notify("add", "env:PWH_TO", "--earlier")
    hook.code = 500
    assert notify("send") == (1, "", "pwh: the message to env:PWH_TO was not accepted\n")
    hook.code = 200
    assert notify("send", "--dry-run")[1].startswith("to env:PWH_TO: pwh: 2 changes")
    assert "notified" in notify("send")[1]
    notify("add", "env:PWH_NONE", "--earlier")
    assert "has no address" in notify("send")[2]
    monkeypatch.setenv("PWH_NONE", f"nonsense://{SECRET}")
    assert "that apprise does not know" in notify("send")[2]
    notify("add", "file:missing", "--earlier")
    assert "cannot be read: No such file" in notify("send")[2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("json://host/token",), "not the address itself"),
        (("env:",), "not the address itself"),
        (("env:X", "--what", "silence"), "belong together"),
        (("env:X", "--days", "3"), "belong together"),
        (("env:X", "--what", "gone", "--least", "3%"), "--least is of"),
        (("env:X", "--least", "-3%"), "is not a share"),
    ],
)
def test_what_cannot_be_is_refused(notify, arguments, said):
    code, out, err = notify("add", *arguments)
    assert (code, out) == (2, "") and said in err
