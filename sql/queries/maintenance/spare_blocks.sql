-- How many blocks less a table would take in about as many row groups as its rows fill.
SELECT
  sum(count) FILTER (column_id = 0 AND segment_type <> 'VALIDITY') AS rows,
  count(DISTINCT row_group_id) AS row_groups,
  coalesce(count(DISTINCT block_id) * (1 - ceil(rows / 122880) / row_groups), 0) AS blocks
FROM pragma_storage_info({table});
