-- The first basic block of a source with a size or an address that cannot be.
WITH judged AS (
    SELECT
        rowid AS row_id,
        CASE
            WHEN pc_last < pc_first THEN {
                'problem': 'the block ' || bb || ' ends (' || pc_last
                    || ') before it starts (' || pc_first || ')',
                'expected': 'pc_last at or after pc_first'
            }
            WHEN bb < 0 THEN {
                'problem': bb || ' in the column bb',
                'expected': 'whole numbers from 0'
            }
            WHEN size < 0 THEN {
                'problem': size || ' in the column size',
                'expected': 'whole numbers from 0'
            }
            WHEN barriers < 0 THEN {
                'problem': barriers || ' in the column barriers',
                'expected': 'whole numbers from 0'
            }
            WHEN pc_first < 0 THEN {
                'problem': pc_first || ' in the column pc_first',
                'expected': 'whole numbers from 0'
            }
            WHEN source_line < 0 THEN {
                'problem': source_line || ' in the column source_line',
                'expected': 'whole numbers from 0'
            }
        END AS verdict
    FROM bb_blocks
    WHERE source_id = $source_id
)
SELECT
    verdict.problem,
    verdict.expected,
    row_id - (SELECT min(rowid) FROM bb_blocks WHERE source_id = $source_id) + 1 AS row_number
FROM judged
WHERE verdict IS NOT NULL
ORDER BY row_id
LIMIT 1;
