-- What one file, or the options given with it, say of its runs: parallel lists, one entry a run.

INSERT INTO run_facts BY NAME
SELECT
  unnest(CAST($run_id AS VARCHAR[])) AS run_id,
  $source_id AS source_id,
  $stated_by AS stated_by,
  unnest(range(len($run_id))) AS position,
  unnest(CAST($app AS VARCHAR[])) AS app,
  unnest(CAST($version AS VARCHAR[])) AS version,
  unnest(CAST($machine AS VARCHAR[])) AS machine,
  unnest(CAST($started_at AS TIMESTAMPTZ[])) AS started_at,
  unnest(CAST($nodes AS INTEGER[])) AS nodes,
  unnest(CAST($ranks AS INTEGER[])) AS ranks,
  unnest(CAST($threads AS INTEGER[])) AS threads,
  unnest(CAST($problem_size AS DOUBLE[])) AS problem_size,
  unnest(CAST($wall_seconds AS DOUBLE[])) AS wall_seconds,
  map(
    unnest(CAST($tag_names AS VARCHAR[][])),
    unnest(CAST($tag_values AS VARCHAR[][]))
  ) AS tags;
