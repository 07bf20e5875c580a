-- requires: imbalance, scaling_surfaces
--
-- Models of whole programs: of their wall time or slowest rank where these were measured, else the
-- sum of their functions' models.
--
-- In that sum functions without a model keep their share of the time at the largest count; its
-- interval reaches from none of their time to all that they took there. Where they take more than
-- half of it, there is no prediction.
-- Whole-run rows (kind total) count only where nothing else was measured, so that no time counts
-- twice.

-- Whether a parameter of this kind counts what runs at once.
CREATE OR REPLACE MACRO _is_count(kind) AS kind IN ('processes', 'threads', 'nodes', 'blocks');

-- Whether a flag is of how the scaling was told, which a user who states it knows.
CREATE OR REPLACE MACRO _assumes(code) AS
  code IN ('scaling_assumed', 'weak_assumed', 'perhaps_weak', 'weak_in_part', 'sizes_differ');

-- Whether the flags of a function say that its prediction is not to be trusted.
CREATE OR REPLACE MACRO _are_doubtful(flags) AS
  list_has_any(
    flag_codes(flags), ['break_not_extrapolatable', 'times_rounded', 'last_counts_off', 'poor_fit']
  );

CREATE OR REPLACE MACRO _doubtful_share(doubtful) AS
  CASE
    WHEN doubtful > 0.2 THEN [
      _flag('doubtful_functions', MAP {'share': printf('%.0f %%', 100 * doubtful)})
    ]
    ELSE []
  END;

CREATE OR REPLACE MACRO _without_model(missing, functions, covered) AS
  _flag('functions_without_model', MAP {
    'missing': CAST(missing AS VARCHAR), 'functions': CAST(functions AS VARCHAR),
    'share': printf('%.1f %%', 100 * (1 - covered))
  });

-- One row is the series of a program that is modelled. A program of one function is that function.
-- No points where it took no time at the largest count, as for functions.
CREATE OR REPLACE VIEW _program_series AS
WITH
  series AS (
    SELECT
      set_id, app, version, machine, any_value(basis) AS basis,
      any_value(basis) = 'sum of rank means' AS is_sum,
      list(CAST(parallelism AS DOUBLE) ORDER BY parallelism) AS x,
      list(seconds ORDER BY parallelism) AS y,
      coalesce(median(scatter) FILTER (scatter > 0), 0) AS noise
    FROM program_times
    GROUP BY set_id, app, version, machine
  ),

  lone AS (
    SELECT set_id, app, version, machine, any_value(kind) AS kind, any_value(noise) AS noise
    FROM scaling_series
    WHERE in_program
    GROUP BY set_id, app, version, machine
    HAVING count(*) = 1
  )

SELECT
  s.set_id, s.app, s.version, s.machine, s.basis,
  s.is_sum AND l.kind IS NULL AS is_sum,
  CASE WHEN s.is_sum AND l.kind IS NOT NULL THEN l.kind ELSE 'computation' END AS kind,
  CASE WHEN s.x[-1] = t.largest THEN s.x ELSE [] END AS x,
  CASE WHEN s.x[-1] = t.largest THEN s.y ELSE [] END AS y,
  CASE WHEN s.is_sum AND l.kind IS NOT NULL THEN l.noise ELSE s.noise END AS noise
FROM series AS s
JOIN scaling_sets AS t ON s.set_id = t.set_id
LEFT JOIN lone AS l ON s.set_id = l.set_id;

-- The relative error of a sum of times by the errors of its parts, which are partly correlated: half
-- way between fully and not at all.
CREATE OR REPLACE MACRO _error_of_sum(error, seconds) AS
  sqrt((pow(sum(error), 2) + sum(pow(error, 2))) / 2) / sum(seconds);

