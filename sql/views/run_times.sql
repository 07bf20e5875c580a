-- When runs started and landed, and the order of the runs of an application.

-- What versions are in the order of, where dates do not tell: 1.9 comes before 1.10.
CREATE OR REPLACE MACRO _version_numbers(version) AS
  list_transform(regexp_extract_all(version, '\d+'), lambda digits: TRY_CAST(digits AS HUGEINT));

-- last_at is the start, and where that is unknown, the landing; position is the place in the file.
-- Runs that no file states have neither landing nor place. stated_at is a start that something
-- states: where nothing does, a file's own time orders runs, and is shown nowhere as their start.
CREATE OR REPLACE VIEW _run_times AS
WITH
  positions AS (
    SELECT
      run_id, max(position) FILTER (source_id <> 0) AS position,
      bool_and(stated_by = 'file_time') FILTER (started_at IS NOT NULL) AS is_of_file
    FROM run_facts
    GROUP BY run_id
  )

SELECT
  r.run_id, r.landed_at, coalesce(r.started_at, r.landed_at) AS last_at, p.position,
  CASE WHEN p.is_of_file IS NOT true THEN r.started_at END AS stated_at
FROM runs AS r
LEFT JOIN positions AS p ON r.run_id = p.run_id;

-- The page of a commit on the site of its project.
CREATE OR REPLACE MACRO _commit_url(named) AS (
  SELECT any_value(c.url)
  FROM commits AS c
  WHERE c."commit"[:7] = lower(named[:7]) AND starts_with(c."commit", lower(named))
    AND regexp_full_match(c.url, 'https?://[^\s()<>"]+')
);

-- The branch that is the history of an application, of those that its runs name; and `formerly`, what it
-- was called: usual names of which all runs are before its first one.
CREATE OR REPLACE VIEW _default_branches AS
WITH
  counted AS (
    SELECT
      g.app, g.branch, count(*) AS runs,
      coalesce(list_position(['main', 'master', 'trunk'], g.branch), 4) AS usual,
      min(coalesce(g.committed_at, r.started_at)) AS first_at,
      max(coalesce(g.committed_at, r.started_at)) AS last_at
    FROM run_groups AS g
    JOIN runs AS r ON g.run_id = r.run_id
    WHERE g.app IS NOT NULL AND g.branch IS NOT NULL
    GROUP BY g.app, g.branch
  ),

  chosen AS (
    SELECT
      c.app,
      coalesce(arg_min(d.branch, d.app = '*'), arg_min(c.branch, (c.usual, -c.runs, c.branch)))
        AS branch
    FROM counted AS c
    LEFT JOIN default_branches AS d ON d.app IN (c.app, '*')
    GROUP BY c.app
  )

SELECT h.app, h.branch, list(o.branch) AS formerly
FROM chosen AS h
LEFT JOIN counted AS c ON h.app = c.app AND h.branch = c.branch
LEFT JOIN counted AS o
  ON c.app = o.app AND greatest(c.usual, o.usual) < 4 AND o.last_at < c.first_at
GROUP BY h.app, h.branch;

-- What runs are repetitions of, in the order of series.
CREATE OR REPLACE MACRO _point_of(run_id, repeats, counted_at, place) AS {
  'counted_at': counted_at, 'place': place, 'of': coalesce(repeats, run_id)
};

-- When runs count in the history of their application: their commits along the default branch, whose
-- dates may be out of order; else the date of the commit, else the start. Runs on another branch are
-- candidates, and none of the history.
CREATE OR REPLACE VIEW _run_commits AS
SELECT
  g.run_id, g.app, g.configuration_id, g."commit", g.branch, g.position, g.fork_position,
  r.started_at,
  CASE WHEN g."commit" IS NOT NULL THEN concat_ws(chr(0), g."commit", r.version) END AS repeats,
  NOT coalesce(g.on_default, g.branch = d.branch OR list_contains(d.formerly, g.branch), true)
    AS is_candidate,
  coalesce(
    CASE WHEN g.position IS NOT NULL THEN max(g.committed_at) OVER (
      PARTITION BY g.app, g.repository, g.position IS NULL ORDER BY g.position
    ) END,
    g.committed_at, r.started_at
  ) AS counted_at
FROM run_groups AS g
JOIN runs AS r ON g.run_id = r.run_id
LEFT JOIN _default_branches AS d ON g.app = d.app;

-- The one order of the runs of an application, from 1; that of versions is by their first runs. By
-- commit, else by start, and where that is unknown by landing; where none of these is known and all
-- versions are numbers, such as v1.9 and v1.10, by these. Runs of equal place have no order. `state` is
-- what a run is of: its version, or its commit where the version has several or none is known.
CREATE OR REPLACE VIEW _run_order AS
WITH
  ran AS (
    SELECT
      r.run_id, r.app, r.version, t.last_at, t.landed_at, coalesce(c.counted_at, t.last_at) AS point_at,
      c.position, coalesce(c.is_candidate, false) AS is_candidate,
      if(min(c."commit") OVER of_version < max(c."commit") OVER of_version, c."commit",
        coalesce(r.version, c."commit")) AS state,
      _version_numbers(r.version) AS numbers,
      bool_and(regexp_full_match(coalesce(r.version, ''), '\D*\d+(\.\d+)*([-+ ].*)?')) OVER app
        AND min(regexp_extract(r.version, '^\D*')) OVER app = max(regexp_extract(r.version, '^\D*')) OVER app
        AS is_numbered,
      is_numbered AND count(coalesce(c.counted_at, r.started_at)) OVER app = 0 AS by_number
    FROM runs AS r
    JOIN _run_times AS t ON r.run_id = t.run_id
    LEFT JOIN _run_commits AS c ON r.run_id = c.run_id
    WHERE r.app IS NOT NULL
    WINDOW app AS (PARTITION BY r.app), of_version AS (PARTITION BY r.app, r.version)
  )

SELECT
  run_id, app, version, state, is_candidate,
  dense_rank() OVER (
    PARTITION BY app
    ORDER BY
      CASE WHEN NOT by_number THEN point_at END NULLS FIRST, position,
      CASE WHEN NOT by_number THEN last_at END NULLS FIRST,
      CASE WHEN NOT by_number THEN landed_at END NULLS FIRST,
      CASE WHEN is_numbered THEN numbers END, CASE WHEN is_numbered THEN version END
  ) AS place
FROM ran;
