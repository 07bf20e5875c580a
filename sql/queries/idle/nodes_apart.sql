-- The nodes of one run between whose tasks nothing ran for longer than the tasks of any node took,
-- the longest such time first; with the file to ingest again. Not where the clock of one of the two
-- was set right.
WITH
  spans AS (
    SELECT node, min(t_start) AS t_begin, max(t_end) AS t_end
    FROM _task_times
    WHERE run_id = $run_id AND node IS NOT NULL
    GROUP BY node
  ),

  gaps AS (
    SELECT
      lag(node) OVER time AS node, node AS other, max(t_end - t_begin) OVER () AS longest,
      t_begin - max(t_end) OVER (time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS gap
    FROM spans
    WINDOW time AS (ORDER BY t_begin, node)
  )

SELECT
  node, other, gap / 1e9 AS seconds,
  (
    SELECT any_value(path)
    FROM sources
    WHERE source_id IN (SELECT source_id FROM tasks WHERE run_id = $run_id)
  ) AS path
FROM gaps
WHERE gap > longest AND NOT EXISTS (
  FROM nodes
  WHERE run_id = $run_id AND node IN (gaps.node, gaps.other) AND clock_offset_ns <> 0
)
ORDER BY gap DESC;
