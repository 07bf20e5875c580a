-- The first timing of a source with a time, a count or a place that cannot be.
WITH judged AS (
    SELECT
        rowid AS row_id,
        CASE
            WHEN NOT (seconds >= 0 AND isfinite(seconds)) THEN {
                'problem': 'the time of ' || function || ' is ' || seconds || ' s',
                'expected': 'seconds from 0, or none where not measured'
            }
            WHEN NOT (inclusive_seconds >= 0 AND isfinite(inclusive_seconds)) THEN {
                'problem': 'the inclusive time of ' || function || ' is ' || inclusive_seconds
                    || ' s',
                'expected': 'seconds from 0, or none where not measured'
            }
            WHEN parallelism < 1 THEN {
                'problem': 'the parallelism is ' || parallelism,
                'expected': 'a whole number from 1'
            }
            WHEN rank < 0 THEN {
                'problem': rank || ' in the column rank',
                'expected': 'whole numbers from 0'
            }
            WHEN thread < 0 THEN {
                'problem': thread || ' in the column thread',
                'expected': 'whole numbers from 0'
            }
            WHEN repetition < 0 THEN {
                'problem': repetition || ' in the column repetition',
                'expected': 'whole numbers from 0'
            }
            WHEN calls < 0 THEN {
                'problem': calls || ' in the column calls',
                'expected': 'whole numbers from 0'
            }
        END AS verdict
    FROM fn_timings
    WHERE source_id = $source_id
)
SELECT
    verdict.problem,
    verdict.expected,
    row_id - (SELECT min(rowid) FROM fn_timings WHERE source_id = $source_id) + 1 AS row_number
FROM judged
WHERE verdict IS NOT NULL
ORDER BY row_id
LIMIT 1;
