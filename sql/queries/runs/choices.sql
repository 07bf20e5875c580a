-- Values that runs can be filtered by, the most frequent values first: kind is app, none (runs
-- without an application), version, machine or tag. The last three are those of the runs of $app,
-- which may be (no application), or of all where it is NULL.
WITH
  of_app AS (
    SELECT * FROM runs WHERE $app IS NULL OR coalesce(app, '(no application)') = $app
  ),

  facts AS (
    SELECT 'app' AS kind, app AS choice FROM runs
    UNION ALL
    SELECT 'none', '(no application)' FROM runs WHERE app IS NULL
    UNION ALL
    SELECT 'version', version FROM of_app
    UNION ALL
    SELECT 'machine', machine FROM of_app
    UNION ALL
    SELECT 'tag', t.tag.key || '=' || t.tag.value
    FROM (SELECT unnest(map_entries(tags)) AS tag FROM of_app) AS t
  )

SELECT kind, choice, count(*) AS runs
FROM facts
WHERE choice IS NOT NULL
GROUP BY kind, choice
QUALIFY row_number() OVER (PARTITION BY kind ORDER BY count(*) DESC, choice) <= 1000
ORDER BY kind, runs DESC, choice;
