-- requires: imbalance, program_models
--
-- Where the time of a program goes as it is scaled: the efficiencies of the POP Centre of Excellence,
-- computation against communication, and the serial fraction of Karp and Flatt.

CREATE OR REPLACE VIEW scaling_efficiencies AS -- One row is a set of runs that is scaled by a count, at one measured count: its efficiencies by the definitions of the POP Centre of Excellence, and the serial fraction of Karp and Flatt.
WITH
  of_ranks AS (
    SELECT
      u.set_id, coalesce(t.parallelism, u.parallelism) AS parallelism, t.run_id, t.repetition, t.rank,
      coalesce(sum(t.seconds) FILTER (f.kind = 'computation' AND NOT t.waiting), 0) AS seconds
    FROM rank_times AS t
    JOIN scaling_runs AS u ON t.run_id = u.run_id
    JOIN scaling_sets AS s ON u.set_id = s.set_id
    JOIN scaling_series AS f ON u.set_id = f.set_id AND t.function = f.function
    WHERE NOT s.crossed OR u.problem_size = s.problem_size
    GROUP BY ALL
  ),

  measured AS (
    SELECT
      set_id, parallelism, count(*) AS ranks, avg(seconds) AS mean_seconds,
      max(seconds) AS max_seconds
    FROM of_ranks
    GROUP BY set_id, parallelism, run_id, repetition
  ),

  by_rank AS (
    SELECT
      set_id, parallelism, median(ranks) AS ranks, median(mean_seconds) AS computation,
      median(max_seconds) AS longest
    FROM measured
    GROUP BY set_id, parallelism
    HAVING median(ranks) > 1 OR parallelism = 1
  ),

  -- what a replay with a network without latency and with endless bandwidth took
  replayed AS (
    SELECT
      u.set_id, u.parallelism, median(TRY_CAST(r.tags['ideal_network_seconds'] AS DOUBLE)) AS ideal
    FROM scaling_runs AS u
    JOIN runs AS r USING (run_id)
    GROUP BY ALL
  ),

  -- of each function the mean over ranks
  by_kind AS (
    SELECT
      set_id, parallelism,
      sum(seconds) FILTER (kind = 'computation') AS computation,
      coalesce(sum(seconds) FILTER (kind <> 'computation'), 0) AS communication
    FROM (
      SELECT set_id, kind, unnest(x) AS parallelism, unnest(y) AS seconds
      FROM scaling_series
      WHERE kind <> 'total'
    )
    GROUP BY ALL
  ),

  timed AS (
    SELECT
      p.set_id, p.app, p.version, p.machine, s.scaling, p.parallelism, p.basis, r.longest,
      coalesce(r.computation, k.computation) AS computation, k.communication,
      -- no rank computes longer than the program takes, but medians may
      greatest(p.seconds, r.longest) AS seconds,
      CASE WHEN i.ideal > 0 THEN greatest(least(i.ideal, p.seconds), r.longest) END AS ideal
    FROM program_times AS p
    JOIN scaling_sets AS s ON p.set_id = s.set_id
    LEFT JOIN by_rank AS r ON p.set_id = r.set_id AND p.parallelism = r.parallelism
    LEFT JOIN replayed AS i ON p.set_id = i.set_id AND p.parallelism = i.parallelism
    LEFT JOIN by_kind AS k ON p.set_id = k.set_id AND p.parallelism = k.parallelism
    WHERE _is_count(s.parameter_kind) AND p.seconds > 0
  ),

  against AS (
    SELECT
      *,
      parallelism / first(parallelism) OVER every AS times,
      first(seconds) OVER every / seconds AS faster,
      first(computation) OVER every / nullif(computation, 0) AS less
    FROM timed
    WINDOW every AS (PARTITION BY set_id ORDER BY parallelism ROWS UNBOUNDED PRECEDING)
  )

SELECT
  set_id, app,
  version, -- Version.
  machine,
  parallelism, -- Parallelism, as in scaling_points.
  basis, -- What the time of the program is (program_times.basis).
  seconds, -- Time of the program, s.
  computation AS computation_seconds, -- Time in functions of kind computation that do not wait, mean over the ranks, s; NULL where only whole runs were timed.
  communication AS communication_seconds, -- Time in functions of other kinds, mean over the ranks, s.
  computation / nullif(longest, 0) AS load_balance, -- Mean over the ranks of the computation over its longest, 0..1; NULL where ranks are unknown.
  longest / seconds AS communication_efficiency, -- Longest computation of a rank over the time of the program, 0..1; NULL where ranks are unknown.
  longest / ideal AS serialisation, -- Longest computation of a rank over the time that the program takes with an ideal network, 0..1: the part of communication efficiency that waiting costs. That time is what a replay of its trace took (Dimemas): the tag ideal_network_seconds of its runs, s; NULL without it.
  ideal / seconds AS transfer, -- The time with an ideal network over that of the program, 0..1: the part that moving data costs; times serialisation it is communication efficiency. NULL without it.
  CASE WHEN basis <> 'sum of rank means' OR communication > 0
    THEN computation / greatest(seconds, computation)
  END AS parallel_efficiency, -- Mean computation over the time of the program, 0..1: load balance times communication efficiency. NULL where no communication and no time of the program was measured.
  less / CASE WHEN scaling = 'weak' THEN 1 ELSE times END AS computation_scaling, -- Total computation of all ranks at the smallest count over that here (weak scaling: over that here for as much work); above 1 where caches help.
  parallel_efficiency * computation_scaling AS global_efficiency, -- Parallel efficiency times computation scaling.
  faster * CASE WHEN scaling = 'weak' THEN times ELSE 1 END AS speedup, -- Time at the smallest count over that here (weak scaling: times the ratio of counts).
  CASE WHEN scaling = 'strong' AND times > 1 THEN (1 / faster - 1 / times) / (1 - 1 / times) END
    AS serial_fraction -- Karp and Flatt: (1/S - 1/p) / (1 - 1/p) of the speed-up S at p times the smallest count. A share that stays is serial work; one that grows is overhead. NULL at the smallest count and for weak scaling.
FROM against;
