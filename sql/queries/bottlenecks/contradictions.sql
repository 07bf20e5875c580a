-- The parts of runs that were counted more often than their wholes, those of most runs first, with
-- the run in which it is so the most.
SELECT
  part, whole, count(*) AS runs,
  sum(contradictions) AS contradictions, sum(samples) AS samples,
  max({'ratio': part_value / whole_value, 'part': part_value, 'whole': whole_value}) AS worst
FROM counter_contradictions
WHERE _is_of(run_id, CAST($runs AS VARCHAR[]))
GROUP BY part, whole
ORDER BY runs DESC, part, whole;
