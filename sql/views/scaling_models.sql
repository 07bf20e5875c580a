-- requires: flags, scaling_points
--
-- Models of functions: how their time changes with the parallelism.

-- The model of a series (scaling_series).
CREATE OR REPLACE MACRO _fitted(kind, seen_last, x, y, noise) AS
  scaling_model(
    kind, CASE WHEN seen_last THEN x ELSE [] END, CASE WHEN seen_last THEN y ELSE [] END, noise
  );

-- Whether an exponent is larger than another for certain: the interval of their difference is above 0
-- (Zou and Donner, Construction of confidence limits about effect measures, 2008).
CREATE OR REPLACE MACRO _is_steeper(model, other) AS
  model.exponent - other.exponent > sqrt(
    pow(model.exponent - model.exponent_low, 2) + pow(other.exponent_high - other.exponent, 2)
  );

-- What to keep in mind of a series, its model and its set of runs.
CREATE OR REPLACE MACRO _model_flags(series_flags, seen_last, model, set_flags) AS
  series_flags || CASE WHEN seen_last THEN model['flags'] ELSE [] END || set_flags;

-- What to keep in mind of a prediction far beyond the measured counts, a list.
CREATE OR REPLACE MACRO _far_beyond(predicted, parallelism, largest) AS
  CASE
    WHEN predicted IS NOT NULL AND parallelism > 4 * CAST(largest AS BIGINT) THEN [
      _flag('extrapolating', MAP {
        'times': printf('%.3gx', parallelism / largest),
        'largest': CAST(CAST(largest AS BIGINT) AS VARCHAR)
      })
    ]
    ELSE []
  END;

-- The counts that p is, one or a list: ascending, each once.
CREATE OR REPLACE MACRO _counts(p) AS (
  SELECT coalesce(list_sort(list(DISTINCT CAST(count AS BIGINT))), [])
  FROM (SELECT unnest([p], recursive := true) AS count)
  WHERE count >= 1
);

-- About two counts an octave from the smallest to 64 times the largest.
CREATE OR REPLACE MACRO _count_grid(smallest, largest) AS
  list_transform(
    range(CAST(ceil(2 * log2(64 * CAST(largest AS BIGINT) / smallest)) AS BIGINT)),
    lambda step: CAST(round(smallest * pow(2, step / 2)) AS BIGINT)
  ) || [CAST(largest AS BIGINT), 64 * CAST(largest AS BIGINT)];

CREATE OR REPLACE MACRO _places(known, wanted) AS
  list_transform(wanted, lambda count: list_position(known, count));

-- What a series is predicted to take at counts: what is stored (_forecasts), where it is.
CREATE OR REPLACE MACRO _forecast(kind, x, y, noise, capacity, known_counts, known, counts) AS
  CASE
    WHEN list_has_all(known_counts, counts) THEN {
      'seconds': list_select(known['seconds'], _places(known_counts, counts)),
      'low': list_select(known['low'], _places(known_counts, counts)),
      'high': list_select(known['high'], _places(known_counts, counts)),
      'flags': list_filter(
        known['flags'],
        lambda flag: flag.code <> 'beyond_capacity' OR list_max(counts) > greatest(capacity, x[-1])
      )
    }
    ELSE scaling_forecast(kind, x, y, noise, counts, capacity)
  END;

-- What is asked of some functions is computed for these only.
CREATE OR REPLACE MACRO _scaling_predict(p) AS TABLE
WITH
  forecasts AS (
    SELECT
      f.*, c.counts,
      _forecast(
        f.kind,
        CASE WHEN f.seen_last THEN f.x ELSE [] END,
        CASE WHEN f.seen_last THEN f.y ELSE [] END,
        f.noise, coalesce(s.capacity, 0), k.counts, k.forecast, c.counts
      ) AS forecast
    FROM scaling_series AS f
    CROSS JOIN (SELECT _counts(p) AS counts) AS c
    JOIN scaling_sets AS s ON f.set_id = s.set_id
    LEFT JOIN _forecasts AS k ON f.set_id = k.set_id AND f.function = k.function
  ),

  each AS (
    SELECT
      set_id, app, version, machine, function, kind,
      unnest(counts) AS parallelism,
      unnest(forecast['seconds']) AS predicted,
      unnest(forecast['low']) AS low,
      unnest(forecast['high']) AS high,
      flags || CASE WHEN seen_last THEN forecast['flags'] ELSE [] END AS flags,
      list_max(x) AS largest
    FROM forecasts
  )

SELECT
  set_id, app, version, machine, function, kind, parallelism, predicted, low, high,
  flags || _far_beyond(predicted, parallelism, largest) AS flags
FROM each;

-- The share of a function in the time of all at a count. Those without a model keep theirs at the
-- largest count, of which `measured` is the time of each.
CREATE OR REPLACE MACRO _share(predicted, measured, kind, set_id, parallelism) AS
  CASE WHEN kind <> 'total' THEN
    predicted / sum(predicted) FILTER (kind <> 'total') OVER (PARTITION BY set_id, parallelism)
    * sum(measured) FILTER (kind <> 'total' AND predicted IS NOT NULL)
      OVER (PARTITION BY set_id, parallelism)
    / sum(measured) FILTER (kind <> 'total') OVER (PARTITION BY set_id, parallelism)
  END;

CREATE OR REPLACE MACRO scaling_predict(p) AS TABLE -- One row is the time that one function of a set of runs is predicted to take at a parallelism: scaling_predict(512) or scaling_predict([512, 1024]); set_id, app, version, machine, function, kind, parallelism, predicted (s, at the set's own problem size), low and high (90 % interval), share (of the time of all functions; those without a model keep theirs at the largest count), flags. NULL where there is no model, for the reason in flags.
SELECT
  t.set_id, t.app, t.version, t.machine, t.function, t.kind, t.parallelism, t.predicted, t.low,
  t.high,
  _share(t.predicted, CASE WHEN s.seen_last THEN s.y[-1] END, t.kind, t.set_id, t.parallelism)
    AS share,
  t.flags
FROM _scaling_predict(p) AS t
JOIN scaling_series AS s ON t.set_id = s.set_id AND t.function = s.function;
