-- Warps of all launches or $launch, those that lose most to divergence first.
SELECT
  launch, kernel, block, warp, threads, instructions, warp_instructions, simt_efficiency,
  idle_lanes, rank
FROM warp_divergence
WHERE run_id = $run_id AND launch BETWEEN coalesce($launch, 0) AND coalesce($launch, 2147483647)
ORDER BY idle_lanes DESC NULLS LAST, launch, block, warp;
