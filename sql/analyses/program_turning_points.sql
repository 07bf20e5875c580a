-- key: set_id BIGINT
-- scope: set_id
-- needs: scaling_sets
-- reads: _forecasts, program_times, scaling_series, scaling_sets, runs
-- requires: settings, program_models
-- functions: scaling
--
-- Between which counts a program is fastest.

-- inputs
FROM _set_inputs((SELECT list(scope) FROM _scope));

-- rows
WITH
  found AS (
    SELECT
      set_id, app, version, machine, basis, parameter_kind, x,
      -- several counts are as fast, up to the last digits
      list_transform(
        list_filter(list_zip(x, y), lambda point: point[2] <= list_min(y) * (1 + 1e-6)),
        lambda point: point[1]
      ) AS fastest,
      scaling_turning_point(x, y, noise) AS point,
      list_filter(
        predictions,
        lambda place:
          place['count'] BETWEEN x[1] AND 64 * x[-1]
          AND place['low'] IS NOT NULL AND place['high'] IS NOT NULL
          AND place['count'] = round(pow(2, round(2 * log2(place['count'])) / 2))
      ) AS places
    FROM _programs(NULL)
  ),

  -- no measured count above the interval is faster, and none below it slower than one further below
  within AS (
    SELECT
      * EXCLUDE (places),
      CASE
        WHEN point['low'] >= list_filter(x, lambda count: count > fastest[-1])[1] THEN fastest[-1]
        ELSE point['low']
      END AS low,
      CASE WHEN point['high'] < fastest[1] THEN fastest[1] ELSE point['high'] END AS high,
      list_sort(places) AS places,
      list_min(list_transform(places, lambda place: place['high'])) AS least
    FROM found
  )

SELECT
  set_id, app, version, machine, basis,
  CAST(fastest[-1] AS BIGINT) AS fastest,
  low,
  -- predictions of sums of functions know more of what is beyond than the sums that were measured
  CASE
    WHEN low IS NULL OR high IS NOT NULL THEN high
    ELSE list_filter(
      places,
      lambda place: place['count'] > list_max(list_transform(
        list_filter(places, lambda other: other['low'] <= least), lambda other: other['count']
      ))
    )[1]['count']
  END AS high,
  point['flags'] AS flags
FROM within
WHERE parameter_kind <> 'size';
