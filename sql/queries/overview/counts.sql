-- Numbers of runs, files and rows, from the small tables alone.
SELECT
  (SELECT count(*) FROM runs) AS runs,
  (SELECT count(DISTINCT app) FROM runs) AS apps,
  (SELECT count(DISTINCT machine) FROM runs) AS machines,
  (SELECT count(*) FROM sources) AS files,
  (SELECT CAST(coalesce(sum(rows), 0) AS BIGINT) FROM sources) AS rows,
  (SELECT count(*) FROM run_scalars) AS scalars,
  (SELECT max(ingested_at) FROM sources) AS last_at,
  (SELECT count(*) FROM rejections) AS rejected,
  (SELECT concat(count(*), ' ', max(said_at)) FROM acknowledgements) AS acknowledged;
