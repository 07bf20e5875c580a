-- Warps of launches $first to $last, those that lose most to divergence first.
SELECT
  launch, kernel, block, warp, threads, instructions, warp_instructions, simt_efficiency,
  idle_lanes, rank
FROM warp_divergence
WHERE run_id = $run_id AND launch BETWEEN $first AND $last
ORDER BY idle_lanes DESC NULLS LAST, launch, block, warp;
