-- What call paths have allocated at massif's peak has the name that it has in profiles of DHAT: the
-- metric peak_heap, with what the allocator adds, is another figure.

UPDATE pmu_samples
SET event = 'peak bytes'
WHERE event = 'peak_heap' AND source_id IN (SELECT source_id FROM sources WHERE reader = 'massif');
