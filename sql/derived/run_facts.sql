-- Insert the facts of runs that files, or the options given with them, state: $facts is a JSON list.

INSERT INTO run_facts BY NAME
SELECT fact.*
FROM (
  SELECT unnest(from_json($facts, '[{
    "source_id": "BIGINT", "run_id": "VARCHAR", "position": "INTEGER", "stated_by": "VARCHAR",
    "app": "VARCHAR", "version": "VARCHAR", "machine": "VARCHAR", "started_at": "TIMESTAMPTZ", "nodes": "INTEGER", "ranks": "INTEGER",
    "commit": "VARCHAR", "branch": "VARCHAR", "committed_at": "TIMESTAMPTZ",
    "threads": "INTEGER", "problem_size": "DOUBLE", "wall_seconds": "DOUBLE",
    "tags": "MAP(VARCHAR, VARCHAR)", "environment": "MAP(VARCHAR, VARCHAR)"
  }]')) AS fact
);
