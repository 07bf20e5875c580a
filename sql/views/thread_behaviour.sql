-- requires: blocks, similarity, warps, behaviour_thresholds
--
-- Verdicts on the threads of a launch: dominated by branch divergence, by synchronisation, neither.
--
-- Branch divergence is what lanes lose that have to wait for others of their warp: of the slots of
-- lanes that have a thread, the share that idles (1 - SIMT efficiency where warps are full). Where
-- warps are not known, the fluctuation rate is what remains. Whole warps part if the same share is
-- high one level up: were the warps of a thread block lanes of one warp, how many would wait.

-- The prominent behaviours in one word.
-- Whether synchronisation is prominent: by barriers per visit of a basic block, and, where it is known,
-- by their share of the executed instructions.
CREATE OR REPLACE MACRO _is_synchronising(sync_rate, threshold, sync_share) AS
  CASE sync_rate > threshold WHEN true THEN coalesce(sync_share >= 0.01, true) WHEN false THEN false END;

CREATE OR REPLACE MACRO _behaviour_verdict(divergent, synchronising) AS
  CASE
    WHEN divergent AND synchronising THEN 'both'
    WHEN divergent THEN 'divergent'
    WHEN synchronising THEN 'synchronising'
    WHEN NOT divergent AND NOT synchronising THEN 'neither'
    WHEN NOT divergent THEN 'not divergent'
    WHEN NOT synchronising THEN 'not synchronising'
    ELSE 'unknown'
  END;
