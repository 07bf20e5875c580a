-- Runtime work known as a total is spread evenly over what exact runtime leaves of its window, in
-- all at most over the starvation there is. In 128 bits, because the products exceed 64.
WITH
  spread AS (
    SELECT *, CAST(least(total, y) AS HUGEINT) AS work
    FROM _idle_met
    WHERE y > 0
  ),

  sums AS (
    SELECT
      place,
      sum(work * (met - direct) // y) AS direct,
      sum(work * (met - c_u) // y) AS propagated_u,
      sum(work * (met - c_u - x_u) // y) AS transitive_u,
      sum(work * (met - c_l) // y) AS propagated_l,
      sum(work * (met - c_l - x_l) // y) AS transitive_l
    FROM spread
    GROUP BY place
  )

SELECT
  place,
  CAST(least(u.direct, s1 - a - g.direct) AS BIGINT) AS ov_uniform,
  CAST(least(propagated_u, s1 - a - c_u) AS BIGINT) AS propagated_u,
  CAST(least(transitive_u, s1 - a - c_u - x_u) AS BIGINT) AS transitive_u,
  CAST(least(propagated_l, s1 - a - c_l) AS BIGINT) AS propagated_l,
  CAST(least(transitive_l, s1 - a - c_l - x_l) AS BIGINT) AS transitive_l
FROM sums AS u
LEFT JOIN _idle_measured AS g USING (place);
