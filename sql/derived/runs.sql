-- Insert the runs of which {runs} is the condition, combined from what files and options state. Options
-- win over what was written by hand, that over what files state, that over what their rows show, that
-- over tags named commit and branch, those over what was checked out where a file was written, and that
-- over the time at which a file was last modified; among options the latest wins, among files the
-- first. Where none states the wall time, it is that of $makespans (JSON: seconds by run).

INSERT INTO runs BY NAME
WITH
  stated AS (
    SELECT
      run_facts.*, sources.ingested_at,
      row_number() OVER (
        PARTITION BY run_id
        ORDER BY
          list_position(['option', 'hand', 'file', 'rows', 'git', 'file_time', 'file_name'], stated_by),
          CASE stated_by WHEN 'option' THEN -1 ELSE 1 END * epoch_us(sources.ingested_at),
          position
      ) AS turn
    FROM run_facts
    LEFT JOIN sources USING (source_id)
    WHERE {runs}
  ),

  tag AS (
    SELECT run_id, entry.key AS name, arg_min(entry.value, turn) AS value
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
      arg_min(app, turn) AS app,
      arg_min(version, turn) AS version,
      arg_min(machine, turn) AS machine,
      arg_min(started_at, turn) AS started_at,
      arg_min(nodes, turn) AS nodes,
      arg_min(ranks, turn) AS ranks,
      arg_min(threads, turn) AS threads,
      arg_min(problem_size, turn) AS problem_size,
      arg_min(wall_seconds, turn) AS wall_seconds,
      arg_min("commit", turn) FILTER (stated_by <> 'git') AS "commit",
      arg_min(branch, turn) FILTER (stated_by <> 'git') AS branch,
      arg_min(committed_at, turn) FILTER (stated_by <> 'git') AS committed_at,
      arg_min({{'commit': "commit", 'branch': branch, 'committed_at': committed_at}}, turn)
        FILTER (stated_by = 'git') AS checked_out,
      max(ingested_at) AS landed_at,
      list_reduce(
        list(environment ORDER BY turn DESC) FILTER (environment IS NOT NULL),
        lambda weaker, stronger: map_concat(weaker, stronger)
      ) AS environment
    FROM stated
    GROUP BY run_id
  ),

  -- a run of a version, or from before the commit was made, is not of it
  placed AS (
    SELECT
      * EXCLUDE (checked_out),
      CASE
        WHEN version IS NULL AND coalesce(started_at >= checked_out.committed_at, true)
          THEN checked_out
      END AS head
    FROM facts
  ),

  makespans AS (
    SELECT
      unnest(map_keys(seconds)) AS run_id,
      unnest(map_values(seconds)) AS seconds
    FROM (SELECT from_json($makespans, '"MAP(VARCHAR, DOUBLE)"') AS seconds)
  )

SELECT
  placed.* EXCLUDE (head)
  REPLACE (
    coalesce(wall_seconds, makespans.seconds) AS wall_seconds,
    coalesce("commit", tags.tags['commit'], head."commit") AS "commit",
    coalesce(
      branch, tags.tags['branch'],
      CASE WHEN coalesce("commit", tags.tags['commit'], head."commit") = head."commit" THEN head.branch END
    ) AS branch
  ),
  coalesce(tags.tags, MAP {{}}) AS tags
FROM placed
LEFT JOIN tags USING (run_id)
LEFT JOIN makespans USING (run_id);
