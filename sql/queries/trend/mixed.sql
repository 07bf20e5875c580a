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
        run_id, machine, CAST(nodes AS VARCHAR) AS nodes, CAST(ranks AS VARCHAR) AS ranks,
        CAST(threads AS VARCHAR) AS threads, CAST(problem_size AS VARCHAR) AS problem_size
      FROM runs
      WHERE app = $app
    )
    ON machine, nodes, ranks, threads, problem_size
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
