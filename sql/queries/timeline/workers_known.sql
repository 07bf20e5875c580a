-- The rows of timeline/workers, which were asked before, from $workers (JSON).
SELECT unnest(
  from_json(
    $workers,
    '[{
      "run_id": "VARCHAR", "worker": "VARCHAR", "node": "VARCHAR", "ahead": "BIGINT",
      "t_begin": "BIGINT", "t_end": "BIGINT", "pieces": "BIGINT", "lane": "BIGINT"
    }]'
  ),
  recursive := true
);
