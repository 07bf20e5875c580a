-- The first visits of a source with a negative number in them.
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
            WHEN warp < 0 THEN {
                'problem': warp || ' in the column warp',
                'expected': 'whole numbers from 0'
            }
            WHEN thread < 0 THEN {
                'problem': thread || ' in the column thread',
                'expected': 'whole numbers from 0'
            }
            WHEN interval < 0 THEN {
                'problem': interval || ' in the column interval',
                'expected': 'whole numbers from 0'
            }
            WHEN bb < 0 THEN {
                'problem': bb || ' in the column bb',
                'expected': 'whole numbers from 0'
            }
            WHEN visits < 0 THEN {
                'problem': visits || ' in the column visits',
                'expected': 'whole numbers from 0'
            }
            WHEN instructions < 0 THEN {
                'problem': instructions || ' in the column instructions',
                'expected': 'whole numbers from 0'
            }
        END AS verdict
    FROM bb_visits
    WHERE source_id = $source_id
)
SELECT
    verdict.problem,
    verdict.expected,
    row_id - (SELECT min(rowid) FROM bb_visits WHERE source_id = $source_id) + 1 AS row_number
FROM judged
WHERE verdict IS NOT NULL
ORDER BY row_id
LIMIT 1;
