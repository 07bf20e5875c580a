-- About how many bytes a row of a table takes: small ones share blocks, and have values of 8 bytes.
SELECT
  least(
    count(DISTINCT block_id) * 262144
    / nullif(sum(count) FILTER (column_id = 0 AND segment_type <> 'VALIDITY'), 0),
    8 * count(DISTINCT column_id)
  )
FROM pragma_storage_info({table});
