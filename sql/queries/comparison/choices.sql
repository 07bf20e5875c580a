-- What can be compared, the latest first: versions of applications, then runs; at most $most of each.
(
  SELECT app || '@' || version AS choice
  FROM runs
  WHERE app IS NOT NULL AND version IS NOT NULL
  GROUP BY app, version
  ORDER BY max(started_at) DESC NULLS LAST, choice
  LIMIT $most
)
UNION ALL
(
  SELECT run_id FROM runs ORDER BY started_at DESC NULLS LAST, run_id LIMIT $most
);
