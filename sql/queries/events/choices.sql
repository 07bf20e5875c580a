-- Applications, branches, machines and owners of events.
WITH
  choices AS (
    SELECT DISTINCT unnest(
      [
        {'kind': 'app', 'choice': e.app}, {'kind': 'machine', 'choice': e.machine},
        {'kind': 'owner', 'choice': e."owner"}, {'kind': 'branch', 'choice': g.branch}
      ],
      recursive := true
    )
    FROM change_events AS e
    LEFT JOIN run_groups AS g ON e.run_id = g.run_id
  )

FROM choices
WHERE choice IS NOT NULL
ORDER BY kind, choice;
