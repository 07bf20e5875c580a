-- The runs to attribute, numbered, and the source being ingested.
CREATE TEMP TABLE _idle_run AS
SELECT
  CAST(row_number() OVER () AS INTEGER) AS r, run_id, CAST($source_id AS BIGINT) AS source_id
FROM (SELECT DISTINCT unnest(CAST($runs AS VARCHAR[])) AS run_id);
