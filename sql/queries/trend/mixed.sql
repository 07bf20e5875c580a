-- What the runs of an application's series differ in though they are in one series.
WITH
  members AS (
    SELECT configuration_id AS series, run_id
    FROM _run_places
    SEMI JOIN (FROM _scalars) AS m USING (run_id)
    WHERE app = $app
    WINDOW own AS (PARTITION BY configuration_id)
    -- runs that all started at one time are no series
    QUALIFY count(*) OVER own = 1 OR min(point) OVER own < max(point) OVER own
  ),

  facts AS (
    UNPIVOT (
      SELECT
        r.run_id, r.machine, CAST(r.nodes AS VARCHAR) AS nodes, CAST(r.ranks AS VARCHAR) AS ranks,
        CAST(r.threads AS VARCHAR) AS threads, CAST(r.problem_size AS VARCHAR) AS problem_size,
        -- folders may be clones of one
        CASE WHEN starts_with(g.repository, 'https:') THEN g.repository END AS repository
      FROM runs AS r
      JOIN run_groups AS g ON r.run_id = g.run_id
      WHERE r.app = $app
    )
    ON machine, nodes, ranks, threads, problem_size, repository
    INTO NAME field VALUE text
  )

SELECT
  f.field, count(DISTINCT f.text) AS most, string_agg(DISTINCT f.text, ', ' ORDER BY f.text) AS texts
FROM members AS m
JOIN facts AS f USING (run_id)
GROUP BY m.series, f.field
HAVING count(DISTINCT f.text) > 1
QUALIFY row_number() OVER (PARTITION BY f.field ORDER BY most DESC) = 1
ORDER BY f.field;
