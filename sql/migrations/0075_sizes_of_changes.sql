-- A change has its size with an interval, and the runs that it rests on: what comparisons cite.

ALTER TABLE _series_parts ADD COLUMN changes.element.low DOUBLE;
ALTER TABLE _series_parts ADD COLUMN changes.element.high DOUBLE;
ALTER TABLE _series_parts ADD COLUMN changes.element.p_here DOUBLE;
ALTER TABLE _series_parts ADD COLUMN changes.element.runs_before INTEGER;
ALTER TABLE _series_parts ADD COLUMN changes.element.runs_after INTEGER;
ALTER TABLE series ADD COLUMN changes.element.low DOUBLE;
ALTER TABLE series ADD COLUMN changes.element.high DOUBLE;
ALTER TABLE series ADD COLUMN changes.element.p_here DOUBLE;
ALTER TABLE series ADD COLUMN changes.element.runs_before INTEGER;
ALTER TABLE series ADD COLUMN changes.element.runs_after INTEGER;
