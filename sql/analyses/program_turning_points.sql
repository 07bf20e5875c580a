-- key: set_id BIGINT
-- scope: set_id
-- needs: scaling_sets
-- reads: _forecasts, program_times, scaling_series, scaling_sets, runs
-- requires: settings, program_models
-- functions: scaling
--
-- Between which counts a program is fastest, beyond which it gets slower, and up to which it is
-- efficient.

-- inputs
FROM _set_inputs((SELECT list(scope) FROM _scope));

-- rows
WITH
  found AS (
    SELECT
      set_id, app, version, machine, basis, parameter_kind, scaling, smallest, largest, x,
      flags || doubts AS flags,
      -- several counts are as fast, up to the last digits
      list_transform(
        list_filter(list_zip(x, y), lambda point: point[2] <= list_min(y) * (1 + 1e-6)),
        lambda point: point[1]
      ) AS fastest,
      scaling_turning_point(x, y, noise) AS point,
      -- the set's own measured counts, and two an octave; of times that are guesses nothing follows
      list_filter(
        predictions,
        lambda place:
          place['count'] BETWEEN x[1] AND 64 * CAST(largest AS BIGINT)
          AND place['low'] IS NOT NULL AND place['high'] IS NOT NULL
          AND NOT _is_guess(
            place['count'], largest, place['low'], place['high'], flags || doubts, place['doubtful']
          )
          AND (
            list_contains(x, place['count']) OR place['count'] = 64 * CAST(largest AS BIGINT)
            OR place['count']
              = round(smallest * pow(2, round(2 * log2(place['count'] / smallest)) / 2))
          )
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
  ),

  ended AS (
    SELECT
      * EXCLUDE (high),
      -- predictions of sums of functions know more of what is beyond than the sums that were measured
      CASE
        WHEN low IS NULL OR high IS NOT NULL THEN high
        ELSE list_filter(
          places,
          lambda place: place['count'] > list_max(list_transform(
            list_filter(places, lambda other: other['low'] <= least), lambda other: other['count']
          ))
        )[1]['count']
      END AS high
    FROM within
  ),

  limited AS (
    SELECT
      *,
      scaling_limits(
        list_transform(places, lambda place: place['count']),
        list_transform(places, lambda place: place['seconds']),
        list_transform(places, lambda place: place['low']),
        list_transform(places, lambda place: place['high']),
        list_transform(places, lambda place: list_contains(x, place['count'])),
        [low, high],
        scaling = 'weak'
      ) AS limits
    FROM ended
  )

SELECT
  set_id, app, version, machine, basis,
  CAST(fastest[-1] AS BIGINT) AS fastest,
  limits['turning'] AS turning,
  coalesce(limits['turning_low'], low) AS low,
  CASE WHEN limits['turning'] IS NULL THEN high ELSE limits['turning_high'] END AS high,
  limits['is_predicted'] AS is_predicted,
  limits['efficient'] AS efficient,
  limits['efficient_low'] AS efficient_low,
  limits['efficient_high'] AS efficient_high,
  list_transform(
    places, lambda place: {'count': place['count'], 'seconds': place['seconds']}
  ) AS times,
  point['flags'] AS flags
FROM limited
WHERE parameter_kind <> 'size';