-- One row is a set: what the sum of its functions is predicted to take beyond its largest count, at
-- the counts `wanted`, else at those that are stored.
CREATE OR REPLACE MACRO _program_sums(wanted) AS TABLE
WITH
  functions AS (
    SELECT
      f.*,
      f.seen_last AND len(f.x) >= 3 AS modelled,
      list_filter(coalesce(w.counts, k.counts, []), lambda count: count > s.largest) AS ats,
      _forecast(
        f.kind,
        CASE WHEN f.seen_last THEN f.x ELSE [] END,
        CASE WHEN f.seen_last THEN f.y ELSE [] END,
        f.noise, coalesce(s.capacity, 0), k.counts, k.forecast, ats
      ) AS forecast
    FROM scaling_series AS f
    CROSS JOIN (SELECT wanted AS counts) AS w
    JOIN scaling_sets AS s ON f.set_id = s.set_id
    LEFT JOIN _forecasts AS k ON f.set_id = k.set_id AND f.function = k.function
    WHERE f.in_program
  ),

  -- measured and predicted times, one below the other
  parts AS (
    SELECT
      set_id, app, version, machine, modelled, repetitions,
      _are_doubtful(forecast['flags']) AS doubtful,
      unnest(
        list_transform(
          list_zip(x, y),
          lambda point: {
            'is_predicted': false, 'count': point[1], 'seconds': point[2], 'down': 0.0, 'up': 0.0
          }
        ) || list_transform(
          list_zip(ats, forecast['seconds'], forecast['low'], forecast['high']),
          lambda point: {
            'is_predicted': true,
            'count': CAST(point[1] AS DOUBLE),
            'seconds': point[2],
            'down': ln(point[2] / point[3]) * point[2],
            'up': ln(point[4] / point[2]) * point[2]
          }
        )
      ) AS part
    FROM functions
  ),

  summed AS (
    SELECT
      set_id, app, version, machine, part['is_predicted'] AS is_predicted, part['count'] AS count,
      sum(part['seconds']) AS seconds,
      sum(part['seconds']) FILTER (modelled) / sum(part['seconds']) AS covered,
      sum(part['seconds']) FILTER (doubtful) / sum(part['seconds']) AS doubtful,
      _error_of_sum(part['down'], part['seconds']) AS down,
      _error_of_sum(part['up'], part['seconds']) AS up,
      count(*) AS functions,
      count(*) FILTER (modelled) AS modelled,
      max(repetitions) AS repetitions
    FROM parts
    WHERE part['seconds'] > 0
    GROUP BY ALL
  )

SELECT
  set_id, app, version, machine,
  coalesce(arg_max(covered, count) FILTER (NOT is_predicted), 0) AS covered,
  arg_max(seconds, count) FILTER (NOT is_predicted) AS parts,
  arg_max(functions, count) FILTER (NOT is_predicted) AS functions,
  arg_max(modelled, count) FILTER (NOT is_predicted) AS modelled,
  max(repetitions) AS repetitions,
  map_from_entries(
    coalesce(
      list({
        'key': count,
        'value': {'seconds': seconds, 'down': down, 'up': up, 'doubtful': doubtful}
      }) FILTER (is_predicted),
      []
    )
  ) AS predictions
FROM summed
GROUP BY set_id, app, version, machine;

-- One row is a set: its measured times, what it is predicted to take at the counts `wanted`, else at
-- those that are stored, the facts of the set and what to keep in mind. Up to the largest count the
-- measured times are joined. `wanted` is evaluated twice: it has to be in the same order each time.
CREATE OR REPLACE MACRO _programs(wanted) AS TABLE
WITH
  forecasts AS (
    SELECT
      t.* EXCLUDE (set_id, app, version, machine), u.*,
      s.scaling, s.parameter_kind, s.problem_size, s.smallest, s.largest, s.cores_each, s.capacity,
      s.flags AS assumptions, coalesce(w.counts, k.counts, []) AS ats,
      _forecast(
        t.kind, t.x, t.y, t.noise, coalesce(s.capacity, 0), k.counts, k.forecast, ats
      ) AS forecast
    FROM _program_series AS t
    CROSS JOIN (SELECT wanted AS counts) AS w
    JOIN _program_sums(wanted) AS u ON t.set_id = u.set_id
    JOIN scaling_sets AS s ON u.set_id = s.set_id
    LEFT JOIN _forecasts AS k ON t.set_id = k.set_id AND k.function IS NULL
  )

