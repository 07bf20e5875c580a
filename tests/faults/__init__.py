"""Faults that must do no harm, in numbers that take long: `python -m tests.faults` tries them all.

The suite has a short form of each: `tests/test_reliability.py` (kills, crowds, disks that are
full), `tests/ingest/test_fuzz.py` (damaged recordings), `tests/apps/reports/test_doctor.py`
(damaged warehouses), `tests/apps/output/test_files.py` and `tests/warehouse/test_terminal_sql.py`
(outputs and SQL over a warehouse), `tests/ingest/test_contract.py` (files without a line break at
their end), `tests/ingest/parsing/test_sqlite_file.py`, `tests/apps/test_interrupts.py` (databases
that never end, Ctrl-C). Only here: kills of fit, full and read-only file systems, missing
permissions (`places`). `older` has warehouses of earlier versions, which
`tests/apps/commands/test_migrate.py` migrates.
"""
