-- Insert the runs $run_ids (a JSON list), combined from what files and options state.
-- Options win over files; among options the latest wins, among files the first.

INSERT INTO runs BY NAME
WITH
  stated AS (
    SELECT
      run_facts.*,
      row_number() OVER (
        PARTITION BY run_id
        ORDER BY
          stated_by = 'file',
          CASE stated_by WHEN 'file' THEN 1 ELSE -1 END * epoch_us(sources.ingested_at),
          position
      ) AS turn
    FROM run_facts
    JOIN sources USING (source_id)
    WHERE run_id IN (SELECT unnest(from_json($run_ids, '["VARCHAR"]')))
  ),

  tag AS (
    SELECT run_id, entry.key AS name, first(entry.value ORDER BY turn) AS value
    FROM (SELECT run_id, turn, unnest(map_entries(tags)) AS entry FROM stated)
    GROUP BY run_id, entry.key
  ),

  tags AS (
    SELECT run_id, map(list(name ORDER BY name), list(value ORDER BY name)) AS tags
    FROM tag
    GROUP BY run_id
  ),

  facts AS (
    SELECT
      run_id,
      first(app ORDER BY turn) FILTER (app IS NOT NULL) AS app,
      first(version ORDER BY turn) FILTER (version IS NOT NULL) AS version,
      first(machine ORDER BY turn) FILTER (machine IS NOT NULL) AS machine,
      first(started_at ORDER BY turn) FILTER (started_at IS NOT NULL) AS started_at,
      first(nodes ORDER BY turn) FILTER (nodes IS NOT NULL) AS nodes,
      first(ranks ORDER BY turn) FILTER (ranks IS NOT NULL) AS ranks,
      first(threads ORDER BY turn) FILTER (threads IS NOT NULL) AS threads,
      first(problem_size ORDER BY turn) FILTER (problem_size IS NOT NULL) AS problem_size,
      first(wall_seconds ORDER BY turn) FILTER (wall_seconds IS NOT NULL) AS wall_seconds
    FROM stated
    GROUP BY run_id
  )

SELECT facts.*, coalesce(tags.tags, MAP {}) AS tags
FROM facts
LEFT JOIN tags USING (run_id);
