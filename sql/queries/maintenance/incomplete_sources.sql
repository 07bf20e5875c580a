-- Sources that have more or fewer rows than landed. Idle times are derived from the tasks of a source,
-- or landed themselves.
WITH
  counted AS (
    SELECT
      source_id,
      coalesce(
        sum(rows) FILTER ("table" NOT IN ('idle_intervals', 'idle_latency', 'idle_segments')), 0
      ) AS found,
      sum(rows) AS found_with_idle
    FROM _landed_rows
    GROUP BY source_id
  )

SELECT path, rows, CAST(coalesce(found, 0) AS BIGINT) AS found
FROM sources
LEFT JOIN counted USING (source_id)
WHERE rows NOT IN (coalesce(found, 0), coalesce(found_with_idle, 0))
ORDER BY path;
