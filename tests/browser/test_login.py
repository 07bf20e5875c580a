"""The login of the app, with a provider of OpenID Connect on this computer."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.browser.conftest import free_port, pwh, wait_for
from tests.browser.pages import appears, new_tab

ROLES = """
[roles]
"ann@example.org" = "ingest"
"bob@example.org" = "read"
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory, chromium, demo_warehouse):
    """Run a provider, and `pwh ui` that asks it who somebody is; yield the app's address."""
    # Imported, it would warn here of what it uses.
    if find_spec("oidc_provider_mock") is None:
        pytest.skip("oidc-provider-mock is not installed")
    folder = tmp_path_factory.mktemp("login")
    db = shutil.copy(demo_warehouse, folder / "demo.duckdb")
    provider, port = free_port(), free_port()
    file = folder / "login.toml"
    file.write_text(
        f'[auth]\nredirect_uri = "http://127.0.0.1:{port}/oauth2callback"\n'
        'cookie_secret = "for this test alone"\nclient_id = "pwh"\nclient_secret = "none"\n'
        f'server_metadata_url = "http://127.0.0.1:{provider}/.well-known/openid-configuration"\n'
        + ROLES
    )
    file.chmod(0o600)
    names = ["ann@example.org", "bob@example.org", "eve@example.org"]
    claims = [f'{{"sub": "{name}", "email": "{name}"}}' for name in names]
    options = [part for one in claims for part in ("--user-claims", one)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    piped = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    serve = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "-p", str(provider)]
    command = pwh("--db", db, "ui", "--no-browser", "--port", port, "--auth", file)
    with (
        subprocess.Popen([*serve, *options], env=os.environ, **quiet) as login,
        subprocess.Popen(**command, **piped) as app,
    ):
        try:
            said = next(line for line in app.stderr if "http" in line)
            wait_for(f"{re.search(r'http://[^ ]+', said)[0]}/_stcore/health")
            wait_for(f"http://127.0.0.1:{provider}/.well-known/openid-configuration")
            yield f"http://127.0.0.1:{port}"
        finally:
            app.terminate()
            login.terminate()


@pytest.fixture
def visitor(chromium):
    with new_tab(chromium) as tab:
        yield tab


def log_in(tab, address, name):
    tab.goto(f"{address}/trends?app=stencil")
    tab.get_by_role("button", name="Log in").click()
    tab.get_by_text(name).first.click()


def test_who_may_acknowledge_does_so_under_their_name(visitor, address):
    log_in(visitor, address, "ann@example.org")
    appears(visitor, re.compile(r"ann@.?example.org \(ingest\)"))
    visitor.goto(f"{address}/trends?app=stencil")
    acknowledge = visitor.get_by_role("button", name="Acknowledge").first
    acknowledge.wait_for()
    assert acknowledge.is_enabled()


def test_the_address_that_somebody_came_with_survives_the_login(visitor, address):
    log_in(visitor, address, "bob@example.org")
    appears(visitor, re.compile(r"bob@.?example.org \(read\)"))
    visitor.wait_for_url(re.compile(r"/trends\?app=stencil"))
    visitor.get_by_role("heading", name="Trends", level=1).wait_for()


def test_who_may_read_cannot_acknowledge(visitor, address):
    log_in(visitor, address, "bob@example.org")
    appears(visitor, re.compile(r"bob@.?example.org \(read\)"))
    visitor.goto(f"{address}/trends?app=stencil")
    acknowledge = visitor.get_by_role("button", name="Acknowledge").first
    acknowledge.wait_for()
    assert acknowledge.is_disabled()


def test_without_a_role_nothing_is_seen(visitor, address):
    visitor.goto(address)
    visitor.get_by_role("button", name="Log in").wait_for()
    assert "stencil" not in visitor.content()
    log_in(visitor, address, "eve@example.org")
    appears(visitor, "has no role in this warehouse")
    assert "stencil" not in visitor.content()
