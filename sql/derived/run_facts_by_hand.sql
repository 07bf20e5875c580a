-- Take the runs of which {runs} is the condition, and of which nothing is stated, over into run_facts:
-- they were written into runs by hand, and runs is made anew from run_facts.
INSERT INTO run_facts BY NAME
SELECT
  run_id, 0 AS source_id, 'hand' AS stated_by, 0 AS position, app, version, machine, started_at, nodes,
  ranks, threads, problem_size, wall_seconds, "commit", branch, committed_at, environment, coalesce(tags, MAP {{}}) AS tags
FROM runs
WHERE {runs} AND run_id NOT IN (SELECT run_id FROM run_facts WHERE {runs});
