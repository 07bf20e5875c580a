-- Applications, branches, machines and owners of events.
WITH
  choices AS (
    SELECT DISTINCT unnest(
      [
        {'kind': 'app', 'choice': e.app}, {'kind': 'machine', 'choice': r.machine},
        {'kind': 'branch', 'choice': g.branch}
      ],
      recursive := true
    )
    FROM _change_events AS e
    JOIN runs AS r ON e.run_id = r.run_id
    LEFT JOIN run_groups AS g ON e.run_id = g.run_id
    UNION
    SELECT 'owner', "owner"
    FROM acknowledgements
  )

FROM choices
WHERE choice IS NOT NULL
ORDER BY kind, choice;
