-- When runs started and landed, and the order of the runs of an application.

-- What versions are in the order of, where dates do not tell: 1.9 comes before 1.10.
CREATE OR REPLACE MACRO _version_numbers(version) AS
  list_transform(regexp_extract_all(version, '\d+'), lambda digits: TRY_CAST(digits AS HUGEINT));

-- last_at is the start, and where that is unknown, the landing; position is the place in the file.
-- Runs that no file states have neither landing nor place.
CREATE OR REPLACE VIEW _run_times AS
WITH
  landed AS (
    SELECT f.run_id, max(s.ingested_at) AS landed_at, max(f.position) AS position
    FROM run_facts AS f
    JOIN sources AS s USING (source_id)
    GROUP BY f.run_id
  )

SELECT r.run_id, l.landed_at, coalesce(r.started_at, l.landed_at) AS last_at, l.position
FROM runs AS r
LEFT JOIN landed AS l ON r.run_id = l.run_id;

-- The one order of the runs of an application, from 1; that of versions is by their first runs. By
-- start, and where that is unknown by landing; where no start is known and all versions
-- are numbers, such as v1.9 and v1.10, by these. Runs of equal place have no order.
CREATE OR REPLACE VIEW _run_order AS
WITH
  ran AS (
    SELECT
      r.run_id, r.app, r.version, t.last_at, t.landed_at, _version_numbers(r.version) AS numbers,
      bool_and(regexp_full_match(coalesce(r.version, ''), '\D*\d+(\.\d+)*([-+ ].*)?')) OVER app
        AND min(regexp_extract(r.version, '^\D*')) OVER app = max(regexp_extract(r.version, '^\D*')) OVER app
        AS is_numbered,
      is_numbered AND count(r.started_at) OVER app = 0 AS by_number
    FROM runs AS r
    JOIN _run_times AS t ON r.run_id = t.run_id
    WHERE r.app IS NOT NULL
    WINDOW app AS (PARTITION BY r.app)
  )

SELECT
  run_id, app, version,
  dense_rank() OVER (
    PARTITION BY app
    ORDER BY
      CASE WHEN NOT by_number THEN last_at END NULLS FIRST,
      CASE WHEN NOT by_number THEN landed_at END NULLS FIRST,
      CASE WHEN is_numbered THEN numbers END, CASE WHEN is_numbered THEN version END
  ) AS place
FROM ran;
