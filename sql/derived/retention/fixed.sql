-- The keys of an analysis whose rows retention has deleted, of the tables that it reads.
SELECT {key}
FROM forgotten_rows
JOIN run_groups USING (run_id)
WHERE "table" IN ({reads}) AND {key} IS NOT NULL
