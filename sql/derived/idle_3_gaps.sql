-- Idle intervals by worker and time, with the cuts that attribution makes in them: [a, s1)
-- starvation, then latency and rest up to b. `la` is where latency ends in the reading last_arrival,
-- `u` where the time before submission does, v the worker of the last input's producer (-1: none).
WITH
  gap AS MATERIALIZED (
    SELECT rowid AS i, w, a, b, is_first, task, t_submit FROM _idle_gap
  ),

  last AS MATERIALIZED (
    FROM _idle_last
  ),

  datum AS MATERIALIZED (
    SELECT rowid AS d, w, data, producer FROM _idle_datum
  )

SELECT
  gap.i, gap.w, gap.a, gap.b,
  greatest(gap.a, least(gap.b, coalesce(last.c, gap.a))) AS s1,
  greatest(gap.a, least(gap.b, greatest(coalesce(last.c, gap.a), coalesce(last.t_arrival, gap.a))))
    AS la,
  greatest(
    gap.a, least(gap.b, greatest(coalesce(last.c, gap.a), coalesce(gap.t_submit, gap.a)))
  ) AS u,
  coalesce(datum.w, -1) AS v,
  gap.is_first, gap.task, gap.t_submit, datum.data, datum.producer, last.t_arrival,
  coalesce(last.c > gap.b, false) AS is_causality,
  coalesce(last.t_arrival > gap.b, false) AS is_late,
  coalesce(last.is_missing, false) AS is_missing,
  coalesce(last.is_negative, false) OR gap.i IN (
    SELECT i FROM _idle_detour WHERE t_recv < greatest(t_send, c)
  ) AS is_negative
FROM gap
LEFT JOIN last ON gap.i = last.i
LEFT JOIN datum ON last.d = datum.d
ORDER BY gap.w, gap.a;
