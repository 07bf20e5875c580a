-- The first task of a source that ends before it starts, stands twice in one run, or ran on a
-- worker that the same source does not know. Repetition is searched by hash: 10^7 names of tasks
-- would not fit where 10^7 hashes do; what the hashes suggest is then compared by name.
WITH
    own AS (
        SELECT rowid AS row_id, run_id, task, worker, t_start, t_end
        FROM tasks
        WHERE source_id = $source_id
    ),
    suspects AS (
        SELECT hash(run_id, task) AS h FROM own GROUP BY h HAVING count(*) > 1
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
            'the task ' || task || ' ends (' || t_end || ') before it starts (' || t_start
            || ')' AS problem,
            't_end at or after t_start' AS expected
        FROM own
        WHERE t_end < t_start
        UNION ALL
        SELECT
            max(row_id) AS row_id,
            'the task ' || task || ' stands twice' AS problem,
            'one row for each task; a number behind the name where one ran again' AS expected
        FROM own SEMI JOIN suspects ON hash(own.run_id, own.task) = suspects.h
        GROUP BY run_id, task
        HAVING count(*) > 1
        UNION ALL
        SELECT
            row_id,
            'the task ' || task || ' ran on the worker ' || worker || ', which is not known'
            AS problem,
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
