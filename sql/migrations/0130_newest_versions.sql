-- Where the newest version of a series begins: a change is expected there, and needs less evidence.

ALTER TABLE _series_parts ADD COLUMN newest_from STRUCT(
    "index" INTEGER, run_id VARCHAR, version VARCHAR, "commit" VARCHAR, started_at TIMESTAMPTZ,
    previous_run_id VARCHAR, previous_version VARCHAR, previous_commit VARCHAR,
    near_after TIMESTAMPTZ, near_until TIMESTAMPTZ
)[];
ALTER TABLE series ADD COLUMN newest_from STRUCT(
    "index" INTEGER, run_id VARCHAR, version VARCHAR, "commit" VARCHAR, started_at TIMESTAMPTZ,
    previous_run_id VARCHAR, previous_version VARCHAR, previous_commit VARCHAR,
    near_after TIMESTAMPTZ, near_until TIMESTAMPTZ
)[];
COMMENT ON COLUMN series.newest_from IS 'Where its newest version begins, as a place of a change; empty where all runs are of one version.';
