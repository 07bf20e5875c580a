-- key: set_id BIGINT
-- scope: set_id
-- needs: scaling_sets
-- reads: program_times, scaling_series, scaling_sets, runs
-- requires: run_contents, program_models
-- functions: scaling
--
-- Between which counts a program is fastest.

-- inputs
SELECT
  CAST(g.set_id AS VARCHAR) AS key, CAST(g.set_id AS VARCHAR) AS scope,
  md5(
    concat_ws(
      chr(0), (FROM _scaling_settings),
      string_agg(
        concat_ws(
          ' ', r.run_id, c.digest, r.ranks, r.threads, r.nodes, r.problem_size, r.wall_seconds,
          CAST(r.tags AS VARCHAR)
        ),
        ',' ORDER BY r.run_id
      )
    )
  ) AS digest
FROM run_groups AS g
JOIN runs AS r ON g.run_id = r.run_id
JOIN _run_contents AS c ON g.run_id = c.run_id
WHERE CAST(g.set_id AS VARCHAR) IN (FROM _scope) AND c.rows['fn_timings'] > 0
GROUP BY g.set_id;

-- rows
SELECT _set_id(app, version, machine) AS set_id, *
FROM (
  WITH
    found AS (
      SELECT
        app, version, machine, basis, x,
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
        ) AS places
      FROM _programs((
        SELECT list_sort(list(DISTINCT CAST(round(pow(2, step / 2)) AS BIGINT)))
        FROM range((SELECT CAST(2 * ceil(log2(64 * max(largest))) AS BIGINT) + 1 FROM scaling_sets))
          AS t (step)
      ))
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
    app, version, machine, basis,
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
);
