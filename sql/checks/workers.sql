-- The first worker of a source that stands twice in one run, or whose window ends before it begins.
WITH
    offenders AS (
        SELECT
            rowid AS row_id,
            'the window of the worker ' || worker || ' ends (' || t_end
            || ') before it begins (' || t_begin || ')' AS problem,
            't_end at or after t_begin' AS expected
        FROM workers
        WHERE source_id = $source_id AND t_end < t_begin
        UNION ALL
        SELECT
            max(rowid) AS row_id,
            'the worker ' || worker || ' stands twice' AS problem,
            'one row for each worker' AS expected
        FROM workers
        WHERE source_id = $source_id
        GROUP BY run_id, worker
        HAVING count(*) > 1
    )
SELECT
    problem,
    expected,
    row_id - (SELECT min(rowid) FROM workers WHERE source_id = $source_id) + 1 AS row_number
FROM offenders
ORDER BY row_id
LIMIT 1;
