-- Which runs lack a version, machine, start or wall time, so that histories leave them out?
--
-- State what a file does not: pwh ingest --version V --machine M --started-at T.
SELECT
  app,
  count(*) AS runs,
  count(*) FILTER (version IS NULL) AS without_version,
  count(*) FILTER (machine IS NULL) AS without_machine,
  count(*) FILTER (started_at IS NULL) AS without_start,
  count(*) FILTER (wall_seconds IS NULL) AS without_wall_time,
  min(run_id) AS example
FROM runs
WHERE version IS NULL OR machine IS NULL OR started_at IS NULL OR wall_seconds IS NULL
GROUP BY app
ORDER BY app;
