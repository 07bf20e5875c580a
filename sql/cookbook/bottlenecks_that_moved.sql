-- In which code regions did the bottleneck move from one version to the next?
--
-- Runs are put in order where machine, processes, threads and problem size are the same.
WITH
  -- the bottleneck of a region next to that of the run before
  history AS (
    SELECT
      app, region, started_at, version, class, advice,
      lag(version) OVER earlier AS version_before,
      lag(class) OVER earlier AS class_before
    FROM bottleneck_by_region
    JOIN run_configurations USING (run_id)
    WHERE class <> 'Unknown'
    WINDOW earlier AS (
      PARTITION BY app, configuration, region ORDER BY started_at, run_id
    )
  )
SELECT app, region, version_before, class_before, version, class, advice
FROM history
WHERE class <> class_before
ORDER BY started_at, app, region;
