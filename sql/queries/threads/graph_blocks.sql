-- Basic blocks that one launch visited, the most executed first.
WITH
  visited AS (
    SELECT
      bb,
      any_value(kernel) AS kernel,
      CASE WHEN count(visits) = count(*) THEN CAST(sum(visits) AS BIGINT) END AS visits,
      CASE WHEN count(instructions) = count(*)
        THEN CAST(sum(instructions) AS BIGINT) END AS instructions
    FROM bb_visits
    WHERE run_id = $run_id AND launch = $launch
    GROUP BY bb
  ),

  described AS (
    SELECT
      kernel, bb,
      max(size) AS size, max(barriers) AS barriers,
      any_value("function") AS "function",
      min({'file': source_file, 'line': source_line}) FILTER (source_file IS NOT NULL) AS source
    FROM bb_blocks
    WHERE run_id = $run_id
    GROUP BY kernel, bb
  )

SELECT
  v.bb, v.visits, v.instructions, d.size, d.barriers, d."function",
  d.source.file AS source_file, d.source.line AS source_line
FROM visited AS v
LEFT JOIN described AS d ON v.bb = d.bb AND v.kernel IS NOT DISTINCT FROM d.kernel
ORDER BY coalesce(v.instructions, v.visits) DESC NULLS LAST, v.bb;
