-- The names with a line in {table}, of the rows of which {rows} is the condition, that keep it: a
-- line is no part of a name where a recording has one function of that name in that file. {path}
-- are the columns with names, {calls} the number of calls.
CREATE OR REPLACE TEMP TABLE _kept_lines AS
WITH
  paths AS (
    SELECT source_id, run_id, {path} AS path, bool_and({calls} IS NOT NULL) AS is_counted
    FROM {table}
    WHERE {rows} AND contains({path}, ':')
    GROUP BY source_id, run_id, path
  ),

  names AS (
    SELECT source_id, run_id, name, bool_and(is_counted) AS is_counted
    FROM (SELECT source_id, run_id, unnest(_path_parts(path)) AS name, is_counted FROM paths)
    GROUP BY source_id, run_id, name
  ),

  lines AS (
    SELECT
      source_id, run_id, name,
      -- a profiler that samples has not seen all the functions of a name that many have
      (_is_anonymous(name) AND NOT is_counted)
        OR count(*) OVER (PARTITION BY source_id, run_id, _without_line(name)) > 1 AS keeps_line
    FROM names
    WHERE _line_of(name) IS NOT NULL
  )

SELECT source_id, run_id, coalesce(list(name) FILTER (WHERE keeps_line), []) AS kept
FROM lines
GROUP BY source_id, run_id;
