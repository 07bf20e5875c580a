-- What of the environment of two sides differs: fields that have no value in common.
SELECT subject AS field, before_label, after_label
FROM _explain_settings(_sides(0, $after, $before, NULL, NULL))
WHERE relevant
  AND subject IN (SELECT field FROM run_environment WHERE list_contains($before || $after, run_id))
ORDER BY field;
