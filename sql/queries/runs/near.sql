-- Names of runs, applications and versions that are nearly $name, the nearest first.
WITH
  names AS (
    SELECT run_id AS name FROM runs
    UNION
    SELECT app FROM runs
    UNION
    SELECT app || '@' || version FROM runs
  )

SELECT name
FROM names
WHERE name IS NOT NULL
  AND (
    jaro_winkler_similarity(lower(name), lower($name)) >= 0.85
    OR length($name) >= 3 AND contains(lower(name), lower($name))
  )
ORDER BY jaro_winkler_similarity(lower(name), lower($name)) DESC, length(name), name
LIMIT 3;
