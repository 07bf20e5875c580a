"""pwh retention and pwh maintain: rows go by rules, and every answer stays as it was."""

from __future__ import annotations

import shutil

import pytest

import warehouse as pwh
from ingest import retention
from ingest.analyse import analyse_all, outdated_keys
from ingest.refresh import all_of, outdated
from tests.helpers.support import land, rows
from warehouse import analyses, revision

LANDED = " UNION ".join(
    f"SELECT run_id FROM {table}" for table in ("fn_timings", "pmu_samples", "tasks")
)
ANSWERS = (
    ("trend", "stencil"),
    ("gate", "stencil"),
    ("compare", "stencil@1.16", "stencil@1.23"),
    ("diagnose", "latest"),
    ("events",),
)


@pytest.fixture
def db(demo_warehouse, tmp_path):
    return shutil.copy(demo_warehouse, tmp_path / "w.duckdb")


def stored(con):
    """Return a digest of the rows of each analysis."""
    return {
        one.name: rows(con, f"SELECT count(*), bit_xor(hash(t)) FROM {one.name} AS t")
        for one in analyses.every()
    }


def test_answers_stay_and_rows_of_changes_too(run, db):
    answers = [run("--db", db, *command)[:2] for command in ANSWERS]
    with pwh.connect(db) as con:
        before, metrics = stored(con), rows(con, "FROM run_metrics ORDER BY ALL")
        of_events = rows(
            con,
            "SELECT DISTINCT run_id FROM (SELECT unnest(c.runs) AS run_id FROM "
            f"(SELECT unnest(changes) AS c FROM series)) WHERE run_id IN ({LANDED}) ORDER BY 1",
        )
    run("--db", db, "retention", "add", "--keep", "answers", "--days", "1")
    code, said, _ = run("--db", db, "maintain", "--dry-run")
    assert code == 0 and said.startswith("would delete by rule 1: ") and "fn_timings" in said
    with pwh.connect(db) as con:
        assert stored(con) == before and rows(con, "FROM forgotten_rows") == []
    assert said.removeprefix("would delete") in run("--db", db, "maintain")[1]
    assert run("--db", db, "maintain", "--dry-run")[1] == "would delete nothing\n"
    assert [run("--db", db, *command)[:2] for command in ANSWERS] == answers
    with pwh.connect(db) as con:
        assert stored(con) == before
        assert rows(con, "FROM run_metrics ORDER BY ALL") == metrics
        assert len(of_events) > 5
        assert set(of_events) <= set(rows(con, LANDED))
        assert rows(con, "SELECT sum(rows) > 5000 FROM forgotten_rows") == [(True,)]


def test_what_is_gone_is_not_computed_anew(run, db, tmp_path):
    with pwh.connect(db) as con:
        given = "INSERT INTO retention_rules VALUES (1, 'answers', '*', '*', '*', 0)"
        con.execute(given)
        retention.apply(con, rows(con, "SELECT now()")[0][0])
        of_gone = [
            f"FROM {name} SEMI JOIN forgotten_rows USING (run_id) ORDER BY ALL"
            for name in ("bottlenecks", "thread_behaviour")
        ]
        before = [rows(con, query) for query in of_gone]
        assert all(before)
        gone = {run_id for (run_id,) in rows(con, "SELECT run_id FROM forgotten_rows")}
        assert outdated(con).whole == [] and outdated_keys(con) == {}
        assert not gone.intersection(all_of(con, gone).whole)
        # another pwh computes otherwise, and has nothing to compute it from
        con.execute("UPDATE analyses SET revision = 'other'")
        con.execute("UPDATE kept_runs SET revision = 'other'")
        assert not gone.intersection(outdated(con).scalars)
        analyse_all(con)
        assert [rows(con, query) for query in of_gone] == before
        (run_id,) = sorted(gone)[:1]
        con.execute("UPDATE kept_runs SET revision = $1", [revision.current()])
    (tmp_path / "more.csv").write_text(f"run_id,function,seconds\n{run_id},f,1\n")
    code, _, err = run("--db", db, "ingest", tmp_path / "more.csv")
    assert code == 3 and f"rows of the run {run_id} are gone" in err
    # nothing is wrong with the warehouse
    assert "wrong" not in run("--db", db, "doctor")[1]
    assert run("--db", db, "forget", run_id)[0] == 0
    assert run("--db", db, "ingest", tmp_path / "more.csv")[0] == 0


