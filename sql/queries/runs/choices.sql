-- Values that runs can be filtered by, the most frequent values first: kind is app, version,
-- machine or tag.
WITH
  facts AS (
    SELECT 'app' AS kind, app AS choice FROM runs
    UNION ALL
    SELECT 'version', version FROM runs WHERE $app IS NULL OR app = $app
    UNION ALL
    SELECT 'machine', machine FROM runs WHERE $app IS NULL OR app = $app
    UNION ALL
    SELECT 'tag', t.tag.key || '=' || t.tag.value
    FROM (SELECT unnest(map_entries(tags)) AS tag FROM runs WHERE $app IS NULL OR app = $app) AS t
  )

SELECT kind, choice, count(*) AS runs
FROM facts
WHERE choice IS NOT NULL
GROUP BY kind, choice
QUALIFY row_number() OVER (PARTITION BY kind ORDER BY count(*) DESC, choice) <= 1000
ORDER BY kind, runs DESC, choice;
