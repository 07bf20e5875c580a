-- The first transfer of a source that has a negative size, or carries a datum that the same source
-- does not know. One that arrives before it left is no error: clocks of nodes differ.
WITH
    own AS (
        SELECT rowid AS row_id, run_id, data, bytes
        FROM transfers
        WHERE source_id = $source_id
    ),
    known AS (
        SELECT hash(run_id, data) AS h FROM task_data WHERE source_id = $source_id
    ),
    offenders AS (
        SELECT
            row_id,
            'a transfer of ' || data || ' has a size of ' || bytes || ' bytes' AS problem,
            'a size of 0 or more, or none where it is unknown' AS expected
        FROM own
        WHERE bytes < 0
        UNION ALL
        SELECT
            row_id,
            'the datum ' || data || ', which is transferred, is not known' AS problem,
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
