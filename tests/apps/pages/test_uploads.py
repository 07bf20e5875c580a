"""Upload of files on the Ingest page: through the command, with its messages."""

from __future__ import annotations

import pytest

from apps.pages.uploads import land
from tests.apps.pages.conftest import texts
from tests.helpers.support import rows
from warehouse.connection import connect
from warehouse.errors import UsageError

GOOD = b"run_id,event,value,sample\nr1,cycles,7,0\n"
FACTS = {"app": "heat -x", "version": "", "machine": "", "started-at": ""}


def test_files_land_by_the_command_and_nothing_is_left_behind(new_warehouse):
    uploaded = land(
        new_warehouse,
        [("good.csv", GOOD), ("bad.csv", b"run_id,event,value\nr2,cycles,many\n"), ("x.txt", b"?")],
        FACTS,
    )
    assert not uploaded.is_whole
    said = uploaded.text.splitlines()
    assert any(line.startswith("landed   good.csv  plain  r1") for line in said)
    assert any(line.startswith("pwh: rejected bad.csv") for line in said)
    assert any(line.startswith("pwh: rejected x.txt: no reader recognises") for line in said)
    assert not new_warehouse.with_name(f"{new_warehouse.name}.uploads").exists()
    con = connect(new_warehouse, read_only=True)
    # When it was uploaded is not when it ran.
    assert rows(con, "SELECT run_id, app, started_at FROM runs") == [("r1", "heat -x", None)]
    stay = rows(con, "SELECT parse_filename(path) FROM rejections ORDER BY ALL")
    assert stay == [("bad.csv",), ("x.txt",)]
    con.close()
    again = land(new_warehouse, [("good.csv", GOOD)], FACTS)
    assert again.is_whole
    assert again.text.startswith("known    good.csv")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], "no file to land"),
        (["..", "a.csv"], "is not the name of a file"),
        (["/"], "is not the name of a file"),
        (["a\x00.csv"], "is not the name of a file"),
        (["n" * 300], "cannot be stored: File name too long"),
        (["a/x.csv", "b\\x.csv"], "Two files have the name x.csv"),
    ],
)
def test_names_lead_nowhere_else(tmp_path, names, said):
    with pytest.raises(UsageError, match=said):
        land(tmp_path / "w.duckdb", [(name, GOOD) for name in names], {})
    assert not list(tmp_path.iterdir())


def test_what_another_upload_left_is_told(tmp_path):
    (tmp_path / "w.duckdb.uploads").mkdir()
    with pytest.raises(UsageError, match="an upload under way"):
        land(tmp_path / "w.duckdb", [("a.csv", GOOD)], {})


def test_what_was_uploaded_has_a_link_to_its_run(open_page, new_warehouse, monkeypatch):
    monkeypatch.setenv("PWH_ALLOW_INGEST", "1")
    app = open_page("ingest", new_warehouse)
    app.session_state["_landed"] = land(new_warehouse, [("good.csv", GOOD), ("x.txt", b"?")], {})
    app.run()
    links = {link.proto.label: link.proto.query_string for link in app.get("page_link")}
    assert links["See r1"] == "run=r1"
    assert "x.txt" in texts(app) and "Rejected, and not landed later" in texts(app)


def test_only_where_it_is_allowed(open_page, new_warehouse, monkeypatch):
    app = open_page("ingest", new_warehouse)
    assert not app.file_uploader
    assert "pwh ui --allow-ingest lets this page upload files" in texts(app)
    monkeypatch.setenv("PWH_ALLOW_INGEST", "1")
    app = open_page("ingest", new_warehouse)
    assert app.file_uploader
    next(button for button in app.button if button.label == "Land").click().run()
    assert "There is no file to land" in texts(app)
