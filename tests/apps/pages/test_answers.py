"""Answers of pages: the file is let go for those that wait to write it."""

from __future__ import annotations

import threading

import pytest

from apps.pages.answers import Answers
from warehouse import yielding
from warehouse.queue import waiting_writers
from warehouse.sharing import writing

LONG = "SELECT count(*) FROM range(10000000) AS a, range(10000000) AS b WHERE a.range < b.range"
SAVED = "SELECT count(*) FROM saved_queries"


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(yielding, "_YIELD_SECONDS", 0.1)
    monkeypatch.setattr(yielding, "_TICK", 0.01)


class Writer(threading.Thread):
    """Another session of the app, which saves a query as soon as it can."""

    def __init__(self, path, name):
        super().__init__()
        self.path, self.saved = path, name
        self.start()
        while not waiting_writers(path) and self.is_alive():
            pass

    def run(self):
        with writing(self.path, wait=60) as con:
            con.execute(
                "INSERT INTO saved_queries (name, query, saved_at) VALUES ($1, 'FROM runs', now())",
                [self.saved],
            )


def test_what_is_interrupted_is_asked_again_behind_the_writer(new_warehouse):
    answers = Answers(new_warehouse)
    writers = []

    def compute(con):
        # Always longer than a writer waits, but for the last time, on a copy.
        if len(writers) < yielding.IN_PLACE:
            writers.append(Writer(new_warehouse, str(len(writers))))
            con.execute(LONG)
        return con.execute(SAVED).fetchone()[0]

    saved = answers.get("saved", (), compute).value
    assert saved == len(writers) == yielding.IN_PLACE
    # The rest of the page is of the same copy, and nobody waits for it.
    with writing(new_warehouse, wait=0) as con:
        con.execute("DELETE FROM saved_queries")
    assert answers.get("once more", (), lambda con: con.execute(SAVED).fetchone()[0]).value == 2
    answers.close()
    for writer in writers:
        writer.join()


def test_between_two_questions_a_page_lets_a_writer_pass(new_warehouse):
    answers = Answers(new_warehouse)

    def ask(name):
        return answers.get(name, (), lambda con: con.execute(SAVED).fetchone()[0]).value

    assert ask("first") == 0
    writer = Writer(new_warehouse, "one")
    while not answers._watch.is_due:
        pass
    assert ask("second") == 1
    answers.close()
    writer.join()
