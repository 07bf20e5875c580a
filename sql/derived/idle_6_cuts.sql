-- Idle intervals by worker and time, with the cuts that attribution makes in them: [a, s1)
-- starvation, then latency and rest up to b. `la` is where latency ends in the reading
-- last_arrival, `u` where the time before submission does, v the worker of the last input's
-- producer (-1: none).
SELECT
  gap.i, gap.w, gap.a, gap.b,
  greatest(gap.a, least(gap.b, coalesce(gap.c, gap.a))) AS s1,
  greatest(gap.a, least(gap.b, greatest(coalesce(gap.c, gap.a), coalesce(gap.t_arrival, gap.a))))
    AS la,
  greatest(
    gap.a, least(gap.b, greatest(coalesce(gap.c, gap.a), coalesce(gap.t_submit, gap.a)))
  ) AS u,
  coalesce(datum.w, -1) AS v,
  gap.is_first, gap.task, gap.t_submit, datum.data, datum.producer, gap.t_arrival,
  coalesce(gap.c > gap.b, false) AS is_causality,
  coalesce(gap.t_arrival > gap.b, false) AS is_late,
  gap.is_missing, gap.is_negative, gap.is_unlisted,
  (gap.has_work OR gap.has_inputs) AND NOT (gap.is_missing OR gap.is_unlisted OR gap.is_drawn)
    AS is_recorded
FROM _idle_gap AS gap
LEFT JOIN _idle_datum AS datum ON gap.d = datum.d
ORDER BY gap.w, gap.a;