VERSIONS = "SELECT DISTINCT version FROM fn_timings JOIN runs USING (run_id) ORDER BY 1"


def test_rules_are_of_branches_rows_and_ages_and_what_is_annotated_stays(run, template, tmp_path):
    db = shutil.copy(template, tmp_path / "w.duckdb")
    with pwh.connect(db) as con:
        for number in range(1, 7):
            path = tmp_path / f"{number}.csv"
            path.write_text(f"function,seconds\nf,{number}\ng,2\n")
            days = 100 - 10 * number
            facts = {
                **{"app": "a", "version": str(number), "machine": "m"},
                **{"branch": "main" if number % 2 else "topic"},
                "started_at": rows(con, f"SELECT now() - INTERVAL {days} DAY")[0][0],
            }
            land(con, path, facts=facts)

    def command(*words):
        code, said, err = run("--db", db, *words)
        assert code == 0, err
        return said

    of_branch = ("retention", "add", "--keep", "nothing", "--branch", "t*", "--days", "50")
    assert command(*of_branch) == "rule 1 set; pwh maintain applies it\n"
    assert command(*of_branch[:-1], "20") == "rule 1 set; pwh maintain applies it\n"
    assert command(*of_branch) == "rule 1 set; pwh maintain applies it\n"
    command("retention", "add", "--keep", "answers", "--days", "35")
    command("retention", "add", "--keep", "all", "--rows", "fn_*", "--branch", "main")
    command("ack", "a@2", "invalid")
    command("maintain")
    with pwh.connect(db) as con:
        assert rows(con, "SELECT version FROM runs ORDER BY 1") == [(n,) for n in "12356"]
        assert rows(con, VERSIONS) == [(n,) for n in "1235"]
    command("retention", "remove", "3")
    command("maintain")
    with pwh.connect(db) as con:
        assert rows(con, VERSIONS) == [("2",)]
        assert rows(con, "SELECT DISTINCT version FROM run_metrics ORDER BY 1") == [
            (n,) for n in "12356"
        ]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--keep", "answers"], "needs --days"),
        (["--keep", "all", "--days", "3"], "has no --days"),
        (["--keep", "nothing", "--days", "3", "--rows", "tasks"], "so it has no --rows"),
        (["--keep", "answers", "--days", "3", "--rows", "taks"], "no landing table is called taks"),
    ],
)
def test_a_rule_without_a_meaning_is_refused(run, db, words, says):
    code, _, err = run("--db", db, "retention", "add", *words)
    assert code == 2 and says in err


def test_the_oldest_rows_go_until_a_warehouse_fits(run, db):
    code, said, err = run("--db", db, "maintain", "--most", "1MB")
    assert code == 0 and "deleted by --most: " in said
    assert "still larger than 1MB" in err


def test_a_group_is_deleted_as_a_whole_or_not(db, monkeypatch):
    with pwh.connect(db) as con:
        con.execute("INSERT INTO retention_rules VALUES (1, 'answers', '*', '*', '*', 0)")
        before = rows(con, "SELECT count(*) FROM fn_timings")
        now = rows(con, "SELECT now()")[0][0]
        monkeypatch.setattr(retention, "_DERIVED", {"tasks": "no_table"})
        with pytest.raises(Exception, match="no_table"):
            retention.apply(con, now)
        assert rows(con, "SELECT count(*) FROM fn_timings") == before
        assert rows(con, "FROM forgotten_rows") == [] and outdated_keys(con) == {}
