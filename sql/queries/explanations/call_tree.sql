-- The call paths in which two groups of runs differ most, in the order of the tree; of flat profiles
-- the largest share first. Times and each event have a tree of their own.
WITH
  largest AS (
    FROM call_tree_difference($runs, $against)
    WHERE greatest(abs(own_share), abs(inclusive_share)) >= $smallest_share
    QUALIFY row_number() OVER (
      PARTITION BY unit ORDER BY greatest(abs(own_share), abs(inclusive_share)) DESC, callpath
    ) <= $most
  )

FROM largest
ORDER BY
  unit <> 's', unit, if(max(depth) OVER (PARTITION BY unit) = 1, -inclusive_share, 0), parts;
