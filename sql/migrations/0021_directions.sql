-- Directions of more metrics; a rate by cycles has none, as it also moves when only the cycles do.

DELETE FROM change_thresholds
WHERE shipped
  AND metric IN ('*:*miss*', 'per_cycle:*instructions*', 'per_cycle:PAPI_TOT_INS');

INSERT INTO change_thresholds (metric, better, shipped) VALUES
    ('per_cycle:*', 'neither', true),
    ('cost:*', 'lower', true),
    ('functions:*', 'lower', true),
    ('counter:*task-clock*', 'lower', true),
    ('counter:*cpu-clock*', 'lower', true),
    ('counter:*duration_time*', 'lower', true),
    ('counter:*user_time*', 'lower', true),
    ('counter:*system_time*', 'lower', true),
    ('counter:*faults*', 'lower', true),
    ('counter:*context-switches*', 'lower', true),
    ('counter:*cpu-migrations*', 'lower', true),
    ('counter:*energy*', 'lower', true),
    ('counter:*allocat*', 'lower', true),
    ('counter:*alloc*bytes*', 'lower', true),
    ('counter:*bytes*alloc*', 'lower', true),
    ('counter:*max*rss*', 'lower', true),
    ('counter:*misses*', 'lower', true),
    ('counter:*-miss*', 'lower', true),
    ('counter:*_miss*', 'lower', true),
    ('counter:*.miss*', 'lower', true),
    ('counter:*Miss*', 'lower', true),
    ('counter:*MISS*', 'lower', true),
    ('counter:PAPI_L[123]_?CM', 'lower', true),
    ('counter:PAPI_TLB_?M', 'lower', true),
    ('counter:Ir', 'lower', true),
    ('counter:[ID]?m[rw]', 'lower', true);

COMMENT ON COLUMN run_facts.stated_by IS 'option, file, rows (computed from its rows: wall_seconds from perf''s duration_time, the start from times since 1970), or file_time (only a start: when the file was last modified, where nothing else states one). Options win, and among options the latest.';

-- Scalars that are computed in another way now: times of several repetitions in one run are means,
-- and profiles of events have costs of functions.
DELETE FROM kept_runs
WHERE run_id IN (
    SELECT run_id FROM fn_timings WHERE repetition > 0
    UNION
    SELECT run_id FROM pmu_samples WHERE region IS NOT NULL
);
