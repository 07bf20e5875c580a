-- Phases of threads over time, for traces cut into intervals (SimPoint's method, see
-- interval_phases).

CREATE OR REPLACE VIEW phases AS -- One row is one interval of a thread's time and the phase it belongs to.
SELECT run_id, launch, block, thread,
  p.interval AS interval, -- Interval of the thread's time, from 0.
  p.phase AS phase, -- Phase, from 0 in the order in which the thread's phases appear; phases of different threads are not related.
  p.distance AS distance -- Distance of the interval from the centre of its phase, in the projection to 15 dimensions.
FROM _thread_phases;

CREATE OR REPLACE VIEW phase_representatives AS -- One row is one phase of a thread, with its representative interval: simulating these intervals and weighting them estimates the whole thread (SimPoint).
SELECT
  run_id, launch, block, thread,
  p.phase AS phase, -- Phase (phases.phase).
  any_value(p.interval) FILTER (p.representative) AS interval, -- The interval nearest to the centre of the phase.
  count(*) AS intervals, -- Intervals of the phase.
  min(p.interval) AS first_interval, -- The first of them.
  any_value(p.weight) AS weight -- Instructions of the phase over those of all the thread's intervals, 0..1.
FROM _thread_phases
GROUP BY run_id, launch, block, thread, p.phase;
