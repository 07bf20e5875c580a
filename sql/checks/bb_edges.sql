-- The first edge of a source with a negative number in it.
WITH judged AS (
    SELECT
        rowid AS row_id,
        CASE
            WHEN launch < 0 THEN {
                'problem': launch || ' in the column launch',
                'expected': 'whole numbers from 0'
            }
            WHEN block < 0 THEN {
                'problem': block || ' in the column block',
                'expected': 'whole numbers from 0'
            }
            WHEN thread < 0 THEN {
                'problem': thread || ' in the column thread',
                'expected': 'whole numbers from 0'
            }
            WHEN src < 0 THEN {
                'problem': src || ' in the column src',
                'expected': 'whole numbers from 0'
            }
            WHEN dst < 0 THEN {
                'problem': dst || ' in the column dst',
                'expected': 'whole numbers from 0'
            }
            WHEN count < 0 THEN {
                'problem': count || ' in the column count',
                'expected': 'whole numbers from 0'
            }
        END AS verdict
    FROM bb_edges
    WHERE source_id = $source_id
)
SELECT
    verdict.problem,
    verdict.expected,
    row_id - (SELECT min(rowid) FROM bb_edges WHERE source_id = $source_id) + 1 AS row_number
FROM judged
WHERE verdict IS NOT NULL
ORDER BY row_id
LIMIT 1;
