-- Delete the commits that no run is of any more.

DELETE FROM commits
WHERE NOT EXISTS (
  FROM runs AS r
  WHERE lower(coalesce(r."commit", r.tags['commit'])[:7]) = commits."commit"[:7]
    AND starts_with(commits."commit", lower(coalesce(r."commit", r.tags['commit'])))
);
