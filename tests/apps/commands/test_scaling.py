"""`pwh scale`: predictions in sentences, the tables, two versions compared, and what is refused."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re

import numpy as np
import pytest

COUNTS = (2, 4, 8, 16, 32, 64)


def profile(path, version="1", *, allreduce=0.05, size=None, app="heat"):
    """Write times of a computation that halves with the count and a collective that grows."""
    lines = ["app,version,machine,problem_size,function,parallelism,seconds"]
    for p in COUNTS:
        n = "" if size is None else size(p)
        lines.append(f"{app},{version},m,{n},relax,{p},{100 / p}")
        lines.append(f"{app},{version},m,{n},MPI_Allreduce,{p},{allreduce * p**0.5}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def ingested_once(ingested, folder):
    return ingested(profile(folder / "1.csv"))


def test_the_verdict_comes_first(pwh):
    code, out, err = pwh("scale", "heat", "--at", "256,1024")
    assert (code, err) == (0, "")
    first, second, *_ = out.splitlines()
    assert first == (
        "* heat version 1 on m was measured at 6 counts from 2 to 64; scaling is assumed to be "
        "strong, as the problem size of the runs is unknown."
    )
    assert second.startswith("* At 1024 it is predicted to take ")
    assert "* MPI_Allreduce will limit it most" in out
    assert "Largest shares at 1024" in out


def test_the_patents_bases_alone(pwh):
    code, out, err = pwh("scale", "heat", "--bases", "patent", "--at", "256")
    assert (code, err) == (0, "")
    assert out.startswith("By the patent's bases alone, exponents free: predicted at 256, from 6 ")
    _, out, _ = pwh("scale", "heat", "--bases", "patent", "--at", "256", "--format", "json")
    truth = {"relax": 100 / 256, "MPI_Allreduce": 0.05 * 16}
    found = {row["function"]: row["predicted"] for row in json.loads(out)}
    assert found == pytest.approx(truth, rel=0.02)


def test_predictions_are_near_the_truth(pwh):
    _, out, _ = pwh("scale", "heat", "--at", "128,256", "--format", "json")
    for row in json.loads(out):
        p = row["parallelism"]
        truth = 100 / p + 0.05 * p**0.5
        assert row["low"] < row["predicted"] < row["high"]
        assert row["predicted"] == pytest.approx(truth, rel=0.1)
        assert row["efficiency"] == pytest.approx(row["speedup"] * 2 / p)
        assert row["core_hours"] == pytest.approx(row["predicted"] * p / 3600)


def test_the_count_beyond_which_it_turns_slower(pwh):
    # 100 / p + 0.05 sqrt(p) is least at p = (100 / 0.025) ** (2 / 3) = 252.
    _, out, _ = pwh("scale", "heat")
    (line,) = [line for line in out.splitlines() if "predicted to make it slower" in line]
    assert 150 <= int(line.split("about ")[1].split()[0]) <= 400


def test_the_turning_point_has_an_interval(pwh):
    _, out, _ = pwh("scale", "heat")
    (line,) = [line for line in out.splitlines() if "predicted to make it slower" in line]
    low, high = re.search(r"\(90 %: (\d+) to (\d+)\)", line).groups()
    assert 150 < int(low) < 252 < int(high) < 400


def write_times(path, times):
    """Write the times of functions by count."""
    lines = ["app,function,parallelism,seconds"]
    for function, law in times.items():
        lines += [f"app,{function},{p},{law(p)}" for p in COUNTS]
    path.write_text("\n".join(lines) + "\n")
    return path


def sentence(out, words):
    """Return the sentence with some words."""
    (line,) = [line for line in out.splitlines() if words in line]
    return line


def test_no_measured_count_beyond_the_turning_point_is_faster(run, tmp_path):
    # Fastest at 4 and, after a bump, at 32.
    times = dict(zip(COUNTS, (10.0, 6.0, 7.0, 6.5, 5.5, 8.0), strict=True))
    run("ingest", write_times(tmp_path / "bump.csv", {"f": times.get}))
    line = sentence(run("scale", "app")[1], "slower")
    assert line.startswith("* Adding more than about 32 makes it slower (90 %: ")
    low, high = map(int, re.search(r": (\d+) to (?:more than )?(\d+)", line).groups())
    assert low <= 16 and high >= 64


@pytest.mark.parametrize(
    "times",
    [
        {"f": lambda p: 100 / p + 1},
        # fastest at 184 000, far beyond what is looked at
        {"f": lambda p: 100 * p**-0.7, "io": lambda p: 2.0, "MPI_Bcast": lambda p: p**0.1 / 1e3},
    ],
)
def test_a_program_that_only_gets_faster_has_no_turning_point(run, tmp_path, times):
    run("ingest", write_times(tmp_path / "amdahl.csv", times))
    line = sentence(run("scale", "app")[1], "slower")
    assert re.search(r"Up to 4096 .* not predicted .* certain \(90 %\) only up to \d+", line)


def test_a_program_that_only_gets_slower_turns_at_once(run, tmp_path):
    run("ingest", write_times(tmp_path / "slow.csv", {"f": lambda p: 1.0 * p}))
    line = sentence(run("scale", "app")[1], "slower")
    assert line == "* Adding more than 2, the smallest count, makes it slower (90 %)."


def test_times_without_a_smooth_law_have_no_turning_point(run, tmp_path):
    times = dict(zip(COUNTS, (1.0, 1.0, 0.9, 9.0, 9.0, 9.0), strict=True))
    run("ingest", write_times(tmp_path / "step.csv", {"f": times.get}))
    out = run("scale", "app")[1]
    assert re.fullmatch(
        r"\* Beyond which count adding more makes it slower is unknown: a new regime .*\. "
        "Of the measured counts 8 is the fastest.",
        sentence(out, "slower"),
    )
    assert "At 512 it is predicted to take 9 s" in out
    assert sentence(out, "efficiency over 50 %") == (
        "* Of the measured counts 4 is the largest with an efficiency over 50 %."
    )


def test_equal_last_times_that_are_sure_to_grow_are_no_plateau(run, tmp_path):
    # 100 / p + 0.05 p is as long at 32 as at 64, and least at 45
    law = {"f": lambda p: 100 / p, "MPI_Alltoall": lambda p: 0.05 * p}
    run("ingest", write_times(tmp_path / "turns.csv", law))
    found = re.fullmatch(
        r"\* Adding more than about (\d+) makes it slower \(90 %: 32 to 64\).",
        sentence(run("scale", "app")[1], "slower"),
    )
    assert 40 < int(found[1]) < 50


def test_what_is_worth_it_up_to_the_last_count_is_so_at_least(run, tmp_path):
    run("ingest", write_times(tmp_path / "ideal.csv", {"f": lambda p: 100 / p}))
    assert re.fullmatch(
        r"\* Doubling the count buys a speed-up of 1.5 up to (\d+) at least; "
        r"time x cost falls up to \1.",
        sentence(run("scale", "app")[1], "Doubling"),
    )


def test_a_program_mostly_of_functions_that_cannot_be_extrapolated_is_a_guess(run, tmp_path):
    # both jump at the last count, each within a factor of ten of what it may take
    times = dict(zip(COUNTS, (64.0, 32.0, 16.0, 8.0, 4.0, 3.0), strict=True))
    run("ingest", write_times(tmp_path / "jump.csv", {"f": times.get, "g": times.get}))
    rows = json.loads(run("scale", "app", "--at", "128", "--format", "json")[1])
    assert [(row["speedup"], row["is_guess"]) for row in rows] == [(None, True)]
    assert "What it takes at 128 does not follow" in run("scale", "app", "--at", "128")[1]


def test_the_turning_point_is_no_later_than_the_intervals_of_the_times_allow(run, tmp_path):
    # the sum of these functions is fastest at 71, and falls up to the largest count
    laws = {"f": lambda p: 100 / p, "MPI_Alltoall": lambda p: p / 50, "io": lambda _: 1.0}
    lines = ["app,function,parallelism,repetition,seconds"]
    for p in COUNTS[:-1]:
        for repetition, noise in enumerate((0.98, 1.0, 1.03)):
            for name, law in laws.items():
                # each function has its own noise
                seconds = law(p) * noise ** (1 if (p.bit_length() + len(name)) % 2 else -1)
                lines.append(f"app,{name},{p},{repetition},{seconds}")
    (tmp_path / "sum.csv").write_text("\n".join(lines) + "\n")
    run("ingest", tmp_path / "sum.csv")
    _, out, _ = run("scale", "app", "--at", "64,128,256")
    low, high = map(int, re.search(r"slower \(90 %: (\d+) to (\d+)\)", out).groups())
    assert low <= 71 <= high <= 256
    _, out, _ = run("sql", "SELECT round(low), high FROM program_turning_points", "--format", "csv")
    assert out.splitlines()[1] == f"{low}.0,{high}.0"


def test_the_largest_efficient_count_has_the_interval_of_the_times(run, tmp_path):
    # 10 / p + 0.5, measured up to 8: it is 22
    run("ingest", walls(tmp_path / "few.csv", (10.4, 5.6, 2.95, 1.77)))
    line = sentence(run("scale", "app")[1], "efficiency over 50 %")
    low, high = map(int, re.search(r"\(90 %: (\d+) to (?:more than )?(\d+)\)", line).groups())
    assert 8 < low < 22 < high


def walls(path, times):
    """Write wall times at 1, 2, 4 ... ranks."""
    rows = [f"app,{2**i},{seconds}" for i, seconds in enumerate(times)]
    path.write_text("\n".join(["app,ranks,wall_seconds", *rows]) + "\n")
    return path


def test_the_largest_efficient_count_is_below_the_measured_ones_under_the_floor(run, tmp_path):
    # 38 % at 32, surely under 50 %: times beyond are guesses
    run("ingest", walls(tmp_path / "cores.csv", (100, 50, 25, 12.5, 6.25, 8.2)))
    assert sentence(run("scale", "app")[1], "efficiency over 50 %") == (
        "* The largest count with an efficiency over 50 % is about 26 (90 %: 19 to 31)."
    )


def test_limits_reach_as_far_as_the_times_are_no_guesses(run, tmp_path):
    run("ingest", walls(tmp_path / "a.csv", (100, 50.6, 25.2, 13.3, 6.6, 3.4, 1.8, 0.9)))
    out = run("scale", "app")[1]
    for text in ("not predicted to make it slower", "predicted to stay over 50 %"):
        up_to, beyond = re.search(r"p to (\d+).*; beyond (\d+) its", sentence(out, text)).groups()
        assert up_to == beyond
        for at, is_guess in ((beyond, False), (str(int(beyond) * 2), True)):
            table = run("scale", "app", "--at", at)[1].split("\n\nLaws")[0]
            assert (table.split()[-1] == "-") == is_guess


def test_noise_around_a_constant_has_no_turning_point(run, tmp_path):
    times = dict(zip(COUNTS, (10.0, 10.8, 9.4, 10.2, 9.6, 10.7), strict=True))
    run("ingest", write_times(tmp_path / "flat.csv", {"f": times.get}))
    assert sentence(run("scale", "app")[1], "slower") == (
        "* Beyond which count adding more makes it slower is unknown: the measured times allow "
        "any from 2 on."
    )


def test_what_the_time_is_of_is_stated(run, tmp_path):
    run("ingest", write_times(tmp_path / "means.csv", {"f": lambda p: 100 / p}))
    assert "Time is the sum of rank means" in sentence(run("scale", "app")[1], "predicted to take")
    for p in COUNTS:
        path = tmp_path / f"{p}.csv"
        path.write_text(f"app,function,ranks,seconds\nwall,f,{p},{80 / p}\n")
        run("ingest", path, "--wall-seconds", str(100 / p))
    _, out, _ = run("scale", "wall", "--at", "128", "-f", "json")
    (row,) = json.loads(out)
    assert row["basis"] == "wall time" and row["measured"] is False
    assert row["predicted"] == pytest.approx(100 / 128, rel=0.02)
    assert "Time is wall time." in sentence(run("scale", "wall")[1], "predicted to take")


@pytest.mark.parametrize(("inclusive", "seconds"), [(lambda p: 40.0, 256), (float, 512)])
def test_a_program_takes_no_less_than_its_functions(run, tmp_path, inclusive, seconds):
    lines = ["app,function,parallelism,rank,seconds,inclusive_seconds"]
    for p in COUNTS:
        lines += [f"a,main,{p},0,0.001,{inclusive(p)}", f"a,work,{p},0,{p / 2},{p / 2}"]
    path = tmp_path / "inclusive.csv"
    path.write_text("\n".join(lines) + "\n")
    run("ingest", path)
    _, out, _ = run("scale", "a")
    assert "Time is wall time." in out
    assert f"At 512 it is predicted to take {seconds} s" in out


def test_functions_that_overlap_are_told_of(run, tmp_path):
    lines = ["app,function,ranks,seconds"]
    lines += [f"a,{name},{p},{64 / p}" for p in COUNTS for name in ("copy", "solve")]
    walls = ["run_id,app,ranks,wall_seconds", *(f"w{p},a,{p},{80 / p}" for p in COUNTS)]
    for name, text in (("functions.csv", lines), ("walls.csv", walls)):
        (tmp_path / name).write_text("\n".join(text) + "\n")
        run("ingest", tmp_path / name)
    _, out, _ = run("scale", "a")
    assert "the functions together take 2 s at 64, the program 1.25 s: they overlap" in out
    assert "At 512 it is predicted to take 156 ms" in out


def test_a_measured_count_is_not_predicted(pwh):
    assert "* At 32 it took 3.4" in pwh("scale", "heat", "--at", "32")[1]


def test_functions_are_ranked_by_their_time_at_the_target(run, tmp_path):
    times = {
        "linear": lambda p: 0.02 * p,
        "u_shape": lambda p: 200 / p + 0.04 * p,
        "constant": lambda p: 3.0,
    }
    run("ingest", write_times(tmp_path / "ranked.csv", times))
    _, out, _ = run("scale", "app", "--at", "1024")
    assert "u_shape will limit it most" in out
    largest = out.split("Largest shares at 1024\n")[1].split("\n\n")[0]
    assert re.findall("linear|u_shape|constant", largest) == ["u_shape", "linear", "constant"]
    growing = out.split("Shares that grow fastest\n")[1].split("\n\n")[0]
    # Its share grows from 13 % to 33 %, that of the U-shape from 57 % to 66 %.
    assert re.findall("linear|u_shape|constant", growing) == ["linear", "u_shape"]


def test_counts_default_to_multiples_of_the_largest(pwh):
    _, out, _ = pwh("scale", "heat", "--format", "csv")
    assert [row["parallelism"] for row in csv.DictReader(io.StringIO(out))] == ["128", "256", "512"]


def test_weak_scaling_is_recognised_by_the_problem_size(run, tmp_path):
    run("ingest", profile(tmp_path / "w.csv", size=lambda p: 1000 * p))
    _, out, _ = run("scale", "heat")
    assert "scaling is weak, by the problem sizes" in out
    _, out, _ = run("scale", "heat", "--strong")
    assert "scaling is taken as strong, as requested" in out


def test_weak_on_demand_gives_the_scaled_speedup(pwh):
    strong, weak = (
        json.loads(pwh("scale", "heat", "--at", "128", option, "-f", "json")[1])[0]
        for option in ("--strong", "--weak")
    )
    assert weak["speedup"] == pytest.approx(64 * strong["speedup"])
    assert weak["efficiency"] == pytest.approx(64 * strong["efficiency"])


def test_a_run_or_latest_will_do_for_the_application(pwh):
    _, by_app, _ = pwh("scale", "heat")
    assert pwh("scale", "latest")[1] == by_app
    run_id = pwh("sql", "SELECT run_id FROM runs LIMIT 1", "-f", "csv")[1].split()[1]
    assert pwh("scale", run_id)[1] == by_app


def test_problem_size_that_was_never_run_gives_no_number(pwh):
    code, out, _ = pwh("scale", "heat", "--problem-size", "9")
    assert code == 0
    assert "No prediction: no model of the problem size: it is not known" in out


@pytest.mark.usefixtures("changeable")
def test_two_versions_compared(pwh, tmp_path):
    worse = tmp_path / "2.csv"
    profile(worse, "2")
    text = [
        line if "Allreduce" not in line else line.rsplit(",", 1)[0] + f",{0.001 * p**1.5}"
        for line, p in zip(worse.read_text().splitlines()[1:], sorted(COUNTS * 2), strict=True)
    ]
    worse.write_text("\n".join([worse.read_text().splitlines()[0], *text]) + "\n")
    pwh("ingest", worse)
    code, out, _ = pwh("scale", "compare", "heat", "1", "2")
    assert code == 0
    assert out.startswith("heat: 1 to 2\n")
    assert "* 1 got worse beyond their intervals. Most time is in MPI_Allreduce" in out
    assert "* The later version is slower at 64, by " in out
    assert "where MPI_Allreduce changed most: +" in out
    code, out, _ = pwh("scale", "compare", "heat", "1", "1")
    assert "* No function's exponent got worse beyond its interval." in out


@pytest.mark.usefixtures("changeable")
def test_versions_whose_difference_their_noise_hides_are_uncertain(pwh, tmp_path):
    noise = np.random.default_rng(2).lognormal(0, 0.2, (2, 3, 5))
    lines = ["app,version,function,ranks,seconds"]
    for version, exponent in enumerate((-1.0, -0.8)):
        for index, p in enumerate((2, 4, 8)):
            lines += [f"mixed,{version},solve,{p},{p**exponent * x}" for x in noise[version, index]]
            lines += [f"mixed,{version},io,{p},{1 + p / 1000}"]
    (tmp_path / "mixed.csv").write_text("\n".join(lines) + "\n")
    pwh("ingest", tmp_path / "mixed.csv")
    _, out, _ = pwh("scale", "compare", "mixed", "0", "1", "-f", "csv")
    verdicts = {line.split(",")[0]: line.split(",")[4] for line in out.splitlines()[1:]}
    assert verdicts == {"solve": "uncertain", "io": "same"}
    _, out, _ = pwh("scale", "compare", "mixed", "0", "1")
    assert "* 1 may scale differently, within their intervals: solve." in out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("scale", "heaT"), 5, "there are no function times at known counts for 'heaT'"),
        (("scale", "heat", "--version", "9"), 5, "for 'heat', version '9'"),
        (("scale", "heat", "--at", "3,x"), 2, "'3,x' is not a list of counts"),
        (("scale", "heat", "--at", "0"), 2, "is not a list of counts"),
        (("scale", "heat", "other"), 2, "is more than one application"),
        (("scale", "compare", "heat", "1"), 2, "pwh scale compare APP V1 V2"),
    ],
)
def test_what_is_refused(arguments, code, message, pwh):
    given, out, err = pwh(*arguments)
    assert (given, out) == (code, "")
    assert message in err


@pytest.mark.parametrize(
    ("times", "first"),
    [
        ([30.3, 15.3, 7.8, 4.05, 2.8, 2.8, 2.8], 16),
        # the last count is the shortest by chance, so that the model falls for ever
        ([30.3, 15.3, 7.8, 4.05, 2.85, 2.86, 2.83], 16),
        ([30.3, 30.4, 30.2, 30.3, 30.5, 30.4, 30.3], 1),
    ],
)
def test_a_plateau_is_called_neither_slower_nor_faster(run, tmp_path, times, first):
    run("ingest", walls(tmp_path / "plateau.csv", times))
    out = run("scale", "app")[1]
    assert f"From {first} to 64, the largest count, adding more changes the time by 5 % " in out


def test_of_a_guess_nothing_follows(run, tmp_path):
    # within 10 % of p^2 at three counts: all is open at 32
    (tmp_path / "few.csv").write_text("app,ranks,wall_seconds\nx,1,1\nx,2,4.4\nx,4,15\n")
    run("ingest", tmp_path / "few.csv")
    out = run("scale", "x", "--at", "8,32")[1]
    assert "What it takes at 32 does not follow from the measured times" in out
    # speed-up, efficiency, core hours
    assert out.split("\n\nLaws")[0].split()[-3:] == ["-", "-", "-"]
    sql = "SELECT count(speedup), count(efficiency), count(core_hours) FROM program_predict(32)"
    assert run("sql", sql)[1].split()[-3:] == ["0", "0", "0"]


def test_two_counts_are_too_few(run, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("app,function,parallelism,seconds\na,f,1,2\na,f,2,1\n")
    run("ingest", path)
    code, _, err = run("scale", "a")
    assert code == 5
    assert "was measured at 2 counts" in err and "at least three" in err


def test_versions_of_which_only_wall_times_are_known_are_compared(run, tmp_path):
    lines = ["app,version,ranks,wall_seconds"]
    lines += [f"a,1,{p},{100 / p}" for p in COUNTS]
    lines += [f"a,2,{p},{100 / p**0.5}" for p in COUNTS]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines) + "\n")
    run("ingest", path)
    _, out, _ = run("scale", "compare", "a", "1", "2")
    assert "Most time is in whole program: its exponent went from -1.00 to -0.50" in out


def test_wall_times_alone_are_predicted_at_a_problem_size_too(run, tmp_path):
    lines = ["app,ranks,problem_size,wall_seconds"]
    lines += [f"a,{p},{n},{n / p + 1}" for n in (100, 200, 400) for p in COUNTS]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines) + "\n")
    run("ingest", path)
    largest = COUNTS[-1]
    _, out, _ = run("scale", "a", "--problem-size", "800", "--at", str(8 * largest))
    assert "and 3 problem sizes; what follows is for problem size 800;" in out
    assert f"it is predicted to take {800 / 8 / largest + 1:.3g} s" in out
    assert "Time is wall time." in out and f"beyond the largest count ({largest})" in out
    assert run("scale", "a", "--problem-size", "400") == run("scale", "a")


def test_doubts_are_told_at_a_problem_size_too(run, tmp_path):
    jump = dict(zip(COUNTS, (1, 20, 0.05, 20, 1, 20), strict=True))
    wall = ["app,ranks,problem_size,wall_seconds"]
    functions = ["app,function,parallelism,problem_size,seconds"]
    for p, n in itertools.product(COUNTS, (100, 200, 400)):
        wall.append(f"a,{p},{n},{n / p * jump[p]}")
        functions += [f"b,good,{p},{n},{n / p}", f"b,bad,{p},{n},{n / p * jump[p]}"]
        functions += [f"b,late,{p},{n},{n / p / 10}"] if p == COUNTS[-1] else []
    for name, lines in (("a", wall), ("b", functions)):
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
        run("ingest", tmp_path / f"{name}.csv")
    at = ("--problem-size", "800", "--at", str(2 * COUNTS[-1]))
    _, out, _ = run("scale", "a", *at)
    assert "does not follow from the measured times" in out
    assert "Up to which count adding more makes it faster is unknown: " in out
    _, out, _ = run("scale", "b", *at)
    assert "% of the predicted time is of functions with a poor fit or not extrapolatable" in out
    assert "Note: functions without a model: 1 of 3," in out


def test_wall_times_at_counts_without_profiles_are_the_program(run, tmp_path):
    profiles, walls = ["app,run_id,ranks,function,seconds"], ["app,run_id,ranks,wall_seconds"]
    for p in COUNTS:
        walls.append(f"a,wall {p},{p},{100 / p + 1}")
        profiles += [f"a,profile {p},{p},solve,{95 / p}"] if p < COUNTS[-2] else []
    for name, lines in (("p", profiles), ("w", walls)):
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
        run("ingest", tmp_path / f"{name}.csv")
    _, out, _ = run("scale", "a", "--at", str(2 * COUNTS[-1]))
    assert f"it is predicted to take {100 / 2 / COUNTS[-1] + 1:.3g} s" in out
    assert "Time is wall time." in out
    assert "solve " in out.split("Largest shares")[1]


def test_functions_are_ranked_at_the_problem_size(run, tmp_path):
    lines = ["app,function,parallelism,problem_size,seconds"]
    noise = np.random.default_rng(1).lognormal(0, 0.02, 3 * len(COUNTS))
    at = itertools.product((1000, 2000, 4000), COUNTS)
    lines += [f"a,f,{p},{n},{(1e-3 * n / p + 1) * e}" for (n, p), e in zip(at, noise, strict=True)]
    path = tmp_path / "crossed.csv"
    path.write_text("\n".join(lines) + "\n")
    run("ingest", path)
    _, out, _ = run("scale", "a", "--problem-size", "8000", "--at", "128")
    program, functions = out.split("\n\n")[1:3]
    # of a program of one function, time and interval are the function's
    assert program.splitlines()[-1].split()[1:5] == functions.splitlines()[-1].split()[1:5]
    assert "Adding more" not in out and "adding more is not predicted to make it slower" in out


def experiment(tmp_path, run, name="x", *options):
    path = tmp_path / "experiment.txt"
    points = " ".join(map(str, COUNTS))
    times = "\n".join(f"DATA {100 / p}" for p in COUNTS)
    path.write_text(f"PARAMETER {name}\nPOINTS {points}\nREGION solve\nMETRIC time\n{times}\n")
    run("ingest", path, "--app", "e", "--replace", *options)


@pytest.mark.parametrize(
    ("name", "options", "asked", "text", "has_speedup"),
    [
        ("x", (), (), "6 values of x from 2 to 64; x is not known to be a count", False),
        ("n", (), (), "6 values of n from 2 to 64; n is a problem size", False),
        ("x", ("--parameter", "x=threads"), (), "6 counts of threads from 2 to 64", True),
        ("x", (), ("--parameter", "x=nodes"), "6 counts of nodes from 2 to 64", True),
        ("p", (), (), "6 counts from 2 to 64", True),
        ("p", ("--parameter", "p=size"), (), "p is a problem size", False),
        ("gpus", (), (), "6 counts from 2 to 64", True),
    ],
)
def test_only_counts_have_speedups(run, tmp_path, name, options, asked, text, has_speedup):
    experiment(tmp_path, run, name, *options)
    code, out, _ = run("scale", "e", *asked)
    assert code == 0
    assert text in out
    assert ("efficiency 100 %" in out) == has_speedup
    assert ("Doubling the count" in out) == has_speedup


def test_parameters_that_are_refused(run, tmp_path):
    experiment(tmp_path, run)
    code, _, err = run("scale", "e", "--parameter", "y=size")
    assert (
        code,
        "e is not scaled by 'y'" in err,
        "It is scaled by x, so --parameter x=KIND." in err,
    ) == (2, True, True)
    code, _, err = run("ingest", tmp_path / "experiment.txt", "--parameter", "x=ranks")
    assert (code, "'x=ranks' states no kind that is known" in err) == (2, True)


def test_scaling_that_is_stated_is_not_called_assumed(run, tmp_path):
    experiment(tmp_path, run, "p")
    assert "Note: scaling assumed strong" in run("scale", "e")[1]
    for option in ("--weak", "--strong"):
        assert "assumed" not in run("scale", "e", option)[1]


def test_a_set_made_by_hand_has_its_efficiencies_and_shares(run, tmp_path):
    # computation of the ranks, and the time of the program
    ranks = {1: ([100.0], 100.0), 2: ([60.0, 45.0], 70.0), 4: ([30.0, 30.0, 30.0, 20.0], 50.0)}
    lines = ["app,problem_size,ranks,rank,function,kind,seconds"]
    for count, (computation, program) in ranks.items():
        for rank, one in enumerate(computation):
            times = {"solve": 0.75 * one, "setup": 0.25 * one, "MPI_Allreduce": program - one}
            lines += [f"pop,7,{count},{rank},{name},,{times[name]}" for name in times]
            lines.append(f"pop,7,{count},{rank},program,total,{program}")
    (tmp_path / "pop.csv").write_text("\n".join(lines) + "\n")
    run("ingest", tmp_path / "pop.csv")
    code, out, _ = run("scale", "pop")
    assert code == 0
    table = [" ".join(line.split()) for line in out.splitlines()]
    for row in (
        "1 100 0 100 % 100 % - - 100 % 100 % 100 % -",
        "2 52.5 17.5 87.5 % 85.7 % - - 75 % 95.2 % 71.4 % 0.4",
        "4 27.5 22.5 91.7 % 60 % - - 55 % 90.9 % 50 % 0.333",
    ):
        assert row in table
    # one process has no MPI_Allreduce, so that two counts have it: that is no model
    assert "* Functions without a model take 45 % of the time at 4, and are in no rank." in out
    _, out, _ = run("sql", "SELECT round(sum(share), 9) AS s FROM scaling_predict(4)", "-f", "csv")
    assert out.splitlines()[1] == "0.55"


def test_one_wild_repetition_at_the_last_count_makes_no_limit_sure(run, tmp_path):
    lines = ["app,ranks,repetition,function,seconds"]
    for p in COUNTS[:5]:
        for repetition in range(5):
            wild = {3: 3, 4: 9}.get(repetition, 1) if p == 32 else 1
            seconds = (100 / p + 1) * (1 + 0.005 * ((repetition * 7 + p) % 5 - 2)) * wild
            lines.append(f"wild,{p},{repetition},solve,{seconds}")
    (tmp_path / "wild.csv").write_text("\n".join(lines) + "\n")
    run("ingest", tmp_path / "wild.csv")
    _, out, _ = run("scale", "wild")
    assert "What it takes at 256 does not follow from the measured times" in out
    assert "* Up to 32 its efficiency is predicted to stay over 50 %" in out
    assert "beyond 32 its times are guesses" in out
    assert "over 50 % is about" not in out
