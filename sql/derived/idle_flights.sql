-- Hops of inputs within the idle intervals, after the starvation, by worker and time.
WITH
  wait AS MATERIALIZED (
    SELECT i, w, s1, b FROM _idle_cuts
  ),

  hop AS MATERIALIZED (
    SELECT i, c, t_send, t_recv FROM _idle_need WHERE t_recv IS NOT NULL
    UNION ALL
    SELECT i, c, t_send, t_recv FROM _idle_detour
  )

SELECT
  wait.w, greatest(hop.t_send, hop.c, wait.s1) AS p, least(hop.t_recv, wait.b) AS q
FROM hop
JOIN wait USING (i)
WHERE coalesce(hop.t_send, hop.c) IS NOT NULL
  AND greatest(hop.t_send, hop.c, wait.s1) < least(hop.t_recv, wait.b)
ORDER BY w, p;
