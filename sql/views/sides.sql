-- Sides: the runs before and after, of one comparison or of many at once.

-- One run, or a list of them, as a list. The lambda is for DuckDB: `runs`, which may be a long list,
-- is bound once.
CREATE OR REPLACE MACRO _as_list(runs) AS list_transform(
  [to_json(runs)],
  lambda given: CASE json_type(given)
    WHEN 'ARRAY' THEN from_json(given, '["VARCHAR"]')
    WHEN 'VARCHAR' THEN [given->>'$']
    ELSE []
  END
)[1];

-- The runs of a comparison, each with its side and its place there. `id` is that of the comparison;
-- `named` is the run whose explain_baseline they are, and
-- `judged_by` the metric that is explained, if any.
CREATE OR REPLACE MACRO _sides(id, runs, against, named, judged_by) AS
  list_transform(
    runs,
    lambda r, i: {
      'id': id, 'run_id': r, 'is_after': true, 'place': i, 'named': named, 'judged_by': judged_by
    }
  )
  || list_transform(
    against,
    lambda r, i: {
      'id': id, 'run_id': r, 'is_after': false, 'place': i, 'named': named, 'judged_by': judged_by
    }
  );

CREATE OR REPLACE MACRO _run_ids(sides) AS list_transform(sides, lambda side: side.run_id);

-- Whether a row is of these runs. A list would be searched for each row; the range is for DuckDB,
-- which takes it through views down to the row groups of tables.
CREATE OR REPLACE MACRO _is_of(run_id, ids) AS
  run_id BETWEEN list_min(ids) AND list_max(ids) AND run_id IN (SELECT unnest(ids));
