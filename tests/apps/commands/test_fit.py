"""`pwh fit bottlenecks`: clusters, labels, scores, the stored model, and what is refused."""

from __future__ import annotations

import json
import shutil

import duckdb
import pytest

from apps.fitting import bottlenecks
from tests.helpers.short_training import shorten_training
from tests.helpers.support import land, shared
from tests.helpers.windows import labels, windows
from udfs.bottleneck import fit as fitting
from udfs.bottleneck.training import CLASSES
from warehouse import connect

_SHAPES = ((1, 8), (1, 10))


@pytest.fixture
def quick(monkeypatch):
    """Train less, hold programs out in fewer groups, and try fewer shapes."""
    shorten_training(monkeypatch)
    monkeypatch.setattr(bottlenecks, "FOLDS", 2)
    monkeypatch.setattr(fitting, "DEFAULT_SHAPE", (1, 10))
    monkeypatch.setattr(fitting, "SEARCH", _SHAPES)


@pytest.fixture(scope="module")
def ingested(template, tmp_path_factory):
    """Return a warehouse with the windows, to be copied."""
    folder = tmp_path_factory.mktemp("windows")
    with connect(shutil.copy(template, folder / "w.duckdb")) as con:
        land(con, windows(folder / "windows.csv"))
    return folder / "w.duckdb"


@pytest.fixture
def pwh(run, ingested, tmp_path, quick):
    shutil.copy(ingested, tmp_path / "pwh.duckdb")
    return run


def asked(pwh, query):
    """Return the rows of a query by column name."""
    code, out, err = pwh("sql", "--files", query, "--format", "json")
    assert code == 0, err
    return json.loads(out)


def test_a_labels_file_gives_a_model_that_is_in_force(pwh, tmp_path):
    known = "SELECT coalesce(max(version), 0) AS n FROM models WHERE kind = 'bottlenecks'"
    before = asked(pwh, known)[0]["n"]
    code, out, err = pwh(
        *("fit", "bottlenecks", "--labels", labels(tmp_path / "labels.csv"), "--k", "6"),
        "--search",
    )
    assert code == 0
    version = before + 1
    assert out.startswith(f"Model bottlenecks/{version} of the metric set gem5: ")
    assert "in use from now on." in out
    assert "240 labelled samples of 24 programs" in out and "labels of labels.csv" in out
    assert "Number of clusters: 6, as requested." in out
    assert "pwh: holding out programs: decision tree" in err
    assert asked(
        pwh, "SELECT DISTINCT model FROM bottlenecks"
    ) == [{"model": f"bottlenecks/{version}"}]  # fmt: skip
    assert asked(
        pwh, "SELECT count(*) AS n FROM bottlenecks WHERE NOT starts_with(run_id, class)"
    ) == [{"n": 0}]  # fmt: skip
    kept = asked(
        pwh,
        "SELECT (SELECT count(*) FROM model_search WHERE (kind, version) = m) AS search, "
        "(SELECT count(DISTINCT algorithm) FROM model_scores WHERE (kind, version) = m) AS beside, "
        "(SELECT count(*) > 0 FROM model_history WHERE (kind, version) = m) AS curve, "
        "(SELECT shape FROM model_arrays WHERE (kind, version) = m AND name = 'medoids') AS shape "
        f"FROM (SELECT ('bottlenecks', {version}) AS m)",
    )
    assert kept == [{"search": len(_SHAPES), "beside": 8, "curve": True, "shape": [6, 12]}]


