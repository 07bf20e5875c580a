"""`pwh scale` without a name, with several sets, and with runs that have no application."""

from __future__ import annotations

import json

import pytest


def profile(path, *, app="", version="", counts=(2, 4, 8), prefix="run", started="2024-01-01"):
    """Write a profile of three functions at some counts."""
    lines = ["run_id,app,version,ranks,started_at,function,seconds"]
    for p in counts:
        lines += [
            f"{prefix}{p},{app},{version},{p},{started} 00:00:00+00,{name},{factor / p}"
            for name, factor in (("relax", 100), ("norm", 10), ("io", 1))
        ]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def ingested_once(ingested, folder):
    """Land two versions of heat, and runs without an application."""
    older = profile(folder / "1.csv", app="heat", version="1", prefix="a")
    newer = profile(
        folder / "2.csv",
        app="heat",
        version="2",
        counts=(2, 4, 8, 16),
        prefix="b",
        started="2024-02-01",
    )
    unnamed = profile(folder / "3.csv", prefix="unnamed", started="2023-01-01")
    return ingested(older, newer, unnamed)


def test_without_a_name_the_sets_are_listed_with_what_they_hold(pwh):
    code, out, err = pwh("scale")
    assert code == 0
    header, _, *lines = out.splitlines()
    assert header.split() == [
        *("application", "version", "machine", "scaling", "counts", "functions", "runs"),
        *("newest", "run"),
    ]
    assert [" ".join(line.split()) for line in lines] == [
        "heat 2 - strong 4 (2 to 16) 3 4 b8",
        "heat 1 - strong 3 (2 to 8) 3 3 a8",
        "(no application) - - strong 3 (2 to 8) 3 3 unnamed8",
    ]
    assert "pwh scale APP predicts one of them" in err
    assert "pwh ingest FILES --app NAME --replace" in err


def test_the_list_as_rows(pwh):
    code, out, err = pwh("scale", "--format", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert [(row["app"], row["version"], row["counts"], row["functions"]) for row in found] == [
        ("heat", "2", 4, 3),
        ("heat", "1", 3, 3),
        (None, None, 3, 3),
    ]


def test_commits_are_shown_and_named_by_their_first_digits(run, tmp_path):
    commits = ("0123456789" * 4, "0123456" + "f" * 33)
    for at, version in enumerate(commits):
        prefix = f"{at}-"
        run("ingest", profile(tmp_path / f"{at}.csv", app="h", version=version, prefix=prefix))
    out = run("runs")[1]
    assert commits[0] not in out and "  0123456789  " in out
    assert commits[0] in run("runs", "-f", "csv")[1]
    code, out, _ = run("scale", "h", "--version", commits[0][:8])
    assert (code, "h version 0123456789 was measured" in out) == (0, True)
    code, out, _ = run("scale", "compare", "h", commits[0][:9], commits[1][:9])
    assert (code, out.splitlines()[0]) == (0, "h: 0123456789 to 0123456fff")
    assert run("scale", "h", "--version", "0123456")[0] == 5


def test_an_empty_warehouse_has_nothing_to_list(run, tmp_path):
    run("ingest", profile(tmp_path / "1.csv", app="heat"))
    run("forget", "run2")
    run("forget", "run4")
    run("forget", "run8")
    code, out, err = run("scale")
    assert (code, out) == (5, "")
    assert "there is no set of runs at known counts" in err


def test_runs_with_wall_times_alone_can_be_made_a_set(run, tmp_path):
    for threads in (1, 2, 4, 8):
        path = tmp_path / f"{threads}.csv"
        path.write_text(f"run_id,event,value\nr{threads},x,1\n")
        known = ("--threads", threads) if threads < 8 else ()
        run("ingest", path, "--app", "it's", "--wall-seconds", 2 + 8 / threads, *known)
    code, _, err = run("scale", "it's")
    asked = "SELECT run_id, threads, wall_seconds FROM runs WHERE app = 'it''s'"
    assert (code, f'pwh sql "{asked}" -f csv -o walls.csv, and write the missing' in err) == (
        5,
        True,
    )
    assert "The wall time is known of 4 runs of it's." in run("scale")[2]
    table = tmp_path / "walls.csv"
    run("sql", asked, "-f", "csv", "-o", table)
    table.write_text(table.read_text().replace("r8,,", "r8,8,"))
    run("ingest", table)
    code, out, _ = run("scale", "it's")
    assert (code, "it's was measured at 4 counts of threads from 1 to 8" in out) == (0, True)


def test_other_sets_of_few_counts_are_only_counted(run, tmp_path):
    old = profile(tmp_path / "1.csv", app="h", version="1", counts=(2, 4), prefix="a")
    new = profile(tmp_path / "2.csv", app="h", version="2", started="2024-02-01")
    run("ingest", old, new)
    out = run("scale", "h")[1]
    assert out.split("\n\n")[-1] == "1 other set of runs of h: fewer than 3 counts.\n"


def test_the_newest_of_several_sets_is_predicted_and_the_others_are_listed(pwh):
    _, out, err = pwh("scale", "heat")
    assert out.startswith("* heat version 2 was measured at 4 counts from 2 to 16")
    title, _, _, *lines = out.split("\n\n")[-1].splitlines()
    assert title == "Other sets of runs of heat: choose by --version and --machine"
    assert [" ".join(line.split()) for line in lines] == ["heat 1 - strong 3 (2 to 8) 3 3 a8"]
    assert err == ""


def test_a_run_chooses_its_own_set(pwh):
    _, out, _ = pwh("scale", "a4")
    assert out.startswith("* heat version 1 was measured at 3 counts from 2 to 8")
    _, out, _ = pwh("scale", "a4", "--version", "2")
    assert out.startswith("* heat version 2 was measured at 4 counts")


def test_runs_without_an_application_are_chosen_by_one_of_them(pwh):
    code, out, err = pwh("scale", "unnamed4")
    assert code == 0
    assert out.startswith("* (no application) was measured at 3 counts from 2 to 8")
    assert "to name runs without an application: pwh ingest FILES --app NAME --replace" in err
    _, rows, _ = pwh("scale", "unnamed4", "--at", "16", "--format", "json")
    (row,) = json.loads(rows)
    assert row["predicted"] == pytest.approx(111 / 16, rel=0.05)


@pytest.mark.usefixtures("changeable")
def test_runs_get_a_name_by_ingesting_them_again(pwh, folder):
    code, _, _ = pwh("ingest", folder / "3.csv", "--app", "named", "--replace")
    assert code == 0
    _, out, _ = pwh("scale", "named")
    assert out.startswith("* named was measured at 3 counts from 2 to 8")


def test_an_unknown_name_is_refused_with_a_way_to_the_list(pwh):
    code, out, err = pwh("scale", "cold")
    assert (code, out) == (5, "")
    assert "pwh scale lists all sets of runs" in err


def test_two_files_without_an_application_are_two(run, tmp_path):
    for name, times in (("a", (8, 4, 2, 1)), ("b", (1, 2, 4, 8))):
        data = "".join(f"DATA {seconds}\n" for seconds in times)
        (tmp_path / f"{name}.txt").write_text(
            f"PARAMETER p\nPOINTS 1 2 4 8\nREGION solve\nMETRIC time\n{data}"
        )
    _, _, notes = run("ingest", "a.txt", "b.txt")
    assert "a.txt names no application: its times at several counts are of 'a'" in notes
    found = json.loads(run("scale", "-f", "json")[1])
    assert sorted((row["app"], row["runs"]) for row in found) == [("a", 4), ("b", 4)]
