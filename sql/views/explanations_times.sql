-- requires: explanations_sides, counters, functions
--
-- What changed between two groups of runs in sums: the main metric, functions and counters.
--
-- Each macro returns a row for each subject, with its values on both sides (b: before, a: after; in
-- the order of the runs). explanations.sql keeps `relevant` rows where the change is certain, and
-- `notable` rows also where there are too few runs. `query` lacks its last condition, on the runs
-- `ids`.

CREATE OR REPLACE MACRO _explain_metric(pairs) AS TABLE
WITH
  side AS (
    SELECT unnest(pairs, recursive := true)
  ),

  known AS (
    SELECT
      s.id, s.run_id, s.is_after, s.place AS run_place, v.metric, v.unit, v.value,
      CASE v.metric WHEN r.tags['main_metric'] THEN 0 WHEN 'wall_seconds' THEN 1 ELSE 2 END AS place
    FROM side AS s
    JOIN runs AS r ON s.run_id = r.run_id
    JOIN run_metrics AS v ON s.run_id = v.run_id
    WHERE _is_of(v.run_id, _run_ids(pairs))
      AND (v.metric IN ('wall_seconds', 'functions:seconds') OR v.metric = r.tags['main_metric'])
  ),

  metrics AS (
    SELECT
      id, metric, any_value(unit) AS unit, any_value(place) AS place,
      list(value ORDER BY run_place) FILTER (NOT is_after) AS b,
      list(value ORDER BY run_place) FILTER (is_after) AS a,
      list(DISTINCT run_id ORDER BY run_id) AS ids
    FROM known
    GROUP BY id, metric
    HAVING count(*) FILTER (is_after) > 0 AND count(*) FILTER (NOT is_after) > 0
  )

SELECT
  id, 'metric' AS topic, metric AS subject, metric, unit, b, a,
  CAST(NULL AS VARCHAR) AS before_label, CAST(NULL AS VARCHAR) AS after_label,
  CAST(NULL AS DOUBLE) AS share, CAST(NULL AS BOOLEAN) AS sure, true AS relevant, true AS notable,
  CAST([] AS VARCHAR[]) AS flags,
  'SELECT run_id, version, value FROM run_metrics WHERE metric = ' || _quoted(metric) || ' AND '
    AS query,
  ids
FROM metrics
QUALIFY row_number() OVER (PARTITION BY id ORDER BY place) = 1;

CREATE OR REPLACE MACRO _explain_functions(pairs) AS TABLE
WITH
  side AS (
    SELECT unnest(pairs, recursive := true)
  ),

  timed AS (
    SELECT s.id, s.is_after, s.place, f.run_id, f.function, f.seconds
    FROM side AS s
    JOIN function_shares AS f ON s.run_id = f.run_id
    WHERE _is_of(f.run_id, _run_ids(pairs))
  ),

  totals AS (
    SELECT
      id, count(*) FILTER (NOT is_after) AS runs_before, count(*) FILTER (is_after) AS runs_after,
      median(seconds) FILTER (NOT is_after) AS "before",
      median(seconds) FILTER (is_after) AS "after",
      list(seconds ORDER BY place) FILTER (NOT is_after) AS b,
      list(seconds ORDER BY place) FILTER (is_after) AS a,
      list(run_id ORDER BY run_id) AS ids
    FROM (SELECT id, is_after, place, run_id, sum(seconds) AS seconds FROM timed GROUP BY ALL)
    GROUP BY id
    HAVING runs_before > 0 AND runs_after > 0
  ),

  -- a run without a function spent no time in it
  functions AS (
    SELECT
      t.id, t.function, any_value(n) AS total,
      list_resize(
        coalesce(list(t.seconds ORDER BY t.place) FILTER (NOT t.is_after), []),
        any_value(n.runs_before), 0
      ) AS b,
      list_resize(
        coalesce(list(t.seconds ORDER BY t.place) FILTER (t.is_after), []),
        any_value(n.runs_after), 0
      ) AS a,
      list_filter(
        [
          CASE WHEN count(*) FILTER (NOT t.is_after) = 0 THEN 'new' END,
          CASE WHEN count(*) FILTER (t.is_after) = 0 THEN 'gone' END
        ],
        lambda flag: flag IS NOT NULL
      ) AS flags
    FROM timed AS t
    JOIN totals AS n ON t.id = n.id
    GROUP BY t.id, t.function
  ),

  moved AS (
    SELECT *, list_median(a) - list_median(b) AS more, total."after" - total."before" AS loss
    FROM functions
    UNION ALL
    SELECT id, NULL, totals, b, a, [], "after" - "before", "after" - "before"
    FROM totals
  )

