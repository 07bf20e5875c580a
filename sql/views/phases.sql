-- Phases of threads over time, for traces cut into intervals (SimPoint's method, see
-- interval_phases).

CREATE OR REPLACE VIEW phases AS
SELECT run_id, launch, block, thread, p.interval AS interval, p.phase AS phase,
  p.distance AS distance
FROM _thread_phases;

COMMENT ON VIEW phases IS 'One row is one interval of a thread''s time and the phase it belongs to.';
COMMENT ON COLUMN phases.interval IS 'Interval of the thread''s time, from 0.';
COMMENT ON COLUMN phases.phase IS 'Phase, from 0 in the order in which the thread''s phases appear; phases of different threads are not related.';
COMMENT ON COLUMN phases.distance IS 'Distance of the interval from the centre of its phase, in the projection to 15 dimensions.';

CREATE OR REPLACE VIEW phase_representatives AS
SELECT
  run_id, launch, block, thread, p.phase AS phase,
  any_value(p.interval) FILTER (p.representative) AS interval,
  count(*) AS intervals,
  min(p.interval) AS first_interval,
  any_value(p.weight) AS weight
FROM _thread_phases
GROUP BY run_id, launch, block, thread, p.phase;

COMMENT ON VIEW phase_representatives IS 'One row is one phase of a thread, with its representative interval: simulating these intervals and weighting them estimates the whole thread (SimPoint).';
COMMENT ON COLUMN phase_representatives.phase IS 'Phase (phases.phase).';
COMMENT ON COLUMN phase_representatives.interval IS 'The interval nearest to the centre of the phase.';
COMMENT ON COLUMN phase_representatives.intervals IS 'Intervals of the phase.';
COMMENT ON COLUMN phase_representatives.first_interval IS 'The first of them.';
COMMENT ON COLUMN phase_representatives.weight IS 'Instructions of the phase over those of all the thread''s intervals, 0..1.';
