-- The call paths in which two groups of runs differ most, in the order of the tree; of flat profiles
-- the largest share first.
WITH
  largest AS (
    FROM call_tree_difference($runs, $against)
    WHERE greatest(abs(own_share), abs(inclusive_share)) >= $smallest_share
    ORDER BY greatest(abs(own_share), abs(inclusive_share)) DESC, callpath
    LIMIT $most
  )

FROM largest
ORDER BY if(max(depth) OVER () = 1, -inclusive_share, 0), parts;