SELECT
  * EXCLUDE (assumptions, predictions, parts, forecast, ats),
  list_transform(
    list_zip(
      ats, forecast['seconds'], forecast['low'], forecast['high'],
      list_transform(ats, lambda count: predictions[CAST(count AS DOUBLE)])
    ),
    lambda point:
      CASE
        WHEN is_sum AND point[1] > largest THEN {
          'count': CAST(point[1] AS BIGINT),
          'seconds': CASE WHEN covered >= 0.5 THEN point[5]['seconds'] / covered END,
          'low': CASE WHEN covered >= 0.5 THEN point[5]['seconds'] * exp(-point[5]['down']) END,
          'high': CASE
            WHEN covered >= 0.5 THEN
              point[5]['seconds'] * exp(point[5]['up'])
              + (1 - covered) * greatest(point[5]['seconds'] / covered, y[-1])
          END,
          'doubtful': point[5]['doubtful']
        }
        -- no shorter than its functions together, unless they already overlap where measured
        WHEN point[1] > largest AND parts <= 1.01 * y[-1] AND point[5]['seconds'] > point[2] THEN {
          'count': CAST(point[1] AS BIGINT),
          'seconds': point[5]['seconds'],
          'low': greatest(point[3], point[5]['seconds'] * exp(-point[5]['down'])),
          'high': greatest(point[4], point[5]['seconds'] * exp(point[5]['up'])),
          'doubtful': NULL
        }
        ELSE {
          'count': CAST(point[1] AS BIGINT), 'seconds': point[2], 'low': point[3],
          'high': point[4], 'doubtful': NULL
        }
      END
  ) AS predictions,
  CASE WHEN is_sum THEN [] ELSE list_filter(
    forecast['flags'], lambda flag: flag.code <> 'no_model_few_counts'
  ) END AS doubts,
  assumptions || list_filter(
    [
      CASE WHEN len(x) = 0 THEN _flag('no_model_untimed') END,
      CASE
        WHEN is_sum AND covered < 0.999
          THEN _without_model(functions - modelled, functions, covered)
      END,
      CASE
        WHEN scaling = 'strong' AND _is_count(parameter_kind) AND largest >= 4 * CAST(smallest AS BIGINT)
          AND list_min(y) > 0.8 * y[1] AND list_max(y) < 2 * y[1]
          THEN _flag('perhaps_weak')
      END
    ],
    lambda flag: flag IS NOT NULL
  ) AS flags
FROM forecasts;

-- The value at p of a formula of kind computation, by its parameters.
CREATE OR REPLACE MACRO _formula_value(parameters, p) AS
  coalesce(parameters['e'], 0)
  + coalesce(parameters['a'] * pow(p, -parameters['b']), 0)
  + coalesce(
    parameters['c'] * pow(p, parameters['d'])
      * pow(log2(p), coalesce(parameters['log_exponent'], 0)),
    0
  )
  + coalesce(parameters['limit'] * p / (p + parameters['half']), 0);

-- Whether a predicted time does not follow from the measured ones, or that of most of it, the share
-- `doubtful`: nothing follows from it then.
CREATE OR REPLACE MACRO _is_guess(count, largest, low, high, flags, doubtful) AS
  count > largest
  AND (
    coalesce(NOT high <= 10 * low, false)
    OR _are_doubtful(flags)
    OR coalesce(doubtful > 0.5, false)
    OR list_contains(flag_codes(flags), 'several_problems')
  );

