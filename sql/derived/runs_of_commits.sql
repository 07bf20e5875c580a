-- The runs of commits, a JSON list $commits.
SELECT DISTINCT r.run_id
FROM runs AS r
JOIN (SELECT unnest(from_json($commits, '["VARCHAR"]')) AS digits) AS c
  ON lower(r."commit"[:7]) = c.digits[:7] AND starts_with(c.digits, lower(r."commit"));
