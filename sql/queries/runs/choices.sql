-- Values that runs can be filtered by: kind is app, that with most runs first, none (runs without an
-- application), version, machine or tag, those of the newest runs first. The last three are those of
-- the runs of $app, which may be (no application), or of all where it is NULL.
WITH
  of_app AS (
    SELECT r.*, t.last_at, t.position
    FROM runs AS r
    JOIN _run_times AS t USING (run_id)
    WHERE $app IS NULL OR coalesce(app, '(no application)') = $app
  ),

  facts AS (
    SELECT 'app' AS kind, app AS choice, NULL AS last_at, NULL AS position FROM runs
    UNION ALL
    SELECT 'none', '(no application)', NULL, NULL FROM runs WHERE app IS NULL
    UNION ALL
    SELECT 'version', version, last_at, position FROM of_app
    UNION ALL
    SELECT 'machine', machine, last_at, position FROM of_app
    UNION ALL
    SELECT 'tag', t.tag.key || '=' || t.tag.value, last_at, position
    FROM (SELECT unnest(map_entries(tags)) AS tag, last_at, position FROM of_app) AS t
  )

SELECT kind, choice, count(*) AS runs
FROM facts
WHERE choice IS NOT NULL
GROUP BY kind, choice
ORDER BY
  kind, CASE WHEN kind = 'app' THEN runs END DESC, max(last_at) DESC NULLS LAST,
  max(position) DESC, choice;
