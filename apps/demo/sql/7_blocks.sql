-- Basic blocks: do the threads do the same work?
SELECT function,
  sum(instructions) FILTER (thread = 1) AS thread_1,
  sum(instructions) FILTER (thread = 2) AS thread_2,
  sum(instructions) FILTER (thread = 3) AS thread_3
FROM bb_visits
JOIN bb_blocks USING (run_id, bb)
JOIN runs USING (run_id)
WHERE app = 'heat-c'
GROUP BY function
ORDER BY sum(instructions) DESC
LIMIT 5
