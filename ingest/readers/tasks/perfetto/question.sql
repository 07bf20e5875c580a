-- All of a trace that lands, one row a record. Times are in ns of the trace's clock; texts are in
-- hexadecimal. The columns, by record:
--
--   slice      number thread, at, length, name, kind (category); of threads' own tracks
--   device     number track, at, length, name, kind; what a queue of a GPU executed
--   queue      number track, name; of the queues of GPUs
--   operation  at, length, name, kind; of other tracks, where slices are asynchronous
--   schedule   number CPU, at, length, name (thread that ran)
--   flow       number thread, at, length of the slice it leaves; place thread, value time it enters
--   thread     number thread, place process, at thread's number in its system, name, kind (process)
--   counter    number track, name, kind (unit)
--   point      number track, at, value
--   clock      at, value: the same moment in ns since 1970
--   sample     at how many, name of the kind
--   loss       at how many, name of what was lost or not understood
SELECT 'slice' AS record, t.utid AS number, NULL AS place, s.ts AS at, s.dur AS length,
       NULL AS value, hex(s.name) AS name, hex(s.category) AS kind
FROM slice AS s JOIN thread_track AS t ON t.id = s.track_id
WHERE t.name IS NULL
UNION ALL
SELECT 'device', s.track_id, NULL, s.ts, s.dur, NULL, hex(s.name), hex(s.category)
FROM slice AS s JOIN gpu_track AS g ON g.id = s.track_id
WHERE g.scope = 'gpu_render_stage'
UNION ALL
SELECT 'queue', id, NULL, NULL, NULL, NULL, hex(name), NULL
FROM gpu_track
WHERE scope = 'gpu_render_stage'
UNION ALL
SELECT 'operation', NULL, NULL, s.ts, s.dur, NULL, hex(s.name), hex(s.category)
FROM slice AS s
WHERE s.track_id NOT IN (SELECT id FROM thread_track WHERE name IS NULL)
  AND s.track_id NOT IN (SELECT id FROM gpu_track WHERE scope = 'gpu_render_stage')
UNION ALL
SELECT 'schedule', s.cpu, NULL, s.ts, s.dur, NULL, hex(coalesce(t.name, 'thread ' || t.tid)), NULL
FROM sched AS s JOIN thread AS t USING (utid)
WHERE t.tid <> 0
UNION ALL
SELECT 'flow', f.utid, t.utid, a.ts, a.dur, CAST(b.ts AS TEXT), NULL, NULL
FROM flow
JOIN slice AS a ON a.id = flow.slice_out JOIN thread_track AS f ON f.id = a.track_id
JOIN slice AS b ON b.id = flow.slice_in JOIN thread_track AS t ON t.id = b.track_id
WHERE f.name IS NULL AND t.name IS NULL
UNION ALL
SELECT 'thread', t.utid, p.pid, t.tid, NULL, NULL, hex(t.name), hex(p.name)
FROM thread AS t LEFT JOIN process AS p USING (upid)
UNION ALL
SELECT 'counter', c.id, NULL, NULL, NULL, NULL,
       hex(c.name || coalesce(' of CPU ' || u.cpu, ' of GPU ' || g.gpu_id,
                              ' of ' || coalesce(h.name, 'thread ' || h.tid),
                              ' of ' || coalesce(q.name, 'process ' || q.pid), '')),
       hex(c.unit)
FROM counter_track AS c
LEFT JOIN cpu_counter_track AS u USING (id)
LEFT JOIN gpu_counter_track AS g USING (id)
LEFT JOIN thread_counter_track AS ht USING (id) LEFT JOIN thread AS h ON h.utid = ht.utid
LEFT JOIN process_counter_track AS qt USING (id) LEFT JOIN process AS q ON q.upid = qt.upid
UNION ALL
SELECT 'point', track_id, NULL, ts, NULL, printf('%.17g', value), NULL, NULL FROM counter
UNION ALL
SELECT * FROM (
  SELECT 'clock', NULL, NULL, ts, NULL, CAST(clock_value AS TEXT), NULL, NULL
  FROM clock_snapshot WHERE clock_name = 'REALTIME' ORDER BY ts LIMIT 1
)
UNION ALL
SELECT 'sample', NULL, NULL, count(*), NULL, NULL, hex('sample of a stack'), NULL FROM perf_sample
UNION ALL
SELECT 'sample', NULL, NULL, count(*), NULL, NULL, hex('sample of a stack'), NULL
FROM cpu_profile_stack_sample
UNION ALL
SELECT 'sample', NULL, NULL, count(*), NULL, NULL, hex('sample of a heap'), NULL
FROM heap_profile_allocation
UNION ALL
SELECT 'loss', NULL, NULL, value, NULL, NULL, hex(name), NULL
FROM stats WHERE severity IN ('data_loss', 'error') AND value > 0;
