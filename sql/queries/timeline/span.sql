-- First and last moment of the workers of one run (ns, on one clock), the number of workers, and that
-- of their tasks and idle intervals, and how far the clocks of their nodes are ahead (ns).
SELECT
  min(t_begin) AS t_begin, max(t_end) AS t_end, count(*) AS workers,
  CAST(sum(pieces) AS BIGINT) AS pieces, min(ahead) AS least_ahead, max(ahead) AS most_ahead
FROM _worker_lanes
WHERE run_id = $run_id;
