-- The first input of a source whose task or datum the same source does not know. Names are
-- compared by hash, as in tasks.sql.
WITH
    own AS (
        SELECT rowid AS row_id, run_id, task, data
        FROM task_inputs
        WHERE source_id = $source_id
    ),
    readers AS (
        SELECT hash(run_id, task) AS h FROM tasks WHERE source_id = $source_id
    ),
    known AS (
        SELECT hash(run_id, data) AS h FROM task_data WHERE source_id = $source_id
    ),
    offenders AS (
        SELECT
            row_id,
            'the task ' || task || ', which reads ' || data || ', is not known' AS problem,
            'a task that the table of tasks lists' AS expected
        FROM own ANTI JOIN readers ON hash(own.run_id, own.task) = readers.h
        WHERE EXISTS (SELECT 1 FROM readers)
        UNION ALL
        SELECT
            row_id,
            'the datum ' || data || ', which the task ' || task || ' reads, is not known'
            AS problem,
            'a datum that the table of data lists' AS expected
        FROM own ANTI JOIN known ON hash(own.run_id, own.data) = known.h
        WHERE EXISTS (SELECT 1 FROM known)
    )
SELECT
    problem,
    expected,
    row_id - (SELECT min(row_id) FROM own) + 1 AS row_number
FROM offenders
ORDER BY row_id
LIMIT 1;
