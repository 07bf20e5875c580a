-- Events of one run, the largest per cycle first, else the largest. Of completed instructions: whether
-- a core can complete so many in a cycle, whether other counts contradict them, and of which cores
-- of a hybrid processor, else in which mode alone, they were counted.
SELECT
  event, value, unit, per_cycle, samples, not_counted, running,
  _is_instructions(event) AS is_instructions,
  per_cycle > 0 AND per_cycle <= _too_many_instructions() AS is_possible,
  event IN (
    SELECT unnest([part, whole]) FROM counter_contradictions WHERE run_id = $run_id
  ) AS is_contradicted,
  coalesce(_core_type(event), _mode(event)) AS kind
FROM counter_summary
WHERE run_id = $run_id
ORDER BY value IS NULL, per_cycle DESC NULLS LAST, value DESC, event;
