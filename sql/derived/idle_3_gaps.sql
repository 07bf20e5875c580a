-- Idle intervals with the cuts that attribution makes in them: [a, s1) starvation, then latency
-- and rest up to b. `la` is where latency ends in the reading last_arrival, `u` where the time before
-- submission does, v the worker of the last input's producer.
CREATE TEMP TABLE _idle_wait AS
SELECT
  gap.rowid AS i, gap.w, gap.a, gap.b, last.d, coalesce(datum.w, -1) AS v,
  greatest(gap.a, least(gap.b, coalesce(last.c, gap.a))) AS s1,
  greatest(gap.a, least(gap.b, greatest(coalesce(last.c, gap.a), coalesce(last.t_arrival, gap.a))))
    AS la,
  greatest(
    gap.a, least(gap.b, greatest(coalesce(last.c, gap.a), coalesce(gap.t_submit, gap.a)))
  ) AS u,
  coalesce(last.c > gap.b, false) AS is_causality,
  coalesce(last.t_arrival > gap.b, false) AS is_late,
  coalesce(last.is_missing, false) AS is_missing,
  coalesce(last.is_negative, false) OR gap.rowid IN (
    SELECT i FROM _idle_detour WHERE t_recv < greatest(t_send, c)
  ) AS is_negative,
  last.t_arrival
FROM _idle_gap AS gap
LEFT JOIN _idle_last AS last ON gap.rowid = last.i
LEFT JOIN _idle_datum AS datum ON last.d = datum.rowid;
