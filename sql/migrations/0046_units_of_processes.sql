-- What processes have of the processors' time and of memory, as pidstat shows it, adds up over them.

UPDATE pmu_samples
SET unit = if(regexp_matches(event, '(?i)^(?:task\.)?(?:VSZ|RSS|Stk\w+)$'), 'kB', '% CPU')
WHERE thread IS NOT NULL
  AND regexp_matches(
    event, '^(?:%|task\.)(?:usr|system|guest|wait|CPU)$|(?i)^(?:task\.)?(?:VSZ|RSS|StkSize|StkRef)$'
  )
  AND source_id IN (SELECT source_id FROM sources WHERE reader = 'sysstat');
