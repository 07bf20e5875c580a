-- Which source lines execute most instructions?
--
-- Of the latest traced run of each program. Where only instructions are counted and not visits,
-- these are added up; lines are there if the program was built with debug information.
WITH
  latest AS (
    SELECT run_id, app, version
    FROM runs
    WHERE run_id IN (SELECT run_id FROM bb_visits)
    QUALIFY row_number() OVER (PARTITION BY app ORDER BY started_at DESC, run_id DESC) = 1
  ),

  lines AS (
    SELECT
      app, version, b.function, b.source_file, b.source_line,
      sum(coalesce(v.instructions, v.visits * b.size)) AS instructions
    FROM latest
    JOIN bb_visits AS v USING (run_id)
    JOIN bb_blocks AS b
      ON v.run_id = b.run_id AND v.bb = b.bb AND v.kernel IS NOT DISTINCT FROM b.kernel
    GROUP BY ALL
  )
SELECT
  *,
  round(100 * instructions / sum(instructions) OVER (PARTITION BY app), 1) AS percent
FROM lines
QUALIFY row_number() OVER (PARTITION BY app ORDER BY instructions DESC) <= 5
ORDER BY app, instructions DESC;