SELECT
  id, 'function' AS topic, function AS subject,
  coalesce('seconds:' || function, 'functions:seconds') AS metric, 's' AS unit, b, a,
  CAST(NULL AS VARCHAR) AS before_label, CAST(NULL AS VARCHAR) AS after_label,
  -- where the total hardly changed, shares of the change mean nothing
  CASE
    WHEN abs(loss) >= 0.01 * total."before" AND function IS NOT NULL THEN more / loss
  END AS share,
  CAST(NULL AS BOOLEAN) AS sure,
  abs(more) >= 0.002 * total."before" AS relevant,
  abs(more) >= greatest(0.01 * total."before", 0.05 * abs(loss)) AS notable,
  flags,
  coalesce(
    'SELECT run_id, seconds, share FROM function_shares WHERE function = '
      || nullif(_quoted(function), 'NULL'),
    'SELECT run_id, value FROM run_metrics WHERE metric = ''functions:seconds'''
  ) || ' AND ' AS query,
  total.ids AS ids
FROM moved;

CREATE OR REPLACE MACRO _explain_counters(pairs) AS TABLE
WITH
  side AS (
    SELECT unnest(pairs, recursive := true)
  ),

  counted AS (
    SELECT s.id, s.is_after, s.place, c.run_id, c.event, c.unit, c.value, c.per_cycle
    FROM side AS s
    JOIN counter_summary AS c ON s.run_id = c.run_id
    WHERE _is_of(c.run_id, _run_ids(pairs)) AND c.value IS NOT NULL
  ),

  -- cycles per cycle are no rate
  rated AS (
    SELECT
      *,
      count(per_cycle) OVER event = count(*) OVER event AND NOT bool_and(per_cycle = 1) OVER event
        AS is_rate
    FROM counted
    WINDOW event AS (PARTITION BY id, event)
  ),

  events AS (
    SELECT
      id, event, bool_and(is_rate) AS rated, any_value(unit) AS unit,
      list(if(is_rate, per_cycle, "value") ORDER BY place) FILTER (NOT is_after) AS b,
      list(if(is_rate, per_cycle, "value") ORDER BY place) FILTER (is_after) AS a,
      median("value") FILTER (NOT is_after) AS count_before,
      median("value") FILTER (is_after) AS count_after,
      list(DISTINCT run_id ORDER BY run_id) AS ids
    FROM rated
    GROUP BY id, event
    HAVING count(*) FILTER (is_after) > 0 AND count(*) FILTER (NOT is_after) > 0
  ),

  moved AS (
    SELECT
      *, abs(list_median(a) - list_median(b)) AS more,
      greatest(abs(list_median(a)), abs(list_median(b))) AS larger
    FROM events
  )

SELECT
  id, 'counter' AS topic, event AS subject, if(rated, 'per_cycle:', 'counter:') || event AS metric,
  if(rated, '1/cycle', unit) AS unit, b, a,
  CAST(NULL AS VARCHAR) AS before_label, CAST(NULL AS VARCHAR) AS after_label,
  CAST(NULL AS DOUBLE) AS share, CAST(NULL AS BOOLEAN) AS sure,
  more > 0 AND more >= 0.02 * larger AS relevant,
  more > 0 AND more >= 0.1 * larger AS notable,
  CASE
    WHEN rated AND abs(count_after - count_before) <= 0.05 * abs(count_before) THEN ['same_count']
    ELSE []
  END AS flags,
  'SELECT run_id, value, per_cycle FROM counter_summary WHERE event = ' || _quoted(event) || ' AND '
    AS query,
  ids
FROM moved;
