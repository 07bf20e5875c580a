-- Insert commits: $commits is a JSON list.

INSERT INTO commits BY NAME
SELECT c.*
FROM (
  SELECT unnest(from_json($commits, '[{
    "repository": "VARCHAR", "commit": "VARCHAR", "parents": ["VARCHAR"], "author": "VARCHAR",
    "committed_at": "TIMESTAMPTZ", "subject": "VARCHAR", "position": "BIGINT",
    "merged_in": "VARCHAR", "fork_position": "BIGINT", "branches": ["VARCHAR"], "url": "VARCHAR"
  }]')) AS c
);
