-- The last runs of a warehouse, in which one of each kind of trace is looked for.

-- Of the last two runs of each reader and application those 100 that started last; where that is
-- unknown, what counts is when they landed.
CREATE OR REPLACE VIEW _last_runs AS
WITH
  landed AS (
    SELECT f.run_id, coalesce(r.started_at, s.ingested_at) AS last_at, f.position
    FROM run_facts AS f
    JOIN sources AS s USING (source_id)
    JOIN runs AS r USING (run_id)
    QUALIFY row_number() OVER (
      PARTITION BY s.reader, r.app ORDER BY last_at DESC, f.position DESC, f.run_id DESC
    ) <= 2
  )

SELECT run_id, max(last_at) AS last_at, max(position) AS position
FROM landed
GROUP BY run_id
ORDER BY last_at DESC, position DESC
LIMIT 100;
