-- What PAPI's high-level interface calls cycles are ticks of the clock, which go on while a thread
-- sleeps, and not the cycles of a core.

UPDATE pmu_samples
SET event = 'real_cycles'
WHERE event = 'cycles' AND source_id IN (SELECT source_id FROM sources WHERE reader = 'papi');
