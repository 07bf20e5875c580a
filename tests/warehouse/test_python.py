"""The connection in Python and notebooks: parameters, frames, a second warehouse."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

import warehouse as pwh
from tests.helpers.support import given

NOTEBOOK = Path(__file__).parents[2] / "apps" / "demo" / "questions.ipynb"

# A query whose result is larger than DuckDB's buffer, computed by several threads in a function.
_LARGE = """
import faulthandler, pyarrow as pa, warehouse
faulthandler.dump_traceback_later(100, exit=True)
con = warehouse.connect(":memory:")
con.execute("SET threads = 4")
con.create_function("same", lambda x: x, ["BIGINT"], "BIGINT", type="arrow")
con.execute("CREATE TABLE t AS SELECT range AS i FROM range(600000)")
con.execute("CREATE VIEW v AS SELECT same(i) AS i FROM t")
print(len(con.sql("FROM v WHERE i >= ?", params=[10]).fetchall()))
"""


def test_parameters_of_con_sql_do_not_wait_for_ever():
    done = subprocess.run(
        [sys.executable, "-c", _LARGE], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "599990\n"), done.stderr[-500:]


@pytest.fixture(scope="module")
def demo(demo_warehouse):
    """Return the demo's warehouse, opened read-only, as `connect` would be called again."""
    first = pwh.connect(demo_warehouse, read_only=True)
    again = pwh.connect(demo_warehouse, read_only=True)
    first.close()
    yield again
    again.close()


@pytest.mark.filterwarnings("ignore")  # of DuckDB's calls of pandas
def test_answers_of_views_as_frames(demo):
    asked = "SELECT function, exponent FROM scaling_models WHERE app = $app ORDER BY ALL"
    relation = demo.sql(asked, params={"app": "stencil"})
    frame = relation.pl()
    assert isinstance(frame, pl.DataFrame) and frame.height == len(relation) > 0
    assert demo.execute(asked, {"app": "stencil"}).pl().equals(frame)
    assert demo.execute(asked, {"app": "stencil"}).fetch_arrow_table().num_rows == frame.height
    if find_spec("pandas"):
        assert len(relation.df()) == len(relation)


def test_an_attached_warehouse_answers_by_its_views_and_after_use_by_its_macros(
    demo_warehouse, another
):
    con = another()
    given(con, "runs", "run_id app\nown1 own")
    con.execute(f"ATTACH '{demo_warehouse}' AS other (READ_ONLY)")
    models = "SELECT count(*) FROM {}scaling_models WHERE app = 'stencil'"
    predicted = "SELECT count(*) FROM scaling_predict(64) WHERE app = 'stencil'"
    ((count,),) = con.execute(models.format("other.")).fetchall()
    assert count > 0 and con.execute(predicted).fetchall() == [(0,)]
    con.execute("USE other")
    assert con.execute(predicted).fetchall() == con.execute(models.format("")).fetchall()
    assert con.execute("SELECT count(*) FROM runs WHERE app = 'own'").fetchall() == [(0,)]


def test_the_cells_of_the_notebook_run_in_order_and_the_first_again(
    demo_warehouse, tmp_path, monkeypatch
):
    (tmp_path / "demo.duckdb").symlink_to(demo_warehouse)
    monkeypatch.chdir(tmp_path)
    document = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = ["".join(c["source"]) for c in document["cells"] if c["cell_type"] == "code"]
    assert not any(c.get("outputs") for c in document["cells"])
    names: dict[str, object] = {}
    shown = []
    for cell in (cells[0], *cells):
        *body, last = ast.parse(cell).body
        if not isinstance(last, ast.Expr):
            exec(compile(cell, "cell", "exec"), names)
            continue
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))
    names["con"].close()
    assert len(shown) == 6 and all(len(answer) for answer in shown)
