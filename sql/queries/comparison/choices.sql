-- What can be compared, the latest first: versions of applications, then runs.
(
  SELECT app || '@' || version AS choice
  FROM runs
  JOIN _run_times USING (run_id)
  WHERE app IS NOT NULL AND version IS NOT NULL
  GROUP BY app, version
  ORDER BY max(last_at) DESC NULLS LAST, max(position) DESC, choice
)
UNION ALL
(
  SELECT run_id FROM _run_times ORDER BY last_at DESC NULLS LAST, position DESC, run_id
);
