-- requires: flags, functions, sides
--
-- The differential call tree: by call path, what two groups of runs take without and with callees.

-- The estimator of comparison: geometric mean, or mean where values are not positive.
CREATE OR REPLACE MACRO _centre(x) AS
  if(list_min(x) > 0, exp(list_avg(list_transform(x, lambda v: ln(v)))), list_avg(x));

-- The names after, of functions that have others before.
CREATE OR REPLACE MACRO _renamed(functions, names) AS
  list_transform(functions, lambda function: coalesce(names[function], function));

CREATE OR REPLACE MACRO call_tree_difference(runs, against) AS TABLE -- The call trees of runs and of the runs `against` (each a run or a list of runs) side by side: one row is a call path (call_tree), with callpath, function, depth, parts (its functions from the root), unit, own_before, own_after (without callees), inclusive_before, inclusive_after (with callees), each the geometric mean of the runs, or the mean where a run spent nothing there; own_share and inclusive_share of what all functions together take more (NULL where that is below 1 %), flags (new, gone).
WITH
  side AS (
    SELECT unnest(_sides(0, _as_list(runs), _as_list(against), NULL, NULL), recursive := true)
  ),

  listed AS (
    SELECT t.*, s.is_after
    FROM call_tree AS t
    JOIN side AS s ON t.run_id = s.run_id
    WHERE _is_of(t.run_id, _as_list(runs) || _as_list(against))
  ),

  -- functions that were moved or renamed, as in comparison
  one_sided AS (
    SELECT
      any_value(is_after) AS is_after,
      {
        'name': function,
        'callers': list(DISTINCT _path_parts(callpath)[-2]) FILTER (depth > 1),
        'cost': sum(own) / count(DISTINCT run_id)
      } AS one
    FROM listed
    WHERE own > 0
    GROUP BY function, unit
    HAVING bool_or(is_after) = bool_and(is_after)
  ),

  identities AS (
    SELECT
      map_from_entries(
        list_transform(
          match_functions(list(one) FILTER (NOT is_after), list(one) FILTER (is_after)),
          lambda names: {'key': names.before, 'value': names.after}
        )
      ) AS names
    FROM one_sided
  ),

  measured AS (
    SELECT
      * REPLACE (
        if(is_after, callpath, array_to_string(_renamed(_path_parts(callpath), names), '->')) AS callpath,
        if(is_after, function, _renamed([function], names)[1]) AS function
      )
    FROM listed
    CROSS JOIN identities
  ),

  counts AS (
    SELECT
      unit, count(DISTINCT run_id) FILTER (NOT is_after) AS runs_before,
      count(DISTINCT run_id) FILTER (is_after) AS runs_after
    FROM measured
    GROUP BY unit
    HAVING runs_before > 0 AND runs_after > 0
  ),

  -- a run without a path spent nothing in it
  paths AS (
    SELECT
      m.callpath, any_value(m.function) AS function, any_value(m.depth) AS depth, m.unit,
      list_resize(coalesce(list(own) FILTER (NOT is_after), []), any_value(c.runs_before), 0)
        AS own_b,
      list_resize(coalesce(list(own) FILTER (is_after), []), any_value(c.runs_after), 0) AS own_a,
      list_resize(
        coalesce(list(inclusive) FILTER (NOT is_after), []), any_value(c.runs_before), 0
      ) AS all_b,
      list_resize(coalesce(list(inclusive) FILTER (is_after), []), any_value(c.runs_after), 0)
        AS all_a,
      count(inclusive) = count(*) AS has_inclusive,
      count(*) FILTER (NOT is_after) = 0 AS is_new,
      count(*) FILTER (is_after) = 0 AS is_gone
    FROM measured AS m
    JOIN counts AS c ON m.unit = c.unit
    GROUP BY m.callpath, m.unit
  ),

  totals AS (
    SELECT unit, _centre(list(own) FILTER (is_after)) - _centre(list(own) FILTER (NOT is_after))
      AS loss, _centre(list(own) FILTER (NOT is_after)) AS whole
    FROM (SELECT run_id, unit, is_after, sum(own) AS own FROM measured GROUP BY ALL)
    GROUP BY unit
  ),

  figures AS (
    SELECT
      *, _centre(own_b) AS own_before, _centre(own_a) AS own_after,
      if(has_inclusive, _centre(all_b), NULL) AS inclusive_before,
      if(has_inclusive, _centre(all_a), NULL) AS inclusive_after
    FROM paths
  )

SELECT
  f.callpath, f.function, f.depth, _path_parts(f.callpath) AS parts, f.unit,
  own_before, own_after, inclusive_before, inclusive_after,
  -- where the total hardly changed, shares of the change mean nothing
  if(abs(t.loss) >= 0.01 * t.whole, (own_after - own_before) / nullif(t.loss, 0), NULL)
    AS own_share,
  if(abs(t.loss) >= 0.01 * t.whole, (inclusive_after - inclusive_before) / nullif(t.loss, 0), NULL)
    AS inclusive_share,
  _flags([if(is_new, 'new', NULL), if(is_gone, 'gone', NULL)]) AS flags
FROM figures AS f
JOIN totals AS t ON f.unit = t.unit;
