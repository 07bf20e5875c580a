"""Snakemake's benchmarks: what is not known of jobs, and damage."""

from __future__ import annotations

import pytest

from tests.helpers.support import land, rows

HEAD = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


def test_of_short_jobs_only_the_time_lands(warehouse, tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text(HEAD + "0.43\t0:00:00\t6.22\t8.52\t0.50\t1.08\t0.00\t0.00\t0.00\t0.00\n" * 2)
    (landed,) = land(warehouse, path)
    assert rows(warehouse, "SELECT wall_seconds FROM runs") == [(0.43,)] * 2
    assert rows(warehouse, "SELECT count(*) FROM metrics") == [(0,)]
    assert "2 jobs' memory and processor time (it took less than 0.5 s" in landed.left_out


def test_what_snakemake_did_not_collect_is_unknown(warehouse, tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text(HEAD + "3600.5\t1:00:00\tNA\tNA\tNA\tNA\t-\t-\tNA\t3000.00\n")
    land(warehouse, path)
    assert rows(warehouse, "SELECT metric, value FROM metrics") == [("cpu_time", 3000)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1.00\t0:00:01\t3.1\n", "line 2: there are 3 values\n  expected 10, as columns"),
        ("1.00\t0\tx\t0\t0\t0\t0\t0\t0\t0\n", "line 2: max_rss is 'x'\n  expected a number"),
    ],
)
def test_damage_is_refused_with_its_line(refusal, line, message):
    assert refusal((HEAD + line).encode(), "a.tsv").startswith(message)
