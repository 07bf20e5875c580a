-- Of the last two runs of each reader and application those 100 that started last; where that is
-- unknown, what counts is when they landed.
WITH
  -- what a file and what an option states of a run are two facts
  stated AS (
    SELECT
      f.run_id, r.app, r.version, s.reader,
      max(coalesce(r.started_at, s.ingested_at)) AS last_at, max(f.position) AS position
    FROM run_facts AS f
    JOIN sources AS s USING (source_id)
    JOIN runs AS r USING (run_id)
    GROUP BY f.run_id, r.app, r.version, s.reader
  ),

  landed AS (
    FROM stated
    QUALIFY row_number() OVER (
      PARTITION BY reader, app ORDER BY last_at DESC, position DESC, run_id DESC
    ) <= 2
  )

SELECT run_id, app, version
FROM landed
GROUP BY run_id, app, version
ORDER BY max(last_at) DESC, max(position) DESC, run_id DESC
LIMIT 100;
