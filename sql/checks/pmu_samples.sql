-- The first sample of a source with a value, a share or a place that cannot be. A value below zero
-- can be a metric, which has a unit; a counter has none.
WITH judged AS (
    SELECT
        rowid AS row_id,
        CASE
            WHEN NOT isfinite(value) OR value > 18446744073709551615 THEN {
                'problem': 'the value of ' || event || ' is ' || value,
                'expected': 'a counter of at most 64 bits, or none where it was not counted'
            }
            WHEN value < 0 AND unit IS NULL THEN {
                'problem': 'the counter ' || event || ' is ' || value,
                'expected': 'a count from 0, or a metric with its unit'
            }
            WHEN t_end < t_start THEN {
                'problem': 'a sample ends (' || t_end || ') before it starts (' || t_start || ')',
                'expected': 't_end at or after t_start'
            }
            WHEN NOT running BETWEEN 0 AND 1 THEN {
                'problem': 'the share of time running is ' || running,
                'expected': 'a share from 0 to 1'
            }
            WHEN NOT (deviation >= 0 AND isfinite(deviation)) THEN {
                'problem': 'the deviation is ' || deviation,
                'expected': 'a number from 0'
            }
            WHEN rank < 0 THEN {
                'problem': rank || ' in the column rank',
                'expected': 'whole numbers from 0'
            }
            WHEN thread < 0 THEN {
                'problem': thread || ' in the column thread',
                'expected': 'whole numbers from 0'
            }
            WHEN cpu < 0 THEN {
                'problem': cpu || ' in the column cpu',
                'expected': 'whole numbers from 0'
            }
            WHEN sample < 0 THEN {
                'problem': sample || ' in the column sample',
                'expected': 'whole numbers from 0'
            }
        END AS verdict
    FROM pmu_samples
    WHERE source_id = $source_id
)
SELECT
    verdict.problem,
    verdict.expected,
    row_id - (SELECT min(rowid) FROM pmu_samples WHERE source_id = $source_id) + 1 AS row_number
FROM judged
WHERE verdict IS NOT NULL
ORDER BY row_id
LIMIT 1;
