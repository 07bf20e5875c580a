"""Views over function times."""

from __future__ import annotations

from tests.helpers.support import given, rows


def test_shares_are_of_all_ranks_and_seconds_per_rank(warehouse):
    given(
        warehouse,
        "fn_timings",
        """
        function  callpath    rank  seconds  calls
        solve     main->solve 0     3.0      10
        solve     main->solve 1     5.0      10
        halo      main->halo  0     1.0      2
        halo      main->halo  1     1.0      2
        """,
    )
    assert rows(
        warehouse,
        "SELECT function, seconds, share, calls, longest FROM function_shares ORDER BY share DESC",
    ) == [("solve", 4.0, 0.8, 20, 5.0), ("halo", 1.0, 0.2, 4, 1.0)]


def test_a_run_without_time_has_no_shares(warehouse):
    given(warehouse, "fn_timings", "function seconds\nf 0\ng 0")
    assert rows(warehouse, "SELECT DISTINCT share FROM function_shares") == [(None,)]
