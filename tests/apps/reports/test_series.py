"""Names of series that differ still differ where they are shortened."""

from __future__ import annotations

from apps.reports.series import series_names


def test_fields_that_differ_do_so_where_they_are_shortened():
    loads = [f"rw=randrw, bs={size}k, size=16m, ioengine=psync" for size in (4, 8)]
    assert series_names([("iops", {"arguments": load, "machine": "m"}) for load in loads]) == [
        "iops (arguments=rw=randrw, bs=4k, size=…, machine=m)",
        "iops (arguments=rw=randrw, bs=8k, size=…, machine=m)",
    ]
