-- When runs started and landed: the order in which lists have them.

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
