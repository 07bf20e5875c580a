-- A program's time, speed-up, efficiency and core hours at each of $counts and problem size $size:
-- the sum of the functions' predictions there, against the sum at the smallest count; that of whole
-- runs where nothing else was measured. Functions without a model keep their share of the time at
-- the largest count, and where that is more than half there is no prediction.
WITH
  predictions AS (
    SELECT
      t.*, ln(t.predicted / t.low) * t.predicted AS down, ln(t.high / t.predicted) * t.predicted AS up,
      CASE WHEN s.seen_last THEN s.y[-1] ELSE 0 END AS seconds,
      _are_doubtful(t.flags) AS doubtful
    FROM scaling_predict_at(list_append(CAST($counts AS BIGINT[]), CAST($smallest AS BIGINT)), $size)
      AS t
    JOIN scaling_series AS s ON t.set_id = s.set_id AND t.function = s.function
    WHERE t.set_id = $set_id AND s.in_program
  ),

  summed AS (
    SELECT
      parallelism,
      bool_and(kind = 'total') AS is_whole,
      sum(seconds) FILTER (predicted IS NOT NULL) / sum(seconds) AS covered,
      sum(predicted) AS predicted,
      _error_of_sum(down, predicted) AS down,
      _error_of_sum(up, predicted) AS up,
      sum(predicted) FILTER (doubtful) / sum(predicted) AS doubtful,
      count(*) FILTER (seconds > 0) AS functions,
      count(*) FILTER (seconds > 0 AND predicted IS NULL) AS without_model,
      list_sort(list_distinct(flatten(list(flags)))) AS flags
    FROM predictions
    GROUP BY parallelism
  ),

  programs AS (
    SELECT
      parallelism, down, up, covered, doubtful,
      CASE WHEN is_whole THEN 'wall time' ELSE 'sum of rank means' END AS basis,
      CASE WHEN covered >= 0.5 THEN predicted / covered END AS predicted,
      list_filter(
        flags,
        lambda flag: is_whole OR list_contains(
          [
            'no_size_model_unknown', 'no_size_model_one', 'no_size_model_uncrossed',
            'no_size_model_few', 'extrapolating', 'extrapolating_size'
          ],
          flag.code
        )
      )
      || CASE WHEN is_whole THEN [] ELSE _doubtful_share(doubtful) END
      || CASE
        WHEN covered < 0.999 AND NOT is_whole
          THEN [_without_model(without_model, functions, covered)]
        ELSE []
      END AS flags
    FROM summed
  ),

  banded AS (
    SELECT
      s.*, c.cores_each, c.largest, coalesce($scaling, c.scaling) AS scaling,
      _is_count(coalesce($kind, c.parameter_kind)) AS is_count,
      s.predicted * s.covered * exp(-s.down) AS low,
      s.predicted * (s.covered * exp(s.up) + 1 - s.covered) AS high
    FROM programs AS s
    JOIN scaling_sets AS c ON c.set_id = $set_id
  ),

  trusted AS (
    SELECT
      *,
      CASE
        WHEN NOT _is_guess(parallelism, largest, low, high, flags, doubtful) THEN predicted
      END AS known
    FROM banded
  )

SELECT
  s.parallelism, s.predicted, s.low, s.high,
  CASE WHEN s.is_count THEN b.predicted / s.known END
    * CASE WHEN s.scaling = 'weak' THEN s.parallelism / b.parallelism ELSE 1 END AS speedup,
  CASE WHEN s.is_count THEN b.predicted / s.known END
    * CASE WHEN s.scaling = 'weak' THEN 1 ELSE b.parallelism / s.parallelism END AS efficiency,
  CASE WHEN s.is_count THEN s.known * s.parallelism * s.cores_each / 3600 END AS core_hours,
  s.basis, false AS measured, s.known IS NULL AS is_guess, s.flags
FROM trusted AS s
JOIN programs AS b ON b.parallelism = $smallest
WHERE list_contains(CAST($counts AS BIGINT[]), s.parallelism)
ORDER BY s.parallelism;
