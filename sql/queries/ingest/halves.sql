-- Whether the $rows rows from $begin on are those from $middle on, in any order.
SELECT
  bit_xor(hash(run_id, {columns})) FILTER (rowid < $middle) = bit_xor(hash(run_id, {columns})) FILTER (rowid >= $middle)
  AND sum(hash(run_id, {columns})) FILTER (rowid < $middle) = sum(hash(run_id, {columns})) FILTER (rowid >= $middle)
FROM {table}
WHERE rowid BETWEEN $begin AND $begin + $rows - 1 OR rowid BETWEEN $middle AND $middle + $rows - 1;
