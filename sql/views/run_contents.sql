-- Contents of runs: what the rows of a run came from, in one digest.

CREATE OR REPLACE VIEW _run_contents AS
WITH
  files AS (
    SELECT
      f.run_id,
      string_agg(concat_ws(' ', s.source_id, epoch_us(s.ingested_at)), ',' ORDER BY s.source_id)
        AS files
    FROM (SELECT DISTINCT run_id, source_id FROM run_facts) AS f
    JOIN sources AS s USING (source_id)
    GROUP BY f.run_id
  )

SELECT
  k.run_id, k.rows, md5(concat_ws(chr(0), f.files, CAST(k.rows AS VARCHAR))) AS digest
FROM kept_runs AS k
LEFT JOIN files AS f ON k.run_id = f.run_id;
