-- Where the time of the workers of one run went, in every reading: of all (kind is NULL), and by
-- kind, that which does the work first.
SELECT *
FROM (
  SELECT CAST(NULL AS VARCHAR) AS kind, * FROM slo_by_run WHERE run_id = $run_id
  UNION ALL BY NAME
  FROM slo_by_kind WHERE run_id = $run_id
)
ORDER BY mode, latency_rule DESC, kind = 'stream' DESC, kind <> 'not judged' DESC, busy DESC, kind;
