"""TAU's text profiles that are not what they should be: the messages."""

from __future__ import annotations

import pytest

from ingest.readers.profiles.tau.folder import Tau
from ingest.recording import Recording
from tests.helpers.support import land
from tests.ingest.profiles import text_profile, write_profiles
from warehouse.errors import InputError

FLAT = [("main", 1, 10, 100), ("solve", 4, 60, 90), ("MPI_Send()  ", 8, 30, 30)]
GOOD = text_profile(FLAT, events=["Message size"])


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("x" + GOOD, "line 1", "was found"),
        (GOOD.replace("# Name", "# Nome"), "line 2", "was found"),
        (GOOD.replace("3 templ", "4 templ"), "line 6", "'0 aggregates' was found"),
        (GOOD.replace("3 templ", "2 templ"), "line 5", "was found"),
        (GOOD.replace(' 60 90 0 GROUP="TAU_USER"', ""), "line 4", "was found"),
        (GOOD.replace("60 90 0", "60 90 7"), "line 3", "profiled one by one"),
        (GOOD.replace(" 60 ", " 6x "), "line 4", "the exclusive value 6x is not a number"),
        (GOOD.replace(" 60 ", " -60 "), "profile.0.0.0", "exclusive time of solve: -60"),
        (GOOD.replace(" 60 ", " nan "), "profile.0.0.0", "exclusive time of solve: nan"),
        (GOOD.replace(" 60 ", " 1e30 "), "profile.0.0.0", "exclusive time of solve: 1e+30"),
        (GOOD.replace('" 4 0', '" -4 0'), "profile.0.0.0", "calls of solve: -4"),
        (GOOD.replace("0 aggregates", "1 aggregates"), "line 7", "'1 userevents' was found"),
        (GOOD.replace("1 userevents", "2 userevents"), "line 10", "'' was found"),
        (GOOD.replace("1 userevents", "0 userevents"), "line 8", "was found"),
        (GOOD + "more\n", "line 10", "'more' was found"),
        (GOOD.split("0 aggregates")[0], "line 6", "'the end of the file' was found"),
    ],
)
def test_what_is_refused(tmp_path, text, where, problem):
    path = write_profiles(tmp_path, {"profile.0.0.0": text})
    with pytest.raises(InputError) as caught:
        list(Tau().read(Recording((path,))))
    assert caught.value.where == where
    assert problem in caught.value.problem
    assert caught.value.path == str(path)


def test_an_error_names_the_rank_that_is_wrong(tmp_path):
    path = write_profiles(tmp_path, {"profile.0.0.0": GOOD, "profile.1.0.0": GOOD[:200]})
    with pytest.raises(InputError) as caught:
        list(Tau().read(Recording(Tau().parts(path))))
    assert caught.value.path == str(tmp_path / "profile.1.0.0")


def test_folders_of_metrics_must_agree(tmp_path):
    texts = {
        "MULTI__TIME/profile.0.0.0": text_profile(FLAT),
        "MULTI__TIME/profile.1.0.0": text_profile(FLAT),
        "MULTI__PAPI_TOT_INS/profile.0.0.0": text_profile(FLAT, "PAPI_TOT_INS"),
    }
    path = write_profiles(tmp_path, texts)
    with pytest.raises(InputError, match=r"profile\.1\.0\.0 is in MULTI__PAPI_TOT_INS or"):
        list(Tau().read(Recording(Tau().parts(path))))


def test_one_folder_must_have_one_metric(tmp_path):
    texts = {"profile.0.0.0": GOOD, "profile.1.0.0": text_profile(FLAT, "PAPI_TOT_INS")}
    path = write_profiles(tmp_path, texts)
    with pytest.raises(InputError, match="the metric is PAPI_TOT_INS"):
        list(Tau().read(Recording(Tau().parts(path))))


def test_a_name_without_a_thread(warehouse, tmp_path):
    path = write_profiles(tmp_path, {"profile.txt": GOOD})
    with pytest.raises(InputError, match="no reader recognises"):
        land(warehouse, path)
    with pytest.raises(InputError, match="the name does not show whose profile this is"):
        land(warehouse, path, reader="tau")
