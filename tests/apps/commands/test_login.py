"""The file of `pwh ui --auth`: what is wrong with it is said, and none of its secrets."""

from __future__ import annotations

import pytest

from apps.commands.ui import _check_login
from warehouse.errors import UsageError

AUTH = "[auth]\n" + "".join(
    f'{key} = "s3cret"\n'
    for key in (
        "redirect_uri",
        "cookie_secret",
        "client_id",
        "client_secret",
        "server_metadata_url",
    )
)
ROLES = '[roles]\n"*" = "read"\n'


@pytest.fixture
def file(tmp_path):
    return tmp_path / "login.toml"


def test_a_whole_file_is_accepted_and_others_may_not_read_it(file, capsys):
    file.write_text(AUTH + ROLES)
    file.chmod(0o644)
    _check_login(file)
    assert "chmod 600" in capsys.readouterr().err
    file.chmod(0o600)
    _check_login(file)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("not toml", "it is no TOML"),
        (AUTH.replace("client_id", "id") + ROLES, "[auth] has no client_id"),
        (AUTH, "[roles] is missing"),
        (AUTH + ROLES.replace("read", "admin"), "the role 'admin' is unknown"),
    ],
)
def test_what_is_wrong_is_said_without_secrets(file, text, problem):
    file.write_text(text)
    with pytest.raises(UsageError) as error:
        _check_login(file)
    assert problem in error.value.problem and "s3cret" not in str(error.value)


def test_a_file_that_is_not_there(file):
    with pytest.raises(UsageError, match="No such file"):
        _check_login(file)
