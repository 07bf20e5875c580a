-- Applications, machines and owners of events.
WITH
  choices AS (
    SELECT DISTINCT unnest(
      [
        {'kind': 'app', 'choice': app}, {'kind': 'machine', 'choice': machine},
        {'kind': 'owner', 'choice': "owner"}
      ],
      recursive := true
    )
    FROM change_events
  )

FROM choices
WHERE choice IS NOT NULL
ORDER BY kind, choice;
