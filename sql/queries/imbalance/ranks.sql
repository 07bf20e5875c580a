-- Time of the functions $functions on each rank at $parallelism over its mean on all ranks, of a set
-- of runs: the mean of the repetitions, 0 where a rank did not call it, NULL where its time is
-- unknown; of more than $most ranks the largest of neighbours.
WITH
  measured AS (
    SELECT t.run_id, t.repetition, t.rank, t.function, t.seconds
    FROM rank_times AS t
    JOIN scaling_runs AS r USING (run_id)
    JOIN scaling_sets AS s ON r.set_id = s.set_id
    WHERE (NOT s.crossed OR r.problem_size = s.problem_size)
      AND r.set_id = $set_id AND coalesce(t.parallelism, r.parallelism) = $parallelism
  ),

  ranks AS (
    SELECT
      rank, (SELECT count(DISTINCT (run_id, repetition)) FROM measured) AS repetitions,
      CAST(ceil((max(rank) OVER (PARTITION BY 1) + 1) / $most) AS INTEGER) AS width
    FROM (SELECT DISTINCT rank FROM measured)
  ),

  times AS (
    SELECT
      f.function, r.rank, r.width,
      CASE WHEN count(m.rank) = count(m.seconds)
        THEN coalesce(sum(m.seconds), 0) / any_value(r.repetitions) END AS seconds
    FROM ranks AS r
    CROSS JOIN (SELECT unnest(CAST($functions AS VARCHAR[])) AS function) AS f
    LEFT JOIN measured AS m ON r.rank = m.rank AND f.function = m.function
    GROUP BY f.function, r.rank, r.width
  )

SELECT
  function, rank // width * width AS first_rank, max(rank) AS last_rank,
  max(seconds) AS seconds, max(seconds) / nullif(any_value(mean_seconds), 0) AS of_mean
FROM (SELECT *, avg(seconds) OVER (PARTITION BY function) AS mean_seconds FROM times)
GROUP BY function, first_rank
ORDER BY function, first_rank;
