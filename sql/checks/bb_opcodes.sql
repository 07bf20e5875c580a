-- The first opcode count of a source with a negative number in it.
WITH judged AS (
    SELECT
        rowid AS row_id,
        CASE
            WHEN launch < 0 THEN {
                'problem': launch || ' in the column launch',
                'expected': 'whole numbers from 0'
            }
            WHEN bb < 0 THEN {
                'problem': bb || ' in the column bb',
                'expected': 'whole numbers from 0'
            }
            WHEN count < 0 THEN {
                'problem': count || ' in the column count',
                'expected': 'whole numbers from 0'
            }
        END AS verdict
    FROM bb_opcodes
    WHERE source_id = $source_id
)
SELECT
    verdict.problem,
    verdict.expected,
    row_id - (SELECT min(rowid) FROM bb_opcodes WHERE source_id = $source_id) + 1 AS row_number
FROM judged
WHERE verdict IS NOT NULL
ORDER BY row_id
LIMIT 1;
