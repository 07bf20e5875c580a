-- What the start of a run is where nothing states it.

COMMENT ON COLUMN runs.started_at IS 'When it started, as its file or an option states it; else, for a run alone in its file, when that was last modified (run_facts.stated_by is file_time), which puts runs in order and is shown nowhere as a start.';
