"""Every reader's part of the contract."""

from __future__ import annotations

from tests.ingest.case import Case
from tests.ingest.cases import (
    cprofile,
    dask_dump,
    exp_bbv,
    extrap_json,
    extrap_jsonl,
    extrap_talpas,
    extrap_text,
    gem5,
    gpgpusim,
    machine_code,
    perf_stat,
    plain,
    starpu,
    task_tables,
)

CASES: tuple[Case, ...] = (
    cprofile.CASE,
    dask_dump.CASE,
    exp_bbv.CASE,
    extrap_json.CASE,
    extrap_jsonl.CASE,
    extrap_talpas.CASE,
    extrap_text.CASE,
    gem5.CASE,
    gpgpusim.CASE,
    machine_code.CASE,
    perf_stat.CASE,
    starpu.CASE,
    task_tables.CASE,
    *plain.CASES,
)
