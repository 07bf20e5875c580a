-- Where the time of the workers of one run went, in every reading: of all (kind is NULL), and by
-- kind, that which does the work first; within [$t0, $t1) where that is not NULL only of all.
FROM (
  SELECT * EXCLUDE (is_whole)
  FROM _slo_of_kinds
  WHERE run_id = $run_id AND $t0 IS NULL
  UNION ALL BY NAME
  FROM slo_window($run_id, $t0, $t1)
  WHERE $t0 IS NOT NULL
)
ORDER BY mode, latency_rule DESC, kind = 'stream' DESC, kind <> 'not judged' DESC, busy DESC, kind;
