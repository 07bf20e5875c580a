-- The first runtime interval of a source that ends before it starts, has a negative total, or lies
-- on a worker that the same source does not know.
WITH
    own AS (
        SELECT rowid AS row_id, run_id, worker, t_start, t_end, total_ns
        FROM runtime_intervals
        WHERE source_id = $source_id
    ),
    homeless AS (
        SELECT run_id, worker FROM (SELECT DISTINCT run_id, worker FROM own)
        WHERE EXISTS (SELECT 1 FROM workers WHERE source_id = $source_id)
        EXCEPT
        SELECT run_id, worker FROM workers WHERE source_id = $source_id
    ),
    offenders AS (
        SELECT
            row_id,
            'a runtime interval of the worker ' || worker || ' ends (' || t_end
            || ') before it starts (' || t_start || ')' AS problem,
            't_end at or after t_start' AS expected
        FROM own
        WHERE t_end < t_start
        UNION ALL
        SELECT
            row_id,
            'a runtime interval of the worker ' || worker || ' has a total of ' || total_ns
            || ' ns' AS problem,
            'a total of 0 or more, or none where the runtime ran all through' AS expected
        FROM own
        WHERE total_ns < 0
        UNION ALL
        SELECT
            row_id,
            'the runtime ran on the worker ' || worker || ', which is not known' AS problem,
            'a worker that the table of workers lists' AS expected
        FROM own SEMI JOIN homeless USING (run_id, worker)
    )
SELECT
    problem,
    expected,
    row_id - (SELECT min(row_id) FROM own) + 1 AS row_number
FROM offenders
ORDER BY row_id
LIMIT 1;
