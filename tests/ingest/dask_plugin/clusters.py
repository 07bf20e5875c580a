"""Live Dask clusters, and what is true of every recording of them."""

from __future__ import annotations

import re
import time
from contextlib import contextmanager
from datetime import datetime

import pytest

pytest.importorskip("distributed")

from distributed import Client, LocalCluster

from tests.helpers.support import rows

NO_OVERLAP = """
    SELECT count(*) FROM (
      SELECT t_start < lag(t_end) OVER (PARTITION BY worker ORDER BY t_start, t_end) AS early
      FROM tasks
    ) WHERE early
"""
OUTSIDE = """
    SELECT count(*) FROM tasks JOIN workers USING (run_id, worker)
    WHERE tasks.t_start < t_begin OR tasks.t_end > workers.t_end
"""
# Inputs whose datum neither was made on the reader's node nor came there before it began.
NOT_THERE = """
    SELECT count(*)
    FROM task_inputs AS i
    JOIN tasks AS t USING (run_id, task)
    JOIN workers AS w USING (run_id, worker)
    JOIN task_data AS d USING (run_id, data)
    LEFT JOIN tasks AS made ON d.producer = made.task
    LEFT JOIN workers AS host ON made.worker = host.worker
    WHERE coalesce(d.node, host.node) <> w.node AND NOT EXISTS (
      FROM transfers AS x WHERE x.data = i.data AND x.to_node = w.node AND x.t_recv <= t.t_start
    )
"""


@contextmanager
def cluster(**options):
    options = {"n_workers": 2, "threads_per_worker": 2, "processes": False, **options}
    with (
        LocalCluster(dashboard_address=":0", silence_logs=50, **options) as local,
        Client(local) as client,
    ):
        yield client


def stamped(*inputs, seconds=0.01):
    """Work, and return when by the worker's clock, in ns."""
    began = time.time_ns()
    time.sleep(seconds)
    return began, time.time_ns()


def addresses(client):
    return list(client.scheduler_info(n_workers=-1)["workers"])


def origin_ns(folder):
    began = re.search(r"--started-at (\S+?)\)", notes(folder))[1]
    return int(datetime.fromisoformat(began).timestamp() * 1e6) * 1000


def notes(folder):
    return (folder / "recording.txt").read_text()


def sound(con):
    """Check what is true of every recording."""
    assert rows(con, NO_OVERLAP) == [(0,)]
    assert rows(con, OUTSIDE) == [(0,)]
    assert rows(con, NOT_THERE) == [(0,)]
    assert rows(con, "FROM transfers WHERE t_send > t_recv OR from_node = to_node") == []
    assert rows(con, "FROM tasks WHERE t_submit > t_start") == []
    assert rows(con, "FROM worker_summary WHERE busy_seconds < 0 OR idle_seconds < 0") == []
