"""Imbalance across ranks in `pwh report` and `pwh scale`."""

from __future__ import annotations

import csv

import pytest

COUNTS = (4, 16, 64)


def seconds(function, count, rank):
    """Return the time of a function on a rank: rank 1 computes more, and waits less for others."""
    extra = 0.8 * count**0.5 if rank == 1 else 0.0
    return {"relax": 10 + extra, "setup": 1.0, "MPI_Barrier": 8 - extra / 4}[function]


@pytest.fixture
def profiles(tmp_path):
    """Write one profile per count, in seconds of each function on each rank."""
    path = tmp_path / "heat.csv"
    with path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["run_id", "app", "ranks", "function", "rank", "seconds"])
        for count in COUNTS:
            for function in ("relax", "setup", "MPI_Barrier"):
                for rank in range(count):
                    at = seconds(function, count, rank)
                    lines.writerow([f"p{count}", "heat", count, function, rank, at])
    return path


def test_the_report_names_the_slow_rank_and_what_balance_would_save(run, profiles):
    run("ingest", profiles)
    _, out, _ = run("report", "p4")
    # Work is 11, 12.6, 11, 11 s, mean 11.4; waiting 8, 7.6, 8, 8 s, mean 7.9; 1.2 / 19.3 is 6.22 %.
    assert (
        "* The 4 ranks work 11.4 s on average, calls that wait for others left out; the slowest is "
        "rank 1 with 12.6 s: perfect balance would save at most 1.2 s (6.22 % of the time)." in out
    )
    assert (
        "* Most time to save by balance is in relax: 1.2 s, with 11.6 s on the slowest rank "
        "and 10.4 s on average (imbalance 11.5 %); rank 1 is slow." in out
    )


def test_scale_shows_the_imbalance_at_the_largest_count_and_how_it_grows(run, profiles):
    run("ingest", profiles)
    _, out, _ = run("scale", "heat")
    # At 64 the mean is 10 + 6.4 / 64 = 10.1 and the longest 16.4.
    assert (
        "* At 64 balance over the ranks would save most in relax: 6.3 s (imbalance 62.4 %, " in out
    )
    title, _, _, *lines = out.split("\n\n")[-1].splitlines()
    assert title == "Imbalance over ranks at 64"
    (line,) = lines
    assert line.split()[:5] == ["relax", "62.4", "%", "16.4", "6.3"]
    assert line.split()[-1] == "1"


def test_ranks_that_share_the_work_evenly(run, tmp_path):
    path = tmp_path / "even.csv"
    path.write_text(
        "run_id,function,rank,seconds\n"
        + "".join(f"even,f,{rank},2\neven,MPI_Barrier,{rank},{rank}\n" for rank in range(4))
    )
    run("ingest", path)
    _, out, _ = run("report", "even")
    assert (
        "* The 4 ranks share the work evenly: 2 s on average, 2 s on the slowest, calls that wait "
        "for others left out." in out
    )
    assert "Most seconds to save" not in out


@pytest.mark.parametrize("ranks", ["", "0"])
def test_one_rank_or_unknown_ranks_say_nothing_of_balance(run, tmp_path, ranks):
    path = tmp_path / "one.csv"
    path.write_text(f"run_id,function,rank,seconds\none,f,{ranks},2\none,g,{ranks},1\n")
    run("ingest", path)
    code, out, _ = run("report", "one")
    assert code == 0
    assert "balance" not in out and "evenly" not in out


def test_a_function_on_one_rank_has_no_growth(run, tmp_path):
    path = tmp_path / "reader.csv"
    lines = ["app,ranks,function,rank,seconds"]
    for count in (2, 4, 8):
        lines += [f"a,{count},f,{rank},1" for rank in range(count)]
        lines.append(f"a,{count},read,0,1")
    path.write_text("\n".join(lines) + "\n")
    run("ingest", path)
    _, out, _ = run("scale", "a")
    (line,) = out.split("\n\n")[-1].splitlines()[3:]
    assert line.split() == ["read", "one", "rank", "1", "0.875", "-", "0"]
