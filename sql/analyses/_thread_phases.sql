-- key: run_id VARCHAR
-- scope: run_id
-- reads: bb_visits
-- requires: run_contents
-- functions: phases
--
-- Phases of threads over time, for traces cut into intervals (SimPoint's method, see interval_phases).

-- inputs
SELECT run_id AS key, run_id AS scope, digest
FROM _run_contents
WHERE run_id IN (FROM _scope) AND (rows['bb_visits'] > 0);

-- rows
WITH
  elements AS (
    SELECT
      run_id, launch, block, thread,
      list(interval) AS intervals,
      list(bb) AS bbs,
      list(coalesce(instructions, visits)) AS weights
    FROM bb_visits
    WHERE interval IS NOT NULL AND thread IS NOT NULL
    GROUP BY run_id, launch, block, thread
  )

SELECT run_id, launch, block, thread, unnest(interval_phases(intervals, bbs, weights)) AS p
FROM elements;
