-- The first launch of a source with a size or a count that cannot be.
WITH judged AS (
    SELECT
        rowid AS row_id,
        CASE
            WHEN granularity NOT IN ('thread', 'warp') THEN {
                'problem': 'the granularity is ' || granularity,
                'expected': 'thread or warp'
            }
            WHEN block_size < 1 THEN {
                'problem': 'the block size is ' || block_size,
                'expected': 'a whole number from 1'
            }
            WHEN warp_size < 1 THEN {
                'problem': 'the warp size is ' || warp_size,
                'expected': 'a whole number from 1'
            }
            WHEN list_min(grid) < 1 THEN {
                'problem': 'the grid is ' || CAST(grid AS VARCHAR),
                'expected': 'whole numbers from 1'
            }
            WHEN list_min(block_dim) < 1 THEN {
                'problem': 'the block_dim is ' || CAST(block_dim AS VARCHAR),
                'expected': 'whole numbers from 1'
            }
            WHEN launch < 0 THEN {
                'problem': launch || ' in the column launch',
                'expected': 'whole numbers from 0'
            }
            WHEN instructions < 0 THEN {
                'problem': instructions || ' in the column instructions',
                'expected': 'whole numbers from 0'
            }
            WHEN warp_instructions < 0 THEN {
                'problem': warp_instructions || ' in the column warp_instructions',
                'expected': 'whole numbers from 0'
            }
        END AS verdict
    FROM bb_launches
    WHERE source_id = $source_id
)
SELECT
    verdict.problem,
    verdict.expected,
    row_id - (SELECT min(rowid) FROM bb_launches WHERE source_id = $source_id) + 1 AS row_number
FROM judged
WHERE verdict IS NOT NULL
ORDER BY row_id
LIMIT 1;
