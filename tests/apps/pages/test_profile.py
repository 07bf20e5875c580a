"""The page Profile: stacks merged into a tree, functions, two runs against each other."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import warehouse as pwh
from apps.pages.flame import merge_stacks
from tests.apps.pages.conftest import address, links, sent, texts
from tests.helpers.support import given

HOSTILE = "<img src=x onerror=alert(1)>"


def stacks(*rows):
    names, own, before = zip(*rows, strict=True)
    columns = {"stack": [name.split(">") for name in names], "own": own, "own_before": before}
    return pl.DataFrame(columns, schema_overrides={"own": pl.Float64, "own_before": pl.Float64})


def paths(tree):
    """Return the cost of each call path of a tree."""
    found = {}
    for node in range(1, len(tree.parent)):
        up, parts = node, []
        while up > 0:
            assert tree.parent[up] < up
            parts.insert(0, tree.names[tree.name[up]])
            up = tree.parent[up]
        found[">".join(parts)] = (tree.own[node], tree.before[node])
    return found


def test_stacks_share_what_they_begin_with():
    tree = merge_stacks(stacks(("a>b>c", 1, 0), ("a>b", 2, 5), ("a>d", 4, 0), ("b", 8, 0)))
    assert paths(tree) == {
        "a": (0, 0),
        "a>b": (2, 5),
        "a>b>c": (1, 0),
        "a>d": (4, 0),
        "b": (8, 0),
    }


def test_of_too_many_call_paths_the_largest_are_kept_and_nothing_is_lost():
    rows = [(f"main>f{i}>g{i % 7}", float(i + 1), float(100 - i)) for i in range(100)]
    whole, part = merge_stacks(stacks(*rows)), merge_stacks(stacks(*rows), most=50)
    assert len(part.parent) <= 50
    assert part.left_out == len(whole.parent) - len(part.parent)
    assert part.own.sum() == pytest.approx(whole.own.sum())
    assert part.before.sum() == pytest.approx(whole.before.sum())
    assert set(paths(part)) <= set(paths(whole))


def test_no_stacks_are_a_root_alone():
    empty = stacks(("a", 1, 0)).head(0)
    assert merge_stacks(empty).parent.tolist() == [-1]


def test_random_stacks_keep_their_sums():
    random = np.random.default_rng(1)
    rows = [
        (">".join(random.choice(list("abc"), random.integers(1, 9))), random.random(), 0.0)
        for _ in range(500)
    ]
    costs = {}
    for path, own, _ in rows:
        costs[path] = costs.get(path, 0) + own
    found = {path: own for path, (own, _) in paths(merge_stacks(stacks(*rows))).items() if own}
    assert found == pytest.approx(costs)


@pytest.fixture
def profiled(new_warehouse):
    """Return a warehouse with two runs of two ranks, one of them with a hostile name."""
    con = pwh.connect(new_warehouse)
    given(con, "runs", "run_id app version\nr1 a 1\nr2 a 2")
    con.execute(
        """
        INSERT INTO fn_timings (run_id, source_id, function, callpath, rank, seconds, calls)
        VALUES
          ('r1', 1, 'main', 'main', 0, 1, 1), ('r1', 1, 'main', 'main', 1, 1, 1),
          ('r1', 1, 'f', 'main->f', 0, 2, 3), ('r1', 1, 'f', 'main->f', 1, 4, 3),
          ('r2', 2, 'main', 'main', 0, 1, 1), ('r2', 2, 'main', 'main', 1, 1, 1),
          ('r2', 2, 'f', 'main->f', 0, 2, 3), ('r2', 2, $name, 'main->f->' || $name, 1, 6, 3)
        """,
        {"name": HOSTILE},
    )
    con.close()
    return new_warehouse


def costs(app):
    data = sent(app, "flame")
    inclusive = list(data["own"])
    for node in range(len(inclusive) - 1, 0, -1):
        inclusive[data["parent"][node]] += inclusive[node]
    return {
        data["names"][name]: cost
        for name, cost in zip(data["name"][1:], inclusive[1:], strict=True)
    }


def table(app):
    return {row["function"]: row for row in pl.from_pandas(app.dataframe[0].value).to_dicts()}


def test_times_are_means_over_ranks_or_those_of_one(open_page, profiled):
    app = open_page("profile", profiled, run="r1")
    assert costs(app) == {"main": 4, "f": 3}
    assert table(app)["f"]["own"] == 3
    assert table(app)["main"]["inclusive"] == 4
    assert table(app)["f"]["calls"] == 3
    assert table(app)["f"]["imbalance"] == pytest.approx(100 / 3)
    query = sent(app, "pictures")["queries"]["Own cost of all functions by rank"]
    con = pwh.connect(profiled, read_only=True)
    assert con.sql(query).fetchall() == [(0, 3), (1, 5)]
    con.close()
    app.selectbox("rank").select("1").run()
    assert costs(app) == {"main": 5, "f": 4}
    assert address(app, "rank") == "1"


def test_two_versions_are_drawn_against_each_other(open_page, profiled):
    app = open_page("profile", profiled, run="a@2", against="a@1")
    data = sent(app, "flame")
    assert sum(data["own"]) == 5
    assert sum(data["before"]) == 4
    assert table(app)["f"]["change"] == -2
    assert table(app)[HOSTILE]["own_before"] == 0


def test_the_state_of_the_flame_graph_comes_from_the_address(open_page, profiled):
    app = open_page("profile", profiled, run="r1", zoom=["main", "f"], search="f", inverted="true")
    view = sent(app, "flame")["view"]
    assert (view["zoom"], view["search"], view["inverted"]) == (["main", "f"], "f", True)
    assert app.query_params["zoom"] == ["main", "f"]
    assert address(app, "inverted") == "true"


def test_a_box_that_is_zoomed_to_narrows_the_table(open_page, profiled):
    assert set(table(open_page("profile", profiled, run="r1", zoom=["main", "f"]))) == {"f"}
    callers = open_page("profile", profiled, run="r2", zoom=["f"], inverted="true")
    assert table(callers)["main"]["inclusive"] == table(callers)["f"]["own"] == 1
    # of a graph that another run had, as far as it is there
    assert set(table(open_page("profile", profiled, run="r1", zoom=["gone"]))) == {"main", "f"}


def test_a_function_leads_to_all_that_is_known_of_it(open_page, demo_warehouse, profiled):
    link = {"run": "stencil-1.23", "against": "stencil-1.22", "function": "sweep"}
    app = open_page("profile", demo_warehouse, **link)
    assert "Own 9.13 s; before 7.18 s (+27.2 %)." in texts(app)
    ways = links(app)
    assert ways["What limits it"] == ("bottlenecks", "run=stencil-1.23&by=region")
    assert "function=sweep" in ways["How it scales"][1]
    assert "metric=seconds%3Asweep" in ways["Its history"][1]
    counted = next(one.value for one in app.dataframe if "event" in one.value)
    assert counted["event"].iloc[0] == "l3_misses"
    assert counted["ratio"].iloc[0] > 100
    assert "line 40 of its source file" in texts(
        open_page("profile", demo_warehouse, run="heat-1.5", function="heat.py(sweep)")
    )
    hostile = open_page("profile", profiled, run="r2", function=HOSTILE)
    assert HOSTILE in texts(hostile)
    assert "r1 has no function g." in texts(open_page("profile", profiled, run="r1", function="g"))


def test_a_flat_profile_has_one_level(open_page, demo_warehouse):
    app = open_page("profile", demo_warehouse, run="heat-1.3")
    assert sent(app, "flame")["flat"]


def test_a_run_is_not_drawn_against_itself(open_page, profiled):
    assert "are both the run r1" in texts(open_page("profile", profiled, run="r1", against="a@1"))


def test_a_run_without_a_profile_says_so(open_page, demo_warehouse):
    text = texts(open_page("profile", demo_warehouse, run="heat_blocks-979679d0"))
    assert "has no profile that can be drawn" in text


def test_an_empty_warehouse_shows_what_to_ingest(open_page, empty_warehouse):
    assert "No run has a profile yet" in texts(open_page("profile", empty_warehouse))
