-- The first segment of a source with a count below zero, cycles that cannot be, or machine code
-- that is not whole bytes in hexadecimal.
WITH
    own AS (
        SELECT rowid AS row_id, *
        FROM segments
        WHERE source_id = $source_id
    ),
    first_offender AS (
        FROM own
        WHERE segment < 0
            OR thread < 0
            OR NOT (cycles > 0 AND isfinite(cycles))
            OR least(
                instructions, n_int, n_fp, n_simd, n_load, n_store, n_branch, n_other, serialising,
                list_min(critical_path), list_min(issued), uops, n_mul, n_div, n_fp_div,
                n_nonspeculative, taken, mispredicts, rob, list_min(distances), list_min(front_end),
                chain_latency, flow_unlimited, flow_64, flow_128
            ) < 0
            OR NOT regexp_full_match(hex, '([0-9a-fA-F]{2})+')
        ORDER BY row_id
        LIMIT 1
    )
SELECT
    CASE
        WHEN hex = '' THEN 'the machine code is empty'
        WHEN length(hex) % 2 = 1 THEN 'the machine code ' || hex[:40] || ' has an odd number ('
            || length(hex) || ') of digits'
        WHEN NOT regexp_full_match(hex, '[0-9a-fA-F]+') THEN 'the machine code ' || hex[:40]
            || ' holds ' || regexp_extract(hex, '[^0-9a-fA-F]') || ', which is no hexadecimal digit'
        WHEN NOT (cycles > 0 AND isfinite(cycles)) THEN 'the block takes ' || cycles || ' cycles'
        WHEN segment < 0 THEN 'the segment has the number ' || segment
        WHEN thread < 0 THEN 'the thread has the number ' || thread
        ELSE 'a count is negative'
    END AS problem,
    CASE
        WHEN NOT regexp_full_match(hex, '([0-9a-fA-F]{2})+') THEN 'two hexadecimal digits a byte'
        WHEN NOT (cycles > 0 AND isfinite(cycles)) THEN 'cycles above 0, or none where not measured'
        ELSE 'whole numbers from 0'
    END AS expected,
    row_id - (SELECT min(row_id) FROM own) + 1 AS row_number
FROM first_offender;