def test_an_interrupted_fit_tells_what_it_has_and_stores_nothing(pwh, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(fitting, "_best", interrupted)
    before = asked(pwh, "FROM models")
    code, out, err = pwh("fit", "bottlenecks", "--labels", labels(tmp_path / "labels.csv"))
    assert (code, out) == (130, "")
    assert "interrupted; so far: stacked autoencoder, " in err
    assert "; decision tree, " in err
    assert "nothing is stored" in err
    assert asked(pwh, "FROM models") == before


def test_clusters_have_classes_by_their_profiles(pwh):
    code, out, _ = pwh("fit", "bottlenecks")
    assert code == 0
    assert "* The gap statistic finds " in out
    table = out.split("profile\n")[1].split("\n\n")[0].splitlines()[1:]
    assert {line.split()[2] for line in table} == set(CLASSES)
    assert "classes of clusters by the rules, as there are too few manual labels (0 samples" in out
    verdicts = "SELECT count(*) AS n FROM bottlenecks WHERE NOT starts_with(run_id, class)"
    assert asked(pwh, verdicts) == [{"n": 0}]


def test_manual_labels_are_learned_from(pwh):
    for kind in ("Mem", "DTB"):
        for program in range(4):
            pwh("label", f"{kind}{program} 64", kind)
    code, out, _ = pwh("fit", "bottlenecks", "--k", "6")
    assert code == 0
    assert "80 labelled samples of 8 programs" in out and "manual labels" in out


def test_the_label_of_a_cluster_survives_refits(pwh):
    code, out, _ = pwh("fit", "bottlenecks", "--k", "6", "--overrule", "2=other", "--by", "ann")
    assert code == 0
    said = asked(pwh, "SELECT metric_set, class, said_by FROM cluster_classes")
    assert said == [{"metric_set": "gem5", "class": "Other", "said_by": "ann"}]
    _, again, _ = pwh("fit", "bottlenecks", "--k", "6", "--seed", "1")
    for text in (out, again):
        classes = [line.split()[2] for line in text.split("profile\n")[1].splitlines()[1:7]]
        assert classes.count("Other") == 2


def test_the_same_seed_gives_the_same_model_and_scores_are_rows(pwh, tmp_path):
    file = labels(tmp_path / "labels.csv")
    pwh("fit", "bottlenecks", "--labels", file, "--k", "6", "--seed", "5")
    _, out, _ = pwh("fit", "bottlenecks", "--labels", file, "--k", "6", "--seed", "5", "-f", "json")
    scores = json.loads(out)
    assert len({row["algorithm"] for row in scores}) == 8
    assert len({row["algorithm"] for row in scores if row["is_chosen"]}) == 1
    different = asked(
        pwh,
        "SELECT name FROM model_arrays JOIN models USING (kind, version) WHERE NOT shipped "
        'GROUP BY name HAVING count(DISTINCT "values") > 1 OR count(*) <> 2',
    )
    assert different == []


@pytest.mark.parametrize(
    ("options", "code", "problem"),
    [
        (("--k", "x"), 2, "--k 'x' is not a number of clusters"),
        (("--k", "0"), 2, "--k '0' is not a number of clusters"),
        (("--k", "10000"), 5, "cannot be clustered"),
        (("--metric-set", "foo"), 2, "there is no metric set 'foo'"),
        (("--metric-set", "papi"), 5, "there are no samples of papi"),
        (("--overrule", "3"), 2, "--overrule '3' is not a cluster and a class"),
        (("--overrule", "3=Memory"), 2, "there is no class 'Memory'"),
        (("--overrule", "9=Mem", "--k", "6"), 2, "there is no cluster 9"),
    ],
)
def test_options_that_cannot_be_carried_out(pwh, options, code, problem):
    found, out, err = pwh("fit", "bottlenecks", *options)
    assert (found, out) == (code, "")
    assert problem in err


def test_nothing_to_learn_from(run, tmp_path):
    (tmp_path / "other.csv").write_text("event,value\npage-faults,7\n")
    run("ingest", "other.csv")
    code, _, err = run("fit", "bottlenecks")
    assert code == 5 and "there are no samples of a known metric set" in err


def test_real_windows_with_their_labels(run, tmp_path, quick):
    file = shared("uarch/pmu_gem5_train.parquet")
    known = (
        'program, args, config, clock_ghz, "window", family, label, label_certain, label_causal, '
        "frac_mem, frac_dtb, frac_icache, frac_dma"
    )
    run_id = "program || ' ' || args || ' ' || config AS run_id, \"window\" AS sample"
    least = "(SELECT min(args) FROM all_windows AS o WHERE o.program = w.program)"
    con = duckdb.connect()
    con.execute(f"CREATE VIEW all_windows AS FROM '{file}'")
    con.execute(
        f"CREATE TABLE windows AS SELECT * FROM all_windows AS w "
        f"WHERE label_certain AND args = {least}"
    )
    con.execute(
        f"COPY (SELECT {run_id}, event, value::DOUBLE AS value FROM (UNPIVOT windows "
        f"ON COLUMNS(* EXCLUDE ({known})) INTO NAME event VALUE value)) "
        f"TO '{tmp_path / 'windows.parquet'}'"
    )
    con.execute(
        f"COPY (SELECT {run_id}, label AS class, program, label AS family FROM windows) "
        f"TO '{tmp_path / 'labels.parquet'}'"
    )
    run("ingest", "windows.parquet")
    code, out, err = run("fit", "bottlenecks", "--labels", "labels.parquet")
    assert code == 0, err
    assert "The gap statistic finds" in out
    right = (
        f"SELECT avg((class = label)::INTEGER) AS right FROM bottlenecks AS b "
        f"JOIN (SELECT {run_id}, label FROM '{file}') AS w "
        "ON b.run_id = w.run_id AND b.sample = w.sample"
    )
    assert asked(run, right)[0]["right"] > 0.9
