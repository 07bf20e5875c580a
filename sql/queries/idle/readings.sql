-- Where the time of the workers of one run went, in every reading: of all (kind is NULL), and by
-- kind, that which does the work first.
SELECT * EXCLUDE (is_whole)
FROM _slo_of_kinds
WHERE run_id = $run_id
ORDER BY mode, latency_rule DESC, kind = 'stream' DESC, kind <> 'not judged' DESC, busy DESC, kind;
