"""Names of runs: ids and their beginnings, latest, APP, APP@VERSION and APP@latest."""

from __future__ import annotations

import shutil

import pytest

from apps.queries.runs import resolve_app, resolve_forgettable, resolve_run, resolve_runs
from tests.helpers.support import given
from warehouse.connection import connect
from warehouse.errors import NothingToAnalyse, UsageError


@pytest.fixture(scope="module")
def con(template, tmp_path_factory):
    con = connect(shutil.copy(template, tmp_path_factory.mktemp("names") / "w.duckdb"))
    given(
        con,
        "runs",
        """
        run_id    app    version  started_at
        a-1       heat   1.0      2026-01-01
        a-2       heat   1.0      2026-01-02
        a-3       heat   2.0      2026-01-03
        a-4       heat   2.0      2026-01-04
        b-1       x@y    1        2026-01-05
        heat      other  1.0      2026-01-06
        lonely-1  sort   NULL      2026-01-07
        lonely-2  sort   NULL      2026-01-08
        f-1       fails  1        2026-01-09
        g-1       git    0123456789abcdef0123456789abcdef01234567  2026-01-01
        g-2       git    0123456eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee  2026-01-02
        """,
    )
    con.execute("UPDATE runs SET tags = MAP {'exit_code': '3'} WHERE run_id IN ('a-3', 'f-1')")
    con.execute(
        "INSERT INTO sources (source_id, path, sha256, bytes, reader, ingested_at, rows, "
        "pwh_version) SELECT row_number() OVER (ORDER BY run_id), run_id, run_id, 1, 'x', "
        "TIMESTAMPTZ '2026-02-01' + if(run_id = 'a-1', 5, 0) * INTERVAL 1 DAY, 1, '0' FROM runs"
    )
    con.execute(
        "INSERT INTO run_facts BY NAME "
        "SELECT run_id, source_id, 'file' AS stated_by, 0 AS position "
        "FROM runs JOIN sources ON path = run_id"
    )
    yield con
    con.close()


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("a-2", ["a-2"]),
        ("latest", ["a-1"]),
        ("heat@1.0", ["a-2", "a-1"]),
        ("heat@2.0", ["a-4"]),
        ("heat@latest", ["a-4"]),
        ("heat", ["heat"]),  # an id comes first
        ("x@y", ["b-1"]),
        ("x@y@1", ["b-1"]),
        ("sort", ["lonely-2"]),
        ("fails", ["f-1"]),
        ("b-", ["b-1"]),
        ("git@0123456789", ["g-1"]),
    ],
)
def test_names(con, name, runs):
    assert resolve_runs(con, name) == runs
    assert resolve_run(con, name) == runs[0]


@pytest.mark.parametrize(
    ("name", "runs"),
    [("1.0", ["a-2", "a-1"]), ("a-1", ["a-1"]), ("latest", ["a-1"]), ("a-4", ["a-4"])],
)
def test_names_within_an_application(con, name, runs):
    assert resolve_runs(con, name, "heat") == runs
    with pytest.raises(NothingToAnalyse):
        resolve_runs(con, name, "sort" if name != "latest" else "none")


def test_a_beginning_of_several_ids_is_told(con):
    with pytest.raises(UsageError, match=r"4 runs begin with 'a-': a-1, a-2, a-3, a-4"):
        resolve_runs(con, "a-")


@pytest.mark.parametrize(
    ("name", "near"), [("heat@1.1", "heat@1.0"), ("lonly-1", "lonely-1"), ("HEAT", "heat")]
)
def test_unknown_names_come_with_near_ones(con, name, near):
    with pytest.raises(NothingToAnalyse) as error:
        resolve_runs(con, name)
    assert near in error.value.hint.split("Near it: ")[1].split(". ")[0].split(", ")


def test_latest_is_the_newest_run_of_a_table_of_runs(warehouse):
    given(warehouse, "runs", "run_id app started_at\nb x 2026-01-01\na x 2026-01-02")
    given(
        warehouse,
        "sources",
        "source_id path sha256 bytes reader ingested_at rows pwh_version\n1 t 0 1 x 2026-02-01 1 0",
    )
    given(
        warehouse,
        "run_facts",
        "run_id source_id stated_by position\na 1 file 0\nb 1 file 1",
    )
    assert resolve_runs(warehouse, "latest") == ["a"]


@pytest.mark.parametrize("name", ["git@0123456", "git@01234"])
def test_a_commit_that_is_not_the_only_one_to_begin_so_is_unknown(con, name):
    with pytest.raises(NothingToAnalyse):
        resolve_runs(con, name)


def test_applications(con):
    assert [resolve_app(con, name) for name in ("heat", "a-1", "latest", "sort@latest")] == [
        *("heat", "heat", "heat", "sort")
    ]
    with pytest.raises(NothingToAnalyse):
        resolve_app(con, "nope")


def test_only_runs_and_versions_are_forgotten(con):
    assert resolve_forgettable(con, "heat@1.0") == ("run", ["a-2", "a-1"])
    with pytest.raises(UsageError, match="is an application"):
        resolve_forgettable(con, "sort")
