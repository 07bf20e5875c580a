-- Of data that were made last for an idle interval, equally late, that with the smallest id.
WITH
  datum AS (
    SELECT d, data FROM _idle_datum SEMI JOIN _idle_tie USING (d)
  )

SELECT tie.i, arg_min(tie.d, datum.data) AS d
FROM _idle_tie AS tie
LEFT JOIN datum USING (d)
GROUP BY tie.i;
