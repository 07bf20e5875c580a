-- Hops into the nodes on the way, for data that came by more than one hop. From the last hop
-- backwards, until the datum's home, a node visited before, or an unknown one.
WITH RECURSIVE
  last_hop AS MATERIALIZED (
    SELECT need.i, need.c, need.r, need.x, need.from_x, task_inputs.data
    FROM task_inputs
    JOIN (
      SELECT need.i, need.n, need.c, need.from_x, gap.r, gap.x
      FROM _idle_gap AS gap
      JOIN _idle_onward AS need ON gap.i = need.i
    ) AS need ON task_inputs.rowid = need.n
  ),

  origin AS (
    SELECT r, data, home FROM _idle_datum SEMI JOIN last_hop USING (r, data)
  ),

  -- the hop into each node that was there first
  leg AS MATERIALIZED (
    SELECT hop.*, origin.home
    FROM (FROM _idle_hop SEMI JOIN last_hop USING (r, data)) AS hop
    LEFT JOIN origin ON hop.r = origin.r AND hop.data = origin.data
    QUALIFY row_number() OVER (
      PARTITION BY hop.r, hop.data, hop.to_x
      ORDER BY t_recv, coalesce(t_send, t_recv), from_x NULLS FIRST, t_send IS NULL
    ) = 1
  ),

  route (i, c, r, data, visited, from_x, t_send, t_recv) AS (
    SELECT
      last.i, last.c, last.r, last.data, [last.x, last.from_x], leg.from_x, leg.t_send, leg.t_recv
    FROM last_hop AS last
    JOIN leg ON last.r = leg.r AND last.data = leg.data AND last.from_x = leg.to_x
    UNION ALL
    SELECT
      route.i, route.c, route.r, route.data, list_append(route.visited, route.from_x),
      leg.from_x, leg.t_send, leg.t_recv
    FROM route
    JOIN leg ON route.r = leg.r AND route.data = leg.data AND route.from_x = leg.to_x
    WHERE route.from_x IS DISTINCT FROM leg.home
      AND NOT list_contains(route.visited, route.from_x)
  )

SELECT i, c, t_send, t_recv FROM route;
