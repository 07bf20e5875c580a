-- The first datum of a source that stands twice in one run, has a negative size, or was made by a
-- task that the same source does not know. Names are compared by hash, as in tasks.sql.
WITH
    own AS (
        SELECT rowid AS row_id, run_id, data, producer, bytes
        FROM task_data
        WHERE source_id = $source_id
    ),
    suspects AS (
        SELECT hash(run_id, data) AS h FROM own GROUP BY h HAVING count(*) > 1
    ),
    makers AS (
        SELECT hash(run_id, task) AS h FROM tasks WHERE source_id = $source_id
    ),
    offenders AS (
        SELECT
            row_id,
            'the datum ' || data || ' has a size of ' || bytes || ' bytes' AS problem,
            'a size of 0 or more, or none where it is unknown' AS expected
        FROM own
        WHERE bytes < 0
        UNION ALL
        SELECT
            max(row_id) AS row_id,
            'the datum ' || data || ' stands twice' AS problem,
            'one row for each datum' AS expected
        FROM own SEMI JOIN suspects ON hash(own.run_id, own.data) = suspects.h
        GROUP BY run_id, data
        HAVING count(*) > 1
        UNION ALL
        SELECT
            row_id,
            'the datum ' || data || ' was made by the task ' || producer
            || ', which is not known' AS problem,
            'a task that the table of tasks lists, or none' AS expected
        FROM own ANTI JOIN makers ON hash(own.run_id, own.producer) = makers.h
        WHERE producer IS NOT NULL AND EXISTS (SELECT 1 FROM makers)
    )
SELECT
    problem,
    expected,
    row_id - (SELECT min(row_id) FROM own) + 1 AS row_number
FROM offenders
ORDER BY row_id
LIMIT 1;
