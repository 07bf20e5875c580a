-- The runs to attribute, numbered, each with the source that its derived rows are to be of.
CREATE TEMP TABLE _idle_run AS
SELECT CAST(row_number() OVER () AS INTEGER) AS r, run_id, source_id
FROM (
  SELECT
    unnest(CAST($runs AS VARCHAR[])) AS run_id, unnest(CAST($source_ids AS BIGINT[])) AS source_id
);