-- By weak or strong scaling and a kind of parameter other than those of the sets, unless NULL.
CREATE OR REPLACE MACRO _program_predict(p, other_scaling, other_kind) AS TABLE
WITH
  each AS (
    SELECT * EXCLUDE (predictions), unnest(predictions) AS point
    FROM _programs(_counts(p))
  ),

  named AS (
    SELECT
      * EXCLUDE (flags, scaling),
      coalesce(other_scaling, scaling) AS scaling,
      _is_count(coalesce(other_kind, parameter_kind)) AS is_count,
      point['count'] AS parallelism, point['seconds'] AS predicted, point['low'] AS low,
      point['high'] AS high,
      list_filter(flags, lambda flag: (other_scaling IS NULL AND _is_count(coalesce(other_kind, parameter_kind)))
          OR NOT _assumes(flag.code))
        || doubts || _far_beyond(point['seconds'], point['count'], largest)
        || CASE
          WHEN len(x) IN (1, 2)
            THEN [_flag('no_model_few_counts', MAP {'counts': CAST(len(x) AS VARCHAR)})]
          ELSE []
        END
        || _doubtful_share(point['doubtful'])
        || CASE
          WHEN point['count'] > capacity AND point['count'] > largest
            AND len(list_filter(x, lambda count: count > capacity)) < 3
            THEN [_flag('beyond_capacity', MAP {'capacity': CAST(capacity AS VARCHAR)})]
          ELSE []
        END AS flags
    FROM each
  ),

  trusted AS (
    SELECT
      *,
      CASE
        WHEN NOT _is_guess(parallelism, largest, low, high, flags, point['doubtful']) THEN predicted
      END AS known
    FROM named
  )

SELECT
  set_id, app, version, machine, parallelism, basis,
  predicted, low, high,
  CASE WHEN is_count THEN y[1] / known END * CASE WHEN scaling = 'weak' THEN parallelism / x[1] ELSE 1 END AS speedup,
  CASE WHEN is_count THEN y[1] / known END * CASE WHEN scaling = 'weak' THEN 1 ELSE x[1] / parallelism END AS efficiency,
  CASE WHEN is_count THEN known * parallelism * cores_each / 3600 END AS core_hours,
  known IS NULL AS is_guess,
  flags
FROM trusted;

CREATE OR REPLACE MACRO program_predict(p) AS TABLE -- One row is the time that a program is predicted to take at a parallelism: program_predict(512) or program_predict([512, 1024]); set_id, app, version, machine, parallelism, basis (program_times.basis), predicted (s: up to the largest count the measured times joined; beyond it by their own model, of a sum of rank means the sum of the functions' predictions), low and high (90 % interval), speedup and efficiency against the smallest parallelism with a time above 0 (of a weak scaling set: scaled speed-up), core_hours (NULL where the cores of a node are unknown); these are NULL where the parameter is no count (scaling_sets.parameter_kind), and where the time is a guess: beyond the largest count, with an interval that spans a factor of 10, with a flag of a poor fit, of what is not extrapolatable or of several problems, or mostly of functions with such flags; flags.
SELECT * EXCLUDE (is_guess)
FROM _program_predict(p, NULL, NULL);

CREATE OR REPLACE MACRO program_worth(gain, cost_weight) AS TABLE -- One row is what is worth its cores of a program of strong scaling, program_worth(1.5, 1): set_id, app, version, machine, doubling (the largest count up to which each doubling of program_turning_points.times, which are no guesses, still buys a speed-up of `gain`; NULL where none does), cheapest (the count where time x cost^`cost_weight` is least; the cost is count x time) and last (the largest count of these times: where doubling or cheapest reach it, they may be beyond).
WITH
  known AS (
    SELECT t.set_id, t.app, t.version, t.machine, unnest(t.times, recursive := true)
    FROM program_turning_points AS t
    JOIN scaling_sets AS s ON t.set_id = s.set_id
    WHERE s.scaling = 'strong'
  ),

  doubled AS (
    SELECT set_id, twice.count AS count, known.seconds / twice.seconds >= gain AS buys
    FROM known
    JOIN known AS twice USING (set_id)
    WHERE twice.count = 2 * known.count
  ),

  buying AS (
    SELECT set_id, max(count) AS last
    FROM (
      SELECT *, bool_and(buys) OVER (PARTITION BY set_id ORDER BY count) AS all_buy
      FROM doubled
    )
    WHERE all_buy
    GROUP BY set_id
  )

SELECT
  set_id, app, version, machine,
  any_value(b.last) AS doubling,
  arg_min(count, {'cost': seconds * pow(count * seconds, cost_weight), 'count': count}) AS cheapest,
  max(count) AS last
FROM known
LEFT JOIN buying AS b USING (set_id)
GROUP BY set_id, app, version, machine;
