-- Runs by what is known of them, those that started last first (where that is unknown, what counts is
-- when they landed); every parameter may be NULL. $app is also (no application), $tag is key=value,
-- $text is looked for in names and tags; $since and $until are the first and last start.
SELECT r.run_id, r.app, r.version, r.machine, t.stated_at AS started_at, r.wall_seconds,
  r.tags['exit_code'] AS exit_code, r.nodes, r.ranks, r.threads, r.problem_size, r.tags
FROM runs AS r
JOIN _run_times AS t USING (run_id)
WHERE ($app IS NULL OR coalesce(r.app, '(no application)') = $app)
  AND ($version IS NULL OR r.version = $version)
  AND ($machine IS NULL OR r.machine = $machine)
  AND ($since IS NULL OR t.last_at BETWEEN CAST($since AS TIMESTAMPTZ) AND CAST($until AS TIMESTAMPTZ))
  AND (
    $tag IS NULL
    OR list_contains(list_transform(map_entries(r.tags), lambda t: t.key || '=' || t.value), $tag)
  )
  AND (
    $text IS NULL
    OR contains(
      lower(concat_ws(' ', r.run_id, r.app, r.version, r.machine, CAST(r.tags AS VARCHAR))),
      lower($text)
    )
  )
ORDER BY t.last_at DESC NULLS LAST, t.position DESC, r.run_id;
